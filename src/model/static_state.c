/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "linalg/lu.h"
#include "model/joints.h"
#include "model/message.h"
#include "model/seal.h"

/* --- equations ---------------------------------------------------------------------------- */

/*
 * Equations of the static state, joints on their virgin curves. In the displacements w of the
 * joints' axes and the rigid-body coordinates q that joints resist:
 *   w + H g(w) - w_linear - B^T q = 0,   p - B g(w) = 0,
 * H the elastic compliance between the axes, B the rigid-body modes at the axes, p the static
 * loads on them.
 */
struct equilibrium {
    int n_axes, n_rigid, n; /* n = n_axes + n_rigid unknowns (w, q) */
    double *memory;         /* of the following */
    double *compliance;     /* H [n_axes * n_axes] */
    double *linear;         /* w_linear [n_axes] */
    double *rigid;          /* B^T [n_axes * n_rigid], each column of unit length */
    double *push;           /* p [n_rigid], scaled alike */
    double *force;          /* g [n_axes] */
    double *tangent;        /* [n_axes * n_axes] column-major, block diagonal */
    double *residual, *trial, *unknowns, *step; /* [n] */
    double *loads;                              /* [n] w_linear and p of all loads */
    double *jacobian;                           /* [n * n] */
    int *pivots;
    double *scratch;                /* of one joint */
    double length, load, stiffness; /* scales: of w, of p and g, of the joints' tangents */
};

/* rigid-body motions that joints resist less than this, relative to the others, are free */
static const double UNRESISTED = 1e-12;
/* of a rigid-body shape, whose displacements should be equal */
static const double EQUAL_DISPLACEMENTS = 1e-10;
/* static loads along a motion sum to no more than this part of their sizes: balanced */
static const double BALANCED = 1e-9;

/* Memory of one joint, lent from the scratch of all. */
struct joint_memory {
    double *zero, *origin, *force; /* [n] */
    double *fx, *fv;               /* [n * n] */
    double *state, *next;
};

static size_t joint_scratch(const struct joint *joint)
{
    size_t n = (size_t)joint->n_axes;
    return 3 * n + 3 * n * n +
           2 * joint->law->family->state_size(joint->law, joint->parameters);
}

static struct joint_memory joint_memory(const struct joint *joint, double *scratch)
{
    size_t n = (size_t)joint->n_axes;
    size_t n_state = joint->law->family->state_size(joint->law, joint->parameters);
    struct joint_memory memory = {
        .zero = scratch, .origin = scratch + n, .force = scratch + 2 * n};
    memory.fx = scratch + 3 * n;
    memory.fv = memory.fx + n * n;
    memory.state = memory.fv + n * n;
    memory.next = memory.state + n_state;
    memset(memory.zero, 0, n * sizeof *memory.zero);
    return memory;
}

/* Force at w of a joint whose sliders started at an origin. */
static enum masing_status force_from(const struct joint *joint, const double *origin,
                                     const double *w, const struct joint_memory *memory,
                                     double *f, double *fx)
{
    const struct masing_family *family = joint->law->family;
    family->rest(joint->law, joint->parameters, origin, memory->state);
    return family->step(joint->law, joint->parameters, origin, w, memory->zero, memory->state,
                        memory->next, f, fx, memory->fv);
}

/*
 * Sliders that follow the motion resist nothing: what the tangent has of them goes, which is
 * all where a law of one axis has a state. Of several axes one feels them if its force depends
 * on where it started.
 */
static enum masing_status drop_slider_tangents(const struct joint *joint, const double *w,
                                               const double *f,
                                               const struct joint_memory *memory, double *fx)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)joint->n_axes;
    if (n == 1) {
        fx[0] = memory->next > memory->state ? 0.0 : fx[0];
        return MASING_OK;
    }
    for (size_t a = 0; a < n; a++) {
        memcpy(memory->origin, w, n * sizeof *w);
        memory->origin[a] += 1.0;
        TRY(force_from(joint, memory->origin, w, memory, memory->force, memory->fx));
        for (size_t i = 0; i < n && memory->force[a] != f[a]; i++) {
            fx[a * n + i] = fx[i * n + a] = 0.0;
        }
    }
done:
    return status;
}

/* Force of one joint at w from rest, and its tangent. Sliders stand at zero, or (`start:
 * static`) follow w. */
static enum masing_status joint_force(const struct joint *joint, bool sliders_follow,
                                      const double *w, double *scratch, double *f, double *fx)
{
    enum masing_status status = MASING_OK;
    struct joint_memory memory = joint_memory(joint, scratch);
    TRY(force_from(joint, sliders_follow ? w : memory.zero, w, &memory, f, fx));
    if (sliders_follow) {
        TRY(drop_slider_tangents(joint, w, f, &memory, fx));
    }
done:
    return status;
}

