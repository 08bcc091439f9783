/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A spring given by points of its force. Between them runs a cubic with these forces and with
 * slopes at the points (Hermite): the parabola's through three neighbours, limited so that the
 * curve rises and falls only where the points do. Beyond the ends it goes on straight.
 */
#include <math.h>

#include "base/check.h"
#include "laws/laws.h"

struct parameters {
    struct masing_points file; /* displacement, force */
    double slopes[MASING_POINTS_LENGTH];
};

static const struct masing_field fields[] = {
    {.name = "file",
     .unit = "m, N",
     .type = MASING_FIELD_POINTS,
     .is_required = true,
     .minimum = -INFINITY,
     .maximum = INFINITY,
     .fallback = NAN,
     .help = "points displacement, force by rising displacement; straight on beyond the ends",
     .offset = AT(file)},
};

/* A number and its change along a tangent of the points. */
struct moving {
    double value, change;
};

/* Of segment i, from point i to the next: its length and its secant. */
static void segment(const struct masing_points *points, const struct masing_points *changes,
                    int i, struct moving *length, struct moving *secant)
{
    *length = (struct moving){points->x[i + 1] - points->x[i],
                              changes ? changes->x[i + 1] - changes->x[i] : 0.0};
    double rise = points->y[i + 1] - points->y[i];
    double rise_change = changes ? changes->y[i + 1] - changes->y[i] : 0.0;
    secant->value = rise / length->value;
    secant->change = (rise_change - secant->value * length->change) / length->value;
}

/* (weight a + other b) / (weight + other) */
static struct moving mean_of(struct moving weight, struct moving a, struct moving other,
                             struct moving b)
{
    double sum = weight.value + other.value;
    struct moving mean = {(weight.value * a.value + other.value * b.value) / sum, 0.0};
    mean.change = (weight.change * (a.value - mean.value) + weight.value * a.change +
                   other.change * (b.value - mean.value) + other.value * b.change) /
                  sum;
    return mean;
}

/* No steeper than three times the secant, and not against it: Fritsch and Carlson. */
static struct moving limited(struct moving slope, struct moving secant)
{
    if (slope.value * secant.value <= 0.0) {
        return (struct moving){0.0, 0.0};
    }
    bool is_steep = fabs(slope.value) > 3.0 * fabs(secant.value);
    return is_steep ? (struct moving){3.0 * secant.value, 3.0 * secant.change} : slope;
}

static struct moving slope_at(const struct masing_points *points,
                              const struct masing_points *changes, int i)
{
    int last = points->count - 1;
    bool is_inside = i > 0 && i < last;
    struct moving length[2], secant[2];
    segment(points, changes, i == 0 ? 0 : i - 1, &length[0], &secant[0]);
    if (last == 1) {
        return secant[0];
    }
    segment(points, changes, is_inside ? i : i == 0 ? 1 : last - 2, &length[1], &secant[1]);
    struct moving middle = mean_of(length[1], secant[0], length[0], secant[1]);
    if (is_inside) {
        return limited(limited(middle, secant[0]), secant[1]);
    }
    /* at an end the parabola's slope there */
    struct moving slope = (struct moving){2.0 * secant[0].value - middle.value,
                                          2.0 * secant[0].change - middle.change};
    return limited(slope, secant[0]);
}

static enum masing_status check(void *parameters, struct masing_error *error)
{
    struct parameters *p = parameters;
    const struct masing_points *points = &p->file;
    if (points->count < 2) {
        return masing_error_refuse(error, "file", "'file' must hold at least 2 points");
    }
    for (int i = 0; i < points->count; i++) {
        double x = points->x[i], y = points->y[i];
        double before = i > 0 ? points->x[i - 1] : -INFINITY;
        double rise = i > 0 ? (y - points->y[i - 1]) / (x - before) : 0.0;
        if (!isfinite(x) || !isfinite(y) || !(x > before) || !isfinite(rise)) {
            return masing_error_refuse(error, "file",
                                       "'file': point %d, (%g, %g), must lie to the right of "
                                       "the one before, at %g",
                                       i + 1, x, y, before);
        }
    }
    for (int i = 0; i < points->count; i++) {
        p->slopes[i] = slope_at(points, NULL, i).value;
    }
    return MASING_OK;
}

static void derive(const void *parameters, void *tangent)
{
    const struct parameters *p = parameters;
    struct parameters *d = tangent;
    for (int i = 0; i < p->file.count; i++) {
        d->slopes[i] = slope_at(&p->file, &d->file, i).change;
    }
}

