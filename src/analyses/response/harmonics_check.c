/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each point is solved again with about twice the harmonics and twice the samples, and again,
 * until no output changes any more; what it has changed by altogether is the error of the
 * curve.
 */
#include "analyses/response/curve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "base/sink.h"

enum { N_SAMPLE = 10, MAX_LEVELS = 4 };
/* A peak is located this much better than the tolerance of the check. */
static const double PEAK_PRECISION = 1e-2;

struct check {
    struct response_curve *curve;
    struct masing_harmonics_check *result;
    double tolerance;
    size_t n_outputs;
    struct point_solver *coarse; /* the curve's points */
    int n_levels;
    struct refinement *levels[MAX_LEVELS];
    bool is_at_end;             /* there are no more levels */
    double *first, *last, *now; /* [n_outputs] of the curve, the last two levels */
    double *errors;             /* [n_outputs] of the curve at the point; NAN: not known */
    double hz;                  /* of the curve's point */
    double refined_hz;
    int harmonics, samples;
    bool is_peak, is_solved, is_converged;
};

/* Of a number and what it should be; of two zeros none. */
static double relative(double value, double right)
{
    return value == right ? 0.0 : fabs(value - right) / fabs(right);
}

/* The refinement of that level, made when first needed; NULL: there are no more. */
static enum masing_status get_level(struct check *check, int level, struct refinement **found,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error reason = {0};
    if (level == check->n_levels && level < MAX_LEVELS && !check->is_at_end) {
        const struct masing_model *coarse =
            level > 0 ? &check->levels[level - 1]->model : check->curve->model;
        const struct response_curve_settings *settings = &check->curve->settings;
        status = refinement_create(coarse, settings->n_threads, settings->options->progress,
                                   &check->levels[level], &reason);
        check->n_levels += status == MASING_OK;
        check->is_at_end = status > 0;
    }
    *found = level < check->n_levels ? check->levels[level] : NULL;
    return status < 0 ? masing_error_set(error, status, "%s", reason.message) : MASING_OK;
}

static enum masing_status solve(struct check *check, struct point_solver *coarse,
                                struct refinement *refinement)
{
    struct point_solver *solver = refinement->solver;
    refinement_start(refinement, coarse);
    if (check->is_peak && check->curve->best.is_marked) {
        struct maximum_search search = {.solver = solver,
                                        .recovery = refinement->recovery,
                                        .high = INFINITY,
                                        .gain = PEAK_PRECISION * check->tolerance,
                                        .measure =
                                            check->last[refinement->model.spec.peak_output]};
        NEED(refinement_follow_tangent(refinement, coarse));
        return maximum_search_run(&search);
    }
    point_solver_fix_lambda(solver);
    if (point_solver_solve(solver, 0.0) > 0) { /* beyond a fold there: the nearest point */
        refinement_start(refinement, coarse);
        NEED(refinement_follow_tangent(refinement, coarse));
        NEED(point_solver_solve(solver, 0.0));
    }
    return recovery_evaluate(refinement->recovery, solver->point, solver->point[solver->n]);
}

/* One level for the present point; false: it is the end. */
static enum masing_status refine(struct check *check, struct point_solver *coarse,
                                 struct refinement *refinement)
{
    double change = 0.0;
    const struct masing_spec *spec = &refinement->model.spec;
    NEED(solve(check, coarse, refinement));
    recovery_measure_outputs(refinement->recovery, check->now);
    for (size_t o = 0; o < check->n_outputs; o++) {
        change = fmax(change, relative(check->last[o], check->now[o]));
        check->last[o] = check->now[o];
    }
    check->is_solved = true;
    check->is_converged = change <= check->tolerance;
    check->harmonics = spec->harmonics[spec->n_harmonics - 1];
    check->samples = spec->n_samples;
    check->refined_hz = refinement->solver->point[refinement->solver->n] / TWO_PI;
    return MASING_OK;
}

static void note(struct check *check)
{
    struct masing_harmonics_check *result = check->result;
    int peak_output = check->curve->model->spec.peak_output;
    result->n_points++;
    result->n_unsolved += !check->is_solved;
    result->n_unsettled += check->is_solved && !check->is_converged;
    if (check->harmonics > result->harmonics) {
        result->harmonics = check->harmonics;
        result->samples = check->samples;
    }
    for (size_t o = 0; o < check->n_outputs && check->is_solved; o++) {
        double error = check->errors[o];
        result->errors[o] = fmax(result->errors[o], error);
        if (!(error <= result->worst_error)) {
            result->worst_error = error;
            result->worst_hz = check->hz;
            result->worst_output = (int)o;
        }
    }
    if (check->is_peak) {
        result->peak_error = check->errors[peak_output];
        result->peak_hz = check->refined_hz;
    }
}

