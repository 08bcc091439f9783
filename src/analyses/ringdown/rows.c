/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/ringdown/rows.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/driver.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pi.h"
#include "base/processor_time.h"
#include "linalg/one_thread.h"
#include "masing/mode.h"
#include "masing/result.h"

/* ---- the curve of a one-DOF model, to be looked up ---- */

enum masing_status modal_curve_create(const struct masing_model *model,
                                      const struct masing_progress *progress,
                                      struct modal_curve *curve, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_progress quiet = progress_quiet(progress);
    const struct masing_mode_options options = {.size = sizeof options, .progress = &quiet};
    struct masing_mode_summary summary = {0};
    struct masing_result *rows = NULL;
    quiet.log = NULL;
    TRY(masing_result_create(&rows, error));
    TRY(masing_mode(model, &options, masing_result_sink(rows), &summary, error));
    const double *amplitude = masing_result_column(rows, "amplitude");
    const double *frequency = masing_result_column(rows, "frequency_hz");
    const double *damping = masing_result_column(rows, "damping_ratio");
    int n = masing_result_n_rows(rows);
    TRY_ALLOCATED(curve->points = memory_array((size_t)n, sizeof *curve->points));
    for (int i = 0; i < n; i++) {
        double x = log(amplitude[i]);
        /* but for a second row where an event was landed on, or a fold */
        if (curve->n == 0 || x > curve->points[curve->n - 1].x) {
            curve->points[curve->n++] =
                (struct modal_curve_point){x, {frequency[i], damping[i]}};
        }
    }
done:
    masing_mode_summary_clear(&summary);
    masing_result_destroy(rows);
    return status;
}

void modal_curve_clear(struct modal_curve *curve)
{
    free(curve->points);
}

static double secant(const struct modal_curve_point *p, int which)
{
    return (p[1].value[which] - p[0].value[which]) / (p[1].x - p[0].x);
}

/* Slope at a point: the harmonic mean of the neighbouring secants, none where they have
 * opposite signs, so that nothing overshoots (Fritsch and Butland 1984). */
static double slope(const struct modal_curve *curve, int which, int k)
{
    const struct modal_curve_point *p = curve->points + k;
    if (k == 0 || k == curve->n - 1) {
        return secant(k == 0 ? p : p - 1, which);
    }
    double left = secant(p - 1, which), right = secant(p, which);
    double h = p[0].x - p[-1].x, next = p[1].x - p[0].x;
    if (!(left * right > 0.0)) {
        return 0.0;
    }
    return 3.0 * (h + next) / ((2.0 * next + h) / left + (next + 2.0 * h) / right);
}

static double interpolate(const struct modal_curve *curve, int which, int k, double x)
{
    const struct modal_curve_point *p = curve->points + k;
    double h = p[1].x - p[0].x, s = (x - p[0].x) / h, r = 1.0 - s;
    return p[0].value[which] * r * r * (1.0 + 2.0 * s) +
           p[1].value[which] * s * s * (1.0 + 2.0 * r) +
           h * s * r * (r * slope(curve, which, k) - s * slope(curve, which, k + 1));
}

/* NAN outside of the amplitudes that were covered. */
static void modal_curve_at(const struct modal_curve *curve, double amplitude, double *frequency,
                           double *damping)
{
    double x = log(amplitude);
    int low = 0, high = curve->n - 1;
    *frequency = *damping = NAN;
    if (curve->n < 2 || !(x >= curve->points[0].x && x <= curve->points[high].x)) {
        return;
    }
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (curve->points[middle].x <= x) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *frequency = interpolate(curve, 0, low, x);
    *damping = interpolate(curve, 1, low, x);
}

/* ---- rows and summary ---- */

/* What a segment says of a mode. */
struct decay_point {
    double time, amplitude, frequency_hz, damping_ratio;
    double model_frequency_hz, model_damping_ratio;
    double frequency_interval_hz, damping_interval; /* half of 95 %; of a record */
};

void masing_ringdown_summary_clear(struct masing_ringdown_summary *summary)
{
    if (summary) {
        warnings_clear(&(struct warning_list){&summary->warnings, &summary->n_warnings, NULL});
        free(summary->modes);
        entry_zero(summary, sizeof *summary);
    }
}

/* Before there are rows. */
static const struct masing_ringdown_mode nothing = {
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
    .record_frequency = NAN,
    .record_damping = NAN,
    .record_frequency_interval = NAN,
    .record_damping_interval = NAN,
};

void ringdown_rows_begin(struct ringdown_rows *rows, struct masing_ringdown_summary *summary)
{
    limit_blas_to_one_thread();
    rows->began = processor_time();
    rows->summary = summary;
    rows->warnings = (struct warning_list){&summary->warnings, &summary->n_warnings, NULL};
}

