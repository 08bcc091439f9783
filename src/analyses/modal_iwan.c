/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tuning a modal Iwan model to frequency and damping of a mode over its amplitude. */
#include "masing/modal_iwan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/iwan_mode.h"
#include "analyses/least_squares.h"
#include "base/check.h"
#include "base/memory.h"

static const double two_pi = 6.28318530717958647692;

enum { FEWEST_POINTS = 6, MOST_PASSES = 8, MOST_UNKNOWNS = N_IWAN_NUMBERS + 1 };

/* Points are left out from this part of phi_max to this many times phi_max. */
static const double LEFT_OUT_FROM = 0.8, LEFT_OUT_TO = 10.0;

/* Microslip damping grows as amplitude^(chi+1), at most in proportion; where it grows faster
 * than this the whole joint begins to slip. Slopes are those between means over stretches of
 * the logarithm of the amplitude. */
static const double STEEPEST_MICROSLIP = 1.3, STRETCH = 0.25;

/* Where the data do not tell beta. */
static const double USUAL_BETA = 1.0;

struct tuning {
    const struct masing_modal_iwan_request *request;
    struct iwan_mode *mode;
    struct masing_modal_point *points; /* [n] by amplitude */
    int n;
    bool *is_used; /* [n] */
    double omega_stuck;
    double onset; /* amplitude where the whole joint begins to slip; NAN: not seen */
    bool has_macroslip;
    int n_used, n_unknowns;
    double unknowns[MOST_UNKNOWNS]; /* ln F_S, chi, ln beta, ln zeta_0 */
    double from, to;                /* that are left out */
};

static enum masing_status check_request(const struct masing_modal_iwan_request *request,
                                        struct masing_error *error)
{
    const struct masing_modal_ends *ends = &request->ends;
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
        const struct masing_modal_point *p = &request->points[i];
        if (!(p->amplitude > 0.0 && p->frequency_hz > 0.0 && p->damping_ratio > 0.0 &&
              isfinite(p->amplitude + p->frequency_hz + p->damping_ratio))) {
            return masing_error_set(error, MASING_INVALID,
                                    "point %d: amplitude %g, %g Hz, damping ratio %g: expected "
                                    "finite numbers > 0",
                                    i + 1, p->amplitude, p->frequency_hz, p->damping_ratio);
        }
    }
    if (request->n_points < FEWEST_POINTS) {
        return masing_error_set(error, MASING_INVALID, "%d points, expected at least %d",
                                request->n_points, FEWEST_POINTS);
    }
    return MASING_OK;
}

static int compare_points(const void *a, const void *b)
{
    const struct masing_modal_point *p = a, *q = b;
    return (p->amplitude > q->amplitude) - (p->amplitude < q->amplitude);
}

/* --- where to begin ------------------------------------------------------------------------
 */

/* What the joint adds to the damping of a point. */
static double joint_damping(const struct tuning *tuning, const struct masing_modal_point *point)
{
    double structure = tuning->request->ends.damping_ratio;
    double share = isnan(structure)
                       ? 0.0
                       : structure * tuning->request->ends.stuck_hz / point->frequency_hz;
    return fmax(point->damping_ratio - share, 1e-3 * point->damping_ratio);
}

/* Mean logarithms of a stretch of points that begins at *i, which is moved on. */
static void mean_of_stretch(const struct tuning *tuning, int *i, double *x, double *y)
{
    double first = log(tuning->points[*i].amplitude);
    int n = 0;
    *x = *y = 0.0;
    for (; *i < tuning->n && log(tuning->points[*i].amplitude) <= first + STRETCH; (*i)++) {
        *x += log(tuning->points[*i].amplitude);
        *y += log(joint_damping(tuning, &tuning->points[*i]));
        n++;
    }
    *x /= n;
    *y /= n;
}

