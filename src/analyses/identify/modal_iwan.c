/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tuning a modal Iwan model to frequency and damping of a mode over its amplitude. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/row_table.h"
#include "analyses/identify/iwan_fit.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/one_thread.h"
#include "masing/modal_iwan.h"
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

static enum masing_status check_ends(const struct masing_modal_ends *ends,
                                     struct masing_error *error)
{
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
    return MASING_OK;
}

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
    if (structure > iwan_largest_share * p->damping_ratio) {
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
    enum masing_status status = MASING_OK;
    double low = INFINITY, high = 0.0;
    TRY(check_ends(&request->ends, error));
    for (int i = 0; i < request->n_points; i++) {
        TRY(check_point(request, i, error));
        low = fmin(low, request->points[i].amplitude);
        high = fmax(high, request->points[i].amplitude);
    }
    if (request->n_points < FEWEST_POINTS) {
        TRY(masing_error_set(error, MASING_INVALID, "%d points, expected at least %d",
                             request->n_points, FEWEST_POINTS));
    }
    if (high < LEAST_SPAN * low) {
        TRY(masing_error_set(error, MASING_INVALID,
                             "all amplitudes lie between %g and %g: how damping grows with "
                             "them is not to be seen",
                             low, high));
    }
done:
    return status;
}

/* ---- the fit ---- */

static int compare_points(const void *a, const void *b)
{
    const struct iwan_point *p = a, *q = b;
    return (p->amplitude > q->amplitude) - (p->amplitude < q->amplitude);
}

static void hold(struct iwan_fit *fit, int k, double value)
{
    fit->is_held[k] = true;
    fit->unknowns[k] = fit->lower[k] = fit->upper[k] = value;
}

static enum masing_status open_fit(const struct masing_modal_iwan_request *request,
                                   struct iwan_fit *fit, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_modal_ends *ends = &request->ends;
    double free_omega = TWO_PI * ends->free_hz;
    TRY(iwan_mode_create(&fit->mode, error));
    fit->n = request->n_points;
    fit->points = memory_array((size_t)fit->n, sizeof *fit->points);
    TRY_ALLOCATED(fit->points);
    for (int i = 0; i < fit->n; i++) {
        const struct masing_modal_point *point = &request->points[i];
        fit->points[i] = (struct iwan_point){.amplitude = point->amplitude,
                                             .omega = TWO_PI * point->frequency_hz,
                                             .damping_ratio = point->damping_ratio};
    }
    qsort(fit->points, (size_t)fit->n, sizeof *fit->points, compare_points);
    fit->omega_stuck = TWO_PI * ends->stuck_hz;
    fit->mode.is_printed = request->is_printed;
    fit->mode.spring = free_omega * free_omega;
    *fit->mode.stiffness = fit->omega_stuck * fit->omega_stuck - fit->mode.spring;
    fit->macroslip_from = MACROSLIP_FROM[0];
    fit->chooses_points = isnan(request->left_out_from);
    fit->from = request->left_out_from;
    fit->to = request->left_out_to;
    iwan_fit_bounds(fit);
    if (!isnan(ends->damping_ratio)) {
        hold(fit, IWAN_STRUCTURE, log(fmax(ends->damping_ratio, DBL_MIN)));
    }
done:
    return status;
}

static bool is_determined(int k, double width)
{
    return width <= (k == IWAN_CHI ? WIDE_CHI : WIDE_LOGARITHM);
}

/* A parameter that the data do not determine is set to its usual value, unless the fit becomes
 * worse than noise explains. */
static enum masing_status assume(struct iwan_fit *fit, int k, double value,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct iwan_fit before = *fit;
    struct masing_error none = {0};
    double n = fit->n_used, mean = fit->sum / n;
    if (is_determined(k, fit->widths[k])) {
        goto done;
    }
    hold(fit, k, value);
    enum masing_status tried = iwan_fit_search(fit, &none);
    TRY_ALLOCATED(tried != MASING_NO_MEMORY);
    double most = fmax(mean * (1.0 + 9.0 / n), EXACT_MISFIT * EXACT_MISFIT);
    if (tried == MASING_OK && fit->sum / fit->n_used <= most) {
        TRY(iwan_fit_widths(fit, error));
    } else {
        *fit = before;
        TRY(iwan_fit_apply(fit, error));
        iwan_fit_divide(fit);
    }
done:
    return status;
}

