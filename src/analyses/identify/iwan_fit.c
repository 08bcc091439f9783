/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/identify/iwan_fit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/least_squares.h"

/*
 * ---- the mode ----
 *
 * Loss of a cycle of amplitude a, with R, phi_max, phi_bar of the law:
 *   D = 4 R a^(chi+3) / ((chi+2)(chi+3)) up to phi_max, 4 F_S (a - phi_bar) beyond.
 * Stiffness: that of the first harmonic of the steady loop from a to -a,
 *   F = B(a) - 2 B(a (1 - cos theta) / 2),  K = 2/(pi a) int_0^pi F cos theta dtheta.
 * The paper prints (8), the secant with chi+1 in place of chi+2 and none beyond phi_max, and in
 * (9) a loss of 4 F_S a there; `is_printed` selects these.
 */
/* Intervals of each part of a loop, for Simpson's rule. */
enum { INTERVALS = 128 };

static double *field_of(const struct masing_law *law, void *parameters, const char *name)
{
    int index = masing_field_find(law->fields, law->n_fields, name);
    return (double *)(void *)((char *)parameters + law->fields[index].offset);
}

static double constant_of(const struct masing_law *law, const void *parameters,
                          const char *name)
{
    int index = 0;
    while (strcmp(law->constants[index].name, name) != 0) {
        index++;
    }
    return *(const double *)(const void *)((const char *)parameters +
                                           law->constants[index].offset);
}

enum masing_status iwan_mode_create(struct iwan_mode *mode, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_law *law = masing_law_find("iwan4");
    *mode = (struct iwan_mode){.law = law};
    mode->parameters = memory_array(1, law->parameters_size);
    mode->tangent = memory_array(1, law->parameters_size);
    TRY_ALLOCATED(mode->parameters && mode->tangent);
    masing_fields_reset(law->fields, law->n_fields, mode->parameters);
    mode->parameter[IWAN_SLIP_FORCE] = field_of(law, mode->parameters, "slip_force");
    mode->parameter[IWAN_CHI] = field_of(law, mode->parameters, "chi");
    mode->parameter[IWAN_BETA] = field_of(law, mode->parameters, "beta");
    mode->stiffness = field_of(law, mode->parameters, "stiffness");
done:
    return status;
}

void iwan_mode_clear(struct iwan_mode *mode)
{
    free(mode->parameters);
    free(mode->tangent);
}

enum masing_status iwan_mode_derive(struct iwan_mode *mode, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_law *law = mode->law;
    TRY(masing_law_check(law, mode->parameters, error));
    mode->reach = constant_of(law, mode->parameters, "phi_max");
    mode->density = constant_of(law, mode->parameters, "R");
    mode->mean_reach = constant_of(law, mode->parameters, "phi_bar");
    for (int k = 0; k < N_IWAN_PARAMETERS; k++) {
        ptrdiff_t place = (char *)mode->parameter[k] - (char *)mode->parameters;
        memset(mode->tangent, 0, law->parameters_size);
        *(double *)(void *)((char *)mode->tangent + place) = 1.0;
        law->derive(mode->parameters, mode->tangent);
        mode->change_of_reach[k] = constant_of(law, mode->tangent, "phi_max");
        mode->change_of_density[k] = constant_of(law, mode->tangent, "R");
        mode->change_of_mean[k] = constant_of(law, mode->tangent, "phi_bar");
    }
done:
    return status;
}

/* Loss of the element per cycle up to phi_max and beyond, and its change by each parameter
 * [N_IWAN_PARAMETERS] or NULL. */
static double microslip_loss(const struct iwan_mode *mode, double amplitude, double *change)
{
    double chi = *mode->parameter[IWAN_CHI], power = pow(amplitude, chi + 3.0);
    double factor = 4.0 * power / ((chi + 2.0) * (chi + 3.0));
    for (int k = 0; change && k < N_IWAN_PARAMETERS; k++) {
        change[k] = factor * mode->change_of_density[k];
        if (k == IWAN_CHI) {
            change[k] += factor * mode->density *
                         (log(amplitude) - 1.0 / (chi + 2.0) - 1.0 / (chi + 3.0));
        }
    }
    return factor * mode->density;
}

static double macroslip_loss(const struct iwan_mode *mode, double amplitude, double *change)
{
    double force = *mode->parameter[IWAN_SLIP_FORCE];
    double less = mode->is_printed ? 0.0 : mode->mean_reach;
    for (int k = 0; change && k < N_IWAN_PARAMETERS; k++) {
        double change_of_less = mode->is_printed ? 0.0 : mode->change_of_mean[k];
        change[k] = -4.0 * force * change_of_less;
        if (k == IWAN_SLIP_FORCE) {
            change[k] += 4.0 * (amplitude - less);
        }
    }
    return 4.0 * force * (amplitude - less);
}