/* The onset of slip of the whole joint, and the slope of microslip below it. */
static double look_at_slopes(struct tuning *tuning)
{
    double x, y, before_x, before_y, steepest = STEEPEST_MICROSLIP, sum = 0.0, length = 0.0;
    int i = 0;
    tuning->onset = NAN;
    mean_of_stretch(tuning, &i, &before_x, &before_y);
    while (i < tuning->n) {
        mean_of_stretch(tuning, &i, &x, &y);
        double slope = (y - before_y) / (x - before_x);
        if (slope > steepest) {
            steepest = slope;
            tuning->onset = exp(before_x);
        }
        if (isnan(tuning->onset) && slope > 0.0) {
            sum += y - before_y;
            length += x - before_x;
        }
        before_x = x;
        before_y = y;
    }
    return length > 0.0 ? fmin(fmax(sum / length, 0.1), 0.9) : 0.5;
}

/* K_T phi = F_S (1 + beta) / (beta + (chi + 1)/(chi + 2)) */
static void choose_start(struct tuning *tuning, double slope, double beta)
{
    double chi = slope - 1.0, largest = tuning->points[tuning->n - 1].amplitude;
    double reach = isnan(tuning->onset) ? 3.0 * largest : tuning->onset;
    double force =
        *tuning->mode->stiffness * reach * (beta + slope / (slope + 1.0)) / (1.0 + beta);
    tuning->unknowns[IWAN_SLIP_FORCE] = log(force);
    tuning->unknowns[IWAN_CHI] = chi;
    tuning->unknowns[IWAN_BETA] = log(beta);
    tuning->unknowns[N_IWAN_NUMBERS] = log(0.5 * tuning->points[0].damping_ratio);
}

/* Which points take part; whether they are others than before. */
static bool choose_points(struct tuning *tuning, double reach)
{
    const struct masing_modal_iwan_request *request = tuning->request;
    bool has_changed = false;
    tuning->from = LEFT_OUT_FROM * reach;
    tuning->to = LEFT_OUT_TO * reach;
    if (!isnan(request->left_out_from)) {
        tuning->from = request->left_out_from;
        tuning->to = request->left_out_to;
    }
    tuning->n_used = 0;
    tuning->has_macroslip = false;
    for (int i = 0; i < tuning->n; i++) {
        double a = tuning->points[i].amplitude;
        bool is_used = !(a >= tuning->from && a <= tuning->to);
        has_changed = has_changed || is_used != tuning->is_used[i];
        tuning->is_used[i] = is_used;
        tuning->n_used += is_used;
        tuning->has_macroslip = tuning->has_macroslip || (is_used && a > tuning->to);
    }
    return has_changed;
}

/* --- the least squares ---------------------------------------------------------------------
 */

static enum masing_status set_numbers(struct tuning *tuning, const double *unknowns,
                                      struct masing_error *error)
{
    struct iwan_mode *mode = tuning->mode;
    *mode->number[IWAN_SLIP_FORCE] = exp(unknowns[IWAN_SLIP_FORCE]);
    *mode->number[IWAN_CHI] = unknowns[IWAN_CHI];
    *mode->number[IWAN_BETA] = exp(unknowns[IWAN_BETA]);
    double ratio = tuning->request->ends.damping_ratio;
    ratio = isnan(ratio) ? exp(unknowns[N_IWAN_NUMBERS]) : ratio;
    mode->dashpot = 2.0 * ratio * tuning->omega_stuck;
    return iwan_mode_derive(mode, error);
}

/* Derivatives of the numbers by the unknowns. */
static double slope_of(const struct tuning *tuning, int k)
{
    return k == IWAN_CHI ? 1.0 : *tuning->mode->number[k];
}

/* Without macroslip the data say nothing of one direction: the onset decides or, where that is
 * not seen either, a usual beta. */
static void add_last(const struct tuning *tuning, const double *unknowns, double *residuals,
                     double *jacobian)
{
    const struct iwan_mode *mode = tuning->mode;
    size_t n = (size_t)tuning->n_used + 1, last = (size_t)tuning->n_used;
    bool has_onset = !isnan(tuning->onset);
    residuals[last] =
        has_onset ? log(mode->reach / tuning->onset) : unknowns[IWAN_BETA] - log(USUAL_BETA);
    for (int k = 0; jacobian && k < tuning->n_unknowns; k++) {
        double by_reach = k < N_IWAN_NUMBERS
                              ? slope_of(tuning, k) * mode->change_of_reach[k] / mode->reach
                              : 0.0;
        jacobian[(size_t)k * n + last] = has_onset ? by_reach : k == IWAN_BETA ? 1.0 : 0.0;
    }
}

