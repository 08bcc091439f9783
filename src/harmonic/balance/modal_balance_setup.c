/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done once for a modal balance: stuck modes, matrices in them, joints. */
#include "harmonic/balance/modal_balance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "model/joints.h"
#include "model/message.h"

/* Shares of omega_stuck^2 that hold the mean of a rigid-body mode of the structure without
 * joints, where nothing determines it and where equilibrium does; see balance_setup.c. */
static const double FIRM_STIFFNESS = 1e-2, WEAK_STIFFNESS = 1e-9;

static enum masing_status refuse_what_is_not_there(const struct masing_model *model,
                                                   struct masing_error *error)
{
    const struct masing_spec *spec = &model->spec;
    bool has_first = false;
    for (int k = 0; k < spec->n_harmonics; k++) {
        has_first = has_first || spec->harmonics[k] == 1;
    }
    if (!has_first) {
        return model_refuse(spec, spec->harmonics_place, error,
                            "harmonics: a nonlinear mode needs harmonic 1, expected it in the "
                            "list");
    }
    if (model->structure->flexibility) {
        masing_error_set(error, MASING_UNSUPPORTED,
                         "nonlinear modes of a structure with massless DOFs are not supported "
                         "yet; give every DOF some mass");
        return MASING_UNSUPPORTED;
    }
    return MASING_OK;
}

/* shapes of the stuck modes [n_modes * n_modes] in the modal coordinates of the structure */
static enum masing_status find_modes(struct modal_balance *made, int number, double *shapes,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = made->model->structure;
    struct stuck_modes *modes = NULL;
    size_t n = (size_t)made->n_modes;
    TRY(stuck_modes_create(made->model, &modes, error));
    TRY(stuck_modes_check(modes, made->model, number, made->model->spec.mode.number_place,
                          "mode.number", error));
    memcpy(made->omega_squared, modes->square, n * sizeof *made->omega_squared);
    memcpy(shapes, modes->shapes, n * n * sizeof *shapes);
    made->target = modes->n_rigid + number - 1;
    made->omega_stuck = sqrt(made->omega_squared[made->target]);
    dense_multiply(structure->n_dofs, (int)n, (int)n, structure->shapes, shapes, made->shapes);
done:
    stuck_modes_destroy(modes);
    return status;
}

/* out [n_modes] = pattern of DOFs in the stuck modes */
static void project(const struct modal_balance *made, const double *pattern, double *out)
{
    int n_dofs = made->model->structure->n_dofs;
    for (int k = 0; k < made->n_modes; k++) {
        out[k] = dense_dot(n_dofs, made->shapes + (size_t)k * (size_t)n_dofs, pattern);
    }
}

/* Whether a spring or a static load decides about means. */
static bool is_held_by_equilibrium(const struct modal_balance *made)
{
    for (int j = 0; j < made->n_joints; j++) {
        const struct joint *joint = &made->model->joints[j];
        if (masing_law_restraint(joint->law, joint->parameters) == MASING_RESTRAINT_SPRING) {
            return true;
        }
    }
    return made->static_size > 0.0;
}

/* matrix [n * n] = shapes^T matrix shapes; product [n * n] is scratch */
static void turn(int n, const double *shapes, double *matrix, double *product)
{
    dense_multiply(n, n, n, matrix, shapes, product);
    dense_multiply_transposed(n, n, n, shapes, product, matrix);
}

static void fill_matrices(struct modal_balance *made, const double *shapes, double *product)
{
    const struct structure *structure = made->model->structure;
    size_t n = (size_t)made->n_modes;
    double share = is_held_by_equilibrium(made) ? WEAK_STIFFNESS : FIRM_STIFFNESS;
    double restraint = share * made->omega_stuck * made->omega_stuck;
    if (structure->damping_matrix) {
        memcpy(made->damping, structure->damping_matrix, sizeof(double) * n * n);
    }
    for (size_t k = 0; k < n; k++) {
        double square = structure->omega[k] * structure->omega[k];
        made->stiffness[k * n + k] = square;
        made->mean_stiffness[k * n + k] = (int)k < structure->n_rigid ? restraint : square;
        if (!structure->damping_matrix) {
            made->damping[k * n + k] = structure->modal_damping[k];
        }
    }
    turn((int)n, shapes, made->stiffness, product);
    turn((int)n, shapes, made->mean_stiffness, product);
    turn((int)n, shapes, made->damping, product);
    for (size_t k = 0; k < (size_t)made->basis->n_harmonics; k++) {
        double h = made->basis->harmonics[k];
        for (size_t i = 0; i < n; i++) {
            double rate = h * made->omega_stuck;
            double size = fmax(made->omega_squared[i], 0.0) + rate * rate;
            made->row_factor[k * n + i] = 1.0 / fmax(size, restraint);
        }
    }
}

