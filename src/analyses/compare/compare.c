/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/compare/comparison.h"
#include "analyses/response/rows.h"
#include "model/message.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/hertz.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/one_thread.h"
#include "model/joints.h"
#include "transient/modal_state.h"

void masing_compare_summary_clear(struct masing_compare_summary *summary)
{
    if (summary) {
        warnings_clear(&(struct warning_list){&summary->warnings, &summary->n_warnings});
        entry_zero(summary, sizeof *summary);
    }
}

/* Of the integration's steps a picture shows about so many as dots. */
enum { DOTS = 80 };

static const char by_balance[] = "harmonic balance", in_time[] = "time integration";

/* ---- the table of the points ---- */

/* Context of the walk of a point; passed: -1 where nothing is judged. */
struct point_walk {
    const struct comparison *comparison;
    size_t index;
    int passed;
};

static const char *settled_name(enum settled settled)
{
    static const char *const names[N_SETTLED] = {"",      "same",         "offset",
                                                 "point", "sub-harmonic", "other"};
    return names[settled];
}

static void walk_cold(struct row_table *table, const struct comparison *comparison)
{
    const char *output = comparison->model->spec.outputs[0].name;
    const struct integrated *cold = &comparison->cold;
    ROW_REAL(table, cold->motion.outputs[0].max, "%.80s_max_cold", output);
    ROW_REAL(table, cold->motion.outputs[0].h1, "%.80s_h1_cold", output);
    ROW_REAL(table, cold->difference, "relative_difference_cold");
    ROW_REAL(table, cold->seconds, "seconds_cold");
}

static void walk_differences(struct row_table *table, const struct comparison *comparison,
                             int output)
{
    const struct motion_differences *differences = &comparison->warm.differences;
    const struct basis *basis = comparison->balance.basis;
    const char *name = comparison->model->spec.outputs[output].name;
    int n = differences->n_waves, skipped = basis->n_harmonics - n;
    ROW_REAL(table, comparison->balance.outputs[output].mean, "%.80s_mean_hb", name);
    ROW_REAL(table, comparison->warm.motion.outputs[output].mean, "%.80s_mean_ti", name);
    ROW_REAL(table, differences->outputs[output].max, "%.80s_max_difference", name);
    ROW_REAL(table, differences->outputs[output].mean, "%.80s_mean_difference", name);
    for (int k = 0; k < n; k++) {
        ROW_REAL(table, differences->waves[output * n + k], "%.80s_h%d_difference", name,
                 basis->harmonics[k + skipped]);
    }
}

static void walk_settled(struct row_table *table, const struct integrated *integrated,
                         const char *suffix)
{
    ROW_TEXT(table, settled_name(integrated->settled), "settled_on%s", suffix);
    ROW_INTEGER(table, integrated->point < 0 ? (double)NAN : integrated->point,
                "settled_point%s", suffix);
    ROW_INTEGER(table, integrated->order > 0 ? integrated->order : (double)NAN,
                "period_multiple%s", suffix);
}

static void walk_first(struct row_table *table, const struct comparison *comparison,
                       size_t index)
{
    const struct compared_motion *balance = &comparison->balance;
    const struct integrated *warm = &comparison->warm;
    const char *name = comparison->model->spec.outputs[0].name;
    ROW_REAL(table, hertz(comparison->points.omega[index]), "frequency_hz");
    ROW_REAL(table, balance->outputs[0].max, "%.80s_max_hb", name);
    ROW_REAL(table, warm->motion.outputs[0].max, "%.80s_max_ti", name);
    ROW_REAL(table, warm->difference, "relative_difference");
    ROW_REAL(table, comparison->summary->seconds_hb, "seconds_hb");
    ROW_REAL(table, warm->seconds, "seconds_ti");
    ROW_TEXT(table, comparison->measure, "measure");
    ROW_INTEGER(table, warm->cycles, "cycles");
    ROW_REAL(table, balance->outputs[0].h1, "%.80s_h1_hb", name);
    ROW_REAL(table, warm->motion.outputs[0].h1, "%.80s_h1_ti", name);
}

