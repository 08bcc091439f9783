/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Residuals, bounds, and the way to one minimum. The part of a point, micro- or macroslip, is
 * kept while the least squares are solved: the closed forms go on smoothly beyond phi_max,
 * where the printed loss jumps.
 */
#include "analyses/identify/iwan_fit.h"

#include <float.h>
#include <math.h>

#include "linalg/least_squares.h"
#include "base/check.h"
#include "base/pi.h"

enum { MOST_PASSES = 12 };

/* Points are left out from this part of phi_max on. */
static const double LEFT_OUT_FROM = 0.8;

/* phi_max lies in the amplitudes of the data or this many times beyond at most. */
static const double BEYOND = 1e3;

static const double SMALLEST_CHI = -0.99, SMALLEST_BETA = 1e-4, LARGEST_BETA = 1e4;

/* The structure's share of the smallest damping; with noise it may seem more than all. */
static const double SMALLEST_SHARE = 1e-6, LARGEST_SHARE = 1.3;

void iwan_fit_bounds(struct iwan_fit *fit)
{
    double stiffness = *fit->mode->stiffness, least = INFINITY;
    for (int i = 0; i < fit->n; i++) {
        const struct iwan_point *point = &fit->points[i];
        least = fmin(least, point->damping_ratio * point->omega / fit->omega_stuck);
    }
    fit->least_damping = least;
    fit->lower[IWAN_SLIP_FORCE] = log(stiffness * fit->points[0].amplitude / BEYOND);
    fit->upper[IWAN_SLIP_FORCE] = log(stiffness * fit->points[fit->n - 1].amplitude * BEYOND);
    fit->lower[IWAN_CHI] = SMALLEST_CHI;
    fit->upper[IWAN_CHI] = 0.0;
    fit->lower[IWAN_BETA] = log(SMALLEST_BETA);
    fit->upper[IWAN_BETA] = log(LARGEST_BETA);
    fit->lower[IWAN_STRUCTURE] = log(SMALLEST_SHARE * least);
    fit->upper[IWAN_STRUCTURE] = log(LARGEST_SHARE * least);
}

enum masing_status iwan_fit_apply(struct iwan_fit *fit, struct masing_error *error)
{
    struct iwan_mode *mode = fit->mode;
    *mode->number[IWAN_SLIP_FORCE] = exp(fit->unknowns[IWAN_SLIP_FORCE]);
    *mode->number[IWAN_CHI] = fit->unknowns[IWAN_CHI];
    *mode->number[IWAN_BETA] = exp(fit->unknowns[IWAN_BETA]);
    mode->dashpot = 2.0 * exp(fit->unknowns[IWAN_STRUCTURE]) * fit->omega_stuck;
    return iwan_mode_derive(mode, error);
}

bool iwan_fit_divide(struct iwan_fit *fit)
{
    bool has_changed = false;
    double reach = fit->mode->reach;
    if (fit->chooses) {
        fit->from = LEFT_OUT_FROM * reach;
        fit->to = fit->beyond * reach;
    }
    fit->n_used = fit->n_microslip = 0;
    for (int i = 0; i < fit->n; i++) {
        struct iwan_point *point = &fit->points[i];
        double a = point->amplitude;
        bool is_used = !(a >= fit->from && a <= fit->to);
        int part = !is_used ? IWAN_LEFT_OUT : a < reach ? IWAN_MICROSLIP : IWAN_MACROSLIP;
        has_changed = has_changed || part != point->part;
        point->part = part;
        fit->n_used += is_used;
        fit->n_microslip += part == IWAN_MICROSLIP;
    }
    return has_changed;
}

