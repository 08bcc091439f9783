/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The static state of a structure with joints: solution of its equations, what is missing.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/memory.h"
#include "linalg/bracket.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "linalg/lu.h"
#include "model/joints.h"
#include "model/message.h"
#include "model/seal.h"
#include "model/static_equations.h"

/* --- solution ----------------------------------------------------------------------------- */

/*
 * The static state by Newton's method. Where the rigid-body equations have no stiffness yet (an
 * open gap, say) an implicit relaxation step delta dq = p - B g takes its place (pseudo-
 * transient continuation, Kelley and Keyes 1998).
 */

enum { MOST_ITERATIONS = 500 };
/* Of a step, by halvings. */
static const double LEAST_PART = 0x1p-12;
/* Residuals relative to their terms: where iterations end, and what serves where they stall. */
static const double TOLERANCE = 1e-13;
static const double ACCEPTABLE = 1e-10;
/* Growth of the residual that is rounding; the least delta beside the joints' stiffness. */
static const double SAME_MERIT = 1e-9;
static const double LEAST_RELAXATION = 1e-9;
/* With so large a delta rigid-body motions stand still: more of it is of no use. */
static const double MOST_RELAXATION = 1e6;
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

/* A row of the tangents times x [n_axes]. */
static double tangent_times(const struct equilibrium *e, size_t i, const double *x)
{
    const struct tangent *row = &e->tangent[i];
    return dense_dot(row->count, row->values, x + row->first);
}

/* Axes whose displacement changes any force. */
static int find_active(struct equilibrium *e)
{
    int n = 0;
    for (int a = 0; a < e->n_axes; a++) {
        const struct tangent *own = &e->tangent[a];
        bool is_active = false;
        for (int b = own->first; b < own->first + own->count; b++) {
            is_active = is_active || e->tangent[b].values[a - own->first] != 0.0;
        }
        if (is_active) {
            e->active[n++] = a;
        }
    }
    return n;
}

/* Column j of the Jacobian, which has n active axes: of H T, and of -B T below it. */
static void fill_column(struct equilibrium *e, size_t n, size_t j)
{
    size_t n_axes = (size_t)e->n_axes, order = n + (size_t)e->n_rigid;
    int axis = e->active[j], first = e->tangent[axis].first, count = e->tangent[axis].count;
    double *to = e->jacobian + j * order;
    for (int b = first; b < first + count; b++) {
        double slope = e->tangent[b].values[axis - first];
        const double *column = e->compliance + (size_t)b * n_axes;
        for (size_t i = 0; i < n && slope != 0.0; i++) {
            to[i] += slope * column[e->active[i]];
        }
        for (size_t r = 0; r < (size_t)e->n_rigid; r++) {
            to[n + r] -= slope * e->rigid[(size_t)b + r * n_axes];
        }
    }
    to[j] += 1;
}

/* The step of axes that change no force follows from the others': -residual - H T dw + B^T dq
 */
static void follow(struct equilibrium *e)
{
    size_t n_axes = (size_t)e->n_axes;
    for (size_t i = 0; i < n_axes; i++) {
        e->change[i] = tangent_times(e, i, e->step);
    }
    dense_multiply_vector(e->n_axes, e->n_axes, false, e->compliance, e->change, e->trial);
    for (size_t i = 0, next = 0; i < n_axes; i++) {
        if (next < (size_t)e->n_active && e->active[next] == (int)i) {
            next++;
            continue;
        }
        e->step[i] = -e->residual[i] - e->trial[i];
        for (size_t r = 0; r < (size_t)e->n_rigid; r++) {
            e->step[i] += e->rigid[i + r * n_axes] * e->step[n_axes + r];
        }
    }
}

/* step = -J^-1 residual; delta on the diagonal of the rigid-body equations. Only axes that
 * change forces are solved for: the others' columns are those of the identity. */
