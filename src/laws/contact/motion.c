/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/contact/motion.h"

#include <math.h>
#include <string.h>

/*
 * While it slips r = d e, and the direction e turns towards that of the motion,
 *   e' = (v' - (v' . e) e) / d,
 * for any law d of time. With w = dv int ds/d this is the aberration of a direction,
 *   e1 = (e0 + C (e0 . w) w + S w) / (cosh q + (e0 . w) S),
 *   q = |w|, S = sinh q / q, C = (cosh q - 1) / q^2,
 * the pursuit curve (tractrix) where d is constant. Slip that has begun goes on to the end of a
 * straight step, since v' . e grows while e turns, and d' is constant; a slip that is over by
 * then ended at its beginning. So a step is: stick up to the onset s, then slip.
 */

/* q beyond which e^(-2q) is below rounding. */
static const double LARGE_ANGLE = 20.0;
/* q^2 below which hyperbolic functions of q are series, since their quotients would cancel. */
static const double SMALL_SQUARE = 1e-2;
/* A direction shorter than this part of its two summands is what rounding left of them. */
static const double VANISHED = 1e-14;

static double dot(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

/* Where |r0 + s dv| = d0 + s (d1 - d0) on the way out: A s^2 + 2 B s + C = 0. */
struct onset {
    double s, slope; /* slope = A s + B */
    bool is_held; /* at the limit from the beginning, or at the end: s stays whatever changes */
};

static struct onset find_onset(const double r0[2], const double dv[2], double d0, double d1)
{
    double change = d1 - d0;
    double a = dot(dv, dv) - change * change, b = dot(r0, dv) - d0 * change;
    double c = dot(r0, r0) - d0 * d0;
    if (c > -CONTACT_AT_LIMIT * d0 * d0) {
        bool is_held = b >= 0.0 || !(a > 0.0);
        double s = is_held ? 0.0 : -2.0 * b / a;
        /* out of reach before the step, and not out of it by the step: it is drawn back */
        return s > 1.0 ? (struct onset){1.0, -b, true} : (struct onset){s, -b, is_held};
    }
    double root = sqrt(fmax(b * b - a * c, 0.0));
    double s = b > 0.0 ? -c / (b + root) : (root - b) / a;
    return (struct onset){fmin(fmax(s, 0.0), 1.0), root, !(root > 0.0)};
}

/* ln(b/a)/(b - a), the mean of 1/d over the step, and its derivatives. */
static double mean_inverse(double a, double b, double *by_a, double *by_b)
{
    double x = (b - a) / a;
    if (fabs(x) > 0.02) {
        double mean = log1p(x) / (b - a);
        *by_a = (mean - 1.0 / a) / (b - a);
        *by_b = (1.0 / b - mean) / (b - a);
        return mean;
    }
    double value = 0.0, slope = 0.0; /* log1p(x)/x = sum (-x)^k / (k + 1) */
    for (int k = 9; k >= 0; k--) {
        slope = value - x * slope;
        value = 1.0 / (k + 1) - x * value;
    }
    slope = -slope; /* by x */
    *by_b = slope / (a * a);
    *by_a = -(value + slope * (1.0 + x)) / (a * a);
    return value / a;
}

/* cosh q, sinh q / q, (cosh q - 1)/q^2, all over the same factor, and by q^2/2. */
struct turn {
    double one; /* 1 over the factor */
    double ch, s, c, by_s, by_c;
};

static struct turn turn_by(double q)
{
    if (q > LARGE_ANGLE) {
        double s = 0.5 / q, c = s / q;
        return (struct turn){exp(-q), 0.5, s, c, (0.5 - s) / (q * q), (s - 2.0 * c) / (q * q)};
    }
    double square = q * q;
    if (square < SMALL_SQUARE) {
        double s = 1.0 + square / 6.0 * (1.0 + square / 20.0 * (1.0 + square / 42.0));
        double c = 0.5 * (1.0 + square / 12.0 * (1.0 + square / 30.0 * (1.0 + square / 56.0)));
        double by_s = (1.0 + square / 10.0 * (1.0 + square / 28.0 * (1.0 + square / 54.0))) / 3;
        double by_c =
            (1.0 + square / 15.0 * (1.0 + square / 112.0 * 3.0 * (1.0 + square / 67.5))) / 12;
        return (struct turn){1.0, 1.0 + square * c, s, c, by_s, by_c};
    }
    double ch = cosh(q), s = sinh(q) / q, c = (ch - 1.0) / square;
    return (struct turn){1.0, ch, s, c, (ch - s) / square, (s - 2.0 * c) / square};
}

/* All of one slip in the plane, for its derivatives. */
struct course {
    const double *r0, *dv;
    double d0, d1;
    struct onset onset;
    double d_onset, size;     /* reach and |r| at the onset */
    double e0[2], w[2], mean; /* mean: of 1/d */
    double mean_by_onset, mean_by_end;
    struct turn turn;
    double along, length; /* e0 . w; of the vector that e1 points along */
    double e1[2];
};

static void follow(struct course *k)
{
    double s = k->onset.s, rest = 1.0 - s;
    double r[2] = {k->r0[0] + s * k->dv[0], k->r0[1] + s * k->dv[1]};
    k->size = hypot(r[0], r[1]);
    k->d_onset = k->d0 + s * (k->d1 - k->d0);
    k->mean = mean_inverse(k->d_onset, k->d1, &k->mean_by_onset, &k->mean_by_end);
    for (int a = 0; a < 2; a++) {
        k->e0[a] = r[a] / k->size;
        k->w[a] = rest * k->dv[a] * k->mean;
    }
    k->turn = turn_by(hypot(k->w[0], k->w[1]));
    k->along = dot(k->e0, k->w);
    double forward = k->turn.c * k->along + k->turn.s;
    double e[2];
    for (int a = 0; a < 2; a++) {
        e[a] = k->turn.one * k->e0[a] + forward * k->w[a];
    }
    /* against the motion (e0 = -w/q) both vanish together: it does not turn */
    double length = hypot(e[0], e[1]);
    bool is_turning = length > VANISHED * k->turn.ch;
    for (int a = 0; a < 2; a++) {
        k->e1[a] = is_turning ? e[a] / length : k->e0[a];
    }
    k->length = is_turning ? length : 1.0;
}

/* Change of r along changes of what it depends on. */
static void differentiate(const struct course *k, const double dr0[2], const double ddv[2],
                          double dd0, double dd1, double out[2])
{
    double s = k->onset.s, rest = 1.0 - s, ds = 0.0, change = k->d1 - k->d0;
    if (!k->onset.is_held) {
        double da = 2.0 * (dot(k->dv, ddv) - change * (dd1 - dd0));
        double db = dot(dr0, k->dv) + dot(k->r0, ddv) - dd0 * change - k->d0 * (dd1 - dd0);
        double dc = 2.0 * (dot(k->r0, dr0) - k->d0 * dd0);
        ds = -(s * s * da + 2.0 * s * db + dc) / (2.0 * k->onset.slope);
    }
    double dr[2], de[2], dw[2];
    double d_onset = dd0 + ds * change + s * (dd1 - dd0);
    double d_mean = k->mean_by_onset * d_onset + k->mean_by_end * dd1;
    for (int a = 0; a < 2; a++) {
        dr[a] = dr0[a] + ds * k->dv[a] + s * ddv[a];
        dw[a] = (rest * ddv[a] - ds * k->dv[a]) * k->mean + rest * k->dv[a] * d_mean;
    }
    double radial = dot(k->e0, dr);
    for (int a = 0; a < 2; a++) {
        de[a] = (dr[a] - radial * k->e0[a]) / k->size;
    }
    double half = dot(k->w, dw), d_along = dot(de, k->w) + dot(k->e0, dw);
    double forward = k->turn.c * k->along + k->turn.s;
    double d_forward =
        k->turn.by_c * half * k->along + k->turn.c * d_along + k->turn.by_s * half;
    double d_e[2];
    for (int a = 0; a < 2; a++) {
        d_e[a] = k->turn.one * de[a] + d_forward * k->w[a] + forward * dw[a];
    }
    radial = dot(k->e1, d_e);
    for (int a = 0; a < 2; a++) {
        out[a] = dd1 * k->e1[a] + k->d1 * (d_e[a] - radial * k->e1[a]) / k->length;
    }
}

static void fill_derivatives(const struct course *k, struct contact_slip *slip)
{
    static const double zero[2] = {0.0, 0.0};
    for (int j = 0; j < 2; j++) {
        double unit[2] = {j == 0 ? 1.0 : 0.0, j == 1 ? 1.0 : 0.0}, column[2];
        differentiate(k, unit, zero, 0.0, 0.0, column);
        slip->by_start[0][j] = column[0];
        slip->by_start[1][j] = column[1];
        differentiate(k, zero, unit, 0.0, 0.0, column);
        slip->by_travel[0][j] = column[0];
        slip->by_travel[1][j] = column[1];
    }
    differentiate(k, zero, zero, 1.0, 0.0, slip->by_reach_start);
    differentiate(k, zero, zero, 0.0, 1.0, slip->by_reach);
}

static void slip_in_line(double trial, double d1, struct contact_slip *slip)
{
    double sign = trial < 0.0 ? -1.0 : 1.0;
    memset(slip, 0, sizeof *slip);
    slip->is_slip = true;
    slip->r[0] = sign * d1;
    slip->by_reach[0] = sign;
}

void contact_slip(int n, const double r0[2], const double dv[2], double d0, double d1,
                  bool with_derivatives, struct contact_slip *slip)
{
    double trial[2] = {r0[0] + dv[0], r0[1] + dv[1]};
    if (hypot(trial[0], trial[1]) <= d1) {
        slip->is_slip = false;
        memcpy(slip->r, trial, sizeof trial);
        return;
    }
    if (n == 1) {
        slip_in_line(trial[0], d1, slip);
        return;
    }
    if (!(d0 > 0.0) && !(dot(r0, r0) > 0.0)) { /* it touches only at the beginning */
        contact_slip_closing(dv, d1, slip);
        return;
    }
    struct course course = {
        .r0 = r0, .dv = dv, .d0 = d0, .d1 = d1, .onset = find_onset(r0, dv, d0, d1)};
    follow(&course);
    slip->is_slip = true;
    for (int a = 0; a < 2; a++) {
        slip->r[a] = d1 * course.e1[a];
    }
    if (with_derivatives) {
        fill_derivatives(&course, slip);
    }
}

/* Travel and reach both grow from zero, so that it sticks or slips all the way. */
void contact_slip_closing(const double dv[2], double d1, struct contact_slip *slip)
{
    double size = hypot(dv[0], dv[1]);
    memset(slip, 0, sizeof *slip);
    slip->is_slip = size > d1;
    for (int a = 0; a < 2; a++) {
        double e = slip->is_slip ? dv[a] / size : 0.0;
        slip->r[a] = slip->is_slip ? d1 * e : dv[a];
        slip->by_reach[a] = e;
        for (int b = 0; b < 2; b++) {
            double unit = a == b ? 1.0 : 0.0;
            slip->by_travel[a][b] =
                slip->is_slip ? d1 / size * (unit - e * dv[b] / size) : unit;
        }
    }
}

/* A slider has found its steady place where a period moves it by no more than the first part of
 * the motion, or by no more than the second where further periods bring no progress. */
static const double PRECISE = 1e-14, STAGNANT = 1e-10;
/* Periods that are tried before the search is given up. */
enum { MAX_PERIODS = 300 };

void contact_sample_set(const struct masing_contact_element *element,
                        const struct contact_path *path, int index,
                        struct contact_sample *sample)
{
    size_t row = (size_t)index * (size_t)path->n_axes;
    sample->u = path->normal < 0 ? 0.0 : path->x[row + (size_t)path->normal];
    for (int a = 0; a < 2; a++) {
        bool is_there = a < path->n_tangential;
        size_t at = is_there ? row + (size_t)path->tangential[a] : 0;
        sample->v[a] = is_there ? path->x[at] : 0.0;
        sample->velocity[a] = is_there && path->v ? path->v[at] : 0.0;
    }
    contact_local_set(element, path->smoothing, sample->u, path->v ? sample->velocity : NULL,
                      &sample->local);
}

static void put_slider(struct contact_sample *to, const double r[2])
{
    to->slider[0] = to->v[0] - r[0];
    to->slider[1] = to->v[1] - r[1];
}

static void close_gap(const struct contact_sample *from, struct contact_sample *to)
{
    double part = from->local.c / (from->local.c - to->local.c);
    double rest[2] = {(1.0 - part) * (to->v[0] - from->v[0]),
                      (1.0 - part) * (to->v[1] - from->v[1])};
    to->kind = CONTACT_CLOSING;
    to->closing_part = part;
    contact_slip_closing(rest, to->local.reach, &to->slip);
    to->is_slip = to->slip.is_slip;
    put_slider(to, to->slip.r);
}

void contact_move(int n_tangential, const struct contact_sample *from, bool with_derivatives,
                  struct contact_sample *to)
{
    to->is_slip = false;
    if (to->local.is_open) {
        to->kind = CONTACT_OPEN;
        memcpy(to->slider, to->v, sizeof to->v);
        return;
    }
    if (from->local.is_open) {
        close_gap(from, to);
        return;
    }
    double r0[2], dv[2];
    for (int a = 0; a < 2; a++) {
        r0[a] = from->v[a] - from->slider[a];
        dv[a] = to->v[a] - from->v[a];
    }
    contact_slip(n_tangential, r0, dv, from->local.reach, to->local.reach, with_derivatives,
                 &to->slip);
    to->is_slip = to->slip.is_slip;
    to->kind = to->is_slip ? CONTACT_SLIP : CONTACT_STICK;
    if (to->is_slip) {
        put_slider(to, to->slip.r);
    } else {
        memcpy(to->slider, from->slider, sizeof from->slider);
    }
}

double contact_slid(const struct contact_sample *from, const struct contact_sample *to)
{
    const double *start = from->slider, *end = to->slider;
    double touch[2];
    if (from->local.is_open && to->local.is_open) {
        return 0.0;
    }
    if (from->local.is_open || to->local.is_open) { /* slider and body are together there */
        double part = from->local.c / (from->local.c - to->local.c);
        for (int a = 0; a < 2; a++) {
            touch[a] = from->v[a] + part * (to->v[a] - from->v[a]);
        }
        start = from->local.is_open ? touch : start;
        end = to->local.is_open ? touch : end;
    }
    return hypot(end[0] - start[0], end[1] - start[1]);
}

/* Once round from sample 0, where the slider stands, back to it. */
struct round {
    double end[2];
    double transport[2][2]; /* d end / d start */
    int known; /* last sample whose slider does not depend on the start, -1: none */
};

static void carry(const struct contact_sample *to, int n_tangential, struct round *round)
{
    if (to->kind == CONTACT_STICK) {
        return;
    }
    if (to->kind != CONTACT_SLIP || n_tangential == 1) {
        memset(round->transport, 0, sizeof round->transport);
        return;
    }
    double t[2][2];
    memcpy(t, round->transport, sizeof t);
    for (int a = 0; a < 2; a++) { /* r = v - v_s, so that d v_s is carried as d r is */
        for (int b = 0; b < 2; b++) {
            round->transport[a][b] =
                to->slip.by_start[a][0] * t[0][b] + to->slip.by_start[a][1] * t[1][b];
        }
    }
}

static void go_round(const struct contact_path *path, bool with_transport,
                     struct contact_sample *samples, struct round *round)
{
    int n = path->n_samples;
    struct contact_sample first = samples[0]; /* where the slider stands at the beginning */
    *round = (struct round){.transport = {{1.0, 0.0}, {0.0, 1.0}}, .known = -1};
    for (int i = 1; i <= n; i++) {
        struct contact_sample *to = &samples[i % n];
        contact_move(path->n_tangential, i == 1 ? &first : &samples[i - 1], with_transport, to);
        carry(to, path->n_tangential, round);
        bool is_known = to->kind == CONTACT_OPEN || to->kind == CONTACT_CLOSING ||
                        (to->kind == CONTACT_SLIP && path->n_tangential == 1);
        round->known = is_known ? i % n : round->known;
    }
    memcpy(round->end, samples[0].slider, sizeof round->end);
}

void contact_close_period(const double t[2][2], const double f[2], double x[2])
{
    double m[2][2] = {{1.0 - t[0][0], -t[0][1]}, {-t[1][0], 1.0 - t[1][1]}};
    double determinant = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    x[0] = (m[1][1] * f[0] - m[0][1] * f[1]) / determinant;
    x[1] = (m[0][0] * f[1] - m[1][0] * f[0]) / determinant;
}

/* Newton's step on end(start) - start = 0; the end itself where that cannot be. */
static void next_start(const struct round *round, const double start[2], double next[2])
{
    const double f[2] = {round->end[0] - start[0], round->end[1] - start[1]};
    double step[2];
    contact_close_period(round->transport, f, step);
    next[0] = start[0] + step[0];
    next[1] = start[1] + step[1];
    if (!isfinite(next[0]) || !isfinite(next[1])) {
        memcpy(next, round->end, sizeof round->end);
    }
}

static double motion_size(const struct contact_path *path, const struct contact_sample *samples)
{
    double size = 0.0;
    for (int i = 0; i < path->n_samples; i++) {
        const double *v = samples[i].v, *first = samples[0].v;
        size = fmax(size, hypot(v[0] - first[0], v[1] - first[1]) + samples[i].local.reach);
    }
    return size;
}

/*
 * Periods are followed until one ends where it began. The map is a contraction once the contact
 * slips, but may contract slowly; Newton's method on it is quick, and is left for the plain
 * sequence where it does not bring the end closer to the start.
 */
static enum masing_status find_slipping(const struct contact_path *path,
                                        struct contact_sample *samples,
                                        struct contact_cycle *cycle)
{
    double size = motion_size(path, samples), smallest = INFINITY;
    bool is_plane = path->n_tangential == 2;
    for (int period = 0; period < MAX_PERIODS; period++) {
        struct round round;
        double start[2] = {samples[0].slider[0], samples[0].slider[1]};
        go_round(path, is_plane, samples, &round);
        double error = hypot(round.end[0] - start[0], round.end[1] - start[1]);
        if (!isfinite(error)) {
            return MASING_NOT_FINITE;
        }
        if (error <= PRECISE * size || (error <= STAGNANT * size && error >= 0.5 * smallest)) {
            cycle->known = round.known;
            memcpy(cycle->transport, round.transport, sizeof cycle->transport);
            return MASING_OK;
        }
        if (is_plane && round.known < 0 && (error < 0.5 * smallest || period % 8 == 7)) {
            next_start(&round, start, samples[0].slider);
        }
        smallest = fmin(smallest, error);
    }
    return MASING_NOT_CONVERGED;
}

/* Out of reach by less than this part of the reach is rounding. */
static const double REACH_ROUND_OFF = 1e-12;

static double distance(const double a[2], const double b[2])
{
    return hypot(a[0] - b[0], a[1] - b[1]);
}

static bool is_within(const double z[2], const double *v, const double *reach, int i)
{
    return distance(z, v + 2 * i) <= reach[i] * (1.0 + REACH_ROUND_OFF);
}

/* On a line: between the highest of the lower bounds and the lowest of the upper ones. */
static bool find_on_line(int n, const double *v, const double *reach, double origin,
                         struct contact_stuck *stuck)
{
    int low = 0, high = 0;
    for (int i = 1; i < n; i++) {
        low = v[2 * i] - reach[i] > v[2 * low] - reach[low] ? i : low;
        high = v[2 * i] + reach[i] < v[2 * high] + reach[high] ? i : high;
    }
    double from = v[2 * low] - reach[low], to = v[2 * high] + reach[high];
    *stuck = (struct contact_stuck){.z = {fmin(fmax(origin, from), to), 0.0}};
    if (origin < from || origin > to) {
        stuck->n_active = 1;
        stuck->active[0] = origin < from ? low : high;
    }
    return from <= to;
}

/* Closest place of one disc. */
static void on_disc(const double *v, const double *reach, const double origin[2], int i,
                    double z[2])
{
    const double *centre = v + 2 * i;
    double away = distance(origin, centre), part = away > reach[i] ? reach[i] / away : 1.0;
    for (int a = 0; a < 2; a++) {
        z[a] = centre[a] + part * (origin[a] - centre[a]);
    }
}

/* Where the rims of two discs cross, on one side or the other; false: nowhere. */
static bool on_two_rims(const double *v, const double *reach, int i, int j, double side,
                        double z[2])
{
    const double *p = v + 2 * i, *q = v + 2 * j;
    double apart = distance(p, q);
    if (!(apart > 0.0)) {
        return false;
    }
    double e[2] = {(q[0] - p[0]) / apart, (q[1] - p[1]) / apart};
    double along = 0.5 * (apart + (reach[i] - reach[j]) * (reach[i] + reach[j]) / apart);
    double square = (reach[i] - along) * (reach[i] + along);
    if (square < -REACH_ROUND_OFF * reach[i] * reach[i]) {
        return false;
    }
    double across = side * sqrt(fmax(square, 0.0));
    z[0] = p[0] + along * e[0] - across * e[1];
    z[1] = p[1] + along * e[1] + across * e[0];
    return true;
}

struct search {
    const double *v, *reach, *origin;
    int set[3], n_set; /* discs that count at present */
    struct contact_stuck best;
    double best_distance; /* INFINITY: none yet */
};

static void consider(struct search *search, const double z[2], int n_active, int i, int j)
{
    for (int k = 0; k < search->n_set; k++) {
        if (!is_within(z, search->v, search->reach, search->set[k])) {
            return;
        }
    }
    double away = distance(z, search->origin);
    if (away < search->best_distance) {
        search->best_distance = away;
        search->best = (struct contact_stuck){{z[0], z[1]}, n_active, {i, j}};
    }
}

/* The closest place within at most three discs: on one of them or where two cross. */
static bool solve_few(struct search *search)
{
    double z[2];
    search->best_distance = INFINITY;
    for (int a = 0; a < search->n_set; a++) {
        int i = search->set[a];
        on_disc(search->v, search->reach, search->origin, i, z);
        consider(search, z, 1, i, i);
        for (int b = 0; b < a; b++) {
            for (int side = -1; side <= 1; side += 2) {
                if (on_two_rims(search->v, search->reach, i, search->set[b], side, z)) {
                    consider(search, z, 2, i, search->set[b]);
                }
            }
        }
    }
    return search->best_distance < INFINITY;
}

static int worst(int n, const double *v, const double *reach, const double z[2])
{
    int found = -1;
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        double beyond = distance(z, v + 2 * i) - reach[i];
        if (beyond > most && !is_within(z, v, reach, i)) {
            most = beyond;
            found = i;
        }
    }
    return found;
}

