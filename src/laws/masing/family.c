/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Masing laws: a backbone B(u) and return-point memory.
 *
 * Virgin loading: f = sgn(x) B(|x|), x measured from where the slider stood. After a reversal
 * at (x_r, f_r): f = f_r + 2 s B(|x - x_r| / 2) in direction s. Moving past the reversal before
 * the last closes the loop between them; moving past -x_r, where only one is left, leads back
 * to the virgin curve. B saturates by itself, so that there is no separate slip limit.
 * (Masing 1926; the rules for unsteady motion: Jayakumar 1987.)
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "laws/masing/return_points.h"
#include "laws/turning.h"

/*
 * Periodic paths in steady state. From the largest excursion on, all that happened before is
 * forgotten, so that one period that begins there is the steady state. The path is cut into
 * monotone runs between its turning points, which lie between samples.
 */
/* A reversal, beside its entry in the turnings of the structured derivative. */
struct node {
    double x, force;
    double sign; /* of the motion away from it */
};

/* Places in the workspace. */
struct room {
    struct turning *found; /* [n_samples] and so on */
    struct node *nodes;
    int *stack;
    struct masing_tangents tangents; /* for callers that bring none */
    double *expansion; /* [n_samples][2][n_directions] dx(r) and df(r) of turning points */
    double *x;         /* [n_samples] of turning points */
    double *changes;   /* [n_samples][n_parameters] of the force there */
};

static size_t lay_out(int n_samples, int n_directions, int n_parameters, double *at,
                      struct room *room)
{
    size_t n = (size_t)n_samples, d = (size_t)n_directions, p = (size_t)n_parameters;
    struct memory_room rest = {at, 0};
    struct masing_tangents *tangents = &room->tangents;
    *tangents = (struct masing_tangents){.max_turnings = n_samples};
    tangents->fx = memory_take(&rest, n, sizeof(double));
    tangents->branch = memory_take(&rest, n, sizeof(int));
    tangents->turnings = memory_take(&rest, n, sizeof *tangents->turnings);
    room->found = memory_take(&rest, n, sizeof *room->found);
    room->nodes = memory_take(&rest, n, sizeof *room->nodes);
    room->stack = memory_take(&rest, n, sizeof(int));
    room->expansion = memory_take(&rest, 2 * n * d, sizeof(double));
    room->x = memory_take(&rest, n, sizeof(double));
    room->changes = memory_take(&rest, n * p, sizeof(double));
    return rest.size;
}

static size_t workspace_size(const struct masing_law *law, int n_samples, int n_directions,
                             int n_parameters)
{
    struct room room;
    (void)law;
    return lay_out(n_samples, n_directions, n_parameters, NULL, &room);
}

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

/* Samples from i to `end` that lie on the present branch; returns the first that does not. */
static int follow_branch(const struct cycle *cycle, int i, int end)
{
    const struct masing_tangents *tangents = cycle->tangents;
    const void *parameters = cycle->parameters;
    void (*backbone)(const void *, double, double *, double *) = cycle->law->backbone;
    double sign = cycle->start.sign, bound = sign * cycle->bound;
    for (; i < end; i++) {
        double b, x = cycle->path->x[i];
        if (sign * x > bound) {
            break;
        }
        backbone(parameters, 0.5 * fabs(x - cycle->start.x), &b, &tangents->fx[i]);
        cycle->f[i] = cycle->start.force + 2.0 * sign * b;
        tangents->branch[i] = cycle->top;
    }
    return i;
}

