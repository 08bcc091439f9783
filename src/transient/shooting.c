/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "transient/shooting_parts.h"

/* Tries without Newton: at first, and after many Newton steps that did not help. */
enum { FEWEST_MARCHED = 2, MOST_MARCHED = 64 };
/* So often Newton steps may fail to help: then there may be nothing of these periods. */
enum { MOST_LOST = 6 };
/* A Newton step longer than this part of the shortest so far has not become better. */
static const double ENOUGH = 0.5;
/* One longer than this, relative to the motion, leads nowhere: a resonance from rest grows by
 * less before damping limits it. */
static const double FAR = 1e4;

static void record(struct shooting *shooting, int step)
{
    const struct integrator *integrator = shooting->integrator;
    const struct ports *ports = integrator->ports;
    size_t n_axes = (size_t)ports->n_axes, at = (size_t)step * n_axes;
    memcpy(shooting->x + at, integrator->joints->x, n_axes * sizeof(double));
    integrator_joint_velocities(integrator, shooting->v + at);
    double speed = 0.0;
    for (int k = 0; k < ports->n_modes; k++) {
        speed += integrator->newmark->v[k] * integrator->newmark->v[k];
    }
    shooting->speed = fmax(shooting->speed, speed);
}

static void keep(const struct shooting *shooting, double *q, double *v, double *f)
{
    const struct integrator *integrator = shooting->integrator;
    size_t n_modes = (size_t)integrator->ports->n_modes;
    memcpy(q, integrator->newmark->q, n_modes * sizeof(double));
    memcpy(v, integrator->newmark->v, n_modes * sizeof(double));
    memcpy(f, integrator->joints->f, (size_t)integrator->ports->n_axes * sizeof(double));
}

/* Square of dq, dv in the norm by which motions are called periodic, see steady.h. */
static double square_of(const struct shooting *shooting)
{
    const struct newmark *newmark = shooting->integrator->newmark;
    double omega2 = shooting->integrator->omega * shooting->integrator->omega, sum = 0.0;
    const double *dq = shooting->dq, *dv = shooting->dv;
    for (int k = 0; k < newmark->n_modes; k++) {
        sum += dv[k] * dv[k] + fmax(newmark->stiffness[k], omega2) * dq[k] * dq[k];
    }
    return sum;
}

/* Relative size of the update, and of what it leaves open. */
static double size_of_update(const struct shooting *shooting)
{
    double sum = square_of(shooting) + shooting->open;
    return sum == 0.0 ? 0.0 : sqrt(sum / shooting->speed);
}

/* One try: the state at both ends and the motion in between. */
static enum masing_status shoot(struct shooting *shooting,
                                const struct settle_observer *observer,
                                struct settle_result *result)
{
    enum masing_status status = MASING_OK;
    struct integrator *integrator = shooting->integrator;
    size_t size = shooting_states(shooting) * sizeof(double);
    keep(shooting, shooting->q0, shooting->v0, shooting->f0);
    memcpy(shooting->joints0, integrator->joints->state, size);
    shooting->speed = 0.0;
    record(shooting, 0);
    for (int i = 1; i <= shooting->n_steps; i++) {
        if (settle_is_over(observer, i)) {
            result->is_cancelled = true;
        }
        if (result->is_cancelled) {
            goto done;
        }
        TRY(integrator_step(integrator));
        record(shooting, i);
        if (i % integrator->n_steps == 0) {
            result->cycles++;
            result->is_cancelled =
                observer->period &&
                observer->period(observer->context, result->cycles, result->distance);
        }
    }
    keep(shooting, shooting->q1, shooting->v1, shooting->f1);
    status = integrator_joint_states(integrator, shooting->joints1);
done:
    return status;
}

/* Between the steps of the integration by Hermite's cubic. */
static void place(const void *context, double step, double *x, double *v)
{
    const struct shooting *shooting = context;
    const struct integrator *integrator = shooting->integrator;
    size_t n_axes = (size_t)integrator->ports->n_axes;
    double place = step * shooting->stride, whole = fmin(floor(place), shooting->n_steps - 1);
    double h = integrator->period / integrator->n_steps, s = place - whole, r = 1.0 - s;
    const double *x0 = shooting->x + (size_t)whole * n_axes, *x1 = x0 + n_axes;
    const double *v0 = shooting->v + (size_t)whole * n_axes, *v1 = v0 + n_axes;
    for (size_t a = 0; a < n_axes; a++) {
        double slope = (x1[a] - x0[a]) / h;
        x[a] = r * x0[a] + s * x1[a] + h * s * r * (r * (v0[a] - slope) - s * (v1[a] - slope));
        v[a] =
            slope + r * (r - 2.0 * s) * (v0[a] - slope) - s * (2.0 * r - s) * (v1[a] - slope);
    }
}

