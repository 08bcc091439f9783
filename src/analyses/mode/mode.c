/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/mode/mode.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/joint_columns.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/journal.h"
#include "base/memory.h"
#include "base/pi.h"
#include "base/processor_time.h"
#include "linalg/dense.h"
#include "linalg/one_thread.h"
#include "model/cyclic.h"
#include "model/joints.h"
#include "model/message.h"
#include "model/output.h"

/* Longest step in decades of the amplitude, so that a picture has points enough. */
static const double LONGEST_STEP = 0.1;

/* Below this damping ratio a mismatch of energies is measured against what it would lose. */
static const double LEAST_DAMPING = 1e-3;

static enum masing_status evaluate(void *context, const double *y, double lambda,
                                   double *residual, double *jacobian, double *residual_lambda)
{
    struct mode_curve *curve = context;
    return modal_balance_evaluate(curve->balance, y, lambda, residual, jacobian,
                                  residual_lambda);
}

static void weigh(void *context, const double *y, double lambda, double *weight)
{
    struct mode_curve *curve = context;
    modal_balance_weights(curve->balance, y, lambda, weight);
}

static void smooth(void *context, double level)
{
    struct mode_curve *curve = context;
    modal_balance_smooth(curve->balance, level);
}

static enum masing_status settle(void *context, const double *y, double lambda, double *omega)
{
    struct mode_curve *curve = context;
    enum masing_status status = modal_balance_settle(curve->balance, y, lambda);
    *omega = curve->balance->omega;
    return status;
}

static void carry_sliders(void *context)
{
    struct mode_curve *curve = context;
    modal_balance_carry_sliders(curve->balance);
}

/* ---- rows ---- */

/* Coordinates of one harmonic in all modes: cosines [n_modes], then sines. */
static const double *coordinates(const struct modal_balance *balance, int harmonic_index)
{
    return balance->p + balance->basis->position[harmonic_index] * balance->n_modes;
}

static void measure_outputs(struct mode_curve *curve)
{
    const struct masing_spec *spec = &curve->model->spec;
    const struct modal_balance *balance = curve->balance;
    int n = balance->n_modes;
    for (int i = 0; i < spec->n_outputs * spec->n_harmonics; i++) {
        int o = i / spec->n_harmonics, k = i % spec->n_harmonics, h = spec->harmonics[k];
        const double *pattern = curve->outputs + o * n, *p = coordinates(balance, k);
        double cosine = dense_dot(n, pattern, p);
        double sine = h > 0 ? dense_dot(n, pattern, p + n) : 0.0;
        int order = output_order(&spec->outputs[o]); /* each derivative leads by a quarter */
        curve->phases[i] = atan2(-sine, cosine) + order * TWO_PI / 4.0;
        curve->amplitudes[i] = output_scale(curve->model, o) *
                               (hypot(cosine, sine) * pow(h * balance->omega, order));
        if (curve->coefficients.spec) {
            double *c = curve->coefficients.values + 2 * (size_t)i;
            c[0] = curve->amplitudes[i] * cos(curve->phases[i]);
            c[1] = h > 0 ? curve->amplitudes[i] * sin(curve->phases[i]) : 0.0;
        }
    }
}

/* What a walk reads; at and taken are NULL while columns are declared. */
struct walk {
    const struct mode_curve *curve;
    const struct masing_mode_point *at;
    const struct curve_driver_point *taken;
};

