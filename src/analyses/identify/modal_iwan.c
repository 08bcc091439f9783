/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tuning a modal Iwan model to frequency and damping of a mode over its amplitude. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/identify/iwan_mode.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pi.h"
#include "base/progress.h"
#include "linalg/least_squares.h"
#include "linalg/one_thread.h"
#include "masing/modal_iwan.h"
#include "model/cyclic.h"
#include "model/joints.h"

/* Points that four unknowns and their intervals need. */
enum { FEWEST_POINTS = 6 };

/* Amplitudes whose squares and powers neither overflow nor vanish. */
static const double SMALLEST_AMPLITUDE = 1e-60, LARGEST_AMPLITUDE = 1e60;

/* Largest over smallest amplitude at least. */
static const double LEAST_SPAN = 1.01;

/* Assumed where the data do not determine chi and beta: the usual values of joints. */
static const double USUAL_CHI = -0.5, USUAL_BETA = 1.0;

/* A structure slips as one element does from so many times phi_max on; nearer where the data do
 * not go so far. */
static const double MACROSLIP_FROM[] = {10.0, 3.0, 1.2};
enum { N_MACROSLIP_FROM = sizeof MACROSLIP_FROM / sizeof *MACROSLIP_FROM };

/* Half widths from which a parameter is not determined: of logarithms, and of chi. */
static const double WIDE_LOGARITHM = 1.0, WIDE_CHI = 0.5;

/* Misfit (rms of logarithms) of a model that does not describe the data; one below which
 * nothing is explained by anything. */
static const double WRONG_MODEL = 0.5, EXACT_MISFIT = 1e-6;

/*
 * ---- least squares of ln zeta: residuals, bounds, and the way to one minimum ----
 *
 * All unknowns are bounded by what the amplitudes of the data span, so that whatever is found
 * is a model. The part of a point, micro- or macroslip, is kept while the least squares are
 * solved: the closed forms go on smoothly beyond phi_max, where the printed loss jumps.
 */
/* ln F_S, chi, ln beta, ln zeta_0 */
enum { IWAN_STRUCTURE = N_IWAN_PARAMETERS, N_IWAN_UNKNOWNS };

/* The regime that a point takes part in. */
enum { IWAN_LEFT_OUT, IWAN_MICROSLIP, IWAN_MACROSLIP };

/* Largest share of the structure in the smallest damping: with noise it may seem more than all.
 */
static const double LARGEST_SHARE = 1.3;

struct point {
    double amplitude, omega; /* rad/s */
    double damping_ratio;
    int part;
};

struct fit {
    struct iwan_mode mode; /* with spring, stiffness and is_printed */
    double omega_stuck;
    double least_damping; /* of the points, as if of the stuck joints' frequency */
    struct point *points; /* [n] by amplitude */
    int n;
    double macroslip_from;                  /* in phi_max: points are macroslip from here on */
    const struct masing_progress *progress; /* may be NULL */
    bool chooses_points; /* left out as phi_max moves; else from..to is given */
    double from, to;     /* that are left out */
    double unknowns[N_IWAN_UNKNOWNS];
    double lower[N_IWAN_UNKNOWNS], upper[N_IWAN_UNKNOWNS];
    bool is_held[N_IWAN_UNKNOWNS];  /* at the value in `unknowns` */
    int n_used, n_microslip;        /* points that take part, those of microslip among them */
    double sum;                     /* of the squared residuals */
    double widths[N_IWAN_UNKNOWNS]; /* find_widths */
    double misfit_correlation;      /* correlation of neighbouring misfits */
};

enum { MOST_PASSES = 12 };

/* Points are left out from this part of phi_max on. */
static const double LEFT_OUT_FROM = 0.8;

/* phi_max lies in the amplitudes of the data or this many times beyond at most. */
static const double REACH_RANGE = 1e3;

static const double SMALLEST_CHI = -0.99, SMALLEST_BETA = 1e-4, LARGEST_BETA = 1e4;

/* The structure's smallest share of the smallest damping. */
static const double SMALLEST_SHARE = 1e-6;

