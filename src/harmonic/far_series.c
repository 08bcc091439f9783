/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/far_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"

enum { MAX_TERMS = 64, LAST_TERMS = 4 };
static const double NEGLIGIBLE = 1e-17;
/* Modes up to this times the highest frequency are near, or more of them, by this factor. */
static const double FIRST_CUTOFF = 2, CUTOFF_GROWTH = 1.5;
/* A search may step a little beyond the range. */
static const double MARGIN = 1.05;

static int count_near(const struct structure *structure, double cutoff)
{
    int n = structure->n_rigid;
    while (n < structure->n_modes && structure->omega[n] <= cutoff) {
        n++;
    }
    return n;
}

/* part [n_far * n_columns] = rows of the far modes of modal [n_modes * n_columns] */
static void take_far(const struct far_series *series, int n_columns, const double *modal,
                     double *part)
{
    size_t n_far = (size_t)series->n_far, n_near = (size_t)series->n_near;
    for (size_t j = 0; j < (size_t)n_columns; j++) {
        memcpy(part + j * n_far, modal + j * (n_near + n_far) + n_near, n_far * sizeof *part);
    }
}

/* term = -Omega^-2 (top C_ff previous + top^2 before); the first one: Omega^-2 right */
static void next_term(const struct structure *structure, const struct far_series *series,
                      const double *damping, const double *previous, const double *before,
                      double *term)
{
    size_t n_far = (size_t)series->n_far, n_right = (size_t)series->n_right;
    dense_multiply(series->n_far, series->n_right, series->n_far, damping, previous, term);
    for (size_t j = 0; j < n_right; j++) {
        for (size_t i = 0; i < n_far; i++) {
            double omega = structure->omega[(size_t)series->n_near + i];
            double old = before ? before[i + j * n_far] : 0;
            double sum = series->top * term[i + j * n_far] + series->top * series->top * old;
            term[i + j * n_far] = -sum / (omega * omega);
        }
    }
}

/* Is the term negligible beside the first one, column by column, as a force on the modes? */
static bool is_negligible(const struct structure *structure, const struct far_series *series,
                          const double *term)
{
    size_t n_far = (size_t)series->n_far;
    for (size_t j = 0; j < (size_t)series->n_right; j++) {
        double largest = 0, first = 0;
        for (size_t i = 0; i < n_far; i++) {
            double omega = structure->omega[(size_t)series->n_near + i];
            largest = fmax(largest, fabs(term[i + j * n_far]) * omega * omega);
            first = fmax(first, fabs(series->inner[i + j * n_far]) * omega * omega);
        }
        if (!(largest <= NEGLIGIBLE * first)) {
            return false;
        }
    }
    return true;
}

/* Terms into inner (room for MAX_TERMS); n_terms is 0 where they do not converge in time. */
static void expand(const struct structure *structure, const double *damping,
                   struct far_series *series)
{
    size_t size = (size_t)series->n_far * (size_t)series->n_right;
    int n_small = 0;
    series->n_terms = 0;
    for (int j = 1; j < MAX_TERMS; j++) {
        double *term = series->inner + (size_t)j * size;
        next_term(structure, series, damping, term - size, j > 1 ? term - 2 * size : NULL,
                  term);
        n_small = is_negligible(structure, series, term) ? n_small + 1 : 0;
        if (n_small == LAST_TERMS) {
            series->n_terms = j + 1 - LAST_TERMS;
            return;
        }
    }
}

static void fill_first(const struct structure *structure, const double *right,
                       struct far_series *series)
{
    size_t n_far = (size_t)series->n_far;
    for (size_t j = 0; j < (size_t)series->n_right; j++) {
        for (size_t i = 0; i < n_far; i++) {
            double omega = structure->omega[(size_t)series->n_near + i];
            series->inner[i + j * n_far] = right[i + j * n_far] / (omega * omega);
        }
    }
}

/* C_ff [n_far * n_far] and ports beside C_fn [n_far * (n_ports + n_near)] */
static void take_far_damping(const struct structure *structure, const struct far_series *series,
                             double *damping)
{
    size_t n = (size_t)structure->n_modes, n_near = (size_t)series->n_near;
    take_far(series, series->n_far, structure->damping_matrix + n_near * n, damping);
}

static void take_side(const struct structure *structure, const struct far_series *series,
                      int n_ports, const double *ports, double *side)
{
    take_far(series, n_ports, ports, side);
    take_far(series, series->n_near, structure->damping_matrix,
             side + (size_t)n_ports * (size_t)series->n_far);
}

