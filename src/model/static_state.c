/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The static state by Newton's method. Where the rigid-body equations have no stiffness yet (an
 * open gap, say) an implicit relaxation step delta dq = p - B g takes its place (pseudo-
 * transient continuation, Kelley and Keyes 1998).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "model/equilibrium.h"
#include "model/joint_stiffness.h"
#include "model/message.h"
#include "model/seal.h"

enum { MAX_ITERATIONS = 500 };
static const double TOLERANCE = 1e-13;
static const double ACCEPTABLE = 1e-10;

/* What must not grow: the residual in parts of fixed scales. */
static double merit(const struct equilibrium *e, double length, double load)
{
    double sum = 0;
    for (int i = 0; i < e->n; i++) {
        double scale = i < e->n_axes ? length : load;
        double part = scale > 0 ? e->residual[i] / scale : 0;
        sum += part * part;
    }
    return sqrt(sum);
}

/* step = -J^-1 residual; delta on the diagonal of the rigid-body equations */
static enum masing_status newton_step(struct equilibrium *e, double delta)
{
    size_t n = (size_t)e->n, n_axes = (size_t)e->n_axes;
    memset(e->jacobian, 0, n * n * sizeof *e->jacobian);
    dense_multiply((int)n_axes, (int)n_axes, (int)n_axes, e->compliance, e->tangent,
                   e->product);
    for (size_t j = 0; j < n_axes; j++) {
        for (size_t i = 0; i < n_axes; i++) {
            e->jacobian[i + j * n] = e->product[i + j * n_axes] + (i == j ? 1 : 0);
        }
        for (size_t r = 0; r < (size_t)e->n_rigid; r++) {
            e->jacobian[n_axes + r + j * n] =
                -dense_dot((int)n_axes, e->rigid + r * n_axes, e->tangent + j * n_axes);
        }
    }
    for (size_t r = 0; r < (size_t)e->n_rigid; r++) {
        for (size_t i = 0; i < n_axes; i++) {
            e->jacobian[i + (n_axes + r) * n] = -e->rigid[i + r * n_axes];
        }
        e->jacobian[(n_axes + r) * (n + 1)] = -delta;
    }
    for (size_t i = 0; i < n; i++) {
        e->step[i] = -e->residual[i];
    }
    enum masing_status status = lu_factor((int)n, e->jacobian, e->pivots);
    if (status == MASING_OK) {
        lu_solve((int)n, e->jacobian, e->pivots, e->step, 1);
    }
    return status;
}

/* The longest of 1, 1/2, ... of the step at which the residual does not grow is taken. */
static bool take_step(const struct masing_model *model, struct equilibrium *e, double *norm)
{
    double length = e->length, load = e->load, old = merit(e, length, load);
    double part = 1;
    for (int halving = 0; halving < 12; halving++, part /= 2) {
        double trial_norm;
        for (int i = 0; i < e->n; i++) {
            e->trial[i] = e->unknowns[i] + part * e->step[i];
        }
        if (equilibrium_evaluate(model, e->trial, e, &trial_norm) == MASING_OK &&
            isfinite(trial_norm) && merit(e, length, load) <= old * (1 + 1e-9)) {
            memcpy(e->unknowns, e->trial, (size_t)e->n * sizeof *e->trial);
            *norm = trial_norm;
            return true;
        }
    }
    return false;
}

/* Newton's method from e->unknowns; false where it does not arrive. */
static bool solve(const struct masing_model *model, struct equilibrium *e)
{
    double delta = 0, norm;
    if (equilibrium_evaluate(model, e->unknowns, e, &norm) != MASING_OK) {
        return false;
    }
    for (int i = 0; i < MAX_ITERATIONS && norm > TOLERANCE; i++) {
        bool has_step = newton_step(e, delta) == MASING_OK;
        bool is_better = has_step && take_step(model, e, &norm);
        if (!is_better) {
            if (norm <= ACCEPTABLE || e->n_rigid == 0 || !(e->stiffness > 0)) {
                break;
            }
            double old_norm;
            equilibrium_evaluate(model, e->unknowns, e, &old_norm);
        }
        double least = 1e-9 * e->stiffness;
        delta = is_better ? (delta > least ? delta / 10 : 0) : fmax(10 * delta, least);
    }
    return norm <= ACCEPTABLE;
}

/* The loads all at once, else in steps, each starting from the one before. */
static bool find(const struct masing_model *model, struct equilibrium *e, double *scaled)
{
    enum { N_STEPS = 32 };
    size_t n_axes = (size_t)e->n_axes;
    if (solve(model, e)) {
        return true;
    }
    memcpy(scaled, e->linear, n_axes * sizeof *scaled);
    memcpy(scaled + n_axes, e->push, (size_t)e->n_rigid * sizeof *scaled);
    memset(e->unknowns, 0, (size_t)e->n * sizeof *e->unknowns);
    for (int step = 1; step <= N_STEPS; step++) {
        double part = (double)step / N_STEPS;
        for (size_t i = 0; i < n_axes; i++) {
            e->linear[i] = part * scaled[i];
        }
        for (size_t r = 0; r < (size_t)e->n_rigid; r++) {
            e->push[r] = part * scaled[n_axes + r];
        }
        if (!solve(model, e)) {
            return false;
        }
    }
    return true;
}

static void set_scales(const struct masing_model *model, struct equilibrium *e)
{
    for (int r = 0; r < e->n_rigid; r++) {
        e->load = fmax(e->load, fabs(e->push[r]));
    }
    for (int a = 0; a < e->n_axes; a++) {
        e->load = fmax(e->load, fabs(e->force[a]));
    }
    for (int j = 0; j < model->spec.n_joints; j++) {
        const struct joint *joint = &model->joints[j];
        e->stiffness = fmax(e->stiffness, joint_stiffest(joint, true));
        e->stiffness = fmax(e->stiffness, joint_stiffest(joint, false));
    }
}

static enum masing_status refuse_equilibrium(const struct masing_model *model,
                                             struct masing_error *error)
{
    bool is_loaded = model->spec.n_static_loads > 0;
    return model_refuse(&model->spec,
                        is_loaded ? model->spec.static_loads[0].place
                                  : model->spec.joints[0].place,
                        error, "no static equilibrium was found: the joints cannot carry %s%s",
                        is_loaded ? "the static loads" : "their own forces at rest",
                        model->spec.start == MASING_START_STATIC
                            ? " (with 'start: static' sliders carry nothing)"
                            : "");
}

enum masing_status seal_static_state(struct masing_model *model, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct equilibrium e = {0};
    double *scaled = NULL, norm = 0;
    size_t n_axes = (size_t)model->n_axes;
    model->static_displacement = memory_array(n_axes, sizeof *model->static_displacement);
    TRY_ALLOCATED(model->static_displacement);
    bool is_at_rest;
    TRY(equilibrium_is_at_rest(model, &is_at_rest, error));
    if (is_at_rest) {
        goto done;
    }
    TRY(equilibrium_create(model, &e, error));
    TRY_ALLOCATED(scaled = memory_array((size_t)e.n, sizeof *scaled));
    TRY(equilibrium_evaluate(model, e.unknowns, &e, &norm));
    set_scales(model, &e);
    if (norm > 0 && !find(model, &e, scaled)) {
        status = refuse_equilibrium(model, error);
        goto done;
    }
    memcpy(model->static_displacement, e.unknowns, n_axes * sizeof *e.unknowns);
done:
    free(scaled);
    equilibrium_clear(&e);
    return status;
}