/* The range of each unknown, from the points. */
static void set_bounds(struct fit *fit)
{
    double stiffness = *fit->mode.stiffness, least = INFINITY;
    for (int i = 0; i < fit->n; i++) {
        const struct point *point = &fit->points[i];
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
    fit->upper[IWAN_STRUCTURE] = log(LARGEST_SHARE * least);
}

/* Set parameters and dashpot of the mode from the unknowns. */
static enum masing_status apply(struct fit *fit, struct masing_error *error)
{
    struct iwan_mode *mode = &fit->mode;
    *mode->parameter[IWAN_SLIP_FORCE] = exp(fit->unknowns[IWAN_SLIP_FORCE]);
    *mode->parameter[IWAN_CHI] = fit->unknowns[IWAN_CHI];
    *mode->parameter[IWAN_BETA] = exp(fit->unknowns[IWAN_BETA]);
    mode->dashpot = 2.0 * exp(fit->unknowns[IWAN_STRUCTURE]) * fit->omega_stuck;
    return iwan_mode_derive(mode, error);
}

/* Divide the points anew around the mode's phi_max; whether any part has changed. */
static bool divide(struct fit *fit)
{
    bool has_changed = false;
    double reach = fit->mode.constant[IWAN_REACH];
    if (fit->chooses_points) {
        fit->from = LEFT_OUT_FROM * reach;
        fit->to = fit->macroslip_from * reach;
    }
    fit->n_used = fit->n_microslip = 0;
    for (int i = 0; i < fit->n; i++) {
        struct point *point = &fit->points[i];
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

/* ln(zeta / zeta_i), and its derivatives by the unknowns [N_IWAN_UNKNOWNS] or NULL */
static double residual_at(const struct fit *fit, const struct point *point, double *derivatives)
{
    const struct iwan_mode *mode = &fit->mode;
    double change[N_IWAN_PARAMETERS], a = point->amplitude, omega = point->omega;
    double scale = TWO_PI * pow(omega * a, 2.0), structure = 0.5 * mode->dashpot / omega;
    bool is_micro = point->part == IWAN_LEFT_OUT ? a < mode->constant[IWAN_REACH]
                                                 : point->part == IWAN_MICROSLIP;
    double *wanted = derivatives ? change : NULL;
    double loss =
        is_micro ? iwan_mode_microslip(mode, a, wanted) : iwan_mode_macroslip(mode, a, wanted);
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
    struct fit *fit = context;
    struct masing_error ignored = {0};
    size_t row = 0, n = (size_t)fit->n_used;
    memcpy(fit->unknowns, unknowns, sizeof fit->unknowns);
    NEED(progress_is_cancelled(fit->progress) ? MASING_STOPPED : apply(fit, &ignored));
    for (int i = 0; i < fit->n; i++) {
        double derivatives[N_IWAN_UNKNOWNS];
        if (fit->points[i].part == IWAN_LEFT_OUT) {
            continue;
        }
        residuals[row] = residual_at(fit, &fit->points[i], jacobian ? derivatives : NULL);
        for (size_t k = 0; jacobian && k < N_IWAN_UNKNOWNS; k++) {
            jacobian[k * n + row] = fit->is_held[k] ? 0.0 : derivatives[k];
        }
        row++;
    }
    return MASING_OK;
}

static enum masing_status check_number_of_points(const struct fit *fit,
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

static enum masing_status solve(struct fit *fit, struct masing_error *error)
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
    TRY(apply(fit, error));
done:
    least_squares_destroy(solver);
    return status;
}

static enum masing_status descend(struct fit *fit, struct masing_error *error)
{
    NEED(apply(fit, error));
    divide(fit);
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        NEED(solve(fit, error));
        if (!divide(fit)) {
            break;
        }
    }
    /* with the last division, which may go on changing */
    NEED(check_number_of_points(fit, error));
    fit->sum = 0.0;
    for (int i = 0; i < fit->n; i++) {
        if (fit->points[i].part != IWAN_LEFT_OUT) {
            fit->sum += pow(residual_at(fit, &fit->points[i], NULL), 2.0);
        }
    }
    return MASING_OK;
}

/* ---- how well the data determine the unknowns ---- */

/* Largest correlation of neighbouring misfits that counts: a factor of 14 of the widths. */
static const double largest_correlation = 0.99;

/*
 * Half the width of the 95 % interval of each unknown, INFINITY where the data do not determine
 * it, zero where it is held. Correlated neighbouring misfits count as fewer data.
 */
static enum masing_status find_widths(struct fit *fit, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct covariance covariance = {0};
    struct neighbours neighbours = {0};
    double unknowns[N_IWAN_UNKNOWNS];
    int columns[N_IWAN_UNKNOWNS], m = fit->n_used, n = 0;
    double *residuals = memory_array((size_t)m, sizeof *residuals);
    TRY_ALLOCATED(residuals);
    TRY(covariance_create(m, N_IWAN_UNKNOWNS, &covariance, error));
    memcpy(unknowns, fit->unknowns, sizeof unknowns);
    TRY(evaluate(fit, unknowns, residuals, covariance.svd.matrix));
    for (int k = 0; k < N_IWAN_UNKNOWNS; k++) {
        if (!fit->is_held[k]) {
            memmove(covariance.svd.matrix + n * m, covariance.svd.matrix + k * m,
                    (size_t)m * sizeof(double));
            columns[n++] = k;
        }
    }
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
static double cost_of(const struct fit *fit, int step)
{
    int n = 0;
    double sum = 0.0;
    for (int i = 0; i < fit->n; i += step) {
        const struct point *point = &fit->points[i];
        bool is_left_out = point->part == IWAN_LEFT_OUT;
        if (is_left_out && !fit->chooses_points) {
            continue;
        }
        double residual = residual_at(fit, point, NULL);
        sum += fmin(residual * residual, is_left_out ? MOST_COST_LEFT_OUT : MOST_COST);
        n++;
    }
    return n > 0 ? sum / n : INFINITY;
}

/* The shares of the structure, at one element. */
static void try_structures(struct fit *fit, struct place *best)
{
    bool is_held = fit->is_held[IWAN_STRUCTURE];
    for (int i = 0; i < (is_held ? 1 : N_SHARES); i++) {
        if (!is_held) {
            fit->unknowns[IWAN_STRUCTURE] = log(shares[i] * fit->least_damping);
            fit->mode.dashpot = 2.0 * exp(fit->unknowns[IWAN_STRUCTURE]) * fit->omega_stuck;
        }
        double cost = cost_of(fit, (fit->n + COST_POINTS - 1) / COST_POINTS);
        if (cost < best->cost) {
            best->cost = cost;
            memcpy(best->unknowns, fit->unknowns, sizeof best->unknowns);
        }
    }
}

/* All elements that slip as a whole at `reach`: the best of them. */
static void try_elements(struct fit *fit, double reach, struct place *best)
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
            if (apply(fit, &ignored) == MASING_OK) {
                divide(fit);
                try_structures(fit, best);
            }
        }
    }
    fit->unknowns[IWAN_CHI] = held[IWAN_CHI];
    fit->unknowns[IWAN_BETA] = held[IWAN_BETA];
}