static void fill_static(struct modal_balance *made)
{
    if (!made->model->static_force) {
        return;
    }
    project(made, made->model->static_force, made->static_force);
    for (int k = 0; k < made->n_modes; k++) {
        if (made->omega_squared[k] > 0.0) {
            double size = fabs(made->static_force[k]) / made->omega_squared[k];
            made->static_size = fmax(made->static_size, size);
        }
    }
}

static enum masing_status create_joints(struct modal_balance *made, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_model *model = made->model;
    int most = 1;
    made->n_joints = model->spec.n_joints;
    struct arena *arena = &made->arena;
    made->joints = arena_array(arena, (size_t)made->n_joints, sizeof *made->joints);
    TRY_ALLOCATED(made->joints);
    TRY(joint_shared_create(made->basis, &made->shared, error));
    for (int j = 0; j < made->n_joints; j++) {
        TRY(joint_response_create(&model->joints[j], made->shared, model->spec.forces,
                                  &made->joints[j], error));
        most = made->joints[j]->n_axes > most ? made->joints[j]->n_axes : most;
    }
    TRY(joint_scratch_create(made->shared, made->joints, made->n_joints, &made->scratch,
                             error));
    size_t size = (size_t)(most * made->n_coefficients);
    made->change = arena_doubles(arena, size);
    made->reply = arena_doubles(arena, size);
    made->block = arena_doubles(arena, size * size);
    made->left = arena_doubles(arena, (size_t)(most * made->n_modes));
    made->joint_size = arena_doubles(arena, (size_t)made->n_joints);
    TRY_ALLOCATED(!arena->has_failed);
done:
    return status;
}

static enum masing_status allocate(struct modal_balance *made, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena *arena = &made->arena;
    size_t n = (size_t)made->n_modes, n_dofs = (size_t)made->model->structure->n_dofs;
    size_t size = (size_t)made->n_unknowns, n_h = (size_t)made->basis->n_harmonics;
    made->omega_squared = arena_doubles(arena, n);
    made->shapes = arena_doubles(arena, n_dofs * n);
    made->axes = arena_doubles(arena, n * (size_t)made->n_axes);
    made->stiffness = arena_doubles(arena, n * n);
    made->damping = arena_doubles(arena, n * n);
    made->mean_stiffness = arena_doubles(arena, n * n);
    made->static_force = arena_doubles(arena, n);
    made->origin = arena_doubles(arena, (size_t)made->n_axes);
    made->row_factor = arena_doubles(arena, n_h * n);
    made->p = arena_doubles(arena, size);
    made->p_slope = arena_doubles(arena, size);
    made->last_y = arena_doubles(arena, size);
    made->product = arena_doubles(arena, size);
    TRY_ALLOCATED(!arena->has_failed);
done:
    return status;
}

/* Basis and counts. */
static enum masing_status create_basis(struct modal_balance *made, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &made->model->spec;
    TRY(basis_create_unplanned(spec->harmonics, spec->n_harmonics, spec->n_samples,
                               &made->basis, error));
    made->n_axes = made->model->n_axes;
    made->n_modes = made->model->structure->n_modes;
    made->n_coefficients = made->basis->n_coefficients;
    made->n_unknowns = made->n_coefficients * made->n_modes;
done:
    return status;
}

enum masing_status modal_balance_create(const struct masing_model *model, int number,
                                        struct modal_balance **balance,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena scratch = {0};
    size_t n = (size_t)model->structure->n_modes;
    struct modal_balance *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->model = model;
    TRY(refuse_what_is_not_there(model, error));
    double *shapes = arena_doubles(&scratch, n * n), *product = arena_doubles(&scratch, n * n);
    TRY_ALLOCATED(shapes && product);
    TRY(create_basis(made, error));
    TRY(allocate(made, error));
    TRY(create_joints(made, error));
    TRY(find_modes(made, number, shapes, error));
    axis_shapes(made->model, made->n_modes, made->shapes, made->axes);
    fill_static(made);
    fill_matrices(made, shapes, product);
    made->target_position =
        made->basis->position[made->basis->harmonics[0] == 0] * made->n_modes + made->target;
    if (model->spec.start == MASING_START_STATIC) {
        memcpy(made->origin, model->static_displacement, sizeof(double) * (size_t)made->n_axes);
    }
    *balance = made;
    made = NULL;
done:
    arena_clear(&scratch);
    modal_balance_destroy(made);
    return status;
}

void modal_balance_destroy(struct modal_balance *balance)
{
    if (!balance) {
        return;
    }
    joint_scratch_destroy(balance->scratch);
    for (int j = 0; balance->joints && j < balance->n_joints; j++) {
        joint_response_destroy(balance->joints[j]);
    }
    joint_shared_destroy(balance->shared);
    basis_destroy(balance->basis);
    arena_clear(&balance->arena);
    free(balance);
}