/*
 * The place is decided by at most two discs, and where three have no place in common there is
 * none (Helly). The disc that is most out of reach comes in, those that do not decide
 * go out; the distance from the origin grows, so that this ends.
 */
static bool find_in_plane(int n, const double *v, const double *reach, const double origin[2],
                          struct contact_stuck *stuck)
{
    struct search search = {.v = v, .reach = reach, .origin = origin};
    *stuck = (struct contact_stuck){.z = {origin[0], origin[1]}};
    for (int step = 0; step < 4 * n; step++) {
        int next = worst(n, v, reach, stuck->z);
        if (next < 0) {
            return true;
        }
        memcpy(search.set, stuck->active, sizeof stuck->active);
        search.set[stuck->n_active] = next;
        search.n_set = stuck->n_active + 1;
        if (!solve_few(&search)) {
            return false;
        }
        *stuck = search.best;
    }
    return false;
}

static void differentiate_one(int n_axes, const struct contact_sample *samples,
                              const double origin[2], const struct contact_stuck *stuck,
                              double by_v[2][2], double by_reach[2], double by_origin[2][2])
{
    const struct contact_sample *at = &samples[stuck->active[0]];
    double e[2] = {origin[0] - at->v[0], n_axes > 1 ? origin[1] - at->v[1] : 0.0};
    double away = hypot(e[0], e[1]);
    e[0] /= away;
    e[1] /= away;
    for (int a = 0; a < 2; a++) {
        by_reach[a] = e[a];
        for (int b = 0; b < 2; b++) { /* z = v + d e, e = (o - v)/|o - v| */
            double unit = a == b ? 1.0 : 0.0;
            by_origin[a][b] = n_axes > 1 ? at->local.reach / away * (unit - e[a] * e[b]) : 0.0;
            by_v[a][b] = unit - by_origin[a][b];
        }
    }
}

