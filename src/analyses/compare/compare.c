/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/compare/comparison.h"
#include "analyses/curve/warning_list.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/entry.h"
#include "base/hertz.h"
#include "base/memory.h"
#include "base/sink.h"
#include "linalg/one_thread.h"
#include "linalg/one_thread.h"
#include "transient/modal_state.h"

void masing_compare_summary_clear(struct masing_compare_summary *summary)
{
    if (summary) {
        warnings_clear(&(struct warning_list){&summary->warnings, &summary->n_warnings});
        entry_zero(summary, sizeof *summary);
    }
}

static enum masing_status check_input(const struct comparison *comparison,
                                      struct masing_error *error)
{
    const struct masing_spec *spec = &comparison->model->spec;
    double low = hertz(fmin(spec->omega_from, spec->omega_to));
    double high = hertz(fmax(spec->omega_from, spec->omega_to));
    if (spec->n_outputs == 0) {
        return masing_error_set(error, MASING_INVALID,
                                "outputs: none, expected at least one to compare");
    }
    for (int i = 0; i < comparison->options->n_frequencies; i++) {
        double hz = comparison->options->frequencies_hz[i];
        if (!(hz >= low * (1.0 - 1e-12) && hz <= high * (1.0 + 1e-12))) {
            return masing_error_set(
                error, MASING_INVALID,
                "frequency %g Hz: expected one within the model's range, %g "
                "to %g Hz",
                hz, low, high);
        }
    }
    return modal_state_check(comparison->model->structure, error);
}

/* ---- one point ---- */

/* What is compared of the first output: the largest harmonic where its mean is arbitrary. */
static void choose_measure(struct comparison *comparison, bool is_stuck)
{
    const struct compared_motion *balance = comparison->balance;
    int k = is_stuck ? compared_motion_largest(balance, 0) : -1;
    snprintf(comparison->measure, sizeof comparison->measure, "max");
    if (k >= 0) {
        snprintf(comparison->measure, sizeof comparison->measure, "h%d",
                 balance->basis->harmonics[k]);
    }
}

static void note_point(struct comparison *comparison, double omega, bool is_stuck)
{
    struct masing_compare_summary *summary = comparison->summary;
    const struct integrated *warm = &comparison->warm, *cold = &comparison->cold;
    summary->n_points++;
    summary->n_steady += warm->is_steady;
    summary->n_multiple += warm->settled == SETTLED_MULTIPLE;
    summary->n_left += warm->settled == SETTLED_POINT;
    summary->n_stuck += is_stuck;
    summary->seconds_ti += warm->seconds;
    bool is_compared = warm->is_steady && warm->settled != SETTLED_POINT;
    if (is_compared && !(warm->difference <= summary->worst_difference)) {
        summary->worst_difference = warm->difference;
        summary->worst_hz = hertz(omega);
    }
    if (comparison->options->is_cold) {
        summary->n_steady_cold += cold->is_steady;
        summary->n_multiple_cold += cold->settled == SETTLED_MULTIPLE;
        if (cold->settled != SETTLED_POINT) { /* of what is NAN nothing is kept */
            summary->worst_difference_cold =
                fmax(summary->worst_difference_cold, cold->difference);
        }
    }
}

/* Whether an integration confirms the balance to the tolerance: 1, 0; -1 where it settled on
 * another solution, which says nothing about this one. */
static int judge(struct comparison *comparison, const struct integrated *integrated,
                 double omega)
{
    struct masing_compare_summary *summary = comparison->summary;
    char name[MASING_COLUMN_NAME];
    double worst = NAN;
    if (integrated->settled == SETTLED_POINT) {
        return -1;
    }
    if (integrated->is_steady) {
        worst = motion_differences_worst(integrated->differences, &comparison->model->spec,
                                         comparison->balance->basis, name, sizeof name);
    }
    if (worst > summary->largest_difference) {
        summary->largest_difference = worst;
        summary->largest_hz = hertz(omega);
        snprintf(summary->largest_name, sizeof summary->largest_name, "%s", name);
    }
    return worst <= comparison->options->tolerance && integrated->order == 1;
}

static int judge_all(struct comparison *comparison, double omega)
{
    struct masing_compare_summary *summary = comparison->summary;
    int passed = judge(comparison, &comparison->warm, omega);
    if (comparison->options->is_cold) {
        int cold = judge(comparison, &comparison->cold, omega);
        passed = cold == 0 || passed < 0 ? cold : passed;
    }
    if (!(comparison->options->tolerance > 0.0)) {
        return -1;
    }
    summary->n_passed += passed == 1;
    summary->n_failed += passed == 0;
    return passed;
}

