/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/reduction.h"

#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "transient/ports.h"

/* With fewer modes nothing is gained by leaving some out. */
enum { MANY_MODES = 64 };
enum { N_TRIALS = 3, MOST_DAMPERS = 16 };
/* So many steps of the least period that is looked at. */
enum { STEPS_PER_HARMONIC = 8, MOST_HARMONICS = 128 };
/* Modes up to so many times the load's frequency stay at least; then this factor more. */
static const double first_cutoff = 8.0, cutoff_growth = 1.2;
/* A reduced model has at most this part of the modes. */
static const double worthwhile = 0.7;
static const double error_share = 10.0;
/* A damping matrix without this part of it is all there. */
static const double negligible_damping = 1e-13;

struct trial {
    const struct masing_model *model;
    struct ports *ports;
    int n_forces, n_dampers;
    double *patterns;     /* [n_forces][n_dofs] axes, loads, static loads */
    double *modal_forces; /* [n_forces + n_dampers][n_modes] theirs */
    double omega;
    int n_harmonics;
    int harmonics[MOST_HARMONICS];
    double weight[MOST_HARMONICS];
    double *forces;               /* [N_TRIALS][n_dofs] random sums of the patterns */
    double *modal;                /* [n_modes] of a force */
    double complex *z;            /* [n_modes] */
    double complex *matrix;       /* of the modes that damping couples */
    int *pivots;                  /* [n_modes] */
    double complex *full, *fewer; /* [n_harmonics][N_TRIALS][n_ports] motions */
};

static void trial_clear(struct trial *trial)
{
    ports_destroy(trial->ports);
    free(trial->patterns);
    free(trial->modal_forces);
    free(trial->forces);
    free(trial->modal);
    free(trial->z);
    free(trial->matrix);
    free(trial->pivots);
    free(trial->full);
    free(trial->fewer);
}

/* ---- forces ---- */

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
        if (!(diagonal[pivot] > negligible_damping * largest)) {
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

static void take_patterns(struct trial *trial, double *diagonal)
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
        trial->n_dampers = take_dampers(model, next, diagonal);
    }
}

/* Work that a pattern does on itself: forces on rotations and displacements are then alike. */
static double size_of(const struct trial *trial, const double *modal)
{
    const struct structure *structure = trial->model->structure;
    double sum = 0.0;
    for (int k = 0; k < structure->n_modes; k++) {
        sum += modal[k] * modal[k] /
               fmax(structure->omega[k] * structure->omega[k], trial->omega * trial->omega);
    }
    return sqrt(sum);
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
        double size = size_of(trial, modal);
        for (int t = 0; t < N_TRIALS && size > 0.0 && f < trial->n_forces; t++) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            double factor = (random >> 62 & 1 ? 1.0 : -1.0) / size;
            for (size_t i = 0; i < n_dofs; i++) {
                trial->forces[(size_t)t * n_dofs + i] += factor * pattern[i];
            }
        }
    }
}

/* ---- motions ---- */

/* z = (diag(omega^2) - w^2 + i w D)^-1 force */
static enum masing_status respond(const struct structure *structure, double w,
                                  const double *force, struct trial *trial)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)structure->n_modes, lead = structure_uncoupled_modes(structure);
    size_t m = n - lead;
    double complex *z = trial->z, *matrix = trial->matrix;
    for (size_t k = 0; k < n; k++) {
        double complex own = structure->omega[k] * structure->omega[k] - w * w +
                             I * w * structure->modal_damping[k];
        z[k] = k < lead ? force[k] / own : force[k];
        for (size_t i = lead; k >= lead && i < n; i++) {
            matrix[(k - lead) * m + i - lead] =
                i == k ? own : I * w * structure->damping_matrix[k * n + i];
        }
    }
    if (m > 0) {
        TRY(lu_factor_complex((int)m, matrix, trial->pivots));
        lu_solve_complex((int)m, matrix, trial->pivots, z + lead, 1);
    }
done:
    return status;
}

static enum masing_status move(const struct masing_model *model, const struct ports *ports,
                               struct trial *trial, double complex *motions,
                               struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)ports->n_modes, n_ports = (size_t)ports->n_ports;
    for (int h = 0; h < trial->n_harmonics; h++) {
        double w = trial->harmonics[h] * trial->omega;
        for (size_t t = 0; t < N_TRIALS; t++) {
            ports_modal_force(model, trial->forces + t * (size_t)model->structure->n_dofs,
                              trial->modal);
            status = respond(model->structure, w, trial->modal, trial);
            if (status != MASING_OK) {
                masing_error_set(error, status, "modes for time integration: %s at %g rad/s",
                                 masing_status_name(status), w);
                goto done;
            }
            double complex *motion = motions + ((size_t)h * N_TRIALS + t) * n_ports;
            for (size_t p = 0; p < n_ports; p++) {
                motion[p] = 0.0;
                for (size_t k = 0; k < n; k++) {
                    motion[p] += ports->shapes[p * n + k] * trial->z[k];
                }
            }
        }
    }
done:
    return status;
}