static void walk_all(struct row_table *table, const void *context)
{
    const struct walk *walk = context;
    const struct mode_curve *curve = walk->curve;
    const struct masing_spec *spec = &curve->model->spec;
    ROW_INTEGER(table, walk->taken->solution.index, "point");
    if (curve->options->max_branches > 0) {
        ROW_INTEGER(table, 1 + walk->taken->solution.piece, "branch");
    }
    ROW_REAL(table, walk->at->amplitude, "amplitude");
    ROW_REAL(table, walk->at->frequency_hz, "frequency_hz");
    ROW_REAL(table, walk->at->damping_ratio, "damping_ratio");
    for (int o = 0; o < spec->n_outputs; o++) {
        for (int k = 0; k < spec->n_harmonics; k++) {
            if (spec->harmonics[k] > 0) {
                ROW_REAL(table, curve->amplitudes[o * spec->n_harmonics + k], "%s_h%d",
                         spec->outputs[o].name, spec->harmonics[k]);
            }
        }
    }
    bool has_energies = curve->options->columns & MASING_COLUMNS_ENERGY;
    if (has_energies) {
        ROW_REAL(table, curve->energy_in, "energy_in");
        ROW_REAL(table, curve->structure_loss, "loss_structure");
    }
    for (int g = 0; has_energies && g < spec->n_groups; g++) {
        const struct masing_joint_group *group = &spec->groups[g];
        double loss = 0.0;
        for (int j = 0; j < group->n_joints; j++) {
            loss += curve->losses[group->first + j];
        }
        ROW_REAL(table, loss, "loss_%s", group->name);
    }
    if (curve->options->columns & MASING_COLUMNS_JOINTS) {
        joint_columns(table, curve->model, walk->at ? curve->balance->joints : NULL);
    }
    ROW_CELL(table, MASING_COLUMN_TEXT, event_row_cell(&walk->taken->events), "event");
    bool has_phases = curve->options->columns & MASING_COLUMNS_HARMONICS;
    for (int i = 0; has_phases && i < spec->n_outputs * spec->n_harmonics; i++) {
        int k = i % spec->n_harmonics;
        if (spec->harmonics[k] > 0) {
            ROW_REAL(table, row_phase(curve->amplitudes[i], curve->phases[i]),
                     "%s_h%d_phase_deg", spec->outputs[i / spec->n_harmonics].name,
                     spec->harmonics[k]);
        }
    }
    coefficient_columns_walk(table, &curve->coefficients, curve->coefficients.values);
}

/* ---- points of the curve ---- */

static void note_energy(struct mode_curve *curve, double amplitude)
{
    const struct modal_balance *balance = curve->balance;
    double lost = curve->structure_loss = modal_balance_structure_loss(balance);
    modal_balance_joint_losses(balance, curve->losses);
    for (int j = 0; j < balance->n_joints; j++) {
        lost += curve->losses[j];
    }
    double unit = modal_balance_energy_scale(balance);
    curve->energy_in = balance->zeta * unit;
    double scale = fmax(fmax(fabs(curve->energy_in), fabs(lost)), LEAST_DAMPING * unit);
    double mismatch = scale > 0.0 ? fabs(curve->energy_in - lost) / scale : 0.0;
    curve->summary->energy_mismatch = fmax(curve->summary->energy_mismatch, mismatch);
    for (int i = 0; i < curve->energy_limits->n; i++) {
        struct energy_limit *limit = &curve->energy_limits->entries[i];
        struct joint_response *response = balance->joints[limit->joint];
        double size =
            joint_response_reach(response, balance->origin + response->joint->first_axis);
        energy_limit_note(limit, amplitude, size, curve->losses[limit->joint], scale);
        energy_limit_note_range(limit, amplitude, response->range[0].minimum,
                                response->range[0].maximum);
    }
}

static void note_harmonics(struct mode_curve *curve, double amplitude)
{
    const struct masing_spec *spec = &curve->model->spec;
    int last = spec->n_harmonics - 1, first = spec->harmonics[0] == 0;
    int n = 2 * curve->balance->n_modes;
    const double *p = coordinates(curve->balance, first),
                 *q = coordinates(curve->balance, last);
    double share = sqrt(dense_dot(n, q, q)) / sqrt(dense_dot(n, p, p));
    if (spec->harmonics[last] > 1 && share > curve->summary->last_harmonic) {
        curve->summary->last_harmonic = share;
        curve->last_harmonic_at = amplitude;
    }
}

static void note_point(struct mode_curve *curve, const struct masing_mode_point *at,
                       const struct curve_driver_point *taken)
{
    struct masing_mode_summary *summary = curve->summary;
    if (taken->solution.index == 0) {
        summary->first = summary->most_damped = *at;
    }
    summary->last = *at;
    if (at->damping_ratio > summary->most_damped.damping_ratio) {
        summary->most_damped = *at;
    }
    if (masing_events_have(taken->events.kinds, MASING_EVENT_FOLD)) {
        summary->n_folds++;
    }
    if (taken->events.joint >= 0 && !summary->event[0]) {
        summary->first_event = *at;
        snprintf(summary->event, sizeof summary->event, "%s", taken->events.text);
    }
}

