/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/ringdown.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/cyclic.h"
#include "model/message.h"
#include "analyses/ringdown/rows.h"
#include "base/check.h"
#include "base/progress.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/one_thread.h"
#include "linalg/svd.h"
#include "model/joints.h"
#include "model/names.h"

enum { FEWEST_SAMPLES = 64, FEWEST_IN_SEGMENT = 8 };

/* Where shapes do not separate modes but bands alone, others may be so much larger (mean
 * square) before a mode is lost. */
static const double MOST_OUTSIDE = 1e4;

/* A call. */
struct run {
    const struct masing_record *record;        /* lent */
    const struct masing_record_shapes *shapes; /* lent; NULL: each channel is a mode */
    const struct masing_record_options *options;
    int n_modes;           /* of which there are shapes; else of channels */
    int n_channels;        /* that take part */
    int *channels;         /* [n_channels] of the record */
    double *weights;       /* [n_modes][n_channels]: coordinate = weights . channels */
    double *omega, *other; /* [n_modes] rad/s; one array with the signal */
    double *signal;        /* [n_samples] */
    int first, n_samples;  /* part that is used */
    int n_segments;
    int n_wanted;
    int *wanted; /* [n_wanted] numbers */
    struct decay_fit fit;
    struct ringdown_rows rows;
    struct masing_ringdown_summary *summary;
};

/* ---- modal coordinates from the channels of a measured record ---- */

/* Shapes that differ by less than this at the channels cannot be told apart. */
static const double MOST_CONDITION = 1e8;

static enum masing_status choose_channels(struct run *run, struct masing_error *error)
{
    const struct masing_record *record = run->record;
    const struct masing_record_shapes *shapes = run->shapes;
    run->n_channels = shapes ? shapes->n_channels : record->n_channels;
    size_t n = (size_t)run->n_modes, n_channels = (size_t)run->n_channels;
    run->channels = memory_array(n_channels, sizeof *run->channels);
    run->weights = memory_array(n * n_channels, sizeof *run->weights);
    NEED_ALLOCATED(run->channels && run->weights);
    for (int i = 0; i < run->n_channels; i++) {
        run->channels[i] = shapes ? names_search(record->names, record->n_channels,
                                                 sizeof *record->names, shapes->names[i])
                                  : i;
        if (run->channels[i] < 0) {
            return masing_error_set(
                error, MASING_INVALID,
                "the record has no channel '%.80s', of which there are shapes",
                shapes->names[i]);
        }
    }
    return MASING_OK;
}

/* Of channels that take no part. */
static enum masing_status warn_of_channels(const struct run *run, struct masing_error *error)
{
    const struct masing_record_shapes *shapes = run->shapes;
    char names[200] = "";
    int n_unused = 0;
    for (int i = 0; shapes && i < run->record->n_channels; i++) {
        const char *name = run->record->names[i];
        size_t length = strlen(names);
        if (names_search(shapes->names, shapes->n_channels, sizeof name, name) < 0) {
            snprintf(names + length, sizeof names - length, "%s%s", n_unused > 0 ? ", " : "",
                     name);
            n_unused++;
        }
    }
    return n_unused == 0
               ? MASING_OK
               : warning_add(&run->rows.warnings, error,
                             "%d of the record's channels take no part, as there are "
                             "no shapes of them (of a model: no output or DOF of that "
                             "name): %s",
                             n_unused, names);
}

/* Modes that are evaluated must move some channel; with enough channels all are found together.
 */
static enum masing_status check_shapes(const struct run *run, struct masing_error *error)
{
    bool are_all = run->n_modes <= run->n_channels;
    int n = are_all ? run->n_modes : run->n_wanted;
    for (int i = 0; i < n; i++) {
        int mode = are_all ? i : run->wanted[i] - 1;
        const double *shape = run->shapes->shapes + (size_t)mode * (size_t)run->n_channels;
        bool is_seen = false;
        for (int j = 0; j < run->n_channels; j++) {
            is_seen = is_seen || shape[j] != 0.0;
        }
        if (!is_seen) {
            return masing_error_set(error, MASING_INVALID,
                                    "mode %d does not move at any channel", mode + 1);
        }
    }
    return MASING_OK;
}

/* q = shape . u / shape . shape: there are too few channels to tell modes apart by their
 * shapes, which is left to their bands. */