/* Largest weighted difference, relative to the largest weighted motion of a port. */
static double difference(const struct trial *trial)
{
    size_t n_ports = (size_t)trial->ports->n_ports, stride = N_TRIALS * n_ports;
    double largest = 0.0;
    for (size_t p = 0; p < stride; p++) {
        double size = 0.0, change = 0.0;
        for (size_t h = 0; h < (size_t)trial->n_harmonics; h++) {
            double complex full = trial->full[h * stride + p];
            size = fmax(size, trial->weight[h] * cabs(full));
            change = fmax(change, trial->weight[h] * cabs(trial->fewer[h * stride + p] - full));
        }
        largest = fmax(largest, change > 0.0 ? change / size : 0.0);
    }
    return largest;
}

/* ---- how many modes ---- */

static void choose_harmonics(struct trial *trial)
{
    const struct masing_model *model = trial->model;
    int top = model->spec.integration.steps_per_cycle / STEPS_PER_HARMONIC;
    bool is_coupled = model->structure->damping_matrix != NULL;
    top = top < MOST_HARMONICS ? top : MOST_HARMONICS;
    for (int h = 1; h <= top; h = is_coupled ? 3 * h : h + 1) {
        bool is_loaded = false;
        for (int i = 0; i < model->spec.n_loads; i++) {
            is_loaded = is_loaded || model->loads[i].harmonic == h;
        }
        trial->harmonics[trial->n_harmonics] = h;
        trial->weight[trial->n_harmonics++] = is_loaded ? 1.0 : 1.0 / ((double)h * h);
    }
}

static enum masing_status trial_create(const struct masing_model *model, double omega,
                                       struct trial *trial, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)model->structure->n_modes, n_dofs = (size_t)model->structure->n_dofs;
    size_t most_forces = (size_t)(model->n_axes + 2 * model->spec.n_loads + 1);
    trial->model = model;
    trial->omega = omega;
    choose_harmonics(trial);
    TRY(ports_create(model, &trial->ports, error));
    size_t n_motions = (size_t)trial->n_harmonics * N_TRIALS * (size_t)trial->ports->n_ports;
    trial->patterns = memory_array((most_forces + MOST_DAMPERS) * n_dofs, sizeof(double));
    trial->modal_forces = memory_array((most_forces + MOST_DAMPERS) * n, sizeof(double));
    trial->forces = memory_array(N_TRIALS * n_dofs, sizeof(double));
    trial->modal = memory_array(n, sizeof(double));
    trial->z = memory_array(n, sizeof *trial->z);
    size_t m = model->structure->damping_matrix ? n : REDUCED_BLOCKS * most_forces;
    trial->matrix = memory_array(m * m, sizeof *trial->matrix);
    trial->pivots = memory_array(n, sizeof(int));
    trial->full = memory_array(n_motions, sizeof *trial->full);
    trial->fewer = memory_array(n_motions, sizeof *trial->fewer);
    TRY_ALLOCATED(trial->patterns && trial->modal_forces && trial->forces && trial->modal &&
                  trial->z);
    TRY_ALLOCATED(trial->matrix && trial->pivots && trial->full && trial->fewer);
    take_patterns(trial, trial->forces);
    memset(trial->forces, 0, n_dofs * sizeof(double));
    mix_forces(trial);
    TRY(move(model, trial->ports, trial, trial->full, error));
done:
    return status;
}

/* Modes up to a frequency, none of equal ones parted; rigid-body modes always. */
static int count_modes(const struct structure *structure, double omega)
{
    int n = structure->n_rigid;
    while (n < structure->n_modes && structure->omega[n] <= omega) {
        n++;
    }
    return n;
}

/* Try so many modes; reduction->error tells how well they do. */
static enum masing_status attempt(const struct masing_model *model, struct trial *trial,
                                  int n_near, struct reduction *reduction,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct ports *ports = NULL;
    reduced_structure_clear(&reduction->structure);
    TRY(reduced_structure_create(model->structure, n_near, trial->n_forces + trial->n_dampers,
                                 trial->modal_forces, &reduction->structure, error));
    reduction->fewer = *model;
    reduction->fewer.structure = reduction->structure.structure;
    TRY(ports_create(&reduction->fewer, &ports, error));
    TRY(move(&reduction->fewer, ports, trial, trial->fewer, error));
    reduction->error = difference(trial);
done:
    ports_destroy(ports);
    return status;
}

static enum masing_status find_modes(const struct masing_model *model, double omega,
                                     struct reduction *reduction, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = model->structure;
    struct trial trial = {0};
    double cutoff = first_cutoff * omega;
    double tolerance = error_share * model->spec.integration.tolerance;
    int most = (int)(worthwhile * structure->n_modes);
    TRY(trial_create(model, omega, &trial, error));
    for (int n_near = 0, last = -1; !reduction->is_reduced; cutoff *= cutoff_growth) {
        n_near = count_modes(structure, cutoff);
        if (n_near >= most) {
            break;
        }
        if (n_near > last) {
            TRY(attempt(model, &trial, n_near, reduction, error));
            int n = reduction->structure.structure->n_modes;
            reduction->is_reduced = reduction->error <= tolerance && n <= most;
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
    trial_clear(&trial);
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
