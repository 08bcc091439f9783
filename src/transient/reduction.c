/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/reduction.h"

#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/lu.h"
#include "model/joints.h"
#include "model/output.h"
#include "model/structure/reduced_structure.h"
#include "transient/modal_state.h"
#include "transient/stepper.h"

/*
 * Does a model with fewer modes respond as the whole one does? Random forces on joints and
 * loads are applied to both, at the harmonics of the load, with the joints free and with the
 * joints stuck as springs, and motions of joints and outputs are compared.
 */

/* More axes of joints are too many to be tried one by one. */
enum { MOST_AXES = 32, MOST_HARMONICS = 128 };

struct trial {
    struct arena arena;
    const struct masing_model *model;
    struct ports *ports;
    double omega;
    int n_forces, n_dampers;
    double *patterns; /* [n_forces + n_dampers][n_dofs] axes, loads, static loads, dampers */
    double *modal_forces; /* [n_forces + n_dampers][n_modes] theirs */
    int n_harmonics;
    int harmonics[MOST_HARMONICS];
    double weight[MOST_HARMONICS];
    double *forces;         /* [N_TRIALS][n_dofs] random sums of the patterns */
    double *stuck;          /* [n_axes * n_axes] stiffness of the joints when they stick */
    double *modal;          /* [n_axes + 3][n_modes] modal forces */
    double complex *z;      /* [n_modes] */
    double complex *axes;   /* [n_axes][n_ports] motions by forces on the axes */
    double complex *closed; /* [n_axes * n_axes] */
    double complex *held;   /* [n_axes] forces of joints that stick */
    int *closed_pivots;     /* [n_axes] */
    double complex *full, *fewer; /* [n_harmonics][N_MOTIONS][n_ports] */
};

/* Motions with the joints free, then those with the joints stuck. */
enum { N_TRIALS = 3, N_MOTIONS = 2 * N_TRIALS, MOST_DAMPERS = 16 };
/* Steps in the shortest period that is tried. */
enum { STEPS_PER_HARMONIC = 8 };
/* A damping matrix without this part of it is all there. */
static const double NEGLIGIBLE_DAMPING = 1e-13;

/*
 * Dampers couple modes by forces of their own: where there are few, their matrix is the product
 * of few columns with their transpose, found by Cholesky's factorisation with pivots (Higham
 * 1990). Where more than MOST_DAMPERS would be needed, none is taken. columns [MOST_DAMPERS]
 * [n_dofs]; diagonal [n_dofs].
 */
static int take_dampers(const struct masing_model *model, double *columns, double *diagonal)
{
    size_t n = (size_t)model->structure->n_dofs, rank = 0;
    const double *matrix = model->spec.structure.damping;
    double largest = 0.0;
    for (size_t k = 0; k < n; k++) {
        diagonal[k] = matrix[k * (n + 1)];
        largest = fmax(largest, diagonal[k]);
    }
    for (;;) {
        size_t pivot = 0;
        for (size_t k = 1; k < n; k++) {
            pivot = diagonal[k] > diagonal[pivot] ? k : pivot;
        }
        if (!(diagonal[pivot] > NEGLIGIBLE_DAMPING * largest)) {
            return (int)rank;
        }
        if (rank == MOST_DAMPERS) {
            return 0;
        }
        double *column = columns + rank * n, root = sqrt(diagonal[pivot]);
        for (size_t k = 0; k < n; k++) {
            column[k] = matrix[pivot * n + k];
            for (size_t j = 0; j < rank; j++) {
                column[k] -= columns[j * n + k] * columns[j * n + pivot];
            }
            column[k] /= root;
        }
        for (size_t k = 0; k < n; k++) {
            diagonal[k] -= column[k] * column[k];
        }
        rank++;
    }
}

static void take_patterns(struct trial *trial)
{
    const struct masing_model *model = trial->model;
    size_t n_dofs = (size_t)model->structure->n_dofs;
    double *next = trial->patterns;
    memcpy(next, trial->ports->patterns, (size_t)model->n_axes * n_dofs * sizeof(double));
    next += (size_t)model->n_axes * n_dofs;
    for (int i = 0; i < model->spec.n_loads; i++) {
        const double *parts[] = {model->loads[i].real, model->loads[i].imaginary};
        for (int part = 0; part < 2; part++) {
            if (parts[part]) {
                memcpy(next, parts[part], n_dofs * sizeof(double));
                next += n_dofs;
            }
        }
    }
    if (model->static_force) {
        memcpy(next, model->static_force, n_dofs * sizeof(double));
        next += n_dofs;
    }
    trial->n_forces = (int)((size_t)(next - trial->patterns) / n_dofs);
    if (model->structure->damping_matrix && model->spec.structure.damping) {
        trial->n_dampers = take_dampers(model, next, trial->forces);
        memset(trial->forces, 0, n_dofs * sizeof(double)); /* that was scratch */
    }
}

