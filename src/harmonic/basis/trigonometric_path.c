/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/basis/trigonometric_path.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pair.h"
#include "base/pi.h"
#include "linalg/bracket.h"

/* Points per period of the highest harmonic in the finest intervals, and how often a first
 * interval is halved to get there. */
enum { FINE_PER_HARMONIC = 16, MOST_HALVINGS = 2, MOST_ROOT_STEPS = 60 };

/* of an angle */
static const double ANGLE_RESOLUTION = 4 * DBL_EPSILON * TWO_PI;
/* Of the square of the first harmonic: others together weigh less, clear of rounding. */
static const double DOMINANT = 0.99;
/* asin(u) <= pi / 2 u */
static const double REACH = 0.25 * TWO_PI;
/* Roots that half a cosine puts at places as near as this are off by nearly as much. */
static const double SAME_SHARE = 0.01;
/* Part of Newton's step by which one of higher order differs at most. */
static const double MOST_BEND = 0.5;

void trigonometric_path_evaluate(const struct trigonometric_path *path, double angle,
                                 double values[4])
{
    const double c1 = cos(angle), s1 = sin(angle);
    const pair turn_c = {c1, c1}, turn_s = {s1, s1};
    pair c = turn_c, s = turn_s, low = {0.0, 0.0}, high = low;
    const struct trigonometric_term *terms = path->terms;
    for (int h = 1; h <= path->highest; h++) {
        pair term = terms[h].cosine * c + terms[h].sine * s;
        low += term;
        high += terms[h].bend * term;
        pair next = c * turn_c - s * turn_s;
        s = s * turn_c + c * turn_s;
        c = next;
    }
    values[0] = path->cosine[0] + low[0];
    values[1] = low[1];
    values[2] = high[0];
    values[3] = high[1];
}

/* Phases begin and end at turning points more often than not, where the value is known. */
static double smooth_value(const void *context, double angle)
{
    const struct trigonometric_path *path = context;
    double turned = angle >= TWO_PI ? angle - TWO_PI : angle, values[4];
    for (int i = 0; i < path->n_extrema; i++) {
        if (path->extrema[i].angle == turned) {
            return path->extrema[i].x;
        }
    }
    trigonometric_path_evaluate(path, angle, values);
    return values[0];
}

/* Newton's step towards a root, and what the derivatives behind the slope make of it. */
struct root_step {
    double newton;
    double turn; /* the step is newton / (1 + turn) */
    double miss; /* and misses the root by this part of itself, to leading order */
};

/*
 * Of derivative number `order` < 2 minus level, f, by f' and f'': Halley's step; of the path
 * itself by f''', too: with h = -f / f', a = f'' / 2 f', b = f''' / 6 f', c = f'''' / 24 f' the
 * root lies at h - a h^2 + (2 a^2 - b) h^3 + (5 a b - 5 a^3 - c) h^4 (Traub 1964, section 5.2).
 */
static struct root_step root_step_of(const struct trigonometric_path *path, int order,
                                     const double values[4], double f)
{
    double slope = values[order + 1], newton = -f / slope;
    double bend = 0.5 * newton * values[order + 2] / slope;
    if (order == 1) {
        double third = newton * newton * path->bound[1] / (6.0 * fabs(slope));
        return (struct root_step){newton, bend, bend * bend + third};
    }
    double square = newton * newton, third = square * values[3] / (6.0 * slope);
    double fourth = fabs(square * newton) * path->bound[1] / (24.0 * fabs(slope));
    double miss = fabs(bend) * (2.0 * bend * bend + 3.0 * fabs(third)) + fourth;
    return (struct root_step){newton, bend + third - bend * bend, miss};
}

/*
 * Root of derivative number `order` minus level in a bracket, by steps of third or fourth order
 * guarded by bisection; that of the curvature by Newton's. Where what a step misses is lost in
 * rounding it is the last one. x: the path's value at the root, by its Taylor series.
 */