/* (z - v_k) . (dz - dv_k) = d_k dd_k for both */
static void differentiate_two(const struct contact_sample *samples,
                              const struct contact_stuck *stuck, double by_v[2][2][2],
                              double by_reach[2][2])
{
    double g[2][2];
    for (int k = 0; k < 2; k++) {
        for (int a = 0; a < 2; a++) {
            g[k][a] = stuck->z[a] - samples[stuck->active[k]].v[a];
        }
    }
    double determinant = g[0][0] * g[1][1] - g[0][1] * g[1][0];
    if (determinant ==
        0.0) { /* the rims touch: both push the same way, or there is one place */
        determinant = INFINITY;
    }
    for (int k = 0; k < 2; k++) {
        const double *other = g[1 - k];
        double sign = (k == 0 ? 1.0 : -1.0) / determinant;
        double inverse[2] = {sign * other[1], -sign * other[0]};
        for (int a = 0; a < 2; a++) {
            by_reach[k][a] = inverse[a] * samples[stuck->active[k]].local.reach;
            for (int b = 0; b < 2; b++) {
                by_v[k][a][b] = inverse[a] * g[k][b];
            }
        }
    }
}

void contact_stuck_differentiate(int n_axes, const struct contact_sample *samples,
                                 const double origin[2], const struct contact_stuck *stuck,
                                 double by_v[2][2][2], double by_reach[2][2],
                                 double by_origin[2][2])
{
    bool is_free = stuck->n_active == 0;
    by_origin[0][0] = by_origin[1][1] = is_free ? 1.0 : 0.0;
    by_origin[0][1] = by_origin[1][0] = 0.0;
    if (stuck->n_active == 1) {
        differentiate_one(n_axes, samples, origin, stuck, by_v[0], by_reach[0], by_origin);
    } else if (stuck->n_active == 2) {
        differentiate_two(samples, stuck, by_v, by_reach);
    }
}