enum masing_status ringdown_rows_end(const struct ringdown_rows *rows,
                                     enum masing_status status,
                                     struct masing_ringdown_summary *summary,
                                     const struct masing_error *error)
{
    struct masing_ringdown_summary *found = rows->summary;
    release_blas();
    found->is_complete = status == MASING_OK;
    if (status == MASING_STOPPED) {
        snprintf(found->reason, sizeof found->reason, "%s", error->message);
    }
    found->seconds = processor_time() - rows->began;
    if (!entry_write(summary, found, sizeof *found)) {
        masing_ringdown_summary_clear(found);
    }
    return status;
}

enum masing_status ringdown_summary_reset(struct masing_ringdown_summary *summary,
                                          const int *numbers, int n_modes,
                                          struct masing_error *error)
{
    NEED_ALLOCATED(summary->modes = memory_array((size_t)n_modes, sizeof *summary->modes));
    summary->n_modes = n_modes;
    for (int i = 0; i < n_modes; i++) {
        summary->modes[i] = nothing;
        summary->modes[i].number = numbers[i];
    }
    return MASING_OK;
}

/* Context of a walk; point is NULL while columns are declared. */
struct walk {
    const struct ringdown_rows *rows;
    const struct decay_point *point;
    int number; /* of the mode */
    double impulse;
};

static void walk_row(struct row_table *table, const void *context)
{
    const struct walk *walk = context;
    const struct decay_point *point = walk->point;
    ROW_INTEGER(table, walk->number, "mode");
    ROW_REAL(table, point->time, "time");
    ROW_REAL(table, point->amplitude, "amplitude");
    ROW_REAL(table, point->frequency_hz, "frequency_hz");
    ROW_REAL(table, point->damping_ratio, "damping_ratio");
    if (walk->rows->is_record) {
        ROW_REAL(table, point->frequency_interval_hz, "frequency_interval_hz");
        ROW_REAL(table, point->damping_interval, "damping_interval");
    }
    if (walk->rows->has_impulse) {
        ROW_REAL(table, walk->impulse, "impulse");
    }
    if (walk->rows->has_curves) {
        ROW_REAL(table, point->model_frequency_hz, "model_frequency_hz");
        ROW_REAL(table, point->model_damping_ratio, "model_damping_ratio");
    }
}

enum masing_status ringdown_rows_open(struct ringdown_rows *rows,
                                      const struct masing_sink *sink,
                                      struct masing_error *error)
{
    return row_sink_begin(&rows->table, sink, walk_row, &(struct walk){.rows = rows}, error);
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
        .frequency_interval_hz = NAN,
        .damping_interval = NAN,
    };
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
    /* the modal model against it */
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
    struct masing_ringdown_mode *mode = &rows->summary->modes[mode_index];
    const double *range = found->range;
    const struct decay_line *line = found->line;
    if (line && line->is_there) {
        double size = hypot(line->rate, line->omega);
        mode->record_frequency = line->omega / TWO_PI;
        mode->record_damping = -line->rate / size;
        mode->record_frequency_interval = line->interval / TWO_PI;
        mode->record_damping_interval = line->interval / size;
    }
    if (found->fit->choice.crowded_by >= 0) {
        mode->crowded_by = found->fit->choice.crowded_by + 1;
        mode->parted_by = found->fit->choice.needed;
    }
    for (int s = 0; s < found->fit->n_segments - 2; s++) {
        const struct decay_segment *segment = &found->fit->segments[s];
        if (segment->verdict != DECAY_FITS) {
            count(mode, segment->verdict);
            continue;
        }
        struct decay_point point = convert(rows, found->start, segment);
        if (range && !(point.frequency_hz >= range[0] && point.frequency_hz <= range[1])) {
            count(mode, DECAY_OVERSHADOWED);
            continue;
        }
        if (found->line) {
            double interval = decay_noise_interval(found->line, segment);
            point.frequency_interval_hz = interval / TWO_PI;
            point.damping_interval = interval / hypot(segment->rate, segment->omega);
        }
        if (rows->has_curves) {
            modal_curve_at(&rows->curves[mode_index], point.amplitude,
                           &point.model_frequency_hz, &point.model_damping_ratio);
        }
        mode->crowding = fmax(mode->crowding, segment->crowding);
        summarise(mode, &point);
        const struct walk walk = {
            .rows = rows, .point = &point, .number = mode->number, .impulse = found->impulse};
        NEED(row_sink_write(&rows->table, &walk, error));
    }
    return MASING_OK;
}

/* ---- warnings: what a decay does not show, and why ---- */

static const char *plural(int n)
{
    return n == 1 ? "" : "s";
}

