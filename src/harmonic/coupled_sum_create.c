/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/coupled_sum_type.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"

/* Residual flexibility between the ports */
static enum masing_status fill_residual(struct coupled_sum *sum,
                                        const struct compliance_settings *settings,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n_dofs = sum->structure->n_dofs;
    size_t n_in = (size_t)sum->n_in;
    double *product = memory_array((size_t)n_dofs * n_in, sizeof *product);
    TRY_ALLOCATED(product);
    TRY_ALLOCATED(sum->residual = memory_array(n_in * (size_t)sum->n_out, sizeof(double)));
    TRY_ALLOCATED(sum->residual_in = memory_array(n_in * n_in, sizeof(double)));
    dense_multiply(n_dofs, sum->n_in, n_dofs, sum->structure->flexibility, settings->in,
                   product);
    dense_multiply_transposed(sum->n_out, sum->n_in, n_dofs, settings->out, product,
                              sum->residual);
    dense_multiply_transposed(sum->n_in, sum->n_in, n_dofs, settings->in, product,
                              sum->residual_in);
done:
    free(product);
    return status;
}

static bool is_excluded(const struct coupled_sum *sum,
                        const struct compliance_settings *settings, int mode)
{
    for (int e = 0; e < settings->n_exclusions; e++) {
        struct compliance_exclusion exclusion = settings->exclusions[e];
        if (exclusion.mode == mode && sum->harmonics[exclusion.harmonic_index] == 0) {
            return true;
        }
    }
    return mode < sum->structure->n_rigid;
}

/* Harmonic 0: all modes, in [n_modes * n_in], out [n_modes * n_out] */
static void fill_static(struct coupled_sum *sum, const struct compliance_settings *settings,
                        const double *in, const double *out)
{
    size_t n = (size_t)sum->structure->n_modes, n_out = (size_t)sum->n_out;
    for (size_t k = 0; k < n; k++) {
        double square = sum->structure->omega[k] * sum->structure->omega[k];
        if (is_excluded(sum, settings, (int)k)) {
            continue;
        }
        for (size_t i = 0; i < (size_t)sum->n_in; i++) {
            for (size_t o = 0; o < n_out; o++) {
                sum->static_sum[i * n_out + o] += in[k + i * n] * out[k + o * n] / square;
            }
        }
    }
    for (size_t p = 0; sum->residual && p < (size_t)sum->n_in * n_out; p++) {
        sum->static_sum[p] += sum->residual[p];
    }
}

static enum masing_status allocate(struct coupled_sum *sum, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)sum->n, n_in = (size_t)sum->n_in, n_out = (size_t)sum->n_out;
    size_t far = (size_t)sum->far.n_left * (size_t)sum->far.n_right, z = sizeof(double complex);
    TRY_ALLOCATED(sum->harmonics = memory_array((size_t)sum->n_harmonics, sizeof(int)));
    TRY_ALLOCATED(sum->in = memory_array(n * n_in, sizeof(double)));
    TRY_ALLOCATED(sum->out = memory_array(n * n_out, sizeof(double)));
    TRY_ALLOCATED(sum->static_sum = memory_array(n_in * n_out, sizeof(double)));
    TRY_ALLOCATED(sum->far_parts = memory_array(4 * far, sizeof(double)));
    TRY_ALLOCATED(sum->z = memory_array(n * n, z));
    TRY_ALLOCATED(sum->dz = memory_array(n * n, z));
    TRY_ALLOCATED(sum->x = memory_array(n * (n_in + n_out), z));
    TRY_ALLOCATED(sum->dx = memory_array(n * (n_in + n_out), z));
    TRY_ALLOCATED(sum->sides = memory_array(n * (n_in + n_out), z));
    TRY_ALLOCATED(sum->product = memory_array(n * n_in, z));
    TRY_ALLOCATED(sum->load = memory_array(2 * (n + n_in), sizeof(double)));
    TRY_ALLOCATED(sum->modal = memory_array(n, z));
    TRY_ALLOCATED(sum->pivots = memory_array(n, sizeof(int)));
done:
    return status;
}

/* Rows of the near modes */
static void take_near(const struct coupled_sum *sum, int n_ports, const double *ports,
                      double *near)
{
    for (size_t j = 0; j < (size_t)n_ports; j++) {
        memcpy(near + j * (size_t)sum->n, ports + j * (size_t)sum->structure->n_modes,
               (size_t)sum->n * sizeof *near);
    }
}

enum masing_status coupled_sum_create(const struct structure *structure,
                                      const struct compliance_settings *settings,
                                      const double *in, const double *out,
                                      struct coupled_sum **result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct coupled_sum *sum = memory_array(1, sizeof *sum);
    TRY_ALLOCATED(sum);
    sum->structure = structure;
    sum->n_in = settings->n_in;
    sum->n_out = settings->n_out;
    sum->n_harmonics = settings->n_harmonics;
    TRY(far_series_create(structure, settings, in, out, &sum->far, error));
    sum->n = sum->far.n_near;
    TRY(allocate(sum, error));
    memcpy(sum->harmonics, settings->harmonics, (size_t)sum->n_harmonics * sizeof(int));
    take_near(sum, sum->n_in, in, sum->in);
    take_near(sum, sum->n_out, out, sum->out);
    if (structure->flexibility) {
        TRY(fill_residual(sum, settings, error));
    }
    fill_static(sum, settings, in, out);
done:
    if (status != MASING_OK) {
        coupled_sum_destroy(sum);
        sum = NULL;
    }
    *result = sum;
    return status;
}

void coupled_sum_destroy(struct coupled_sum *sum)
{
    if (sum) {
        far_series_clear(&sum->far);
        free(sum->harmonics);
        free(sum->in);
        free(sum->out);
        free(sum->static_sum);
        free(sum->residual);
        free(sum->residual_in);
        free(sum->far_parts);
        free(sum->z);
        free(sum->dz);
        free(sum->x);
        free(sum->dx);
        free(sum->sides);
        free(sum->product);
        free(sum->load);
        free(sum->modal);
        free(sum->pivots);
        free(sum);
    }
}
