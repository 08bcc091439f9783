/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/basis/trigonometric_path.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/bracket.h"

enum { GRID_PER_HARMONIC = 16, MOST_ROOT_STEPS = 60 };

/* of an angle */
static const double ANGLE_RESOLUTION = 4 * DBL_EPSILON * TWO_PI;

void trigonometric_path_evaluate(const struct trigonometric_path *path, double angle,
                                 double values[4])
{
    double c1 = cos(angle), s1 = sin(angle), c = c1, s = s1;
    double x = path->cosine[0], d = 0.0, dd = 0.0, ddd = 0.0;
    for (int h = 1; h <= path->highest; h++) {
        double a = path->cosine[h], b = path->sine[h];
        double value = a * c + b * s, slope = h * (b * c - a * s), square = (double)h * h;
        x += value;
        d += slope;
        dd -= square * value;
        ddd -= square * slope;
        double next = c * c1 - s * s1;
        s = s * c1 + c * s1;
        c = next;
    }
    values[0] = x;
    values[1] = d;
    values[2] = dd;
    values[3] = ddd;
}

static double value_of(const struct trigonometric_path *path, double angle)
{
    double values[4];
    trigonometric_path_evaluate(path, angle, values);
    return values[0];
}

/* Phases begin and end at turning points more often than not, where the value is known. */
static double smooth_value(const void *context, double angle)
{
    const struct trigonometric_path *path = context;
    double turned = angle >= TWO_PI ? angle - TWO_PI : angle;
    for (int i = 0; i < path->n_extrema; i++) {
        if (path->extrema[i].angle == turned) {
            return path->extrema[i].x;
        }
    }
    return value_of(path, angle);
}

/*
 * Root of derivative number `order` minus level in a bracket, by Newton's method guarded by
 * bisection.
 */
static double bracketed_root(const struct trigonometric_path *path, int order, double from,
                             double to, double guess, double level, double sign_from)
{
    struct newton_bracket bracket = {from, to, guess, sign_from > 0.0};
    if (!(guess >= from && guess <= to)) {
        bracket.x = 0.5 * (from + to);
    }
    for (int i = 0; i < MOST_ROOT_STEPS; i++) {
        double values[4], angle = bracket.x;
        trigonometric_path_evaluate(path, angle, values);
        double f = values[order] - level, step = -f / values[order + 1];
        if (f == 0.0) {
            break;
        }
        newton_bracket_next(&bracket, f, step);
        /* Newton's step has reached the rounding of the angle, or the bracket has. */
        if (fabs(step) <= ANGLE_RESOLUTION || bracket.high - bracket.low <= ANGLE_RESOLUTION) {
            break;
        }
    }
    return bracket.x;
}

static double smooth_root(const void *context, double from, double to, double level)
{
    const struct trigonometric_path *path = context;
    double start = smooth_value(path, from) - level;
    double end = smooth_value(path, to) - level;
    if (start == 0.0 || (start > 0.0) == (end > 0.0)) {
        /* Rounding: the level is that of an end. */
        return fabs(start) <= fabs(end) ? from : to;
    }
    /* Between two turning points a path looks like half a cosine. */
    double share = acos(fmax(-1.0, fmin(1.0, (start + end) / (end - start)))) / (0.5 * TWO_PI);
    double guess = from + (to - from) * share;
    return bracketed_root(path, 0, from, to, guess, level, start);
}

static void add_extremum(struct trigonometric_path *path, double angle)
{
    if (path->n_extrema < path->max_extrema) {
        struct masing_extremum *extremum = &path->extrema[path->n_extrema++];
        extremum->angle = angle >= TWO_PI ? angle - TWO_PI : angle;
        extremum->x = value_of(path, angle);
    }
}

/* One turning point where the slope, monotone in an interval, passes zero. A slope of exactly
 * zero counts as falling, so that neighbouring stretches agree about a root between them. */
static void scan_monotone(struct trigonometric_path *path, double from, double slope_from,
                          double to, double slope_to)
{
    if ((slope_from > 0.0) == (slope_to > 0.0)) {
        return;
    }
    double share = slope_from / (slope_from - slope_to);
    double root =
        slope_from == 0.0 ? from
        : slope_to == 0.0
            ? to
            : bracketed_root(path, 1, from, to, from + share * (to - from), 0.0, slope_from);
    add_extremum(path, root);
}

/*
 * A grid interval in which the curvature changes its sign: the slope is monotone on either side
 * of that point and may pass zero on both. (Contacts that hardly move make such pairs, and a
 * stiff one feels the smallest of them.)
 */
