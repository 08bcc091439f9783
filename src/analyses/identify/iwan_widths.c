/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How well the data tell the numbers of a modal Iwan model. */
#include <math.h>
#include <stdlib.h>

#include "analyses/identify/iwan_fit.h"
#include "linalg/regression.h"
#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/svd.h"

/* Singular values below this part of the largest, columns of equal length, count as zero. */
static const double RANK_TOLERANCE = 1e-9;

/* Columns of the numbers that are not held, of equal length, and the residuals. */
static int fill(const struct iwan_fit *fit, double *matrix, double *residuals, int *columns,
                double *lengths)
{
    int n = 0;
    size_t m = (size_t)fit->n_used, row = 0;
    for (int i = 0; i < fit->n; i++) {
        double derivatives[N_IWAN_UNKNOWNS];
        if (fit->points[i].part != IWAN_LEFT_OUT) {
            residuals[row] = iwan_fit_residual(fit, &fit->points[i], derivatives);
            for (size_t k = 0; k < N_IWAN_UNKNOWNS; k++) {
                matrix[k * m + row] = derivatives[k];
            }
            row++;
        }
    }
    for (int k = 0; k < N_IWAN_UNKNOWNS; k++) {
        const double *from = matrix + (size_t)k * m;
        double *to = matrix + (size_t)n * m;
        if (fit->is_held[k]) {
            continue;
        }
        lengths[n] = sqrt(dense_dot(fit->n_used, from, from));
        for (size_t j = 0; j < m; j++) {
            to[j] = lengths[n] > 0.0 ? from[j] / lengths[n] : 0.0;
        }
        columns[n++] = k;
    }
    return n;
}

/* Variance of the mean misfit, in which neighbours that are alike count as fewer. */
static double variance_of(const double *residuals, int m, int n_free, double *likeness)
{
    double squares = dense_dot(m, residuals, residuals), products = 0.0;
    for (int j = 1; j < m; j++) {
        products += residuals[j] * residuals[j - 1];
    }
    *likeness = squares > 0.0 ? products / squares : 0.0;
    double alike = fmin(fmax(*likeness, 0.0), 0.99);
    return squares / n_free * (1.0 + alike) / (1.0 - alike);
}

enum masing_status iwan_fit_widths(struct iwan_fit *fit, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct svd svd = {0};
    int columns[N_IWAN_UNKNOWNS], m = fit->n_used;
    double lengths[N_IWAN_UNKNOWNS];
    double *residuals = memory_array((size_t)m, sizeof *residuals);
    TRY_ALLOCATED(residuals);
    TRY(svd_create(m, N_IWAN_UNKNOWNS, &svd, error));
    int n = fill(fit, svd.matrix, residuals, columns, lengths);
    TRY(svd_factor(n, &svd));
    double variance = variance_of(residuals, m, m - n, &fit->likeness);
    for (int k = 0; k < N_IWAN_UNKNOWNS; k++) {
        fit->widths[k] = 0.0;
    }
    for (int a = 0; a < n; a++) {
        double factor = student_quantile(m - n) * sqrt(variance) / lengths[a];
        bool is_known = lengths[a] > 0.0 && !svd_is_open(&svd, RANK_TOLERANCE, a);
        fit->widths[columns[a]] =
            is_known ? factor * sqrt(svd_covariance(&svd, 0.0, RANK_TOLERANCE, a, a))
                     : INFINITY;
    }
done:
    svd_clear(&svd);
    free(residuals);
    return status == MASING_OK ? status
                               : masing_error_set(error, status, "the fit has no intervals");
}
