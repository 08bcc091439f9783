/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/pi.h"
#include "masing/along.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/driver.h"
#include "analyses/curve/moving_model.h"
#include "analyses/response/curve.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/processor_time.h"
#include "harmonic/balance/moving_balance.h"
#include "harmonic/recovery/recovery.h"
#include "linalg/one_thread.h"
#include "model/message.h"

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
    struct curve_driver *driver;
    struct dof_motion dofs;
    char at_name[MASING_COLUMN_NAME + 4]; /* "parameter = " */
};

static enum masing_status evaluate(void *context, const double *y, double lambda,
                                   double *residual, double *jacobian, double *residual_lambda)
{
    struct along *along = context;
    return moving_balance_evaluate(along->residual, y, lambda, residual, jacobian,
                                   residual_lambda);
}

static enum masing_status linearize(void *context, const double *y, double lambda,
                                    double *residual, double *residual_lambda)
{
    struct along *along = context;
    return moving_balance_linearize(along->residual, y, lambda, residual, residual_lambda);
}

static enum masing_status apply(void *context, const double *x, double *product)
{
    const struct along *along = context;
    return balance_apply(along->balance, x, product);
}

static enum masing_status precondition(void *context, double *x)
{
    const struct along *along = context;
    return balance_precondition(along->balance, x);
}

static long linearisation(void *context)
{
    const struct along *along = context;
    return balance_linearisations(along->balance);
}

static enum masing_status renew(void *context, bool is_first)
{
    const struct along *along = context;
    return balance_renew(along->balance, is_first);
}

static double renewal_cost(void *context)
{
    const struct along *along = context;
    return balance_renewal_cost(along->balance);
}

static enum masing_status apply_near(void *context, const double *x, double *product)
{
    const struct along *along = context;
    return balance_apply_near(along->balance, x, product);
}

static const struct continuation_operator products = {
    linearize, apply, precondition, linearisation, renew, renewal_cost, apply_near};

static void weigh(void *context, const double *y, double lambda, double *weight)
{
    const struct along *along = context;
    (void)lambda;
    balance_weights(along->balance, y, weight);
}

static void smooth(void *context, double level)
{
    const struct along *along = context;
    balance_smooth(along->balance, level);
}

static enum masing_status settle(void *context, const double *y, double lambda, double *omega)
{
    struct along *along = context;
    *omega = along->residual->omega;
    NEED(moving_balance_set(along->residual, lambda));
    return balance_settle(along->balance, y, *omega, false);
}

static void note(struct along *along, const struct continuation_point *point)
{
    struct masing_along_summary *summary = along->summary;
    double measure = recovery_peak_measure(along->recovery);
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
    summary->energy_mismatch =
        fmax(summary->energy_mismatch, recovery_energy_mismatch(&along->recovery->point));
}

static enum masing_status take(void *context, const struct curve_driver_point *taken,
                               struct masing_error *error)
{
    struct along *along = context;
    const struct continuation_point *point = &taken->solution;
    NEED(moving_balance_set(along->residual, point->lambda));
    NEED(recovery_evaluate(along->recovery, point->y, along->residual->omega));
    note(along, point);
    along->table->value = taken->value;
    struct response_row row =
        response_row_of(taken, along->recovery, along->request->frequency_hz);
    if (response_rows_want_dofs(along->table)) {
        NEED(dof_motion_evaluate(along->balance, point->y, along->residual->omega, &along->dofs,
                                 error));
        row.dofs = along->dofs.coefficients;
    }
    NEED(response_rows_write(along->table, RESPONSE_POINTS, &row, error));
    if (taken->is_requested) {
        NEED(joint_rows_contacts(along->table, along->balance, along->residual->omega,
                                 along->request->frequency_hz, MASING_EVENT_AT, error));
    }
    return MASING_OK;
}

static enum masing_status create_driver(struct along *along, struct masing_error *error)
{
    const struct masing_along_request *request = along->request;
    const struct masing_response_options *options = along->options;
    bool has_matrices = along->balance->compliance->has_matrices;
    snprintf(along->at_name, sizeof along->at_name, "%s = ", request->parameter);
    const struct curve_driver_settings settings = {
        .model = along->model,
        .residual = {.problem = {.context = along,
                                 .n = along->balance->n_unknowns,
                                 .operator= has_matrices ? NULL : & products,
                                 .has_near = balance_has_near(along->balance),
                                 .krylov_tolerance = along->model->spec.solver.krylov_tolerance,
                                 .evaluate = evaluate,
                                 .weights = weigh,
                                 .smooth = smooth},
                     .settle = settle,
                     .joints = along->balance->joints,
                     .balance = along->balance},
        .from = request->from,
        .to = request->to,
        .value_from = request->from,
        .value_to = request->to,
        .n_at = request->n_at,
        .at = request->at,
        .at_name = {along->at_name, ""},
        .max_branches = options->max_branches,
        .stability = along->rows ? options->stability : MASING_STABILITY_NONE,
        .take = take,
        .progress = options->progress,
        .stability_summary = &along->summary->stability,
    };
    return curve_driver_create(&settings, &along->driver, error);
}