static void project_shapes(struct run *run)
{
    int n = run->n_channels;
    for (int k = 0; k < run->n_modes; k++) {
        const double *shape = run->shapes->shapes + (size_t)k * (size_t)n;
        double square = 0.0;
        for (int i = 0; i < n; i++) {
            square += shape[i] * shape[i];
        }
        for (int i = 0; square > 0.0 && i < n; i++) {
            run->weights[k * n + i] = shape[i] / square;
        }
    }
}

/* weights = pseudo-inverse of the shapes [n_channels * n_modes] */
static enum masing_status invert_shapes(struct run *run, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct svd svd = {0};
    int n = run->n_modes, n_channels = run->n_channels;
    double *unit = memory_array((size_t)n_channels, sizeof *unit);
    double *column = memory_array((size_t)n, sizeof *column);
    TRY_ALLOCATED(unit && column);
    TRY(svd_create(n_channels, n, &svd, error));
    memcpy(svd.matrix, run->shapes->shapes,
           (size_t)n * (size_t)n_channels * sizeof *svd.matrix);
    status = svd_factor(n, &svd);
    if (status != MASING_OK || !(svd_condition(&svd) < MOST_CONDITION)) {
        TRY(masing_error_set(error, MASING_INVALID,
                             "the shapes of the %d modes cannot be told apart at the %d "
                             "channels",
                             n, n_channels));
    }
    for (int i = 0; i < n_channels; i++) {
        unit[i] = 1.0;
        svd_solve(&svd, unit, 0.0, 0.0, column);
        unit[i] = 0.0;
        for (int k = 0; k < n; k++) {
            run->weights[k * n_channels + i] = column[k];
        }
    }
done:
    svd_clear(&svd);
    free(unit);
    free(column);
    return status;
}

/* The coordinate of a mode (index) becomes the signal. */
static void take_mode(struct run *run, int mode)
{
    const struct masing_record *record = run->record;
    memset(run->signal, 0, (size_t)run->n_samples * sizeof *run->signal);
    for (int i = 0; i < run->n_channels; i++) {
        double weight = run->weights[mode * run->n_channels + i];
        const double *samples = record->samples +
                                (size_t)run->channels[i] * (size_t)record->n_samples +
                                (size_t)run->first;
        for (int j = 0; weight != 0.0 && j < run->n_samples; j++) {
            run->signal[j] += weight * samples[j];
        }
    }
}

/* ---- frequency and damping from a measured decay ---- */

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
    const struct masing_record_options *options = run->options;
    run->n_wanted = options->n_modes > 0 ? options->n_modes : run->n_modes;
    NEED_ALLOCATED(run->wanted = memory_array((size_t)run->n_wanted, sizeof *run->wanted));
    for (int i = 0; i < run->n_wanted; i++) {
        int number = options->n_modes > 0 ? options->modes[i] : i + 1;
        if (number < 1 || number > run->n_modes) {
            return masing_error_set(
                error, MASING_INVALID,
                "mode %d of the record: expected 1 to %d, of which there are "
                "shapes or channels",
                number, run->n_modes);
        }
        for (int j = 0; j < i; j++) {
            if (run->wanted[j] == number) {
                return masing_error_set(error, MASING_INVALID, "mode %d stands twice", number);
            }
        }
        run->wanted[i] = number;
    }
    return MASING_OK;
}

/* Where no frequency is given, that of the largest motion in the mode's coordinate. */
static enum masing_status find_frequencies(struct run *run, struct masing_error *error)
{
    const struct masing_record_shapes *shapes = run->shapes;
    for (int k = 0; k < run->n_modes; k++) {
        double hz = shapes ? shapes->frequency_hz[k] : NAN;
        double other = shapes && shapes->other_hz ? shapes->other_hz[k] : hz;
        if (isnan(hz)) {
            NEED(progress_check(run->options->progress, error));
            take_mode(run, k);
            hz = other = decay_fit_peak(&run->fit, run->signal) / TWO_PI;
        }
        run->omega[k] = TWO_PI * hz;
        run->other[k] = TWO_PI * other;
    }
    return MASING_OK;
}