static double bracketed_root(const struct trigonometric_path *path, int order, double from,
                             double to, double guess, double level, double sign_from, double *x)
{
    struct newton_bracket bracket = {from, to, guess, sign_from > 0.0};
    double values[4] = {0}, step = 0.0;
    if (!(guess >= from && guess <= to)) {
        bracket.x = 0.5 * (from + to);
    }
    for (int i = 0; i < MOST_ROOT_STEPS; i++) {
        double angle = bracket.x;
        trigonometric_path_evaluate(path, angle, values);
        double f = values[order] - level;
        struct root_step next = {-f / values[3], 0.0, INFINITY};
        step = 0.0;
        if (f == 0.0) {
            break;
        }
        if (order < 2) {
            next = root_step_of(path, order, values, f);
        }
        bool is_straight = !(fabs(next.turn) < MOST_BEND); /* Newton's step is safer */
        newton_bracket_next(&bracket, f, next.newton / (is_straight ? 1.0 : 1.0 + next.turn));
        step = bracket.x - angle;
        bool is_last = !is_straight && fabs(step) <= 2.0 * fabs(next.newton) &&
                       fabs(step) * next.miss <= ANGLE_RESOLUTION;
        if (is_last || fabs(step) <= ANGLE_RESOLUTION ||
            bracket.high - bracket.low <= ANGLE_RESOLUTION) {
            break;
        }
    }
    *x = values[0] + step * (values[1] + step * (values[2] / 2.0 + step * values[3] / 6.0));
    return bracket.x;
}

static double smooth_root(const void *context, double from, double to, double level)
{
    const struct trigonometric_path *path = context;
    double start = smooth_value(path, from) - level;
    double end = smooth_value(path, to) - level, x;
    if (start == 0.0 || (start > 0.0) == (end > 0.0)) {
        /* Rounding: the level is that of an end. */
        return fabs(start) <= fabs(end) ? from : to;
    }
    /* Between two turning points a path looks like half a cosine, and like the half before. */
    struct trigonometric_root *before = path->root;
    double share = acos(fmax(-1.0, fmin(1.0, (start + end) / (end - start)))) / (0.5 * TWO_PI);
    double off = fabs(share - before->share) < SAME_SHARE ? before->off : 0.0;
    double guess = from + (to - from) * (share + off);
    double root = bracketed_root(path, 0, from, to, guess, level, start, &x);
    *before = (struct trigonometric_root){share, (root - from) / (to - from) - share};
    return root;
}

static void add_extremum(struct trigonometric_path *path, double angle, double x)
{
    if (path->n_extrema < path->max_extrema) {
        struct masing_extremum *extremum = &path->extrema[path->n_extrema++];
        extremum->angle = angle >= TWO_PI ? angle - TWO_PI : angle;
        extremum->x = x;
    }
}

/* Slope at an end of an interval, and how it changes: the curvature. */
struct slope {
    double angle, value, change;
};

static struct slope slope_at(const struct trigonometric_path *path, double angle)
{
    double values[4];
    trigonometric_path_evaluate(path, angle, values);
    return (struct slope){angle, values[1], values[2]};
}

/* Nearly where the cubic through both ends passes zero: two of Newton's steps from the secant.
 */
static double guess_root(struct slope from, struct slope to)
{
    double step = to.angle - from.angle, difference = to.value - from.value;
    double first = step * from.change, last = step * to.change;
    double second = 3.0 * difference - 2.0 * first - last;
    double third = first + last - 2.0 * difference;
    double t = -from.value / difference;
    for (int i = 0; i < 2; i++) {
        double value = from.value + t * (first + t * (second + t * third));
        t -= value / (first + t * (2.0 * second + 3.0 * t * third));
    }
    return from.angle + t * step;
}

/* One turning point where the slope, monotone in an interval, passes zero. A slope of exactly
 * zero counts as falling, so that neighbouring stretches agree about a root between them. */
static void scan_monotone(struct trigonometric_path *path, struct slope from, struct slope to)
{
    if ((from.value > 0.0) == (to.value > 0.0)) {
        return;
    }
    double guess = from.value == 0.0 ? from.angle
                   : to.value == 0.0 ? to.angle
                                     : guess_root(from, to);
    double x;
    double root = bracketed_root(path, 1, from.angle, to.angle, guess, 0.0, from.value, &x);
    add_extremum(path, root, x);
}

