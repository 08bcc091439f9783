/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * On an interval the motion has one direction, the regime (+-1), and the force is the backbone
 * from the present reversal: no continuous state. An interval ends where the motion turns,
 * where it closes the innermost loop, and where slip begins.
 */
#include "laws/flows.h"

#include <math.h>

#include "laws/masing/return_points.h"

enum { MONITOR_TURNS, MONITOR_CLOSES, MONITOR_SLIPS, N_MONITORS };

static void size(const struct masing_law *law, const void *parameters,
                 struct masing_flow_size *size)
{
    (void)law;
    (void)parameters;
    *size = (struct masing_flow_size){.n_monitors = N_MONITORS, .n_regime = 1};
}

static void enter(const struct masing_law *law, const void *parameters,
                  const struct masing_flow_point *point, const int *ended, double *state,
                  double *regime, double *z)
{
    struct return_points *memory = (struct return_points *)(void *)state;
    double sign = copysign(1.0, *point->v != 0.0 ? *point->v : *point->a);
    (void)ended;
    (void)z;
    return_points_face(memory, law, parameters, sign);
    *regime = sign;
}

/* Whether x lies behind the reversal that began the interval, where nothing has moved yet. */
static bool is_behind(const struct return_points *memory, double direction, double x)
{
    int n = (int)memory->count;
    return n > 0 && memory->x == memory->reversals[n - 1].x &&
           direction * (x - memory->x) < 0.0;
}

/*
 * Force and tangent at x. Behind its beginning, where round-off or a step that is tried may
 * lie, the interval goes on straight: memory would take that for a motion that turned.
 */
static struct masing_flow_tangent follow(const struct masing_law *law, const void *parameters,
                                         const double *state, double direction, double x)
{
    const struct return_points *start = (const struct return_points *)(const void *)state;
    struct return_points memory;
    if (return_points_slip(start, law, parameters, direction)) {
        return (struct masing_flow_tangent){.force = start->force};
    }
    double behind = direction * (x - start->x) < 0.0 ? x - start->x : 0.0;
    return_points_copy(start, &memory);
    const struct return_points_value value =
        return_points_move(&memory, law, parameters, behind != 0.0 ? start->x : x, -1.0, NULL);
    return (struct masing_flow_tangent){
        .force = memory.force + value.tangent * behind,
        .partial = value.tangent,
        .along = value.tangent,
    };
}

static enum masing_status rate(const struct masing_law *law, const void *parameters,
                               const double *state, const double *regime,
                               const struct masing_flow_point *point, double *f, double *dz)
{
    (void)dz;
    *f = follow(law, parameters, state, *regime, point->x[0]).force;
    return MASING_OK;
}

static void tangent(const struct masing_law *law, const void *parameters, const double *state,
                    const double *regime, const struct masing_flow_point *point,
                    struct masing_flow_tangent *tangent)
{
    *tangent = follow(law, parameters, state, *regime, point->x[0]);
}

static void monitors(const struct masing_law *law, const void *parameters, const double *state,
                     const double *regime, const struct masing_flow_point *point,
                     double *monitors)
{
    double closes, slips;
    return_points_limits((const struct return_points *)(const void *)state, law, parameters,
                         *regime, &closes, &slips);
    monitors[MONITOR_TURNS] = *regime * *point->v;
    monitors[MONITOR_CLOSES] = isfinite(closes) ? *regime * (closes - *point->x) : 1.0;
    monitors[MONITOR_SLIPS] = isfinite(slips) ? *regime * (slips - *point->x) : 1.0;
}

/* What ends behind its reversal never turned. */
static enum masing_status leave(const struct masing_law *law, const void *parameters,
                                const double *regime, const struct masing_flow_point *point,
                                double *state)
{
    struct return_points *memory = (struct return_points *)(void *)state;
    if (is_behind(memory, *regime, *point->x)) {
        memory->count -= 1.0;
    }
    return_points_move(memory, law, parameters, *point->x, -1.0, NULL);
    return MASING_OK;
}

static void line(const struct masing_law *law, const void *parameters, const double *state,
                 const double *regime, struct masing_flow_line *line)
{
    const struct return_points *memory = (const struct return_points *)(const void *)state;
    double closes, slips;
    return_points_limits(memory, law, parameters, *regime, &closes, &slips);
    *line = (struct masing_flow_line){.monitor_slope = {
                                          [MONITOR_TURNS] = *regime,
                                          [MONITOR_CLOSES] = isfinite(closes) ? -*regime : 0.0,
                                          [MONITOR_SLIPS] = isfinite(slips) ? -*regime : 0.0,
                                      }};
    return_points_line(memory, law, parameters, *regime, !isfinite(slips), line);
}

const struct masing_flow flow_masing = {
    .first_is_reversal = true,
    .size = size,
    .enter = enter,
    .rate = rate,
    .tangent = tangent,
    .monitors = monitors,
    .leave = leave,
    .line = line,
};
