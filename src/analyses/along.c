/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/pi.h"
#include "masing/along.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/branch_points.h"
#include "analyses/curve_stability.h"
#include "analyses/joint_events.h"
#include "analyses/moving_model.h"
#include "analyses/response_rows.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/processor_time.h"
#include "harmonic/balance_guess.h"
#include "harmonic/moving_balance.h"
#include "harmonic/recovery.h"

struct along {
    const struct masing_along_request *request;
    const struct masing_response_options *options;
    const struct masing_sink *rows;
    struct masing_along_summary *summary;
    struct masing_model *model;
    struct moving *moving;
    struct balance *balance;
    struct moving_balance *residual;
    struct recovery *recovery;
    struct response_rows *table;
    struct joint_events *events;
    struct curve_stability *stability;
    struct continuation_event *list;
    int n_events, previous_piece;
    struct continuation *continuation;
};

static enum masing_status evaluate(void *context, const double *y, double lambda,
                                   double *residual, double *jacobian, double *residual_lambda)
{
    struct along *along = context;
    return moving_balance_evaluate(along->residual, y, lambda, residual, jacobian,
                                   residual_lambda);
}

static void weigh(void *context, const double *y, double lambda, double *weight)
{
    struct along *along = context;
    (void)lambda;
    balance_weights(along->balance, y, weight);
}

static enum masing_status settle(void *context, const double *y, double lambda)
{
    enum masing_status status = MASING_OK;
    struct along *along = context;
    TRY(moving_balance_set(along->residual, lambda));
    TRY(balance_settle(along->balance, y, along->residual->omega, false));
done:
    return status;
}

static enum masing_status settle_at(void *context, const double *y, double lambda,
                                    double *omega)
{
    struct along *along = context;
    enum masing_status status = settle(along, y, lambda);
    *omega = along->residual->omega;
    return status;
}

static bool carry_sliders(void *context, double *y, double *lambda)
{
    struct along *along = context;
    if (settle(along, y, *lambda) == MASING_OK) {
        balance_carry_sliders(along->balance);
    }
    return false;
}

static void note(struct along *along, const struct continuation_point *point)
{
    struct masing_along_summary *summary = along->summary;
    const struct masing_spec *spec = &along->model->spec;
    const struct recovery_point *recovered = &along->recovery->point;
    double measure =
        recovery_measure(&recovered->measures[spec->peak_output], spec->peak_measure);
    if (!(measure <= summary->most)) {
        summary->most = measure;
        summary->most_at = point->lambda;
    }
    if (!(measure >= summary->least)) {
        summary->least = measure;
        summary->least_at = point->lambda;
    }
    if (masing_events_have(point->events.kinds, MASING_EVENT_FOLD)) {
        if (summary->n_folds < MASING_MAX_JUMPS) {
            summary->fold_at[summary->n_folds] = point->lambda;
        }
        summary->n_folds++;
    }
    double difference = fabs(recovered->energy_in - recovered->energy_lost);
    if (recovered->energy_scale > 0.0) {
        summary->energy_mismatch =
            fmax(summary->energy_mismatch, difference / recovered->energy_scale);
    }
    summary->residual = fmax(summary->residual, point->residual);
    summary->points++;
}

static void note_stability(struct along *along, const struct continuation_point *point,
                           struct point_stability *stability)
{
    bool begins = branch_points_begins(point, along->previous_piece);
    curve_stability_note(along->stability, point->lambda, point->events.kinds, stability,
                         begins);
    branch_points_note(&along->summary->branch_points, point, begins, 1.0);
    along->previous_piece = point->piece;
}

static enum masing_status observe(void *context, const struct continuation_point *point,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct along *along = context;
    const struct masing_progress *progress = along->options->progress;
    const struct masing_along_request *request = along->request;
    struct point_stability stability =
        curve_stability_at(along->stability, point->y, point->lambda);
    TRY(moving_balance_set(along->residual, point->lambda));
    TRY(recovery_evaluate(along->recovery, point->y, along->residual->omega));
    note(along, point);
    note_stability(along, point, &stability);
    if (along->rows) {
        const struct response_row row = {.parameter = point->lambda,
                                         .point = point->index,
                                         .branch = 1 + point->piece,
                                         .iterations = point->iterations,
                                         .hertz = request->frequency_hz,
                                         .events =
                                             event_row_of_point(along->events, &point->events),
                                         .slope_in = NAN,
                                         .slope_out = NAN,
                                         .stability = stability};
        response_rows_fill(along->table, along->recovery, &row);
        TRY(along->rows->row(along->rows->context, along->table->cells, error));
    }
    if (progress && progress->report) {
        progress->report(progress->context,
                         (point->lambda - request->from) / (request->to - request->from),
                         point->index + 1);
    }
    if (progress && progress->is_cancelled && progress->is_cancelled(progress->context)) {
        status = masing_error_set(error, MASING_STOPPED, "interrupted");
    }
done:
    return status;
}

static void log_line(void *context, const char *line)
{
    const struct along *along = context;
    const struct masing_progress *progress = along->options->progress;
    if (progress && progress->log) {
        progress->log(progress->context, line);
    }
}

