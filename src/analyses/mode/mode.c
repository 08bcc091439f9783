/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/pi.h"
#include "masing/mode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/mode/curve.h"
#include "analyses/curve/open_sink.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/processor_time.h"
#include "linalg/one_thread.h"
#include "model/message.h"

static const double LAST_HARMONIC_LIMIT = 0.01;
static const double ENERGY_LIMIT = 1e-6;

void masing_mode_summary_clear(struct masing_mode_summary *summary)
{
    if (summary) {
        warnings_clear(&(struct warning_list){&summary->warnings, &summary->n_warnings});
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

static void note_result(const struct curve_driver_result *result,
                        struct masing_mode_summary *summary)
{
    summary->points = result->points;
    summary->residual = result->residual;
    summary->branch_points = result->branch_points;
    summary->n_branches = result->counts.branches;
    summary->is_complete = result->is_complete;
    memcpy(summary->reason, result->reason, sizeof summary->reason);
    memcpy(summary->strategies, result->counts.strategies, sizeof summary->strategies);
}

/* The first guess is the linear mode with the joints stuck. */
static enum masing_status follow(struct mode_curve *curve, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_mode_summary *summary = curve->summary;
    const struct modal_balance *balance = curve->balance;
    double *guess = memory_array((size_t)balance->n_unknowns, sizeof(double));
    TRY_ALLOCATED(guess);
    modal_balance_linear_mode(balance, curve->driver->settings.from, guess);
    summary->stuck_hz = balance->omega_stuck / TWO_PI;
    summary->stuck_damping = guess[balance->target_position + balance->n_modes];
    status = curve_driver_follow(curve->driver, guess, 1, error);
    note_result(&curve->driver->result, summary);
    TRY(status);
    TRY(warn(curve, error));
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
    enum masing_status status = MASING_OK;
    struct mode_curve *curve = NULL;
    struct open_sink table = {.sink = rows};
    double began = processor_time();
    reset(summary);
    TRY(check_request(&model->spec, options, error));
    TRY(model_need_outputs(&model->spec, error));
    TRY(mode_curve_create(model, options, rows, watch, summary, &curve, error));
    TRY(warnings_add_model(&curve->warnings, model, error));
    TRY(open_sink_begin(&table, curve->table.columns, curve->table.n_columns, error));
    TRY(follow(curve, error));
    TRY(open_sink_finish(&table, error));
    status = curve_driver_ended(curve->driver, error);
done:
    open_sink_abandon(&table);
    mode_curve_destroy(curve);
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
    hold_blas_to_one_thread();
    TRY(entry_need(model, "model", error));
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
