/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/joints.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "model/message.h"
#include "model/springs.h"

/* --- axes --------------------------------------------------------------------------------- */

void joint_axis_text(const struct masing_joint_spec *joint, int axis, char *text, size_t size)
{
    const char *name = masing_joint_spec_axis_name(joint, axis);
    if (joint->law->n_axes == 1) {
        snprintf(text, size, "%s", joint->name);
    } else if (*name) {
        snprintf(text, size, "%s_%s", joint->name, name);
    } else {
        snprintf(text, size, "%s_%d", joint->name, axis + 1);
    }
}

double axis_value(const struct masing_combination *axis, const double *x)
{
    double sum = 0.0;
    for (int t = 0; t < axis->n_terms; t++) {
        sum += axis->terms[t].weight * x[axis->terms[t].dof];
    }
    return sum;
}

void axis_shapes(const struct masing_model *model, int n_modes, const double *shapes,
                 double *axes)
{
    size_t n_dofs = (size_t)model->structure->n_dofs, n = (size_t)n_modes;
    for (size_t a = 0; a < (size_t)model->n_axes; a++) {
        for (size_t k = 0; k < n; k++) {
            axes[a * n + k] = axis_value(&model->axes[a], shapes + k * n_dofs);
        }
    }
}

/* --- springs ------------------------------------------------------------------------------ */

static void fill(const struct masing_law *law, const void *parameters, const double *at,
                 int n_axes, bool is_stuck, double *tangent)
{
    masing_law_stiffness(law, parameters, at, is_stuck, tangent);
    for (int i = 0; i < n_axes * n_axes; i++) {
        tangent[i] = isfinite(tangent[i]) ? tangent[i] : 0.0;
    }
}

void joint_stiffness(const struct joint *joint, bool is_stuck, double *tangent)
{
    fill(joint->law, joint->parameters, joint->static_displacement, joint->n_axes, is_stuck,
         tangent);
}

void joint_spec_stiffness(const struct masing_joint_spec *joint, const double *at,
                          bool is_stuck, double *tangent)
{
    fill(joint->law, joint->parameters, at, masing_joint_spec_axes(joint), is_stuck, tangent);
}

void joint_stiffness_matrix(const struct masing_spec *spec, const double *at, bool is_stuck,
                            int n_axes, double *matrix)
{
    size_t n = (size_t)n_axes, first = 0;
    memset(matrix, 0, sizeof *matrix * n * n);
    for (int j = 0; j < spec->n_joints; j++) {
        const struct masing_joint_spec *joint = &spec->joints[j];
        size_t m = (size_t)masing_joint_spec_axes(joint);
        double tangent[MASING_MAX_AXES * MASING_MAX_AXES];
        joint_spec_stiffness(joint, at ? at + first : NULL, is_stuck, tangent);
        for (size_t a = 0; a < m; a++) {
            memcpy(matrix + (first + a) * n + first, tangent + a * m, sizeof *matrix * m);
        }
        first += m;
    }
}

/* --- modes -------------------------------------------------------------------------------- */

static enum masing_status or_refuse(enum masing_status status, const struct masing_spec *spec,
                                    struct masing_error *error)
{
    return status == MASING_SINGULAR && spec->n_joints > 0
               ? model_refuse(spec, spec->joints[0].place, error,
                              "the stiffness of the joints cancels that of the structure")
               : status;
}

enum masing_status joint_modes(const struct masing_spec *spec,
                               const struct structure *structure, const double *at,
                               enum joint_state state, double shift, double *omega_squared,
                               double *shapes, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct springs springs = {0};
    TRY(springs_create(spec, structure, at, state, &springs, error));
    TRY(springs_modes(&springs, shift, omega_squared, shapes, error));
done:
    springs_clear(&springs);
    return or_refuse(status, spec, error);
}

/* Squares of motions that the joints do not hold but for rounding become 0; how many. */
static int drop_rigid(const struct springs *springs, double *squares)
{
    double rounding = springs_rounding(springs);
    int n_rigid = 0;
    while (n_rigid < springs->structure->n_rigid && fabs(squares[n_rigid]) <= rounding) {
        squares[n_rigid++] = 0.0;
    }
    return n_rigid;
}

enum masing_status joint_frequencies_spinning(const struct masing_spec *spec,
                                              const struct structure *structure,
                                              const double *at, enum joint_state state,
                                              const struct joint_spin *spin, double *omega,
                                              struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)structure->n_modes;
    struct springs springs = {0};
    memcpy(omega, structure->omega, n * sizeof *omega);
    if (spec->n_joints > 0 || structure->stiffening) {
        TRY(springs_create(spec, structure, at, state, &springs, error));
        springs.spin = *spin;
        TRY(springs_modes(&springs, structure->shift, omega, NULL, error));
        if (structure->n_far > 0) {
            int n_rigid = drop_rigid(&springs, omega);
            TRY(springs_refine(&springs, n_rigid, omega, error));
        }
        for (size_t k = 0; k < n; k++) {
            omega[k] = sqrt(fmax(omega[k], 0));
        }
    }
done:
    springs_clear(&springs);
    return or_refuse(status, spec, error);
}

enum masing_status joint_frequencies(const struct masing_spec *spec,
                                     const struct structure *structure, const double *at,
                                     enum joint_state state, double *omega,
                                     struct masing_error *error)
{
    const struct joint_spin none = {0};
    return joint_frequencies_spinning(spec, structure, at, state, &none, omega, error);
}

/* --- modes with the joints stuck ---------------------------------------------------------- */

/* Damping between two modes that is this small beside their own is none. */
static const double UNCOUPLED = 1e-10;