/* The N_STARTS best, by their costs. */
static void find_starts(struct fit *fit, struct place *starts)
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
        if (!progress_is_cancelled(fit->progress)) {
            try_elements(fit, exp(from + span * i / (n - 1)), &place);
        }
        int k = N_STARTS;
        while (k > 0 && place.cost < starts[k - 1].cost) {
            k--;
        }
        if (k < N_STARTS) {
            memmove(starts + k + 1, starts + k, (size_t)(N_STARTS - 1 - k) * sizeof *starts);
            starts[k] = place;
        }
    }
}

/* The best of what a grid over the bounds suggests; held unknowns stay. */
static enum masing_status search(struct fit *fit, struct masing_error *error)
{
    struct masing_error first = {0};
    struct place starts[N_STARTS], best = {.cost = INFINITY};
    find_starts(fit, starts);
    for (int i = 0; i < N_STARTS && (i == 0 || isfinite(starts[i].cost)); i++) {
        memcpy(fit->unknowns, starts[i].unknowns, sizeof fit->unknowns);
        enum masing_status tried = descend(fit, &first);
        NEED_ALLOCATED(tried != MASING_NO_MEMORY);
        NEED(progress_check(fit->progress, error));
        /* a few points alone are always followed: those left out count as well */
        double cost = cost_of(fit, 1);
        if (tried == MASING_OK && cost < best.cost) {
            best.cost = cost;
            memcpy(best.unknowns, fit->unknowns, sizeof best.unknowns);
        }
    }
    if (!isfinite(best.cost)) {
        return masing_error_set(
            error, first.message[0] ? first.status : MASING_NOT_CONVERGED, "%s",
            first.message[0] ? first.message : "no modal Iwan model comes near the data");
    }
    memcpy(fit->unknowns, best.unknowns, sizeof fit->unknowns);
    return descend(fit, error);
}