static void walk_point(struct row_table *table, const void *context)
{
    const struct point_walk *walk = context;
    const struct comparison *comparison = walk->comparison;
    const struct masing_spec *spec = &comparison->model->spec;
    const struct compared_motion *balance = &comparison->balance;
    const struct integrated *warm = &comparison->warm;
    const struct masing_compare_options *options = comparison->options;
    walk_first(table, comparison, walk->index);
    if (options->is_cold) {
        walk_cold(table, comparison);
    }
    for (int i = 1; i < spec->n_outputs; i++) {
        const char *name = spec->outputs[i].name;
        ROW_REAL(table, balance->outputs[i].max, "%.80s_max_hb", name);
        ROW_REAL(table, warm->motion.outputs[i].max, "%.80s_max_ti", name);
        ROW_REAL(table, balance->outputs[i].h1, "%.80s_h1_hb", name);
        ROW_REAL(table, warm->motion.outputs[i].h1, "%.80s_h1_ti", name);
    }
    ROW_INTEGER(table, (double)walk->index, "point");
    walk_settled(table, warm, "");
    if (options->is_cold) {
        walk_settled(table, &comparison->cold, "_cold");
    }
    ROW_INTEGER(table, walk->passed < 0 ? (double)NAN : walk->passed, "passed");
    ROW_REAL(table, balance->joint_loss, "joint_loss_hb");
    ROW_REAL(table, warm->motion.joint_loss, "joint_loss_ti");
    ROW_REAL(table, warm->differences.joint_loss, "joint_loss_difference");
    for (int i = 0; i < spec->n_outputs; i++) {
        walk_differences(table, comparison, i);
    }
    if (options->has_errors) {
        const struct accuracies *accuracies = &comparison->accuracies;
        ROW_REAL(table, accuracies->hb, "error_hb");
        ROW_REAL(table, accuracies->ti, "error_ti");
        ROW_INTEGER(table, accuracies->steps, "steps_equal");
        ROW_REAL(table, accuracies->seconds, "seconds_equal");
    }
}

/* ---- the table of the curve and of the integrations on it, for a picture ---- */

/* One place of the picture. */
struct curve_walk {
    const char *output; /* name */
    const char *method;
    double omega, value;
    bool is_dot;
};

static void walk_curve(struct row_table *table, const void *context)
{
    const struct curve_walk *walk = context;
    ROW_TEXT(table, walk->method, "method");
    ROW_REAL(table, hertz(walk->omega), "frequency_hz");
    ROW_REAL(table, walk->value, "%.80s_max", walk->output);
    ROW_INTEGER(table, walk->is_dot, "is_dot");
}

static enum masing_status write_place(struct comparison *comparison, const char *method,
                                      double omega, double value, struct masing_error *error)
{
    const struct curve_walk walk = {
        .method = method, .omega = omega, .value = value, .is_dot = method != by_balance};
    return row_sink_write(&comparison->curve_table, &walk, error);
}

/* ---- the table of the loops ---- */

/* A row of a loop and what the rows of the loop share. */
struct loop_walk {
    size_t index;
    double hz;
    char joint[MASING_COLUMN_NAME];
    const char *method;
    double x, f;
    bool is_dot, is_shown; /* is_shown: a picture shows this row */
};

static void walk_loop(struct row_table *table, const void *context)
{
    const struct loop_walk *walk = context;
    ROW_INTEGER(table, (double)walk->index, "point");
    ROW_REAL(table, walk->hz, "frequency_hz");
    ROW_TEXT(table, walk->joint, "joint");
    ROW_TEXT(table, walk->method, "method");
    ROW_REAL(table, walk->x, "displacement");
    ROW_REAL(table, walk->f, "force");
    ROW_INTEGER(table, walk->is_dot, "is_dot");
    ROW_TEXT(table, walk->is_shown ? walk->joint : NULL, "shown");
}

static enum masing_status write_balance_loop(struct comparison *comparison,
                                             struct loop_walk *loop,
                                             const struct joint_response *response,
                                             struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct balance *balance = comparison->curve->balance;
    int n_samples = joint_rows_samples(balance);
    size_t n_axes = (size_t)response->n_axes;
    struct joint_march march;
    TRY(joint_rows_march(balance, response, TWO_PI * loop->hz, n_samples, NULL, &march, error));
    loop->method = by_balance;
    for (size_t a = 0; a < n_axes; a++) {
        joint_axis_text(response->joint->spec, (int)a, loop->joint, sizeof loop->joint);
        for (int i = 0; i <= n_samples; i++) {
            size_t at = (size_t)(i % n_samples) * n_axes + a;
            loop->x = march.x[at];
            loop->f = march.f[at];
            TRY(row_sink_write(&comparison->loops, loop, error));
        }
    }
done:
    free(march.x);
    return status;
}