/* All places are taken from that of the first sample: far from the origin the rounding of
 * theirs would decide whether the discs have a place in common. */
static bool find_stuck(const struct contact_path *path, const double origin[2],
                       struct contact_sample *samples, double *scratch,
                       struct contact_stuck *stuck)
{
    double *v = scratch, *reach = scratch + 2 * (size_t)path->n_samples;
    const double *first = samples[0].v;
    const double from[2] = {origin[0] - first[0], origin[1] - first[1]};
    for (int i = 0; i < path->n_samples; i++) {
        if (samples[i].local.is_open) {
            return false;
        }
        v[2 * i] = samples[i].v[0] - first[0];
        v[2 * i + 1] = samples[i].v[1] - first[1];
        reach[i] = samples[i].local.reach;
    }
    bool is_stuck = path->n_tangential == 1
                        ? find_on_line(path->n_samples, v, reach, from[0], stuck)
                        : find_in_plane(path->n_samples, v, reach, from, stuck);
    for (int a = 0; a < 2; a++) {
        bool is_origin = stuck->n_active == 0 && a < path->n_tangential;
        stuck->z[a] = is_origin ? origin[a] : stuck->z[a] + first[a];
    }
    return is_stuck;
}

enum masing_status contact_cycle_find(const struct contact_path *path, const double origin[2],
                                      const double guess[2], struct contact_sample *samples,
                                      double *scratch, struct contact_cycle *cycle)
{
    cycle->known = -1;
    cycle->is_stuck = find_stuck(path, origin, samples, scratch, &cycle->stuck);
    for (int i = 0; cycle->is_stuck && i < path->n_samples; i++) {
        samples[i].kind = CONTACT_STICK;
        samples[i].is_slip = false;
        memcpy(samples[i].slider, cycle->stuck.z, sizeof cycle->stuck.z);
    }
    if (cycle->is_stuck) {
        return MASING_OK;
    }
    bool is_guess = guess && isfinite(guess[0]) && isfinite(guess[1]);
    double start[2] = {is_guess ? guess[0] : origin[0], is_guess ? guess[1] : origin[1]};
    /* the slider is never out of reach */
    double r[2] = {samples[0].v[0] - start[0], samples[0].v[1] - start[1]};
    double size = hypot(r[0], r[1]), reach = samples[0].local.reach;
    double part = samples[0].local.is_open ? 0.0 : size > reach ? reach / size : 1.0;
    samples[0].slider[0] = samples[0].v[0] - part * r[0];
    samples[0].slider[1] = samples[0].v[1] - part * r[1];
    return find_slipping(path, samples, cycle);
}

