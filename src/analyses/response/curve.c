/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/response/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/response/harmonics_check.h"
#include "analyses/response/callbacks.h"
#include "analyses/response/start_range.h"
#include "base/check.h"
#include "base/hertz.h"
#include "base/memory.h"
#include "base/pi.h"
#include "base/processor_time.h"
#include "harmonic/balance/balance_guess.h"

static enum masing_status settle(void *context, const double *y, double lambda, double *omega)
{
    struct response_curve *curve = context;
    *omega = lambda;
    return balance_settle(curve->balance, y, lambda, false);
}

static void carry_sliders(void *context)
{
    struct response_curve *curve = context;
    balance_carry_sliders(curve->balance);
}

static double omega_of(double hz)
{
    return TWO_PI * hz;
}

static enum masing_status create_driver(struct response_curve *curve,
                                        struct masing_error *error)
{
    const struct masing_spec *spec = &curve->model->spec;
    const struct masing_response_options *options = curve->settings.options;
    const struct continuation_event peak = {.falling = MASING_EVENT_PEAK,
                                            .type = CONTINUATION_MARK,
                                            .context = curve,
                                            .value = response_peak_slope};
    const struct curve_driver_settings settings = {
        .model = curve->model,
        .residual = {.context = curve,
                     .n = curve->balance->n_unknowns,
                     .evaluate = response_evaluate,
                     .weights = response_weights,
                     .accepted = curve->levels ? response_take_fewer : NULL,
                     .smooth = response_smooth,
                     .settle = settle,
                     .carry_sliders = carry_sliders,
                     .joints = curve->balance->joints,
                     .balance = curve->balance},
        .from = spec->omega_from,
        .to = spec->omega_to,
        .value_from = hertz(spec->omega_from),
        .value_to = hertz(spec->omega_to),
        .unit = TWO_PI,
        .unit_name = " Hz",
        .n_at = options->n_at,
        .at = options->at_hz,
        .at_name = {"", " Hz"},
        .lambda_of = omega_of,
        .value_of = hertz,
        .max_branches = options->max_branches,
        .stability = curve->settings.rows ? options->stability : MASING_STABILITY_NONE,
        .n_events = 1,
        .events = &peak,
        .prepare = response_prepare,
        .take = response_take,
        .progress = options->progress,
        .stability_summary = &curve->summary->stability,
    };
    return curve_driver_create(&settings, &curve->driver, error);
}

static bool is_rippled(const struct balance *balance)
{
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        if (response->method != JOINT_PHASES && response->joint->law->n_events > 0) {
            return true;
        }
    }
    return false;
}

static enum masing_status create_beside(struct response_curve *curve,
                                        struct masing_error *error)
{
    const struct continuation_problem problem = {.context = curve,
                                                 .n = curve->balance->n_unknowns,
                                                 .evaluate = response_evaluate,
                                                 .weights = response_weights_last};
    return point_solver_create(&problem, curve->model->spec.solver.tolerance, &curve->beside,
                               error);
}

static enum masing_status create_levels(struct response_curve *curve,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &curve->model->spec;
    if (!(spec->harmonics_tolerance > 0.0)) {
        return MASING_OK;
    }
    if (spec->start == MASING_START_PREVIOUS) {
        TRY(masing_error_set(error, MASING_INVALID,
                             "harmonics: auto does not go with start: previous, where sliders "
                             "are carried along the curve; give a number of harmonics"));
    }
    TRY(harmonic_levels_create(curve->balance, curve->recovery, curve->settings.n_threads,
                               &curve->levels, error));
done:
    return status;
}