/* Signs by Knuth's linear congruential generator (1998, section 3.3.4): always the same. */
static void mix_forces(struct trial *trial)
{
    size_t n_dofs = (size_t)trial->model->structure->n_dofs;
    size_t n = (size_t)trial->model->structure->n_modes;
    uint64_t random = 1;
    for (int f = 0; f < trial->n_forces + trial->n_dampers; f++) {
        const double *pattern = trial->patterns + (size_t)f * n_dofs;
        double *modal = trial->modal_forces + (size_t)f * n;
        ports_modal_force(trial->model, pattern, modal);
        /* the work that a pattern does on itself makes rotations and displacements alike */
        double size = 0.0;
        for (size_t k = 0; k < n; k++) {
            double own = trial->model->structure->omega[k];
            size += modal[k] * modal[k] / fmax(own * own, trial->omega * trial->omega);
        }
        size = sqrt(size);
        for (int t = 0; t < N_TRIALS && size > 0.0 && f < trial->n_forces; t++) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            double factor = (random >> 62 & 1 ? 1.0 : -1.0) / size;
            for (size_t i = 0; i < n_dofs; i++) {
                trial->forces[(size_t)t * n_dofs + i] += factor * pattern[i];
            }
        }
    }
}

/* Motions of the ports under modal forces. */
static void respond(const struct modal_stiffness *stiffness, const struct ports *ports,
                    const double *force, double complex *z, double complex *motion)
{
    for (size_t k = 0; k < stiffness->n; k++) {
        z[k] = force[k];
    }
    modal_stiffness_solve(stiffness, z);
    for (size_t p = 0; p < (size_t)ports->n_ports; p++) {
        motion[p] = 0.0;
        for (size_t k = 0; k < stiffness->n; k++) {
            motion[p] += ports->shapes[p * stiffness->n + k] * z[k];
        }
    }
}

/* I + H K, from the motions H of the axes by forces on them, as factors. */
static enum masing_status close_joints(struct trial *trial)
{
    size_t n = (size_t)trial->ports->n_axes, n_ports = (size_t)trial->ports->n_ports;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            double complex sum = i == j ? 1.0 : 0.0;
            for (size_t k = 0; k < n; k++) {
                sum += trial->axes[k * n_ports + i] * trial->stuck[j * n + k];
            }
            trial->closed[j * n + i] = sum;
        }
    }
    return n > 0 ? lu_factor_complex((int)n, trial->closed, trial->closed_pivots) : MASING_OK;
}

/* What a motion becomes where the joints hold: u - H K (I + H K)^-1 u. */
static void hold(const struct trial *trial, const double complex *motion,
                 double complex *held_motion)
{
    size_t n = (size_t)trial->ports->n_axes, n_ports = (size_t)trial->ports->n_ports;
    double complex *x = trial->held;
    memcpy(x, motion, n * sizeof *x);
    if (n > 0) {
        lu_solve_complex((int)n, trial->closed, trial->closed_pivots, x, 1);
    }
    memcpy(held_motion, motion, n_ports * sizeof *held_motion);
    for (size_t a = 0; a < n; a++) {
        double complex force = 0.0;
        for (size_t b = 0; b < n; b++) {
            force += trial->stuck[b * n + a] * x[b];
        }
        for (size_t p = 0; p < n_ports; p++) {
            held_motion[p] -= trial->axes[a * n_ports + p] * force;
        }
    }
}

/* All motions of one harmonic. */
static enum masing_status move_at(struct modal_stiffness *stiffness, const struct ports *ports,
                                  double w, struct trial *trial, double complex *motions)
{
    size_t n_ports = (size_t)ports->n_ports, n = stiffness->n;
    const double *force = trial->modal;
    NEED(modal_stiffness_set(stiffness, -w * w, I * w));
    for (size_t a = 0; a < (size_t)ports->n_axes; a++, force += n) {
        respond(stiffness, ports, force, trial->z, trial->axes + a * n_ports);
    }
    NEED(close_joints(trial));
    for (size_t t = 0; t < N_TRIALS; t++, force += n) {
        double complex *motion = motions + t * n_ports;
        respond(stiffness, ports, force, trial->z, motion);
        hold(trial, motion, motion + N_TRIALS * n_ports);
    }
    return MASING_OK;
}