/* The place of a joint's axis among those whose loops were kept. */
static int place_of(const struct compared_motion *motion, int axis)
{
    int i = 0;
    while (i < motion->n_loop_axes && motion->loop_axes[i] != axis) {
        i++;
    }
    return i;
}

static enum masing_status write_integrated_loop(struct comparison *comparison,
                                                struct loop_walk *loop,
                                                const struct joint *joint,
                                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct compared_motion *motion = &comparison->warm.motion;
    int stride = motion->n_loop_steps > DOTS ? motion->n_loop_steps / DOTS : 1;
    bool is_shown = loop->is_shown;
    loop->method = in_time;
    loop->is_dot = true;
    for (int a = 0; motion->loop_x && a < joint->n_axes; a++) {
        int place = place_of(motion, joint->first_axis + a);
        joint_axis_text(joint->spec, a, loop->joint, sizeof loop->joint);
        for (int i = 0; i <= motion->n_loop_steps; i++) {
            size_t at = (size_t)i * (size_t)motion->n_loop_axes + (size_t)place;
            loop->x = motion->loop_x[at];
            loop->f = motion->loop_f[at];
            loop->is_shown = is_shown && i % stride == 0;
            TRY(row_sink_write(&comparison->loops, loop, error));
        }
    }
done:
    return status;
}

static enum masing_status write_loops(struct comparison *comparison, size_t index,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct balance *balance = comparison->curve->balance;
    double omega = comparison->points.omega[index];
    const struct loop_walk blank = {
        .index = index, .hz = hertz(omega), .is_shown = index == comparison->largest};
    const double *y = saved_points_restore(&comparison->points, index, balance);
    TRY(balance_settle(balance, y, omega, false));
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = balance->joints[j]->joint;
        if (comparison->model->spec.groups[joint->group].n_joints == 1) {
            struct loop_walk loop = blank;
            TRY(write_balance_loop(comparison, &loop, balance->joints[j], error));
            TRY(write_integrated_loop(comparison, &loop, joint, error));
        }
    }
done:
    return status;
}

/* ---- all tables ---- */

/* A point in all tables: the balance's solution and the last integrations; passed: -1 where
 * nothing is judged. */
static enum masing_status write_point(struct comparison *comparison, size_t index, int passed,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double omega = comparison->points.omega[index];
    const struct point_walk walk = {comparison, index, passed};
    TRY(row_sink_write(&comparison->rows, &walk, error));
    TRY(write_place(comparison, in_time, omega, comparison->warm.motion.outputs[0].max, error));
    if (comparison->options->is_cold) {
        TRY(write_place(comparison, "time, from rest", omega,
                        comparison->cold.motion.outputs[0].max, error));
    }
    if (comparison->options->loops) {
        TRY(write_loops(comparison, index, error));
    }
done:
    return status;
}

/* All are finished, whatever happens to one of them; of an analysis that failed none is. */
static enum masing_status close_tables(struct comparison *comparison, enum masing_status status,
                                       struct masing_error *error)
{
    struct row_sink *tables[] = {&comparison->rows, &comparison->loops,
                                 &comparison->curve_table};
    enum masing_status first = status;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        enum masing_status ended = row_sink_end(tables[i], first, error);
        status = ended != first ? ended : status;
    }
    return status;
}

/* ---- the curve ---- */