/* Channels without shapes are no neighbours of each other: they may show the same mode. */
static struct decay_modes modes_of(const struct run *run, int mode)
{
    int first = run->shapes ? 0 : mode;
    return (struct decay_modes){.n = run->shapes ? run->n_modes : 1,
                                .omega = run->omega + first,
                                .other = run->other + first,
                                .index = mode - first,
                                .are_parted = run->shapes && run->n_modes <= run->n_channels};
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
    double start = run->record->start + run->first * run->record->step;
    for (int i = 0; i < run->n_wanted; i++) {
        int mode = run->wanted[i] - 1;
        struct decay_modes modes = modes_of(run, mode);
        take_mode(run, mode);
        decay_fit_run(&run->fit, run->signal, &modes);
        int floor = decay_noise_floor(&run->fit);
        if (floor < run->n_segments - 2) {
            run->summary->modes[i].noise_from = start + (floor + 1) * (run->n_samples - 1) *
                                                            run->record->step / run->n_segments;
        }
        struct decay_line line = decay_noise_line(&run->fit);
        decay_noise_refine(&run->fit, run->signal, &line);
        NEED(progress_check(run->options->progress, error)); /* else it may be half done */
        const struct decay_found found = {
            .fit = &run->fit, .start = start, .impulse = NAN, .line = &line};
        NEED(ringdown_rows_put(&run->rows, i, &found, error));
    }
    return MASING_OK;
}

static enum masing_status prepare(struct run *run, struct masing_error *error)
{
    run->n_segments =
        run->options->segments > 0 ? run->options->segments : DECAY_DEFAULT_SEGMENTS;
    if (run->n_segments < 3) {
        return masing_error_set(
            error, MASING_INVALID,
            "%d segments: expected at least 3, of which the first and the last "
            "are dropped",
            run->n_segments);
    }
    NEED(choose_part(run, error));
    if (run->n_segments > run->n_samples / FEWEST_IN_SEGMENT) {
        return masing_error_set(
            error, MASING_INVALID,
            "%d segments of %d samples: expected at most %d, %d samples each", run->n_segments,
            run->n_samples, run->n_samples / FEWEST_IN_SEGMENT, FEWEST_IN_SEGMENT);
    }
    run->n_modes = run->shapes ? run->shapes->n_modes : run->record->n_channels;
    if (run->n_modes == 0) {
        return masing_error_set(error, MASING_INVALID, "there is no mode to look for");
    }
    NEED(choose_modes(run, error));
    NEED(choose_channels(run, error));
    for (int k = 0; !run->shapes && k < run->n_modes; k++) {
        run->weights[k * run->n_channels + k] = 1.0;
    }
    if (run->shapes) { /* all modes together; with more modes than channels each by itself */
        NEED(check_shapes(run, error));
        if (run->n_modes <= run->n_channels) {
            NEED(invert_shapes(run, error));
        } else {
            project_shapes(run);
        }
    }
    NEED(warn_of_channels(run, error));
    NEED(ringdown_summary_reset(run->summary, run->wanted, run->n_wanted, error));
    run->omega =
        memory_array(2 * (size_t)run->n_modes + (size_t)run->n_samples, sizeof(double));
    NEED_ALLOCATED(run->omega);
    run->other = run->omega + run->n_modes;
    run->signal = run->other + run->n_modes;
    NEED(
        decay_fit_create(run->n_samples, run->record->step, run->n_segments, &run->fit, error));
    if (run->shapes && run->n_modes > run->n_channels) {
        run->fit.most_outside = MOST_OUTSIDE;
    }
    run->fit.progress = run->options->progress;
    NEED(find_frequencies(run, error));
    for (int i = 0; i < run->n_wanted; i++) {
        struct decay_modes modes = modes_of(run, run->wanted[i] - 1);
        struct decay_band band = decay_band_of(&modes, -INFINITY);
        NEED(check_band(run, run->wanted[i] - 1, &band, error));
    }
    run->summary->step = run->record->step;
    run->summary->steps = run->n_samples;
    run->summary->segments = run->n_segments;
    run->summary->duration = (run->n_samples - 1) * run->record->step;
    return MASING_OK;
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
    struct run run = {.record = record,
                      .shapes = shapes,
                      .options = &chosen,
                      .rows.is_record = true,
                      .summary = &found};
    error = entry_begin(error, &own);
    ringdown_rows_begin(&run.rows, &found);
    TRY(entry_need(record, "record", error));
    TRY(entry_need_array(record->n_channels, record->names, "record.names", error));
    TRY(entry_need_array(record->n_samples, record->samples, "record.samples", error));
    TRY(entry_read(options ? options : &defaults, "options", &chosen, sizeof chosen, error));
    TRY(entry_need_array(chosen.n_modes, chosen.modes, "options.modes", error));
    TRY(entry_check(summary, "summary", error));
    TRY(blas_need_buffer(error));
    run.rows.quantity = chosen.quantity;
    TRY(prepare(&run, error));
    TRY(ringdown_rows_open(&run.rows, rows, error));
    TRY(analyse(&run, error));
    TRY(ringdown_rows_warn(&run.rows, error));
done:
    status = row_sink_end(&run.rows.table, status, error);
    decay_fit_clear(&run.fit);
    free(run.omega);
    free(run.channels);
    free(run.weights);
    free(run.wanted);
    return ringdown_rows_end(&run.rows, status, summary, error);
}