static enum masing_status move(const struct masing_model *model, const struct ports *ports,
                               struct trial *trial, double complex *motions,
                               struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)ports->n_modes, n_axes = (size_t)ports->n_axes;
    size_t n_dofs = (size_t)model->structure->n_dofs;
    struct arena arena = {0};
    struct modal_stiffness stiffness;
    TRY(modal_stiffness_create(model->structure, ports->n_modes, &arena, &stiffness, error));
    for (size_t i = 0; i < n_axes + N_TRIALS; i++) {
        const double *pattern =
            i < n_axes ? trial->patterns + i * n_dofs : trial->forces + (i - n_axes) * n_dofs;
        ports_modal_force(model, pattern, trial->modal + i * n);
    }
    for (int h = 0; h < trial->n_harmonics && status == MASING_OK; h++) {
        double w = trial->harmonics[h] * trial->omega;
        status = move_at(&stiffness, ports, w, trial,
                         motions + (size_t)h * N_MOTIONS * (size_t)ports->n_ports);
        if (status != MASING_OK) {
            masing_error_set(error, status, "modes for time integration: %s at %g rad/s",
                             masing_status_name(status), w);
        }
    }
done:
    arena_clear(&arena);
    return status;
}

/* How differently a model with fewer modes moves: the largest difference of a port at a
 * harmonic, relative to what is largest of it. A harmonic counts by one over its number, unless
 * a load has it; velocities and accelerations by what they are. */
static enum masing_status trial_compare(struct trial *trial, const struct masing_model *fewer,
                                        double *difference, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena arena = {0};
    struct ports *ports = NULL;
    size_t n_ports = (size_t)trial->ports->n_ports, stride = N_MOTIONS * n_ports;
    TRY(ports_create(fewer, &arena, &ports, error));
    TRY(move(fewer, ports, trial, trial->fewer, error));
    *difference = 0.0;
    for (size_t p = 0; p < stride; p++) {
        int port = (int)(p % n_ports), n_axes = trial->model->n_axes;
        /* powers of the harmonic in what is seen of it */
        const struct masing_output_spec *outputs = trial->model->spec.outputs;
        int order = port < n_axes ? 0 : output_order(&outputs[port - n_axes]);
        double size = 0.0, change = 0.0;
        for (size_t h = 0; h < (size_t)trial->n_harmonics; h++) {
            double complex full = trial->full[h * stride + p];
            double weight = trial->weight[h] * pow(trial->harmonics[h], order);
            size = fmax(size, weight * cabs(full));
            change = fmax(change, weight * cabs(trial->fewer[h * stride + p] - full));
        }
        *difference = fmax(*difference, change > 0.0 ? change / size : 0.0);
    }
done:
    arena_clear(&arena);
    return status;
}

/* Methods without steps of their own have to follow whatever there is. */
static void choose_harmonics(struct trial *trial)
{
    const struct masing_model *model = trial->model;
    const struct masing_integration_settings *settings = &model->spec.integration;
    bool has_steps = stepper_type(settings->method)->has_step_error;
    int top = settings->steps_per_cycle / STEPS_PER_HARMONIC;
    bool is_coupled = model->structure->damping_matrix != NULL;
    top = has_steps && top < MOST_HARMONICS ? top : MOST_HARMONICS;
    for (int h = 1; h <= top; h = is_coupled ? 2 * h : h + 1) {
        bool is_loaded = false;
        for (int i = 0; i < model->spec.n_loads; i++) {
            is_loaded = is_loaded || model->loads[i].harmonic == h;
        }
        trial->harmonics[trial->n_harmonics] = h;
        trial->weight[trial->n_harmonics++] = is_loaded ? 1.0 : 1.0 / h;
    }
}

