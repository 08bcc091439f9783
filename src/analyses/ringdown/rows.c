/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/ringdown/rows.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pi.h"
#include "base/sink.h"

/* What a segment says of a mode. */
struct decay_point {
    double time, amplitude, frequency_hz, damping_ratio;
    double model_frequency_hz, model_damping_ratio;
};

void masing_ringdown_summary_clear(struct masing_ringdown_summary *summary)
{
    if (summary) {
        warnings_clear(&(struct warning_list){&summary->warnings, &summary->n_warnings});
        free(summary->modes);
        entry_zero(summary, sizeof *summary);
    }
}

enum masing_status ringdown_summary_reset(struct masing_ringdown_summary *summary,
                                          const int *numbers, int n_modes,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    summary->modes = memory_array((size_t)n_modes, sizeof *summary->modes);
    TRY_ALLOCATED(summary->modes);
    summary->n_modes = n_modes;
    for (int i = 0; i < n_modes; i++) {
        summary->modes[i] = (struct masing_ringdown_mode){
            .number = numbers[i],
            .stuck_hz = NAN,
            .free_hz = NAN,
            .stuck_damping = NAN,
            .amplitude_from = NAN,
            .amplitude_to = NAN,
            .frequency_from = NAN,
            .frequency_to = NAN,
            .damping_from = NAN,
            .damping_to = NAN,
            .damping_most = NAN,
            .damping_most_at = NAN,
            .worst_frequency = NAN,
            .worst_damping = NAN,
            .worst_damping_at = NAN,
            .mean_damping = NAN,
            .parted_by = NAN,
            .noise_from = NAN,
        };
    }
done:
    return status;
}

enum masing_status ringdown_rows_open(struct ringdown_rows *rows, struct masing_error *error)
{
    static const char *const always[] = {"mode", "time", "amplitude", "frequency_hz",
                                         "damping_ratio"};
    const char *names[RINGDOWN_MOST_COLUMNS];
    for (int i = 0; i < 5; i++) {
        names[rows->n_columns++] = always[i];
    }
    if (rows->has_impulse) {
        names[rows->n_columns++] = "impulse";
    }
    if (rows->has_curves) {
        names[rows->n_columns++] = "model_frequency_hz";
        names[rows->n_columns++] = "model_damping_ratio";
    }
    for (int i = 0; i < rows->n_columns; i++) {
        snprintf(rows->columns[i].name, sizeof rows->columns[i].name, "%s", names[i]);
        rows->columns[i].type = i == 0 ? MASING_COLUMN_INTEGER : MASING_COLUMN_REAL;
    }
    if (!rows->sink) {
        return MASING_OK;
    }
    rows->is_open = true;
    return sink_open(rows->sink, rows->columns, rows->n_columns, error);
}

/*
 * The average-acceleration rule takes a motion e^(lambda t) for e^(mu t) with
 * tanh(mu h/2) = lambda h/2, whatever the damping, and hysteresis likewise as far as it is that
 * of one harmonic. lambda gives frequency and damping; a signal's amplitude is |lambda|^k times
 * that of the displacement, k = 0, 1, 2.
 */
static struct decay_point convert(const struct ringdown_rows *rows, double start,
                                  const struct decay_segment *segment)
{
    double complex lambda = segment->rate + I * segment->omega;
    if (rows->rule_step > 0.0) {
        double half = 0.5 * rows->rule_step;
        lambda = ctanh(half * lambda) / half;
    }
    double size = cabs(lambda), amplitude = segment->amplitude;
    amplitude /= rows->quantity == MASING_DISPLACEMENT ? 1.0
                 : rows->quantity == MASING_VELOCITY   ? size
                                                       : size * size;
    return (struct decay_point){
        .time = start + segment->time,
        .amplitude = amplitude,
        .frequency_hz = cimag(lambda) / TWO_PI,
        .damping_ratio = -creal(lambda) / size,
        .model_frequency_hz = NAN,
        .model_damping_ratio = NAN,
    };
}

static void compare(struct masing_ringdown_mode *mode, const struct decay_point *point)
{
    double frequency = point->model_frequency_hz / point->frequency_hz - 1.0;
    double damping = point->model_damping_ratio / point->damping_ratio - 1.0;
    if (!isfinite(frequency) || !isfinite(damping) || point->damping_ratio <= 0.0) {
        return;
    }
    if (mode->n_compared == 0) {
        mode->worst_frequency = mode->worst_damping = mode->mean_damping = 0.0;
    }
    mode->n_compared++;
    mode->mean_damping += (damping - mode->mean_damping) / mode->n_compared;
    if (fabs(frequency) >= fabs(mode->worst_frequency)) {
        mode->worst_frequency = frequency;
    }
    if (fabs(damping) >= fabs(mode->worst_damping)) {
        mode->worst_damping = damping;
        mode->worst_damping_at = point->amplitude;
    }
}

