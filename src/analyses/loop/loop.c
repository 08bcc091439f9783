/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each amplitude: the steady cycle is solved for, then the joint is marched from its virgin
 * state until it is there. What is marched and what is solved for check each other.
 */
#include "base/pi.h"
#include "masing/loop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/energy_limits.h"
#include "analyses/loop/bouc_wen.h"
#include "analyses/loop/cycle.h"
#include "analyses/loop/path.h"
#include "analyses/loop/table.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/processor_time.h"
#include "linalg/one_thread.h"
#include "linalg/one_thread.h"

enum { DEFAULT_ROWS = 512, MOST_ROWS = 16384, MOST_CYCLES = 200 };

static const double default_tolerance = 1e-6;

/* Cycles farther from each other than this, over the largest force, are different ones. */
static const double ELSEWHERE = 1e-3;

/* Changes from cycle to cycle below this part of the force are none. */
static const double standing = 1e-11;

struct run {
    const struct masing_law *law;
    const void *parameters;
    const struct masing_loop_options *options;
    struct loop_motion motion;
    double omega, tolerance;
    int n_rows;
    struct loop_march *march;
    struct loop_table table;
    struct loop_bouc_wen equivalent; /* of the present amplitude, if wanted */
    struct masing_loop_summary *summary;
    struct warning_list warnings; /* of the summary */
};

void masing_loop_summary_clear(struct masing_loop_summary *summary)
{
    if (summary) {
        warnings_clear(&(struct warning_list){&summary->warnings, &summary->n_warnings});
        free(summary->loops);
        entry_zero(summary, sizeof *summary);
    }
}

/* ---- input ---- */

static enum masing_status check_amplitudes(const struct masing_loop_options *options,
                                           struct masing_error *error)
{
    if (options->n_amplitudes < 1) {
        return masing_error_set(error, MASING_INVALID, "no amplitudes, expected at least one");
    }
    for (int i = 0; i < options->n_amplitudes; i++) {
        double amplitude = options->amplitudes[i];
        if (!(amplitude > 0.0 && isfinite(amplitude))) {
            return masing_error_set(error, MASING_INVALID,
                                    "amplitude %g, expected a finite number above zero",
                                    amplitude);
        }
    }
    return MASING_OK;
}

static enum masing_status check_terms(const struct masing_loop_options *options,
                                      struct masing_error *error)
{
    bool moves = false;
    for (int i = 0; i < options->n_terms; i++) {
        const struct masing_motion_term *term = &options->terms[i];
        if (term->harmonic < 0 || term->harmonic > MASING_MOTION_HARMONIC) {
            return masing_error_set(error, MASING_INVALID,
                                    "harmonic %d of the motion, expected 0 to %d",
                                    term->harmonic, MASING_MOTION_HARMONIC);
        }
        if (!isfinite(term->sine) || !isfinite(term->cosine)) {
            return masing_error_set(error, MASING_INVALID,
                                    "harmonic %d of the motion: expected finite numbers",
                                    term->harmonic);
        }
        moves = moves || (term->harmonic > 0 && (term->sine != 0.0 || term->cosine != 0.0));
    }
    return moves ? MASING_OK
                 : masing_error_set(error, MASING_INVALID,
                                    "the motion is none: expected a harmonic from 1 on with a "
                                    "weight that is not zero");
}

static enum masing_status check_options(const struct run *run, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_loop_options *options = run->options;
    if (options->path && options->path->is_circle &&
        (options->points || options->n_terms > 0)) {
        return masing_error_set(error, MASING_INVALID,
                                "a circle is a motion of its own, expected amplitudes alone");
    }
    if (run->n_rows < 8 || run->n_rows > MOST_ROWS || run->n_rows % 4 != 0) {
        return masing_error_set(error, MASING_INVALID,
                                "%d rows per cycle, expected a multiple of 4 from 8 to %d",
                                run->n_rows, MOST_ROWS);
    }
    if (options->has_equivalent_bouc_wen && (options->points || options->n_terms > 0)) {
        return masing_error_set(error, MASING_INVALID,
                                "the equivalent Bouc-Wen element belongs to a sine, expected "
                                "amplitudes alone");
    }
    if (options->has_equivalent_bouc_wen) {
        struct loop_bouc_wen element;
        TRY(loop_bouc_wen_create(run->law, run->parameters, 1.0, &element, error));
    }
    if (options->points && masing_law_needs_velocity(run->law, run->parameters) &&
        !options->points->time) {
        return masing_error_set(error, MASING_INVALID,
                                "law '%s' depends on the velocity: expected a column 'time' "
                                "beside the displacements",
                                run->law->name);
    }
    if (!options->points) {
        TRY(check_amplitudes(options, error));
        struct masing_loop_options used = {.n_terms = run->motion.n_terms,
                                           .terms = run->motion.terms};
        TRY(check_terms(&used, error));
    }
done:
    return status;
}