/* residual = ln zeta - ln of the point's, at the point's own frequency */
static enum masing_status evaluate(void *context, const double *unknowns, double *residuals,
                                   double *jacobian)
{
    struct tuning *tuning = context;
    struct masing_error ignored = {0};
    size_t n = (size_t)tuning->n_used + !tuning->has_macroslip, row = 0;
    enum masing_status status = set_numbers(tuning, unknowns, &ignored);
    if (status != MASING_OK) {
        return status;
    }
    for (int i = 0; i < tuning->n; i++) {
        const struct masing_modal_point *point = &tuning->points[i];
        double change[N_IWAN_NUMBERS], omega = two_pi * point->frequency_hz;
        double scale = two_pi * pow(omega * point->amplitude, 2.0);
        if (!tuning->is_used[i]) {
            continue;
        }
        double structure = 0.5 * tuning->mode->dashpot / omega;
        double zeta =
            structure + iwan_mode_loss(tuning->mode, point->amplitude, change) / scale;
        residuals[row] = log(zeta / point->damping_ratio);
        for (int k = 0; jacobian && k < tuning->n_unknowns; k++) {
            jacobian[(size_t)k * n + row] =
                k == N_IWAN_NUMBERS ? structure / zeta
                                    : slope_of(tuning, k) * change[k] / (scale * zeta);
        }
        row++;
    }
    if (!tuning->has_macroslip) {
        add_last(tuning, unknowns, residuals, jacobian);
    }
    return MASING_OK;
}

static enum masing_status solve(struct tuning *tuning, double *sum, struct masing_error *error)
{
    static const double lower[MOST_UNKNOWNS] = {-INFINITY, -0.999, -14.0, -INFINITY};
    static const double upper[MOST_UNKNOWNS] = {INFINITY, 0.0, 14.0, INFINITY};
    enum masing_status status = MASING_OK;
    struct least_squares *solver = NULL;
    struct least_squares_result end = {0};
    const struct least_squares_problem problem = {
        .context = tuning,
        .n_residuals = tuning->n_used + !tuning->has_macroslip,
        .n_unknowns = tuning->n_unknowns,
        .lower = lower,
        .upper = upper,
        .evaluate = evaluate,
    };
    if (problem.n_residuals <= problem.n_unknowns) {
        TRY(masing_error_set(
            error, MASING_INVALID,
            "%d points outside of amplitudes %.4g to %.4g, which are left out, "
            "do not determine %d numbers",
            tuning->n_used, tuning->from, tuning->to, tuning->n_unknowns));
    }
    TRY(least_squares_create(&problem, &solver, error));
    status = least_squares_solve(solver, tuning->unknowns, &end);
    if (status == MASING_OK && !end.is_converged) {
        status = MASING_NOT_CONVERGED;
    }
    *sum = end.sum;
done:
    least_squares_destroy(solver);
    return status;
}

/* From one start: the points that are left out follow phi_max. */
static enum masing_status tune_from(struct tuning *tuning, double slope, double beta,
                                    double *sum, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    choose_start(tuning, slope, beta);
    TRY(set_numbers(tuning, tuning->unknowns, error));
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        bool has_changed = choose_points(tuning, tuning->mode->reach);
        if (pass > 0 && !has_changed) {
            break;
        }
        TRY(solve(tuning, sum, error));
        TRY(set_numbers(tuning, tuning->unknowns, error));
    }
done:
    return status;
}