/* ---- what is asked ---- */

static enum masing_status check_point(const struct masing_modal_iwan_request *request, int i,
                                      struct masing_error *error)
{
    const struct masing_modal_point *p = &request->points[i];
    double structure = request->ends.damping_ratio * request->ends.stuck_hz / p->frequency_hz;
    if (!(p->amplitude > 0.0 && p->frequency_hz > 0.0 && p->damping_ratio > 0.0 &&
          isfinite(p->amplitude + p->frequency_hz + p->damping_ratio))) {
        return masing_error_set(error, MASING_INVALID,
                                "point %d: amplitude %g, %g Hz, damping ratio %g: expected "
                                "finite numbers > 0",
                                i + 1, p->amplitude, p->frequency_hz, p->damping_ratio);
    }
    if (p->amplitude < SMALLEST_AMPLITUDE || p->amplitude > LARGEST_AMPLITUDE) {
        return masing_error_set(error, MASING_INVALID,
                                "point %d: amplitude %g: expected %g to %g", i + 1,
                                p->amplitude, SMALLEST_AMPLITUDE, LARGEST_AMPLITUDE);
    }
    if (structure > LARGEST_SHARE * p->damping_ratio) {
        return masing_error_set(error, MASING_INVALID,
                                "damping ratio %g of the structure is more than that of the "
                                "data, %g at amplitude %g: nothing is left for the joints",
                                request->ends.damping_ratio, p->damping_ratio, p->amplitude);
    }
    return MASING_OK;
}

static enum masing_status check_request(const struct masing_modal_iwan_request *request,
                                        struct masing_error *error)
{
    const struct masing_modal_ends *ends = &request->ends;
    double low = INFINITY, high = 0.0;
    if (!(ends->free_hz >= 0.0 && ends->stuck_hz > ends->free_hz && isfinite(ends->stuck_hz))) {
        return masing_error_set(error, MASING_INVALID,
                                "a mode at %g Hz with the joints stuck and at %g Hz without "
                                "them: expected the second below the first",
                                ends->stuck_hz, ends->free_hz);
    }
    if (ends->damping_ratio < 0.0 || isinf(ends->damping_ratio)) {
        return masing_error_set(error, MASING_INVALID,
                                "damping ratio %g of the structure: expected a number >= 0",
                                ends->damping_ratio);
    }
    for (int i = 0; i < request->n_points; i++) {
        NEED(check_point(request, i, error));
        low = fmin(low, request->points[i].amplitude);
        high = fmax(high, request->points[i].amplitude);
    }
    if (request->n_points < FEWEST_POINTS) {
        return masing_error_set(error, MASING_INVALID, "%d points, expected at least %d",
                                request->n_points, FEWEST_POINTS);
    }
    if (high < LEAST_SPAN * low) {
        return masing_error_set(error, MASING_INVALID,
                                "all amplitudes lie between %g and %g: how damping grows with "
                                "them is not to be seen",
                                low, high);
    }
    return MASING_OK;
}

/* ---- tuning ---- */

static int compare_points(const void *a, const void *b)
{
    const struct point *p = a, *q = b;
    return (p->amplitude > q->amplitude) - (p->amplitude < q->amplitude);
}

static void hold(struct fit *fit, int k, double value)
{
    fit->is_held[k] = true;
    fit->unknowns[k] = fit->lower[k] = fit->upper[k] = value;
}

