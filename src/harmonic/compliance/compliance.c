/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/compliance/compliance.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

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

enum masing_status compliance_create(const struct structure *structure,
                                     const struct compliance_settings *settings,
                                     struct compliance **compliance, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct compliance_kind *kind =
        structure->damping_matrix ? &compliance_coupled : &compliance_diagonal;
    struct compliance *made = NULL;
    *compliance = NULL;
    TRY(check_settings(structure, settings, error));
    made = memory_array(1, kind->size);
    TRY_ALLOCATED(made);
    made->kind = kind;
    made->n_dofs = structure->n_dofs;
    made->n_in = settings->n_in;
    made->n_out = settings->n_out;
    made->n_harmonics = settings->n_harmonics;
    size_t n_harmonics = (size_t)settings->n_harmonics;
    made->harmonics = arena_array(&made->arena, n_harmonics, sizeof(int));
    TRY_ALLOCATED(made->harmonics);
    memcpy(made->harmonics, settings->harmonics, n_harmonics * sizeof(int));
    TRY(kind->create(made, structure, settings, error));
    double **matrices[] = {&made->real, &made->imaginary, &made->d_real, &made->d_imaginary};
    for (size_t m = 0; made->has_matrices && m < 4; m++) {
        *matrices[m] =
            arena_doubles(&made->arena, n_harmonics * (size_t)made->n_in * (size_t)made->n_out);
    }
    TRY_ALLOCATED(!made->arena.has_failed);
    *compliance = made;
    made = NULL;
done:
    compliance_destroy(made);
    return status;
}

void compliance_destroy(struct compliance *compliance)
{
    if (compliance) {
        arena_clear(&compliance->arena);
        free(compliance);
    }
}

enum masing_status compliance_evaluate(struct compliance *compliance, double omega,
                                       bool with_slopes)
{
    if (!compliance->has_matrices) {
        return MASING_INTERNAL;
    }
    if (compliance->is_evaluated && compliance->omega == omega &&
        (compliance->has_slopes || !with_slopes)) {
        return MASING_OK;
    }
    enum masing_status status = compliance->kind->evaluate(compliance, omega, with_slopes);
    compliance->is_evaluated = status == MASING_OK;
    compliance->has_slopes = with_slopes;
    compliance->omega = omega;
    return status;
}

static size_t motion_size(const struct compliance *compliance)
{
    return 2 * (size_t)compliance->n_harmonics * (size_t)compliance->n_out;
}

/* motion += matrix force for the matrix [n_harmonics][n_in][n_out] */
static void add_product(const struct compliance *compliance, const double *real,
                        const double *imaginary, const double *force, double *restrict motion)
{
    size_t n_in = (size_t)compliance->n_in, n_out = (size_t)compliance->n_out;
    for (int k = 0; k < compliance->n_harmonics; k++, motion += 2 * n_out) {
        for (size_t in = 0; in < n_in; in++, force += 2, real += n_out, imaginary += n_out) {
            double f = force[0], g = force[1];
            for (size_t out = 0; out < n_out; out++) {
                motion[2 * out] += real[out] * f - imaginary[out] * g;
                motion[2 * out + 1] += real[out] * g + imaginary[out] * f;
            }
        }
    }
}

enum masing_status compliance_multiply(struct compliance *compliance, double omega,
                                       const double *force, double *motion)
{
    if (!compliance->has_matrices) {
        return compliance->kind->apply(compliance, omega, force, motion);
    }
    enum masing_status status = compliance_evaluate(compliance, omega, false);
    if (status == MASING_OK) {
        memset(motion, 0, sizeof *motion * motion_size(compliance));
        add_product(compliance, compliance->real, compliance->imaginary, force, motion);
    }
    return status;
}

enum masing_status compliance_apply(struct compliance *compliance, double omega,
                                    const double *force, double *motion)
{
    return compliance->is_applied ? compliance->kind->apply(compliance, omega, force, motion)
                                  : compliance_multiply(compliance, omega, force, motion);
}

enum masing_status compliance_differentiate(struct compliance *compliance, double omega,
                                            double d_omega, const double *force,
                                            const double *d_force, double *motion,
                                            double *d_motion)
{
    size_t size = motion_size(compliance);
    enum masing_status status = compliance_evaluate(compliance, omega, true);
    if (status != MASING_OK) {
        return status;
    }
    memset(motion, 0, sizeof *motion * size);
    memset(d_motion, 0, sizeof *d_motion * size);
    const double *real = compliance->real, *imaginary = compliance->imaginary;
    const double *d_real = compliance->d_real, *d_imaginary = compliance->d_imaginary;
    size_t n_in = (size_t)compliance->n_in, n_out = (size_t)compliance->n_out, at = 0;
    for (int k = 0; k < compliance->n_harmonics;
         k++, motion += 2 * n_out, d_motion += 2 * n_out) {
        for (size_t in = 0; in < n_in; in++, force += 2, d_force += 2) {
            double f = force[0], g = force[1], df = d_force[0], dg = d_force[1];
            double mf = d_omega * f, mg = d_omega * g;
            for (size_t out = 0; out < n_out; out++, at++) {
                double a = real[at], b = imaginary[at];
                motion[2 * out] += a * f - b * g;
                motion[2 * out + 1] += a * g + b * f;
                d_motion[2 * out] += d_real[at] * mf - d_imaginary[at] * mg + a * df - b * dg;
                d_motion[2 * out + 1] +=
                    d_real[at] * mg + d_imaginary[at] * mf + a * dg + b * df;
            }
        }
    }
    return MASING_OK;
}

enum masing_status compliance_entry(struct compliance *compliance, double omega, int index,
                                    int in, int out, double value[2])
{
    if (!compliance->has_matrices) {
        return compliance->kind->entry(compliance, omega, index, in, out, value);
    }
    enum masing_status status = compliance_evaluate(compliance, omega, false);
    size_t row = (size_t)index * (size_t)compliance->n_in + (size_t)in;
    size_t at = row * (size_t)compliance->n_out + (size_t)out;
    value[0] = compliance->real[at];
    value[1] = compliance->imaginary[at];
    return status;
}

double compliance_loss(struct compliance *compliance, double omega, const double *force_real,
                       const double *force_imaginary)
{
    return compliance->kind->loss(compliance, omega, force_real, force_imaginary);
}

enum masing_status compliance_recover(struct compliance *compliance, double omega,
                                      const double *force_real, const double *force_imaginary,
                                      double *real, double *imaginary,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_in = (size_t)compliance->n_in, n_dofs = (size_t)compliance->n_dofs;
    double complex *force = memory_array(n_in, sizeof *force);
    TRY_ALLOCATED(force);
    memset(real, 0, sizeof *real * (size_t)compliance->n_harmonics * n_dofs);
    memset(imaginary, 0, sizeof *imaginary * (size_t)compliance->n_harmonics * n_dofs);
    for (int index = 0; index < compliance->n_harmonics; index++) {
        size_t from = (size_t)index * n_in, to = (size_t)index * n_dofs;
        for (size_t i = 0; i < n_in; i++) {
            force[i] = force_real[from + i] + I * force_imaginary[from + i];
        }
        TRY(compliance->kind->recover(compliance, omega, index, force, real + to,
                                      imaginary + to));
    }
done:
    if (status == MASING_NO_MEMORY) {
        masing_error_set(error, status, "out of memory");
    }
    free(force);
    return status;
}
