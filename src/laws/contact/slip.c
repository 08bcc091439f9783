/* SPDX-License-Identifier: GPL-2.0-or-later */
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
#include "laws/contact/slip.h"

#include <math.h>
#include <string.h>

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
