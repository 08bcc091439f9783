/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/compliance/far_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "harmonic/compliance/modal_ports.h"
#include "linalg/dense.h"

/* Room for terms; a series has converged where so many in a row are negligible. */
enum { MAX_TERMS = 64, LAST_TERMS = 4 };
/* Truncation, relative to the first term; the loss, which no equation needs, less exactly. */
static const double NEGLIGIBLE = 1e-17;
static const double NEGLIGIBLE_LOSS = 1e-10;
/* Modes up to this times the highest frequency are near, or more of them, by this factor. */
static const double FIRST_CUTOFF = 2, CUTOFF_GROWTH = 1.5;

/* What creation needs beside the series itself */
struct expansion {
    const struct structure *structure;
    struct far_series *series;
    double *damping;        /* C_ff [n_far * n_far] */
    double *side;           /* right or left [n_far * max(n_right, n_left)] */
    double *inner;          /* [MAX_TERMS][n_far * n_right] X_j */
    double *forces;         /* likewise C_ff X_j */
    double size[MAX_TERMS]; /* of each term beside the first one, largest over the columns */
};

static void expansion_clear(struct expansion *expansion)
{
    free(expansion->damping);
    free(expansion->side);
    free(expansion->inner);
    free(expansion->forces);
}

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

/* Frequency of a far mode, squared */
static double far_square(const struct expansion *expansion, size_t i)
{
    double omega = expansion->structure->omega[(size_t)expansion->series->n_near + i];
    return omega * omega;
}

static size_t term_size(const struct far_series *series)
{
    return (size_t)series->n_far * (size_t)series->n_right;
}

static void first_term(struct expansion *expansion)
{
    size_t n_far = (size_t)expansion->series->n_far;
    for (size_t p = 0; p < term_size(expansion->series); p++) {
        expansion->inner[p] = expansion->side[p] / far_square(expansion, p % n_far);
    }
    expansion->size[0] = 1;
}

/* X_j = -Omega^-2 (top C_ff X_(j-1) + top^2 X_(j-2)) */
static void next_term(struct expansion *expansion, int j)
{
    const struct far_series *series = expansion->series;
    size_t n_far = (size_t)series->n_far, size = term_size(series);
    double *term = expansion->inner + (size_t)j * size, top = series->top;
    double *force = expansion->forces + (size_t)(j - 1) * size;
    const double *before = j > 1 ? term - 2 * size : NULL;
    dense_multiply(series->n_far, series->n_right, series->n_far, expansion->damping,
                   term - size, force);
    for (size_t p = 0; p < size; p++) {
        double sum = top * force[p] + top * top * (before ? before[p] : 0);
        term[p] = -sum / far_square(expansion, p % n_far);
    }
}

/* Size of a term beside the first one, as a force on the modes, in the worst column */
static double relative_size(const struct expansion *expansion, const double *term)
{
    size_t n_far = (size_t)expansion->series->n_far;
    double worst = 0;
    for (size_t j = 0; j < (size_t)expansion->series->n_right; j++) {
        double largest = 0, first = 0;
        for (size_t i = 0; i < n_far; i++) {
            double square = far_square(expansion, i);
            largest = fmax(largest, fabs(term[i + j * n_far]) * square);
            first = fmax(first, fabs(expansion->inner[i + j * n_far]) * square);
        }
        worst = largest > 0 ? fmax(worst, largest / first) : worst;
    }
    return worst;
}

/* Fills inner; n_terms is 0 where the series does not converge in time. */
static void expand(struct expansion *expansion)
{
    int n_small = 0;
    expansion->series->n_terms = 0;
    first_term(expansion);
    for (int j = 1; j < MAX_TERMS; j++) {
        next_term(expansion, j);
        expansion->size[j] = relative_size(
            expansion, expansion->inner + (size_t)j * term_size(expansion->series));
        n_small = expansion->size[j] <= NEGLIGIBLE ? n_small + 1 : 0;
        if (n_small == LAST_TERMS) {
            expansion->series->n_terms = j + 1 - LAST_TERMS;
            return;
        }
    }
}