/* A point of the curve, with the sliders' start that belongs to it. */
static enum masing_status check_point(struct check *check, size_t index,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct response_curve *curve = check->curve;
    struct point_solver *coarse = check->coarse;
    const double *y = saved_points_restore(&curve->saved, index, curve->balance);
    double omega = curve->saved.omega[index];
    memcpy(coarse->point, y, sizeof(double) * (size_t)coarse->n);
    coarse->point[coarse->n] = omega;
    check->hz = omega / TWO_PI;
    check->is_solved = check->is_converged = false;
    check->harmonics = check->samples = 0;
    if (curve->levels) {
        harmonic_levels_adopt(curve->levels, y);
    }
    TRY(recovery_evaluate(curve->recovery, y, omega));
    recovery_measure_outputs(curve->recovery, check->first);
    memcpy(check->last, check->first, sizeof(double) * check->n_outputs);
    for (int level = 0; !check->is_converged; level++) {
        struct refinement *refinement = NULL;
        TRY(get_level(check, level, &refinement, error));
        if (!refinement) {
            break;
        }
        status = refine(check, coarse, refinement);
        if (status != MASING_OK) { /* there is nothing near, or a defect */
            break;
        }
        coarse = refinement->solver;
    }
    check->refined_hz = check->is_solved ? check->refined_hz : (double)NAN;
    for (size_t o = 0; o < check->n_outputs; o++) {
        check->last[o] = check->is_solved ? check->last[o] : (double)NAN;
        check->errors[o] = relative(check->first[o], check->last[o]);
    }
    const struct response_check_row row = {
        .hertz = check->hz,
        .refined_hertz = check->refined_hz,
        .events = event_row_of_kinds(check->is_peak ? MASING_EVENT_BIT(MASING_EVENT_PEAK) : 0),
        .harmonics = check->harmonics,
        .samples = check->samples,
        .first = check->first,
        .last = check->last,
        .errors = check->errors,
    };
    status =
        status < 0 ? status : response_rows_write(curve->rows, RESPONSE_CHECK, &row, error);
    note(check);
done:
    return status < 0 ? status : MASING_OK;
}

static enum masing_status check_all(struct check *check, struct masing_error *error)
{
    struct response_curve *curve = check->curve;
    struct saved_points *saved = &curve->saved;
    size_t peak = 0;
    while (peak + 1 < saved->n && memcmp(saved->y + peak * saved->n_unknowns, curve->best.y,
                                         sizeof(double) * saved->n_unknowns) != 0) {
        peak++;
    }
    check->is_peak = true;
    NEED(check_point(check, peak, error));
    check->is_peak = false;
    saved_points_thin(saved, N_SAMPLE);
    for (size_t i = 0; i < saved->n; i++) {
        if (progress_is_cancelled(curve->settings.options->progress)) {
            return masing_error_set(error, MASING_STOPPED, "interrupted");
        }
        NEED(check_point(check, i, error));
    }
    return MASING_OK;
}

static enum masing_status warn(const struct check *check, struct masing_error *error)
{
    const struct response_curve *curve = check->curve;
    const struct masing_spec *spec = &curve->model->spec;
    const struct masing_harmonics_check *result = check->result;
    if (result->worst_error > check->tolerance) {
        NEED(warning_add(
            &curve->warnings, error,
            "harmonics up to %d with %d samples: %s_%s is wrong by about %.2g %% at "
            "%.6g Hz (tolerance %.2g %%); harmonics up to %d with %d samples were "
            "solved to see it%s",
            spec->harmonics[spec->n_harmonics - 1], spec->n_samples,
            spec->outputs[result->worst_output].name, response_rows_measure(spec),
            100.0 * result->worst_error, result->worst_hz, 100.0 * check->tolerance,
            result->harmonics, result->samples,
            result->n_unsettled > 0 ? ", and are not enough either" : ""));
    }
    if (result->n_unsolved > 0) {
        NEED(
            warning_add(&curve->warnings, error,
                        "%d of %d points that were checked have no solution close by with more "
                        "harmonics: their error is not known",
                        result->n_unsolved, result->n_points));
    }
    return MASING_OK;
}

enum masing_status response_check_harmonics(struct response_curve *curve,
                                            struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_harmonics_check *result = &curve->summary->check;
    struct saved_sliders saved = {0};
    struct check check = {.curve = curve,
                          .result = result,
                          .tolerance = curve->settings.options->check_tolerance,
                          .n_outputs = (size_t)curve->model->spec.n_outputs};
    if (!(check.tolerance > 0.0) || curve->saved.n == 0) {
        return MASING_OK;
    }
    for (int j = 0; j < curve->balance->n_joints; j++) {
        if (curve->balance->joints[j]->is_carried) { /* where along the curve is not kept */
            return warning_add(
                &curve->warnings, error,
                "harmonics are not checked where sliders of contacts are carried "
                "along a curve (start: previous)");
        }
    }
    check.first = memory_array(4 * check.n_outputs, sizeof(double));
    result->errors = memory_array(check.n_outputs, sizeof(double));
    TRY_ALLOCATED(check.first && result->errors);
    TRY(saved_sliders_save(curve->balance, &saved, error));
    TRY(balance_solver_create(curve->balance, 1.0, &check.coarse, error));
    check.last = check.first + check.n_outputs;
    check.now = check.last + check.n_outputs;
    check.errors = check.now + check.n_outputs;
    result->n_outputs = curve->model->spec.n_outputs;
    result->tolerance = check.tolerance;
    result->peak_error = result->peak_hz = NAN;
    for (size_t o = 0; o < check.n_outputs; o++) {
        result->errors[o] = NAN;
    }
    TRY(check_all(&check, error));
    TRY(warn(&check, error));
done:
    saved_sliders_restore(&saved);
    point_solver_destroy(check.coarse);
    for (int i = 0; i < check.n_levels; i++) {
        refinement_destroy(check.levels[i]);
    }
    free(check.first);
    return status;
}
