/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frequency and damping from a measured decay. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/ringdown/plan.h"
#include "analyses/ringdown/record_filter.h"
#include "analyses/ringdown/rows.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pi.h"
#include "base/processor_time.h"
#include "linalg/one_thread.h"
#include "linalg/one_thread.h"

enum { FEWEST_SAMPLES = 64, DEFAULT_SEGMENTS = 20, FEWEST_IN_SEGMENT = 8 };

/* Where shapes do not separate modes but bands alone, others may be so much larger (mean
 * square) before a mode is lost. */
static const double MOST_OUTSIDE = 1e4;

struct run {
    const struct masing_record *record;
    const struct masing_record_options *options;
    bool has_shapes;
    int n_modes;           /* of which there are shapes; else of channels */
    double *omega, *other; /* [n_modes] rad/s */
    struct record_filter *filter;
    int first, n_samples; /* part that is used */
    int n_segments;
    int n_wanted;
    int *wanted;    /* [n_wanted] numbers */
    double *signal; /* [n_samples] */
    struct decay_fit *fit;
    struct decay_segment *segments;
    struct ringdown_rows rows;
    struct masing_ringdown_summary *summary;
};

static enum masing_status choose_part(struct run *run, struct masing_error *error)
{
    const struct masing_record *record = run->record;
    const struct masing_record_options *options = run->options;
    double end = record->start + (record->n_samples - 1) * record->step;
    double from = options->has_from ? fmax(options->from, record->start) : record->start;
    double to = options->has_to ? fmin(options->to, end) : end;
    int n = record->n_samples - 1;
    if (from < to) {
        run->first = (int)ceil((from - record->start) / record->step - 1e-6);
        n = (int)floor((to - record->start) / record->step + 1e-6);
    }
    run->n_samples = n - run->first + 1;
    if (!(from < to) || run->n_samples < FEWEST_SAMPLES) {
        return masing_error_set(error, MASING_INVALID,
                                "from %g s to %g s there are fewer than %d samples: the record "
                                "goes from %g s to %g s in steps of %g s",
                                from, to, FEWEST_SAMPLES, record->start, end, record->step);
    }
    return MASING_OK;
}

static enum masing_status choose_modes(struct run *run, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_record_options *options = run->options;
    run->n_wanted = options->n_modes > 0 ? options->n_modes : run->n_modes;
    run->wanted = memory_array((size_t)run->n_wanted, sizeof *run->wanted);
    TRY_ALLOCATED(run->wanted);
    for (int i = 0; i < run->n_wanted; i++) {
        int number = options->n_modes > 0 ? options->modes[i] : i + 1;
        if (number < 1 || number > run->n_modes) {
            TRY(masing_error_set(error, MASING_INVALID,
                                 "mode %d of the record: expected 1 to %d, of which there are "
                                 "shapes or channels",
                                 number, run->n_modes));
        }
        for (int j = 0; j < i; j++) {
            if (run->wanted[j] == number) {
                TRY(masing_error_set(error, MASING_INVALID, "mode %d stands twice", number));
            }
        }
        run->wanted[i] = number;
    }
done:
    return status;
}

/* Where no frequency is given, that of the largest motion in the mode's coordinate. */
static void find_frequencies(struct run *run, const struct masing_record_shapes *shapes)
{
    for (int k = 0; k < run->n_modes; k++) {
        double hz = shapes ? shapes->frequency_hz[k] : NAN;
        double other = shapes && shapes->other_hz ? shapes->other_hz[k] : hz;
        if (isnan(hz)) {
            record_filter_apply(run->filter, k, run->first, run->n_samples, run->signal);
            hz = other = decay_fit_peak(run->fit, run->signal) / TWO_PI;
        }
        run->omega[k] = TWO_PI * hz;
        run->other[k] = TWO_PI * other;
    }
}

