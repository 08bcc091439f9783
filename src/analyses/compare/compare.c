/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/compare/comparison.h"
#include "analyses/response/rows.h"
#include "model/unroll.h"
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
        warnings_clear(&(struct warning_list){&summary->warnings, &summary->n_warnings, NULL});
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
    int passed;
};

static void walk_differences(struct row_table *table, const struct comparison *comparison,
                             int output)
{
    const struct compared_motion *motion = &comparison->warm.motion;
    const struct basis *basis = comparison->balance.basis;
    const char *name = comparison->model->spec.outputs[output].name;
    ROW_REAL(table, comparison->balance.outputs[output].mean, "%.80s_mean_hb", name);
    ROW_REAL(table, motion->outputs[output].mean, "%.80s_mean_ti", name);
    ROW_REAL(table, motion->outputs[output].max_difference, "%.80s_max_difference", name);
    ROW_REAL(table, motion->outputs[output].mean_difference, "%.80s_mean_difference", name);
    for (int k = 0; k < basis->n_harmonics; k++) {
        if (basis->harmonics[k] > 0) {
            ROW_REAL(table, motion->wave_differences[output * basis->n_harmonics + k],
                     "%.80s_h%d_difference", name, basis->harmonics[k]);
        }
    }
}

static void walk_settled(struct row_table *table, const struct integrated *integrated,
                         const char *suffix)
{
    static const char *const names[N_SETTLED] = {"",      "same",         "offset",
                                                 "point", "sub-harmonic", "other"};
    ROW_TEXT(table, names[integrated->settled], "settled_on%s", suffix);
    ROW_INTEGER(table, integrated->point < 0 ? (double)NAN : integrated->point,
                "settled_point%s", suffix);
    ROW_INTEGER(table, integrated->order > 0 ? integrated->order : (double)NAN,
                "period_multiple%s", suffix);
}

/* Largest value and first harmonic of the outputs after the first. */
static void walk_others(struct row_table *table, const struct comparison *comparison)
{
    for (int i = 1; i < comparison->model->spec.n_outputs; i++) {
        const char *name = comparison->model->spec.outputs[i].name;
        const struct compared_output *balance = &comparison->balance.outputs[i];
        const struct compared_output *warm = &comparison->warm.motion.outputs[i];
        ROW_REAL(table, balance->max, "%.80s_max_hb", name);
        ROW_REAL(table, warm->max, "%.80s_max_ti", name);
        ROW_REAL(table, balance->h1, "%.80s_h1_hb", name);
        ROW_REAL(table, warm->h1, "%.80s_h1_ti", name);
    }
}

