/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An interval lies between corners; the regime has bit i set above corner i. At a corner the
 * motion decides. */
#include "laws/flows.h"

#include <math.h>

static void size(const struct masing_law *law, const void *parameters,
                 struct masing_flow_size *size)
{
    (void)law;
    (void)parameters;
    *size = (struct masing_flow_size){.n_monitors = MASING_FLOW_MONITORS, .n_regime = 1};
}

static void enter(const struct masing_law *law, const void *parameters,
                  const struct masing_flow_point *point, const int *ended, double *state,
                  double *regime, double *z)
{
    double corners[MASING_FLOW_MONITORS];
    double x = *point->x, direction = *point->v != 0.0 ? *point->v : *point->a;
    int bits = 0, n = law->corners ? law->corners(parameters, corners) : 0;
    (void)ended;
    (void)state;
    (void)z;
    for (int i = 0; i < n; i++) {
        bool is_above = x > corners[i] || (x == corners[i] && direction > 0.0);
        bits |= is_above ? 1 << i : 0;
    }
    *regime = bits;
}

static enum masing_status rate(const struct masing_law *law, const void *parameters,
                               const double *state, const double *regime,
                               const struct masing_flow_point *point, double *f, double *dz)
{
    double fx, fv;
    (void)state;
    (void)regime;
    (void)dz;
    law->force(parameters, *point->x, *point->v, f, &fx, &fv);
    return MASING_OK;
}

static void tangent(const struct masing_law *law, const void *parameters, const double *state,
                    const double *regime, const struct masing_flow_point *point,
                    struct masing_flow_tangent *tangent)
{
    double fv;
    (void)state;
    (void)regime;
    law->force(parameters, point->x[0], 0.0, &tangent->force, &tangent->partial, &fv);
    tangent->along = tangent->partial;
}

static void monitors(const struct masing_law *law, const void *parameters, const double *state,
                     const double *regime, const struct masing_flow_point *point,
                     double *monitors)
{
    int bits = (int)*regime;
    double corners[MASING_FLOW_MONITORS];
    int n = law->corners ? law->corners(parameters, corners) : 0;
    (void)state;
    for (int i = 0; i < MASING_FLOW_MONITORS; i++) {
        double side = bits & 1 << i ? 1.0 : -1.0;
        monitors[i] = i < n ? side * (*point->x - corners[i]) : 1.0;
    }
}

/* A displacement within an interval, of a size that loses no digits of the corners. */
static double representative(const struct masing_law *law, const void *parameters, int regime)
{
    double corners[MASING_FLOW_MONITORS], low = -INFINITY, high = INFINITY;
    int n = law->corners ? law->corners(parameters, corners) : 0;
    for (int i = 0; i < n; i++) {
        if (regime & 1 << i) {
            low = fmax(low, corners[i]);
        } else {
            high = fmin(high, corners[i]);
        }
    }
    if (isinf(low) && isinf(high)) {
        return 0.0;
    }
    if (isinf(low)) {
        return high != 0.0 ? high - fabs(high) : -1.0;
    }
    if (isinf(high)) {
        return low != 0.0 ? low + fabs(low) : 1.0;
    }
    return 0.5 * (low + high);
}

static void line(const struct masing_law *law, const void *parameters, const double *state,
                 const double *regime, struct masing_flow_line *line)
{
    int bits = (int)*regime;
    double corners[MASING_FLOW_MONITORS], x = representative(law, parameters, bits), f;
    int n = law->corners ? law->corners(parameters, corners) : 0;
    (void)state;
    *line = (struct masing_flow_line){0};
    law->force(parameters, x, 0.0, &f, &line->stiffness, &line->damping);
    line->level = f - line->stiffness * x;
    for (int i = 0; i < n; i++) {
        line->monitor_slope[i] = bits & 1 << i ? 1.0 : -1.0;
    }
}

static enum masing_status leave(const struct masing_law *law, const void *parameters,
                                const double *regime, const struct masing_flow_point *point,
                                double *state)
{
    (void)law;
    (void)parameters;
    (void)regime;
    (void)point;
    (void)state;
    return MASING_OK;
}

const struct masing_flow flow_memoryless = {
    .size = size,
    .enter = enter,
    .rate = rate,
    .tangent = tangent,
    .monitors = monitors,
    .leave = leave,
    .line = line,
};