static void restore_states(struct shooting *shooting)
{
    const size_t *start = shooting->integrator->joints->state_start;
    struct variation *variation = shooting->variation;
    for (int j = 0; j < variation->n_joints; j++) {
        memcpy(variation->state[j], shooting->joints0 + start[j],
               variation->size[j] * sizeof(double));
    }
}

/* A motion that still decays without slip turns inside of what it did before, and remembers
 * more and more of it: there memories are held. */
static enum masing_status map(struct shooting *shooting)
{
    const struct integrator *integrator = shooting->integrator;
    struct variation *variation = shooting->variation;
    const struct variation_motion motion = {.context = shooting,
                                            .place = place,
                                            .time_step = integrator->period /
                                                         integrator->n_steps * shooting->stride,
                                            .n_steps = shooting->n_steps / shooting->stride};
    restore_states(shooting);
    variation->holds_memories = false;
    enum masing_status status = variation_follow(variation, &motion);
    if (status == MASING_NOT_CONVERGED) {
        restore_states(shooting);
        variation->holds_memories = true;
        status = variation_follow(variation, &motion);
    }
    return status;
}

/* The Newton step as a change of the joints' displacements and velocities; where memories are
 * held, the motion goes on with those at its end, and the change is from there. */
static void project_update(const struct shooting *shooting, double *dx, double *dv)
{
    const struct variation *variation = shooting->variation;
    const struct ports *ports = shooting->integrator->ports;
    const double *update = shooting->residual;
    size_t n = (size_t)variation->n_modes, n_axes = (size_t)variation->n_axes;
    newmark_project(ports->n_axes, ports->n_modes, ports->shapes, shooting->dq, dx);
    newmark_project(ports->n_axes, ports->n_modes, ports->shapes, shooting->dv, dv);
    for (size_t a = 0; a < n_axes && ports->flexibility; a++) {
        for (size_t b = 0; b < n_axes; b++) {
            dx[a] -= ports->flexibility[b * (size_t)ports->n_ports + a] * update[2 * n + b];
        }
    }
    for (size_t a = 0; a < n_axes && variation->holds_memories; a++) {
        size_t last = (size_t)shooting->n_steps * n_axes + a;
        dx[a] += shooting->x[a] - shooting->x[last];
        dv[a] += shooting->v[a] - shooting->v[last];
    }
}

/* States of the joints where the next try begins: what they remember, and their copies of the
 * motion. */
static void update_joints(struct shooting *shooting, const double *dx, const double *dv)
{
    const struct variation *variation = shooting->variation;
    const struct joints *joints = shooting->integrator->joints;
    int first = 2 * variation->n_modes + variation->n_axes;
    memcpy(joints->state, variation->holds_memories ? shooting->joints1 : shooting->joints0,
           shooting_states(shooting) * sizeof(double));
    memset(shooting->moved, 0, shooting_states(shooting) * sizeof(double));
    for (int j = 0; j < joints->n_joints; j++) {
        const struct joint *joint = &joints->joint[j];
        joint->law->family->state_moved(joint->law, joint->parameters, 1,
                                        dx + joint->first_axis, dv + joint->first_axis,
                                        shooting->moved + joints->state_start[j]);
    }
    for (int m = 0; m < variation->n_memories; m++) {
        size_t at = joints->state_start[variation->memories[m].joint];
        shooting->moved[at + variation->memories[m].entry] = shooting->residual[first + m];
    }
    for (size_t i = 0; i < shooting_states(shooting); i++) {
        joints->state[i] += shooting->moved[i];
    }
}

/* Begin where the last try began, moved by the update. */
static enum masing_status begin_updated(struct shooting *shooting)
{
    struct integrator *integrator = shooting->integrator;
    struct newmark *newmark = integrator->newmark;
    size_t n = (size_t)newmark->n_modes, n_axes = (size_t)integrator->ports->n_axes;
    size_t from = shooting->variation->holds_memories ? (size_t)shooting->n_steps * n_axes : 0;
    double *dx = shooting->change, *dv = dx + n_axes;
    project_update(shooting, dx, dv);
    for (size_t k = 0; k < n; k++) {
        newmark->q[k] = shooting->q0[k] + shooting->dq[k];
        newmark->v[k] = shooting->v0[k] + shooting->dv[k];
    }
    for (size_t a = 0; a < n_axes; a++) {
        integrator->joints->x[a] = shooting->x[from + a] + dx[a];
    }
    update_joints(shooting, dx, dv);
    newmark_project((int)n_axes, (int)n, integrator->ports->shapes, newmark->v, dv);
    /* the forces there, and nothing else: the joints do not move */
    enum masing_status status = joints_evaluate(integrator->joints, integrator->joints->x, dv);
    integrator_begin(integrator);
    shooting->is_updated = true;
    return status;
}