static enum masing_status open_fit(const struct masing_modal_iwan_request *request,
                                   struct fit *fit, struct masing_error *error)
{
    const struct masing_modal_ends *ends = &request->ends;
    double free_omega = TWO_PI * ends->free_hz;
    NEED(iwan_mode_create(&fit->mode, error));
    fit->n = request->n_points;
    NEED_ALLOCATED(fit->points = memory_array((size_t)fit->n, sizeof *fit->points));
    for (int i = 0; i < fit->n; i++) {
        const struct masing_modal_point *point = &request->points[i];
        fit->points[i] = (struct point){.amplitude = point->amplitude,
                                        .omega = TWO_PI * point->frequency_hz,
                                        .damping_ratio = point->damping_ratio};
    }
    qsort(fit->points, (size_t)fit->n, sizeof *fit->points, compare_points);
    fit->omega_stuck = TWO_PI * ends->stuck_hz;
    fit->mode.is_printed = request->is_printed;
    fit->mode.spring = free_omega * free_omega;
    *fit->mode.stiffness = fit->omega_stuck * fit->omega_stuck - fit->mode.spring;
    fit->macroslip_from = MACROSLIP_FROM[0];
    fit->progress = request->progress;
    fit->chooses_points = isnan(request->left_out_from);
    fit->from = request->left_out_from;
    fit->to = request->left_out_to;
    set_bounds(fit);
    if (!isnan(ends->damping_ratio)) {
        hold(fit, IWAN_STRUCTURE, log(fmax(ends->damping_ratio, DBL_MIN)));
    }
    return MASING_OK;
}

static bool is_determined(int k, double width)
{
    return width <= (k == IWAN_CHI ? WIDE_CHI : WIDE_LOGARITHM);
}

/* A parameter that the data do not determine is set to its usual value, unless the fit becomes
 * worse than noise explains. */
static enum masing_status assume(struct fit *fit, int k, double value,
                                 struct masing_error *error)
{
    struct fit before = *fit;
    struct masing_error none = {0};
    double n = fit->n_used, mean = fit->sum / n;
    if (is_determined(k, fit->widths[k])) {
        return MASING_OK;
    }
    hold(fit, k, value);
    enum masing_status tried = search(fit, &none);
    NEED_ALLOCATED(tried != MASING_NO_MEMORY);
    double most = fmax(mean * (1.0 + 9.0 / n), EXACT_MISFIT * EXACT_MISFIT);
    if (tried == MASING_OK && fit->sum / fit->n_used <= most) {
        NEED(find_widths(fit, error));
    } else {
        *fit = before;
        NEED(apply(fit, error));
        divide(fit);
    }
    return MASING_OK;
}

/* Whether slip force and beta are determined by microslip alone while the data go beyond it. */
static bool lacks_macroslip(const struct fit *fit)
{
    return fit->chooses_points && fit->n_microslip == fit->n_used && fit->n_used < fit->n &&
           !is_determined(IWAN_BETA, fit->widths[IWAN_BETA]);
}

/* Let points nearer to the onset take part where no others determine macroslip. */
static enum masing_status extend_to_onset(struct fit *fit, struct masing_error *error)
{
    struct fit before = *fit;
    for (int i = 1; i < N_MACROSLIP_FROM && lacks_macroslip(fit); i++) {
        struct masing_error none = {0};
        fit->macroslip_from = MACROSLIP_FROM[i];
        enum masing_status tried = search(fit, &none);
        tried = tried ? tried : find_widths(fit, &none);
        NEED_ALLOCATED(tried != MASING_NO_MEMORY);
    }
    if (lacks_macroslip(fit)) {
        *fit = before;
        NEED(apply(fit, error));
        divide(fit);
    }
    return MASING_OK;
}

static enum masing_status tune(struct fit *fit, struct masing_error *error)
{
    double widths[N_IWAN_UNKNOWNS];
    NEED(search(fit, error));
    double rms = sqrt(fit->sum / fit->n_used);
    if (!(rms < WRONG_MODEL)) {
        return masing_error_set(
            error, MASING_NOT_CONVERGED,
            "no modal Iwan model follows these data: the nearest misses the "
            "damping by %.0f %% (rms)",
            100.0 * rms);
    }
    NEED(find_widths(fit, error));
    NEED(extend_to_onset(fit, error));
    memcpy(widths, fit->widths, sizeof widths);
    NEED(assume(fit, IWAN_BETA, log(USUAL_BETA), error));
    NEED(assume(fit, IWAN_CHI, USUAL_CHI, error));
    NEED(progress_check(fit->progress, error));
    memcpy(fit->widths, widths, sizeof widths); /* those of nothing assumed */
    return MASING_OK;
}

/* ---- the result ---- */

