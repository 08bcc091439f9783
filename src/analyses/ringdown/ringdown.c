/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/pi.h"
#include "masing/ringdown.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/ringdown/motion.h"
#include "analyses/ringdown/rows.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/processor_time.h"
#include "linalg/one_thread.h"
#include "linalg/one_thread.h"

/* All decays of one call. */
struct run {
    const struct masing_model *model;
    const struct masing_ringdown_options *options;
    struct ringdown_plan *plan;
    struct ringdown_motion *motion;
    struct decay_fit *fit;
    struct decay_segment *segments; /* [plan->n_segments - 2] */
    struct modal_curve **curves;    /* [plan->n_modes] */
    struct history *history;
    struct ringdown_rows rows;
    struct masing_ringdown_summary *summary;
};

static enum masing_status check_options(const struct masing_model *model,
                                        const struct masing_ringdown_options *options,
                                        struct masing_error *error)
{
    if (options->n_amplitudes > 0 && model->spec.ringdown.start == MASING_DECAY_INITIAL) {
        return masing_error_set(error, MASING_INVALID,
                                "amplitudes of an impulse are given, but the model's ringdown "
                                "begins with an initial state");
    }
    for (int i = 0; i < options->n_amplitudes; i++) {
        if (!isfinite(options->amplitudes[i])) {
            return masing_error_set(error, MASING_INVALID,
                                    "amplitude %g of the impulse: expected a finite number",
                                    options->amplitudes[i]);
        }
    }
    return MASING_OK;
}

static enum masing_status follow_models(struct run *run, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_ringdown_options *options = run->options;
    run->curves = memory_array((size_t)run->plan->n_modes, sizeof *run->curves);
    TRY_ALLOCATED(run->curves);
    for (int i = 0; i < options->n_modal_models; i++) {
        int number = options->modal_models[i].mode, at = 0;
        while (at < run->plan->n_modes && run->plan->numbers[at] != number) {
            at++;
        }
        if (at == run->plan->n_modes || run->curves[at]) {
            TRY(masing_error_set(
                error, MASING_INVALID, "a modal model of mode %d, which is %s", number,
                at == run->plan->n_modes ? "not among the modes looked at" : "given twice"));
        }
        TRY(modal_curve_create(options->modal_models[i].model, &run->curves[at], error));
    }
    run->rows.curves = run->curves;
    run->rows.has_curves = options->n_modal_models > 0;
done:
    return status;
}

static enum masing_status describe_modes(struct run *run, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct ringdown_plan *plan = run->plan;
    const struct stuck_modes *modes = plan->modes;
    TRY(ringdown_summary_reset(run->summary, plan->numbers, plan->n_modes, error));
    run->summary->step = plan->step;
    run->summary->segments = plan->n_segments;
    for (int i = 0; i < plan->n_modes; i++) {
        int index = modes->n_rigid + plan->numbers[i] - 1;
        struct masing_ringdown_mode *mode = &run->summary->modes[i];
        mode->stuck_hz = modes->omega[index] / TWO_PI;
        mode->free_hz = modes->free[index] / TWO_PI;
        mode->stuck_damping = stuck_modes_damping(modes, run->model, index);
    }
done:
    return status;
}

/* The part of a decay that was integrated becomes rows, where it is long enough. */
static enum masing_status analyse(struct run *run, double impulse, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct ringdown_plan *plan = run->plan;
    const struct ringdown_motion *motion = run->motion;
    int n = motion->n_done;
    double length = (double)(n - 1) * plan->step;
    run->summary->steps += motion->integrator->count;
    run->summary->duration = length;
    for (int i = 0; i < plan->n_modes; i++) {
        const double *samples = motion->velocity + (size_t)i * (size_t)motion->n_samples;
        struct decay_modes modes = ringdown_plan_modes(plan, i);
        double range[2];
        bool is_known = ringdown_plan_range(plan, i, range);
        if (length < ringdown_plan_shortest(plan, i)) {
            continue; /* stopped early */
        }
        if (!run->fit || run->fit->n_samples != n) {
            decay_fit_destroy(run->fit);
            run->fit = NULL;
            TRY(decay_fit_create(n, plan->step, plan->n_segments, &run->fit, error));
        }
        struct decay_choice choice;
        const struct decay_found found = {.n_segments = plan->n_segments,
                                          .segments = run->segments,
                                          .choice = &choice,
                                          .start = motion->start,
                                          .impulse = impulse,
                                          .range = is_known ? range : NULL};
        decay_fit_run(run->fit, samples, &modes, run->segments, &choice);
        TRY(ringdown_rows_put(&run->rows, i, &found, error));
    }
done:
    return status;
}

