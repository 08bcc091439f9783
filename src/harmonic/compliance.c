/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/compliance_type.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"

static enum masing_status check_settings(const struct structure *structure,
                                         const struct compliance_settings *settings,
                                         struct masing_error *error)
{
    if (settings->n_harmonics < 1) {
        return masing_error_set(error, MASING_INTERNAL, "compliance without harmonics");
    }
    for (int e = 0; e < settings->n_exclusions; e++) {
        struct compliance_exclusion exclusion = settings->exclusions[e];
        if (exclusion.mode < 0 || exclusion.mode >= structure->n_modes ||
            exclusion.harmonic_index < 0 || exclusion.harmonic_index >= settings->n_harmonics) {
            return masing_error_set(error, MASING_INTERNAL, "no such mode to exclude");
        }
        if (structure->damping_matrix && settings->harmonics[exclusion.harmonic_index] > 0) {
            return masing_error_set(error, MASING_INTERNAL,
                                    "a mode that damping couples to others cannot be excluded");
        }
    }
    return MASING_OK;
}

static size_t count_entries(size_t n, const double *pattern)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        count += pattern[i] != 0;
    }
    return count;
}

/* modal [n_modes] = shapes^T pattern; most patterns touch a few DOFs only */
static void project(const struct structure *structure, const double *pattern, double *modal)
{
    size_t n = (size_t)structure->n_dofs, n_modes = (size_t)structure->n_modes;
    if (8 * count_entries(n, pattern) > n) {
        dense_multiply_transposed((int)n_modes, 1, (int)n, structure->shapes, pattern, modal);
        return;
    }
    for (size_t d = 0; d < n; d++) {
        for (size_t k = 0; pattern[d] != 0 && k < n_modes; k++) {
            modal[k] += pattern[d] * structure->shapes[d + k * n];
        }
    }
}

static void project_all(const struct structure *structure, int n_ports, const double *patterns,
                        double *modal)
{
    for (size_t p = 0; p < (size_t)n_ports; p++) {
        project(structure, patterns + p * (size_t)structure->n_dofs,
                modal + p * (size_t)structure->n_modes);
    }
}

/* What a recovery needs of the settings */
static enum masing_status keep(const struct compliance_settings *settings,
                               struct compliance *compliance, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = compliance->structure;
    size_t n_harmonics = (size_t)settings->n_harmonics, n_modes = (size_t)structure->n_modes;
    int n_dofs = structure->n_dofs;
    compliance->n_in = settings->n_in;
    compliance->n_harmonics = settings->n_harmonics;
    compliance->harmonics = memory_copy(settings->harmonics, n_harmonics, sizeof(int));
    compliance->is_excluded = memory_array(n_harmonics * n_modes, sizeof(bool));
    TRY_ALLOCATED(compliance->harmonics);
    TRY_ALLOCATED(compliance->is_excluded);
    for (int e = 0; e < settings->n_exclusions; e++) {
        struct compliance_exclusion exclusion = settings->exclusions[e];
        compliance
            ->is_excluded[(size_t)exclusion.harmonic_index * n_modes + (size_t)exclusion.mode] =
            true;
    }
    for (size_t h = 0; h < n_harmonics; h++) {
        for (int k = 0; settings->harmonics[h] == 0 && k < structure->n_rigid; k++) {
            compliance->is_excluded[h * n_modes + (size_t)k] = true;
        }
    }
    if (structure->flexibility) {
        compliance->reach =
            memory_array((size_t)n_dofs * (size_t)settings->n_in, sizeof(double));
        TRY_ALLOCATED(compliance->reach);
        dense_multiply(n_dofs, settings->n_in, n_dofs, structure->flexibility, settings->in,
                       compliance->reach);
    }
done:
    return status;
}

static enum masing_status create_sums(struct compliance *compliance,
                                      const struct compliance_settings *settings,
                                      const double *out, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = compliance->structure;
    if (structure->damping_matrix) {
        return coupled_sum_create(structure, settings, compliance->in, out,
                                  &compliance->coupled, error);
    }
    if (!structure->flexibility) {
        TRY(modal_product_create(structure, settings, compliance->harmonics,
                                 compliance->is_excluded, compliance->in, out,
                                 &compliance->product, error));
    }
    if (!settings->is_matrix_free || !compliance->product) {
        TRY(modal_sum_create(structure, settings, compliance->in, out, &compliance->modal,
                             error));
    }
done:
    return status;
}

enum masing_status compliance_create(const struct structure *structure,
                                     const struct compliance_settings *settings,
                                     struct compliance **result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)structure->n_modes;
    double *out = memory_array(n * (size_t)settings->n_out, sizeof *out);
    struct compliance *compliance = memory_array(1, sizeof *compliance);
    TRY_ALLOCATED(out);
    TRY_ALLOCATED(compliance);
    compliance->structure = structure;
    compliance->in = memory_array(n * (size_t)settings->n_in, sizeof(double));
    TRY_ALLOCATED(compliance->in);
    TRY(check_settings(structure, settings, error));
    TRY(keep(settings, compliance, error));
    project_all(structure, settings->n_in, settings->in, compliance->in);
    project_all(structure, settings->n_out, settings->out, out);
    TRY(create_sums(compliance, settings, out, error));
done:
    free(out);
    if (status != MASING_OK) {
        compliance_destroy(compliance);
        compliance = NULL;
    }
    *result = compliance;
    return status;
}

void compliance_destroy(struct compliance *compliance)
{
    if (compliance) {
        modal_sum_destroy(compliance->modal);
        coupled_sum_destroy(compliance->coupled);
        modal_product_destroy(compliance->product);
        free(compliance->harmonics);
        free(compliance->is_excluded);
        free(compliance->in);
        free(compliance->reach);
        free(compliance);
    }
}

enum masing_status compliance_evaluate(struct compliance *compliance, double omega,
                                       double *real, double *imaginary, double *d_real,
                                       double *d_imaginary)
{
    if (compliance->coupled) {
        return coupled_sum_evaluate(compliance->coupled, omega, real, imaginary, d_real,
                                    d_imaginary);
    }
    return modal_sum_evaluate(compliance->modal, omega, real, imaginary, d_real, d_imaginary);
}

bool compliance_has_matrix(const struct compliance *compliance)
{
    return compliance->coupled || compliance->modal;
}

bool compliance_can_apply(const struct compliance *compliance)
{
    return compliance->product != NULL;
}

bool compliance_should_apply(const struct compliance *compliance)
{
    return compliance->product &&
           (!compliance->modal ||
            modal_product_cost(compliance->product) < modal_sum_cost(compliance->modal));
}

enum masing_status compliance_apply(struct compliance *compliance, double omega,
                                    const double *force, double *motion)
{
    return modal_product_apply(compliance->product, omega, force, motion);
}

enum masing_status compliance_entry(const struct compliance *compliance, double omega,
                                    int harmonic_index, int in, int out, double value[2])
{
    return modal_product_entry(compliance->product, omega, harmonic_index, in, out, value);
}

double compliance_loss(struct compliance *compliance, double omega, const double *force_real,
                       const double *force_imaginary)
{
    if (compliance->coupled) {
        return coupled_sum_loss(compliance->coupled, omega, force_real, force_imaginary);
    }
    return compliance->modal && modal_sum_has_loss(compliance->modal)
               ? modal_sum_loss(compliance->modal, omega, force_real, force_imaginary)
               : modal_product_loss(compliance->product, omega, force_real, force_imaginary);
}
