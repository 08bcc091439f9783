/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/response_curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/branch_points.h"
#include "analyses/harmonics_check.h"
#include "analyses/response_callbacks.h"
#include "analyses/start_range.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "base/processor_time.h"
#include "harmonic/balance_guess.h"

static enum masing_status settle(void *context, const double *y, double lambda)
{
    struct response_curve *curve = context;
    return balance_settle(curve->balance, y, lambda, false);
}

static enum masing_status settle_at(void *context, const double *y, double lambda,
                                    double *omega)
{
    *omega = lambda;
    return settle(context, y, lambda);
}

static enum masing_status create_stability(struct response_curve *curve,
                                           struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    enum masing_stability_method method = curve->settings.options->stability;
    const struct curve_stability_settings settings = {
        .balance = curve->balance,
        .method = curve->settings.rows ? method : MASING_STABILITY_NONE,
        .unit = TWO_PI,
        .settle = settle_at,
        .context = curve};
    TRY(curve_stability_create(&settings, &curve->summary->stability, &curve->stability,
                               error));
done:
    return status;
}

static enum masing_status create_events(struct response_curve *curve,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY(joint_events_create(curve->model, curve->balance->joints, &curve->joint_events, error));
    curve->joint_events->settle = settle;
    curve->joint_events->context = curve;
    int n_joint_events = curve->joint_events->n;
    curve->events = memory_array((size_t)(1 + n_joint_events + CURVE_STABILITY_EVENTS),
                                 sizeof *curve->events);
    TRY_ALLOCATED(curve->events);
    curve->events[0] = (struct continuation_event){.falling = MASING_EVENT_PEAK,
                                                   .type = CONTINUATION_MARK,
                                                   .context = curve,
                                                   .value = response_peak_slope};
    joint_events_fill(curve->joint_events, curve->events, 1);
    curve->n_events = 1 + n_joint_events;
    curve->n_events +=
        curve_stability_events(curve->stability, curve->events + curve->n_events);
done:
    return status;
}

static enum masing_status create_continuation(struct response_curve *curve,
                                              struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &curve->model->spec;
    const struct masing_response_options *options = curve->settings.options;
    curve->at = memory_array((size_t)options->n_at, sizeof(double));
    curve->at_met = memory_array((size_t)options->n_at, sizeof(bool));
    TRY_ALLOCATED(curve->at && curve->at_met);
    for (int i = 0; i < options->n_at; i++) {
        curve->at[i] = TWO_PI * options->at_hz[i];
    }
    struct continuation_problem problem = {
        .context = curve,
        .n = curve->balance->n_unknowns,
        .evaluate = response_evaluate,
        .weights = response_weights,
        .accepted = spec->start == MASING_START_PREVIOUS ? response_carry_sliders
                    : curve->levels                      ? response_take_fewer
                                                         : NULL,
        .smooth = balance_can_smooth(curve->balance) ? response_smooth : NULL,
        .restart = response_restart,
    };
    struct continuation_settings settings = {
        .lambda_from = spec->omega_from,
        .lambda_to = spec->omega_to,
        .tolerance = spec->solver.tolerance,
        .step_initial = spec->solver.step_initial,
        .step_min = spec->solver.step_min,
        .step_max = spec->solver.step_max,
        .predictor_tolerance = 0.02,
        .predictor = CONTINUATION_HERMITE,
        .max_points = spec->solver.max_points,
        .max_iterations = 20,
        .mark_folds = true,
        .mark_branches = true,
        .max_branches = options->max_branches,
        .n_values = options->n_at,
        .values = curve->at,
        .n_events = curve->n_events,
        .events = curve->events,
        .lambda_unit = TWO_PI,
        .lambda_unit_name = " Hz",
    };
    TRY(continuation_create(&problem, &settings, &curve->continuation, error));
done:
    return status;
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
    TRY(branch_points_check(&model->spec, settings->options->max_branches, error));
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
    made->trial = memory_array(n * (n + 3), sizeof(double));
    made->pivots = memory_array(n, sizeof(int));
    made->best.y = memory_array(n, sizeof(double));
    made->group_limit = memory_array((size_t)model->spec.n_groups, sizeof(double));
    made->peak_measures =
        memory_array((size_t)model->spec.n_outputs, sizeof *made->peak_measures);
    TRY_ALLOCATED(made->trial && made->pivots && made->best.y && made->group_limit &&
                  made->peak_measures);
    for (int g = 0; g < model->spec.n_groups; g++) {
        made->group_limit[g] = NAN;
    }
    TRY(energy_limits_create(model, &made->energy_limits, error));
    response_summary_reset(summary);
    TRY(create_stability(made, error));
    TRY(create_events(made, error));
    TRY(create_continuation(made, error));
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
    continuation_destroy(curve->continuation);
    curve_stability_destroy(curve->stability);
    joint_events_destroy(curve->joint_events);
    response_rows_destroy(curve->rows);
    joint_elements_destroy(curve->elements);
    harmonic_levels_destroy(curve->levels);
    recovery_destroy(curve->recovery);
    balance_destroy(curve->balance);
    free(curve->events);
    kept_points_clear(&curve->kept);
    free(curve->at);
    free(curve->at_met);
    free(curve->best.y);
    free(curve->trial);
    free(curve->pivots);
    free(curve->group_limit);
    energy_limits_destroy(curve->energy_limits);
    free(curve->peak_measures);
    free(curve);
}

