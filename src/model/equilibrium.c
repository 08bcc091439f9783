/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/equilibrium.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "model/joints.h"
#include "model/message.h"

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

enum masing_status equilibrium_is_at_rest(const struct masing_model *model, bool *is_at_rest,
                                          struct masing_error *error)
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
    size_t n_dofs = (size_t)structure->n_dofs;
    double *motion = e->motions + (size_t)e->n_rigid * n_dofs;
    e->push[e->n_rigid++] = push_along(model, c, motion, &gross) / size;
    for (size_t i = 0; i < n_dofs; i++) {
        motion[i] /= size;
    }
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
    TRY(check_unheld(model, gram, sizes, e->motions, error));
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
                 {&e->motions, (size_t)model->structure->n_dofs * n_rigid},
                 {&e->push, n_rigid},
                 {&e->force, n_axes},
                 {&e->last_digits, n_axes},
                 {&e->tangent, n_axes * n_axes},
                 {&e->reaction, n_axes},
                 {&e->change, n_axes},
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

enum masing_status equilibrium_create(const struct masing_model *model, struct equilibrium *e,
                                      struct masing_error *error)
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

void equilibrium_clear(struct equilibrium *e)
{
    free(e->memory);
    free(e->pivots);
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

/* |T| |w| of one joint's axis. */
static double largest_force(const struct equilibrium *e, const double *w, size_t axis)
{
    size_t n_axes = (size_t)e->n_axes;
    double sum = 0;
    for (size_t k = 0; k < n_axes; k++) {
        sum += fabs(e->tangent[axis + k * n_axes] * w[k]);
    }
    return sum;
}

enum masing_status equilibrium_evaluate(const struct masing_model *model,
                                        const double *unknowns, struct equilibrium *e,
                                        double *norm)
{
    enum masing_status status = MASING_OK;
    size_t n_axes = (size_t)e->n_axes;
    const double *w = unknowns, *q = unknowns + n_axes;
    *norm = 0;
    TRY(joint_forces(model, w, e->scratch, e->force, e->tangent));
    for (size_t j = 0; j < n_axes; j++) {
        e->last_digits[j] = OF_LAST_DIGITS * largest_force(e, w, j);
    }
    for (size_t i = 0; i < n_axes; i++) {
        double sum = w[i] - e->linear[i], gross = fabs(w[i]) + fabs(e->linear[i]), digits = 0;
        for (size_t j = 0; j < n_axes; j++) {
            double compliance = e->compliance[i + j * n_axes];
            add_term(compliance * e->force[j], &sum, &gross);
            digits += fabs(compliance * e->last_digits[j]);
        }
        for (size_t r = 0; r < (size_t)e->n_rigid; r++) {
            add_term(-e->rigid[i + r * n_axes] * q[r], &sum, &gross);
        }
        e->residual[i] = sum;
        e->length = fmax(e->length, gross);
        add_part(sum, gross + digits, norm);
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
done:
    return status;
}