static enum masing_status tune(struct tuning *tuning, struct masing_error *error)
{
    static const double betas[] = {5.0, 1.0, 0.2, 25.0};
    enum masing_status status = MASING_NOT_CONVERGED, first = MASING_OK;
    double slope = look_at_slopes(tuning), least = INFINITY, best[MOST_UNKNOWNS];
    struct masing_error reason = {0};
    for (size_t i = 0; i < sizeof betas / sizeof *betas; i++) {
        struct masing_error own = {0};
        double sum = INFINITY;
        enum masing_status tried = tune_from(tuning, slope, betas[i], &sum, &own);
        if (tried == MASING_NO_MEMORY) {
            return masing_error_set(error, tried, "%s", own.message);
        }
        if (tried != MASING_OK && first == MASING_OK) {
            first = tried;
            reason = own;
        }
        sum /= tuning->n_used > 0 ? tuning->n_used : 1;
        if (tried == MASING_OK && sum < least) {
            least = sum;
            memcpy(best, tuning->unknowns, sizeof best);
            status = MASING_OK;
        }
    }
    if (status != MASING_OK) {
        return masing_error_set(error, first, "%s",
                                reason.message[0] ? reason.message
                                                  : "the least squares do not converge");
    }
    memcpy(tuning->unknowns, best, sizeof best);
    status = set_numbers(tuning, best, error);
    choose_points(tuning, tuning->mode->reach);
    return status;
}

/* --- the result ----------------------------------------------------------------------------
 */

static void judge(const struct tuning *tuning, struct masing_modal_iwan *result)
{
    double sum = 0.0;
    for (int i = 0; i < tuning->n; i++) {
        const struct masing_modal_point *point = &tuning->points[i];
        double omega, zeta;
        if (!tuning->is_used[i]) {
            continue;
        }
        iwan_mode_at(tuning->mode, point->amplitude, &omega, &zeta);
        double error = zeta / point->damping_ratio - 1.0;
        sum += pow(log1p(error), 2.0);
        if (point->amplitude < tuning->from && fabs(error) >= fabs(result->worst_microslip)) {
            result->worst_microslip = error;
            result->worst_microslip_at = point->amplitude;
        }
    }
    result->rms = sqrt(sum / tuning->n_used);
}

static void fill_result(const struct tuning *tuning, struct masing_modal_iwan *result)
{
    const struct iwan_mode *mode = tuning->mode;
    *result = (struct masing_modal_iwan){
        .spring = mode->spring,
        .damping_ratio = 0.5 * mode->dashpot / tuning->omega_stuck,
        .stuck_hz = tuning->request->ends.stuck_hz,
        .stiffness = *mode->stiffness,
        .slip_force = *mode->number[IWAN_SLIP_FORCE],
        .chi = *mode->number[IWAN_CHI],
        .beta = *mode->number[IWAN_BETA],
        .phi_max = mode->reach,
        .is_printed = mode->is_printed,
        .has_macroslip = tuning->has_macroslip,
        .left_out_from = tuning->from,
        .left_out_to = tuning->to,
        .n_used = tuning->n_used,
        .n_left_out = tuning->n - tuning->n_used,
    };
    judge(tuning, result);
}

enum masing_status masing_identify_modal_iwan(const struct masing_modal_iwan_request *request,
                                              struct masing_modal_iwan *result,
                                              struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct tuning tuning = {.request = request, .n = request->n_points};
    memset(result, 0, sizeof *result);
    TRY(check_request(request, error));
    TRY(iwan_mode_create(&tuning.mode, error));
    size_t n = (size_t)request->n_points;
    tuning.points = memory_copy(request->points, n, sizeof *tuning.points);
    tuning.is_used = memory_array(n, sizeof *tuning.is_used);
    TRY_ALLOCATED(tuning.points);
    TRY_ALLOCATED(tuning.is_used);
    qsort(tuning.points, n, sizeof *tuning.points, compare_points);
    double free_omega = two_pi * request->ends.free_hz;
    tuning.omega_stuck = two_pi * request->ends.stuck_hz;
    tuning.n_unknowns = N_IWAN_NUMBERS + isnan(request->ends.damping_ratio);
    tuning.mode->is_printed = request->is_printed;
    tuning.mode->spring = free_omega * free_omega;
    *tuning.mode->stiffness = tuning.omega_stuck * tuning.omega_stuck - tuning.mode->spring;
    TRY(tune(&tuning, error));
    fill_result(&tuning, result);
done:
    iwan_mode_destroy(tuning.mode);
    free(tuning.points);
    free(tuning.is_used);
    return status;
}