/* Channels without shapes are no neighbours of each other: they may show the same mode. */
static struct decay_modes modes_of(const struct run *run, int mode)
{
    int first = run->has_shapes ? 0 : mode;
    return (struct decay_modes){.n = run->has_shapes ? run->n_modes : 1,
                                .omega = run->omega + first,
                                .other = run->other + first,
                                .index = mode - first};
}

static enum masing_status check_band(const struct run *run, int mode,
                                     const struct decay_band *band, struct masing_error *error)
{
    double h = run->record->step, length = (run->n_samples - 1) * h / run->n_segments;
    double periods = length * band->from / TWO_PI, samples = TWO_PI / (band->to * h);
    if (!(band->to > 0.0)) {
        return masing_error_set(error, MASING_INVALID, "mode %d does not move in the record",
                                mode + 1);
    }
    if (samples < 4.0) {
        return masing_error_set(error, MASING_INVALID,
                                "mode %d, %.6g Hz: %.3g samples in a period, expected at least "
                                "4",
                                mode + 1, band->to / TWO_PI, samples);
    }
    if (periods < DECAY_MIN_PERIODS) {
        return masing_error_set(error, MASING_INVALID,
                                "mode %d, %.6g Hz: each of %d segments has %.3g periods, "
                                "expected at least %d: a longer record or fewer segments",
                                mode + 1, band->from / TWO_PI, run->n_segments, periods,
                                DECAY_MIN_PERIODS);
    }
    return MASING_OK;
}

static enum masing_status analyse(struct run *run, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_progress *progress = run->options->progress;
    double start = run->record->start + run->first * run->record->step;
    for (int i = 0; i < run->n_wanted; i++) {
        int mode = run->wanted[i] - 1;
        struct decay_modes modes = modes_of(run, mode);
        if (progress && progress->is_cancelled && progress->is_cancelled(progress->context)) {
            TRY(masing_error_set(error, MASING_STOPPED, "interrupted"));
        }
        record_filter_apply(run->filter, mode, run->first, run->n_samples, run->signal);
        struct decay_choice choice;
        const struct decay_found found = {.n_segments = run->n_segments,
                                          .segments = run->segments,
                                          .choice = &choice,
                                          .start = start,
                                          .impulse = NAN};
        decay_fit_run(run->fit, run->signal, &modes, run->segments, &choice);
        int floor = decay_fit_floor(run->fit, run->segments);
        if (floor < run->n_segments - 2) {
            run->summary->modes[i].noise_from = start + (floor + 1) * (run->n_samples - 1) *
                                                            run->record->step / run->n_segments;
        }
        TRY(ringdown_rows_put(&run->rows, i, &found, error));
    }
done:
    return status;
}