/* Whether slip force and beta are determined by microslip alone while the data go beyond it. */
static bool lacks_macroslip(const struct iwan_fit *fit)
{
    return fit->chooses_points && fit->n_microslip == fit->n_used && fit->n_used < fit->n &&
           !is_determined(IWAN_BETA, fit->widths[IWAN_BETA]);
}

/* Let points nearer to the onset take part where no others determine macroslip. */
static enum masing_status extend_to_onset(struct iwan_fit *fit, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct iwan_fit before = *fit;
    for (int i = 1; i < N_MACROSLIP_FROM && lacks_macroslip(fit); i++) {
        struct masing_error none = {0};
        fit->macroslip_from = MACROSLIP_FROM[i];
        enum masing_status tried = iwan_fit_search(fit, &none);
        tried = tried ? tried : iwan_fit_widths(fit, &none);
        TRY_ALLOCATED(tried != MASING_NO_MEMORY);
    }
    if (lacks_macroslip(fit)) {
        *fit = before;
        TRY(iwan_fit_apply(fit, error));
        iwan_fit_divide(fit);
    }
done:
    return status;
}

static enum masing_status tune(struct iwan_fit *fit, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double widths[N_IWAN_UNKNOWNS];
    TRY(iwan_fit_search(fit, error));
    double rms = sqrt(fit->sum / fit->n_used);
    if (!(rms < WRONG_MODEL)) {
        TRY(masing_error_set(error, MASING_NOT_CONVERGED,
                             "no modal Iwan model follows these data: the nearest misses the "
                             "damping by %.0f %% (rms)",
                             100.0 * rms));
    }
    TRY(iwan_fit_widths(fit, error));
    TRY(extend_to_onset(fit, error));
    memcpy(widths, fit->widths, sizeof widths);
    TRY(assume(fit, IWAN_BETA, log(USUAL_BETA), error));
    TRY(assume(fit, IWAN_CHI, USUAL_CHI, error));
    memcpy(fit->widths, widths, sizeof widths); /* those of nothing assumed */
done:
    return status;
}

/* ---- the result ---- */

static void measure_misfit(const struct iwan_fit *fit, struct masing_modal_iwan *result)
{
    double sum = 0.0;
    for (int i = 0; i < fit->n; i++) {
        const struct iwan_point *point = &fit->points[i];
        if (point->part == IWAN_LEFT_OUT) {
            continue;
        }
        double residual = iwan_fit_residual(fit, point, NULL), error = expm1(residual);
        sum += residual * residual;
        if (point->part == IWAN_MICROSLIP && fabs(error) >= fabs(result->worst_microslip)) {
            result->worst_microslip = error;
            result->worst_microslip_at = point->amplitude;
        }
    }
    result->rms = sqrt(sum / fit->n_used);
}

static double interval(const struct iwan_fit *fit, int k, double value)
{
    double scale = k == IWAN_CHI ? 1.0 : value;
    return is_determined(k, fit->widths[k]) ? scale * fit->widths[k] : INFINITY;
}

static void fill_result(const struct iwan_fit *fit,
                        const struct masing_modal_iwan_request *request,
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
        .phi_max = mode->reach,
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
        .misfit_correlation = fit->misfit_correlation,
    };
    measure_misfit(fit, result);
}

static enum masing_status identify(const struct masing_modal_iwan_request *request,
                                   struct masing_modal_iwan *result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct iwan_fit fit = {0};
    memset(result, 0, sizeof *result);
    TRY(check_request(request, error));
    TRY(open_fit(request, &fit, error));
    TRY(tune(&fit, error));
    fill_result(&fit, request, result);
done:
    iwan_mode_clear(&fit.mode);
    free(fit.points);
    return status;
}