/*
 * An interval in which the curvature changes its sign: the slope is monotone on either side
 * of that point and may pass zero on both. (Contacts that hardly move make such pairs, and a
 * stiff one feels the smallest of them.)
 */
static void scan_bent(struct trigonometric_path *path, struct slope from, struct slope to)
{
    double share = from.change / (from.change - to.change), x;
    double guess = from.angle + share * (to.angle - from.angle);
    struct slope bend = slope_at(
        path, bracketed_root(path, 2, from.angle, to.angle, guess, 0.0, from.change, &x));
    scan_monotone(path, from, bend);
    scan_monotone(path, bend, to);
}

/*
 * Turning points in an interval. A function stays within its chord by an eighth of the
 * interval's square times a bound of its second derivative: where that leaves the slope one
 * sign there is none, and where it leaves the curvature one sign at most one. Other intervals
 * are halved, down to the finest ones.
 */
static void scan(struct trigonometric_path *path, struct slope from, struct slope to,
                 int halvings)
{
    double width = to.angle - from.angle, reach = 0.125 * width * width;
    double slope = fmin(fabs(from.value), fabs(to.value));
    bool is_flat = slope <= reach * path->bound[0];
    if (!is_flat && from.value * to.value > 0.0) {
        return;
    }
    bool is_bent = fmin(fabs(from.change), fabs(to.change)) <= reach * path->bound[1] ||
                   from.change * to.change < 0.0;
    if (is_bent && halvings > 0) {
        struct slope middle = slope_at(path, from.angle + 0.5 * width);
        scan(path, from, middle, halvings - 1);
        scan(path, middle, to, halvings - 1);
    } else if (is_flat && from.change * to.change < 0.0) {
        scan_bent(path, from, to);
    } else {
        scan_monotone(path, from, to);
    }
}

/* Insertion into ascending order: the list is nearly sorted and short. */
static void sort_extrema(struct trigonometric_path *path)
{
    struct masing_extremum *list = path->extrema;
    for (int i = 1; i < path->n_extrema; i++) {
        struct masing_extremum item = list[i];
        int k = i;
        while (k > 0 && list[k - 1].angle > item.angle) {
            list[k] = list[k - 1];
            k--;
        }
        list[k] = item;
    }
}

/* Slope and curvature at the points of the grid: half a period on, odd harmonics have the other
 * sign. */
static void fill_grid(const struct trigonometric_path *path)
{
    const struct trigonometric_grid *grid = path->grid;
    size_t half = (size_t)grid->basis->n_samples / 2;
    const double *restrict cosine = grid->functions;
    memset(grid->slope, 0, sizeof *grid->slope * 2 * half);
    memset(grid->curvature, 0, sizeof *grid->curvature * 2 * half);
    for (int k = 0; k < grid->basis->n_harmonics; k++, cosine += 2 * half) {
        int h = grid->basis->harmonics[k];
        const double *restrict sine = cosine + half;
        double *restrict slope = grid->slope + (h % 2) * (int)half;
        double *restrict curvature = grid->curvature + (h % 2) * (int)half;
        double a = h * path->cosine[h], b = h * path->sine[h], aa = h * a, bb = h * b;
        for (size_t i = 0; h > 0 && i < half; i++) {
            slope[i] += b * cosine[i] - a * sine[i];
            curvature[i] -= aa * cosine[i] + bb * sine[i];
        }
    }
    for (size_t i = 0; i < half; i++) {
        double even = grid->slope[i], odd = grid->slope[i + half];
        grid->slope[i] = even + odd;
        grid->slope[i + half] = even - odd;
        even = grid->curvature[i], odd = grid->curvature[i + half];
        grid->curvature[i] = even + odd;
        grid->curvature[i + half] = even - odd;
    }
}

/*
 * x = A cos(theta - phase) + rest, where the rest's slope stays within d and its curvature
 * within dd: with d^2 + dd^2 < A^2 there is one turning point where |sin(theta - phase)| <= d /
 * A on either side, for the curvature has one sign there, and none elsewhere. False where other
 * harmonics weigh more.
 */