static enum masing_status prepare(struct run *run, const struct masing_record_shapes *shapes,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    run->n_segments = run->options->segments > 0 ? run->options->segments : DEFAULT_SEGMENTS;
    if (run->n_segments < 3) {
        TRY(masing_error_set(
            error, MASING_INVALID,
            "%d segments: expected at least 3, of which the first and the last "
            "are dropped",
            run->n_segments));
    }
    TRY(choose_part(run, error));
    if (run->n_segments > run->n_samples / FEWEST_IN_SEGMENT) {
        TRY(masing_error_set(error, MASING_INVALID,
                             "%d segments of %d samples: expected at most %d, %d samples each",
                             run->n_segments, run->n_samples,
                             run->n_samples / FEWEST_IN_SEGMENT, FEWEST_IN_SEGMENT));
    }
    run->n_modes = shapes ? shapes->n_modes : run->record->n_channels;
    if (run->n_modes == 0) {
        TRY(masing_error_set(error, MASING_INVALID, "there is no mode to look for"));
    }
    TRY(choose_modes(run, error));
    TRY(record_filter_create(run->record, shapes, run->n_wanted, run->wanted, &run->filter,
                             error));
    TRY(record_filter_warn(run->filter, &run->rows.warnings, error));
    TRY(ringdown_summary_reset(run->summary, run->wanted, run->n_wanted, error));
    run->signal = memory_array((size_t)run->n_samples, sizeof *run->signal);
    run->segments = memory_array((size_t)run->n_segments, sizeof *run->segments);
    run->omega = memory_array((size_t)run->n_modes, sizeof *run->omega);
    run->other = memory_array((size_t)run->n_modes, sizeof *run->other);
    TRY_ALLOCATED(run->signal);
    TRY_ALLOCATED(run->omega);
    TRY_ALLOCATED(run->other);
    TRY_ALLOCATED(run->segments);
    TRY(decay_fit_create(run->n_samples, run->record->step, run->n_segments, &run->fit, error));
    if (shapes && run->n_modes > run->filter->n_channels) {
        run->fit->most_outside = MOST_OUTSIDE;
    }
    find_frequencies(run, shapes);
    for (int i = 0; i < run->n_wanted; i++) {
        struct decay_modes modes = modes_of(run, run->wanted[i] - 1);
        struct decay_band band = decay_band_of(&modes, -INFINITY);
        TRY(check_band(run, run->wanted[i] - 1, &band, error));
    }
    run->summary->step = run->record->step;
    run->summary->steps = run->n_samples;
    run->summary->segments = run->n_segments;
    run->summary->duration = (run->n_samples - 1) * run->record->step;
done:
    return status;
}

static void clear(struct run *run)
{
    decay_fit_destroy(run->fit);
    free(run->omega);
    free(run->other);
    record_filter_destroy(run->filter);
    free(run->wanted);
    free(run->signal);
    free(run->segments);
}

static enum masing_status
follow(const struct masing_record *record, const struct masing_record_shapes *shapes,
       const struct masing_record_options *options, const struct masing_sink *rows,
       struct masing_ringdown_summary *summary, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double began = processor_time();
    struct run run = {.record = record,
                      .options = options,
                      .summary = summary,
                      .rows = {.sink = rows,
                               .is_record = true,
                               .summary = summary,
                               .warnings = {&summary->warnings, &summary->n_warnings}}};
    run.rows.quantity = run.options->quantity;
    run.has_shapes = shapes != NULL;
    TRY(prepare(&run, shapes, error));
    status = ringdown_rows_open(&run.rows, error);
    status = status ? status : analyse(&run, error);
    status = status ? status : ringdown_rows_warn(&run.rows, error);
    status = ringdown_rows_close(&run.rows, status, error);
done:
    summary->is_complete = status == MASING_OK;
    if (status == MASING_STOPPED) {
        snprintf(summary->reason, sizeof summary->reason, "%s", error->message);
    }
    summary->seconds = processor_time() - began;
    clear(&run);
    return status;
}

enum masing_status masing_ringdown_record(const struct masing_record *record,
                                          const struct masing_record_shapes *shapes,
                                          const struct masing_record_options *options,
                                          const struct masing_sink *rows,
                                          struct masing_ringdown_summary *summary,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    static const struct masing_record_options defaults = {.quantity = MASING_VELOCITY};
    struct masing_record_options chosen;
    struct masing_ringdown_summary found = {0};
    error = entry_begin(error, &own);
    hold_blas_to_one_thread();
    TRY(entry_need(record, "record", error));
    TRY(entry_need_array(record->n_channels, record->names, "record.names", error));
    TRY(entry_need_array(record->n_samples, record->samples, "record.samples", error));
    TRY(entry_read(options ? options : &defaults, "options", &chosen, sizeof chosen, error));
    TRY(entry_need_array(chosen.n_modes, chosen.modes, "options.modes", error));
    TRY(entry_check(summary, "summary", error));
    status = follow(record, shapes, &chosen, rows, &found, error);
done:
    release_blas();
    if (!entry_write(summary, &found, sizeof found)) {
        masing_ringdown_summary_clear(&found);
    }
    return status;
}
