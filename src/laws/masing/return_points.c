/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/masing/return_points.h"

#include <math.h>
#include <string.h>

void return_points_rest(struct return_points *memory, double origin)
{
    memory->x = memory->origin = origin;
    memory->force = memory->count = 0.0;
}

void return_points_copy(const struct return_points *from, struct return_points *to)
{
    if (from != to) {
        memcpy(to, from, return_points_used(from) * sizeof(double));
    }
}

int return_points_branch(const struct return_points *memory)
{
    int n = (int)memory->count;
    return n > 0 ? (int)memory->reversals[n - 1].turning : -1;
}

static const double ROUND_OFF = 1e-12; /* relative, that a long path may have gathered */

double return_points_tolerance(double reach, double excursion)
{
    double size = fabs(excursion);
    return ROUND_OFF * (size < reach ? size : reach);
}

double return_points_slip_onset(const struct masing_law *law, const void *parameters)
{
    return law->slip_onset ? law->slip_onset(parameters) : law->reach(parameters);
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
    return return_points_tolerance(reach, memory->reversals[0].x - memory->origin);
}

enum {
    X = offsetof(struct return_points, x) / sizeof(double),
    FORCE = offsetof(struct return_points, force) / sizeof(double),
    ORIGIN = offsetof(struct return_points, origin) / sizeof(double),
    REVERSALS = offsetof(struct return_points, reversals) / sizeof(double),
    REVERSAL = sizeof(struct reversal) / sizeof(double),
    REVERSAL_X = offsetof(struct reversal, x) / sizeof(double),
    REVERSAL_FORCE = offsetof(struct reversal, force) / sizeof(double),
    REVERSAL_TURNING = offsetof(struct reversal, turning) / sizeof(double)
};

/* Change of one of the memory's doubles. */
static double *row_of(const struct masing_step *change, int index)
{
    return change->dstate + (size_t)index * (size_t)change->n;
}

static double *reversal_row(const struct masing_step *change, int reversal, int member)
{
    return row_of(change, REVERSALS + reversal * REVERSAL + member);
}

static void copy_row(const struct masing_step *change, const double *from, double *to)
{
    memcpy(to, from, sizeof(double) * (size_t)change->n);
}

/* A reversal was recorded where the motion stands. */
static void change_reversal(const struct masing_step *change, int reversal)
{
    copy_row(change, row_of(change, X), reversal_row(change, reversal, REVERSAL_X));
    copy_row(change, row_of(change, FORCE), reversal_row(change, reversal, REVERSAL_FORCE));
    memset(reversal_row(change, reversal, REVERSAL_TURNING), 0,
           sizeof(double) * (size_t)change->n);
}

/* df = df(r) + f' (dx - dx(r)) from the last reversal or, on the virgin curve, the origin */
static void change_end(const struct masing_step *change, int n_reversals, double tangent)
{
    int last = n_reversals - 1;
    const double *start =
        last >= 0 ? reversal_row(change, last, REVERSAL_X) : row_of(change, ORIGIN);
    const double *base = last >= 0 ? reversal_row(change, last, REVERSAL_FORCE) : NULL;
    for (int k = 0; k < change->n; k++) {
        change->df[k] = (base ? base[k] : 0.0) + tangent * (change->dx[k] - start[k]);
    }
    copy_row(change, change->dx, row_of(change, X));
    copy_row(change, change->df, row_of(change, FORCE));
}

/*
 * Forget reversals i and i + 1 where the gaps that this leaves, between neighbours of the same
 * kind, are smallest. The motion is about to turn at memory->x.
 */
static void forget_least(struct return_points *memory, const struct masing_step *change)
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
    if (change) {
        memmove(reversal_row(change, least, 0), reversal_row(change, least + 2, 0),
                (size_t)(n - least - 2) * sizeof *r * (size_t)change->n);
    }
    memory->count -= 2.0;
}