static void walk_point(struct row_table *table, const void *context)
{
    const struct point_walk *walk = context;
    const struct comparison *comparison = walk->comparison;
    const struct compared_motion *balance = &comparison->balance;
    const struct integrated *warm = &comparison->warm, *cold = &comparison->cold;
    const struct masing_compare_options *options = comparison->options;
    const char *name = comparison->model->spec.outputs[0].name;
    ROW_REAL(table, hertz(comparison->omega), "frequency_hz");
    ROW_REAL(table, balance->outputs[0].max, "%.80s_max_hb", name);
    ROW_REAL(table, warm->motion.outputs[0].max, "%.80s_max_ti", name);
    ROW_REAL(table, warm->difference, "relative_difference");
    ROW_REAL(table, comparison->summary->seconds_hb, "seconds_hb");
    ROW_REAL(table, warm->seconds, "seconds_ti");
    ROW_TEXT(table, comparison->measure, "measure");
    ROW_INTEGER(table, warm->cycles, "cycles");
    ROW_REAL(table, balance->outputs[0].h1, "%.80s_h1_hb", name);
    ROW_REAL(table, warm->motion.outputs[0].h1, "%.80s_h1_ti", name);
    if (options->is_cold) {
        ROW_REAL(table, cold->motion.outputs[0].max, "%.80s_max_cold", name);
        ROW_REAL(table, cold->motion.outputs[0].h1, "%.80s_h1_cold", name);
        ROW_REAL(table, cold->difference, "relative_difference_cold");
        ROW_REAL(table, cold->seconds, "seconds_cold");
    }
    walk_others(table, comparison);
    ROW_INTEGER(table, (double)comparison->index, "point");
    walk_settled(table, warm, "");
    if (options->is_cold) {
        walk_settled(table, cold, "_cold");
    }
    ROW_INTEGER(table, walk->passed < 0 ? (double)NAN : walk->passed, "passed");
    ROW_REAL(table, balance->joint_loss, "joint_loss_hb");
    ROW_REAL(table, warm->motion.joint_loss, "joint_loss_ti");
    ROW_REAL(table, warm->motion.loss_difference, "joint_loss_difference");
    for (int i = 0; i < comparison->model->spec.n_outputs; i++) {
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

/* Rows of a closed loop of n samples, which stand so far from one another; every so many a
 * picture shows. */
static enum masing_status write_loop(struct comparison *comparison,
                                     const struct loop_walk *blank, const double *x,
                                     const double *f, int n, size_t apart, int every,
                                     struct masing_error *error)
{
    struct loop_walk loop = *blank;
    for (int i = 0; i <= n; i++) {
        size_t at = (size_t)(loop.is_dot ? i : i % n) * apart;
        loop.x = x[at];
        loop.f = f[at];
        loop.is_shown = blank->is_shown && i % every == 0;
        NEED(row_sink_write(&comparison->loops, &loop, error));
    }
    return MASING_OK;
}

/* Of a joint by both methods; place: of its first axis among those whose loops were kept. */
static enum masing_status write_joint(struct comparison *comparison, struct loop_walk *loop,
                                      const struct joint_response *response, int place,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct balance *balance = comparison->curve->balance;
    const struct joint *joint = response->joint;
    int n = joint_rows_samples(balance), n_steps = comparison->n_loop_steps;
    int every = n_steps > DOTS ? n_steps / DOTS : 1;
    struct joint_march march;
    TRY(joint_rows_march(balance, response, TWO_PI * loop->hz, n, NULL, &march, error));
    loop->method = by_balance;
    loop->is_dot = false;
    for (int a = 0; a < joint->n_axes; a++) {
        joint_axis_text(joint->spec, a, loop->joint, sizeof loop->joint);
        TRY(write_loop(comparison, loop, march.x + a, march.f + a, n, (size_t)joint->n_axes, 1,
                       error));
    }
    loop->method = in_time;
    loop->is_dot = true;
    for (int a = 0; comparison->loop_x && a < joint->n_axes; a++) {
        joint_axis_text(joint->spec, a, loop->joint, sizeof loop->joint);
        TRY(write_loop(comparison, loop, comparison->loop_x + place + a,
                       comparison->loop_f + place + a, n_steps, (size_t)comparison->n_loop_axes,
                       every, error));
    }
done:
    free(march.x);
    return status;
}

static enum masing_status write_loops(struct comparison *comparison, struct masing_error *error)
{
    struct balance *balance = comparison->curve->balance;
    struct loop_walk loop = {.index = comparison->index,
                             .hz = hertz(comparison->omega),
                             .is_shown = comparison->index == comparison->largest};
    int place = 0;
    NEED(balance_settle(balance, comparison_restore(comparison), comparison->omega, false));
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        if (comparison->model->spec.groups[response->joint->group].n_joints == 1) {
            NEED(write_joint(comparison, &loop, response, place, error));
            place += response->n_axes;
        }
    }
    return MASING_OK;
}

/* ---- all tables ---- */

/* The point at hand in all tables: the balance's solution and the last integrations; passed: -1
 * where nothing is judged. */
static enum masing_status write_point(struct comparison *comparison, int passed,
                                      struct masing_error *error)
{
    double omega = comparison->omega;
    const struct point_walk walk = {comparison, passed};
    NEED(row_sink_write(&comparison->rows, &walk, error));
    NEED(
        write_place(comparison, in_time, omega, comparison->warm.motion.outputs[0].max, error));
    if (comparison->options->is_cold) {
        NEED(write_place(comparison, "time, from rest", omega,
                         comparison->cold.motion.outputs[0].max, error));
    }
    if (comparison->options->loops) {
        NEED(write_loops(comparison, error));
    }
    return MASING_OK;
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
    NEED(model_need_sweep(spec, false, error));
    NEED(model_need_outputs(spec, error));
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
    NEED(integrator_check_size(comparison->model, error));
    return modal_state_check(comparison->model->structure, error);
}

/* Points to compare by default. */
enum { N_POINTS = 10 };

static enum masing_status keep_point(void *context, const struct response_curve *curve,
                                     const struct continuation_point *point,
                                     struct masing_error *error)
{
    struct comparison *comparison = context;
    NEED(saved_points_add(&comparison->points, curve->balance, point->y, point->lambda, error));
    return write_place(comparison, by_balance, point->lambda,
                       curve->recovery->point.measures[0].max, error);
}

/* At the frequencies that were given; else evenly along the curve with both ends. */
static enum masing_status choose(struct comparison *comparison, struct masing_error *error)
{
    const struct masing_compare_options *options = comparison->options;
    size_t n_points = comparison->points.n;
    size_t n = (size_t)(options->n_points > 0 ? options->n_points : N_POINTS);
    bool is_picked = options->n_frequencies == 0 && n < n_points;
    comparison->chosen = arena_array(&comparison->arena, n_points, sizeof *comparison->chosen);
    NEED_ALLOCATED(comparison->chosen);
    for (size_t i = 0; is_picked && i < n; i++) {
        comparison->chosen[comparison->n_chosen++] =
            n > 1 ? (i * (n_points - 1) + (n - 1) / 2) / (n - 1) : n_points / 2;
    }
    for (size_t i = 0; !is_picked && i < n_points; i++) {
        bool is_wanted = options->n_frequencies == 0;
        for (int k = 0; k < options->n_frequencies; k++) {
            double wanted = TWO_PI * options->frequencies_hz[k];
            double apart = fabs(comparison->points.omega[i] - wanted);
            is_wanted = is_wanted || apart <= 1e-12 * wanted;
        }
        if (is_wanted) {
            comparison->chosen[comparison->n_chosen++] = i;
        }
    }
    return MASING_OK;
}

static enum masing_status find_largest(struct comparison *comparison)
{
    struct response_curve *curve = comparison->curve;
    double largest = -1.0;
    for (size_t i = 0; i < comparison->n_chosen; i++) {
        size_t index = comparison->chosen[i];
        const double *y = saved_points_restore(&comparison->points, index, curve->balance);
        NEED(recovery_evaluate(curve->recovery, y, comparison->points.omega[index]));
        if (curve->recovery->point.measures[0].max > largest) {
            largest = curve->recovery->point.measures[0].max;
            comparison->largest = index;
        }
    }
    return MASING_OK;
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

static void note_point(struct comparison *comparison)
{
    struct masing_compare_summary *summary = comparison->summary;
    const struct integrated *warm = &comparison->warm, *cold = &comparison->cold;
    summary->n_points++;
    summary->n_steady += warm->is_steady;
    summary->n_multiple += warm->settled == SETTLED_MULTIPLE;
    summary->n_left += warm->settled == SETTLED_POINT;
    summary->n_stuck += comparison->is_stuck;
    summary->seconds_ti += warm->seconds;
    bool is_compared = warm->is_steady && warm->settled != SETTLED_POINT;
    if (is_compared && !(warm->difference <= summary->worst_difference)) {
        summary->worst_difference = warm->difference;
        summary->worst_hz = hertz(comparison->omega);
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
static int judge(struct comparison *comparison, const struct integrated *integrated)
{
    struct masing_compare_summary *summary = comparison->summary;
    char name[MASING_COLUMN_NAME];
    double worst = NAN;
    if (integrated->settled == SETTLED_POINT) {
        return -1;
    }
    if (integrated->is_steady) {
        worst = compared_motion_worst(&integrated->motion, &comparison->model->spec, name,
                                      sizeof name);
    }
    if (worst > summary->largest_difference) {
        summary->largest_difference = worst;
        summary->largest_hz = hertz(comparison->omega);
        snprintf(summary->largest_name, sizeof summary->largest_name, "%s", name);
    }
    return worst <= comparison->options->tolerance && integrated->order == 1;
}

static int judge_all(struct comparison *comparison)
{
    struct masing_compare_summary *summary = comparison->summary;
    int passed = judge(comparison, &comparison->warm);
    if (comparison->options->is_cold) {
        int cold = judge(comparison, &comparison->cold);
        passed = cold == 0 || passed < 0 ? cold : passed;
    }
    if (!(comparison->options->tolerance > 0.0)) {
        return -1;
    }
    summary->n_passed += passed == 1;
    summary->n_failed += passed == 0;
    return passed;
}

static enum masing_status find_accuracies(struct comparison *comparison,
                                          struct masing_error *error)
{
    struct masing_compare_summary *summary = comparison->summary;
    const struct accuracies *accuracies = &comparison->accuracies;
    NEED(comparison_find_accuracies(comparison, error));
    summary->error_hb = fmax(summary->error_hb, accuracies->hb);
    summary->error_ti = fmax(summary->error_ti, accuracies->ti);
    if (accuracies->seconds > 0.0) {
        summary->seconds_equal += accuracies->seconds;
        summary->n_equal++;
    }
    return MASING_OK;
}

static enum masing_status compare_point(struct comparison *comparison,
                                        struct masing_error *error)
{
    struct response_curve *curve = comparison->curve;
    const struct compared_motion *balance = &comparison->balance;
    const double *y = comparison_restore(comparison);
    NEED(recovery_evaluate(curve->recovery, y, comparison->omega));
    compared_motion_recover(&comparison->balance, curve->recovery, y);
    comparison->is_stuck = slider_offsets_reach(&comparison->offsets, curve->balance, 0);
    int k = comparison->is_stuck ? compared_motion_largest(balance, 0) : -1;
    snprintf(comparison->measure, sizeof comparison->measure, k < 0 ? "max" : "h%d",
             k < 0 ? 0 : balance->basis->harmonics[k]);
    NEED(comparison_integrate(comparison, &comparison->warm, error));
    if (comparison->options->is_cold) {
        NEED(comparison_integrate(comparison, &comparison->cold, error));
    }
    note_point(comparison);
    if (comparison->options->has_errors) {
        NEED(find_accuracies(comparison, error));
    }
    return write_point(comparison, judge_all(comparison), error);
}

/* ---- set-up ---- */

static enum masing_status create(struct comparison *comparison, struct masing_error *error)
{
    const struct masing_model *model = comparison->model;
    const struct balance *balance = comparison->curve->balance;
    struct arena *arena = &comparison->arena;
    int n_outputs = model->spec.n_outputs;
    comparison->modal = arena_doubles(arena, (size_t)balance->n_coefficients *
                                                 (size_t)balance->structure->n_modes);
    comparison->loop_axes = arena_array(arena, (size_t)model->n_axes, sizeof(int));
    NEED_ALLOCATED(!arena->has_failed);
    for (int j = 0; j < model->spec.n_joints && comparison->options->loops; j++) {
        const struct joint *joint = &model->joints[j];
        bool is_alone = model->spec.groups[joint->group].n_joints == 1;
        for (int a = 0; is_alone && a < joint->n_axes; a++) {
            comparison->loop_axes[comparison->n_loop_axes++] = joint->first_axis + a;
        }
    }
    NEED(compared_motion_create(balance, n_outputs, arena, &comparison->balance, error));
    NEED(compared_motion_create(balance, n_outputs, arena, &comparison->other, error));
    struct integrated *all[] = {&comparison->warm, &comparison->cold, &comparison->finer};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        NEED(compared_motion_create(balance, n_outputs, arena, &all[i]->motion, error));
        all[i]->shift = arena_doubles(arena, (size_t)n_outputs);
        all[i]->offsets =
            arena_array(arena, (size_t)balance->n_joints, sizeof *all[i]->offsets);
        NEED_ALLOCATED(!arena->has_failed);
    }
    return slider_offsets_create(model, arena, &comparison->offsets, error);
}

static void destroy(struct comparison *comparison)
{
    svd_clear(&comparison->offsets.svd);
    refinement_destroy(comparison->refinement);
    free(comparison->loop_x);
    saved_points_clear(&comparison->points);
    response_curve_destroy(comparison->curve);
    masing_response_summary_clear(&comparison->response);
    arena_clear(&comparison->arena);
}

/* ---- end ---- */

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
    struct masing_compare_summary *summary = comparison->summary;
    TRY(check_input(comparison, error));
    const struct masing_compare_options *options = comparison->options;
    const struct curve_walk curve = {.output = comparison->model->spec.outputs[0].name};
    TRY(row_sink_begin(&comparison->curve_table, options->curve, walk_curve, &curve, error));
    TRY(follow(comparison, &ended, error));
    TRY(create(comparison, error));
    const struct point_walk point = {.comparison = comparison};
    TRY(row_sink_begin(&comparison->rows, rows, walk_point, &point, error));
    TRY(row_sink_begin(&comparison->loops, options->loops, walk_loop, NULL, error));
    const struct masing_progress *progress = options->progress;
    size_t n = comparison->n_chosen;
    for (size_t i = 0; i < n && status == MASING_OK && !comparison->is_cancelled; i++) {
        comparison->index = comparison->chosen[i];
        comparison->omega = comparison->points.omega[comparison->index];
        status = compare_point(comparison, error);
        if (status == MASING_OK && progress && progress->report) {
            progress->report(progress->context, (double)(i + 1) / (double)n, (int)i + 1);
        }
    }
    if (status < 0) {
        goto done;
    }
    if (status != MASING_OK && status != MASING_STOPPED) {
        masing_error_set(error, MASING_STOPPED,
                         "a point of the curve could not be evaluated again (%s)",
                         masing_status_name(status));
    }
    summary->seconds_ti = summary->n_points > 0 ? summary->seconds_ti / summary->n_points : NAN;
    summary->seconds_equal =
        summary->n_equal > 0 ? summary->seconds_equal / summary->n_equal : NAN;
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
        .warnings = {&summary->warnings, &summary->n_warnings, NULL},
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
    struct masing_model *whole = NULL; /* disk, of a sector */
    error = entry_begin(error, &own);
    limit_blas_to_one_thread();
    TRY(entry_need(model, "model", error));
    TRY(speed_refuse(model, "time integration is", error));
    TRY(entry_read(options, "options", &chosen, sizeof chosen, error));
    TRY(entry_need_array(chosen.n_frequencies, chosen.frequencies_hz, "options.frequencies_hz",
                         error));
    TRY(entry_check(summary, "summary", error));
    TRY(model->cyclic ? unroll_model(model, &whole, error) : MASING_OK);
    status = compare(whole ? whole : model, &chosen, rows, &found, error);
done:
    release_blas();
    masing_model_destroy(whole);
    if (!entry_write(summary, &found, sizeof found)) {
        masing_compare_summary_clear(&found);
    }
    return status;
}