/* Go on from the end of the best try. */
static void begin_good(struct shooting *shooting)
{
    struct integrator *integrator = shooting->integrator;
    const struct shooting_state *good = &shooting->good;
    size_t n_modes = (size_t)integrator->ports->n_modes * sizeof(double);
    size_t n_axes = (size_t)integrator->ports->n_axes * sizeof(double);
    memcpy(integrator->newmark->q, good->q, n_modes);
    memcpy(integrator->newmark->v, good->v, n_modes);
    memcpy(integrator->joints->x, good->x, n_axes);
    memcpy(integrator->joints->f, good->f, n_axes);
    memcpy(integrator->joints->state, good->joints, shooting_states(shooting) * sizeof(double));
    integrator_begin(integrator);
    shooting->is_updated = false;
}

/* The end of the last try is where to go on from, if nothing better is known. */
static void note_end(struct shooting *shooting, bool always)
{
    struct shooting_state *good = &shooting->good;
    size_t n_modes = (size_t)shooting->integrator->ports->n_modes;
    for (size_t k = 0; k < n_modes; k++) {
        shooting->dq[k] = shooting->q1[k] - shooting->q0[k];
        shooting->dv[k] = shooting->v1[k] - shooting->v0[k];
    }
    double change = square_of(shooting);
    if (always || change <= good->change) {
        good->change = change;
        keep(shooting, good->q, good->v, good->f);
        memcpy(good->x, shooting->integrator->joints->x,
               (size_t)shooting->integrator->ports->n_axes * sizeof(double));
        memcpy(good->joints, shooting->joints1, shooting_states(shooting) * sizeof(double));
    }
}

/* How long to march before the next Newton step. */
struct patience {
    int n_marched;   /* tries since then */
    int to_march;    /* tries without Newton that are to come */
    int n_lost;      /* times that Newton steps did not help */
    double smallest; /* update so far */
    int n_good;      /* updates in a row within the tolerance */
};

static void lose_patience(struct patience *patience)
{
    patience->n_marched =
        patience->n_marched * 2 < MOST_MARCHED ? patience->n_marched * 2 : MOST_MARCHED;
    patience->to_march = patience->n_marched;
    patience->n_lost++;
    patience->smallest = INFINITY;
}

/* A Newton step from the last try, if it promises something. */
static enum masing_status correct(struct shooting *shooting, double tolerance,
                                  struct patience *patience, struct settle_result *result)
{
    enum masing_status status = map(shooting);
    if (status == MASING_OK) {
        status = shooting_solve(shooting);
    }
    if (status < 0) {
        return status;
    }
    double size = status == MASING_OK ? size_of_update(shooting) : INFINITY;
    bool is_better = size <= ENOUGH * patience->smallest || size <= tolerance;
    if (!(size <= FAR) || !is_better) {
        lose_patience(patience);
        result->distance = INFINITY;
        begin_good(shooting);
        return MASING_OK;
    }
    patience->smallest = size;
    result->distance = size;
    result->n_updates++;
    if (result->n_history < SETTLE_HISTORY) {
        result->history[result->n_history++] = size;
    }
    patience->n_good = size <= tolerance ? patience->n_good + 1 : 0;
    result->order = shooting->n_periods;
    result->is_steady = patience->n_good > (shooting->variation->holds_memories ? 1 : 0);
    result->largest_multiplier =
        result->is_steady ? shooting_largest_multiplier(shooting) : NAN;
    return begin_updated(shooting);
}

enum masing_status shooting_run(struct shooting *shooting, double tolerance, int max_cycles,
                                const struct settle_observer *observer,
                                struct settle_result *result)
{
    enum masing_status status = MASING_OK;
    struct patience patience = {
        .n_marched = FEWEST_MARCHED, .to_march = FEWEST_MARCHED, .smallest = INFINITY};
    result->distance = INFINITY;
    shooting->good.change = INFINITY;
    shooting->is_updated = false;
    while (!result->is_steady && patience.n_lost < MOST_LOST && result->cycles < max_cycles) {
        status = shoot(shooting, observer, result);
        if (status > 0 && shooting->is_updated) {
            status = MASING_OK; /* no motion is there: go on from one that is */
            lose_patience(&patience);
            begin_good(shooting);
            continue;
        }
        TRY(status);
        if (result->is_cancelled) {
            break;
        }
        note_end(shooting, patience.to_march > 0);
        if (patience.to_march > 0) {
            patience.to_march--;
            begin_good(shooting);
            continue;
        }
        TRY(correct(shooting, tolerance, &patience, result));
    }
done:
    return status;
}

enum masing_status shooting_find_neutral(struct shooting *shooting, bool *is_neutral)
{
    enum masing_status status = MASING_OK;
    const struct settle_observer observer = {0};
    struct settle_result result = {0};
    size_t size = (size_t)shooting->integrator->ports->n_axes * sizeof(bool);
    memset(is_neutral, 0, size);
    TRY(shoot(shooting, &observer, &result));
    status = map(shooting);
    status = status == MASING_OK ? shooting_solve(shooting) : status;
    if (status == MASING_OK) {
        memcpy(is_neutral, shooting->is_neutral, size);
    }
    status = status > 0 ? MASING_OK : status; /* nothing is known then */
done:
    return status;
}