static bool find_two_extrema(struct trigonometric_path *path)
{
    double a = path->highest > 0 ? path->cosine[1] : 0.0;
    double b = path->highest > 0 ? path->sine[1] : 0.0;
    double d = 0.0, dd = 0.0, size = sqrt(a * a + b * b), x;
    for (int h = 2; h <= path->highest; h++) {
        double slope = h * (fabs(path->cosine[h]) + fabs(path->sine[h]));
        d += slope;
        dd += h * slope;
    }
    if (!(d * d + dd * dd < DOMINANT * size * size)) {
        return false;
    }
    double phase = atan2(b, a), reach = REACH * d / size + ANGLE_RESOLUTION;
    phase += phase < 0.0 ? TWO_PI : 0.0;
    if (d == 0.0) { /* that harmonic alone */
        add_extremum(path, phase, path->cosine[0] + size);
        add_extremum(path, phase + 0.5 * TWO_PI, path->cosine[0] - size);
        return true;
    }
    double root = 0.0, guess = phase;
    for (int side = 0; side < 2; side++) {
        double angle = phase + side * (0.5 * TWO_PI);
        root = bracketed_root(path, 1, angle - reach, angle + reach, guess, 0.0,
                              side == 0 ? 1.0 : -1.0, &x);
        add_extremum(path, root < 0.0 ? root + TWO_PI : root, x);
        guess = root + 0.5 * TWO_PI; /* of odd harmonics alone, where it is */
    }
    return true;
}

static void find_extrema(struct trigonometric_path *path)
{
    const struct trigonometric_grid *grid = path->grid;
    int n = grid->basis->n_samples;
    fill_grid(path);
    struct slope from = {0.0, grid->slope[0], grid->curvature[0]};
    for (int i = 1; i <= n; i++) {
        struct slope to = {TWO_PI * i / n, grid->slope[i % n], grid->curvature[i % n]};
        scan(path, from, to, MOST_HALVINGS);
        from = to;
    }
}

/* No derivative exceeds the sum of its amplitudes anywhere. */
static void bound_derivatives(struct trigonometric_path *path)
{
    path->bound[0] = path->bound[1] = 0.0;
    for (int h = 1; h <= path->highest; h++) {
        double third = (double)h * h * h * (fabs(path->cosine[h]) + fabs(path->sine[h]));
        path->bound[0] += third;
        path->bound[1] += h * third;
    }
}

static void spread_amplitudes(struct trigonometric_path *path, const double *coefficients)
{
    const struct basis *basis = path->grid->basis;
    for (int k = 0; k < basis->n_harmonics; k++) {
        int h = basis->harmonics[k];
        path->cosine[h] = coefficients[basis->position[k]];
        path->sine[h] = h == 0 ? 0.0 : coefficients[basis->position[k] + 1];
        path->terms[h] = (struct trigonometric_term){
            .cosine = {path->cosine[h], h * path->sine[h]},
            .sine = {path->sine[h], -h * path->cosine[h]},
            .bend = {-(double)h * h, -(double)h * h},
        };
    }
}

/* Turning points that rounding made unpaired or that do not alternate would mislead a law. */
static void drop_unpaired(struct trigonometric_path *path)
{
    if (path->n_extrema % 2 == 1) {
        path->n_extrema--;
    }
    if (path->n_extrema == 2 && path->extrema[0].x == path->extrema[1].x) {
        path->n_extrema = 0;
    }
}

void trigonometric_path_set(struct trigonometric_path *path, const double *coefficients,
                            double origin)
{
    size_t size = sizeof(double) * (size_t)path->grid->basis->n_coefficients;
    path->smooth.origin = origin;
    path->root->share = NAN; /* none yet: the same bits whatever was asked for before */
    if (path->has_last && memcmp(path->last, coefficients, size) == 0) {
        return;
    }
    memcpy(path->last, coefficients, size);
    path->has_last = true;
    spread_amplitudes(path, coefficients);
    bound_derivatives(path);
    path->n_extrema = 0;
    if (path->bound[0] > 0.0) {
        if (!find_two_extrema(path)) {
            find_extrema(path);
        }
        sort_extrema(path);
        drop_unpaired(path);
    }
    path->smooth.n_extrema = path->n_extrema;
    path->smooth.constant = 0.0; /* x(0) */
    for (int h = 0; h <= path->highest; h++) {
        path->smooth.constant += path->cosine[h];
    }
}