static enum masing_status newton_step(struct equilibrium *e, double delta)
{
    size_t n_axes = (size_t)e->n_axes, n_rigid = (size_t)e->n_rigid;
    size_t n = (size_t)(e->n_active = find_active(e)), order = n + n_rigid;
    memset(e->jacobian, 0, order * order * sizeof *e->jacobian);
    memset(e->step, 0, (size_t)e->n * sizeof *e->step);
    for (size_t j = 0; j < n; j++) {
        fill_column(e, n, j);
        e->trial[j] = -e->residual[e->active[j]];
    }
    for (size_t r = 0; r < n_rigid; r++) {
        double *to = e->jacobian + (n + r) * order;
        for (size_t i = 0; i < n; i++) {
            to[i] = -e->rigid[(size_t)e->active[i] + r * n_axes];
        }
        to[n + r] = -delta;
        e->trial[n + r] = -e->residual[n_axes + r];
    }
    if (order > 0) {
        NEED(lu_factor((int)order, e->jacobian, e->pivots));
        lu_solve((int)order, e->jacobian, e->pivots, e->trial, 1);
    }
    for (size_t i = 0; i < order; i++) {
        e->step[i < n ? (size_t)e->active[i] : n_axes + i - n] = e->trial[i];
    }
    follow(e);
    return dense_is_finite((size_t)e->n, e->step) ? MASING_OK : MASING_SINGULAR;
}

/* The unknowns moved by a part of the step, evaluated there; false: not finite. */
static bool try_step(struct equilibrium *e, double part, double *norm)
{
    for (int i = 0; i < e->n; i++) {
        e->trial[i] = e->unknowns[i] + part * e->step[i];
    }
    return equilibrium_evaluate(e, e->trial, norm) == MASING_OK && isfinite(*norm);
}

