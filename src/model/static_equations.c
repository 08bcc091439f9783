/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/static_equations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "linalg/symmetric.h"
#include "model/joints.h"
#include "model/message.h"

/* rigid-body motions that joints resist less than this, relative to the others, are free */
static const double UNRESISTED = 1e-12;
/* of a rigid-body shape, whose displacements should be equal */
static const double EQUAL_DISPLACEMENTS = 1e-10;
/* static loads along a motion sum to no more than this part of their sizes: balanced */
static const double BALANCED = 1e-9;

static size_t state_size(const struct joint *joint)
{
    return masing_law_state_size(joint->law, joint->parameters);
}

/* Force at w of a joint whose sliders started at an origin. */
static enum masing_status force_from(const struct joint *joint, const double *origin,
                                     const double *w, double *states, double *f, double *fx)
{
    static const double still[MASING_MAX_AXES];
    double fv[MASING_MAX_AXES * MASING_MAX_AXES];
    masing_law_rest(joint->law, joint->parameters, origin, states);
    return masing_law_step(joint->law, joint->parameters, w, still, states,
                           states + state_size(joint), f, fx, fv);
}

/*
 * Force of one joint at w from rest, and its tangent. Sliders stand at zero, or (`start:
 * static`) follow w. Then they resist nothing: what the tangent has of them goes, which is all
 * where a law of one axis has a state. Of several axes one feels them if its force depends on
 * where it started.
 */
static enum masing_status joint_force(const struct joint *joint, bool sliders_follow,
                                      const double *w, double *states, double *f, double *fx)
{
    static const double zero[MASING_MAX_AXES];
    size_t n = (size_t)joint->n_axes;
    double origin[MASING_MAX_AXES], force[MASING_MAX_AXES];
    double unused[MASING_MAX_AXES * MASING_MAX_AXES];
    NEED(force_from(joint, sliders_follow ? w : zero, w, states, f, fx));
    if (sliders_follow && n == 1) {
        fx[0] = state_size(joint) > 0 ? 0.0 : fx[0];
    }
    for (size_t a = 0; sliders_follow && n > 1 && a < n; a++) {
        memcpy(origin, w, n * sizeof *w);
        origin[a] += 1.0;
        NEED(force_from(joint, origin, w, states, force, unused));
        for (size_t i = 0; i < n && force[a] != f[a]; i++) {
            fx[a * n + i] = fx[i * n + a] = 0.0;
        }
    }
    return MASING_OK;
}

/* Force and tangent of all joints at w. */
static enum masing_status joint_forces(struct equilibrium *e, const double *w)
{
    double fx[MASING_MAX_AXES * MASING_MAX_AXES];
    for (int j = 0; j < e->model->spec.n_joints; j++) {
        const struct joint *joint = &e->model->joints[j];
        size_t n = (size_t)joint->n_axes, first = (size_t)joint->first_axis;
        NEED(joint_force(joint, e->model->spec.start == MASING_START_STATIC, w + first,
                         e->states, e->force + first, fx));
        for (size_t i = 0; i < n; i++) {
            struct tangent *row = &e->tangent[first + i];
            row->first = joint->first_axis;
            row->count = joint->n_axes;
            memcpy(row->values, fx + i * n, n * sizeof *fx);
        }
    }
    return MASING_OK;
}

enum masing_status equilibrium_find_rest(struct equilibrium *e, bool *is_at_rest)
{
    static const double zero[MASING_MAX_AXES];
    double f[MASING_MAX_AXES], fx[MASING_MAX_AXES * MASING_MAX_AXES];
    *is_at_rest = e->model->spec.n_static_loads == 0;
    for (int j = 0; *is_at_rest && j < e->model->spec.n_joints; j++) {
        const struct joint *joint = &e->model->joints[j];
        NEED(joint_force(joint, false, zero, e->states, f, fx));
        *is_at_rest = dense_is_zero((size_t)joint->n_axes, f);
    }
    return MASING_OK;
}

static void add_term(double term, double *sum, double *gross)
{
    *sum += term;
    *gross += fabs(term);
}

/* What massless DOFs, or modes that are not there, add to H and w_linear. scratch [n_dofs] */
static void add_flexibility(struct equilibrium *e, double *scratch)
{
    const struct masing_model *model = e->model;
    const double *flexibility = model->structure->flexibility;
    size_t n_dofs = (size_t)model->structure->n_dofs, n_axes = (size_t)e->n_axes;
    for (size_t j = 0; j < n_axes; j++) {
        memset(scratch, 0, n_dofs * sizeof *scratch);
        for (int t = 0; t < model->axes[j].n_terms; t++) {
            struct masing_term term = model->axes[j].terms[t];
            symmetric_add_column(n_dofs, flexibility, (size_t)term.dof, term.weight, scratch);
        }
        for (size_t i = 0; i < n_axes; i++) {
            e->compliance[i + j * n_axes] = axis_value(&model->axes[i], scratch);
        }
        e->linear[j] = dense_dot((int)n_dofs, scratch, model->static_force);
    }
}