static size_t largest_scratch(const struct masing_model *model)
{
    size_t largest = 0;
    for (int j = 0; j < model->spec.n_joints; j++) {
        size_t size = joint_scratch(&model->joints[j]);
        largest = size > largest ? size : largest;
    }
    return largest;
}

static enum masing_status joint_forces(const struct masing_model *model, const double *w,
                                       double *scratch, double *force, double *tangent)
{
    enum masing_status status = MASING_OK;
    size_t n_axes = (size_t)model->n_axes;
    bool sliders_follow = model->spec.start == MASING_START_STATIC;
    for (int j = 0; j < model->spec.n_joints; j++) {
        const struct joint *joint = &model->joints[j];
        size_t n = (size_t)joint->n_axes, first = (size_t)joint->first_axis;
        double *fx = scratch, *rest = scratch + n * n;
        TRY(joint_force(joint, sliders_follow, w + first, rest, force + first, fx));
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < n; k++) {
                tangent[first + i + (first + k) * n_axes] = fx[i * n + k];
            }
        }
    }
done:
    return status;
}

/* Whether nothing acts: no static load, and no force of a joint at rest. */
static enum masing_status equilibrium_is_at_rest(const struct masing_model *model,
                                                 bool *is_at_rest, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double *scratch = memory_array(largest_scratch(model), sizeof *scratch);
    TRY_ALLOCATED(scratch);
    *is_at_rest = model->spec.n_static_loads == 0;
    for (int j = 0; *is_at_rest && j < model->spec.n_joints; j++) {
        static const double zero[MASING_MAX_AXES];
        double f[MASING_MAX_AXES], fx[MASING_MAX_AXES * MASING_MAX_AXES];
        const struct joint *joint = &model->joints[j];
        TRY(joint_force(joint, false, zero, scratch, f, fx));
        for (int a = 0; a < joint->n_axes; a++) {
            *is_at_rest = *is_at_rest && f[a] == 0.0;
        }
    }
done:
    free(scratch);
    return status;
}

static void add_term(double term, double *sum, double *gross)
{
    *sum += term;
    *gross += fabs(term);
}

/* H and w_linear from the elastic modes and the flexibility of massless DOFs.
 * axes [n_dofs * n_axes], modal [n_modes * n_axes], scratch [n_dofs * n_axes] */