static void set_sizes(const struct structure *structure,
                      const struct compliance_settings *settings, int n_near,
                      struct far_series *series)
{
    series->n_near = n_near;
    series->n_far = structure->n_modes - n_near;
    series->n_left = settings->n_out + n_near;
    series->n_right = settings->n_in + n_near;
}

/* One choice of near modes; n_terms stays 0 where the series does not converge. */
static enum masing_status attempt(const struct structure *structure,
                                  const struct compliance_settings *settings, const double *in,
                                  const double *out, struct far_series *series,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_far = (size_t)series->n_far, n_left = (size_t)series->n_left;
    size_t n_right = (size_t)series->n_right;
    double *damping = memory_array(n_far * n_far, sizeof *damping);
    double *side = memory_array(n_far * (n_left > n_right ? n_left : n_right), sizeof *side);
    free(series->inner);
    series->inner = memory_array((size_t)MAX_TERMS * n_far * n_right, sizeof(double));
    TRY_ALLOCATED(damping);
    TRY_ALLOCATED(side);
    TRY_ALLOCATED(series->inner);
    take_far_damping(structure, series, damping);
    take_side(structure, series, settings->n_in, in, side);
    fill_first(structure, side, series);
    expand(structure, damping, series);
    if (series->n_terms > 0) {
        series->outer =
            memory_array((size_t)series->n_terms * n_left * n_right, sizeof(double));
        TRY_ALLOCATED(series->outer);
        take_side(structure, series, settings->n_out, out, side);
        for (size_t j = 0; j < (size_t)series->n_terms; j++) {
            dense_multiply_transposed((int)n_left, (int)n_right, (int)n_far, side,
                                      series->inner + j * n_far * n_right,
                                      series->outer + j * n_left * n_right);
        }
    }
done:
    free(damping);
    free(side);
    return status;
}

enum masing_status far_series_create(const struct structure *structure,
                                     const struct compliance_settings *settings,
                                     const double *in, const double *out,
                                     struct far_series *series, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = structure->n_modes;
    *series = (struct far_series){0};
    series->top = MARGIN * settings->omega_max * settings->harmonics[settings->n_harmonics - 1];
    double cutoff = FIRST_CUTOFF * series->top;
    int n_near = structure->loss_factor != 0 ? n : count_near(structure, cutoff);
    while (n_near < n) {
        set_sizes(structure, settings, n_near, series);
        TRY(attempt(structure, settings, in, out, series, error));
        if (series->n_terms > 0) {
            goto done;
        }
        int old = n_near;
        while (n_near == old) {
            cutoff *= CUTOFF_GROWTH;
            n_near = count_near(structure, cutoff);
        }
    }
    set_sizes(structure, settings, n, series);
done:
    return status;
}

void far_series_clear(struct far_series *series)
{
    free(series->inner);
    free(series->outer);
    *series = (struct far_series){0};
}

/* i^j */
static double complex power_of_i(int j)
{
    static const double real[] = {1, 0, -1, 0}, imaginary[] = {0, 1, 0, -1};
    return real[j % 4] + I * imaginary[j % 4];
}

void far_series_evaluate(const struct far_series *series, double q, double complex *value,
                         double complex *derivative)
{
    size_t size = (size_t)series->n_left * (size_t)series->n_right;
    double x = q / series->top, power = 1, below = 0;
    memset(value, 0, size * sizeof *value);
    memset(derivative, 0, size * sizeof *derivative);
    for (int j = 0; j < series->n_terms; j++) {
        const double *term = series->outer + (size_t)j * size;
        double complex factor = power_of_i(j) * power;
        double complex slope = power_of_i(j) * (j * below / series->top);
        for (size_t p = 0; p < size; p++) {
            value[p] += factor * term[p];
            derivative[p] += slope * term[p];
        }
        below = power;
        power *= x;
    }
}

void far_series_modal(const struct far_series *series, double q, const double complex *load,
                      double complex *modal)
{
    size_t n_far = (size_t)series->n_far, n_right = (size_t)series->n_right;
    double x = q / series->top, power = 1;
    memset(modal, 0, n_far * sizeof *modal);
    for (int j = 0; j < series->n_terms; j++) {
        const double *term = series->inner + (size_t)j * n_far * n_right;
        for (size_t c = 0; c < n_right; c++) {
            double complex factor = power_of_i(j) * power * load[c];
            for (size_t i = 0; i < n_far; i++) {
                modal[i] += factor * term[i + c * n_far];
            }
        }
        power *= x;
    }
}
