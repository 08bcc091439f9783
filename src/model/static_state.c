/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The static state of a structure with joints: its equations, their solution, what is missing.
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

/* --- equations ---------------------------------------------------------------------------- */

/* A row of the joints' tangents. */
struct tangent {
    int first, count; /* axes of the same joint */
    double values[MASING_MAX_AXES];
};

/*
 * Equations of the static state, joints on their virgin curves. In the displacements w of the
 * joints' axes and the rigid-body coordinates q that joints resist:
 *   w + H g(w) - w_linear - B^T q = 0,   p - B g(w) = 0,
 * H the elastic compliance between the axes, B the rigid-body modes at the axes, p the static
 * loads on them.
 */
struct equilibrium {
    const struct masing_model *model;
    struct arena arena;      /* of all arrays */
    int n_axes, n_rigid, n;  /* n = n_axes + n_rigid unknowns (w, q) */
    double *compliance;      /* H [n_axes * n_axes] */
    double *linear;          /* w_linear [n_axes] */
    double *rigid;           /* B^T [n_axes * n_rigid], each column of unit length */
    double *motions;         /* [n_dofs * n_rigid] of the DOFs in these rigid-body modes */
    double *push;            /* p [n_rigid], scaled alike */
    double *force;           /* g [n_axes] */
    double *last_digits;     /* [n_axes] of it, see OF_LAST_DIGITS */
    double *gross, *digits;  /* [n_axes] of the residual's terms */
    struct tangent *tangent; /* [n_axes] */
    double *reaction;        /* f [n_axes] of the descent, w = w_linear + B^T q - H f */
    double *change;          /* [n_axes] a step of it */
    double *residual, *trial, *unknowns, *step; /* [n] */
    double *loads;                              /* [n] w_linear and p of all loads */
    double *jacobian;                           /* [n * n] */
    int *pivots, *active; /* [n_active] ascending axes that change forces */
    int n_active;
    double *states;                 /* of one joint: before and after */
    double length, load, stiffness; /* scales: of w, of p and g, of the joints' tangents */
};

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

/* Whether nothing acts: no static load, and no force of a joint at rest. */
static enum masing_status find_rest(struct equilibrium *e, bool *is_at_rest)
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
            const double *column = flexibility + (size_t)term.dof * n_dofs;
            for (size_t i = 0; i < n_dofs; i++) {
                scratch[i] += term.weight * column[i];
            }
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

/* All but the states. Refuses loads along a rigid-body motion that no joint resists. */
static enum masing_status create(struct equilibrium *e, struct masing_error *error)
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
    e->push = arena_doubles(arena, n_rigid);
    e->force = arena_doubles(arena, n_axes);
    e->last_digits = arena_doubles(arena, n_axes);
    e->gross = arena_doubles(arena, n_axes);
    e->digits = arena_doubles(arena, n_axes);
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
 * the terms, so that ACCEPTABLE allows for some of them. */
static const double OF_LAST_DIGITS = 1e-4;

/* Residual, force and tangent at some unknowns [n]; norm: the residual's largest part relative
 * to the terms it is the sum of. */
static enum masing_status evaluate(struct equilibrium *e, const double *unknowns, double *norm)
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
        e->digits[i] = 0;
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
    return evaluate(e, e->trial, norm) == MASING_OK && isfinite(*norm);
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
    if (part == 0 && evaluate(e, e->unknowns, &trial_norm) == MASING_OK) {
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
    if (evaluate(e, e->unknowns, &norm) != MASING_OK) {
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
            evaluate(e, e->unknowns, &same);
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
    TRY(evaluate(e, e->unknowns, &norm));
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
                                          double *displacement, double *reaction,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct equilibrium e = {.model = model};
    double tangent[MASING_MAX_AXES * MASING_MAX_AXES], norm = 0;
    size_t n_axes = (size_t)model->n_axes, n_states = 0;
    bool is_at_rest = false;
    memset(displacement, 0, n_axes * sizeof *displacement);
    memset(reaction, 0, n_axes * sizeof *reaction);
    for (int j = 0; j < model->spec.n_joints; j++) {
        size_t size = state_size(&model->joints[j]);
        n_states = size > n_states ? size : n_states;
    }
    TRY_ALLOCATED(e.states = arena_doubles(&e.arena, 2 * n_states));
    TRY(find_rest(&e, &is_at_rest));
    if (is_at_rest) {
        goto done;
    }
    TRY(create(&e, error));
    TRY(evaluate(&e, e.unknowns, &norm));
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
    TRY(evaluate(&e, e.unknowns, &norm));
    memcpy(displacement, e.unknowns, n_axes * sizeof *displacement);
    memcpy(reaction, e.force, n_axes * sizeof *reaction);
done:
    arena_clear(&e.arena);
    return status;
}

enum masing_status seal_static_state(struct masing_model *model, struct masing_error *error)
{
    size_t n_axes = (size_t)model->n_axes;
    model->static_displacement = arena_doubles(&model->arena, n_axes);
    model->static_reaction = arena_doubles(&model->arena, n_axes);
    NEED_ALLOCATED(!model->arena.has_failed);
    NEED(seal_find_static_state(model, model->static_displacement, model->static_reaction,
                                error));
    for (int j = 0; j < model->spec.n_joints; j++) {
        struct joint *joint = &model->joints[j];
        joint->static_displacement = model->static_displacement + joint->first_axis;
        joint->static_force = model->static_reaction + joint->first_axis;
    }
    return MASING_OK;
}
