/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A backbone given by points, straight between them: so many elastic-Coulomb elements in
 * parallel, one for each point where the curve bends. From the last point on the force stays.
 */
#include <math.h>

#include "base/check.h"
#include "laws/laws.h"
#include "laws/masing/return_points.h"

struct parameters {
    struct masing_points file; /* displacement, force */
    double stiffness, reach, slip_force;
};

static const struct masing_field fields[] = {
    {.name = "file",
     .unit = "m, N",
     .type = MASING_FIELD_POINTS,
     .is_required = true,
     .minimum = -INFINITY,
     .maximum = INFINITY,
     .fallback = NAN,
     .help = "points displacement, force of the virgin curve: rising, ever less steep; the "
             "force stays from the last one on",
     .offset = AT(file)},
};

static const struct masing_constant constants[] = {
    {"stiffness", "N/m", "slope of the first segment", AT(stiffness)},
    {"slip_force", "N", "force at which the joint slips: that of the last point",
     AT(slip_force)},
    {"reach", "m", "displacement from which the joint slips: that of the last point",
     AT(reach)},
};

/* End of segment i, which begins at the end of the one before; the first at the origin. */
static double end_x(const struct masing_points *points, int i)
{
    return i < 0 ? 0.0 : points->x[i];
}

static double end_y(const struct masing_points *points, int i)
{
    return i < 0 ? 0.0 : points->y[i];
}

static double slope(const struct masing_points *points, int i)
{
    return (points->y[i] - end_y(points, i - 1)) / (points->x[i] - end_x(points, i - 1));
}

/* The origin may stand among the points, or be left out. */
static int first_segment(const struct masing_points *points)
{
    return points->x[0] == 0.0 && points->y[0] == 0.0 ? 1 : 0;
}

static enum masing_status check_points(const struct masing_points *points,
                                       struct masing_error *error)
{
    /* slopes of a straight line in decimal numbers differ in their last digits */
    static const double ROUNDING = 1e-6;
    double before = INFINITY;
    for (int i = first_segment(points); i < points->count; i++) {
        double x = points->x[i], y = points->y[i], rise = slope(points, i);
        if (!isfinite(x) || !isfinite(y) || !(x > end_x(points, i - 1)) ||
            !(y >= end_y(points, i - 1)) || !isfinite(rise)) {
            return masing_error_refuse(
                error, "file",
                "'file': point %d, (%g, %g), must lie to the right of and "
                "not below the one before, (%g, %g)",
                i + 1, x, y, end_x(points, i - 1), end_y(points, i - 1));
        }
        if (rise > before * (1.0 + ROUNDING)) {
            return masing_error_refuse(
                error, "file",
                "'file': the slope up to point %d, (%g, %g), is %g, above "
                "that before, %g; a backbone must get ever less steep",
                i + 1, x, y, rise, before);
        }
        before = rise;
    }
    return MASING_OK;
}

/* From this point on the force is constant. */
static int first_of_plateau(const struct masing_points *points)
{
    int last = points->count - 1;
    while (last >= 0 && end_y(points, last - 1) == points->y[last]) {
        last--;
    }
    return last;
}

static enum masing_status check(void *parameters, struct masing_error *error)
{
    struct parameters *p = parameters;
    const struct masing_points *points = &p->file;
    int first = first_segment(points);
    if (points->count <= first) {
        return masing_error_refuse(error, "file",
                                   "'file' must hold a point besides the origin");
    }
    NEED(check_points(points, error));
    int last = first_of_plateau(points);
    p->stiffness = slope(points, first);
    p->reach = end_x(points, last);
    p->slip_force = end_y(points, last);
    if (p->slip_force == 0.0) {
        return masing_error_refuse(error, "file", "'file': all forces are zero");
    }
    return MASING_OK;
}

static void derive(const void *parameters, void *tangent)
{
    const struct parameters *p = parameters;
    struct parameters *d = tangent;
    const struct masing_points *points = &p->file, *changes = &d->file;
    int first = first_segment(points), last = first_of_plateau(points);
    d->stiffness = (changes->y[first] - end_y(changes, first - 1) -
                    p->stiffness * (changes->x[first] - end_x(changes, first - 1))) /
                   (points->x[first] - end_x(points, first - 1));
    d->reach = changes->x[last];
    d->slip_force = changes->y[last];
}

LAW_PARAMETER(stuck_stiffness, stiffness)

/* The segment that holds u, which is below the reach. */
static int segment_of(const struct masing_points *points, double u)
{
    int low = first_segment(points), high = points->count - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (u < points->x[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static void backbone(const void *parameters, double u, double *b, double *db)
{
    const struct parameters *p = parameters;
    if (u >= p->reach) {
        *b = p->slip_force;
        *db = 0.0;
        return;
    }
    int i = segment_of(&p->file, u);
    *db = slope(&p->file, i);
    *b = end_y(&p->file, i - 1) + *db * (u - end_x(&p->file, i - 1));
}

/* Along a tangent that changes the points. */
static double backbone_change(const void *parameters, const void *tangent, double u)
{
    const struct parameters *p = parameters, *d = tangent;
    const struct masing_points *points = &p->file, *changes = &d->file;
    if (u >= p->reach) {
        return d->slip_force;
    }
    int i = segment_of(points, u);
    double rise = slope(points, i);
    double part = (u - end_x(points, i - 1)) / (points->x[i] - end_x(points, i - 1));
    double left = end_y(changes, i - 1) - rise * end_x(changes, i - 1);
    double right = changes->y[i] - rise * changes->x[i];
    return left + part * (right - left);
}

LAW_PARAMETER(reach, reach)

const struct masing_law law_backbone_table = {
    .name = "backbone_table",
    .summary = "measured backbone: points of the virgin curve, straight between them",
    .equation = "B(u) by linear interpolation; constant from the last point on",
    .source = "Masing (1926); Iwan (1967)",
    .example = "file: [[0, 0], [1e-6, 30], [3e-6, 60], [8e-6, 80]]",
    LAW_OF_ONE_AXIS(masing),
    MASING_TABLE(constants, constants),
    .check = check,
    .derive = derive,
    .stuck_stiffness = stuck_stiffness,
    .free_stiffness = masing_law_zero_stiffness,
    .backbone = backbone,
    .backbone_change = backbone_change,
    .reach = reach,
    .settle = slip_events_settle,
    MASING_TABLE(events, slip_events),
};
