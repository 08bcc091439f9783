/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Periodic paths in steady state. From the largest excursion on, all that happened before is
 * forgotten, so that one period that begins there is the steady state. The path is cut into
 * monotone runs between its turning points, which lie between samples.
 */
#include "laws/masing/periodic_path.h"

#include <math.h>

#include "base/memory.h"
#include "laws/masing/return_points.h"
#include "laws/turning.h"

/* A reversal, beside its entry in the turnings of the structured derivative. */
struct node {
    double x, force;
    double sign; /* of the motion away from it */
};

struct cycle {
    const struct masing_law *law;
    const void *parameters;
    const struct masing_path *path;
    double *f;
    struct masing_tangents *tangents;
    struct turning *found; /* turning points of the path in order of time */
    int n_found;
    struct node *nodes; /* [n_turnings] */
    int *stack;         /* open loops: indices of nodes */
    int n_stack;
    double onset_of_slip; /* along the backbone; INFINITY: never slips */
    double tolerance;
    double slipping; /* samples in slip so far, with fractions */
    double slid;     /* way in slip so far, m */
    double onset;    /* displacement at which the present run begins to slip; NAN: not yet */
    /* the present branch */
    int top;
    struct node start;
    double bound; /* displacement at which its loop closes */
};

size_t periodic_path_workspace_size(int n_samples)
{
    size_t n = (size_t)n_samples;
    return memory_doubles(n, sizeof(struct turning)) + memory_doubles(n, sizeof(struct node)) +
           memory_doubles(n, sizeof(int));
}

static void lay_out(struct cycle *cycle, double *workspace)
{
    size_t n = (size_t)cycle->path->n_samples;
    cycle->found = (struct turning *)(void *)workspace;
    workspace += memory_doubles(n, sizeof(struct turning));
    cycle->nodes = (struct node *)(void *)workspace;
    workspace += memory_doubles(n, sizeof(struct node));
    cycle->stack = (int *)(void *)workspace;
}

static void take_branch(struct cycle *cycle)
{
    int n = cycle->n_stack;
    cycle->top = cycle->stack[n - 1];
    cycle->start = cycle->nodes[cycle->top];
    /* the outermost loop closes only where the period ends */
    cycle->bound =
        n > 2 ? cycle->nodes[cycle->stack[n - 2]].x : cycle->start.sign * (double)INFINITY;
}

/* Displacement at which the present branch begins to slip. */
static double slip_onset(const struct cycle *cycle)
{
    return cycle->start.x + 2.0 * cycle->start.sign * cycle->onset_of_slip;
}

/* Note the onset of slip if it lies between the beginning of the run and x. */
static void note_slip(struct cycle *cycle, double onset, double x)
{
    if (isnan(cycle->onset) && cycle->start.sign * (x - onset) >= 0.0) {
        cycle->onset = onset;
    }
}

static void close_loops(struct cycle *cycle, double x)
{
    while (cycle->start.sign * (x - cycle->bound) > 0.0) {
        double closed = cycle->bound;
        note_slip(cycle, slip_onset(cycle), closed);
        cycle->n_stack -= 2;
        take_branch(cycle);
        if (cycle->start.sign * (closed - slip_onset(cycle)) >= 0.0) {
            note_slip(cycle, closed, closed); /* the outer branch slips already */
        }
    }
}

/* Force and tangent on the present branch. */
static void evaluate(const struct cycle *cycle, double x, double *force, double *tangent)
{
    double b, u = 0.5 * fabs(x - cycle->start.x);
    cycle->law->backbone(cycle->parameters, u, &b, tangent);
    *force = cycle->start.force + 2.0 * cycle->start.sign * b;
}

/* Samples first .. first + count - 1, none of them past the end of the period. */
static void follow(struct cycle *cycle, int first, int count)
{
    for (int i = first; i < first + count; i++) {
        double x = cycle->path->x[i];
        close_loops(cycle, x);
        evaluate(cycle, x, &cycle->f[i], &cycle->tangents->fx[i]);
        cycle->tangents->branch[i] = cycle->top;
    }
}

/* List a reversal with the tangent it is reached with. */
static enum masing_status push(struct cycle *cycle, const struct turning *turning, int parent,
                               double force, double tangent)
{
    struct masing_tangents *tangents = cycle->tangents;
    int n = cycle->path->n_samples, index = tangents->n_turnings;
    if (index == tangents->max_turnings) {
        return MASING_INVALID;
    }
    struct masing_turning *entry = &tangents->turnings[index];
    entry->sample = (turning->step % n + n) % n;
    entry->parent = parent;
    entry->tangent = tangent;
    turning_weights(turning->fraction, entry->weights);
    cycle->nodes[index] = (struct node){
        .x = turning->x, .force = force, .sign = turning->is_maximum ? -1.0 : 1.0};
    cycle->stack[cycle->n_stack++] = index;
    tangents->n_turnings++;
    return MASING_OK;
}

/* The largest excursion lies on the virgin curve. */
static enum masing_status begin(struct cycle *cycle, const struct turning *turning)
{
    double b, tangent, x = turning->x - cycle->path->origin[0];
    cycle->law->backbone(cycle->parameters, fabs(x), &b, &tangent);
    enum masing_status status = push(cycle, turning, -1, copysign(b, x), tangent);
    if (status == MASING_OK) {
        take_branch(cycle);
    }
    return status;
}