/* ---- the shapes that a model has at the channels of a measured record ---- */

/* The combination of DOFs that a channel is, or NULL. */
static const struct masing_combination *combination_of(const struct masing_model *model,
                                                       const char *name,
                                                       struct masing_combination *single,
                                                       struct masing_term *term)
{
    const struct masing_spec *spec = &model->spec;
    int output = names_search(spec->outputs, spec->n_outputs, sizeof *spec->outputs, name);
    int dof =
        names_search(spec->structure.dof_names, spec->structure.n_dofs, sizeof name, name);
    *term = (struct masing_term){dof, 1.0};
    *single = (struct masing_combination){1, term};
    return output >= 0 ? &spec->outputs[output].combination : dof >= 0 ? single : NULL;
}

static double shape_at(const struct masing_model *model, const double *modal,
                       const struct masing_combination *combination)
{
    const struct structure *structure = model->structure;
    double value = 0.0;
    for (int t = 0; t < combination->n_terms; t++) {
        for (int k = 0; k < structure->n_modes; k++) {
            value += combination->terms[t].weight * modal[k] *
                     structure->shapes[combination->terms[t].dof + k * structure->n_dofs];
        }
    }
    return value;
}

enum masing_status masing_record_shapes_of(const struct masing_model *model,
                                           const struct masing_record *record,
                                           struct masing_record_shapes *shapes,
                                           struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct stuck_modes *modes = NULL;
    struct masing_error own;
    struct masing_combination single;
    struct masing_term term;
    error = entry_begin(error, &own);
    limit_blas_to_one_thread();
    TRY(entry_need(shapes, "shapes", error));
    *shapes = (struct masing_record_shapes){0};
    TRY(entry_need(model, "model", error));
    TRY(entry_need(record, "record", error));
    TRY(cyclic_refuse(&model->spec, "the record of a ringdown is", error));
    TRY(speed_refuse(model, "the record of a ringdown is", error));
    TRY(stuck_modes_create(model, &modes, error));
    int n = stuck_modes_count(modes);
    size_t n_values = (size_t)n * (size_t)record->n_channels;
    shapes->names = memory_array((size_t)record->n_channels, sizeof *shapes->names);
    shapes->shapes = memory_array(n_values, sizeof *shapes->shapes);
    shapes->frequency_hz = memory_array((size_t)n, sizeof *shapes->frequency_hz);
    shapes->other_hz = memory_array((size_t)n, sizeof *shapes->other_hz);
    TRY_ALLOCATED(shapes->names && shapes->shapes && shapes->frequency_hz && shapes->other_hz);
    shapes->n_modes = n;
    for (int i = 0; i < record->n_channels; i++) {
        if (combination_of(model, record->names[i], &single, &term)) {
            char *name = memory_text(record->names[i]);
            TRY_ALLOCATED(name);
            shapes->names[shapes->n_channels++] = name;
        }
    }
    if (shapes->n_channels == 0) {
        TRY(masing_error_set(error, MASING_INVALID,
                             "no channel of the record is an output or a DOF of the model; the "
                             "first one is '%.80s'",
                             record->names[0]));
    }
    for (int k = 0; k < n; k++) {
        int index = modes->n_rigid + k;
        shapes->frequency_hz[k] = modes->omega[index] / TWO_PI;
        shapes->other_hz[k] = modes->free[index] / TWO_PI;
        for (int i = 0; i < shapes->n_channels; i++) {
            shapes->shapes[(size_t)k * (size_t)shapes->n_channels + (size_t)i] =
                shape_at(model, modes->shapes + (size_t)index * (size_t)modes->n,
                         combination_of(model, shapes->names[i], &single, &term));
        }
    }
done:
    release_blas();
    stuck_modes_destroy(modes);
    return status;
}