static double force_times_cosine(const struct iwan_mode *mode, double amplitude, double top,
                                 double theta)
{
    double b, db, half = sin(0.5 * theta);
    mode->law->backbone(mode->parameters, amplitude * half * half, &b, &db);
    return (top - 2.0 * b) * cos(theta);
}

/* Simpson's rule over a part of the loop. */
static double integrate(const struct iwan_mode *mode, double amplitude, double top, double from,
                        double to)
{
    double step = (to - from) / INTERVALS, sum = 0.0;
    for (int i = 0; i <= INTERVALS; i++) {
        double weight = i == 0 || i == INTERVALS ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
        sum += weight * force_times_cosine(mode, amplitude, top, from + i * step);
    }
    return sum * step / 3.0;
}

static double first_harmonic(const struct iwan_mode *mode, double amplitude)
{
    double top, slope, slip = PI;
    mode->law->backbone(mode->parameters, amplitude, &top, &slope);
    if (amplitude > mode->reach) {
        slip = 2.0 * asin(sqrt(mode->reach / amplitude));
    }
    double sum = integrate(mode, amplitude, top, 0.0, slip);
    if (slip < PI) {
        sum += integrate(mode, amplitude, top, slip, PI);
    }
    return 2.0 * sum / (PI * amplitude);
}

static double printed_stiffness(const struct iwan_mode *mode, double amplitude)
{
    double e = *mode->parameter[IWAN_CHI] + 1.0, beta = *mode->parameter[IWAN_BETA];
    if (amplitude >= mode->reach) {
        return 0.0;
    }
    /* as printed it may fall below zero */
    double left = 1.0 - pow(amplitude / mode->reach, e) / (e * (beta + 1.0));
    return *mode->stiffness * fmax(0.0, left);
}

void iwan_mode_at(const struct iwan_mode *mode, double amplitude, double *omega,
                  double *damping_ratio)
{
    double stiffness = mode->spring + (mode->is_printed ? printed_stiffness(mode, amplitude)
                                                        : first_harmonic(mode, amplitude));
    double loss = amplitude < mode->reach ? microslip_loss(mode, amplitude, NULL)
                                          : macroslip_loss(mode, amplitude, NULL);
    *omega = sqrt(stiffness);
    *damping_ratio =
        mode->dashpot / (2.0 * *omega) + loss / (2.0 * PI * stiffness * amplitude * amplitude);
}

/*
 * ---- residuals, bounds, and the way to one minimum ----
 *
 * The part of a point, micro- or macroslip, is
 * kept while the least squares are solved: the closed forms go on smoothly beyond phi_max,
 * where the printed loss jumps.
 */
enum { MOST_PASSES = 12 };

/* Points are left out from this part of phi_max on. */
static const double LEFT_OUT_FROM = 0.8;

/* phi_max lies in the amplitudes of the data or this many times beyond at most. */
static const double REACH_RANGE = 1e3;

static const double SMALLEST_CHI = -0.99, SMALLEST_BETA = 1e-4, LARGEST_BETA = 1e4;

/* The structure's smallest share of the smallest damping. */
static const double SMALLEST_SHARE = 1e-6;

void iwan_fit_bounds(struct iwan_fit *fit)
{
    double stiffness = *fit->mode.stiffness, least = INFINITY;
    for (int i = 0; i < fit->n; i++) {
        const struct iwan_point *point = &fit->points[i];
        least = fmin(least, point->damping_ratio * point->omega / fit->omega_stuck);
    }
    fit->least_damping = least;
    fit->lower[IWAN_SLIP_FORCE] = log(stiffness * fit->points[0].amplitude / REACH_RANGE);
    fit->upper[IWAN_SLIP_FORCE] =
        log(stiffness * fit->points[fit->n - 1].amplitude * REACH_RANGE);
    fit->lower[IWAN_CHI] = SMALLEST_CHI;
    fit->upper[IWAN_CHI] = 0.0;
    fit->lower[IWAN_BETA] = log(SMALLEST_BETA);
    fit->upper[IWAN_BETA] = log(LARGEST_BETA);
    fit->lower[IWAN_STRUCTURE] = log(SMALLEST_SHARE * least);
    fit->upper[IWAN_STRUCTURE] = log(iwan_largest_share * least);
}

