/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/pi.h"
#include "masing/mode.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/mode_curve.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/processor_time.h"
#include "model/message.h"

static const double LAST_HARMONIC_LIMIT = 0.01;
static const double ENERGY_LIMIT = 1e-6;

void masing_mode_summary_clear(struct masing_mode_summary *summary)
{
    if (summary) {
        warnings_clear(&(struct warning_list){&summary->warnings, &summary->n_warnings});
        memset(summary, 0, sizeof *summary);
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

static void log_line(void *context, const char *line)
{
    struct mode_curve *curve = context;
    const struct masing_progress *progress = curve->options->progress;
    if (progress && progress->log) {
        progress->log(progress->context, line);
    }
}

/* Whether a complete curve has landed on all amplitudes that were asked for. */
static enum masing_status find_unmet(const struct mode_curve *curve, struct masing_error *error)
{
    for (int i = 0; i < curve->options->n_at; i++) {
        if (!curve->at_met[i]) {
            return masing_error_set(error, MASING_STOPPED,
                                    "the curve passes amplitude %.10g but could not be made to "
                                    "land there (more samples may help)",
                                    curve->options->at[i]);
        }
    }
    return MASING_OK;
}

static enum masing_status warn(struct mode_curve *curve, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_mode_summary *summary = curve->summary;
    const struct masing_spec *spec = &curve->model->spec;
    TRY(energy_limits_warn(curve->energy_limits, "of modal amplitude", &curve->warnings,
                           error));
    if (summary->last_harmonic > LAST_HARMONIC_LIMIT) {
        TRY(warning_add(&curve->warnings, error,
                        "harmonic %d, the last one, still has %.2g %% of the first one's "
                        "amplitude at %.4g: more harmonics may change the result",
                        spec->harmonics[spec->n_harmonics - 1], 100.0 * summary->last_harmonic,
                        curve->last_harmonic_at));
    }
    if (summary->energy_mismatch > ENERGY_LIMIT) {
        TRY(warning_add(&curve->warnings, error,
                        "what the artificial damping puts in and what is lost differ by up to "
                        "%.2g of it: a smaller solver.tolerance may be needed",
                        summary->energy_mismatch));
    }
done:
    return status;
}

/* The first guess is the linear mode with the joints stuck. */
static enum masing_status follow(struct mode_curve *curve, struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    struct masing_mode_summary *summary = curve->summary;
    struct continuation_counts counts = {0};
    struct continuation_observer observer = {curve, mode_curve_observe, log_line};
    struct masing_error stop = {0};
    enum continuation_end end;
    const struct modal_balance *balance = curve->balance;
    double *guess = memory_array((size_t)balance->n_unknowns, sizeof(double));
    TRY_ALLOCATED(guess);
    modal_balance_linear_mode(balance, curve->lambda_from, guess);
    summary->stuck_hz = balance->omega_stuck / TWO_PI;
    summary->stuck_damping = guess[balance->target_position + balance->n_modes];
    ended = continuation_follow(curve->continuation, guess, 1, &observer, &end, &counts, &stop);
    if (ended < 0) {
        status = masing_error_set(error, ended, "%s", stop.message);
        goto done;
    }
    summary->is_complete = ended == MASING_OK && end == CONTINUATION_REACHED;
    if (summary->is_complete && (ended = find_unmet(curve, &stop)) != MASING_OK) {
        summary->is_complete = false;
    }
    snprintf(summary->reason, sizeof summary->reason, "%s", stop.message);
    TRY(warn(curve, error));
    if (ended > 0) {
        status = masing_error_set(error, MASING_STOPPED, "%s", stop.message);
    }
done:
    free(guess);
    return status;
}

static void reset(struct masing_mode_summary *summary)
{
    const struct masing_mode_point none = {NAN, NAN, NAN};
    memset(summary, 0, sizeof *summary);
    summary->stuck_hz = summary->stuck_damping = NAN;
    summary->first = summary->last = summary->most_damped = summary->first_event = none;
}

enum masing_status mode_follow(const struct masing_model *model,
                               const struct masing_mode_options *options,
                               const struct masing_sink *rows, const struct mode_watch *watch,
                               struct masing_mode_summary *summary, struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    const struct masing_mode_options defaults = {0};
    struct mode_curve *curve = NULL;
    bool is_open = false;
    double began = processor_time();
    struct masing_error own = {0};
    error = error ? error : &own;
    options = options ? options : &defaults;
    reset(summary);
    TRY(check_request(&model->spec, options, error));
    TRY(model_need_outputs(&model->spec, error));
    TRY(mode_curve_create(model, options, rows, watch, summary, &curve, error));
    TRY(warnings_add_model(&curve->warnings, model, error));
    if (rows) {
        TRY(rows->open(rows->context, curve->columns, curve->n_columns, error));
        is_open = true;
    }
    ended = follow(curve, error);
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
    mode_curve_destroy(curve);
    summary->seconds = processor_time() - began;
    return status;
}

enum masing_status masing_mode(const struct masing_model *model,
                               const struct masing_mode_options *options,
                               const struct masing_sink *rows,
                               struct masing_mode_summary *summary, struct masing_error *error)
{
    return mode_follow(model, options, rows, NULL, summary, error);
}