static enum masing_status check_input(const struct comparison *comparison,
                                      struct masing_error *error)
{
    const struct masing_spec *spec = &comparison->model->spec;
    double low = hertz(fmin(spec->omega_from, spec->omega_to));
    double high = hertz(fmax(spec->omega_from, spec->omega_to));
    enum masing_status status = model_need_sweep(spec, false, error);
    status = status ? status : model_need_outputs(spec, error);
    if (status != MASING_OK) {
        return status;
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

/* Points to compare by default. */
enum { N_POINTS = 10 };

static bool is_wanted(const struct comparison *comparison, double omega)
{
    const struct masing_compare_options *options = comparison->options;
    for (int i = 0; i < options->n_frequencies; i++) {
        double wanted = TWO_PI * options->frequencies_hz[i];
        if (fabs(omega - wanted) <= 1e-12 * wanted) {
            return true;
        }
    }
    return options->n_frequencies == 0;
}

static enum masing_status keep_point(void *context, const struct response_curve *curve,
                                     const struct continuation_point *point,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct comparison *comparison = context;
    TRY(saved_points_add(&comparison->points, curve->balance, point->y, point->lambda, error));
    TRY(write_place(comparison, by_balance, point->lambda,
                    curve->recovery->point.measures[0].max, error));
done:
    return status;
}

/* At the frequencies that were given; else evenly along the curve with both ends. */
static enum masing_status choose(struct comparison *comparison, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_compare_options *options = comparison->options;
    size_t n_points = comparison->points.n;
    size_t n = (size_t)(options->n_points > 0 ? options->n_points : N_POINTS);
    bool is_picked = options->n_frequencies == 0 && n < n_points;
    comparison->chosen = memory_array(n_points, sizeof *comparison->chosen);
    TRY_ALLOCATED(comparison->chosen);
    for (size_t i = 0; is_picked && i < n; i++) {
        comparison->chosen[comparison->n_chosen++] =
            n > 1 ? (i * (n_points - 1) + (n - 1) / 2) / (n - 1) : n_points / 2;
    }
    for (size_t i = 0; !is_picked && i < n_points; i++) {
        if (is_wanted(comparison, comparison->points.omega[i])) {
            comparison->chosen[comparison->n_chosen++] = i;
        }
    }
done:
    return status;
}

static enum masing_status find_largest(struct comparison *comparison)
{
    enum masing_status status = MASING_OK;
    struct response_curve *curve = comparison->curve;
    double largest = -1.0;
    for (size_t i = 0; i < comparison->n_chosen; i++) {
        size_t index = comparison->chosen[i];
        const double *y = saved_points_restore(&comparison->points, index, curve->balance);
        TRY(recovery_evaluate(curve->recovery, y, comparison->points.omega[index]));
        if (curve->recovery->point.measures[0].max > largest) {
            largest = curve->recovery->point.measures[0].max;
            comparison->largest = index;
        }
    }
done:
    return status;
}

/* Follow the curve, keep its points and choose those to compare. MASING_STOPPED is left in
 * *ended. */
static enum masing_status follow(struct comparison *comparison, enum masing_status *ended,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_compare_options *options = comparison->options;
    comparison->quiet = progress_quiet(options->progress);
    comparison->response_options =
        (struct masing_response_options){.n_at = options->n_frequencies,
                                         .at_hz = options->frequencies_hz,
                                         .progress = &comparison->quiet};
    const struct response_curve_settings settings = {
        .model = comparison->model,
        .options = &comparison->response_options,
        .point_context = comparison,
        .point = keep_point,
    };
    TRY(response_curve_create(&settings, &comparison->response, &comparison->curve, error));
    *ended = response_curve_follow(comparison->curve, error);
    status = *ended < 0 ? *ended : MASING_OK;
    TRY(status);
    TRY(warnings_add_model(&comparison->warnings, comparison->model, error));
    TRY(energy_limits_warn(comparison->curve->energy_limits, "Hz", &comparison->warnings,
                           error));
    TRY(response_warn_drift(comparison->curve, &comparison->warnings, error));
    comparison->summary->seconds_hb =
        comparison->response.seconds / fmax(1.0, comparison->response.points);
    TRY(choose(comparison, error));
    if (options->loops) {
        TRY(find_largest(comparison));
    }
done:
    return status;
}

/* ---- one point ---- */

/* What is compared of the first output: the largest harmonic where its mean is arbitrary. */
static void choose_measure(struct comparison *comparison, bool is_stuck)
{
    const struct compared_motion *balance = &comparison->balance;
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
        worst = motion_differences_worst(&integrated->differences, &comparison->model->spec,
                                         comparison->balance.basis, name, sizeof name);
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

static enum masing_status compare_point(struct comparison *comparison, size_t index,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct response_curve *curve = comparison->curve;
    double omega = comparison->points.omega[index];
    const double *y = saved_points_restore(&comparison->points, index, curve->balance);
    TRY(recovery_evaluate(curve->recovery, y, omega));
    compared_motion_recover(&comparison->balance, curve->recovery, y);
    bool is_stuck = slider_offsets_reach(&comparison->offsets, curve->balance, 0);
    choose_measure(comparison, is_stuck);
    TRY(comparison_integrate(comparison, index, is_stuck, &comparison->warm, error));
    if (comparison->options->is_cold) {
        TRY(comparison_integrate(comparison, index, is_stuck, &comparison->cold, error));
    }
    note_point(comparison, omega, is_stuck);
    if (comparison->options->has_errors) {
        TRY(comparison_find_accuracies(comparison, index, error));
        note_accuracies(comparison);
    }
    int passed = judge_all(comparison, omega);
    TRY(write_point(comparison, index, passed, error));
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

/* ---- set-up ---- */

static enum masing_status create(struct comparison *comparison, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct balance *balance = comparison->curve->balance;
    int n_outputs = comparison->model->spec.n_outputs;
    size_t n_coefficients = (size_t)balance->n_coefficients;
    comparison->modal =
        memory_array(n_coefficients * (size_t)balance->structure->n_modes, sizeof(double));
    TRY_ALLOCATED(comparison->modal);
    TRY(compared_motion_create(balance, n_outputs, &comparison->balance, error));
    TRY(compared_motion_create(balance, n_outputs, &comparison->other, error));
    TRY(motion_differences_create(&comparison->balance, &comparison->trial, error));
    struct integrated *all[] = {&comparison->warm, &comparison->cold, &comparison->finer};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        TRY(compared_motion_create(balance, n_outputs, &all[i]->motion, error));
        TRY(motion_differences_create(&comparison->balance, &all[i]->differences, error));
        all[i]->shift = memory_array((size_t)n_outputs, sizeof(double));
        all[i]->offsets = memory_array((size_t)balance->n_joints, sizeof *all[i]->offsets);
        TRY_ALLOCATED(all[i]->shift && all[i]->offsets);
    }
    TRY(slider_offsets_create(comparison->model, &comparison->offsets, error));
done:
    return status;
}

static void destroy(struct comparison *comparison)
{
    struct integrated *all[] = {&comparison->warm, &comparison->cold, &comparison->finer};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        compared_motion_clear(&all[i]->motion);
        motion_differences_clear(&all[i]->differences);
        free(all[i]->shift);
        free(all[i]->offsets);
    }
    compared_motion_clear(&comparison->balance);
    compared_motion_clear(&comparison->other);
    motion_differences_clear(&comparison->trial);
    slider_offsets_clear(&comparison->offsets);
    refinement_destroy(comparison->refinement);
    free(comparison->modal);
    free(comparison->chosen);
    saved_points_clear(&comparison->points);
    response_curve_destroy(comparison->curve);
    masing_response_summary_clear(&comparison->response);
}

/* ---- end ---- */

/* Means of the summary. */
static void take_means(struct comparison *comparison)
{
    struct masing_compare_summary *summary = comparison->summary;
    bool has_points = summary->n_points > 0;
    summary->seconds_ti = has_points ? summary->seconds_ti / summary->n_points : NAN;
    summary->seconds_equal =
        summary->n_equal > 0 ? summary->seconds_equal / summary->n_equal : NAN;
}

/* MASING_OK, or MASING_STOPPED with the first reason that applies; ended: how the curve did. */
static enum masing_status explain_end(struct comparison *comparison, enum masing_status ended,
                                      struct masing_error *error)
{
    struct masing_compare_summary *summary = comparison->summary;
    if (comparison->is_cancelled) {
        return masing_error_set(error, MASING_STOPPED, "interrupted");
    }
    if (error->status != MASING_OK) {
        return MASING_STOPPED;
    }
    if (ended != MASING_OK) {
        return masing_error_set(error, MASING_STOPPED, "the curve ended early");
    }
    if (summary->n_points == 0) {
        return masing_error_set(error, MASING_STOPPED,
                                "the curve has no point at the frequencies that were given");
    }
    if (summary->n_steady < summary->n_points) {
        return masing_error_set(error, MASING_STOPPED, "%d of %d points, %s",
                                summary->n_points - summary->n_steady, summary->n_points,
                                comparison->failures[0]);
    }
    if (comparison->options->is_cold && summary->n_steady_cold < summary->n_points) {
        return masing_error_set(error, MASING_STOPPED, "%d of %d integrations from rest, %s",
                                summary->n_points - summary->n_steady_cold, summary->n_points,
                                comparison->failures[1]);
    }
    summary->is_complete = true;
    if (summary->n_failed > 0 &&
        !(summary->largest_difference > comparison->options->tolerance)) {
        return masing_error_set(error, MASING_STOPPED,
                                "%d of %d points are not confirmed, first at %.7g Hz, where "
                                "the integration repeats only after %d periods of the load",
                                summary->n_failed, summary->n_points, comparison->multiple_hz,
                                comparison->multiple);
    }
    if (summary->n_failed > 0) {
        return masing_error_set(error, MASING_STOPPED,
                                "%d of %d points differ by more than the tolerance of %g: most "
                                "at %.7g Hz, where %s differs by %.3g",
                                summary->n_failed, summary->n_points,
                                comparison->options->tolerance, summary->largest_hz,
                                summary->largest_name, summary->largest_difference);
    }
    return MASING_OK;
}

static enum masing_status run(struct comparison *comparison, const struct masing_sink *rows,
                              struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    TRY(check_input(comparison, error));
    const struct masing_compare_options *options = comparison->options;
    const struct curve_walk curve = {.output = comparison->model->spec.outputs[0].name};
    TRY(row_sink_begin(&comparison->curve_table, options->curve, walk_curve, &curve, error));
    TRY(follow(comparison, &ended, error));
    TRY(create(comparison, error));
    const struct point_walk point = {.comparison = comparison};
    TRY(row_sink_begin(&comparison->rows, rows, walk_point, &point, error));
    TRY(row_sink_begin(&comparison->loops, options->loops, walk_loop, NULL, error));
    status = compare_all(comparison, error);
    if (status < 0) {
        goto done;
    }
    if (status != MASING_OK && status != MASING_STOPPED) {
        masing_error_set(error, MASING_STOPPED,
                         "a point of the curve could not be evaluated again (%s)",
                         masing_status_name(status));
    }
    take_means(comparison);
    status = explain_end(comparison, ended, error);
done:
    return status;
}

/* Without a range the curve is that over the frequencies that are asked for. */
static void sweep_frequencies(const struct masing_compare_options *options,
                              struct masing_spec *spec)
{
    const double *hz = options->frequencies_hz;
    if (spec->sweep != MASING_SWEEP_NONE || options->n_frequencies == 0) {
        return;
    }
    spec->omega_from = spec->omega_to = TWO_PI * hz[0];
    for (int i = 1; i < options->n_frequencies; i++) {
        spec->omega_from = fmin(spec->omega_from, TWO_PI * hz[i]);
        spec->omega_to = fmax(spec->omega_to, TWO_PI * hz[i]);
    }
    spec->sweep = spec->omega_from < spec->omega_to ? MASING_SWEEP_RANGE : MASING_SWEEP_POINT;
}

static enum masing_status compare(const struct masing_model *model,
                                  const struct masing_compare_options *options,
                                  const struct masing_sink *rows,
                                  struct masing_compare_summary *summary,
                                  struct masing_error *error)
{
    struct masing_model swept = *model; /* lent what it owns */
    sweep_frequencies(options, &swept.spec);
    struct comparison comparison = {
        .model = &swept,
        .options = options,
        .summary = summary,
        .warnings = {&summary->warnings, &summary->n_warnings},
    };
    *summary = (struct masing_compare_summary){.worst_difference = NAN,
                                               .worst_hz = NAN,
                                               .worst_difference_cold = NAN,
                                               .error_hb = NAN,
                                               .error_ti = NAN};
    enum masing_status status = run(&comparison, rows, error);
    status = close_tables(&comparison, status, error);
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
    limit_blas_to_one_thread();
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