static void summarise(struct masing_ringdown_mode *mode, const struct decay_point *point)
{
    mode->n_rows++;
    if (!(point->amplitude >= mode->amplitude_from)) {
        mode->amplitude_from = point->amplitude;
        mode->frequency_from = point->frequency_hz;
        mode->damping_from = point->damping_ratio;
    }
    if (!(point->amplitude <= mode->amplitude_to)) {
        mode->amplitude_to = point->amplitude;
        mode->frequency_to = point->frequency_hz;
        mode->damping_to = point->damping_ratio;
    }
    if (!(point->damping_ratio <= mode->damping_most)) {
        mode->damping_most = point->damping_ratio;
        mode->damping_most_at = point->amplitude;
    }
    mode->n_growing += !(point->damping_ratio > 0.0);
    compare(mode, point);
}

static enum masing_status write(const struct ringdown_rows *rows, int number, double impulse,
                                const struct decay_point *point, struct masing_error *error)
{
    struct masing_cell cells[RINGDOWN_MOST_COLUMNS] = {{0}};
    int n = 0;
    if (!rows->sink) {
        return MASING_OK;
    }
    cells[n++].number = number;
    cells[n++].number = point->time;
    cells[n++].number = point->amplitude;
    cells[n++].number = point->frequency_hz;
    cells[n++].number = point->damping_ratio;
    if (rows->has_impulse) {
        cells[n++].number = impulse;
    }
    if (rows->has_curves) {
        cells[n++].number = point->model_frequency_hz;
        cells[n++].number = point->model_damping_ratio;
    }
    return sink_row(rows->sink, cells, error);
}

/* A segment without a row. */
static void count(struct masing_ringdown_mode *mode, enum decay_verdict verdict)
{
    int unused = 0;
    int *const counts[N_DECAY_VERDICTS] = {
        [DECAY_FITS] = &unused,
        [DECAY_DROPPED] = &unused,
        [DECAY_OVERSHADOWED] = &mode->n_overshadowed,
        [DECAY_BENT] = &mode->n_bent,
        [DECAY_SILENT] = &mode->n_silent,
        [DECAY_NOISE] = &mode->n_noisy,
        [DECAY_SHORT] = &mode->n_short,
        [DECAY_CROWDED] = &mode->n_crowded,
    };
    ++*counts[verdict];
}

enum masing_status ringdown_rows_put(struct ringdown_rows *rows, int mode_index,
                                     const struct decay_found *found,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_ringdown_mode *mode = &rows->summary->modes[mode_index];
    const double *range = found->range;
    if (found->choice->crowded_by >= 0) {
        mode->crowded_by = found->choice->crowded_by + 1;
        mode->parted_by = found->choice->needed;
    }
    for (int s = 0; s < found->n_segments - 2; s++) {
        const struct decay_segment *segment = &found->segments[s];
        if (segment->verdict != DECAY_FITS) {
            count(mode, segment->verdict);
            continue;
        }
        struct decay_point point = convert(rows, found->start, segment);
        if (range && !(point.frequency_hz >= range[0] && point.frequency_hz <= range[1])) {
            count(mode, DECAY_OVERSHADOWED);
            continue;
        }
        if (rows->has_curves && rows->curves[mode_index]) {
            modal_curve_at(rows->curves[mode_index], point.amplitude, &point.model_frequency_hz,
                           &point.model_damping_ratio);
        }
        mode->crowding = fmax(mode->crowding, segment->crowding);
        summarise(mode, &point);
        TRY(write(rows, mode->number, found->impulse, &point, error));
    }
done:
    return status;
}

enum masing_status ringdown_rows_close(struct ringdown_rows *rows, enum masing_status status,
                                       struct masing_error *error)
{
    if (!rows->is_open) {
        return status;
    }
    if (status == MASING_OK || status == MASING_STOPPED) {
        enum masing_status closed = sink_finish(rows->sink, error);
        return closed != MASING_OK ? closed : status;
    }
    sink_abandon(rows->sink);
    return status;
}