static enum masing_status take(void *context, const struct curve_driver_point *taken,
                               struct masing_error *error)
{
    struct mode_curve *curve = context;
    const struct continuation_point *point = &taken->solution;
    NEED(modal_balance_settle(curve->balance, point->y, point->lambda));
    const struct masing_mode_point at = {
        .amplitude = taken->value,
        .frequency_hz = curve->balance->omega / TWO_PI,
        .damping_ratio = curve->balance->zeta,
    };
    measure_outputs(curve);
    note_energy(curve, at.amplitude);
    note_harmonics(curve, at.amplitude);
    note_point(curve, &at, taken);
    NEED(row_sink_write(&curve->table, &(struct walk){curve, &at, taken}, error));
    if (taken->is_requested && curve->options->fields) {
        NEED(mode_field_write(curve, &at, error));
    }
    if (curve->observer) {
        NEED(curve->observer->point(curve->observer->context, curve, &at,
                                    taken->events.joint >= 0, error));
    }
    return MASING_OK;
}

static double amplitude_of(double lambda)
{
    return pow(10.0, lambda);
}

/* 10^log10(a) need not give a back: amplitudes of options.at are exact. */
static enum masing_status create_driver(struct mode_curve *curve, struct masing_error *error)
{
    const struct masing_mode_settings *mode = &curve->model->spec.mode;
    const struct masing_mode_options *options = curve->options;
    const struct curve_driver_settings settings = {
        .model = curve->model,
        .residual = {.problem = {.context = curve,
                                 .n = curve->balance->n_unknowns,
                                 .evaluate = evaluate,
                                 .weights = weigh,
                                 .smooth = smooth},
                     .settle = settle,
                     .carry_sliders = carry_sliders,
                     .joints = curve->balance->joints},
        .from = log10(mode->amplitude_from),
        .to = log10(mode->amplitude_to),
        .value_from = mode->amplitude_from,
        .value_to = mode->amplitude_to,
        .longest_step = curve->observer ? curve->observer->longest_step : LONGEST_STEP,
        .unit_name = " = log10(amplitude)",
        .n_at = options->n_at,
        .at = options->at,
        .at_name = {"amplitude ", ""},
        .lambda_of = log10,
        .value_of = amplitude_of,
        .max_branches = options->max_branches,
        .pause_every = curve->observer ? 0 : CURVE_PAUSE_EVERY,
        .take = take,
        .progress = curve->balance->progress,
    };
    return curve_driver_create(&settings, &curve->driver, error);
}

/* Beyond that the matrix takes gigabytes, and hours. */
enum { MOST_UNKNOWNS = 12000 };

static enum masing_status create_balance(struct mode_curve *curve, struct masing_error *error)
{
    const struct masing_progress *given = curve->options->progress;
    NEED(modal_balance_create(curve->model, curve->model->spec.mode.number, &curve->balance,
                              error));
    curve->balance->progress =
        curve->options->journal ? kept_log_begin(&curve->log, given) : given;
    return MASING_OK;
}

enum masing_status mode_curve_renew(struct mode_curve *curve, struct masing_error *error)
{
    curve_driver_destroy(curve->driver);
    modal_balance_destroy(curve->balance);
    curve->driver = NULL;
    curve->balance = NULL;
    NEED(create_balance(curve, error));
    return create_driver(curve, error);
}

/* All but what the caller lends. */
static enum masing_status create(struct mode_curve *curve, struct masing_error *error)
{
    const struct masing_spec *spec = &curve->model->spec;
    NEED(create_balance(curve, error));
    if (curve->balance->n_unknowns > MOST_UNKNOWNS) {
        return masing_error_set(
            error, MASING_UNSUPPORTED,
            "mode: %d unknowns are too many for its dense matrix (%d at "
            "most; solver.linear: krylov is for responses): fewer harmonics "
            "or contacts",
            curve->balance->n_unknowns, (int)MOST_UNKNOWNS);
    }
    NEED(energy_limits_create(curve->model, &curve->energy_limits, error));
    size_t n = (size_t)curve->balance->n_modes, n_dofs = (size_t)spec->structure.n_dofs;
    size_t n_outputs = (size_t)spec->n_outputs;
    curve->outputs = arena_doubles(&curve->arena, n_outputs * n);
    curve->amplitudes = arena_doubles(&curve->arena, n_outputs * (size_t)spec->n_harmonics);
    curve->phases = arena_doubles(&curve->arena, n_outputs * (size_t)spec->n_harmonics);
    curve->losses = arena_doubles(&curve->arena, (size_t)spec->n_joints);
    NEED_ALLOCATED(!curve->arena.has_failed);
    for (size_t i = 0; i < n_outputs * n; i++) {
        curve->outputs[i] = axis_value(&spec->outputs[i / n].combination,
                                       curve->balance->shapes + i % n * n_dofs);
    }
    return create_driver(curve, error);
}