static enum masing_status create_events(struct along *along, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct curve_stability_settings settings = {
        .balance = along->balance,
        .method = along->rows ? along->options->stability : MASING_STABILITY_NONE,
        .unit = 1.0,
        .settle = settle_at,
        .context = along};
    TRY(curve_stability_create(&settings, &along->summary->stability, &along->stability,
                               error));
    TRY(joint_events_create(along->model, along->balance->joints, &along->events, error));
    along->events->settle = settle;
    along->events->context = along;
    along->list =
        memory_array((size_t)(along->events->n + CURVE_STABILITY_EVENTS), sizeof *along->list);
    TRY_ALLOCATED(along->list);
    joint_events_fill(along->events, along->list, 0);
    along->n_events = along->events->n;
    along->n_events += curve_stability_events(along->stability, along->list + along->n_events);
done:
    return status;
}

static enum masing_status create(struct along *along, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_along_request *request = along->request;
    const struct balance_settings one_thread = {.n_threads = 1};
    const struct moving_model_request moving = {
        request->document,  request->overrides, request->n_overrides,
        request->parameter, request->from,      request->to,
        "--along"};
    TRY(moving_model_create(&moving, &along->model, &along->moving, error));
    TRY(branch_points_check(&along->model->spec, along->options->max_branches, error));
    const struct masing_spec *spec = &along->model->spec;
    TRY(balance_create(along->model, &one_thread, &along->balance, error));
    TRY(moving_balance_create(along->balance, along->moving, TWO_PI * request->frequency_hz,
                              &along->residual, error));
    TRY(recovery_create(along->balance, &along->recovery, error));
    TRY(response_rows_create(along->model, along->options->columns, request->parameter,
                             &along->table, error));
    TRY(create_events(along, error));
    const struct continuation_problem problem = {
        .context = along,
        .n = along->balance->n_unknowns,
        .evaluate = evaluate,
        .weights = weigh,
        .accepted = spec->start == MASING_START_PREVIOUS ? carry_sliders : NULL,
    };
    const struct continuation_settings settings = {
        .lambda_from = request->from,
        .lambda_to = request->to,
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
        .max_branches = along->options->max_branches,
        .n_events = along->n_events,
        .events = along->list,
    };
    TRY(continuation_create(&problem, &settings, &along->continuation, error));
done:
    return status;
}

static void destroy(struct along *along)
{
    continuation_destroy(along->continuation);
    curve_stability_destroy(along->stability);
    joint_events_destroy(along->events);
    free(along->list);
    response_rows_destroy(along->table);
    recovery_destroy(along->recovery);
    moving_balance_destroy(along->residual);
    balance_destroy(along->balance);
    moving_destroy(along->moving);
    masing_model_destroy(along->model);
}

static enum masing_status follow(struct along *along, struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    struct masing_along_summary *summary = along->summary;
    struct continuation_counts counts = {0};
    const struct continuation_observer observer = {along, observe, log_line};
    struct masing_error stop = {0};
    enum continuation_end end;
    double *guesses = NULL;
    int n_guesses = 0;
    curve_stability_log(along->stability, &observer);
    TRY(moving_balance_set(along->residual, along->request->from));
    TRY(balance_guess(along->balance, along->residual->omega, &guesses, &n_guesses, error));
    ended = continuation_follow(along->continuation, guesses, n_guesses, &observer, &end,
                                &counts, &stop);
    if (ended < 0) {
        status = masing_error_set(error, ended, "%s", stop.message);
        goto done;
    }
    summary->is_complete = ended == MASING_OK && end == CONTINUATION_REACHED;
    summary->n_branches = counts.branches;
    memcpy(summary->reason, stop.message, sizeof summary->reason);
    if (ended > 0) {
        status = masing_error_set(error, MASING_STOPPED, "%s", stop.message);
    }
done:
    free(guesses);
    return status;
}

static const char *start_name(const struct masing_spec *spec)
{
    static const char *const names[] = {"zero", "static", "previous"};
    return names[spec->start];
}

enum masing_status masing_along(const struct masing_along_request *request,
                                const struct masing_response_options *options,
                                const struct masing_sink *rows,
                                struct masing_along_summary *summary,
                                struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    struct along along = {
        .request = request, .options = options, .rows = rows, .summary = summary};
    bool is_open = false;
    double start = processor_time();
    *summary = (struct masing_along_summary){
        .least = NAN, .least_at = NAN, .most = NAN, .most_at = NAN};
    if (!(request->frequency_hz > 0.0) || !isfinite(request->frequency_hz) ||
        !isfinite(request->from) || !isfinite(request->to) || request->from == request->to) {
        TRY(masing_error_set(error, MASING_INVALID,
                             "--along %s=%g:%g at %g Hz: expected two different numbers and a "
                             "frequency > 0",
                             request->parameter, request->from, request->to,
                             request->frequency_hz));
    }
    TRY(create(&along, error));
    summary->start = start_name(&along.model->spec);
    if (rows) {
        TRY(rows->open(rows->context, along.table->columns, along.table->n_columns, error));
        is_open = true;
    }
    ended = follow(&along, error);
    if (ended < 0) {
        status = ended;
        goto done;
    }
    if (rows) {
        is_open = false;
        TRY(rows->finish(rows->context, error));
    }
    status = ended;
done:
    if (is_open) {
        rows->abandon(rows->context);
    }
    destroy(&along);
    summary->seconds = processor_time() - start;
    return status;
}