/* Turn at the end of a run. */
static enum masing_status turn(struct cycle *cycle, const struct turning *turning)
{
    enum masing_status status = MASING_OK;
    double force, tangent;
    close_loops(cycle, turning->x);
    if (fabs(turning->x - cycle->start.x) > cycle->tolerance) {
        evaluate(cycle, turning->x, &force, &tangent);
        status = push(cycle, turning, cycle->top, force, tangent);
    } else if (cycle->n_stack > 1) {
        cycle->n_stack--;
    }
    take_branch(cycle);
    return status;
}

static int wrap(const struct cycle *cycle, int sample)
{
    int n = cycle->path->n_samples;
    return ((sample % n) + n) % n;
}

/*
 * Time of slip in a run, in samples. A run slips from its onset, which is interpolated in its
 * step, to its end, whichever loops it closes.
 */
static double slip_time(const struct cycle *cycle, const struct turning *from,
                        const struct turning *to)
{
    const double *x = cycle->path->x;
    double sign = cycle->start.sign, end = to->step + to->fraction;
    if (isnan(cycle->onset)) {
        return 0.0;
    }
    int first = from->step + 1, beyond = to->step + 1; /* the first sample beyond the onset */
    for (int low = first; low < beyond;) {
        int middle = low + (beyond - low) / 2;
        if (sign * (x[wrap(cycle, middle)] - cycle->onset) >= 0.0) {
            beyond = middle;
        } else {
            low = middle + 1;
        }
    }
    bool has_before = beyond > first, has_after = beyond <= to->step;
    double time_before = has_before ? beyond - 1 : from->step + from->fraction;
    double time_after = has_after ? beyond : end;
    double x_before = has_before ? x[wrap(cycle, beyond - 1)] : from->x;
    double x_after = has_after ? x[wrap(cycle, beyond)] : to->x;
    double fraction =
        x_after != x_before ? (x_after - cycle->onset) / (x_after - x_before) : 0.0;
    return end - time_after + fraction * (time_after - time_before);
}

/* All samples of a run; it may pass the end of the arrays. */
static void follow_run(struct cycle *cycle, const struct turning *from,
                       const struct turning *to)
{
    int n = cycle->path->n_samples, first = wrap(cycle, from->step + 1);
    int count = to->step - from->step, here = count < n - first ? count : n - first;
    cycle->onset = NAN;
    follow(cycle, first, here);
    follow(cycle, 0, count - here);
    close_loops(cycle, to->x);
    note_slip(cycle, slip_onset(cycle), to->x);
    cycle->slipping += slip_time(cycle, from, to);
    cycle->slid += isnan(cycle->onset) ? 0.0 : fabs(to->x - cycle->onset);
}

/* Turning point number k, counted on into the next period. */
static struct turning occurrence(const struct cycle *cycle, int k)
{
    struct turning turning = cycle->found[k % cycle->n_found];
    turning.step += k < cycle->n_found ? 0 : cycle->path->n_samples;
    return turning;
}

static enum masing_status follow_period(struct cycle *cycle, int largest)
{
    enum masing_status status = begin(cycle, &cycle->found[largest]);
    int last = largest + cycle->n_found;
    for (int k = largest; status == MASING_OK && k < last; k++) {
        struct turning from = occurrence(cycle, k), to = occurrence(cycle, k + 1);
        follow_run(cycle, &from, &to);
        if (k + 1 < last) {
            status = turn(cycle, &to);
        }
    }
    return status;
}

/* Nothing moves: the joint was brought here along the virgin curve. */
static void stand_still(struct cycle *cycle)
{
    for (int i = 0; i < cycle->path->n_samples; i++) {
        double b, x = cycle->path->x[i] - cycle->path->origin[0];
        cycle->law->backbone(cycle->parameters, fabs(x), &b, &cycle->tangents->fx[i]);
        cycle->f[i] = copysign(b, x);
        cycle->tangents->branch[i] = -1;
    }
}

enum masing_status periodic_path_follow(const struct masing_law *law, const void *parameters,
                                        const struct masing_path *path,
                                        struct masing_forces *forces,
                                        struct masing_tangents *tangents, double *workspace)
{
    struct cycle cycle = {.law = law,
                          .parameters = parameters,
                          .path = path,
                          .f = forces->f,
                          .tangents = tangents,
                          .onset_of_slip = return_points_slip_onset(law, parameters)};
    lay_out(&cycle, workspace);
    tangents->n_turnings = 0;
    forces->slip_share = forces->slip_distance = cycle.onset_of_slip < INFINITY ? 0.0 : NAN;
    cycle.n_found = turning_find(path->x, path->n_samples, cycle.found);
    if (cycle.n_found == 0) {
        stand_still(&cycle);
        return MASING_OK;
    }
    int largest = 0;
    for (int k = 1; k < cycle.n_found; k++) {
        double excursion = fabs(cycle.found[k].x - path->origin[0]);
        largest = excursion > fabs(cycle.found[largest].x - path->origin[0]) ? k : largest;
    }
    cycle.tolerance = return_points_tolerance(law->reach(parameters),
                                              cycle.found[largest].x - path->origin[0]);
    enum masing_status status = follow_period(&cycle, largest);
    forces->slip_share += cycle.slipping / path->n_samples;
    forces->slip_distance += cycle.slid;
    return status;
}