/* Record that the motion turns at memory->x, unless that encloses nothing. */
static bool turn(struct return_points *memory, double reach, double turning,
                 const struct masing_step *change)
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
        if (change) {
            copy_row(change, row_of(change, X), row_of(change, ORIGIN));
        }
    } else if (memory->count == RETURN_POINTS_CAPACITY) {
        forget_least(memory, change);
    }
    if (change) {
        change_reversal(change, (int)memory->count);
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

/* A reversal at this very place from which the motion goes on as it came was none. */
static bool has_not_turned(const struct return_points *memory, double direction)
{
    int n = (int)memory->count;
    if (n == 0 || travel(memory, memory->x) != 0.0) {
        return false;
    }
    double came = memory->x - (n > 1 ? memory->reversals[n - 2].x : memory->origin);
    return came != 0.0 && (came > 0.0) == (direction > 0.0);
}

void return_points_face(struct return_points *memory, const struct masing_law *law,
                        const void *parameters, double direction)
{
    double gone = travel(memory, memory->x);
    if (has_not_turned(memory, direction)) {
        memory->count -= 1.0;
    } else if (gone != 0.0 && (gone > 0.0) != (direction > 0.0)) {
        turn(memory, law->reach(parameters), -1.0, NULL);
    }
}

void return_points_limits(const struct return_points *memory, const struct masing_law *law,
                          const void *parameters, double direction, double *closes,
                          double *slips)
{
    int n = (int)memory->count;
    double start = n > 0 ? memory->reversals[n - 1].x : memory->origin;
    double onset = return_points_slip_onset(law, parameters) * (n > 0 ? 2.0 : 1.0);
    double mirror =
        n > 0 ? 2.0 * memory->origin - memory->reversals[0].x : direction * INFINITY;
    *closes = n > 1 ? memory->reversals[n - 2].x : mirror;
    *slips = start + direction * onset;
    if (direction * (*closes - memory->x) <= 0.0) {
        *closes = direction * INFINITY;
    }
    if (direction * (*slips - memory->x) <= 0.0) {
        *slips = direction * INFINITY;
    }
}

bool return_points_slip(const struct return_points *memory, const struct masing_law *law,
                        const void *parameters, double direction)
{
    double closes, slips;
    return_points_limits(memory, law, parameters, direction, &closes, &slips);
    return !isfinite(slips) && isfinite(return_points_slip_onset(law, parameters));
}

void return_points_line(const struct return_points *memory, const struct masing_law *law,
                        const void *parameters, double direction, bool slips,
                        struct masing_flow_line *line)
{
    int n = (int)memory->count;
    double start = n > 0 ? memory->reversals[n - 1].x : memory->origin;
    double base = n > 0 ? memory->reversals[n - 1].force : 0.0, b, tangent;
    law->backbone(parameters, slips ? law->reach(parameters) : 0.0, &b, &tangent);
    line->stiffness = slips ? 0.0 : tangent;
    line->level = slips ? base + (n > 0 ? 2.0 : 1.0) * direction * b : base - tangent * start;
}

/* Whether a motion to x goes on along the present branch and surely closes no loop. */
static bool goes_on(const struct return_points *memory, int n, double gone, double x)
{
    double direction = x > memory->x ? 1.0 : -1.0, from = memory->reversals[0].x;
    double bound = n > 1 ? memory->reversals[n - 2].x : 2.0 * memory->origin - from;
    return (gone == 0.0 || direction * gone > 0.0) &&
           (n == 0 || direction * (x - bound) < -ROUND_OFF * fabs(from - memory->origin));
}

/* Leave the present branch, or return to the one around it. */
static bool change_branch(struct return_points *memory, double reach, double x, double turning,
                          const struct masing_step *change)
{
    double gone = travel(memory, memory->x);
    bool turned =
        gone != 0.0 && (x > memory->x) != (gone > 0.0) && turn(memory, reach, turning, change);
    close_loops(memory, reach, x);
    return turned;
}

struct return_points_value return_points_move(struct return_points *memory,
                                              const struct masing_law *law,
                                              const void *parameters, double x, double turning,
                                              const struct masing_step *change)
{
    struct return_points_value value = {0};
    int n = (int)memory->count;
    if (x != memory->x && !goes_on(memory, n, travel(memory, memory->x), x)) {
        value.turned = change_branch(memory, law->reach(parameters), x, turning, change);
        n = (int)memory->count;
    }
    double b, gone = travel(memory, x);
    law->backbone(parameters, fabs(gone) * (n > 0 ? 0.5 : 1.0), &b, &value.tangent);
    b = gone < 0.0 ? -b : b;
    memory->x = x;
    memory->force = n > 0 ? memory->reversals[n - 1].force + 2.0 * b : b;
    if (change) {
        change_end(change, n, value.tangent);
    }
    return value;
}

bool return_points_are_beyond(const struct return_points *memory, double onset)
{
    return argument(memory, memory->x) >= onset;
}

/* Displacement by the onset, less one. Always slipping, and never at the border, where there is
 * no friction. */
static double relative(double onset, double displacement)
{
    return onset > 0.0 ? displacement / onset - 1.0 : 1.0;
}

static double amplitude_beyond_onset(const struct masing_law *law, const void *parameters,
                                     const struct masing_range *range)
{
    return relative(return_points_slip_onset(law, parameters),
                    0.5 * (range->maximum - range->minimum));
}

/*
 * The slider leaves its origin before the joint slips in every cycle if the motion is not
 * centred on the origin. If it is, both happen at once and the first event is enough.
 */
static double excursion_beyond_onset(const struct masing_law *law, const void *parameters,
                                     const struct masing_range *range)
{
    static const double CENTRED = 1e-6; /* offset that is no offset, of the motion */
    double onset = return_points_slip_onset(law, parameters);
    double amplitude = 0.5 * (range->maximum - range->minimum);
    double offset = fabs(0.5 * (range->maximum + range->minimum) - range->origin);
    if (offset <= CENTRED * fmax(amplitude, onset)) {
        return -1.0;
    }
    return relative(onset, amplitude + offset);
}

double slip_events_settle(const struct masing_law *law, const void *parameters,
                          const struct masing_range *range)
{
    double onset = return_points_slip_onset(law, parameters);
    double low = range->maximum - onset, high = range->minimum + onset;
    if (low > high) {
        return 0.5 * (range->maximum + range->minimum);
    }
    return fmin(fmax(range->origin, low), high);
}

const struct masing_law_event slip_events[N_SLIP_EVENTS] = {
    {MASING_EVENT_SLIP_ONSET, MASING_EVENT_STICK, amplitude_beyond_onset, false},
    {MASING_EVENT_SLIDER_SHIFT, MASING_EVENT_SLIDER_AT_ORIGIN, excursion_beyond_onset, true},
};