/* omega [n_modes], or NULL; squares [n_modes], or NULL; shapes as for joint_modes, or NULL. */
static enum masing_status find_modes(const struct masing_model *model, const double *at,
                                     enum joint_state state, double *omega, double *squares,
                                     double *shapes, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &model->spec;
    double shift = fmax(spec->omega_from, spec->omega_to);
    TRY(omega ? joint_frequencies(spec, model->structure, at, state, omega, error) : MASING_OK);
    TRY(shapes ? joint_modes(spec, model->structure, at, state, shift * shift, squares, shapes,
                             error)
               : MASING_OK);
done:
    return status == MASING_OK
               ? status
               : masing_error_set(error, status, "the modes with the joints %s: %s",
                                  state == JOINT_STUCK ? "stuck" : "free",
                                  masing_status_name(status));
}

enum masing_status free_shapes(const struct masing_model *model, double *shapes,
                               struct masing_error *error)
{
    return find_modes(model, model->static_displacement, JOINT_FREE, NULL, NULL, shapes, error);
}

enum masing_status unpressed_mode(const struct masing_model *model, const double *stuck,
                                  double *shape, double *omega, bool *is_other,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)model->structure->n_modes, n_axes = (size_t)model->n_axes, nearest = 0;
    double *shapes = memory_array(n * n + n + n_axes, sizeof *shapes), overlap = 0.0;
    TRY_ALLOCATED(shapes);
    double *squares = shapes + n * n, *at = squares + n;
    *is_other = false;
    for (int j = 0; j < model->spec.n_joints; j++) {
        const struct joint *joint = &model->joints[j];
        size_t first = (size_t)joint->first_axis, count = (size_t)joint->n_axes;
        bool is_elastic =
            !joint->law->contact && masing_law_state_size(joint->law, joint->parameters) == 0;
        *is_other =
            *is_other || (is_elastic && !dense_is_zero(count, joint->static_displacement));
        for (size_t a = first; a < first + count && !is_elastic; a++) {
            at[a] = model->static_displacement[a];
        }
    }
    if (!*is_other) {
        goto done;
    }
    TRY(find_modes(model, at, JOINT_STUCK, NULL, squares, shapes, error));
    for (size_t k = 0; k < n; k++) {
        double part = dense_dot((int)n, shapes + k * n, stuck);
        if (squares[k] > 0.0 && fabs(part) > fabs(overlap)) {
            nearest = k;
            overlap = part;
        }
    }
    *is_other = overlap != 0.0;
    *omega = sqrt(fmax(squares[nearest], 0.0));
    for (size_t i = 0; i < n; i++) {
        shape[i] = copysign(1.0, overlap) * shapes[nearest * n + i];
    }
done:
    free(shapes);
    return status;
}

enum masing_status stuck_modes_create(const struct masing_model *model,
                                      struct stuck_modes **created, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = model->structure;
    size_t n = (size_t)structure->n_modes;
    const double *at = model->static_displacement;
    struct stuck_modes *modes = memory_array(1, sizeof *modes);
    TRY_ALLOCATED(modes);
    if (structure->flexibility) {
        TRY(masing_error_set(error, MASING_UNSUPPORTED,
                             "modes of a structure with massless DOFs are not supported yet; "
                             "give every DOF some mass"));
    }
    modes->n = (int)n;
    TRY_ALLOCATED(modes->omega = memory_array(n * (n + 3), sizeof *modes->omega));
    modes->free = modes->omega + n;
    modes->square = modes->free + n;
    modes->shapes = modes->square + n;
    TRY(find_modes(model, at, JOINT_FREE, modes->free, NULL, NULL, error));
    TRY(find_modes(model, at, JOINT_STUCK, modes->omega, modes->square, modes->shapes, error));
    while (modes->n_rigid < modes->n && modes->omega[modes->n_rigid] == 0.0) {
        modes->square[modes->n_rigid++] = 0.0; /* or what rounding leaves of it */
    }
done:
    if (status != MASING_OK) {
        stuck_modes_destroy(modes);
        modes = NULL;
    }
    *created = modes;
    return status;
}

void stuck_modes_destroy(struct stuck_modes *modes)
{
    if (modes) {
        free(modes->omega);
        free(modes);
    }
}

enum masing_status stuck_modes_check(const struct stuck_modes *modes,
                                     const struct masing_model *model, int number,
                                     struct masing_place place, const char *what,
                                     struct masing_error *error)
{
    int count = stuck_modes_count(modes);
    if (number >= 1 && number <= count) {
        return MASING_OK;
    }
    return model_refuse(&model->spec, place, error,
                        "%s: %d, expected 1 to %d: so many modes does the structure have with "
                        "its joints stuck, rigid-body modes not counted",
                        what, number, count);
}

/* phi_a^T C phi_b */
static double damping_between(const struct stuck_modes *modes, const struct masing_model *model,
                              int a, int b)
{
    const struct structure *structure = model->structure;
    size_t n = (size_t)modes->n;
    const double *left = modes->shapes + (size_t)a * n, *right = modes->shapes + (size_t)b * n;
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        if (!structure->damping_matrix) {
            sum += left[i] * right[i] * structure->modal_damping[i];
            continue;
        }
        for (size_t j = 0; j < n; j++) {
            sum += left[i] * structure->damping_matrix[i + j * n] * right[j];
        }
    }
    return sum;
}

double stuck_modes_damping(const struct stuck_modes *modes, const struct masing_model *model,
                           int index)
{
    return damping_between(modes, model, index, index) / (2.0 * modes->omega[index]);
}

bool stuck_modes_are_apart(const struct stuck_modes *modes, const struct masing_model *model,
                           int a, int b)
{
    if (model->spec.n_joints > 0) {
        return false;
    }
    double own = damping_between(modes, model, a, a) + damping_between(modes, model, b, b);
    return fabs(damping_between(modes, model, a, b)) <= UNCOUPLED * own;
}