static void note_accuracies(struct comparison *comparison)
{
    struct masing_compare_summary *summary = comparison->summary;
    const struct accuracies *accuracies = &comparison->accuracies;
    summary->error_hb = fmax(summary->error_hb, accuracies->hb);
    summary->error_ti = fmax(summary->error_ti, accuracies->ti);
    if (accuracies->seconds > 0.0) {
        summary->seconds_equal += accuracies->seconds;
        summary->n_equal++;
    }
}

static enum masing_status integrate(struct comparison *comparison, size_t index, bool is_stuck,
                                    struct integrated *integrated, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    bool is_cold = integrated == &comparison->cold;
    const double *y =
        kept_points_restore(&comparison->points, index, comparison->curve->balance);
    TRY(comparison_integrate(comparison, comparison->model, is_cold ? NULL : y,
                             comparison->points.omega[index], integrated, error));
    TRY(recovery_evaluate(comparison->curve->recovery, y, comparison->points.omega[index]));
    comparison_note_end(comparison, hertz(comparison->points.omega[index]), integrated,
                        is_cold);
    TRY(comparison_judge(comparison, index, is_stuck, integrated));
    TRY(comparison_note(comparison, index, integrated, is_cold, error));
done:
    return status;
}

static enum masing_status write_rows(struct comparison *comparison, size_t index, int passed,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY(comparison_write_row(comparison, index, passed, error));
    if (comparison->course) {
        TRY(comparison_write_course(comparison, index, error));
    }
    if (comparison->loops) {
        TRY(comparison_write_loops(comparison, index, index == comparison->largest, error));
    }
done:
    return status;
}

static enum masing_status compare_point(struct comparison *comparison, size_t index,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct response_curve *curve = comparison->curve;
    double omega = comparison->points.omega[index];
    const double *y = kept_points_restore(&comparison->points, index, curve->balance);
    TRY(recovery_evaluate(curve->recovery, y, omega));
    compared_motion_recover(comparison->balance, curve->recovery, y);
    bool is_stuck = slider_offsets_reach(comparison->offsets, curve->balance, 0);
    choose_measure(comparison, is_stuck);
    TRY(integrate(comparison, index, is_stuck, &comparison->warm, error));
    if (comparison->options->is_cold) {
        TRY(integrate(comparison, index, is_stuck, &comparison->cold, error));
    }
    note_point(comparison, omega, is_stuck);
    if (comparison->options->has_errors) {
        TRY(comparison_find_accuracies(comparison, index, error));
        note_accuracies(comparison);
    }
    int passed = judge_all(comparison, omega);
    TRY(write_rows(comparison, index, passed, error));
done:
    return status;
}

static enum masing_status compare_all(struct comparison *comparison, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_progress *progress = comparison->options->progress;
    size_t n = comparison->n_chosen;
    for (size_t i = 0; i < n && !comparison->is_cancelled; i++) {
        TRY(compare_point(comparison, comparison->chosen[i], error));
        if (progress && progress->report) {
            progress->report(progress->context, (double)(i + 1) / (double)n, (int)i + 1);
        }
    }
done:
    return status;
}

/* ---- set-up and end ---- */

static enum masing_status create(struct comparison *comparison, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct balance *balance = comparison->curve->balance;
    int n_outputs = comparison->model->spec.n_outputs;
    size_t n_coefficients = (size_t)balance->n_coefficients;
    comparison->modal =
        memory_array(n_coefficients * (size_t)balance->structure->n_modes, sizeof(double));
    comparison->axes = memory_array(n_coefficients * (size_t)balance->n_axes, sizeof(double));
    TRY_ALLOCATED(comparison->modal && comparison->axes);
    TRY(compared_motion_create(balance, n_outputs, &comparison->balance, error));
    TRY(compared_motion_create(balance, n_outputs, &comparison->beside, error));
    TRY(motion_differences_create(comparison->balance, &comparison->trial, error));
    struct integrated *all[] = {&comparison->warm, &comparison->cold, &comparison->finer};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        TRY(compared_motion_create(balance, n_outputs, &all[i]->motion, error));
        TRY(motion_differences_create(comparison->balance, &all[i]->differences, error));
        all[i]->shift = memory_array((size_t)n_outputs, sizeof(double));
        all[i]->offsets = memory_array((size_t)balance->n_joints, sizeof *all[i]->offsets);
        TRY_ALLOCATED(all[i]->shift && all[i]->offsets);
    }
    TRY(slider_offsets_create(comparison->model, &comparison->offsets, error));
    TRY(comparison_create_rows(comparison, error));
done:
    return status;
}

