/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/compliance_type.h"

#include <complex.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"

/* Statically, and with damping diagonal in the modes, each mode stands alone. */
static enum masing_status single_modes(const struct compliance *compliance, int index, double q,
                                       double complex *modal)
{
    const struct structure *structure = compliance->structure;
    size_t n = (size_t)structure->n_modes;
    const bool *is_excluded = compliance->is_excluded + (size_t)index * n;
    bool is_static = compliance->harmonics[index] == 0;
    for (size_t k = 0; k < n; k++) {
        double omega = structure->omega[k];
        double damping = q * structure->modal_damping[k] +
                         (is_static ? 0 : structure->loss_factor * omega * omega);
        double complex z = (omega - q) * (omega + q) + I * damping;
        bool is_left_out = is_excluded[k] || (is_static && (int)k < structure->n_rigid);
        if (z == 0 && !is_left_out) {
            return MASING_SINGULAR;
        }
        modal[k] = is_left_out ? 0 : modal[k] / z;
    }
    return MASING_OK;
}

/* One harmonic: modal forces, modal coordinates, displacements */
static enum masing_status recover(struct compliance *compliance, int index, double omega,
                                  const double complex *force, double complex *modal,
                                  double *real, double *imaginary)
{
    const struct structure *structure = compliance->structure;
    size_t n_modes = (size_t)structure->n_modes, n_dofs = (size_t)structure->n_dofs;
    int h = compliance->harmonics[index];
    double eta = h > 0 ? structure->loss_factor : 0;
    for (size_t k = 0; k < n_modes; k++) {
        modal[k] = 0;
        for (size_t i = 0; i < (size_t)compliance->n_in; i++) {
            modal[k] += compliance->in[k + i * n_modes] * force[i];
        }
    }
    enum masing_status status =
        h > 0 && compliance->coupled
            ? coupled_sum_modal(compliance->coupled, index, h * omega, force, modal)
            : single_modes(compliance, index, h * omega, modal);
    for (size_t k = 0; k < n_modes; k++) {
        for (size_t d = 0; d < n_dofs; d++) {
            real[d] += structure->shapes[d + k * n_dofs] * creal(modal[k]);
            imaginary[d] += structure->shapes[d + k * n_dofs] * cimag(modal[k]);
        }
    }
    for (size_t i = 0; compliance->reach && i < (size_t)compliance->n_in; i++) {
        double complex load = force[i] / (1 + I * eta);
        for (size_t d = 0; d < n_dofs; d++) {
            real[d] += compliance->reach[d + i * n_dofs] * creal(load);
            imaginary[d] += compliance->reach[d + i * n_dofs] * cimag(load);
        }
    }
    return status;
}

enum masing_status compliance_recover(struct compliance *compliance, double omega,
                                      const double *force_real, const double *force_imaginary,
                                      double *real, double *imaginary,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_in = (size_t)compliance->n_in, n_dofs = (size_t)compliance->structure->n_dofs;
    double complex *force = memory_array(n_in, sizeof *force);
    double complex *modal = memory_array((size_t)compliance->structure->n_modes, sizeof *modal);
    TRY_ALLOCATED(force);
    TRY_ALLOCATED(modal);
    for (size_t i = 0; i < (size_t)compliance->n_harmonics * n_dofs; i++) {
        real[i] = imaginary[i] = 0;
    }
    for (int h = 0; h < compliance->n_harmonics; h++) {
        for (size_t i = 0; i < n_in; i++) {
            size_t at = (size_t)h * n_in + i;
            force[i] = force_real[at] + I * force_imaginary[at];
        }
        TRY(recover(compliance, h, omega, force, modal, real + (size_t)h * n_dofs,
                    imaginary + (size_t)h * n_dofs));
    }
done:
    if (status == MASING_NO_MEMORY) {
        masing_error_set(error, status, "out of memory");
    }
    free(force);
    free(modal);
    return status;
}