enum masing_status masing_identify_modal_iwan(const struct masing_modal_iwan_request *request,
                                              struct masing_modal_iwan *result,
                                              struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_modal_iwan_request asked;
    error = entry_begin(error, &own);
    limit_blas_to_one_thread();
    TRY(entry_need(request, "request", error));
    TRY(entry_need(result, "result", error));
    TRY(entry_read(request, "request", &asked, sizeof asked, error));
    TRY(entry_need_array(asked.n_points, asked.points, "request.points", error));
    TRY(blas_need_buffer(error));
    status = identify(&asked, result, error);
done:
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

static enum masing_status open_mode(const struct masing_modal_iwan *modal,
                                    struct iwan_mode *mode, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY(iwan_mode_create(mode, error));
    mode->spring = modal->spring;
    mode->dashpot = 2.0 * modal->damping_ratio * TWO_PI * modal->stuck_hz;
    mode->is_printed = modal->is_printed;
    *mode->stiffness = modal->stiffness;
    *mode->parameter[IWAN_SLIP_FORCE] = modal->slip_force;
    *mode->parameter[IWAN_CHI] = modal->chi;
    *mode->parameter[IWAN_BETA] = modal->beta;
    TRY(iwan_mode_derive(mode, error));
done:
    return status;
}

static struct masing_modal_point point_at(const struct iwan_mode *mode, double amplitude)
{
    struct masing_modal_point point = {.amplitude = amplitude};
    double omega;
    iwan_mode_at(mode, amplitude, &omega, &point.damping_ratio);
    point.frequency_hz = omega / TWO_PI;
    return point;
}

enum masing_status masing_modal_iwan_at(const struct masing_modal_iwan *modal, double amplitude,
                                        struct masing_modal_point *point,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct iwan_mode mode = {0};
    struct masing_error own;
    error = entry_begin(error, &own);
    TRY(entry_need(modal, "modal", error));
    TRY(entry_need(point, "point", error));
    TRY(open_mode(modal, &mode, error));
    *point = point_at(&mode, amplitude);
done:
    iwan_mode_clear(&mode);
    return status;
}

struct fitted_point {
    struct masing_modal_point measured, fitted;
    bool is_used;
};

static void walk_point(struct row_table *table, const void *context)
{
    const struct fitted_point *point = context;
    ROW_REAL(table, point->measured.amplitude, "amplitude");
    ROW_REAL(table, point->measured.frequency_hz, "frequency_hz");
    ROW_REAL(table, point->measured.damping_ratio, "damping_ratio");
    ROW_REAL(table, point->fitted.frequency_hz, "frequency_fitted_hz");
    ROW_REAL(table, point->fitted.damping_ratio, "damping_ratio_fitted");
    ROW_INTEGER(table, point->is_used, "used");
}

enum masing_status masing_modal_iwan_rows(const struct masing_modal_iwan_request *request,
                                          const struct masing_modal_iwan *modal,
                                          const struct masing_sink *rows,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct iwan_mode mode = {0};
    struct row_sink table = {0};
    struct masing_error own;
    struct masing_modal_iwan_request asked;
    error = entry_begin(error, &own);
    TRY(entry_need(request, "request", error));
    TRY(entry_need(modal, "modal", error));
    TRY(entry_read(request, "request", &asked, sizeof asked, error));
    TRY(entry_need_array(asked.n_points, asked.points, "request.points", error));
    TRY(open_mode(modal, &mode, error));
    TRY(row_sink_begin(&table, rows, walk_point, &(struct fitted_point){0}, error));
    for (int i = 0; i < asked.n_points; i++) {
        double a = asked.points[i].amplitude;
        const struct fitted_point point = {
            .measured = asked.points[i],
            .fitted = point_at(&mode, a),
            .is_used = !(a >= modal->left_out_from && a <= modal->left_out_to)};
        TRY(row_sink_write(&table, &point, error));
    }
done:
    iwan_mode_clear(&mode);
    return row_sink_end(&table, status, error);
}