static enum masing_status warn_left_out(const struct ringdown_rows *rows,
                                        const struct masing_ringdown_mode *mode, int n,
                                        const char *why, struct masing_error *error)
{
    return n > 0 ? warning_add(&rows->warnings, error, "mode %d: %d segment%s left out %s",
                               mode->number, n, plural(n), why)
                 : MASING_OK;
}

/* Of segments in which it has died out, or that show noise. */
static enum masing_status warn_end(const struct ringdown_rows *rows,
                                   const struct masing_ringdown_mode *mode,
                                   struct masing_error *error)
{
    if (mode->n_silent == 0 || mode->n_rows > 0) {
        NEED(warn_left_out(rows, mode, mode->n_silent, "in which it has died out", error));
    } else {
        NEED(warning_add(&rows->warnings, error,
                         "mode %d: it does not move, or has died out before the first segment "
                         "that counts",
                         mode->number));
    }
    if (isnan(mode->noise_from)) {
        return warn_left_out(rows, mode, mode->n_noisy,
                             "in which phase and amplitude scatter as those of noise or of "
                             "several motions do",
                             error);
    }
    return warning_add(&rows->warnings, error,
                       "mode %d: from %.4g s on the record shows noise, hum or another "
                       "motion: %d segment%s left out",
                       mode->number, mode->noise_from, mode->n_noisy, plural(mode->n_noisy));
}

static enum masing_status warn_crowding(const struct ringdown_rows *rows,
                                        const struct masing_ringdown_mode *mode,
                                        struct masing_error *error)
{
    char needed[64] = "no time"; /* ranges of frequency overlap */
    if (isfinite(mode->parted_by)) {
        double steps = ceil(mode->parted_by / rows->summary->step);
        snprintf(needed, sizeof needed,
                 rows->is_record ? "a record of %.3g s" : "'ringdown.steps: %.0f'",
                 rows->is_record ? mode->parted_by : steps);
    }
    if (mode->n_crowded > 0) {
        return warning_add(&rows->warnings, error,
                           "mode %d: %d segment%s left out, as mode %d is too near to be "
                           "parted from it in this time and moves in its coordinate; %s would "
                           "part them",
                           mode->number, mode->n_crowded, plural(mode->n_crowded),
                           mode->crowded_by, needed);
    }
    return mode->crowding > DECAY_NOTED_CROWDING
               ? warning_add(&rows->warnings, error,
                             "mode %d: damping ratios may be off by %.1g %%, as mode %d is too "
                             "near to be parted from it in this time; %s would part them",
                             mode->number, 100 * mode->crowding, mode->crowded_by, needed)
               : MASING_OK;
}

static enum masing_status warn_segments(const struct ringdown_rows *rows,
                                        const struct masing_ringdown_mode *mode,
                                        struct masing_error *error)
{
    if (mode->n_rows == 0 && mode->n_overshadowed > 0) {
        char where[32] = "every segment";
        if (mode->n_bent + mode->n_silent + mode->n_noisy + mode->n_short > 0) {
            snprintf(where, sizeof where, "%d segment%s", mode->n_overshadowed,
                     plural(mode->n_overshadowed));
        }
        NEED(warning_add(
            &rows->warnings, error,
            "mode %d: in %s other motions are larger in its coordinate than its own",
            mode->number, where));
    }
    NEED(warn_left_out(rows, mode, mode->n_bent,
                       "in which its amplitude falls too unevenly; shorter segments follow "
                       "damping that changes fast, longer ones average noise",
                       error));
    if (mode->n_short > 0) {
        NEED(warning_add(
            &rows->warnings, error,
            "mode %d: %d segment%s left out in which it is so slow that fewer than "
            "%d periods pass: %s",
            mode->number, mode->n_short, plural(mode->n_short), DECAY_FEWEST_PERIODS,
            rows->is_record ? "a longer record or fewer segments"
                            : "more 'ringdown.steps' or fewer 'ringdown.segments'"));
    }
    if (mode->n_growing > 0) {
        NEED(warning_add(&rows->warnings, error,
                         "mode %d: in %d row%s its amplitude does not fall (damping ratio not "
                         "above 0): other motions feed it, or noise",
                         mode->number, mode->n_growing, plural(mode->n_growing)));
    }
    return MASING_OK;
}

enum masing_status ringdown_rows_warn(const struct ringdown_rows *rows,
                                      struct masing_error *error)
{
    for (int i = 0; i < rows->summary->n_modes; i++) {
        const struct masing_ringdown_mode *mode = &rows->summary->modes[i];
        NEED(warn_segments(rows, mode, error));
        NEED(warn_end(rows, mode, error));
        NEED(warn_crowding(rows, mode, error));
    }
    return MASING_OK;
}