void contact_forces_add(const struct masing_contact_element *element,
                        const struct contact_path *path, const struct contact_sample *samples,
                        double *f)
{
    for (int i = 0; i < path->n_samples; i++) {
        double *row = f + (size_t)i * (size_t)path->n_axes;
        if (path->normal >= 0) {
            row[path->normal] += samples[i].local.force - element->preload;
        }
        for (int a = 0; a < path->n_tangential; a++) {
            row[path->tangential[a]] +=
                samples[i].local.stiffness * (samples[i].v[a] - samples[i].slider[a]);
        }
    }
}

double contact_slip_margin(const struct contact_path *path, const double origin[2],
                           const struct contact_sample *samples)
{
    double most = 0.0; /* share of the limit, or 2 less its inverse where it is passed */
    for (int i = 0; i < path->n_samples; i++) {
        double away = hypot(samples[i].v[0] - origin[0], samples[i].v[1] - origin[1]);
        double reach = samples[i].local.is_open ? 0.0 : samples[i].local.reach;
        double share = away <= reach ? (reach > 0.0 ? away / reach : 0.0) : 2.0 - reach / away;
        most = fmax(most, share);
    }
    return most - 1.0;
}

int contact_count(const struct masing_law *law, const void *parameters)
{
    return law->n_elements ? law->n_elements(parameters) : 1;
}

void element_restore(const struct element_state *state, double smoothing,
                     const struct masing_contact_element *element, bool has_velocity,
                     struct contact_sample *sample)
{
    *sample = (struct contact_sample){.u = state->u};
    memcpy(sample->v, state->v, sizeof state->v);
    memcpy(sample->velocity, state->velocity, sizeof state->velocity);
    memcpy(sample->slider, state->slider, sizeof state->slider);
    contact_local_set(element, smoothing, sample->u, has_velocity ? sample->velocity : NULL,
                      &sample->local);
}

void element_keep(const struct contact_sample *sample, struct element_state *state)
{
    state->u = sample->u;
    memcpy(state->v, sample->v, sizeof state->v);
    memcpy(state->velocity, sample->velocity, sizeof state->velocity);
    memcpy(state->slider, sample->slider, sizeof state->slider);
}