/* ---- the analysis ---- */

void masing_mode_summary_clear(struct masing_mode_summary *summary)
{
    if (summary) {
        warnings_clear(&(struct warning_list){&summary->warnings, &summary->n_warnings, NULL});
        entry_zero(summary, sizeof *summary);
    }
}

static enum masing_status check_request(const struct masing_spec *spec,
                                        const struct masing_mode_options *options,
                                        struct masing_error *error)
{
    const struct masing_mode_settings *mode = &spec->mode;
    double from = mode->amplitude_from, to = mode->amplitude_to;
    if (mode->number == 0) {
        return model_refuse(spec, (struct masing_place){1, 1}, error,
                            "missing key 'mode', which tells what to follow, as in 'mode: "
                            "{number: 1, amplitude: [0.01, 100]}'");
    }
    if (!(from > 0.0 && to > from && isfinite(to))) {
        return model_refuse(spec, mode->place, error,
                            "mode.amplitude: from %g to %g, expected two numbers > 0, the "
                            "smaller one first",
                            from, to);
    }
    for (int i = 0; i < options->n_at; i++) {
        if (!(options->at[i] >= from && options->at[i] <= to)) {
            return masing_error_set(error, MASING_INVALID,
                                    "amplitude %.10g lies outside of the model's range, %.10g "
                                    "to %.10g",
                                    options->at[i], from, to);
        }
    }
    return MASING_OK;
}

static enum masing_status warn(struct mode_curve *curve, struct masing_error *error)
{
    const struct masing_mode_summary *summary = curve->summary;
    const struct masing_spec *spec = &curve->model->spec;
    NEED(curve_driver_warn_missing(curve->driver, &curve->warnings, error));
    NEED(energy_limits_warn(curve->energy_limits, "of modal amplitude", &curve->warnings,
                            error));
    if (summary->last_harmonic > LAST_HARMONIC_LIMIT) {
        NEED(warning_add(&curve->warnings, error,
                         "harmonic %d, the last one, still has %.2g %% of the first one's "
                         "amplitude at %.4g: more harmonics may change the result",
                         spec->harmonics[spec->n_harmonics - 1], 100.0 * summary->last_harmonic,
                         curve->last_harmonic_at));
    }
    if (summary->energy_mismatch > ENERGY_MISMATCH_LIMIT) {
        NEED(warning_add(&curve->warnings, error,
                         "what the artificial damping puts in and what is lost differ by up to "
                         "%.2g of it: a smaller solver.tolerance may be needed",
                         summary->energy_mismatch));
    }
    return MASING_OK;
}

/* Where springs or stops are displaced there are two linear modes to begin with. That about the
 * static state comes first where the first harmonic's residual of the other one is larger by
 * this factor; the motion goes far beyond the static displacements where it is not. */
static const double FAR_FROM_STATIC = 2.0;

