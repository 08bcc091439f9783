/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/compliance.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "harmonic/coupled_sum.h"
#include "harmonic/modal_sum.h"
#include "linalg/dense.h"

struct compliance {
    struct modal_sum *modal;     /* damping diagonal in the modes, or */
    struct coupled_sum *coupled; /* not */
};

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

enum masing_status compliance_create(const struct structure *structure,
                                     const struct compliance_settings *settings,
                                     struct compliance **result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)structure->n_modes;
    double *in = memory_array(n * (size_t)settings->n_in, sizeof *in);
    double *out = memory_array(n * (size_t)settings->n_out, sizeof *out);
    struct compliance *compliance = memory_array(1, sizeof *compliance);
    TRY_ALLOCATED(in);
    TRY_ALLOCATED(out);
    TRY_ALLOCATED(compliance);
    TRY(check_settings(structure, settings, error));
    project_all(structure, settings->n_in, settings->in, in);
    project_all(structure, settings->n_out, settings->out, out);
    if (structure->damping_matrix) {
        TRY(coupled_sum_create(structure, settings, in, out, &compliance->coupled, error));
    } else {
        TRY(modal_sum_create(structure, settings, in, out, &compliance->modal, error));
    }
done:
    free(in);
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

double compliance_loss(struct compliance *compliance, double omega, const double *force_real,
                       const double *force_imaginary)
{
    return compliance->coupled
               ? coupled_sum_loss(compliance->coupled, omega, force_real, force_imaginary)
               : modal_sum_loss(compliance->modal, omega, force_real, force_imaginary);
}