enum masing_status response_curve_create(const struct response_curve_settings *settings,
                                         struct masing_response_summary *summary,
                                         struct response_curve **curve,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_model *model = settings->model;
    struct response_curve *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    if (model->spec.n_outputs == 0) {
        TRY(masing_error_set(error, MASING_INVALID,
                             "outputs: none, expected at least one to look at"));
    }
    made->settings = *settings;
    made->model = model;
    made->summary = summary;
    made->warnings = (struct warning_list){&summary->warnings, &summary->n_warnings};
    made->best.measure = -1.0;
    made->previous_omega = model->spec.omega_from;
    const struct balance_settings balance_settings = {.n_threads = settings->n_threads};
    TRY(balance_create(model, &balance_settings, &made->balance, error));
    TRY(recovery_create(made->balance, &made->recovery, error));
    TRY(create_levels(made, error));
    TRY(response_rows_create(model, settings->options->columns, settings->parameter,
                             &made->rows, error));
    TRY(settings->contacts
            ? joint_elements_create(model, made->balance->basis, &made->elements, error)
            : MASING_OK);
    size_t n = (size_t)made->balance->n_unknowns;
    made->is_rippled = is_rippled(made->balance);
    made->weight = memory_array(n, sizeof(double));
    made->best.y = memory_array(n, sizeof(double));
    made->group_limit = memory_array((size_t)model->spec.n_groups, sizeof(double));
    made->peak_measures =
        memory_array((size_t)model->spec.n_outputs, sizeof *made->peak_measures);
    TRY_ALLOCATED(made->weight && made->best.y && made->group_limit && made->peak_measures);
    for (int g = 0; g < model->spec.n_groups; g++) {
        made->group_limit[g] = NAN;
    }
    TRY(energy_limits_create(model, &made->energy_limits, error));
    response_summary_reset(summary);
    TRY(made->is_rippled ? create_beside(made, error) : MASING_OK);
    TRY(create_driver(made, error));
    *curve = made;
    made = NULL;
done:
    response_curve_destroy(made);
    return status;
}

void response_curve_destroy(struct response_curve *curve)
{
    if (!curve) {
        return;
    }
    curve_driver_destroy(curve->driver);
    response_rows_destroy(curve->rows);
    joint_elements_destroy(curve->elements);
    harmonic_levels_destroy(curve->levels);
    recovery_destroy(curve->recovery);
    balance_destroy(curve->balance);
    kept_points_clear(&curve->kept);
    free(curve->best.y);
    free(curve->weight);
    point_solver_destroy(curve->beside);
    free(curve->group_limit);
    energy_limits_destroy(curve->energy_limits);
    free(curve->peak_measures);
    free(curve);
}

static void note_result(const struct curve_driver_result *result,
                        struct masing_response_summary *summary)
{
    summary->points = result->points;
    summary->residual = result->residual;
    summary->branch_points = result->branch_points;
    summary->is_complete = result->is_complete;
    summary->residuals = result->counts.residuals;
    summary->jacobians = result->counts.jacobians;
    summary->factorisations = result->counts.factorisations;
    summary->event_residuals = result->counts.event_residuals;
    summary->n_branches = result->counts.branches;
    memcpy(summary->reason, result->reason, sizeof summary->reason);
    memcpy(summary->strategies, result->counts.strategies, sizeof summary->strategies);
}

static enum masing_status run(struct response_curve *curve, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double *guesses = NULL;
    int n_guesses = 0;
    TRY(balance_guess(curve->balance, curve->model->spec.omega_from, &guesses, &n_guesses,
                      error));
    status = curve_driver_follow(curve->driver, guesses, n_guesses, error);
    note_result(&curve->driver->result, curve->summary);
    TRY(status);
    if (curve->levels && curve->best.measure >= 0.0) {
        harmonic_levels_adopt(curve->levels, curve->best.y);
    }
    TRY(response_summary_fill(curve, error));
    if (!*curve->summary->reason) {
        TRY(harmonics_check_run(curve, error));
        TRY(start_range_run(curve, error));
    }
    status = curve_driver_ended(curve->driver, error);
done:
    free(guesses);
    return status;
}

enum masing_status response_curve_follow(struct response_curve *curve,
                                         struct masing_error *error)
{
    double start = processor_time();
    struct masing_response_summary *summary = curve->summary;
    enum masing_status status = run(curve, error);
    summary->seconds = processor_time() - start;
    return status;
}
