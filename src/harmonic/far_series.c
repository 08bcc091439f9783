/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/far_series.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/dense.h"

void far_series_clear(struct far_series *series)
{
    free(series->needed);
    free(series->outer);
    free(series->loss);
    *series = (struct far_series){0};
}

void far_series_evaluate(const struct far_series *series, int index, double q, double *parts)
{
    size_t size = (size_t)series->n_left * (size_t)series->n_right;
    double x = q / series->top, power = 1, below = 0;
    memset(parts, 0, 4 * size * sizeof *parts);
    for (int j = 0; j < series->needed[index]; j++) {
        const double *term = series->outer + (size_t)j * size;
        double *restrict value = parts + (j % 2 ? size : 0), slope = j * below / series->top;
        double *restrict derivative = value + 2 * size;
        for (size_t p = 0; p < size; p++) {
            value[p] += power * term[p];
            derivative[p] += slope * term[p];
        }
        below = power;
        power *= x;
    }
}

/* a^T D b */
static double bilinear(size_t n, const double *matrix, const double *a, const double *b)
{
    double total = 0;
    for (size_t j = 0; j < n; j++) {
        total += b[j] * dense_dot((int)n, matrix + j * n, a);
    }
    return total;
}

double far_series_loss(const struct far_series *series, double q, const double *re,
                       const double *im)
{
    size_t n = (size_t)series->n_right;
    double x = q / series->top, power = 1, total = 0;
    for (int m = 0; m < series->n_loss; m++) {
        const double *matrix = series->loss + (size_t)m * n * n;
        /* the even matrices are symmetric, the odd ones antisymmetric: i^m i = -|.| sign */
        double form = m % 2 ? -2 * bilinear(n, matrix, re, im)
                            : bilinear(n, matrix, re, re) + bilinear(n, matrix, im, im);
        total += (m / 2 % 2 ? -1 : 1) * power * form;
        power *= x;
    }
    return total;
}

/* term = -Omega^-2 (s C_ff previous + s^2 before) */
static void next_term(const struct far_series *series, const struct structure *structure,
                      double complex s, const double complex *previous,
                      const double complex *before, double complex *term)
{
    size_t n = (size_t)structure->n_modes, first = (size_t)series->n_near;
    for (size_t i = first; i < n; i++) {
        double complex force = 0;
        for (size_t j = first; j < n; j++) {
            force += structure->damping_matrix[j + i * n] * previous[j - first];
        }
        double omega = structure->omega[i];
        term[i - first] = -(s * force + s * s * before[i - first]) / (omega * omega);
    }
}

enum masing_status far_series_apply(const struct far_series *series,
                                    const struct structure *structure, int index, double q,
                                    double complex *modal)
{
    size_t n = (size_t)series->n_far;
    double complex *terms = memory_array(3 * n, sizeof *terms);
    if (!terms) {
        return MASING_NO_MEMORY;
    }
    double complex *before = terms, *previous = terms + n, *term = terms + 2 * n;
    for (size_t i = 0; i < n; i++) {
        double omega = structure->omega[(size_t)series->n_near + i];
        modal[i] = previous[i] = modal[i] / (omega * omega);
    }
    for (int j = 1; n > 0 && j < series->needed[index]; j++) {
        next_term(series, structure, I * q, previous, before, term);
        for (size_t i = 0; i < n; i++) {
            modal[i] += term[i];
        }
        double complex *oldest = before;
        before = previous;
        previous = term;
        term = oldest;
    }
    free(terms);
    return MASING_OK;
}
