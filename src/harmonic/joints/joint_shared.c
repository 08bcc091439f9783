/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/joints/joint_shared.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

enum masing_status joint_shared_create(struct basis *basis, struct joint_shared **shared,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct joint_shared *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->basis = basis;
    TRY(trigonometric_grid_create(basis->harmonics, basis->n_harmonics, &made->grid, error));
    *shared = made;
    made = NULL;
done:
    joint_shared_destroy(made);
    return status;
}

void joint_shared_destroy(struct joint_shared *shared)
{
    if (!shared) {
        return;
    }
    for (int a = 0; a <= MASING_MAX_AXES; a++) {
        for (int v = 0; v < 2; v++) {
            free(shared->seeds[a][v].dx);
            free(shared->seeds[a][v].slopes);
        }
    }
    trigonometric_grid_destroy(shared->grid);
    free(shared->analysis);
    free(shared);
}

/* samples [n_samples]: one basis function or its derivative by theta */
static void sample_function(struct basis *basis, int c, int order, double *unit,
                            double *samples)
{
    memset(unit, 0, sizeof(double) * (size_t)basis->n_coefficients);
    unit[c] = 1.0;
    basis_synthesise(basis, unit, order, samples);
}

static void fill_seeds(struct basis *basis, int n_axes, int n_directions, int order,
                       double *unit, double *seeds)
{
    double *samples = unit + basis->n_coefficients;
    for (int c = 0; c < basis->n_coefficients; c++) {
        sample_function(basis, c, order, unit, samples);
        for (int i = 0; i < basis->n_samples; i++) {
            for (int a = 0; a < n_axes; a++) {
                size_t row = (size_t)i * (size_t)n_axes + (size_t)a;
                seeds[row * (size_t)n_directions + (size_t)(a * basis->n_coefficients + c)] =
                    samples[i];
            }
        }
    }
}

/* The mean of samples times a function, twice that where the function is not constant. */
static void fill_analysis(struct basis *basis, double *unit, double *analysis)
{
    double *samples = unit + basis->n_coefficients;
    for (int c = 0; c < basis->n_coefficients; c++) {
        bool is_constant = c == 0 && basis->harmonics[0] == 0;
        double scale = (is_constant ? 1.0 : 2.0) / basis->n_samples;
        sample_function(basis, c, 0, unit, samples);
        for (int i = 0; i < basis->n_samples; i++) {
            analysis[i * basis->n_coefficients + c] = scale * samples[i];
        }
    }
}

enum masing_status joint_shared_seeds(struct joint_shared *shared, int n_axes,
                                      bool with_velocity, const struct joint_seeds **seeds,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct basis *basis = shared->basis;
    struct joint_seeds *made = &shared->seeds[n_axes][with_velocity];
    size_t n_c = (size_t)basis->n_coefficients, n_samples = (size_t)basis->n_samples;
    double *unit = NULL; /* [n_c] and a column of samples */
    *seeds = made;
    if (made->n_directions > 0) {
        return MASING_OK;
    }
    int n_directions = n_axes * basis->n_coefficients + (with_velocity ? 1 : 0);
    size_t size = n_samples * (size_t)n_axes * (size_t)n_directions;
    unit = memory_array(n_c + n_samples, sizeof *unit);
    made->dx = memory_array(size, sizeof(double));
    TRY_ALLOCATED(unit && made->dx);
    fill_seeds(basis, n_axes, n_directions, 0, unit, made->dx);
    if (with_velocity) {
        TRY_ALLOCATED(made->slopes = memory_array(size, sizeof(double)));
        fill_seeds(basis, n_axes, n_directions, 1, unit, made->slopes);
    }
    if (!shared->analysis) {
        TRY_ALLOCATED(shared->analysis = memory_array(n_c * n_samples, sizeof(double)));
        fill_analysis(basis, unit, shared->analysis);
    }
    made->n_directions = n_directions;
done:
    free(unit);
    return status;
}