/* Whether a complete curve has landed on all frequencies that were asked for in its range. */
static enum masing_status find_unmet(const struct response_curve *curve,
                                     struct masing_error *error)
{
    const struct masing_response_options *options = curve->settings.options;
    const struct masing_spec *spec = &curve->model->spec;
    double low = fmin(spec->omega_from, spec->omega_to);
    double high = fmax(spec->omega_from, spec->omega_to);
    for (int i = 0; i < options->n_at; i++) {
        if (!curve->at_met[i] && curve->at[i] >= low && curve->at[i] <= high) {
            return masing_error_set(error, MASING_STOPPED,
                                    "the curve passes %.10g Hz but could not be made to land "
                                    "there: the response is not smooth enough (more samples "
                                    "may help)",
                                    options->at_hz[i]);
        }
    }
    return MASING_OK;
}

static enum masing_status run(struct response_curve *curve, struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    struct masing_response_summary *summary = curve->summary;
    struct continuation_counts counts = {0};
    struct continuation_observer observer = {curve, response_observe, response_log};
    struct masing_error stop = {0};
    enum continuation_end end;
    double *guesses = NULL;
    int n_guesses = 0;
    curve_stability_log(curve->stability, &observer);
    TRY(balance_guess(curve->balance, curve->model->spec.omega_from, &guesses, &n_guesses,
                      error));
    ended = continuation_follow(curve->continuation, guesses, n_guesses, &observer, &end,
                                &counts, &stop);
    if (ended < 0) {
        status = masing_error_set(error, ended, "%s", stop.message);
        goto done;
    }
    summary->is_complete = ended == MASING_OK && end == CONTINUATION_REACHED;
    if (summary->is_complete && (ended = find_unmet(curve, &stop)) != MASING_OK) {
        summary->is_complete = false;
    }
    memcpy(summary->reason, stop.message, sizeof summary->reason);
    summary->residuals = counts.residuals;
    summary->jacobians = counts.jacobians;
    summary->factorisations = counts.factorisations;
    summary->event_residuals = counts.event_residuals;
    summary->n_branches = counts.branches;
    memcpy(summary->strategies, counts.strategies, sizeof summary->strategies);
    if (curve->levels && curve->best.measure >= 0.0) {
        harmonic_levels_adopt(curve->levels, curve->best.y);
    }
    TRY(response_summary_fill(curve, error));
    if (ended == MASING_OK) {
        TRY(harmonics_check_run(curve, error));
        TRY(start_range_run(curve, error));
    }
    if (ended > 0) {
        status = masing_error_set(error, MASING_STOPPED, "%s", stop.message);
    }
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