static void fill_elastic(const struct masing_model *model, const double *axes,
                         const double *modal, double *scratch, struct equilibrium *e)
{
    const struct structure *structure = model->structure;
    size_t n_dofs = (size_t)structure->n_dofs, n_modes = (size_t)structure->n_modes;
    size_t n_axes = (size_t)e->n_axes;
    if (structure->flexibility) {
        dense_multiply((int)n_dofs, (int)n_axes, (int)n_dofs, structure->flexibility, axes,
                       scratch);
        dense_multiply_transposed((int)n_axes, (int)n_axes, (int)n_dofs, axes, scratch,
                                  e->compliance);
        dense_multiply_transposed((int)n_axes, 1, (int)n_dofs, scratch, model->static_force,
                                  e->linear);
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

/* Static force along a combination of the rigid modes with coefficients c [n_rigid]. */
static double push_along(const struct masing_model *model, const double *c, double *gross)
{
    const struct structure *structure = model->structure;
    size_t n_dofs = (size_t)structure->n_dofs;
    double push = 0;
    *gross = 0;
    for (size_t i = 0; i < n_dofs; i++) {
        double motion = 0;
        for (size_t r = 0; r < (size_t)structure->n_rigid; r++) {
            motion += c[r] * structure->shapes[i + r * n_dofs];
        }
        add_term(motion * model->static_force[i], &push, gross);
    }
    return push;
}

/* A rigid-body motion that joints resist: c combines the rigid modes. */
static void add_rigid(const struct masing_model *model, const double *modal, const double *c,
                      double size, struct equilibrium *e)
{
    const struct structure *structure = model->structure;
    size_t n_modes = (size_t)structure->n_modes;
    double gross;
    double *column = e->rigid + (size_t)e->n_rigid * (size_t)e->n_axes;
    for (size_t a = 0; a < (size_t)e->n_axes; a++) {
        for (size_t r = 0; r < (size_t)structure->n_rigid; r++) {
            column[a] += c[r] * modal[r + a * n_modes] / size;
        }
    }
    e->push[e->n_rigid++] = push_along(model, c, &gross) / size;
    /* the stiffness of this motion's mass at the frequencies of interest: a scale where laws
     * have no tangent of their own yet */
    e->stiffness = fmax(e->stiffness, pow(model->spec.omega_to / size, 2));
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

/* Static loads must leave motions alone that no joint holds. */
static enum masing_status check_unheld(const struct masing_model *model, const double *gram,
                                       const double *sizes, struct masing_error *error)
{
    size_t n_rigid = (size_t)model->structure->n_rigid;
    for (size_t i = 0; i < n_rigid && !(sizes[i] > UNRESISTED * sizes[n_rigid - 1]); i++) {
        double gross, push = push_along(model, gram + i * n_rigid, &gross);
        if (fabs(push) > BALANCED * gross) {
            return model_refuse(&model->spec, model->spec.static_loads[0].place, error,
                                "static loads push the structure along a rigid-body motion "
                                "that no joint holds for ever, expected a support or balanced "
                                "loads");
        }
    }
    return MASING_OK;
}

/* Rigid modes turned into those that joints resist, and the others. */
static enum masing_status fill_rigid(const struct masing_model *model, double *modal,
                                     struct equilibrium *e, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_rigid = (size_t)model->structure->n_rigid;
    double *gram = memory_array(n_rigid * n_rigid, sizeof *gram);
    double *sizes = memory_array(n_rigid, sizeof *sizes);
    TRY_ALLOCATED(gram && sizes);
    drop_round_off(model, modal);
    TRY(sort_rigid(model, modal, true, gram, sizes));
    TRY(check_unheld(model, gram, sizes, error));
    TRY(sort_rigid(model, modal, false, gram, sizes));
    for (size_t i = 0; i < n_rigid; i++) {
        if (sizes[i] > UNRESISTED * sizes[n_rigid - 1]) {
            add_rigid(model, modal, gram + i * n_rigid, sqrt(sizes[i]), e);
        }
    }
done:
    free(gram);
    free(sizes);
    return status;
}

static enum masing_status allocate(const struct masing_model *model, struct equilibrium *e,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_axes = (size_t)e->n_axes, n_rigid = (size_t)model->structure->n_rigid;
    size_t n = n_axes + n_rigid, total = 0;
    const struct {
        double **array;
        size_t count;
    } parts[] = {{&e->compliance, n_axes * n_axes},
                 {&e->linear, n_axes},
                 {&e->rigid, n_axes * n_rigid},
                 {&e->push, n_rigid},
                 {&e->force, n_axes},
                 {&e->tangent, n_axes * n_axes},
                 {&e->residual, n},
                 {&e->trial, n},
                 {&e->unknowns, n},
                 {&e->step, n},
                 {&e->jacobian, n * n},
                 {&e->loads, n},
                 {&e->scratch, largest_scratch(model)}};
    enum { N_PARTS = sizeof parts / sizeof *parts };
    for (int i = 0; i < N_PARTS; i++) {
        total += parts[i].count;
    }
    e->memory = memory_array(total, sizeof *e->memory);
    e->pivots = memory_array(n, sizeof *e->pivots);
    TRY_ALLOCATED(e->memory && e->pivots);
    double *next = e->memory;
    for (int i = 0; i < N_PARTS; i++) {
        *parts[i].array = next;
        next += parts[i].count;
    }
done:
    return status;
}

/* Structure, joints and static_force of the model must be there. Cleared by the caller also
 * when it fails. Refuses loads along a rigid-body motion that no joint resists. */
static enum masing_status equilibrium_create(const struct masing_model *model,
                                             struct equilibrium *e, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = model->structure;
    int n_dofs = structure->n_dofs;
    *e = (struct equilibrium){.n_axes = model->n_axes};
    size_t size = (size_t)n_dofs * (size_t)e->n_axes;
    double *axes = memory_array(2 * size, sizeof *axes);
    double *modal = memory_array((size_t)structure->n_modes * (size_t)e->n_axes, sizeof *modal);
    TRY_ALLOCATED(axes && modal);
    TRY(allocate(model, e, error));
    joint_axes(&model->spec, axes);
    dense_multiply_transposed(structure->n_modes, e->n_axes, n_dofs, structure->shapes, axes,
                              modal);
    fill_elastic(model, axes, modal, axes + size, e);
    if (structure->n_rigid > 0) {
        TRY(fill_rigid(model, modal, e, error));
    }
    e->n = e->n_axes + e->n_rigid;
done:
    free(axes);
    free(modal);
    return status;
}

/* Not fmax alone, which would pass over what is not a number */
static void add_part(double sum, double gross, double *norm)
{
    double part = gross > 0 ? fabs(sum) / gross : 0;
    *norm = isfinite(sum) ? fmax(*norm, part) : INFINITY;
}

/* Residual, force and tangent at some unknowns [n]; norm: the residual's largest part relative
 * to the terms it is the sum of. */
static enum masing_status equilibrium_evaluate(const struct masing_model *model,
                                               const double *unknowns, struct equilibrium *e,
                                               double *norm)
{
    enum masing_status status = MASING_OK;
    size_t n_axes = (size_t)e->n_axes;
    const double *w = unknowns, *q = unknowns + n_axes;
    *norm = 0;
    TRY(joint_forces(model, w, e->scratch, e->force, e->tangent));
    for (size_t i = 0; i < n_axes; i++) {
        double sum = w[i] - e->linear[i], gross = fabs(w[i]) + fabs(e->linear[i]);
        for (size_t j = 0; j < n_axes; j++) {
            add_term(e->compliance[i + j * n_axes] * e->force[j], &sum, &gross);
        }
        for (size_t r = 0; r < (size_t)e->n_rigid; r++) {
            add_term(-e->rigid[i + r * n_axes] * q[r], &sum, &gross);
        }
        e->residual[i] = sum;
        e->length = fmax(e->length, gross);
        add_part(sum, gross, norm);
    }
    for (size_t r = 0; r < (size_t)e->n_rigid; r++) {
        double sum = e->push[r], gross = fabs(sum);
        for (size_t j = 0; j < n_axes; j++) {
            add_term(-e->rigid[j + r * n_axes] * e->force[j], &sum, &gross);
        }
        e->residual[n_axes + r] = sum;
        add_part(sum, gross, norm);
    }
done:
    return status;
}

/* --- Newton's method ---------------------------------------------------------------------- */

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

/* The longest of 1, 1/2, ... of the step at which the residual does not grow is taken. */
static bool take_step(const struct masing_model *model, struct equilibrium *e, double *norm)
{
    double length = e->length, load = e->load, old = merit(e, length, load);
    double part = 1;
    for (int halving = 0; halving < MOST_HALVINGS; halving++, part /= 2) {
        double trial_norm;
        for (int i = 0; i < e->n; i++) {
            e->trial[i] = e->unknowns[i] + part * e->step[i];
        }
        if (equilibrium_evaluate(model, e->trial, e, &trial_norm) == MASING_OK &&
            isfinite(trial_norm) && merit(e, length, load) <= old * (1 + SAME_MERIT)) {
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
    for (int i = 0; i < MOST_ITERATIONS && norm > TOLERANCE; i++) {
        bool has_step = newton_step(e, delta) == MASING_OK;
        bool is_better = has_step && take_step(model, e, &norm);
        if (!is_better) {
            if (norm <= ACCEPTABLE || e->n_rigid == 0 || !(e->stiffness > 0)) {
                break;
            }
            double old_norm;
            equilibrium_evaluate(model, e->unknowns, e, &old_norm);
        }
        double least = LEAST_RELAXATION * e->stiffness;
        delta = is_better ? (delta > least ? delta / 10 : 0) : fmax(10 * delta, least);
    }
    return norm <= ACCEPTABLE;
}

/* The loads all at once, else in steps, each starting from the one before. */
static bool find(const struct masing_model *model, struct equilibrium *e)
{
    enum { N_STEPS = 32 };
    size_t n_axes = (size_t)e->n_axes;
    if (solve(model, e)) {
        return true;
    }
    memcpy(e->loads, e->linear, n_axes * sizeof *e->loads);
    memcpy(e->loads + n_axes, e->push, (size_t)e->n_rigid * sizeof *e->loads);
    memset(e->unknowns, 0, (size_t)e->n * sizeof *e->unknowns);
    for (int step = 1; step <= N_STEPS; step++) {
        double part = (double)step / N_STEPS;
        for (size_t i = 0; i < n_axes; i++) {
            e->linear[i] = part * e->loads[i];
        }
        for (size_t r = 0; r < (size_t)e->n_rigid; r++) {
            e->push[r] = part * e->loads[n_axes + r];
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
    double norm = 0;
    size_t n_axes = (size_t)model->n_axes;
    model->static_displacement = memory_array(n_axes, sizeof *model->static_displacement);
    TRY_ALLOCATED(model->static_displacement);
    bool is_at_rest = false;
    TRY(equilibrium_is_at_rest(model, &is_at_rest, error));
    if (is_at_rest) {
        return MASING_OK;
    }
    TRY(equilibrium_create(model, &e, error));
    TRY(equilibrium_evaluate(model, e.unknowns, &e, &norm));
    set_scales(model, &e);
    if (norm > 0 && !find(model, &e)) {
        TRY(refuse_equilibrium(model, error));
    }
    memcpy(model->static_displacement, e.unknowns, n_axes * sizeof *e.unknowns);
done:
    free(e.memory);
    free(e.pivots);
    return status;
}