/* ---- one amplitude ---- */

static bool is_cancelled(const struct run *run, double fraction, int cycles)
{
    const struct masing_progress *progress = run->options->progress;
    if (progress && progress->report) {
        progress->report(progress->context, fraction, cycles);
    }
    return progress && progress->is_cancelled && progress->is_cancelled(progress->context);
}

/* Rows of one cycle: the start, and the end of each part. */
static enum masing_status write_cycle(struct run *run, const struct loop_cycle *cycle,
                                      int number, bool is_steady, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const double *x = run->march->x, *force = is_steady ? run->march->steady : run->march->f;
    const double *second = is_steady ? run->march->steady2 : run->march->f2;
    int n = cycle->n_samples, stride = n / cycle->n_rows;
    if (is_steady && run->table.has_equivalent) {
        loop_bouc_wen_settle(&run->equivalent, x, n, stride);
    }
    for (int i = 0; i <= n; i += stride) {
        struct loop_row row = {cycle->amplitude,
                               number,
                               x[i],
                               force[i],
                               is_steady,
                               NAN,
                               second ? run->march->x2[i] : NAN,
                               second ? second[i] : NAN};
        if (run->table.has_equivalent) {
            row.equivalent = loop_bouc_wen_move(&run->equivalent, x[i]);
        }
        TRY(loop_table_row(&run->table, &row, error));
    }
done:
    return status;
}

/* Largest difference of the cycle marched last from the steady one. */
static double difference(const struct loop_cycle *cycle)
{
    const struct loop_march *march = cycle->march;
    double largest = 0.0;
    for (int i = 0; i <= cycle->n_samples; i++) {
        double second = march->plane.is_circle ? march->f2[i] - march->steady2[i] : 0.0;
        largest = fmax(largest, hypot(march->f[i] - march->steady[i], second));
    }
    return largest;
}

/* March one more cycle from where the last one ended, or from the virgin state. */
static enum masing_status march_cycle(struct loop_cycle *cycle, int marched, double *change)
{
    struct loop_march *march = cycle->march;
    double scale = cycle->measures->max_force, slip_share;
    int n = cycle->n_samples, first = marched == 0 ? 0 : 1;
    march->f[0] = march->f[n];
    if (march->plane.is_circle) {
        march->f2[0] = march->f2[n];
    }
    if (marched == 0) {
        loop_march_rest(march);
    }
    enum masing_status status =
        loop_march_open(march, first, n + 1 - first, loop_cycle_step(cycle), &slip_share);
    scale = scale > 0.0 ? scale : 1.0;
    double change2 = march->plane.is_circle ? march->f2[n] - march->f2[0] : 0.0;
    *change = marched == 0 ? INFINITY : hypot(march->f[n] - march->f[0], change2) / scale;
    cycle->measures->distance = difference(cycle) / scale;
    return status;
}

static enum masing_status fail_elsewhere(const struct loop_cycle *cycle,
                                         struct masing_error *error)
{
    return masing_error_set(
        error, MASING_STOPPED,
        "amplitude %g: the motion from the virgin state repeats itself, but "
        "not as the periodic solution that was found; they differ by %.2g "
        "of the largest force",
        cycle->amplitude, cycle->measures->distance);
}

/* The cycles from the virgin state; the last one is the steady one, unless the number of
 * cycles is given and they do not lead there. */