/* H and w_linear from the elastic modes and the flexibility of what they leave out.
 * modal [n_modes * n_axes], scratch [n_dofs] */
static void fill_elastic(struct equilibrium *e, const double *modal, double *scratch)
{
    const struct masing_model *model = e->model;
    const struct structure *structure = model->structure;
    size_t n_dofs = (size_t)structure->n_dofs, n_modes = (size_t)structure->n_modes;
    size_t n_axes = (size_t)e->n_axes;
    if (structure->flexibility) {
        add_flexibility(e, scratch);
    }
    for (size_t k = (size_t)structure->n_rigid; k < n_modes; k++) {
        double omega = structure->omega[k];
        double load =
            dense_dot((int)n_dofs, structure->shapes + k * n_dofs, model->static_force);
        for (size_t j = 0; j < n_axes; j++) {
            double share = modal[k + j * n_modes] / (omega * omega);
            e->linear[j] += share * load;
            for (size_t i = 0; i < n_axes; i++) {
                e->compliance[i + j * n_axes] += share * modal[k + i * n_modes];
            }
        }
    }
}

/* How far the static loads move the ends of each axis, mode by mode: what an axis whose ends
 * move alike is the difference of. */
static void measure_ends(struct equilibrium *e)
{
    const struct masing_model *model = e->model;
    const struct structure *structure = model->structure;
    size_t n_dofs = (size_t)structure->n_dofs;
    for (size_t k = (size_t)structure->n_rigid; k < (size_t)structure->n_modes; k++) {
        const double *shape = structure->shapes + k * n_dofs;
        double square = structure->omega[k] * structure->omega[k];
        double motion = dense_dot((int)n_dofs, shape, model->static_force) / square;
        for (int a = 0; a < e->n_axes; a++) {
            for (int t = 0; t < model->axes[a].n_terms; t++) {
                struct masing_term term = model->axes[a].terms[t];
                e->ends[a] += fabs(term.weight * shape[term.dof] * motion);
            }
        }
    }
}

/* Static force along a combination of the rigid modes with coefficients c [n_rigid]; motion
 * [n_dofs]: the combination. */
static double push_along(const struct masing_model *model, const double *c, double *motion,
                         double *gross)
{
    const struct structure *structure = model->structure;
    size_t n_dofs = (size_t)structure->n_dofs;
    double push = 0;
    *gross = 0;
    for (size_t i = 0; i < n_dofs; i++) {
        motion[i] = 0;
        for (size_t r = 0; r < (size_t)structure->n_rigid; r++) {
            motion[i] += c[r] * structure->shapes[i + r * n_dofs];
        }
        add_term(motion[i] * model->static_force[i], &push, gross);
    }
    return push;
}

/* A rigid-body motion that joints resist: c combines the rigid modes. */
static void add_rigid(struct equilibrium *e, const double *modal, const double *c, double size)
{
    const struct structure *structure = e->model->structure;
    size_t n_dofs = (size_t)structure->n_dofs, n_modes = (size_t)structure->n_modes;
    double *column = e->rigid + (size_t)e->n_rigid * (size_t)e->n_axes;
    double *motion = e->motions + (size_t)e->n_rigid * n_dofs, gross;
    double *shares = e->shares + (size_t)e->n_rigid * (size_t)structure->n_rigid;
    for (int r = 0; r < structure->n_rigid; r++) {
        shares[r] = c[r] / size;
    }
    for (size_t a = 0; a < (size_t)e->n_axes; a++) {
        for (size_t r = 0; r < (size_t)structure->n_rigid; r++) {
            column[a] += c[r] * modal[r + a * n_modes] / size;
        }
    }
    e->push[e->n_rigid++] = push_along(e->model, c, motion, &gross) / size;
    for (size_t i = 0; i < n_dofs; i++) {
        motion[i] /= size;
    }
    /* the stiffness of this motion's mass at the frequencies of interest: a scale where laws
     * have no tangent of their own yet */
    e->stiffness = fmax(e->stiffness, pow(e->model->spec.omega_to / size, 2));
}

