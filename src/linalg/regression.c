/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/regression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/bracket.h"
#include "linalg/dense.h"
#include "linalg/svd.h"

/* Columns that depend on each other up to round-off. */
static const double largest_condition = 1e13;

/* Cornish and Fisher's expansion about the normal quantile z; exact below three degrees. */
double student_quantile(int degrees_of_freedom)
{
    const double z = 1.959963984540054, first[] = {12.706204736432095, 4.302652729911275};
    double n = degrees_of_freedom, z2 = z * z;
    if (degrees_of_freedom <= 0) {
        return INFINITY;
    }
    if (degrees_of_freedom <= 2) {
        return first[degrees_of_freedom - 1];
    }
    return z *
           (1 + (z2 + 1) / (4 * n) + ((5 * z2 + 16) * z2 + 3) / (96 * n * n) +
            (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * n * n * n) +
            ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / (92160 * n * n * n * n));
}

enum masing_status regression_create(int n_rows, int n_columns, struct regression *regression,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t m = (size_t)n_rows, n = (size_t)n_columns;
    *regression = (struct regression){.n_rows = n_rows, .n_columns = n_columns};
    regression->matrix = memory_array(m * n, sizeof(double));
    regression->values = memory_array(m, sizeof(double));
    regression->solution = memory_array(n, sizeof(double));
    regression->intervals = memory_array(n, sizeof(double));
    TRY_ALLOCATED(regression->matrix && regression->values && regression->solution &&
                  regression->intervals);
done:
    return status;
}

void regression_clear(struct regression *regression)
{
    free(regression->matrix);
    free(regression->values);
    free(regression->solution);
    free(regression->intervals);
    *regression = (struct regression){0};
}

/* Divide each column by its length; a zero column stays. */
static void scale_columns(int m, int n, double *matrix, double *lengths)
{
    for (int i = 0; i < n; i++) {
        double *column = matrix + (size_t)i * (size_t)m;
        double length = sqrt(dense_dot(m, column, column));
        lengths[i] = length > 0 ? length : 1.0;
        for (int j = 0; j < m; j++) {
            column[j] /= lengths[i];
        }
    }
}

/* The function that generalized cross-validation minimises, at a relative damping. */
struct validation {
    int n_free; /* rows less hidden unknowns */
    int n_columns;
    const double *values;      /* singular values */
    const double *projections; /* U^T b */
    double rest;               /* |b|^2 outside the columns' space */
};

static double validate(const struct validation *v, double tikhonov)
{
    double sum = v->rest, filters = 0.0;
    for (int i = 0; i < v->n_columns; i++) {
        double s = v->values[i] / v->values[0];
        double filter = s * s / (s * s + tikhonov * tikhonov);
        sum += pow((1 - filter) * v->projections[i], 2);
        filters += filter;
    }
    return sum / pow(v->n_free - filters, 2);
}

/* On a logarithmic grid from 1e-14 to 1, then between the neighbours of its best point. */
static double cross_validate(const struct validation *v)
{
    enum { N = 281 };
    const double STEP = 14.0 / (N - 1), NARROW = 1e-7;
    double best = -14.0, least = INFINITY;
    for (int i = 0; i < N; i++) {
        double exponent = -14.0 + STEP * i, value = validate(v, pow(10, exponent));
        if (value < least) {
            least = value;
            best = exponent;
        }
    }
    struct golden_section section = golden_section_of(best - STEP, best, least, best + STEP);
    while (golden_section_next(&section, NARROW)) {
        golden_section_set(&section, validate(v, pow(10, section.x)));
    }
    return pow(10, section.best);
}

static double choose(const struct regression *r, const struct svd *svd, double tikhonov)
{
    if (!isnan(tikhonov)) {
        return tikhonov;
    }
    for (int i = 0; i < r->n_columns; i++) {
        svd->projections[i] =
            dense_dot(r->n_rows, svd->matrix + (size_t)i * (size_t)r->n_rows, r->values);
    }
    const struct validation validation = {
        .n_free = r->n_rows - r->n_hidden,
        .n_columns = r->n_columns,
        .values = svd->values,
        .projections = svd->projections,
        .rest = fmax(0.0, dense_dot(r->n_rows, r->values, r->values) -
                              dense_dot(r->n_columns, svd->projections, svd->projections)),
    };
    return cross_validate(&validation);
}

static void finish(struct regression *r, const struct svd *svd, const double *lengths,
                   double damping)
{
    int m = r->n_rows, n = r->n_columns;
    for (int i = 0; i < n; i++) {
        const double *column = r->matrix + (size_t)i * (size_t)m;
        for (int j = 0; j < m; j++) {
            r->values[j] -= column[j] * r->solution[i];
        }
    }
    int n_free = m - r->n_hidden - n;
    r->sum = dense_dot(m, r->values, r->values);
    for (int i = 0; i < n; i++) {
        r->intervals[i] =
            n_free > 0 ? student_quantile(n_free) *
                             sqrt(r->sum / n_free * svd_covariance(svd, damping, 0.0, i, i)) /
                             lengths[i]
                       : INFINITY;
        r->solution[i] /= lengths[i];
    }
}

enum masing_status regression_solve(struct regression *r, double tikhonov,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct svd svd = {0};
    size_t size = (size_t)r->n_rows * (size_t)r->n_columns;
    double *lengths = memory_array((size_t)r->n_columns, sizeof *lengths);
    TRY_ALLOCATED(lengths);
    TRY(svd_create(r->n_rows, r->n_columns, &svd, error));
    scale_columns(r->n_rows, r->n_columns, r->matrix, lengths);
    memcpy(svd.matrix, r->matrix, size * sizeof(double));
    TRY(svd_factor(r->n_columns, &svd));
    r->condition = svd_condition(&svd);
    if (tikhonov == 0.0 && !(r->condition < largest_condition)) {
        TRY(masing_error_set(error, MASING_SINGULAR,
                             "the unknowns cannot be told apart (condition number %.2g)",
                             r->condition));
    }
    r->tikhonov = choose(r, &svd, tikhonov);
    double damping = pow(r->tikhonov * svd.values[0], 2);
    svd_solve(&svd, r->values, damping, 0.0, r->solution);
    finish(r, &svd, lengths, damping);
done:
    svd_clear(&svd);
    free(lengths);
    return status;
}

enum masing_status regression_condition(const struct regression *r, double *condition,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct svd svd = {0};
    TRY(svd_create(r->n_rows, r->n_columns, &svd, error));
    memcpy(svd.matrix, r->matrix, (size_t)r->n_rows * (size_t)r->n_columns * sizeof(double));
    TRY(svd_factor(r->n_columns, &svd));
    *condition = svd_condition(&svd);
done:
    svd_clear(&svd);
    return status;
}