/* A range whose beginning is refused is followed from its other end, as far as that leads. */
static enum masing_status create_model(struct along *along, struct masing_along_request *asked,
                                       struct masing_error *error)
{
    struct masing_error refusal = {0}, other = {0};
    struct moving_model_request moving = {
        asked->document, asked->overrides, asked->n_overrides, asked->parameter,
        asked->from,     asked->to,        "--along"};
    enum masing_status status =
        moving_model_create(&moving, &along->model, &along->moving, &refusal);
    if (status == MASING_STOPPED) {
        moving.from = asked->to;
        moving.to = asked->from;
        status = moving_model_create(&moving, &along->model, &along->moving, &other);
        if (status != MASING_STOPPED) {
            asked->from = moving.from;
            asked->to = moving.to;
            refusal = other;
        }
    }
    return status == MASING_OK
               ? status
               : masing_error_set(error, status == MASING_STOPPED ? MASING_INVALID : status,
                                  "%s", refusal.message);
}

static enum masing_status create(struct along *along, struct masing_error *error)
{
    const struct masing_along_request *request = along->request;
    const struct masing_sink *const sinks[RESPONSE_N_TABLES] = {
        [RESPONSE_POINTS] = along->rows, [RESPONSE_CONTACTS] = along->options->contacts};
    NEED(model_need_loads(&along->model->spec, error));
    NEED(model_need_outputs(&along->model->spec, error));
    NEED(solver_balance_create(along->model, 1, along->options->max_branches > 0,
                               along->options->progress, &along->balance, error));
    NEED(moving_balance_create(along->balance, along->moving, TWO_PI * request->frequency_hz,
                               &along->residual, error));
    NEED(recovery_create(along->balance, &along->recovery, error));
    NEED(create_driver(along, error));
    return response_rows_create(along->model, along->options->columns, request->parameter, NULL,
                                sinks, &along->table, error);
}

static enum masing_status note_missing(struct along *along, struct masing_error *error)
{
    char **texts = NULL;
    int n = 0;
    const struct warning_list list = {&texts, &n, NULL};
    enum masing_status status = curve_driver_warn_missing(along->driver, &list, error);
    if (status == MASING_OK && n > 0) {
        snprintf(along->summary->missing, sizeof along->summary->missing, "%s", texts[0]);
    }
    warnings_clear(&list);
    return status;
}

static enum masing_status follow(struct along *along, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_along_summary *summary = along->summary;
    const struct curve_driver_result *result = &along->driver->result;
    double *guesses = NULL;
    int n_guesses = 0;
    TRY(moving_balance_set(along->residual, along->request->from));
    TRY(balance_guess(along->balance, along->residual->omega, &guesses, &n_guesses, error));
    status = curve_driver_follow(along->driver, guesses, n_guesses, error);
    summary->points = result->points;
    summary->residual = result->residual;
    summary->branch_points = result->branch_points;
    summary->krylov_solves = result->counts.krylov_solves;
    summary->krylov_iterations = result->counts.krylov_iterations;
    summary->n_branches = result->counts.branches;
    summary->is_complete = result->is_complete;
    memcpy(summary->reason, result->reason, sizeof summary->reason);
    memcpy(summary->strategies, result->counts.strategies, sizeof summary->strategies);
    TRY(status);
    TRY(note_missing(along, error));
done:
    free(guesses);
    return status;
}

static enum masing_status check_request(const struct masing_along_request *request,
                                        struct masing_error *error)
{
    double low = fmin(request->from, request->to), high = fmax(request->from, request->to);
    if (!(request->frequency_hz > 0.0) || !isfinite(request->frequency_hz) ||
        !isfinite(request->from) || !isfinite(request->to) || request->from == request->to) {
        return masing_error_set(error, MASING_INVALID,
                                "--along %s=%g:%g at %g Hz: expected two different numbers and "
                                "a frequency > 0",
                                request->parameter, request->from, request->to,
                                request->frequency_hz);
    }
    for (int i = 0; i < request->n_at; i++) {
        if (!(request->at[i] >= low && request->at[i] <= high)) {
            return masing_error_set(error, MASING_INVALID,
                                    "--at: %s = %.10g lies outside of the range, %.10g to "
                                    "%.10g",
                                    request->parameter, request->at[i], low, high);
        }
    }
    return MASING_OK;
}

enum masing_status masing_along(const struct masing_along_request *request,
                                const struct masing_response_options *options,
                                const struct masing_sink *rows,
                                struct masing_along_summary *summary,
                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_along_request asked;
    struct masing_response_options chosen;
    struct masing_along_summary found = {
        .least = NAN, .least_at = NAN, .most = NAN, .most_at = NAN};
    struct along along = {
        .request = &asked, .options = &chosen, .rows = rows, .summary = &found};
    double start = processor_time();
    error = entry_begin(error, &own);
    limit_blas_to_one_thread();
    TRY(entry_need(request, "request", error));
    TRY(entry_read(request, "request", &asked, sizeof asked, error));
    TRY(entry_need(asked.document, "request.document", error));
    TRY(entry_need(asked.parameter, "request.parameter", error));
    TRY(entry_need_array(asked.n_overrides, asked.overrides, "request.overrides", error));
    TRY(response_options_read(options, &chosen, error));
    TRY(entry_check(summary, "summary", error));
    TRY(check_request(&asked, error));
    TRY(create_model(&along, &asked, error));
    TRY(create(&along, error));
    found.start = response_start_name(&along.model->spec);
    TRY(follow(&along, error));
    TRY(response_rows_end(along.table, MASING_OK, error));
    status = curve_driver_ended(along.driver, error);
done:
    curve_driver_destroy(along.driver);
    response_rows_destroy(along.table);
    recovery_destroy(along.recovery);
    dof_motion_clear(&along.dofs);
    moving_balance_destroy(along.residual);
    balance_destroy(along.balance);
    moving_destroy(along.moving);
    masing_model_destroy(along.model);
    found.seconds = processor_time() - start;
    release_blas();
    entry_write(summary, &found, sizeof found);
    return status;
}