double iwan_fit_residual(const struct iwan_fit *fit, const struct iwan_point *point,
                         double *derivatives)
{
    const struct iwan_mode *mode = fit->mode;
    double change[N_IWAN_NUMBERS], a = point->amplitude, omega = point->omega;
    double scale = TWO_PI * pow(omega * a, 2.0), structure = 0.5 * mode->dashpot / omega;
    bool is_micro =
        point->part == IWAN_LEFT_OUT ? a < mode->reach : point->part == IWAN_MICROSLIP;
    double *wanted = derivatives ? change : NULL;
    double loss =
        is_micro ? iwan_mode_microslip(mode, a, wanted) : iwan_mode_macroslip(mode, a, wanted);
    /* far above its amplitudes the form of macroslip has no loss */
    double zeta = fmax(structure + loss / scale, DBL_MIN);
    for (int k = 0; derivatives && k < N_IWAN_NUMBERS; k++) {
        double slope = k == IWAN_CHI ? 1.0 : *mode->number[k];
        derivatives[k] = slope * change[k] / (scale * zeta);
    }
    if (derivatives) {
        derivatives[IWAN_STRUCTURE] = structure / zeta;
    }
    return log(zeta / point->damping_ratio);
}

static enum masing_status evaluate(void *context, const double *unknowns, double *residuals,
                                   double *jacobian)
{
    struct iwan_fit *fit = context;
    struct masing_error ignored = {0};
    size_t row = 0, n = (size_t)fit->n_used;
    for (int k = 0; k < N_IWAN_UNKNOWNS; k++) {
        fit->unknowns[k] = unknowns[k];
    }
    enum masing_status status = iwan_fit_apply(fit, &ignored);
    for (int i = 0; status == MASING_OK && i < fit->n; i++) {
        double derivatives[N_IWAN_UNKNOWNS];
        if (fit->points[i].part == IWAN_LEFT_OUT) {
            continue;
        }
        residuals[row] = iwan_fit_residual(fit, &fit->points[i], jacobian ? derivatives : NULL);
        for (size_t k = 0; jacobian && k < N_IWAN_UNKNOWNS; k++) {
            jacobian[k * n + row] = fit->is_held[k] ? 0.0 : derivatives[k];
        }
        row++;
    }
    return status;
}

static enum masing_status check_number_of_points(const struct iwan_fit *fit,
                                                 struct masing_error *error)
{
    int n_free = 0;
    for (int k = 0; k < N_IWAN_UNKNOWNS; k++) {
        n_free += !fit->is_held[k];
    }
    return fit->n_used > n_free && fit->n_used >= N_IWAN_UNKNOWNS
               ? MASING_OK
               : masing_error_set(
                     error, MASING_INVALID,
                     "%d points outside of amplitudes %.4g to %.4g, which are left out, "
                     "do not determine %d numbers",
                     fit->n_used, fit->from, fit->to, n_free);
}

static enum masing_status solve(struct iwan_fit *fit, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct least_squares *solver = NULL;
    struct least_squares_result end = {0};
    double unknowns[N_IWAN_UNKNOWNS];
    const struct least_squares_problem problem = {
        .context = fit,
        .n_residuals = fit->n_used,
        .n_unknowns = N_IWAN_UNKNOWNS,
        .lower = fit->lower,
        .upper = fit->upper,
        .evaluate = evaluate,
    };
    for (int k = 0; k < N_IWAN_UNKNOWNS; k++) {
        unknowns[k] = fit->unknowns[k];
    }
    TRY(check_number_of_points(fit, error));
    TRY(least_squares_create(&problem, &solver, error));
    TRY(least_squares_solve(solver, unknowns, &end));
    for (int k = 0; k < N_IWAN_UNKNOWNS; k++) {
        fit->unknowns[k] = unknowns[k];
    }
    TRY(iwan_fit_apply(fit, error));
done:
    least_squares_destroy(solver);
    return status;
}

static double sum_of_squares(const struct iwan_fit *fit)
{
    double sum = 0.0;
    for (int i = 0; i < fit->n; i++) {
        if (fit->points[i].part != IWAN_LEFT_OUT) {
            sum += pow(iwan_fit_residual(fit, &fit->points[i], NULL), 2.0);
        }
    }
    return sum;
}

enum masing_status iwan_fit_descend(struct iwan_fit *fit, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY(iwan_fit_apply(fit, error));
    iwan_fit_divide(fit);
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        TRY(solve(fit, error));
        if (!iwan_fit_divide(fit)) {
            break;
        }
    }
    /* with the last division, which may go on changing */
    TRY(check_number_of_points(fit, error));
    fit->sum = sum_of_squares(fit);
done:
    return status;
}