/* An axis within a body that moves as a whole does not move: what is left is rounding. */
static void drop_round_off(const struct masing_model *model, double *modal)
{
    const struct structure *structure = model->structure;
    size_t n_dofs = (size_t)structure->n_dofs, n_modes = (size_t)structure->n_modes;
    for (size_t a = 0; a < (size_t)model->n_axes; a++) {
        for (size_t r = 0; r < (size_t)structure->n_rigid; r++) {
            double gross = 0;
            for (int t = 0; t < model->axes[a].n_terms; t++) {
                struct masing_term term = model->axes[a].terms[t];
                gross += fabs(term.weight * structure->shapes[(size_t)term.dof + r * n_dofs]);
            }
            if (fabs(modal[r + a * n_modes]) <= EQUAL_DISPLACEMENTS * gross) {
                modal[r + a * n_modes] = 0;
            }
        }
    }
}

/*
 * Combinations of the rigid modes (columns of gram, orthonormal) by how much they move the
 * joints' axes: sizes [n_rigid] are the sums of squares, ascending. holding_only: only axes of
 * joints that carry a static load for ever, which those that forget do not.
 */
static enum masing_status sort_rigid(const struct masing_model *model, const double *modal,
                                     bool holding_only, double *gram, double *sizes)
{
    size_t n_rigid = (size_t)model->structure->n_rigid;
    size_t n_modes = (size_t)model->structure->n_modes;
    memset(gram, 0, n_rigid * n_rigid * sizeof *gram);
    for (int k = 0; k < model->spec.n_joints; k++) {
        const struct joint *joint = &model->joints[k];
        bool holds =
            masing_law_restraint(joint->law, joint->parameters) != MASING_RESTRAINT_NONE;
        for (int a = 0; a < joint->n_axes && (holds || !holding_only); a++) {
            const double *axis = modal + (size_t)(joint->first_axis + a) * n_modes;
            for (size_t i = 0; i < n_rigid * n_rigid; i++) {
                gram[i] += axis[i % n_rigid] * axis[i / n_rigid];
            }
        }
    }
    return eigen_symmetric((int)n_rigid, true, gram, sizes);
}

/* Static loads must leave motions alone that no joint holds. motion [n_dofs]: scratch. */
static enum masing_status check_unheld(const struct masing_model *model, const double *gram,
                                       const double *sizes, double *motion,
                                       struct masing_error *error)
{
    size_t n_rigid = (size_t)model->structure->n_rigid;
    for (size_t i = 0; i < n_rigid && !(sizes[i] > UNRESISTED * sizes[n_rigid - 1]); i++) {
        double gross, push = push_along(model, gram + i * n_rigid, motion, &gross);
        if (fabs(push) > BALANCED * gross) {
            return model_refuse(&model->spec, model->spec.static_loads[0].place, error,
                                "static loads push the structure along a rigid-body motion "
                                "that no joint holds for ever, that of %s, expected a support "
                                "or balanced loads",
                                model_motion_text(&model->spec, motion).text);
        }
    }
    return MASING_OK;
}

/* Rigid modes turned into those that joints resist, and the others. */
static enum masing_status fill_rigid(struct equilibrium *e, double *modal,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_model *model = e->model;
    size_t n_rigid = (size_t)model->structure->n_rigid;
    double *gram = memory_array(n_rigid * (n_rigid + 1), sizeof *gram);
    TRY_ALLOCATED(gram);
    double *sizes = gram + n_rigid * n_rigid;
    drop_round_off(model, modal);
    TRY(sort_rigid(model, modal, true, gram, sizes));
    TRY(check_unheld(model, gram, sizes, e->motions, error));
    TRY(sort_rigid(model, modal, false, gram, sizes));
    for (size_t i = 0; i < n_rigid; i++) {
        if (sizes[i] > UNRESISTED * sizes[n_rigid - 1]) {
            add_rigid(e, modal, gram + i * n_rigid, sqrt(sizes[i]));
        }
    }
done:
    free(gram);
    return status;
}