/* The longest of 1, 1/2, ... of the step at which the residual does not grow; 0: none. */
static double reduce_residual(struct equilibrium *e, double *norm)
{
    double length = e->length, load = e->load, old = merit(e, length, load);
    for (double part = 1; part > LEAST_PART; part /= 2) {
        if (try_step(e, part, norm) && merit(e, length, load) <= old * (1 + SAME_MERIT)) {
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
 * direction), and Newton's steps then go down it. This is its slope along the step where the
 * residual is that of the last evaluation.
 */
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
static double reduce_energy(struct equilibrium *e, double *norm)
{
    double from = energy_slope(e);
    if (!(from < 0) || !try_step(e, 1, norm)) {
        return 0;
    }
    double slope = energy_slope(e), part = 1, small = -SLOPE_LEFT * from;
    if (slope <= small) {
        return part;
    }
    struct bracket bracket = bracket_of(0, from, 1, slope);
    while (fabs(slope) > small && bracket_next(&bracket, 0)) {
        part = bracket.x;
        if (!try_step(e, part, norm)) {
            return 0;
        }
        slope = energy_slope(e);
        bracket_set(&bracket, slope);
    }
    return part;
}

/* One step by the energy, or by the residual, also where all of the energy's slope is rounding;
 * false: none is better. */
static bool take_step(struct equilibrium *e, bool is_descent, double *norm)
{
    double trial_norm = INFINITY;
    size_t n_axes = (size_t)e->n_axes;
    for (size_t i = 0; i < n_axes; i++) {
        e->change[i] = e->force[i] - e->reaction[i] + tangent_times(e, i, e->step);
    }
    double part = is_descent ? reduce_energy(e, &trial_norm) : 0;
    if (part == 0 && equilibrium_evaluate(e, e->unknowns, &trial_norm) == MASING_OK) {
        part = reduce_residual(e, &trial_norm);
    }
    if (part > 0) {
        memcpy(e->unknowns, e->trial, (size_t)e->n * sizeof *e->trial);
        for (size_t a = 0; a < n_axes; a++) {
            e->reaction[a] += part * e->change[a];
        }
        *norm = trial_norm;
    }
    return part > 0;
}

/* Forces that hold each other and exceed what acts by this come from a search that ran away:
 * their last digits would hide the loads. */
static bool forces_stand_for_loads(const struct equilibrium *e)
{
    const struct masing_model *model = e->model;
    double of_loads = dense_max_norm((size_t)model->structure->n_dofs, model->static_force);
    return dense_max_norm((size_t)e->n_axes, e->force) <=
           MOST_OF_ACTING * fmax(e->load, of_loads);
}

/* Newton's method from e->unknowns (of a descent, also from e->reaction, which go together);
 * false where it does not arrive. */
static bool solve(struct equilibrium *e, bool is_descent)
{
    double delta = 0, norm, old_norm = INFINITY;
    if (equilibrium_evaluate(e, e->unknowns, &norm) != MASING_OK) {
        return false;
    }
    for (int i = 0; i < MOST_ITERATIONS && norm > TOLERANCE; i++) {
        if (norm <= ACCEPTABLE && norm >= old_norm) {
            break;
        }
        old_norm = norm;
        bool has_step = newton_step(e, delta) == MASING_OK;
        bool is_better = has_step && take_step(e, is_descent, &norm);
        if (!is_better) {
            double same;
            equilibrium_evaluate(e, e->unknowns, &same);
            if (norm <= ACCEPTABLE || e->n_rigid == 0 || !(e->stiffness > 0)) {
                break;
            }
        }
        double least = LEAST_RELAXATION * e->stiffness;
        if (!is_better && delta > MOST_RELAXATION * e->stiffness) {
            break;
        }
        delta = is_better ? (delta > least ? delta / 10 : 0) : fmax(10 * delta, least);
    }
    return norm <= ACCEPTABLE && forces_stand_for_loads(e);
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

/* Down the energy: from the linear structure without its joints, or with the loads in steps,
 * each starting from the one before. */
static bool descend(struct equilibrium *e)
{
    enum { N_STEPS = 32 };
    size_t n_axes = (size_t)e->n_axes;
    memset(e->unknowns, 0, (size_t)e->n * sizeof *e->unknowns);
    memcpy(e->unknowns, e->linear, n_axes * sizeof *e->linear);
    memset(e->reaction, 0, n_axes * sizeof *e->reaction);
    if (solve(e, true)) {
        return true;
    }
    bool is_found = true;
    memcpy(e->loads, e->linear, n_axes * sizeof *e->loads);
    memcpy(e->loads + n_axes, e->push, (size_t)e->n_rigid * sizeof *e->loads);
    memset(e->linear, 0, n_axes * sizeof *e->linear);
    memset(e->unknowns, 0, (size_t)e->n * sizeof *e->unknowns);
    memset(e->reaction, 0, n_axes * sizeof *e->reaction);
    for (int step = 1; step <= N_STEPS && is_found; step++) {
        set_part(e, (double)step / N_STEPS);
        is_found = solve(e, true);
        memcpy(e->reaction, e->force, n_axes * sizeof *e->reaction);
    }
    set_part(e, 1);
    return is_found || solve(e, false); /* which shows where the loads lead */
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
static bool find_unheld(const struct equilibrium *e, double *gram, double *values,
                        double *shape, double *axes)
{
    size_t n_axes = (size_t)e->n_axes, n = (size_t)e->n_rigid;
    int n_dofs = e->model->structure->n_dofs;
    double most = 0;
    for (size_t i = 0; i < n * n; i++) {
        gram[i] = 0;
        for (size_t a = 0; a < n_axes; a++) {
            gram[i] +=
                e->rigid[a + i % n * n_axes] * tangent_times(e, a, e->rigid + i / n * n_axes);
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
            dense_multiply(n_dofs, 1, (int)n, e->motions, c, shape);
            dense_multiply((int)n_axes, 1, (int)n, e->rigid, c, axes);
        }
    }
    return most > 0;
}

/* An open contact or stop, sliders that follow, or a joint that gives all the force it can. */
static const char *state_of(const struct equilibrium *e, const struct joint *joint)
{
    bool is_stiff = false, sliders_follow = e->model->spec.start == MASING_START_STATIC;
    for (int a = joint->first_axis; a < joint->first_axis + joint->n_axes; a++) {
        is_stiff = is_stiff || e->tangent[a].values[a - joint->first_axis] != 0.0;
    }
    bool can_open = masing_law_can_open(joint->law) || joint->law->corners;
    return can_open && !is_stiff ? "is open"
           : sliders_follow      ? "follows it"
                                 : "is at its limit";
}

/* "joint 'a' is open, joint 'b' is at its limit": those that the motion moves. */
static void describe_joints(const struct equilibrium *e, const double *axes, char *text,
                            size_t size)
{
    size_t length = 0;
    *text = '\0';
    for (int j = 0; j < e->model->spec.n_joints; j++) {
        const struct joint *joint = &e->model->joints[j];
        double moved = dense_max_norm((size_t)joint->n_axes, axes + joint->first_axis);
        if (moved > MOVED && length < size / 2) {
            length += (size_t)snprintf(text + length, size - length, "%sjoint '%.64s' %s",
                                       length > 0 ? ", " : "", joint->name, state_of(e, joint));
        } else if (moved > MOVED) {
            snprintf(text + length, size - length, ", and others");
        }
    }
}

/* With "; nothing else restrains the motion of 'x': joint 'a' is open", where that is why. */
static enum masing_status refuse_equilibrium(struct equilibrium *e, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &e->model->spec;
    size_t n = (size_t)e->n_rigid, n_dofs = (size_t)spec->structure.n_dofs;
    bool is_loaded = spec->n_static_loads > 0, follows = spec->start == MASING_START_STATIC;
    double *gram = memory_array(n * n + n + n_dofs + (size_t)e->n_axes, sizeof *gram), norm;
    char joints[TEXT], missing[2 * TEXT] = "";
    TRY_ALLOCATED(gram);
    double *values = gram + n * n, *shape = values + n, *axes = shape + n_dofs;
    TRY(equilibrium_evaluate(e, e->unknowns, &norm));
    if (find_unheld(e, gram, values, shape, axes)) {
        describe_joints(e, axes, joints, sizeof joints);
        snprintf(missing, sizeof missing, "; nothing else restrains the motion of %s: %s",
                 model_motion_text(spec, shape).text, joints);
    }
    status =
        model_refuse(spec, is_loaded ? spec->static_loads[0].place : spec->joints[0].place,
                     error, "no static equilibrium was found: the joints cannot carry %s%s%s",
                     is_loaded ? "the static loads" : "their own forces at rest",
                     follows ? " (with 'start: static' sliders carry nothing)" : "", missing);
done:
    free(gram);
    return status;
}

/* --- the static state --------------------------------------------------------------------- */

enum masing_status seal_find_static_state(const struct masing_model *model,
                                          double *displacement, double *reaction, double *rigid,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct equilibrium e = {.model = model};
    double tangent[MASING_MAX_AXES * MASING_MAX_AXES], norm = 0;
    size_t n_axes = (size_t)model->n_axes, n_states = 0;
    bool is_at_rest = false;
    memset(displacement, 0, n_axes * sizeof *displacement);
    memset(reaction, 0, n_axes * sizeof *reaction);
    if (rigid) {
        memset(rigid, 0, (size_t)model->structure->n_rigid * sizeof *rigid);
    }
    for (int j = 0; j < model->spec.n_joints; j++) {
        size_t size = masing_law_state_size(model->joints[j].law, model->joints[j].parameters);
        n_states = size > n_states ? size : n_states;
    }
    TRY_ALLOCATED(e.states = arena_doubles(&e.arena, 2 * n_states));
    TRY(equilibrium_find_rest(&e, &is_at_rest));
    if (is_at_rest) {
        goto done;
    }
    TRY(equilibrium_create(&e, error));
    TRY(equilibrium_evaluate(&e, e.unknowns, &norm));
    e.load = fmax(dense_max_norm((size_t)e.n_rigid, e.push),
                  dense_max_norm((size_t)e.n_axes, e.force));
    for (int j = 0; j < model->spec.n_joints; j++) {
        const struct joint *joint = &model->joints[j];
        for (int state = 0; state < 2; state++) {
            joint_stiffness(joint, state == 0, tangent);
            for (int a = 0; a < joint->n_axes; a++) {
                e.stiffness = fmax(e.stiffness, fabs(tangent[a * (joint->n_axes + 1)]));
            }
        }
    }
    if (norm > 0 && !solve(&e, false) && !descend(&e)) {
        TRY(refuse_equilibrium(&e, error));
    }
    TRY(equilibrium_evaluate(&e, e.unknowns, &norm));
    memcpy(displacement, e.unknowns, n_axes * sizeof *displacement);
    memcpy(reaction, e.force, n_axes * sizeof *reaction);
    if (rigid && e.n_rigid > 0) {
        dense_multiply(model->structure->n_rigid, 1, e.n_rigid, e.shares, e.unknowns + n_axes,
                       rigid);
    }
done:
    arena_clear(&e.arena);
    return status;
}

enum masing_status seal_static_state(struct masing_model *model, struct masing_error *error)
{
    size_t n_axes = (size_t)model->n_axes;
    model->static_displacement = arena_doubles(&model->arena, n_axes);
    model->static_reaction = arena_doubles(&model->arena, n_axes);
    model->static_rigid = arena_doubles(&model->arena, (size_t)model->structure->n_rigid);
    NEED_ALLOCATED(!model->arena.has_failed);
    NEED(seal_find_static_state(model, model->static_displacement, model->static_reaction,
                                model->static_rigid, error));
    for (int j = 0; j < model->spec.n_joints; j++) {
        struct joint *joint = &model->joints[j];
        joint->static_displacement = model->static_displacement + joint->first_axis;
        joint->static_force = model->static_reaction + joint->first_axis;
    }
    return MASING_OK;
}