static void scan_bent(struct trigonometric_path *path, double from, const double *slope,
                      const double *curvature, double step)
{
    double share = curvature[0] / (curvature[0] - curvature[1]), values[4];
    double bend =
        bracketed_root(path, 2, from, from + step, from + share * step, 0.0, curvature[0]);
    trigonometric_path_evaluate(path, bend, values);
    scan_monotone(path, from, slope[0], bend, values[1]);
    scan_monotone(path, bend, values[1], from + step, slope[1]);
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

/* |x'''| nowhere exceeds the sum of its amplitudes; the slope stays within its chord by an
 * eighth of that times the step squared. */
static double third_derivative_bound(const struct trigonometric_path *path)
{
    double sum = 0.0;
    for (int h = 1; h <= path->highest; h++) {
        sum += (double)h * h * h * (fabs(path->cosine[h]) + fabs(path->sine[h]));
    }
    return sum;
}

static void find_extrema(struct trigonometric_path *path, const double *coefficients)
{
    struct trigonometric_grid *grid = path->grid;
    int n = grid->basis->n_samples;
    double step = TWO_PI / n;
    double reach = 0.125 * step * step * third_derivative_bound(path);
    basis_synthesise(grid->basis, coefficients, 1, grid->slope);
    basis_synthesise(grid->basis, coefficients, 2, grid->curvature);
    grid->slope[n] = grid->slope[0];
    grid->curvature[n] = grid->curvature[0];
    for (int i = 0; i < n; i++) {
        const double *slope = grid->slope + i, *curvature = grid->curvature + i;
        if (slope[0] * slope[1] > 0.0 && curvature[0] * curvature[1] > 0.0) {
            continue; /* most stretches: neither passes zero */
        }
        bool is_bent = (curvature[0] > 0.0) != (curvature[1] > 0.0) && curvature[0] != 0.0 &&
                       curvature[1] != 0.0;
        if (is_bent && fmin(fabs(slope[0]), fabs(slope[1])) <= reach) {
            scan_bent(path, i * step, slope, curvature, step);
        } else {
            scan_monotone(path, i * step, slope[0], (i + 1) * step, slope[1]);
        }
    }
    sort_extrema(path);
}

static void spread_amplitudes(struct trigonometric_path *path, const double *coefficients)
{
    const struct basis *basis = path->grid->basis;
    for (int k = 0; k < basis->n_harmonics; k++) {
        int h = basis->harmonics[k];
        path->cosine[h] = coefficients[basis->position[k]];
        path->sine[h] = h == 0 ? 0.0 : coefficients[basis->position[k] + 1];
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
    if (path->has_last && memcmp(path->last, coefficients, size) == 0) {
        return;
    }
    memcpy(path->last, coefficients, size);
    path->has_last = true;
    spread_amplitudes(path, coefficients);
    path->n_extrema = 0;
    if (path->highest > 0) {
        find_extrema(path, coefficients);
        drop_unpaired(path);
    }
    path->smooth.n_extrema = path->n_extrema;
    path->smooth.constant = value_of(path, 0.0);
}

/* A grid around a basis, which it owns, also after a failure. */
static enum masing_status grid_around(struct basis *basis, struct trigonometric_grid **grid,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct trigonometric_grid *made = memory_array(1, sizeof *made);
    *grid = NULL;
    TRY_ALLOCATED(made);
    made->basis = basis;
    basis = NULL;
    made->slope = arena_doubles(&made->arena, (size_t)made->basis->n_samples + 1);
    made->curvature = arena_doubles(&made->arena, (size_t)made->basis->n_samples + 1);
    TRY_ALLOCATED(!made->arena.has_failed);
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
    int n_samples = 16;
    while (n_samples < GRID_PER_HARMONIC * harmonics[n_harmonics - 1]) {
        n_samples *= 2;
    }
    enum masing_status status = basis_create(harmonics, n_harmonics, n_samples, &basis, error);
    return status == MASING_OK ? grid_around(basis, grid, error) : status;
}

enum masing_status trigonometric_grid_share(const struct trigonometric_grid *original,
                                            struct trigonometric_grid **grid,
                                            struct masing_error *error)
{
    struct basis *basis = NULL;
    enum masing_status status = basis_share(original->basis, &basis, error);
    return status == MASING_OK ? grid_around(basis, grid, error) : status;
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
    made->extrema = arena_array(&made->arena, (size_t)made->max_extrema, sizeof *made->extrema);
    made->last = arena_doubles(&made->arena, (size_t)grid->basis->n_coefficients);
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
