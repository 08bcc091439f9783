/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/masing/return_points.h"

#include <math.h>
#include <string.h>

#include "laws/masing/engine.h"

void return_points_rest(struct return_points *memory, double origin)
{
    memory->x = memory->origin = origin;
    memory->force = memory->count = 0.0;
}

void return_points_copy(const struct return_points *from, struct return_points *to)
{
    size_t used = (size_t)from->count;
    if (from != to) {
        memcpy(to, from,
               offsetof(struct return_points, reversals) + used * sizeof(struct reversal));
    }
}

int return_points_branch(const struct return_points *memory)
{
    int n = (int)memory->count;
    return n > 0 ? (int)memory->reversals[n - 1].turning : -1;
}

/* Displacement from where the present branch starts. */
static double travel(const struct return_points *memory, double x)
{
    int n = (int)memory->count;
    return x - (n > 0 ? memory->reversals[n - 1].x : memory->origin);
}

/* On a branch Masing's rule doubles the backbone. */
static double argument(const struct return_points *memory, double x)
{
    return fabs(travel(memory, x)) * (memory->count > 0.0 ? 0.5 : 1.0);
}

static double tolerance(const struct return_points *memory, double reach)
{
    return MERGE * fmin(reach, fabs(memory->reversals[0].x - memory->origin));
}

/*
 * Forget reversals i and i + 1 where the gaps that this leaves, between neighbours of the same
 * kind, are smallest. The motion is about to turn at memory->x.
 */
static void forget_least(struct return_points *memory)
{
    int n = (int)memory->count, least = 2;
    struct reversal *r = memory->reversals;
    double smallest = INFINITY;
    for (int i = 2; i + 2 < n; i++) {
        double after = i + 3 < n ? r[i + 3].x : memory->x;
        double gap = fmax(fabs(r[i - 2].x - r[i + 2].x), fabs(r[i - 1].x - after));
        if (gap < smallest) {
            smallest = gap;
            least = i;
        }
    }
    memmove(r + least, r + least + 2, (size_t)(n - least - 2) * sizeof *r);
    memory->count -= 2.0;
}

/* Record that the motion turns at memory->x, unless that encloses nothing. */
static bool turn(struct return_points *memory, double reach, double turning)
{
    if (memory->count > 0.0 && fabs(travel(memory, memory->x)) <= tolerance(memory, reach)) {
        memory->count -= 1.0;
        return false;
    }
    if (argument(memory, memory->x) >= reach) {
        /* a slipping joint has no memory but of where it slips to: the virgin curve of a
         * shifted origin leads to the same place */
        memory->origin = memory->x - copysign(reach, travel(memory, memory->x));
        memory->count = 0.0;
    } else if (memory->count == RETURN_POINTS_CAPACITY) {
        forget_least(memory);
    }
    memory->reversals[(int)memory->count] =
        (struct reversal){.x = memory->x, .force = memory->force, .turning = turning};
    memory->count += 1.0;
    return true;
}

/* Close the loops that a motion to x passes. */
static void close_loops(struct return_points *memory, double reach, double x)
{
    double direction = x > memory->x ? 1.0 : -1.0;
    while (memory->count > 0.0) {
        int n = (int)memory->count;
        double mirror = 2.0 * memory->origin - memory->reversals[0].x;
        double bound = n > 1 ? memory->reversals[n - 2].x : mirror;
        if (direction * (x - bound) < -tolerance(memory, reach)) {
            return;
        }
        memory->count -= n > 1 ? 2.0 : 1.0;
    }
}

struct return_points_value return_points_move(struct return_points *memory,
                                              const struct masing_law *law,
                                              const void *parameters, double x, double turning)
{
    struct return_points_value value = {0};
    double reach = law->reach(parameters);
    if (x != memory->x) {
        if ((x - memory->x > 0.0) != (travel(memory, memory->x) > 0.0) &&
            travel(memory, memory->x) != 0.0) {
            value.turned = turn(memory, reach, turning);
        }
        close_loops(memory, reach, x);
        memory->x = x;
    }
    double b, u = argument(memory, x), sign = copysign(1.0, travel(memory, x));
    law->backbone(parameters, u, &b, &value.tangent);
    value.slips = u >= engine_slip_onset(law, parameters);
    memory->force = sign * b;
    if (memory->count > 0.0) {
        memory->force = memory->reversals[(int)memory->count - 1].force + 2.0 * sign * b;
    }
    return value;
}