/* The segment that holds x; -1 before the first, the last point behind the last. */
static int segment_of(const struct masing_points *points, double x)
{
    int low = -1, high = points->count - 1;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        *(x < points->x[middle] ? &high : &low) = middle;
    }
    return x < points->x[0] ? -1 : x >= points->x[points->count - 1] ? points->count - 1 : low;
}

static struct masing_rate force_at(const struct parameters *p, double x)
{
    const struct masing_points *points = &p->file;
    int i = segment_of(points, x);
    if (i < 0 || i == points->count - 1) {
        int end = i < 0 ? 0 : i;
        double slope = p->slopes[end];
        return (struct masing_rate){.value = points->y[end] + slope * (x - points->x[end]),
                                    .x = slope};
    }
    /* y + u (m0 + u/h (3 s - 2 m0 - m1 + u/h (m0 + m1 - 2 s))), u = x - x0 */
    double h = points->x[i + 1] - points->x[i], u = x - points->x[i], t = u / h;
    double secant = (points->y[i + 1] - points->y[i]) / h;
    double m0 = p->slopes[i], m1 = p->slopes[i + 1];
    double square = 3.0 * secant - 2.0 * m0 - m1, cube = m0 + m1 - 2.0 * secant;
    return (struct masing_rate){.value = points->y[i] + u * (m0 + t * (square + t * cube)),
                                .x = m0 + t * (2.0 * square + 3.0 * t * cube)};
}

static void force(const void *parameters, int n, const struct masing_branch_point *at,
                  struct masing_rate *force)
{
    for (int i = 0; i < n; i++) {
        force[i] = force_at(parameters, at[i].x);
    }
}

/* Along a tangent that changes the points, and with them the slopes. */
static double force_change(const void *parameters, const void *tangent,
                           const struct masing_branch_point *at)
{
    const struct parameters *p = parameters, *d = tangent;
    const struct masing_points *points = &p->file, *changes = &d->file;
    double x = at->x;
    int i = segment_of(points, x);
    if (i < 0 || i == points->count - 1) {
        int end = i < 0 ? 0 : i;
        return changes->y[end] + d->slopes[end] * (x - points->x[end]) -
               p->slopes[end] * changes->x[end];
    }
    struct moving length, secant;
    segment(points, changes, i, &length, &secant);
    double h = length.value, u = x - points->x[i], t = u / h;
    double t_change = (-changes->x[i] - t * length.change) / h;
    double m0 = p->slopes[i], m1 = p->slopes[i + 1];
    double square = 3.0 * secant.value - 2.0 * m0 - m1, cube = m0 + m1 - 2.0 * secant.value;
    double square_change = 3.0 * secant.change - 2.0 * d->slopes[i] - d->slopes[i + 1];
    double cube_change = d->slopes[i] + d->slopes[i + 1] - 2.0 * secant.change;
    double inner = m0 + t * (square + t * cube);
    double inner_change = d->slopes[i] + t * (square_change + t * cube_change) +
                          t_change * (square + 2.0 * t * cube);
    return changes->y[i] - changes->x[i] * inner + u * inner_change;
}

/* At the origin, which stands for all places, as with polynomials. */
static double stiffness(const void *parameters)
{
    return force_at(parameters, 0.0).x;
}

static enum masing_restraint restraint(const void *parameters)
{
    const struct parameters *p = parameters;
    for (int i = 1; i < p->file.count; i++) {
        if (p->file.y[i] != p->file.y[0]) {
            return MASING_RESTRAINT_SPRING;
        }
    }
    return MASING_RESTRAINT_NONE;
}

static void known_range(const void *parameters, double *from, double *to)
{
    const struct parameters *p = parameters;
    *from = p->file.x[0];
    *to = p->file.x[p->file.count - 1];
}

const struct masing_law law_elastic_table = {
    .name = "elastic_table",
    .summary = "measured spring: points of its force, monotone cubics between them",
    .equation =
        "f(x): cubic Hermite interpolation with limited slopes; straight beyond the ends",
    .source = "Fritsch and Carlson (1980)",
    .example = "file: [[-2e-3, -160], [-1e-3, -50], [0, 0], [1e-3, 50], [2e-3, 160]]",
    LAW_OF_ONE_AXIS(memoryless),
    .check = check,
    .derive = derive,
    .stuck_stiffness = stiffness,
    .free_stiffness = stiffness,
    .restraint = restraint,
    .known_range = known_range,
    .force = force,
    .force_change = force_change,
};