static enum masing_status follow(struct mode_curve *curve, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_mode_summary *summary = curve->summary;
    struct modal_balance *balance = curve->balance;
    const struct masing_spec *spec = &curve->model->spec;
    size_t n = (size_t)balance->n_unknowns;
    int n_guesses = balance->is_pressed ? 2 : 1;
    const struct modal_harmonic *first = &balance->harmonics[spec->harmonics[0] == 0];
    double from = curve->driver->settings.from, sizes[2] = {0.0, 0.0};
    double *guesses = memory_array(3 * n, sizeof *guesses);
    TRY_ALLOCATED(guesses);
    double *residual = guesses + 2 * n;
    modal_balance_linear_mode(balance, from, false, guesses);
    summary->stuck_hz = balance->omega_stuck / TWO_PI;
    summary->stuck_damping = guesses[balance->omega_position + 1];
    for (int i = 0; n_guesses > 1 && i < 2; i++) {
        double *guess = guesses + (size_t)i * n;
        modal_balance_linear_mode(balance, from, i > 0, guess);
        bool is_finite =
            modal_balance_evaluate(balance, guess, from, residual, NULL, NULL) == MASING_OK;
        size_t n_rows = 2 * (size_t)first->n_rows;
        sizes[i] = is_finite ? dense_max_norm(n_rows, residual + first->first_row) : INFINITY;
    }
    if (sizes[1] < FAR_FROM_STATIC * sizes[0]) {
        modal_balance_linear_mode(balance, from, true, guesses);
        modal_balance_linear_mode(balance, from, false, guesses + n);
    }
    bool is_found;
    TRY(mode_checkpoint_restore(curve, &is_found, error));
    status = is_found ? curve_driver_go_on(curve->driver, error)
                      : curve_driver_follow(curve->driver, guesses, n_guesses, error);
    while (status == MASING_OK && curve->driver->is_paused) {
        TRY(mode_checkpoint_pause(curve, error));
        status = curve_driver_go_on(curve->driver, error);
    }
    const struct curve_driver_result *result = &curve->driver->result;
    summary->points = result->points;
    summary->residual = result->residual;
    summary->branch_points = result->branch_points;
    summary->n_branches = result->counts.branches;
    summary->is_complete = result->is_complete;
    memcpy(summary->reason, result->reason, sizeof summary->reason);
    memcpy(summary->strategies, result->counts.strategies, sizeof summary->strategies);
    TRY(status);
    TRY(warn(curve, error));
done:
    free(guesses);
    return status;
}

enum masing_status mode_follow(const struct masing_model *model,
                               const struct masing_mode_options *options,
                               const struct masing_sink *rows,
                               const struct mode_observer *observer,
                               struct masing_mode_summary *summary, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_mode_point none = {NAN, NAN, NAN};
    struct mode_curve curve = {.model = model,
                               .options = options,
                               .observer = observer,
                               .summary = summary,
                               .warnings = {&summary->warnings, &summary->n_warnings, NULL}};
    double began = processor_time();
    *summary = (struct masing_mode_summary){.stuck_hz = NAN, .stuck_damping = NAN};
    summary->first = summary->last = summary->most_damped = summary->first_event = none;
    TRY(check_request(&model->spec, options, error));
    TRY(create(&curve, error));
    TRY(coefficient_columns_create(&model->spec,
                                   options->columns & ~(unsigned)MASING_COLUMNS_DOFS,
                                   &curve.coefficients, error));
    if (rows && options->journal) {
        task_rows_through(&curve.rows, rows, true);
        rows = &curve.rows.sink;
    }
    TRY(row_sink_begin(&curve.table, rows, walk_all, &(struct walk){.curve = &curve}, error));
    TRY(warnings_add_model(&curve.warnings, model, error));
    TRY(follow(&curve, error));
    TRY(row_sink_end(&curve.table, MASING_OK, error));
    status = curve_driver_ended(curve.driver, error);
    if (options->journal && !progress_is_cancelled(options->progress)) {
        journal_drop_checkpoint(options->journal, 0);
    }
done:
    curve_driver_destroy(curve.driver);
    modal_balance_destroy(curve.balance);
    energy_limits_destroy(curve.energy_limits);
    row_sink_end(&curve.table, MASING_INTERNAL, NULL);
    coefficient_columns_clear(&curve.coefficients);
    task_rows_clear(&curve.rows);
    kept_log_clear(&curve.log);
    arena_clear(&curve.arena);
    summary->seconds = processor_time() - began;
    return status;
}

enum masing_status masing_mode(const struct masing_model *model,
                               const struct masing_mode_options *options,
                               const struct masing_sink *rows,
                               struct masing_mode_summary *summary, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_mode_options chosen;
    struct masing_mode_summary found = {0};
    error = entry_begin(error, &own);
    limit_blas_to_one_thread();
    TRY(entry_need(model, "model", error));
    TRY(cyclic_refuse(&model->spec, "a nonlinear mode is", error));
    TRY(speed_refuse(model, "a nonlinear mode is", error));
    TRY(entry_read(options, "options", &chosen, sizeof chosen, error));
    TRY(entry_need_array(chosen.n_at, chosen.at, "options.at", error));
    TRY(entry_check(summary, "summary", error));
    status = mode_follow(model, &chosen, rows, NULL, &found, error);
done:
    release_blas();
    if (!entry_write(summary, &found, sizeof found)) {
        masing_mode_summary_clear(&found);
    }
    return status;
}
