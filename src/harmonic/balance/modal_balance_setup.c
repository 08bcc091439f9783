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

/* The stuck modes; axes and target mode in modal coordinates. */
static enum masing_status find_modes(struct modal_balance *made, int number,
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
    memcpy(made->stuck, modes->shapes, n * n * sizeof *made->stuck);
    made->target = modes->n_rigid + number - 1;
    made->omega_stuck = sqrt(made->omega_squared[made->target]);
    dense_multiply(structure->n_dofs, (int)n, (int)n, structure->shapes, made->stuck,
                   made->shapes);
    axis_shapes(made->model, made->n_modes, structure->shapes, made->ports);
    const double *stuck = made->stuck + (size_t)made->target * n;
    double *coordinate = made->ports + (size_t)made->n_axes * n;
    memcpy(coordinate, stuck, n * sizeof *coordinate);
    TRY(unpressed_mode(made->model, stuck, coordinate, &made->omega_unpressed,
                       &made->is_pressed, error));
done:
    stuck_modes_destroy(modes);
    return status;
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

/*
 * In the static state K x = s - A g, g the joints' forces at their displacements w there, so
 * that with their tangents T the stuck structure is loaded by s + A (T w - g).
 * tangent [n_axes * n_axes]: scratch.
 */
static void fill_stuck_force(struct modal_balance *made, double *tangent)
{
    const struct masing_model *model = made->model;
    int n = made->n_modes, n_axes = made->n_axes;
    joint_stiffness_matrix(&model->spec, model->static_displacement, true, n_axes, tangent);
    memcpy(made->stuck_force, made->static_force, sizeof(double) * (size_t)n);
    for (int a = 0; a < n_axes; a++) {
        const double *row = tangent + (size_t)a * (size_t)n_axes;
        const double *port = made->ports + (size_t)a * (size_t)n;
        double surplus =
            dense_dot(n_axes, row, model->static_displacement) - model->static_reaction[a];
        for (int i = 0; i < n; i++) {
            made->stuck_force[i] += port[i] * surplus;
        }
    }
}

static void fill_static(struct modal_balance *made, double *tangent)
{
    const struct structure *structure = made->model->structure;
    int n = made->n_modes, n_dofs = structure->n_dofs;
    if (!made->model->static_force) {
        return;
    }
    for (int k = 0; k < n; k++) {
        made->static_force[k] = dense_dot(
            n_dofs, structure->shapes + (size_t)k * (size_t)n_dofs, made->model->static_force);
    }
    fill_stuck_force(made, tangent);
    for (int k = 0; k < n; k++) {
        if (made->omega_squared[k] > 0.0) {
            double force =
                dense_dot(n, made->stuck + (size_t)k * (size_t)n, made->static_force);
            made->static_size = fmax(made->static_size, fabs(force) / made->omega_squared[k]);
        }
    }
}

/* ---- unknowns ---- */

/* Modes whose frequency without joints is within these shares of h omega_stuck are kept at
 * harmonic h; at the first one all up to the upper one, for joints that slip make it lower. */
static const double KEPT_FROM = 0.6, KEPT_TO = 1.5, KEPT_TO_FIRST = 2.0;

static bool is_kept(const struct modal_balance *made, int h, int mode)
{
    const struct structure *structure = made->model->structure;
    double share = structure->omega[mode] / made->omega_stuck;
    return !made->has_axes ? true
           : h == 0        ? mode < structure->n_rigid
           : h == 1        ? share <= KEPT_TO_FIRST
                           : share >= KEPT_FROM * h && share <= KEPT_TO * h;
}

/* Modes to keep and counts; the number of unknowns. */
static int count_unknowns(struct modal_balance *made)
{
    int position = 0, row = 0;
    for (int k = 0; k < made->basis->n_harmonics; k++) {
        struct modal_harmonic *at = &made->harmonics[k];
        int n_sides = basis_sides(made->basis, k);
        at->harmonic = made->basis->harmonics[k];
        at->first = position;
        at->first_row = row;
        at->n_kept = 0;
        for (int mode = 0; mode < made->n_modes; mode++) {
            if (is_kept(made, at->harmonic, mode)) {
                at->kept[at->n_kept++] = mode;
            }
        }
        at->n = at->n_kept + (made->has_axes ? made->n_axes : 0);
        at->n_rows = at->n + (at->harmonic == 1);
        position += n_sides * at->n;
        row += n_sides * at->n_rows;
    }
    made->omega_position = position;
    return row;
}

/* An axis' displacement where the mode's amplitude is 1 and modes take part by their
 * flexibility. */
static double axis_unit(const struct modal_balance *made, int axis)
{
    const struct structure *structure = made->model->structure;
    const double *shape = made->ports + (size_t)axis * (size_t)made->n_modes;
    double sum = 0.0;
    for (int i = 0; i < made->n_modes; i++) {
        double ratio = structure->omega[i] / made->omega_stuck;
        sum += shape[i] * shape[i] / (1.0 + ratio * ratio);
    }
    return sum > 0.0 ? sqrt(sum) : 1.0;
}

/* Of a mode of the structure with the joints stuck, 1/s^2: what a row of its forces rounds
 * with. */
static double stuck_stiffness(const struct modal_balance *made, int mode)
{
    double sum = 0.0;
    for (int j = 0; j < made->n_modes; j++) {
        double part = made->stuck[j * made->n_modes + mode];
        sum += part * part * fmax(made->omega_squared[j], 0.0);
    }
    return sum;
}

static void fill_units(struct modal_balance *made, struct modal_harmonic *at)
{
    int n_own = at->n - at->n_kept;
    for (int i = 0; i < at->n; i++) {
        at->unit[i] = i < n_own ? axis_unit(made, i) : 1.0;
        at->row_factor[i] = 1.0 / at->unit[i];
        if (i >= n_own) {
            double rate = at->harmonic * made->omega_stuck;
            double size = stuck_stiffness(made, at->kept[i - n_own]) + rate * rate;
            at->row_factor[i] = 1.0 / fmax(size, made->restraint);
        }
    }
    if (at->n_rows > at->n) {
        at->row_factor[at->n] = 1.0;
    }
}

static enum masing_status allocate_harmonics(struct modal_balance *made,
                                             struct masing_error *error)
{
    struct arena *arena = &made->arena;
    for (int k = 0; k < made->basis->n_harmonics; k++) {
        struct modal_harmonic *at = &made->harmonics[k];
        size_t n = (size_t)at->n, rows = (size_t)at->n_rows, n_axes = (size_t)made->n_axes;
        at->unit = arena_doubles(arena, n);
        at->row_factor = arena_doubles(arena, rows);
        at->constant = arena_doubles(arena, rows);
        at->linear = arena_doubles(arena, 4 * rows * n);
        at->joint = arena_doubles(arena, 4 * rows * n_axes);
        NEED_ALLOCATED(!arena->has_failed);
        fill_units(made, at);
    }
    return MASING_OK;
}

static enum masing_status allocate_unknowns(struct modal_balance *made,
                                            struct masing_error *error)
{
    struct arena *arena = &made->arena;
    size_t size = (size_t)made->n_unknowns, n = (size_t)made->n_modes;
    size_t n_axes = (size_t)made->n_axes, n_c = (size_t)made->n_coefficients;
    made->z = arena_doubles(arena, size);
    made->z_slope = arena_doubles(arena, size);
    made->last_y = arena_doubles(arena, size);
    made->by_omega = arena_doubles(arena, size);
    made->by_zeta = arena_doubles(arena, size);
    if (!made->has_axes) {
        made->columns = arena_doubles(arena, size * n_axes * n_c);
    }
    made->modal = arena_array(arena, n, sizeof *made->modal);
    made->effect = arena_array(arena, n, sizeof *made->effect);
    made->sides = arena_array(arena, n * (n_axes + 1 + n), sizeof *made->sides);
    made->reach = arena_array(arena, n * (n_axes + 1 + n), sizeof *made->reach);
    if (made->model->structure->damping_matrix) {
        made->coupled = arena_array(arena, n * n, sizeof *made->coupled);
        made->pivots = arena_array(arena, n, sizeof *made->pivots);
        NEED_ALLOCATED(made->coupled && made->pivots);
    }
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

/* Displacements of the joints beside kept modes, or all modes: whatever is fewer. */
static enum masing_status create_unknowns(struct modal_balance *made,
                                          struct masing_error *error)
{
    int n_harmonics = made->basis->n_harmonics;
    double share = is_held_by_equilibrium(made) ? WEAK_STIFFNESS : FIRM_STIFFNESS;
    made->restraint = share * made->omega_stuck * made->omega_stuck;
    made->harmonics = arena_array(&made->arena, (size_t)n_harmonics, sizeof *made->harmonics);
    NEED_ALLOCATED(made->harmonics);
    for (int k = 0; k < n_harmonics; k++) {
        struct modal_harmonic *at = &made->harmonics[k];
        at->kept = arena_array(&made->arena, (size_t)made->n_modes, sizeof *at->kept);
        NEED_ALLOCATED(at->kept);
    }
    made->has_axes = true;
    int most = made->n_coefficients * made->n_modes + 2;
    if (count_unknowns(made) >= most) {
        made->has_axes = false;
    }
    made->n_unknowns = count_unknowns(made);
    NEED(allocate_harmonics(made, error));
    return allocate_unknowns(made, error);
}

/* ---- creation ---- */

static enum masing_status create_joints(struct modal_balance *made, struct masing_error *error)
{
    const struct masing_model *model = made->model;
    int most = 1;
    made->n_joints = model->spec.n_joints;
    struct arena *arena = &made->arena;
    made->joints = arena_array(arena, (size_t)made->n_joints, sizeof *made->joints);
    NEED_ALLOCATED(made->joints);
    NEED(joint_shared_create(made->basis, &made->shared, error));
    for (int j = 0; j < made->n_joints; j++) {
        NEED(joint_response_create(&model->joints[j], made->shared, model->spec.forces,
                                   &made->joints[j], error));
        most = made->joints[j]->n_axes > most ? made->joints[j]->n_axes : most;
    }
    NEED(joint_scratch_create(made->shared, made->joints, made->n_joints, &made->scratch,
                              error));
    size_t size = (size_t)(most * made->n_coefficients);
    made->change = arena_doubles(arena, size);
    made->reply = arena_doubles(arena, size);
    made->block = arena_doubles(arena, size * size);
    made->joint_size = arena_doubles(arena, (size_t)made->n_joints);
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

static enum masing_status allocate(struct modal_balance *made, struct masing_error *error)
{
    struct arena *arena = &made->arena;
    size_t n = (size_t)made->n_modes, n_dofs = (size_t)made->model->structure->n_dofs;
    size_t n_axes = (size_t)made->n_axes, n_c = (size_t)made->n_coefficients;
    made->omega_squared = arena_doubles(arena, n);
    made->shapes = arena_doubles(arena, n_dofs * n);
    made->stuck = arena_doubles(arena, n * n);
    made->ports = arena_doubles(arena, n * (n_axes + 1));
    made->static_force = arena_doubles(arena, n);
    made->stuck_force = arena_doubles(arena, n);
    made->origin = arena_doubles(arena, n_axes);
    made->force = arena_doubles(arena, n_axes * n_c);
    made->d_force = arena_doubles(arena, n_axes * n_c);
    made->motion = arena_doubles(arena, n * n_c);
    made->p = arena_doubles(arena, n * n_c);
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

enum masing_status modal_balance_create(const struct masing_model *model, int number,
                                        struct modal_balance **balance,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_axes = (size_t)model->n_axes;
    double *tangent = memory_array(n_axes * n_axes, sizeof *tangent);
    struct modal_balance *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made && tangent);
    made->model = model;
    TRY(refuse_what_is_not_there(model, error));
    TRY(basis_create_unplanned(model->spec.harmonics, model->spec.n_harmonics,
                               model->spec.n_samples, &made->basis, error));
    made->n_axes = model->n_axes;
    made->n_modes = model->structure->n_modes;
    made->n_coefficients = made->basis->n_coefficients;
    TRY(allocate(made, error));
    TRY(create_joints(made, error));
    TRY(find_modes(made, number, error));
    fill_static(made, tangent);
    TRY(create_unknowns(made, error));
    if (model->spec.start == MASING_START_STATIC) {
        memcpy(made->origin, model->static_displacement, sizeof(double) * (size_t)made->n_axes);
    }
    *balance = made;
    made = NULL;
done:
    free(tangent);
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