static enum masing_status run_all(struct run *run, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_ringdown_options *options = run->options;
    int n = options->n_amplitudes > 0 ? options->n_amplitudes : 1;
    for (int i = 0; i < n; i++) {
        double amplitude = options->n_amplitudes > 0 ? options->amplitudes[i]
                                                     : run->model->spec.ringdown.amplitude;
        run->motion->progress_from = (double)i / n;
        run->motion->progress_to = (double)(i + 1) / n;
        run->motion->history = i == 0 ? run->history : NULL;
        enum masing_status ended = ringdown_motion_run(run->motion, amplitude, error);
        if (ended != MASING_OK && ended != MASING_STOPPED) {
            return ended;
        }
        TRY(analyse(run, amplitude, error));
        TRY(ended);
    }
done:
    return status;
}

/* Of what the model asks for and a decay does not have. */
static enum masing_status warn_settings(const struct run *run, struct masing_error *error)
{
    const struct masing_integration_settings *settings = &run->model->spec.integration;
    enum masing_status status = MASING_OK;
    if (stepper_type(settings->method)->is_damped) {
        TRY(warning_add(&run->rows.warnings, error,
                        "integration.method: hht: decays are integrated without numerical "
                        "damping, which would be taken for the structure's"));
    }
    if (settings->modes == MASING_MODES_FEWER) {
        TRY(warning_add(&run->rows.warnings, error,
                        "integration.modes: fewer: decays are integrated with all modes"));
    }
done:
    return status;
}

static enum masing_status prepare(struct run *run, const struct masing_sink *sink,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_ringdown_options *options = run->options;
    TRY(check_options(run->model, options, error));
    TRY(ringdown_plan_create(run->model, &run->plan, error));
    TRY(describe_modes(run, error));
    TRY(follow_models(run, error));
    TRY(ringdown_motion_create(run->plan, &run->motion, error));
    run->motion->progress = options->progress;
    run->segments = memory_array((size_t)run->plan->n_segments, sizeof *run->segments);
    TRY_ALLOCATED(run->segments);
    TRY(warnings_add_model(&run->rows.warnings, run->model, error));
    TRY(warn_settings(run, error));
    run->rows.sink = sink;
    run->rows.quantity = MASING_VELOCITY;
    run->rows.has_impulse = options->n_amplitudes > 0;
    bool has_error = run->motion->integrator->stepper.type->has_step_error;
    run->rows.rule_step = options->keeps_period_error || !has_error ? 0.0 : run->plan->step;
    if (options->history) {
        TRY(history_create(run->model, options->history, &run->history, error));
    }
    TRY(ringdown_rows_open(&run->rows, error));
done:
    return status;
}

static void clear(struct run *run)
{
    for (int i = 0; run->curves && i < run->plan->n_modes; i++) {
        modal_curve_destroy(run->curves[i]);
    }
    free(run->curves);
    free(run->segments);
    history_destroy(run->history);
    decay_fit_destroy(run->fit);
    ringdown_motion_destroy(run->motion);
    ringdown_plan_destroy(run->plan);
}

static enum masing_status ring_down(const struct masing_model *model,
                                    const struct masing_ringdown_options *options,
                                    const struct masing_sink *rows,
                                    struct masing_ringdown_summary *summary,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double began = processor_time();
    struct run run = {
        .model = model,
        .options = options,
        .summary = summary,
        .rows = {.summary = summary, .warnings = {&summary->warnings, &summary->n_warnings}}};
    status = prepare(&run, rows, error);
    if (status == MASING_OK) {
        status = run_all(&run, error);
    }
    if (status == MASING_OK) {
        status = ringdown_rows_warn(&run.rows, error);
    }
    status = ringdown_rows_close(&run.rows, status, error);
    status = history_close(run.history, status, error);
    summary->is_complete = status == MASING_OK;
    if (status == MASING_STOPPED) {
        snprintf(summary->reason, sizeof summary->reason, "%s", error->message);
    }
    summary->seconds = processor_time() - began;
    clear(&run);
    return status;
}

enum masing_status masing_ringdown(const struct masing_model *model,
                                   const struct masing_ringdown_options *options,
                                   const struct masing_sink *rows,
                                   struct masing_ringdown_summary *summary,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_ringdown_options chosen;
    struct masing_ringdown_summary found = {0};
    error = entry_begin(error, &own);
    hold_blas_to_one_thread();
    TRY(entry_need(model, "model", error));
    TRY(entry_read(options, "options", &chosen, sizeof chosen, error));
    TRY(entry_need_array(chosen.n_amplitudes, chosen.amplitudes, "options.amplitudes", error));
    TRY(entry_need_array(chosen.n_modal_models, chosen.modal_models, "options.modal_models",
                         error));
    for (int i = 0; i < chosen.n_modal_models; i++) {
        TRY(entry_need(chosen.modal_models[i].model, "options.modal_models", error));
    }
    TRY(entry_check(summary, "summary", error));
    status = ring_down(model, &chosen, rows, &found, error);
done:
    release_blas();
    if (!entry_write(summary, &found, sizeof found)) {
        masing_ringdown_summary_clear(&found);
    }
    return status;
}