/* Samples first .. first + count - 1, none of them past the end of the period. */
static void follow(struct cycle *cycle, int first, int count)
{
    int end = first + count;
    for (int i = follow_branch(cycle, first, end); i < end; i = follow_branch(cycle, i, end)) {
        close_loops(cycle, cycle->path->x[i]);
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

static enum masing_status follow_cycle(struct cycle *cycle, int largest)
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

/* The steady state; fills fx, branch and turnings of `tangents`, not fv. */
static enum masing_status follow_period(const struct masing_law *law, const void *parameters,
                                        const struct masing_path *path,
                                        struct masing_forces *forces,
                                        struct masing_tangents *tangents,
                                        const struct room *room)
{
    struct cycle cycle = {.law = law,
                          .parameters = parameters,
                          .path = path,
                          .f = forces->f,
                          .tangents = tangents,
                          .found = room->found,
                          .nodes = room->nodes,
                          .stack = room->stack,
                          .onset_of_slip = return_points_slip_onset(law, parameters)};
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
    enum masing_status status = follow_cycle(&cycle, largest);
    forces->slip_share += cycle.slipping / path->n_samples;
    forces->slip_distance += cycle.slid;
    return status;
}

/* dx(r) as the weighted sum of its samples' directions. */
static void turning_directions(const struct masing_turning *turning,
                               const struct masing_path *path, double *dx)
{
    int n = path->n_samples;
    size_t n_directions = (size_t)path->n_directions;
    for (size_t d = 0; d < n_directions; d++) {
        dx[d] = 0.0;
    }
    for (int m = 0; m < MASING_TURNING_WEIGHTS; m++) {
        double weight = turning->weights[m];
        if (weight == 0.0) {
            continue;
        }
        int sample = ((turning->sample - 1 + m) % n + n) % n;
        const double *row = path->dx + (size_t)sample * n_directions;
        for (size_t d = 0; d < n_directions; d++) {
            dx[d] += weight * row[d];
        }
    }
}

/* df = tangent (dx - dx(r)) + df(r) from a turning point's [dx(r), df(r)], NULL: zeros. */
static void expand_row(size_t n, double tangent, const double *dx, const double *turning,
                       double *restrict df)
{
    for (size_t d = 0; turning && d < n; d++) {
        df[d] = tangent * (dx[d] - turning[d]) + turning[n + d];
    }
    for (size_t d = 0; !turning && d < n; d++) {
        df[d] = tangent * dx[d];
    }
}

/* df [n_samples][n_directions] from the structured derivative; workspace [n_turnings][2]
 * [n_directions] receives dx(r) and df(r) of all turning points. */
static void tangents_expand(const struct masing_tangents *tangents,
                            const struct masing_path *path, double *workspace, double *df)
{
    size_t n = (size_t)path->n_directions;
    for (int r = 0; r < tangents->n_turnings; r++) {
        const struct masing_turning *turning = &tangents->turnings[r];
        double *dx = workspace + 2 * (size_t)r * n;
        int parent = turning->parent;
        turning_directions(turning, path, dx);
        expand_row(n, turning->tangent, dx,
                   parent < 0 ? NULL : workspace + 2 * (size_t)parent * n, dx + n);
    }
    for (size_t i = 0; i < (size_t)path->n_samples; i++) {
        int branch = tangents->branch[i];
        expand_row(n, tangents->fx[i], path->dx + i * n,
                   branch < 0 ? NULL : workspace + 2 * (size_t)branch * n, df + i * n);
    }
}

/*
 * Changes of the forces with the parameters, at a held path. The turning points are points of
 * the path and do not move with the parameters, so that
 *   f = f_r + 2 s B(|x - x_r| / 2)  gives  f_p = f_r,p + 2 s B_p(|x - x_r| / 2),
 * and f_p = s B_p(|x - x_0|) on the virgin curve. Which loop a motion is in does not matter to
 * first order, because the force is continuous where loops close. Here with f_r,p = `base`
 * (NULL: zero) and the factor 2 of a branch, or 1; out [path->n_parameters].
 */
static void change_force(const struct masing_law *law, const void *parameters,
                         const struct masing_path *path, double factor, const double *base,
                         double x_start, double x, double *out)
{
    double u = fabs(x - x_start) / factor, signed_factor = copysign(factor, x - x_start);
    for (int k = 0; k < path->n_parameters; k++) {
        out[k] = (base ? base[k] : 0.0) +
                 signed_factor * law->backbone_change(parameters, path->dp[k], u);
    }
}

static double turning_displacement(const struct masing_path *path,
                                   const struct masing_turning *turning)
{
    int n = path->n_samples;
    double x = 0.0;
    for (int m = 0; m < MASING_TURNING_WEIGHTS; m++) {
        x += turning->weights[m] * path->x[((turning->sample - 1 + m) % n + n) % n];
    }
    return x;
}

/* The same on a branch of the period, -1: the virgin curve. */
static void change_on(const struct masing_law *law, const void *parameters,
                      const struct masing_path *path, const struct room *room, int branch,
                      double x, double *out)
{
    bool is_virgin = branch < 0;
    const double *base =
        is_virgin ? NULL : room->changes + (size_t)branch * (size_t)path->n_parameters;
    change_force(law, parameters, path, is_virgin ? 1.0 : 2.0, base,
                 is_virgin ? path->origin[0] : room->x[branch], x, out);
}

/* dfp [n_samples][n_parameters] of a periodic path from what was found along it. */
static void changes_of_period(const struct masing_law *law, const void *parameters,
                              const struct masing_path *path,
                              const struct masing_tangents *tangents, const struct room *room,
                              double *dfp)
{
    size_t n = (size_t)path->n_parameters;
    for (int r = 0; r < tangents->n_turnings; r++) {
        const struct masing_turning *turning = &tangents->turnings[r];
        room->x[r] = turning_displacement(path, turning);
        change_on(law, parameters, path, room, turning->parent, room->x[r],
                  room->changes + (size_t)r * n);
    }
    for (int i = 0; i < path->n_samples; i++) {
        change_on(law, parameters, path, room, tangents->branch[i], path->x[i],
                  dfp + (size_t)i * n);
    }
}

/* The motion turned at sample i, on the branch and with the tangent it had there. */
static void record(const struct masing_tangents *tangents, int i,
                   struct masing_turning *turning)
{
    *turning = (struct masing_turning){.sample = i,
                                       .weights = {0.0, 1.0, 0.0, 0.0},
                                       .parent = tangents->branch[i],
                                       .tangent = tangents->fx[i]};
}

/* Change of the present force; turnings' changes stand in workspace [n_turnings][n]. */
static void change(const struct masing_law *law, const void *parameters,
                   const struct masing_path *path, const struct return_points *memory,
                   const double *workspace, double *out)
{
    int branch = return_points_branch(memory), n = (int)memory->count;
    const double *base =
        branch < 0 ? NULL : workspace + (size_t)branch * (size_t)path->n_parameters;
    change_force(law, parameters, path, n > 0 ? 2.0 : 1.0, base,
                 n > 0 ? memory->reversals[n - 1].x : memory->origin, memory->x, out);
}

/*
 * Open paths are straight between samples, so that they turn at samples. What happened before
 * the path began does not vary with it; its reversals count as constants in the derivative.
 */
static enum masing_status follow_open(const struct masing_law *law, const void *parameters,
                                      const struct masing_path *path,
                                      struct return_points *memory,
                                      struct masing_forces *forces,
                                      struct masing_tangents *tangents, double *workspace)
{
    size_t n = (size_t)path->n_parameters;
    double onset = return_points_slip_onset(law, parameters);
    int n_slipping = 0, n_kept = (int)memory->count;
    for (int k = 0; k < n_kept; k++) {
        memory->reversals[k].turning = -1.0;
    }
    tangents->n_turnings = 0;
    for (int i = 0; i < path->n_samples; i++) {
        double turning = i > 0 ? (double)tangents->n_turnings : -1.0;
        struct return_points_value value =
            return_points_move(memory, law, parameters, path->x[i], turning, NULL);
        if (value.turned && i > 0) {
            if (tangents->n_turnings == tangents->max_turnings) {
                return MASING_INVALID;
            }
            for (size_t k = 0; k < n; k++) {
                size_t at = (size_t)tangents->n_turnings * n + k;
                workspace[at] = forces->dfp[(size_t)(i - 1) * n + k];
            }
            record(tangents, i - 1, &tangents->turnings[tangents->n_turnings++]);
        }
        forces->f[i] = memory->force;
        tangents->fx[i] = value.tangent;
        tangents->branch[i] = return_points_branch(memory);
        n_slipping += return_points_are_beyond(memory, onset);
        if (n > 0) {
            change(law, parameters, path, memory, workspace, forces->dfp + (size_t)i * n);
        }
    }
    forces->slip_distance = NAN;
    forces->slip_share = onset < INFINITY ? (double)n_slipping / path->n_samples : NAN;
    return MASING_OK;
}

static void rest(const struct masing_law *law, const void *parameters, const double *origin,
                 double *state)
{
    (void)law;
    (void)parameters;
    return_points_rest((struct return_points *)(void *)state, origin[0]);
}

/* What is remembered at sample 0 of a period. */
static void settle(const struct masing_law *law, const void *parameters,
                   const struct masing_path *path, struct return_points *memory)
{
    return_points_rest(memory, path->origin[0]);
    for (int i = 0; i <= path->n_samples; i++) {
        return_points_move(memory, law, parameters, path->x[i % path->n_samples], -1.0, NULL);
    }
}

static enum masing_status march(const struct masing_law *law, const void *parameters,
                                const struct masing_path *path, double *state,
                                struct masing_forces *forces, struct masing_tangents *tangents,
                                double *workspace)
{
    enum masing_status status;
    struct room room;
    struct return_points *memory = (struct return_points *)(void *)state;
    struct masing_tangents *used = tangents ? tangents : &room.tangents;
    lay_out(path->n_samples, path->n_directions, path->n_parameters, workspace, &room);
    if (path->is_periodic) {
        status = follow_period(law, parameters, path, forces, used, &room);
    } else {
        status = follow_open(law, parameters, path, memory, forces, used, room.changes);
    }
    if (status == MASING_OK && path->is_periodic && path->n_parameters > 0) {
        changes_of_period(law, parameters, path, used, &room, forces->dfp);
    }
    if (status == MASING_OK && path->is_periodic && memory) {
        settle(law, parameters, path, memory);
    }
    if (status == MASING_OK && path->n_directions > 0) {
        tangents_expand(used, path, room.expansion, forces->df);
    }
    if (tangents && tangents->fv) {
        memset(tangents->fv, 0, sizeof(double) * (size_t)path->n_samples);
    }
    return status;
}

static enum masing_status step(const struct masing_step *step)
{
    struct return_points *memory = (struct return_points *)(void *)step->next_state;
    return_points_copy((const struct return_points *)(const void *)step->state, memory);
    struct return_points_value value = return_points_move(
        memory, step->law, step->parameters, step->x[0], -1.0, step->dstate ? step : NULL);
    step->f[0] = memory->force;
    if (!step->dstate) {
        expand_row((size_t)step->n, value.tangent, step->dx, NULL, step->df);
    }
    return MASING_OK;
}

static size_t state_used(const double *state)
{
    return return_points_used((const struct return_points *)(const void *)state);
}

static void state_moved(const struct masing_law *law, const void *parameters, int n,
                        const double *dx, const double *dv, double *dstate)
{
    (void)law;
    (void)parameters;
    (void)dv;
    size_t row = offsetof(struct return_points, x) / sizeof(double);
    memcpy(dstate + row * (size_t)n, dx, sizeof(double) * (size_t)n);
}

/*
 * On an interval the motion has one direction, the regime (+-1), and the force is the backbone
 * from the present reversal: no continuous state. An interval ends where the motion turns,
 * where it closes the innermost loop, and where slip begins.
 */
enum { MONITOR_TURNS, MONITOR_CLOSES, MONITOR_SLIPS, N_MONITORS };

static void enter(const struct masing_flow_point *at, double *z)
{
    double sign = copysign(1.0, at->v[0] != 0.0 ? at->v[0] : at->a[0]);
    (void)z;
    return_points_face((struct return_points *)(void *)at->state, at->law, at->parameters,
                       sign);
    at->regime[0] = sign;
}

/*
 * Force and tangent. Behind its beginning, where round-off or a step that is tried may lie, the
 * interval goes on straight: memory would take that for a motion that turned.
 */
static void tangent(const struct masing_flow_point *at, struct masing_flow_tangent *tangent)
{
    const struct return_points *start = (const struct return_points *)(void *)at->state;
    double direction = at->regime[0], x = at->x[0];
    struct return_points memory;
    if (return_points_slip(start, at->law, at->parameters, direction)) {
        *tangent = (struct masing_flow_tangent){.force = start->force};
        return;
    }
    double behind = direction * (x - start->x) < 0.0 ? x - start->x : 0.0;
    return_points_copy(start, &memory);
    const struct return_points_value value = return_points_move(
        &memory, at->law, at->parameters, behind != 0.0 ? start->x : x, -1.0, NULL);
    *tangent = (struct masing_flow_tangent){
        .force = memory.force + value.tangent * behind,
        .partial = value.tangent,
        .along = value.tangent,
    };
}

static enum masing_status rate(const struct masing_flow_point *at, double *f, double *dz)
{
    struct masing_flow_tangent here;
    (void)dz;
    tangent(at, &here);
    f[0] = here.force;
    return MASING_OK;
}

static void monitors(const struct masing_flow_point *at, double *monitors)
{
    double closes, slips, direction = at->regime[0];
    return_points_limits((const struct return_points *)(void *)at->state, at->law,
                         at->parameters, direction, &closes, &slips);
    monitors[MONITOR_TURNS] = direction * at->v[0];
    monitors[MONITOR_CLOSES] = isfinite(closes) ? direction * (closes - at->x[0]) : 1.0;
    monitors[MONITOR_SLIPS] = isfinite(slips) ? direction * (slips - at->x[0]) : 1.0;
}

/* What ends behind the reversal that began the interval, where nothing has moved yet, never
 * turned. */
static void leave(const struct masing_flow_point *at)
{
    struct return_points *memory = (struct return_points *)(void *)at->state;
    int n = (int)memory->count;
    if (n > 0 && memory->x == memory->reversals[n - 1].x &&
        at->regime[0] * (at->x[0] - memory->x) < 0.0) {
        memory->count -= 1.0;
    }
    return_points_move(memory, at->law, at->parameters, at->x[0], -1.0, NULL);
}

static void line(const struct masing_flow_point *at, struct masing_flow_line *line)
{
    const struct return_points *memory = (const struct return_points *)(void *)at->state;
    double closes, slips, direction = at->regime[0];
    return_points_limits(memory, at->law, at->parameters, direction, &closes, &slips);
    *line = (struct masing_flow_line){
        .monitor_slope = {[MONITOR_TURNS] = direction,
                          [MONITOR_CLOSES] = isfinite(closes) ? -direction : 0.0,
                          [MONITOR_SLIPS] = isfinite(slips) ? -direction : 0.0}};
    return_points_line(memory, at->law, at->parameters, direction, !isfinite(slips), line);
}

static const struct masing_flow flow = {
    .first_is_reversal = true,
    .size = {.n_monitors = N_MONITORS, .n_regime = 1},
    .enter = enter,
    .rate = rate,
    .tangent = tangent,
    .monitors = monitors,
    .leave = leave,
    .line = line,
};

const struct masing_family masing_family_masing = {
    .name = "masing",
    .summary = "a virgin curve and the memory of the points where the motion turned",
    .has_tangents = true,
    .settling_periods = 1,
    .n_state = sizeof(struct return_points) / sizeof(double),
    .workspace_size = workspace_size,
    .rest = rest,
    .march = march,
    .step = step,
    .state_used = state_used,
    .state_moved = state_moved,
    .flow = &flow,
};