static void destroy(struct comparison *comparison)
{
    struct integrated *all[] = {&comparison->warm, &comparison->cold, &comparison->finer};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        compared_motion_destroy(all[i]->motion);
        motion_differences_destroy(all[i]->differences);
        free(all[i]->shift);
        free(all[i]->offsets);
    }
    compared_motion_destroy(comparison->balance);
    compared_motion_destroy(comparison->beside);
    motion_differences_destroy(comparison->trial);
    slider_offsets_destroy(comparison->offsets);
    refinement_destroy(comparison->refinement);
    free(comparison->modal);
    free(comparison->axes);
    free(comparison->chosen);
    free(comparison->columns);
    free(comparison->cells);
    kept_points_clear(&comparison->points);
    response_curve_destroy(comparison->curve);
    masing_response_summary_clear(&comparison->response);
}

/* ---- tables ---- */

enum { N_TABLES = 3 };

struct table {
    const struct masing_sink *sink; /* NULL: nobody wants it */
    bool is_open;
};

static enum masing_status open_table(struct table *table, const struct masing_column *columns,
                                     int n_columns, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    if (table->sink) {
        status = sink_open(table->sink, columns, n_columns, error);
        table->is_open = status == MASING_OK;
    }
    return status;
}

/* All are finished, whatever happens to one of them; of an analysis that failed none is. */
static enum masing_status close_tables(struct table tables[N_TABLES], enum masing_status status,
                                       struct masing_error *error)
{
    bool is_whole = status == MASING_OK || status == MASING_STOPPED;
    for (int i = 0; i < N_TABLES; i++) {
        const struct masing_sink *sink = tables[i].sink;
        if (tables[i].is_open && is_whole) {
            enum masing_status finished = sink_finish(sink, error);
            status = finished != MASING_OK ? finished : status;
        } else if (tables[i].is_open) {
            sink_abandon(sink);
        }
    }
    return status;
}

static enum masing_status run(struct comparison *comparison, struct table tables[N_TABLES],
                              struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    struct masing_column course[4], loops[COMPARISON_LOOP_COLUMNS];
    TRY(check_input(comparison, error));
    TRY(open_table(&tables[2], course, comparison_course_columns(comparison, course), error));
    TRY(comparison_follow(comparison, &ended, error));
    TRY(create(comparison, error));
    TRY(open_table(&tables[0], comparison->columns, comparison->n_columns, error));
    comparison_loop_columns(loops);
    TRY(open_table(&tables[1], loops, COMPARISON_LOOP_COLUMNS, error));
    status = compare_all(comparison, error);
    if (status < 0) {
        goto done;
    }
    if (status != MASING_OK && status != MASING_STOPPED) {
        masing_error_set(error, MASING_STOPPED,
                         "a point of the curve could not be evaluated again (%s)",
                         masing_status_name(status));
    }
    comparison_finish(comparison);
    status = comparison_explain_end(comparison, ended, error);
done:
    return status;
}

static enum masing_status compare(const struct masing_model *model,
                                  const struct masing_compare_options *options,
                                  const struct masing_sink *rows,
                                  struct masing_compare_summary *summary,
                                  struct masing_error *error)
{
    struct comparison comparison = {
        .model = model,
        .options = options,
        .rows = rows,
        .loops = options->loops,
        .course = options->course,
        .summary = summary,
        .warnings = {&summary->warnings, &summary->n_warnings},
    };
    struct table tables[N_TABLES] = {
        {.sink = rows}, {.sink = options->loops}, {.sink = options->course}};
    *summary = (struct masing_compare_summary){.worst_difference = NAN,
                                               .worst_hz = NAN,
                                               .worst_difference_cold = NAN,
                                               .error_hb = NAN,
                                               .error_ti = NAN};
    enum masing_status status = run(&comparison, tables, error);
    status = close_tables(tables, status, error);
    if (status != MASING_OK) {
        masing_error_set(error, status, "%s", masing_status_name(status));
    }
    if (status == MASING_STOPPED) {
        snprintf(summary->reason, sizeof summary->reason, "%s", error->message);
    }
    destroy(&comparison);
    return status;
}

enum masing_status masing_compare(const struct masing_model *model,
                                  const struct masing_compare_options *options,
                                  const struct masing_sink *rows,
                                  struct masing_compare_summary *summary,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_compare_options chosen;
    struct masing_compare_summary found = {0};
    error = entry_begin(error, &own);
    hold_blas_to_one_thread();
    TRY(entry_need(model, "model", error));
    TRY(entry_read(options, "options", &chosen, sizeof chosen, error));
    TRY(entry_need_array(chosen.n_frequencies, chosen.frequencies_hz, "options.frequencies_hz",
                         error));
    TRY(entry_check(summary, "summary", error));
    status = compare(model, &chosen, rows, &found, error);
done:
    release_blas();
    if (!entry_write(summary, &found, sizeof found)) {
        masing_compare_summary_clear(&found);
    }
    return status;
}