enum masing_status equilibrium_create(struct equilibrium *e, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_model *model = e->model;
    const struct structure *structure = model->structure;
    struct arena *arena = &e->arena, own = {0};
    size_t n_axes = (size_t)model->n_axes, n_rigid = (size_t)structure->n_rigid;
    size_t n_dofs = (size_t)structure->n_dofs, n = n_axes + n_rigid;
    e->n_axes = model->n_axes;
    e->compliance = arena_doubles(arena, n_axes * n_axes);
    e->linear = arena_doubles(arena, n_axes);
    e->rigid = arena_doubles(arena, n_axes * n_rigid);
    e->motions = arena_doubles(arena, n_dofs * n_rigid);
    e->shares = arena_doubles(arena, n_rigid * n_rigid);
    e->push = arena_doubles(arena, n_rigid);
    e->force = arena_doubles(arena, n_axes);
    e->last_digits = arena_doubles(arena, n_axes);
    e->gross = arena_doubles(arena, n_axes);
    e->digits = arena_doubles(arena, n_axes);
    e->ends = arena_doubles(arena, n_axes);
    e->tangent = arena_array(arena, n_axes, sizeof *e->tangent);
    e->reaction = arena_doubles(arena, n_axes);
    e->change = arena_doubles(arena, n_axes);
    e->residual = arena_doubles(arena, n);
    e->trial = arena_doubles(arena, n);
    e->unknowns = arena_doubles(arena, n);
    e->step = arena_doubles(arena, n);
    e->loads = arena_doubles(arena, n);
    e->jacobian = arena_doubles(arena, n * n);
    e->pivots = arena_array(arena, n, sizeof *e->pivots);
    e->active = arena_array(arena, n_axes, sizeof *e->active);
    double *scratch = arena_doubles(&own, n_dofs);
    double *modal = arena_doubles(&own, (size_t)structure->n_modes * n_axes);
    TRY_ALLOCATED(!arena->has_failed && !own.has_failed);
    for (size_t k = 0; k < (size_t)structure->n_modes; k++) {
        for (size_t a = 0; a < n_axes; a++) {
            modal[k + a * (size_t)structure->n_modes] =
                axis_value(&model->axes[a], structure->shapes + k * n_dofs);
        }
    }
    fill_elastic(e, modal, scratch);
    measure_ends(e);
    TRY(n_rigid > 0 ? fill_rigid(e, modal, error) : MASING_OK);
    e->n = e->n_axes + e->n_rigid;
done:
    arena_clear(&own);
    return status;
}

/* Not fmax alone, which would pass over what is not a number */
static void add_part(double sum, double gross, double *norm)
{
    double part = gross > 0 ? fabs(sum) / gross : 0;
    *norm = isfinite(sum) ? fmax(*norm, part) : INFINITY;
}

/* A stiff joint behind a gap takes a small difference of displacements: its force is known to
 * its stiffness times the displacement's last digits. This part of that product counts among
 * the terms, so that ACCEPTABLE allows for some of them. So does that of the motion of its
 * ends, of which nothing but last digits is left where they move alike, as in a ring of
 * contacts. */
static const double OF_LAST_DIGITS = 1e-4;

enum masing_status equilibrium_evaluate(struct equilibrium *e, const double *unknowns,
                                        double *norm)
{
    size_t n_axes = (size_t)e->n_axes;
    const double *w = unknowns, *q = unknowns + n_axes;
    *norm = 0;
    NEED(joint_forces(e, w));
    for (size_t i = 0; i < n_axes; i++) {
        const struct tangent *row = &e->tangent[i];
        double largest = 0; /* |T| |w| */
        for (int k = 0; k < row->count; k++) {
            largest += fabs(row->values[k] * w[row->first + k]);
        }
        e->last_digits[i] = OF_LAST_DIGITS * largest;
        e->residual[i] = w[i] - e->linear[i];
        e->gross[i] = fabs(w[i]) + fabs(e->linear[i]);
        e->digits[i] = OF_LAST_DIGITS * e->ends[i];
    }
    for (size_t j = 0; j < n_axes; j++) {
        const double *column = e->compliance + j * n_axes;
        for (size_t i = 0; i < n_axes; i++) {
            add_term(column[i] * e->force[j], &e->residual[i], &e->gross[i]);
            e->digits[i] += fabs(column[i] * e->last_digits[j]);
        }
    }
    for (size_t i = 0; i < n_axes; i++) {
        for (size_t r = 0; r < (size_t)e->n_rigid; r++) {
            add_term(-e->rigid[i + r * n_axes] * q[r], &e->residual[i], &e->gross[i]);
        }
        e->length = fmax(e->length, e->gross[i]);
        add_part(e->residual[i], e->gross[i] + e->digits[i], norm);
    }
    for (size_t r = 0; r < (size_t)e->n_rigid; r++) {
        double sum = e->push[r], gross = fabs(sum), digits = 0;
        for (size_t j = 0; j < n_axes; j++) {
            add_term(-e->rigid[j + r * n_axes] * e->force[j], &sum, &gross);
            digits += fabs(e->rigid[j + r * n_axes] * e->last_digits[j]);
        }
        e->residual[n_axes + r] = sum;
        add_part(sum, gross + digits, norm);
    }
    return MASING_OK;
}