static enum masing_status march_cycles(struct run *run, struct loop_cycle *cycle,
                                       double fraction, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int wanted = run->options->n_cycles, most = wanted > 0 ? wanted : MOST_CYCLES;
    struct masing_loop_measures *measures = cycle->measures;
    double change = INFINITY;
    bool is_steady = false;
    for (int i = 0; i < most && !is_steady; i++) {
        if (is_cancelled(run, fraction, i)) {
            TRY(masing_error_set(error, MASING_STOPPED, "interrupted"));
        }
        TRY(march_cycle(cycle, i, &change));
        is_steady = measures->distance <= run->tolerance && (wanted == 0 || i + 1 == wanted);
        measures->cycles = i + 1;
        TRY(write_cycle(run, cycle, i + 1, is_steady, error));
        if (wanted == 0 && !is_steady && change < standing) {
            if (measures->distance > ELSEWHERE) {
                TRY(fail_elsewhere(cycle, error));
            }
            break; /* as near as straight steps and smooth ones come to each other */
        }
    }
    if (wanted == 0 && !is_steady) {
        int n = measures->cycles;
        TRY(warning_add(&run->warnings, error,
                        "amplitude %g: the motion from the virgin state is still %.2g of the "
                        "largest force from the steady cycle after %d cycles; the last cycle "
                        "written, %d, is the steady one itself",
                        cycle->amplitude, measures->distance, n, n + 1));
        measures->cycles = n + 1;
        TRY(write_cycle(run, cycle, n + 1, true, error));
    }
done:
    return status;
}

static enum masing_status warn_of_measures(struct run *run, const struct loop_cycle *cycle,
                                           struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_loop_measures *m = cycle->measures;
    double limit = energy_limit_of(run->law, run->parameters);
    if (m->energy_lost < -1e-12 * m->max_force * m->largest_displacement) {
        TRY(warning_add(&run->warnings, error,
                        "amplitude %g: the steady cycle creates energy, %.4g J per cycle",
                        m->amplitude, -m->energy_lost));
    }
    if (m->largest_displacement > limit) {
        TRY(warning_add(
            &run->warnings, error,
            "amplitude %g: the law can create energy beyond a displacement of %g m, "
            "this motion reaches %g m",
            m->amplitude, limit, m->largest_displacement));
    }
    if (cycle->uncertainty > 1e-7) {
        TRY(warning_add(&run->warnings, error,
                        "amplitude %g: energy and force still change by %.1g when the samples "
                        "are doubled to %d",
                        m->amplitude, cycle->uncertainty, cycle->n_samples));
    }
done:
    return status;
}

/* A law that could not be followed: where, and why. */
static enum masing_status explain(enum masing_status status, double amplitude,
                                  struct masing_error *error)
{
    if (status <= 0 || status == MASING_STOPPED) {
        return status;
    }
    return masing_error_set(error, MASING_STOPPED,
                            "amplitude %g: the joint's force could not be followed: %s",
                            amplitude, masing_status_name(status));
}

static enum masing_status run_amplitude(struct run *run, int index, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double amplitude = run->options->amplitudes[index];
    struct masing_loop_measures *measures = &run->summary->loops[index];
    struct loop_cycle cycle = {.march = run->march,
                               .motion = &run->motion,
                               .amplitude = amplitude,
                               .omega = run->omega,
                               .n_rows = run->n_rows,
                               .measures = measures};
    *measures = (struct masing_loop_measures){.amplitude = amplitude, .work = NAN};
    TRY(run->table.has_equivalent ? loop_bouc_wen_create(run->law, run->parameters, amplitude,
                                                         &run->equivalent, error)
                                  : MASING_OK);
    TRY(loop_cycle_guess(&cycle, error));
    TRY(loop_cycle_solve(&cycle, error));
    TRY(march_cycles(run, &cycle, (double)index / run->options->n_amplitudes, error));
    TRY(loop_table_measures(&run->table, measures, error));
    TRY(warn_of_measures(run, &cycle, error));
    run->summary->n_loops++;
done:
    return explain(status, amplitude, error);
}

/* ---- all of it ---- */