static enum masing_status allocate(struct trial *trial, struct masing_error *error)
{
    struct arena *arena = &trial->arena;
    const struct masing_model *model = trial->model;
    size_t n = (size_t)model->structure->n_modes, n_dofs = (size_t)model->structure->n_dofs;
    size_t n_axes = (size_t)model->n_axes, n_ports = (size_t)trial->ports->n_ports;
    size_t most_forces = n_axes + 2 * (size_t)model->spec.n_loads + 1 + MOST_DAMPERS;
    size_t n_motions = (size_t)trial->n_harmonics * N_MOTIONS * n_ports;
    size_t z = sizeof(double complex);
    trial->patterns = arena_doubles(arena, most_forces * n_dofs);
    trial->modal_forces = arena_doubles(arena, most_forces * n);
    trial->forces = arena_doubles(arena, N_TRIALS * n_dofs);
    trial->stuck = arena_doubles(arena, n_axes * n_axes);
    trial->modal = arena_doubles(arena, (n_axes + N_TRIALS) * n);
    trial->z = arena_array(arena, n, z);
    trial->axes = arena_array(arena, n_axes * n_ports, z);
    trial->closed = arena_array(arena, n_axes * n_axes, z);
    trial->held = arena_array(arena, n_axes, z);
    trial->full = arena_array(arena, n_motions, z);
    trial->fewer = arena_array(arena, n_motions, z);
    trial->closed_pivots = arena_array(arena, n_axes, sizeof(int));
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

/* The whole model's motions; omega: of the load, rad/s. Its arena is cleared also after a
 * failure. */
static enum masing_status trial_create(const struct masing_model *model, double omega,
                                       struct trial *trial, struct masing_error *error)
{
    *trial = (struct trial){.model = model, .omega = omega};
    choose_harmonics(trial);
    NEED(ports_create(model, &trial->arena, &trial->ports, error));
    NEED(allocate(trial, error));
    joint_stiffness_matrix(&model->spec, model->static_displacement, true, model->n_axes,
                           trial->stuck);
    take_patterns(trial);
    mix_forces(trial);
    return move(model, trial->ports, trial, trial->full, error);
}

/* With fewer modes nothing is gained by leaving some out. */
enum { MANY_MODES = 64 };
/* Modes up to so many times the load's frequency stay at least; then this factor more. */
static const double FIRST_CUTOFF = 8.0, CUTOFF_GROWTH = 1.2;
/* A reduced model costs at most this part. */
static const double WORTHWHILE_COST = 0.7;
/* Receptances may differ by so many tolerances of the steady state. */
static const double ERROR_IN_TOLERANCES = 10.0;

/* What a time step costs, roughly: modes by themselves, joints, and modes that damping couples
 * to one another. */
static double cost_of(const struct masing_model *model)
{
    const double of_mode = 10.0;
    double n = model->structure->n_modes;
    double coupled = n - (double)structure_uncoupled_modes(model->structure);
    return n * (of_mode + 4.0 * model->n_axes) + 3.0 * coupled * coupled;
}

static enum masing_status find_modes(const struct masing_model *model, double omega,
                                     struct reduction *reduction, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = model->structure;
    struct trial trial = {0};
    double cutoff = FIRST_CUTOFF * omega;
    double tolerance = ERROR_IN_TOLERANCES * model->spec.integration.tolerance;
    TRY(trial_create(model, omega, &trial, error));
    for (int n_near = 0, last = -1; !reduction->is_reduced; cutoff *= CUTOFF_GROWTH) {
        n_near = structure_count_modes(structure, cutoff);
        if (n_near >= structure->n_modes) {
            break;
        }
        if (n_near > last) {
            reduced_structure_clear(&reduction->structure);
            TRY(reduced_structure_create(structure, n_near, trial.n_forces + trial.n_dampers,
                                         trial.modal_forces, &reduction->structure, error));
            reduction->fewer = *model;
            reduction->fewer.structure = reduction->structure.structure;
            TRY(trial_compare(&trial, &reduction->fewer, &reduction->error, error));
            bool is_cheaper = cost_of(&reduction->fewer) <= WORTHWHILE_COST * cost_of(model);
            if (!is_cheaper) {
                break;
            }
            reduction->is_reduced = reduction->error <= tolerance;
            last = n_near;
        }
    }
    if (reduction->is_reduced) {
        reduction->model = &reduction->fewer;
    } else {
        reduced_structure_clear(&reduction->structure);
        reduction->error = 0.0;
    }
done:
    arena_clear(&trial.arena);
    return status;
}

enum masing_status reduction_create(const struct masing_model *model, double omega,
                                    struct reduction *reduction, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int modes = model->spec.integration.modes;
    *reduction = (struct reduction){.model = model};
    bool is_wanted = modes == MASING_MODES_FEWER ||
                     (modes == MASING_MODES_AUTO && model->structure->n_modes > MANY_MODES);
    is_wanted = is_wanted && model->n_axes <= MOST_AXES;
    if (is_wanted && omega > 0.0 && isfinite(omega)) {
        TRY(find_modes(model, omega, reduction, error));
    }
done:
    if (status != MASING_OK) {
        reduction_clear(reduction);
    }
    return status;
}

void reduction_clear(struct reduction *reduction)
{
    reduced_structure_clear(&reduction->structure);
    reduction->model = NULL;
}

enum masing_status reduction_coordinates(const struct reduction *reduction, size_t n_rows,
                                         double *rows, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_full = (size_t)(reduction->structure.n_near + reduction->structure.n_far);
    size_t n = (size_t)reduction->model->structure->n_modes;
    double *row = NULL;
    if (!reduction->is_reduced) {
        goto done;
    }
    row = memory_array(n, sizeof(double));
    TRY_ALLOCATED(row);
    for (size_t i = 0; i < n_rows; i++) {
        reduced_structure_coordinates(&reduction->structure, rows + i * n_full, row);
        memcpy(rows + i * n, row, n * sizeof(double));
    }
done:
    free(row);
    return status;
}