enum masing_status iwan_fit_apply(struct iwan_fit *fit, struct masing_error *error)
{
    struct iwan_mode *mode = &fit->mode;
    *mode->parameter[IWAN_SLIP_FORCE] = exp(fit->unknowns[IWAN_SLIP_FORCE]);
    *mode->parameter[IWAN_CHI] = fit->unknowns[IWAN_CHI];
    *mode->parameter[IWAN_BETA] = exp(fit->unknowns[IWAN_BETA]);
    mode->dashpot = 2.0 * exp(fit->unknowns[IWAN_STRUCTURE]) * fit->omega_stuck;
    return iwan_mode_derive(mode, error);
}

bool iwan_fit_divide(struct iwan_fit *fit)
{
    bool has_changed = false;
    double reach = fit->mode.reach;
    if (fit->chooses_points) {
        fit->from = LEFT_OUT_FROM * reach;
        fit->to = fit->macroslip_from * reach;
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
    const struct iwan_mode *mode = &fit->mode;
    double change[N_IWAN_PARAMETERS], a = point->amplitude, omega = point->omega;
    double scale = TWO_PI * pow(omega * a, 2.0), structure = 0.5 * mode->dashpot / omega;
    bool is_micro =
        point->part == IWAN_LEFT_OUT ? a < mode->reach : point->part == IWAN_MICROSLIP;
    double *wanted = derivatives ? change : NULL;
    double loss = is_micro ? microslip_loss(mode, a, wanted) : macroslip_loss(mode, a, wanted);
    /* far above its amplitudes the form of macroslip has no loss */
    double zeta = fmax(structure + loss / scale, DBL_MIN);
    for (int k = 0; derivatives && k < N_IWAN_PARAMETERS; k++) {
        double slope = k == IWAN_CHI ? 1.0 : *mode->parameter[k];
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
    memcpy(fit->unknowns, unknowns, sizeof fit->unknowns);
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
    memcpy(unknowns, fit->unknowns, sizeof unknowns);
    TRY(check_number_of_points(fit, error));
    TRY(least_squares_create(&problem, &solver, error));
    TRY(least_squares_solve(solver, unknowns, &end));
    memcpy(fit->unknowns, unknowns, sizeof fit->unknowns);
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

static enum masing_status descend(struct iwan_fit *fit, struct masing_error *error)
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

/* ---- how well the data determine the unknowns ---- */

/* Largest correlation of neighbouring misfits that counts: a factor of 14 of the widths. */
static const double largest_correlation = 0.99;

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
    fit->misfit_correlation = neighbours_correlation(&neighbours);
    double correlation = fmin(fmax(fit->misfit_correlation, 0.0), largest_correlation);
    double sum = neighbours.squares * (1.0 + correlation) / (1.0 - correlation);
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

/* ---- starts: the best places of a grid over all bounds ---- */

/* phi_max per decade of amplitude, and at most; starts; points that a place is judged by */
enum { PER_DECADE = 6, MOST_REACHES = 160, N_STARTS = 8, COST_POINTS = 64 };

/* phi_max as much outside of the amplitudes of the data. */
static const double REACH_MARGIN = 10.0;

/* Misfits are counted up to here: of one point, and of one that will be left out, about which
 * nothing is promised. */
static const double MOST_COST = 4.0, MOST_COST_LEFT_OUT = 0.05;

static const double chis[] = {-0.95, -0.8, -0.65, -0.5, -0.35, -0.2, -0.05};
static const double betas[] = {0.02, 0.1, 0.3, 1.0, 3.0, 10.0, 50.0};
static const double shares[] = {0.999, 0.99, 0.95, 0.8, 0.5, 0.1, 1e-4};

enum { N_CHIS = sizeof chis / sizeof *chis, N_BETAS = sizeof betas / sizeof *betas };
enum { N_SHARES = sizeof shares / sizeof *shares };

struct place {
    double cost;
    double unknowns[N_IWAN_UNKNOWNS];
};

/* Mean square over every step-th point. */
static double cost_of(const struct iwan_fit *fit, int step)
{
    int n = 0;
    double sum = 0.0;
    for (int i = 0; i < fit->n; i += step) {
        const struct iwan_point *point = &fit->points[i];
        bool is_left_out = point->part == IWAN_LEFT_OUT;
        if (is_left_out && !fit->chooses_points) {
            continue;
        }
        double residual = iwan_fit_residual(fit, point, NULL);
        sum += fmin(residual * residual, is_left_out ? MOST_COST_LEFT_OUT : MOST_COST);
        n++;
    }
    return n > 0 ? sum / n : INFINITY;
}

static void keep_better(struct iwan_fit *fit, struct place *best)
{
    double cost = cost_of(fit, (fit->n + COST_POINTS - 1) / COST_POINTS);
    if (cost < best->cost) {
        best->cost = cost;
        memcpy(best->unknowns, fit->unknowns, sizeof best->unknowns);
    }
}

/* The shares of the structure, at one element. */
static void try_structures(struct iwan_fit *fit, struct place *best)
{
    bool is_held = fit->is_held[IWAN_STRUCTURE];
    for (int i = 0; i < (is_held ? 1 : N_SHARES); i++) {
        if (!is_held) {
            fit->unknowns[IWAN_STRUCTURE] = log(shares[i] * fit->least_damping);
            fit->mode.dashpot = 2.0 * exp(fit->unknowns[IWAN_STRUCTURE]) * fit->omega_stuck;
        }
        keep_better(fit, best);
    }
}

/* All elements that slip as a whole at `reach`: the best of them. */
static void try_elements(struct iwan_fit *fit, double reach, struct place *best)
{
    const double held[N_IWAN_UNKNOWNS] = {0.0, fit->unknowns[IWAN_CHI],
                                          fit->unknowns[IWAN_BETA], 0.0};
    struct masing_error ignored = {0};
    for (int c = 0; c < (fit->is_held[IWAN_CHI] ? 1 : N_CHIS); c++) {
        double chi = fit->is_held[IWAN_CHI] ? held[IWAN_CHI] : chis[c];
        for (int b = 0; b < (fit->is_held[IWAN_BETA] ? 1 : N_BETAS); b++) {
            double beta = fit->is_held[IWAN_BETA] ? exp(held[IWAN_BETA]) : betas[b];
            double shape = (beta + (chi + 1.0) / (chi + 2.0)) / (1.0 + beta);
            fit->unknowns[IWAN_SLIP_FORCE] = log(*fit->mode.stiffness * reach * shape);
            fit->unknowns[IWAN_CHI] = chi;
            fit->unknowns[IWAN_BETA] = log(beta);
            if (iwan_fit_apply(fit, &ignored) == MASING_OK) {
                iwan_fit_divide(fit);
                try_structures(fit, best);
            }
        }
    }
    fit->unknowns[IWAN_CHI] = held[IWAN_CHI];
    fit->unknowns[IWAN_BETA] = held[IWAN_BETA];
}

/* Keep the N_STARTS best, by insertion. */
static void insert_start(struct place *starts, const struct place *place)
{
    int k = N_STARTS;
    while (k > 0 && place->cost < starts[k - 1].cost) {
        if (k < N_STARTS) {
            starts[k] = starts[k - 1];
        }
        k--;
    }
    if (k < N_STARTS) {
        starts[k] = *place;
    }
}

static void find_starts(struct iwan_fit *fit, struct place *starts)
{
    double from = log(fit->points[0].amplitude / REACH_MARGIN);
    double span = log(fit->points[fit->n - 1].amplitude * REACH_MARGIN) - from;
    int n = (int)fmin(MOST_REACHES, PER_DECADE * span / log(10.0) + 2.0);
    for (int i = 0; i < N_STARTS; i++) {
        starts[i].cost = INFINITY;
    }
    memcpy(starts[0].unknowns, fit->unknowns, sizeof fit->unknowns); /* where there is none */
    for (int i = 0; i < n; i++) {
        struct place place = {.cost = INFINITY};
        try_elements(fit, exp(from + span * i / (n - 1)), &place);
        insert_start(starts, &place);
    }
}

enum masing_status iwan_fit_search(struct iwan_fit *fit, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error first = {0};
    struct place starts[N_STARTS], best = {.cost = INFINITY};
    find_starts(fit, starts);
    for (int i = 0; i < N_STARTS && (i == 0 || isfinite(starts[i].cost)); i++) {
        memcpy(fit->unknowns, starts[i].unknowns, sizeof fit->unknowns);
        enum masing_status tried = descend(fit, &first);
        TRY_ALLOCATED(tried != MASING_NO_MEMORY);
        /* a few points alone are always followed: those left out count as well */
        double cost = cost_of(fit, 1);
        if (tried == MASING_OK && cost < best.cost) {
            best.cost = cost;
            memcpy(best.unknowns, fit->unknowns, sizeof best.unknowns);
        }
    }
    if (!isfinite(best.cost)) {
        TRY(masing_error_set(
            error, first.message[0] ? first.status : MASING_NOT_CONVERGED, "%s",
            first.message[0] ? first.message : "no modal Iwan model comes near the data"));
    }
    memcpy(fit->unknowns, best.unknowns, sizeof fit->unknowns);
    TRY(descend(fit, error));
done:
    return status;
}