/* side = ports beside C_fn */
static void take_side(struct expansion *expansion, int n_ports, const double *ports)
{
    const struct far_series *series = expansion->series;
    take_far(series, n_ports, ports, expansion->side);
    take_far(series, series->n_near, expansion->structure->damping_matrix,
             expansion->side + (size_t)n_ports * (size_t)series->n_far);
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

/* i^j is sign_of_power(j) times 1 or i. */
static double sign_of_power(int j)
{
    return j / 2 % 2 ? -1 : 1;
}

static enum masing_status fill_outer(struct expansion *expansion, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct far_series *series = expansion->series;
    size_t size = (size_t)series->n_left * (size_t)series->n_right;
    series->outer = memory_array((size_t)series->n_terms * size, sizeof(double));
    TRY_ALLOCATED(series->outer);
    for (int j = 0; j < series->n_terms; j++) {
        double *outer = series->outer + (size_t)j * size;
        dense_multiply_transposed(series->n_left, series->n_right, series->n_far,
                                  expansion->side,
                                  expansion->inner + (size_t)j * term_size(series), outer);
        for (size_t p = 0; p < size; p++) {
            outer[p] *= sign_of_power(j);
        }
    }
done:
    return status;
}

static enum masing_status fill_needed(const struct compliance_settings *settings,
                                      struct expansion *expansion, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct far_series *series = expansion->series;
    double highest = settings->harmonics[settings->n_harmonics - 1];
    series->needed = memory_array((size_t)settings->n_harmonics, sizeof(int));
    TRY_ALLOCATED(series->needed);
    for (int i = 0; i < settings->n_harmonics; i++) {
        double x = settings->harmonics[i] / highest;
        int n = series->n_terms;
        while (n > 1 && expansion->size[n - 1] * pow(x, n - 1) < NEGLIGIBLE) {
            n--;
        }
        series->needed[i] = n;
    }
done:
    return status;
}

/* matrix = sum_j (-1)^j X_j^T C_ff X_(m - j), the coefficient of (i x)^m in Q_f^H C_ff Q_f;
 * scratch [n_right * n_right] */
static void multiply_out(const struct expansion *expansion, int m, double *scratch,
                         double *matrix)
{
    const struct far_series *series = expansion->series;
    size_t square = (size_t)series->n_right * (size_t)series->n_right;
    for (int j = 0; j <= m; j++) {
        dense_multiply_transposed(series->n_right, series->n_right, series->n_far,
                                  expansion->inner + (size_t)j * term_size(series),
                                  expansion->forces + (size_t)(m - j) * term_size(series),
                                  scratch);
        for (size_t p = 0; p < square; p++) {
            matrix[p] += (j % 2 ? -1 : 1) * scratch[p];
        }
    }
}

static bool is_loss_negligible(size_t n, const double *first, const double *matrix)
{
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            double scale = sqrt(fabs(first[i + i * n] * first[j + j * n]));
            if (fabs(matrix[i + j * n]) > NEGLIGIBLE_LOSS * scale) {
                return false;
            }
        }
    }
    return true;
}

static enum masing_status fill_loss(struct expansion *expansion, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct far_series *series = expansion->series;
    size_t n = (size_t)series->n_right;
    double *scratch = memory_array(n * n, sizeof *scratch);
    int n_small = 0;
    series->loss = memory_array((size_t)series->n_terms * n * n, sizeof(double));
    TRY_ALLOCATED(scratch);
    TRY_ALLOCATED(series->loss);
    for (int m = 0; m < series->n_terms && n_small < LAST_TERMS; m++) {
        double *matrix = series->loss + (size_t)m * n * n;
        multiply_out(expansion, m, scratch, matrix);
        n_small = is_loss_negligible(n, series->loss, matrix) ? n_small + 1 : 0;
        series->n_loss = m + 1;
    }
done:
    free(scratch);
    return status;
}

/* One choice of near modes; n_terms stays 0 where the series does not converge. */
static enum masing_status attempt(const struct structure *structure,
                                  const struct compliance_settings *settings, const double *in,
                                  const double *out, struct far_series *series,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct expansion expansion = {.structure = structure, .series = series};
    size_t n_far = (size_t)series->n_far, n_near = (size_t)series->n_near;
    size_t widest =
        (size_t)(series->n_left > series->n_right ? series->n_left : series->n_right);
    TRY_ALLOCATED(expansion.damping = memory_array(n_far * n_far, sizeof(double)));
    TRY_ALLOCATED(expansion.side = memory_array(n_far * widest, sizeof(double)));
    TRY_ALLOCATED(expansion.inner =
                      memory_array(MAX_TERMS * term_size(series), sizeof(double)));
    TRY_ALLOCATED(expansion.forces =
                      memory_array(MAX_TERMS * term_size(series), sizeof(double)));
    take_far(series, series->n_far,
             structure->damping_matrix + n_near * (size_t)structure->n_modes,
             expansion.damping);
    take_side(&expansion, settings->n_in, in);
    expand(&expansion);
    if (series->n_terms > 0) {
        TRY(fill_needed(settings, &expansion, error));
        TRY(fill_loss(&expansion, error));
        take_side(&expansion, settings->n_out, out);
        TRY(fill_outer(&expansion, error));
    }
done:
    expansion_clear(&expansion);
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
    series->top = modal_ports_top(settings);
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
static void next_vector(const struct far_series *series, const struct structure *structure,
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
        next_vector(series, structure, I * q, previous, before, term);
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
