/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How well the data tell the numbers of a modal Iwan model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/identify/iwan_fit.h"
#include "base/check.h"
#include "base/memory.h"
#include "linalg/least_squares.h"

/* Largest correlation of neighbouring misfits that counts: a factor of 14 of the widths. */
static const double most_alike = 0.99;

/* Columns of the unknowns that are not held [n_used] each, and the residuals; how many. */
static int fill(const struct iwan_fit *fit, double *matrix, double *residuals, int *columns)
{
    int n = 0;
    size_t m = (size_t)fit->n_used, row = 0;
    for (int k = 0; k < N_IWAN_UNKNOWNS; k++) {
        if (!fit->is_held[k]) {
            columns[n++] = k;
        }
    }
    for (int i = 0; i < fit->n; i++) {
        double derivatives[N_IWAN_UNKNOWNS];
        if (fit->points[i].part != IWAN_LEFT_OUT) {
            residuals[row] = iwan_fit_residual(fit, &fit->points[i], derivatives);
            for (int a = 0; a < n; a++) {
                matrix[(size_t)a * m + row] = derivatives[columns[a]];
            }
            row++;
        }
    }
    return n;
}

enum masing_status iwan_fit_widths(struct iwan_fit *fit, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct covariance covariance = {0};
    struct neighbours neighbours = {0};
    int columns[N_IWAN_UNKNOWNS], m = fit->n_used;
    double *residuals = memory_array((size_t)m, sizeof *residuals);
    TRY_ALLOCATED(residuals);
    TRY(covariance_create(m, N_IWAN_UNKNOWNS, &covariance, error));
    int n = fill(fit, covariance.svd.matrix, residuals, columns);
    TRY(covariance_factor(n, &covariance));
    neighbours_add(&neighbours, m, residuals);
    fit->likeness = neighbours_correlation(&neighbours);
    double alike = fmin(fmax(fit->likeness, 0.0), most_alike);
    double sum = neighbours.squares * (1.0 + alike) / (1.0 - alike);
    memset(fit->widths, 0, sizeof fit->widths);
    for (int a = 0; a < n; a++) {
        fit->widths[columns[a]] = covariance_half_width(&covariance, a, sum, m - n);
    }
done:
    covariance_clear(&covariance);
    free(residuals);
    return status == MASING_OK ? status
                               : masing_error_set(error, status, "the fit has no intervals");
}