static double interval(const struct fit *fit, int k, double value)
{
    double scale = k == IWAN_CHI ? 1.0 : value;
    return is_determined(k, fit->widths[k]) ? scale * fit->widths[k] : INFINITY;
}

static void fill_result(const struct fit *fit, const struct masing_modal_iwan_request *request,
                        struct masing_modal_iwan *result)
{
    const struct iwan_mode *mode = &fit->mode;
    double given = request->ends.damping_ratio;
    double structure = isnan(given) ? 0.5 * mode->dashpot / fit->omega_stuck : given;
    *result = (struct masing_modal_iwan){
        .spring = mode->spring,
        .damping_ratio = structure,
        .stuck_hz = request->ends.stuck_hz,
        .stiffness = *mode->stiffness,
        .slip_force = *mode->parameter[IWAN_SLIP_FORCE],
        .chi = *mode->parameter[IWAN_CHI],
        .beta = *mode->parameter[IWAN_BETA],
        .phi_max = mode->constant[IWAN_REACH],
        .slip_force_interval =
            interval(fit, IWAN_SLIP_FORCE, *mode->parameter[IWAN_SLIP_FORCE]),
        .chi_interval = interval(fit, IWAN_CHI, 1.0),
        .beta_interval = interval(fit, IWAN_BETA, *mode->parameter[IWAN_BETA]),
        .damping_interval = interval(fit, IWAN_STRUCTURE, structure),
        .chi_is_assumed = fit->is_held[IWAN_CHI],
        .beta_is_assumed = fit->is_held[IWAN_BETA],
        .is_printed = mode->is_printed,
        .has_microslip = fit->n_microslip > 0,
        .has_macroslip = fit->n_microslip < fit->n_used,
        .left_out_from = fit->from,
        .left_out_to = fit->to,
        .n_used = fit->n_used,
        .n_left_out = fit->n - fit->n_used,
        .rms = sqrt(fit->sum / fit->n_used),
        .misfit_correlation = fit->misfit_correlation,
    };
    for (int i = 0; i < fit->n; i++) {
        const struct point *point = &fit->points[i];
        double misfit = expm1(residual_at(fit, point, NULL));
        if (point->part == IWAN_MICROSLIP && fabs(misfit) >= fabs(result->worst_microslip)) {
            result->worst_microslip = misfit;
            result->worst_microslip_at = point->amplitude;
        }
    }
}

enum masing_status masing_identify_modal_iwan(const struct masing_modal_iwan_request *request,
                                              struct masing_modal_iwan *result,
                                              struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_modal_iwan_request asked;
    struct fit fit = {0};
    error = entry_begin(error, &own);
    limit_blas_to_one_thread();
    TRY(entry_need(request, "request", error));
    TRY(entry_need(result, "result", error));
    TRY(entry_read(request, "request", &asked, sizeof asked, error));
    TRY(entry_need_array(asked.n_points, asked.points, "request.points", error));
    TRY(blas_need_buffer(error));
    memset(result, 0, sizeof *result);
    TRY(check_request(&asked, error));
    TRY(open_fit(&asked, &fit, error));
    TRY(tune(&fit, error));
    fill_result(&fit, &asked, result);
done:
    iwan_mode_clear(&fit.mode);
    free(fit.points);
    release_blas();
    return status;
}

enum masing_status masing_modal_ends_of(const struct masing_model *model, int mode,
                                        struct masing_modal_ends *ends,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct stuck_modes *modes = NULL;
    struct masing_error own;
    error = entry_begin(error, &own);
    limit_blas_to_one_thread();
    TRY(entry_need(model, "model", error));
    TRY(cyclic_refuse(&model->spec, "identification is", error));
    TRY(speed_refuse(model, "identification is", error));
    TRY(entry_need(ends, "ends", error));
    TRY(stuck_modes_create(model, &modes, error));
    TRY(stuck_modes_check(modes, model, mode, (struct masing_place){0}, "mode", error));
    int index = modes->n_rigid + mode - 1;
    *ends = (struct masing_modal_ends){
        .stuck_hz = modes->omega[index] / TWO_PI,
        .free_hz = modes->free[index] / TWO_PI,
        .damping_ratio = stuck_modes_damping(modes, model, index),
    };
done:
    release_blas();
    stuck_modes_destroy(modes);
    return status;
}
