/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/bracket.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "linalg/lu.h"
#include "model/equilibrium.h"
#include "model/joints.h"
#include "model/message.h"
#include "model/seal.h"

/*
 * The static state by Newton's method. Where the rigid-body equations have no stiffness yet (an
 * open gap, say) an implicit relaxation step delta dq = p - B g takes its place (pseudo-
 * transient continuation, Kelley and Keyes 1998).
 */

enum { MOST_ITERATIONS = 500, MOST_HALVINGS = 12 };
/* Residuals relative to their terms: where iterations end, and what serves where they stall. */
static const double TOLERANCE = 1e-13;
static const double ACCEPTABLE = 1e-10;
/* Growth of the residual that is rounding; the least delta beside the joints' stiffness. */
static const double SAME_MERIT = 1e-9;
static const double LEAST_RELAXATION = 1e-9;
/* The joints' forces beside the loads, see forces_stand_for_loads. */
static const double MOST_OF_ACTING = 1e8;
/* Of the energy's slope, where the search along a step ends. */
static const double SLOPE_LEFT = 0.1;

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
    dense_multiply_parts(e->n_axes, e->n_axes, e->n_axes, e->compliance, e->n_axes, e->tangent,
                         e->n_axes, e->jacobian, e->n);
    for (size_t j = 0; j < n_axes; j++) {
        e->jacobian[j + j * n] += 1;
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

/* The unknowns moved by a part of the step, evaluated there; false: not finite. */
static bool try_step(const struct masing_model *model, double part, struct equilibrium *e,
                     double *norm)
{
    for (int i = 0; i < e->n; i++) {
        e->trial[i] = e->unknowns[i] + part * e->step[i];
    }
    return equilibrium_evaluate(model, e->trial, e, norm) == MASING_OK && isfinite(*norm);
}

/* The longest of 1, 1/2, ... of the step at which the residual does not grow; 0: none. */
static double reduce_residual(const struct masing_model *model, struct equilibrium *e,
                              double *norm)
{
    double length = e->length, load = e->load, old = merit(e, length, load);
    double part = 1;
    for (int halving = 0; halving < MOST_HALVINGS; halving++, part /= 2) {
        if (try_step(model, part, e, norm) &&
            merit(e, length, load) <= old * (1 + SAME_MERIT)) {
            return part;
        }
    }
    return 0;
}

/*
 * The residual says little of stiff contacts: where they close it grows by their stiffness over
 * that of their support. The energy does not,
 *   f^T H f / 2 - p^T q + V(w),  w = w_linear + B^T q - H f,
 * V that of the joints, f the forces that the structure feels: its gradient vanishes where
 * f = g(w) and B g = p. It is convex where the joints are (contacts are in their normal
 * direction), and Newton's steps then go down it.
 */
static void find_change(struct equilibrium *e)
{
    size_t n_axes = (size_t)e->n_axes;
    for (size_t i = 0; i < n_axes; i++) {
        e->change[i] = e->force[i] - e->reaction[i];
        for (size_t k = 0; k < n_axes; k++) {
            e->change[i] += e->tangent[i + k * n_axes] * e->step[k];
        }
    }
}

/* Slope of the energy along the step where the residual is that of the last evaluation. */
static double energy_slope(const struct equilibrium *e)
{
    size_t n_axes = (size_t)e->n_axes;
    double slope = -dense_dot(e->n_axes, e->change, e->residual);
    for (size_t r = 0; r < (size_t)e->n_rigid; r++) {
        slope -= e->step[n_axes + r] * e->residual[n_axes + r];
    }
    return slope;
}

/* The part of the step that reduces the energy most, or all of it where that goes down still;
 * 0: none does. */
static double reduce_energy(const struct masing_model *model, struct equilibrium *e,
                            double *norm)
{
    double from = energy_slope(e);
    if (!(from < 0) || !try_step(model, 1, e, norm)) {
        return 0;
    }
    double slope = energy_slope(e), part = 1, small = -SLOPE_LEFT * from;
    if (slope <= small) {
        return part;
    }
    struct bracket bracket = bracket_of(0, from, 1, slope);
    while (fabs(slope) > small && bracket_next(&bracket, 0)) {
        part = bracket.x;
        if (!try_step(model, part, e, norm)) {
            return 0;
        }
        slope = energy_slope(e);
        bracket_set(&bracket, slope);
    }
    return part;
}

/* One step by the energy, or by the residual, also where all of the energy's slope is rounding;
 * false: none is better. */
static bool take_step(const struct masing_model *model, bool is_descent, struct equilibrium *e,
                      double *norm)
{
    double trial_norm = INFINITY;
    find_change(e);
    double part = is_descent ? reduce_energy(model, e, &trial_norm) : 0;
    if (part == 0 && equilibrium_evaluate(model, e->unknowns, e, &trial_norm) == MASING_OK) {
        part = reduce_residual(model, e, &trial_norm);
    }
    if (part > 0) {
        memcpy(e->unknowns, e->trial, (size_t)e->n * sizeof *e->trial);
        for (int a = 0; a < e->n_axes; a++) {
            e->reaction[a] += part * e->change[a];
        }
        *norm = trial_norm;
    }
    return part > 0;
}

/* Forces that hold each other and exceed what acts by this come from a search that ran away:
 * their last digits would hide the loads. */
static bool forces_stand_for_loads(const struct masing_model *model,
                                   const struct equilibrium *e)
{
    double acting = e->load, largest = 0;
    for (int i = 0; i < model->structure->n_dofs; i++) {
        acting = fmax(acting, fabs(model->static_force[i]));
    }
    for (int a = 0; a < e->n_axes; a++) {
        largest = fmax(largest, fabs(e->force[a]));
    }
    return largest <= MOST_OF_ACTING * acting;
}

/* Newton's method from e->unknowns (of a descent, also from e->reaction, which go together);
 * false where it does not arrive. */
static bool solve(const struct masing_model *model, bool is_descent, struct equilibrium *e)
{
    double delta = 0, norm, old_norm = INFINITY;
    if (equilibrium_evaluate(model, e->unknowns, e, &norm) != MASING_OK) {
        return false;
    }
    for (int i = 0; i < MOST_ITERATIONS && norm > TOLERANCE; i++) {
        if (norm <= ACCEPTABLE && norm >= old_norm) {
            break;
        }
        old_norm = norm;
        bool has_step = newton_step(e, delta) == MASING_OK;
        bool is_better = has_step && take_step(model, is_descent, e, &norm);
        if (!is_better) {
            double same;
            equilibrium_evaluate(model, e->unknowns, e, &same);
            if (norm <= ACCEPTABLE || e->n_rigid == 0 || !(e->stiffness > 0)) {
                break;
            }
        }
        double least = LEAST_RELAXATION * e->stiffness;
        delta = is_better ? (delta > least ? delta / 10 : 0) : fmax(10 * delta, least);
    }
    return norm <= ACCEPTABLE && forces_stand_for_loads(model, e);
}

/* From the linear structure without its joints down the energy. */
static bool descend(const struct masing_model *model, struct equilibrium *e)
{
    size_t n_axes = (size_t)e->n_axes;
    memset(e->unknowns, 0, (size_t)e->n * sizeof *e->unknowns);
    memcpy(e->unknowns, e->linear, n_axes * sizeof *e->linear);
    memset(e->reaction, 0, n_axes * sizeof *e->reaction);
    return solve(model, true, e);
}

/* Part of the loads; the forces stay, and the displacements follow. */
static void set_part(struct equilibrium *e, double part)
{
    size_t n_axes = (size_t)e->n_axes;
    for (size_t i = 0; i < n_axes; i++) {
        double linear = part * e->loads[i];
        e->unknowns[i] += linear - e->linear[i];
        e->linear[i] = linear;
    }
    for (size_t r = 0; r < (size_t)e->n_rigid; r++) {
        e->push[r] = part * e->loads[n_axes + r];
    }
}

/* The loads in steps, each starting from the one before. */
static bool load_in_steps(const struct masing_model *model, struct equilibrium *e)
{
    enum { N_STEPS = 32 };
    size_t n_axes = (size_t)e->n_axes;
    bool is_found = true;
    memcpy(e->loads, e->linear, n_axes * sizeof *e->loads);
    memcpy(e->loads + n_axes, e->push, (size_t)e->n_rigid * sizeof *e->loads);
    memset(e->linear, 0, n_axes * sizeof *e->linear);
    memset(e->unknowns, 0, (size_t)e->n * sizeof *e->unknowns);
    memset(e->reaction, 0, n_axes * sizeof *e->reaction);
    for (int step = 1; step <= N_STEPS && is_found; step++) {
        set_part(e, (double)step / N_STEPS);
        is_found = solve(model, true, e);
        memcpy(e->reaction, e->force, n_axes * sizeof *e->reaction);
    }
    set_part(e, 1);
    return is_found || solve(model, false, e); /* which shows where the loads lead */
}

static bool find(const struct masing_model *model, struct equilibrium *e)
{
    return solve(model, false, e) || descend(model, e) || load_in_steps(model, e);
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

/* --- what is missing ---------------------------------------------------------------------- */

enum { TEXT = 400 };

/* Beside the joints' stiffness this is none. */
static const double UNHELD = 1e-9;
/* Of the size of a motion: an axis that it moves. */
static const double MOVED = 1e-6;

/*
 * The rigid-body motion that the joints, where the search ended, resist least of those that the
 * loads still push along: shape [n_dofs], axes [n_axes] of it. False: they resist all, or there
 * is none.
 */
static bool find_unheld(const struct masing_model *model, const struct equilibrium *e,
                        double *gram, double *values, double *shape, double *axes)
{
    size_t n_axes = (size_t)e->n_axes, n = (size_t)e->n_rigid;
    size_t n_dofs = (size_t)model->structure->n_dofs;
    double most = 0;
    for (size_t i = 0; i < n * n; i++) {
        gram[i] = 0;
        for (size_t a = 0; a < n_axes; a++) {
            gram[i] += e->rigid[a + i % n * n_axes] *
                       dense_dot(e->n_axes, e->tangent + a * n_axes, e->rigid + i / n * n_axes);
        }
    }
    if (n == 0 || eigen_symmetric((int)n, true, gram, values) != MASING_OK) {
        return false;
    }
    for (size_t k = 0; k < n && values[k] <= UNHELD * e->stiffness; k++) {
        const double *c = gram + k * n;
        double push = fabs(dense_dot((int)n, c, e->residual + n_axes));
        if (push > most) {
            most = push;
            dense_multiply((int)n_dofs, 1, (int)n, e->motions, c, shape);
            dense_multiply((int)n_axes, 1, (int)n, e->rigid, c, axes);
        }
    }
    return most > 0;
}

/* An open contact or stop, sliders that follow, or a joint that gives all the force it can. */
static const char *state_of(const struct joint *joint, bool sliders_follow,
                            const double *tangent, size_t n_axes)
{
    bool is_stiff = false;
    for (size_t i = 0; i < (size_t)joint->n_axes; i++) {
        is_stiff = is_stiff || tangent[i * (n_axes + 1)] != 0.0;
    }
    bool can_open = masing_law_can_open(joint->law) || joint->law->corners;
    return can_open && !is_stiff ? "is open"
           : sliders_follow      ? "follows it"
                                 : "is at its limit";
}

/* "joint 'a' is open, joint 'b' is at its limit": those that the motion moves. */
static void describe_joints(const struct masing_model *model, const struct equilibrium *e,
                            const double *axes, char *text, size_t size)
{
    size_t n_axes = (size_t)e->n_axes, length = 0;
    *text = '\0';
    for (int j = 0; j < model->spec.n_joints; j++) {
        const struct joint *joint = &model->joints[j];
        size_t first = (size_t)joint->first_axis;
        double moved = 0;
        for (size_t a = first; a < first + (size_t)joint->n_axes; a++) {
            moved = fmax(moved, fabs(axes[a]));
        }
        if (moved > MOVED && length < size / 2) {
            length += (size_t)snprintf(text + length, size - length, "%sjoint '%.64s' %s",
                                       length > 0 ? ", " : "", joint->name,
                                       state_of(joint, model->spec.start == MASING_START_STATIC,
                                                e->tangent + first * (n_axes + 1), n_axes));
        } else if (moved > MOVED) {
            snprintf(text + length, size - length, ", and others");
        }
    }
}

/* "; nothing restrains the motion of 'x': joint 'a' is open", where that is why. */
static enum masing_status describe_unheld(const struct masing_model *model,
                                          const struct equilibrium *e, char *text, size_t size,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)e->n_rigid, n_dofs = (size_t)model->structure->n_dofs;
    double *gram = memory_array(n * n + n + n_dofs + (size_t)e->n_axes, sizeof *gram);
    TRY_ALLOCATED(gram);
    double *values = gram + n * n, *shape = values + n, *axes = shape + n_dofs;
    *text = '\0';
    if (find_unheld(model, e, gram, values, shape, axes)) {
        char joints[TEXT];
        describe_joints(model, e, axes, joints, sizeof joints);
        snprintf(text, size, "; nothing else restrains the motion of %s: %s",
                 model_motion_text(&model->spec, shape).text, joints);
    }
done:
    free(gram);
    return status;
}

static enum masing_status refuse_equilibrium(const struct masing_model *model,
                                             struct equilibrium *e, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    bool is_loaded = model->spec.n_static_loads > 0;
    char missing[2 * TEXT];
    double norm;
    TRY(equilibrium_evaluate(model, e->unknowns, e, &norm));
    TRY(describe_unheld(model, e, missing, sizeof missing, error));
    status = model_refuse(
        &model->spec,
        is_loaded ? model->spec.static_loads[0].place : model->spec.joints[0].place, error,
        "no static equilibrium was found: the joints cannot carry %s%s%s",
        is_loaded ? "the static loads" : "their own forces at rest",
        model->spec.start == MASING_START_STATIC
            ? " (with 'start: static' sliders carry nothing)"
            : "",
        missing);
done:
    return status;
}

/* --- the static state --------------------------------------------------------------------- */

enum masing_status seal_find_static_state(const struct masing_model *model,
                                          double *displacement, double *reaction,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct equilibrium e = {0};
    double norm = 0;
    size_t n_axes = (size_t)model->n_axes;
    memset(displacement, 0, n_axes * sizeof *displacement);
    memset(reaction, 0, n_axes * sizeof *reaction);
    bool is_at_rest = false;
    TRY(equilibrium_is_at_rest(model, &is_at_rest, error));
    if (is_at_rest) {
        return MASING_OK;
    }
    TRY(equilibrium_create(model, &e, error));
    TRY(equilibrium_evaluate(model, e.unknowns, &e, &norm));
    set_scales(model, &e);
    if (norm > 0 && !find(model, &e)) {
        TRY(refuse_equilibrium(model, &e, error));
    }
    TRY(equilibrium_evaluate(model, e.unknowns, &e, &norm));
    memcpy(displacement, e.unknowns, n_axes * sizeof *displacement);
    memcpy(reaction, e.force, n_axes * sizeof *reaction);
done:
    equilibrium_clear(&e);
    return status;
}

enum masing_status seal_static_state(struct masing_model *model, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_axes = (size_t)model->n_axes;
    model->static_displacement = memory_array(n_axes, sizeof *model->static_displacement);
    model->static_reaction = memory_array(n_axes, sizeof *model->static_reaction);
    TRY_ALLOCATED(model->static_displacement && model->static_reaction);
    TRY(seal_find_static_state(model, model->static_displacement, model->static_reaction,
                               error));
    for (int j = 0; j < model->spec.n_joints; j++) {
        struct joint *joint = &model->joints[j];
        joint->static_displacement = model->static_displacement + joint->first_axis;
        joint->static_force = model->static_reaction + joint->first_axis;
    }
done:
    return status;
}