static enum masing_status begin(struct run *run, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_loop_options *options = run->options;
    int n_loops = options->points ? 1 : options->n_amplitudes;
    char text[MASING_MESSAGE_LENGTH] = "";
    struct loop_plane plane;
    TRY(check_options(run, error));
    TRY(loop_plane_choose(run->law, run->parameters, options->path, &plane, error));
    run->table.is_circle = plane.is_circle;
    run->summary->loops = memory_array((size_t)n_loops, sizeof *run->summary->loops);
    TRY_ALLOCATED(run->summary->loops);
    const char *caution =
        run->law->caution ? run->law->caution(run->parameters, text, sizeof text) : NULL;
    TRY(caution ? warning_add(&run->warnings, error, "%s", caution) : MASING_OK);
    TRY(loop_march_create(run->law, run->parameters, &plane, &run->march, error));
    TRY(loop_table_open(&run->table, error));
done:
    return status;
}

static enum masing_status run_all(struct run *run, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_loop_options *options = run->options;
    if (options->points) {
        struct masing_loop_measures *measures = run->summary->loops;
        TRY(loop_path_follow(run->march, options->points, options->progress, measures,
                             &run->table, error));
        TRY(loop_table_measures(&run->table, measures, error));
        run->summary->n_loops = 1;
        goto done;
    }
    for (int i = 0; i < options->n_amplitudes; i++) {
        TRY(run_amplitude(run, i, error));
    }
done:
    return status;
}

static enum masing_status follow(const struct masing_law *law, const void *parameters,
                                 const struct masing_loop_options *options,
                                 const struct masing_sink *rows,
                                 const struct masing_sink *measures,
                                 struct masing_loop_summary *summary,
                                 struct masing_error *error)
{
    static const struct masing_motion_term sine = {1, 1.0, 0.0};
    enum masing_status status = MASING_OK;
    double began = processor_time();
    struct run run = {
        .law = law,
        .parameters = parameters,
        .options = options,
        .motion = {options->n_terms > 0 ? options->n_terms : 1,
                   options->n_terms > 0 ? options->terms : &sine},
        .omega = TWO_PI * (options->frequency_hz > 0.0 ? options->frequency_hz : 1.0),
        .tolerance = options->tolerance > 0.0 ? options->tolerance : default_tolerance,
        .n_rows = options->n_rows > 0 ? options->n_rows : DEFAULT_ROWS,
        .table = {.rows = rows,
                  .measures = measures,
                  .is_of_points = options->points != NULL,
                  .has_equivalent = options->has_equivalent_bouc_wen},
        .summary = summary,
        .warnings = {&summary->warnings, &summary->n_warnings},
    };
    TRY(begin(&run, error));
    status = run_all(&run, error);
done:
    status = loop_table_close(&run.table, status, error);
    if (status == MASING_STOPPED) {
        snprintf(summary->reason, sizeof summary->reason, "%s", error->message);
    }
    summary->seconds = processor_time() - began;
    loop_march_destroy(run.march);
    return status;
}

enum masing_status masing_loop(const struct masing_law *law, const void *parameters,
                               const struct masing_loop_options *options,
                               const struct masing_sink *rows,
                               const struct masing_sink *measures,
                               struct masing_loop_summary *summary, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_loop_options chosen;
    struct masing_loop_summary found = {0};
    error = entry_begin(error, &own);
    hold_blas_to_one_thread();
    TRY(entry_need(law, "law", error));
    TRY(entry_need(parameters, "parameters", error));
    TRY(entry_read(options, "options", &chosen, sizeof chosen, error));
    TRY(entry_need_array(chosen.n_amplitudes, chosen.amplitudes, "options.amplitudes", error));
    TRY(entry_need_array(chosen.n_terms, chosen.terms, "options.terms", error));
    if (chosen.points) {
        TRY(entry_need_array(chosen.points->n_points, chosen.points->displacement,
                             "options.points.displacement", error));
    }
    TRY(entry_check(summary, "summary", error));
    status = follow(law, parameters, &chosen, rows, measures, &found, error);
done:
    release_blas();
    if (!entry_write(summary, &found, sizeof found)) {
        masing_loop_summary_clear(&found);
    }
    return status;
}