/* A grid around a basis, which it owns, also after a failure; functions: those of another grid
 * around it, or NULL. */
static enum masing_status grid_around(struct basis *basis, const double *functions,
                                      struct trigonometric_grid **grid,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct trigonometric_grid *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->basis = basis;
    basis = NULL;
    size_t n = (size_t)made->basis->n_samples, half = n / 2;
    size_t size = functions ? 0 : (size_t)made->basis->n_harmonics * n;
    made->slope = arena_doubles(&made->arena, n);
    made->curvature = arena_doubles(&made->arena, n);
    double *own = arena_doubles(&made->arena, size);
    TRY_ALLOCATED(!made->arena.has_failed);
    for (size_t i = 0; i < size; i++) {
        double angle = TWO_PI * made->basis->harmonics[i / n] * (double)(i % half) / (double)n;
        own[i] = i % n < half ? cos(angle) : sin(angle);
    }
    made->functions = functions ? functions : own;
    *grid = made;
    made = NULL;
done:
    basis_destroy(basis);
    trigonometric_grid_destroy(made);
    return status;
}

enum masing_status trigonometric_grid_create(const int *harmonics, int n_harmonics,
                                             struct trigonometric_grid **grid,
                                             struct masing_error *error)
{
    struct basis *basis = NULL;
    int n = 4;
    while (n << MOST_HALVINGS < FINE_PER_HARMONIC * harmonics[n_harmonics - 1]) {
        n *= 2;
    }
    enum masing_status status =
        basis_create_unplanned(harmonics, n_harmonics, n, &basis, error);
    return status == MASING_OK ? grid_around(basis, NULL, grid, error) : status;
}

enum masing_status trigonometric_grid_share(const struct trigonometric_grid *original,
                                            struct trigonometric_grid **grid,
                                            struct masing_error *error)
{
    struct basis *basis = NULL;
    enum masing_status status = basis_share(original->basis, &basis, error);
    return status == MASING_OK ? grid_around(basis, original->functions, grid, error) : status;
}

void trigonometric_grid_destroy(struct trigonometric_grid *grid)
{
    if (grid) {
        basis_destroy(grid->basis);
        arena_clear(&grid->arena);
        free(grid);
    }
}

enum masing_status trigonometric_path_create_on(struct trigonometric_grid *grid,
                                                struct trigonometric_path **path,
                                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct trigonometric_path *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->grid = grid;
    made->highest = grid->basis->highest;
    made->max_extrema = 2 * made->highest + 2;
    size_t n_amplitudes = (size_t)made->highest + 1;
    made->cosine = arena_doubles(&made->arena, n_amplitudes);
    made->sine = arena_doubles(&made->arena, n_amplitudes);
    made->terms = arena_array(&made->arena, n_amplitudes, sizeof *made->terms);
    made->extrema = arena_array(&made->arena, (size_t)made->max_extrema, sizeof *made->extrema);
    made->last = arena_doubles(&made->arena, (size_t)grid->basis->n_coefficients);
    made->root = arena_array(&made->arena, 1, sizeof *made->root);
    TRY_ALLOCATED(!made->arena.has_failed);
    made->smooth = (struct masing_smooth_path){
        .context = made, .value = smooth_value, .root = smooth_root, .extrema = made->extrema};
    *path = made;
    made = NULL;
done:
    trigonometric_path_destroy(made);
    return status;
}

enum masing_status trigonometric_path_create(const int *harmonics, int n_harmonics,
                                             struct trigonometric_path **path,
                                             struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct trigonometric_grid *grid = NULL;
    TRY(trigonometric_grid_create(harmonics, n_harmonics, &grid, error));
    TRY(trigonometric_path_create_on(grid, path, error));
    (*path)->own = grid;
    grid = NULL;
done:
    trigonometric_grid_destroy(grid);
    return status;
}

void trigonometric_path_destroy(struct trigonometric_path *path)
{
    if (path) {
        trigonometric_grid_destroy(path->own);
        arena_clear(&path->arena);
        free(path);
    }
}
