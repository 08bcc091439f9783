/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/reduction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "transient/reduction_trial.h"

/* With fewer modes nothing is gained by leaving some out. */
enum { MANY_MODES = 64 };
/* Modes up to so many times the load's frequency stay at least; then this factor more. */
static const double first_cutoff = 8.0, cutoff_growth = 1.2;
/* A reduced model costs at most this part. */
static const double worthwhile = 0.7;
/* Receptances may differ by so many tolerances of the steady state. */
static const double error_share = 10.0;

/* Modes up to a frequency, none of equal ones parted; rigid-body modes always. */
static int count_modes(const struct structure *structure, double omega)
{
    int n = structure->n_rigid;
    while (n < structure->n_modes && structure->omega[n] <= omega) {
        n++;
    }
    return n;
}

/* What a time step costs, roughly: modes by themselves, joints, and modes that damping couples
 * to one another. */
static double cost_of(const struct masing_model *model)
{
    const double of_mode = 10.0;
    double n = model->structure->n_modes;
    double coupled = n - (double)structure_uncoupled_modes(model->structure);
    return n * (of_mode + 4.0 * model->n_axes) + 3.0 * coupled * coupled;
}

/* Try so many modes; reduction->error tells how well they do. */
static enum masing_status attempt(const struct masing_model *model,
                                  struct reduction_trial *trial, int n_near,
                                  struct reduction *reduction, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    reduced_structure_clear(&reduction->structure);
    TRY(reduced_structure_create(model->structure, n_near, trial->n_forces + trial->n_dampers,
                                 trial->modal_forces, &reduction->structure, error));
    reduction->fewer = *model;
    reduction->fewer.structure = reduction->structure.structure;
    TRY(reduction_trial_compare(trial, &reduction->fewer, &reduction->error, error));
done:
    return status;
}

static enum masing_status find_modes(const struct masing_model *model, double omega,
                                     struct reduction *reduction, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = model->structure;
    struct reduction_trial trial = {0};
    double cutoff = first_cutoff * omega;
    double tolerance = error_share * model->spec.integration.tolerance;
    TRY(reduction_trial_create(model, omega, &trial, error));
    for (int n_near = 0, last = -1; !reduction->is_reduced; cutoff *= cutoff_growth) {
        n_near = count_modes(structure, cutoff);
        if (n_near >= structure->n_modes) {
            break;
        }
        if (n_near > last) {
            TRY(attempt(model, &trial, n_near, reduction, error));
            bool is_cheaper = cost_of(&reduction->fewer) <= worthwhile * cost_of(model);
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
    reduction_trial_clear(&trial);
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
    is_wanted = is_wanted && model->n_axes <= REDUCTION_MOST_AXES;
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
