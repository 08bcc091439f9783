/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One integration beside the balance: the motion it settles on, where on the curve that is, and
 * how accurate both methods are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/compare/comparison.h"
#include "analyses/curve/balance_solver.h"
#include "analyses/integrate/resolution.h"
#include "base/check.h"
#include "base/progress.h"
#include "base/hertz.h"
#include "base/memory.h"
#include "base/processor_time.h"
#include "harmonic/recovery/modal_motion.h"
#include "transient/periodic/periodic.h"
#include "transient/record.h"
#include "transient/reduction.h"
#include "transient/start.h"

const double *comparison_restore(struct comparison *comparison)
{
    return saved_points_restore(&comparison->points, comparison->index,
                                comparison->curve->balance);
}

/* Whether the user cancelled. */
static bool is_over(void *context)
{
    struct comparison *comparison = context;
    const struct masing_progress *progress = comparison->options->progress;
    comparison->is_cancelled = comparison->is_cancelled || progress_is_cancelled(progress);
    return comparison->is_cancelled;
}

static bool is_over_after(void *context, int cycles, double distance)
{
    (void)cycles;
    (void)distance;
    return is_over(context);
}

static enum masing_status start_on_balance(struct comparison *comparison,
                                           const struct reduction *reduction,
                                           struct integrator *integrator, const double *y,
                                           struct masing_error *error)
{
    struct balance *balance = comparison->curve->balance;
    NEED(modal_motion(balance, y, comparison->omega, comparison->modal, error));
    NEED(reduction_coordinates(reduction, (size_t)balance->n_coefficients, comparison->modal,
                               error));
    const struct start_motion motion = {
        .n_harmonics = balance->basis->n_harmonics,
        .harmonics = balance->basis->harmonics,
        .modal = comparison->modal,
        .axes = y,
        .origin = balance->origin,
    };
    return start_on_motion(integrator, &motion, error);
}

static void keep_loops(struct comparison *comparison, const struct integrator *integrator,
                       int step)
{
    size_t n = (size_t)comparison->n_loop_axes, at = (size_t)step * n;
    for (size_t i = 0; i < n; i++) {
        comparison->loop_x[at + i] = integrator->joints->x[comparison->loop_axes[i]];
        comparison->loop_f[at + i] = integrator->joints->f[comparison->loop_axes[i]];
    }
}

static enum masing_status begin_loops(struct comparison *comparison,
                                      const struct integrator *integrator, int n_steps,
                                      struct masing_error *error)
{
    size_t size = ((size_t)n_steps + 1) * (size_t)comparison->n_loop_axes;
    free(comparison->loop_x);
    NEED_ALLOCATED(comparison->loop_x = memory_array(2 * size, sizeof(double)));
    comparison->loop_f = comparison->loop_x + size;
    comparison->n_loop_steps = n_steps;
    keep_loops(comparison, integrator, 0);
    return MASING_OK;
}

/* Until the motion is periodic, then the periods more after which it repeats. */
static enum masing_status
settle_and_record(struct comparison *comparison, struct integrator *integrator,
                  struct record *record, struct integrated *integrated,
                  struct periodic_result *settled, struct masing_error *error)
{
    const struct masing_integration_settings *settings = &integrator->model->spec.integration;
    const struct periodic_observer observer = {
        .context = comparison, .period = is_over_after, .is_over = is_over};
    bool has_loops = comparison->n_loop_axes > 0 && integrated == &comparison->warm;
    NEED(periodic_run(integrator, settings->tolerance, settings->cycles - 1, true, &observer,
                      settled, error));
    NEED(record_begin(record, integrator));
    record->n_periods = settled->is_steady ? settled->order : 1;
    int n_steps = record->n_periods * integrator->n_steps;
    compared_motion_begin(&integrated->motion);
    NEED(has_loops ? begin_loops(comparison, integrator, n_steps, error) : MASING_OK);
    for (int i = 0; i < n_steps; i++) {
        if (periodic_is_over(&observer, i)) {
            return MASING_OK;
        }
        NEED(integrator_step(integrator));
        record_step(record, integrator);
        compared_motion_step(&integrated->motion, record, integrator);
        if (has_loops) {
            keep_loops(comparison, integrator, i + 1);
        }
    }
    compared_motion_finish(&integrated->motion, record, integrator);
    if (settled->is_steady) {
        NEED(offsets_find(integrator, settled->order, integrated->offsets, error));
    }
    return MASING_OK;
}

/* Integrate at the point at hand as a model's settings say, starting on the balance solution y
 * or, where it is NULL, from rest. A motion that does not become periodic is no error: its
 * measures are NAN and comparison->failure says why. MASING_STOPPED: interrupted. */
static enum masing_status integrate(struct comparison *comparison,
                                    const struct masing_model *model, const double *y,
                                    struct integrated *integrated, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct integrator *integrator = NULL;
    struct record *record = NULL;
    struct periodic_result settled = {0};
    struct reduction reduction = {0};
    double began = processor_time(), omega = comparison->omega;
    TRY(reduction_create(model, omega, &reduction, error));
    TRY(integrator_create(reduction.model, omega, model->spec.integration.steps_per_cycle,
                          &integrator, error));
    TRY(record_create(integrator, &record, error));
    if (comparison->summary->n_points == 0 && y) {
        TRY(resolution_warn(integrator, &comparison->warnings, error));
    }
    status = y ? start_on_balance(comparison, &reduction, integrator, y, error)
               : start_at_rest(integrator, error);
    if (status == MASING_OK) {
        status = settle_and_record(comparison, integrator, record, integrated, &settled, error);
    }
    status = comparison->is_cancelled ? MASING_STOPPED : status;
    if (status < 0 || status == MASING_STOPPED) {
        goto done;
    }
    if (status != MASING_OK) {
        snprintf(comparison->failure, sizeof comparison->failure,
                 "the integration failed in cycle %d (%s)", settled.cycles + 1,
                 masing_status_name(status));
    } else if (!settled.is_steady) {
        periodic_describe(&settled, settled.cycles + 1,
                          periodic_tolerance(integrator, model->spec.integration.tolerance),
                          comparison->failure, sizeof comparison->failure);
    }
    integrated->is_steady = status == MASING_OK && settled.is_steady;
    integrated->order = integrated->is_steady ? settled.order : 0;
    if (!integrated->is_steady) {
        compared_motion_void(&integrated->motion);
        if (integrated == &comparison->warm) { /* nor are there loops */
            free(comparison->loop_x);
            comparison->loop_x = NULL;
        }
    }
    integrated->cycles = settled.cycles + record->n_periods;
    integrated->seconds = processor_time() - began;
    status = MASING_OK;
done:
    integrator_destroy(integrator);
    reduction_clear(&reduction);
    return status;
}

/* ---- where an integration settled ---- */

/* Harmonics closer than this are of the same solution, without looking at others; further than
 * that of none. Parts of the largest harmonic. */
static const double SAME_SOLUTION = 0.01, OTHER_SOLUTION = 0.1;
/* Another solution is the right one if it is this much closer. */
static const double CLOSER_SOLUTION = 0.3;
/* Change of the mean, in parts of the motion, above which sliders stand elsewhere. */
static const double DISPLACED_MEAN = 1e-3;
/* Means below this part of the motion are zero; axes that move less than that part of the one
 * that moves most stand still. */
static const double ZERO_MEAN = 1e-12, STILL_AXIS = 1e-6;

/* Solutions of the curve between two of its points: solved from the line between them. */
static enum masing_status compare_between(struct comparison *comparison, size_t first,
                                          struct point_solver *solver,
                                          const struct compared_motion *motion, double *closest,
                                          int *point)
{
    struct saved_points *points = &comparison->points;
    struct recovery *recovery = comparison->curve->recovery;
    size_t n = points->n_unknowns;
    const double *w = points->omega + first;
    double width = w[1] - w[0], share = width != 0.0 ? (comparison->omega - w[0]) / width : 0.0;
    size_t nearest = first + (share > 0.5);
    saved_points_restore(points, nearest, comparison->curve->balance);
    for (size_t i = 0; i < n; i++) {
        const double *y = points->y + first * n + i;
        solver->point[i] = (1.0 - share) * y[0] + share * y[n];
    }
    solver->point[n] = comparison->omega;
    point_solver_fix_lambda(solver);
    enum masing_status status = point_solver_solve(solver, 0.0);
    status = status ? status : recovery_evaluate(recovery, solver->point, comparison->omega);
    if (status != MASING_OK) {
        return status < 0 ? status : MASING_OK; /* not to be had: one solution less */
    }
    compared_motion_recover(&comparison->other, recovery, solver->point);
    double distance = compared_motion_shape(&comparison->other, motion);
    if (distance < *closest) {
        *closest = distance;
        *point = (int)nearest;
    }
    return MASING_OK;
}

/* The closest of the other solutions at the frequency of the point at hand. */
static enum masing_status find_closest(struct comparison *comparison,
                                       const struct compared_motion *motion, double *closest,
                                       int *point)
{
    enum masing_status status = MASING_OK;
    const struct saved_points *points = &comparison->points;
    struct point_solver *solver = NULL;
    struct masing_error unused = {0};
    double omega = comparison->omega;
    TRY(balance_solver_create(comparison->curve->balance,
                              comparison->model->spec.solver.tolerance, &solver, &unused));
    for (size_t i = 0; i + 1 < points->n; i++) {
        const double *w = points->omega + i;
        bool is_own = i == comparison->index || i + 1 == comparison->index;
        if (!is_own && (w[0] - omega) * (w[1] - omega) <= 0.0) {
            TRY(compare_between(comparison, i, solver, motion, closest, point));
        }
    }
done:
    point_solver_destroy(solver);
    return status;
}

/* Amplitude of the largest harmonic of one of a joint's axes. */
static double axis_size(const struct joint_response *response, int axis)
{
    const struct basis *basis = response->basis;
    const double *x = response->x + axis * basis->n_coefficients;
    double size = 0.0;
    for (int k = 0; k < basis->n_harmonics; k++) {
        const double *wave = x + basis->position[k];
        size = basis->harmonics[k] > 0 ? fmax(size, hypot(wave[0], wave[1])) : size;
    }
    return size;
}

/* The joint that sticks, or may stand anywhere, and whose mean differs most, in parts of its
 * motion. */
static bool is_displaced(const struct comparison *comparison, struct integrated *integrated)
{
    const struct balance *balance = comparison->curve->balance;
    const struct compared_axis *found = integrated->motion.axes;
    double largest = DISPLACED_MEAN, still = 0.0;
    for (int j = 0; j < balance->n_joints; j++) {
        for (int a = 0; a < balance->joints[j]->n_axes; a++) {
            still = fmax(still, STILL_AXIS * axis_size(balance->joints[j], a));
        }
    }
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        enum masing_offset offset = response->slip_share == 0.0 ? MASING_OFFSET_STUCK
                                    : integrated->offsets[j] == MASING_OFFSET_NEUTRAL
                                        ? MASING_OFFSET_NEUTRAL
                                        : MASING_OFFSET_DECIDED;
        for (int a = 0; offset != MASING_OFFSET_DECIDED && a < response->n_axes; a++) {
            int axis = response->joint->first_axis + a;
            double size = fmax(axis_size(response, a), still);
            double before = comparison->balance.axes[axis].mean;
            double moved = fabs(found[axis].mean - before);
            if (size > 0.0 && moved > largest * size) {
                largest = moved / size;
                integrated->displaced = response->joint;
                integrated->displaced_by = offset;
                integrated->mean_hb = fabs(before) > ZERO_MEAN * size ? before : 0.0;
                integrated->mean_ti = found[axis].mean;
            }
        }
    }
    return integrated->displaced != NULL;
}

/* Of the first output: of its largest harmonic where its mean is arbitrary. */
static double relative_difference(const struct comparison *comparison,
                                  const struct integrated *integrated)
{
    const struct compared_motion *balance = &comparison->balance;
    int k = comparison->is_stuck ? compared_motion_largest(balance, 0) : -1;
    if (k < 0) {
        return integrated->motion.outputs[0].max_difference;
    }
    double hb = compared_motion_wave(balance, 0, k);
    double ti = compared_motion_wave(&integrated->motion, 0, k);
    return hb == ti ? 0.0 : fabs(hb - ti) / fabs(ti);
}

/* Compare with the balance's solution, and find where the integration settled. */
static enum masing_status judge(struct comparison *comparison, struct integrated *integrated)
{
    struct response_curve *curve = comparison->curve;
    const struct compared_motion *balance = &comparison->balance;
    struct compared_motion *motion = &integrated->motion;
    integrated->displaced = NULL;
    integrated->point = -1;
    slider_offsets_shift(&comparison->offsets, curve->balance, balance, motion,
                         integrated->offsets, integrated->shift);
    compared_motion_differ(motion, balance, integrated->shift,
                           curve->recovery->point.energy_in);
    integrated->difference = relative_difference(comparison, integrated);
    if (!integrated->is_steady || integrated->order > 1) {
        integrated->settled = integrated->is_steady ? SETTLED_MULTIPLE : SETTLED_NOT;
        return MASING_OK;
    }
    double own = compared_motion_shape(balance, motion), closest = INFINITY;
    integrated->settled = own <= OTHER_SOLUTION ? SETTLED_SAME : SETTLED_OTHER;
    if (own > SAME_SOLUTION) {
        int point = -1;
        NEED(find_closest(comparison, motion, &closest, &point));
        if (closest < CLOSER_SOLUTION * own && closest <= OTHER_SOLUTION) {
            integrated->settled = SETTLED_POINT;
            integrated->point = point;
        }
        /* the point itself is what comes next */
        const double *y = comparison_restore(comparison);
        NEED(recovery_evaluate(curve->recovery, y, comparison->omega));
    } else if (is_displaced(comparison, integrated)) {
        integrated->settled = SETTLED_OFFSET;
    }
    if (integrated->settled == SETTLED_SAME || integrated->settled == SETTLED_OFFSET) {
        integrated->point = (int)comparison->index;
    }
    return MASING_OK;
}

/* ---- in words ---- */

static enum masing_status note_other_point(struct comparison *comparison,
                                           const struct integrated *integrated,
                                           struct masing_error *error)
{
    const char *output = comparison->model->spec.outputs[0].name;
    double hz = hertz(comparison->omega);
    int index = (int)comparison->index;
    double found = integrated->motion.outputs[0].max, own = comparison->balance.outputs[0].max;
    if (integrated != &comparison->cold) {
        return warning_add(
            &comparison->warnings, error,
            "at %.6g Hz the integration left the solution at point %d of the "
            "curve (%s_max %.4g), which is unstable then, and settled on that at "
            "point %d (%.4g)",
            hz, index, output, own, integrated->point, found);
    }
    if (comparison->warm.point == integrated->point) {
        return MASING_OK; /* that is where the point's own integration went */
    }
    return warning_add(
        &comparison->warnings, error,
        "at %.6g Hz, from rest, the integration settled on the solution at point "
        "%d of the curve (%s_max %.4g), not on that at point %d (%.4g)",
        hz, integrated->point, output, found, index, own);
}

/* The same in words. */
static enum masing_status note_settled(struct comparison *comparison,
                                       const struct integrated *integrated,
                                       struct masing_error *error)
{
    double hz = hertz(comparison->omega);
    const char *from = integrated == &comparison->cold ? ", from rest" : "";
    struct warning_list *warnings = &comparison->warnings;
    const struct compared_motion *motion = &integrated->motion;
    double apart = fmax(integrated->difference, motion->outputs[0].max_difference);
    const struct joint *displaced = integrated->displaced;
    /* other laws have many sliders, or none that is one thing */
    bool is_slider = displaced && displaced->law->is_piecewise_linear;
    switch (integrated->settled) {
    case SETTLED_NOT:
        return warning_add(warnings, error, "at %.6g Hz%s: %s", hz, from, comparison->failure);
    case SETTLED_POINT:
        return note_other_point(comparison, integrated, error);
    case SETTLED_OFFSET:
        return warning_add(
            warnings, error,
            "at %.6g Hz%s, %s joint '%s', which %s, stands elsewhere in time: mean "
            "displacement %.4g m by balance, %.4g m in time",
            hz, from, is_slider ? "the slider of" : "what slips in", displaced->name,
            integrated->displaced_by == MASING_OFFSET_NEUTRAL
                ? "slips while nothing brings it back"
            : is_slider ? "sticks"
                        : "never slips as a whole",
            integrated->mean_hb, integrated->mean_ti);
    case SETTLED_MULTIPLE:
        return warning_add(
            warnings, error,
            "at %.6g Hz%s, the integration settled on a motion that repeats after %d "
            "periods of the load: sub-harmonic, which the balance does not contain",
            hz, from, integrated->order);
    case SETTLED_OTHER:
        return warning_add(
            warnings, error,
            "at %.6g Hz%s, the integration settled on a motion that no point of the "
            "curve has (harmonics differ by %.2g %% of the largest): unstable, or too "
            "few harmonics or samples",
            hz, from, 100.0 * compared_motion_shape(&comparison->balance, motion));
    default:
        return apart <= SAME_SOLUTION
                   ? MASING_OK
                   : warning_add(warnings, error,
                                 "at %.6g Hz%s, the two differ by %.2g %%: too few harmonics, "
                                 "samples or steps per cycle, or an unstable solution that the "
                                 "integration left",
                                 hz, from, 100.0 * apart);
    }
}

enum masing_status comparison_integrate(struct comparison *comparison,
                                        struct integrated *integrated,
                                        struct masing_error *error)
{
    bool is_cold = integrated == &comparison->cold;
    double hz = hertz(comparison->omega);
    char *failure = comparison->failures[is_cold];
    const double *y = comparison_restore(comparison);
    NEED(integrate(comparison, comparison->model, is_cold ? NULL : y, integrated, error));
    NEED(recovery_evaluate(comparison->curve->recovery, y, comparison->omega));
    if (!integrated->is_steady && !*failure) {
        snprintf(failure, sizeof comparison->failures[is_cold], "first at %.6g Hz: %s", hz,
                 comparison->failure);
    }
    if (integrated->order > 1 && comparison->multiple == 0) {
        comparison->multiple = integrated->order;
        comparison->multiple_hz = hz;
    }
    NEED(judge(comparison, integrated));
    return note_settled(comparison, integrated, error);
}

/* ---- accuracies ---- */

/*
 * What each method is worth: the error of the first output's largest harmonic, of the balance
 * against one with about twice the harmonics and samples, of the integration against one with
 * twice the steps. Then the integration with the steps that make it as accurate as the balance.
 */

/* Steps per cycle are chosen within these. */
static const double FEWEST_STEPS = 32.0, MOST_STEPS = 65536.0;
/* Of a tolerance, where steps are made to one. */
static const double FINER_ACCURACY = 0.1, FINEST_ACCURACY = 1e-13;

/* Index of the cosine coefficient of the first output's largest harmonic at the point in a list
 * of harmonics; -1: there is none. */
static int main_position(const struct comparison *comparison, const struct basis *basis)
{
    int main = compared_motion_largest(&comparison->balance, 0);
    for (int k = 0; main >= 0 && k < basis->n_harmonics; k++) {
        if (basis->harmonics[k] == comparison->balance.basis->harmonics[main]) {
            return basis->position[k];
        }
    }
    return -1;
}

/* Distance of the complex amplitudes a and b, relative to b. */
static double distance(const double a[2], const double b[2])
{
    double size = hypot(b[0], b[1]), apart = hypot(a[0] - b[0], a[1] - b[1]);
    return apart == 0.0 ? 0.0 : apart / size;
}

static enum masing_status solve_finer(struct comparison *comparison, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct balance *balance = comparison->curve->balance;
    struct point_solver *coarse = NULL;
    struct masing_error reason = {0};
    if (!comparison->refinement) {
        status = refinement_create(comparison->model, 0, comparison->options->progress,
                                   &comparison->refinement, &reason);
        if (status < 0) {
            masing_error_set(error, status, "%s", reason.message);
        }
        TRY(status);
    }
    struct refinement *refinement = comparison->refinement;
    TRY(balance_solver_create(balance, comparison->model->spec.solver.tolerance, &coarse,
                              error));
    const double *y = comparison_restore(comparison);
    memcpy(coarse->point, y, sizeof(double) * (size_t)coarse->n);
    coarse->point[coarse->n] = comparison->omega;
    refinement_start(refinement, coarse);
    point_solver_fix_lambda(refinement->solver);
    TRY(point_solver_solve(refinement->solver, 0.0));
    TRY(recovery_evaluate(refinement->recovery, refinement->solver->point, comparison->omega));
done:
    point_solver_destroy(coarse);
    return status;
}

/* NAN where more harmonics find nothing there. */
static enum masing_status find_balance_error(struct comparison *comparison,
                                             struct masing_error *error)
{
    int at = main_position(comparison, comparison->balance.basis);
    comparison->accuracies.hb = NAN;
    enum masing_status status = at >= 0 ? solve_finer(comparison, error) : MASING_STOPPED;
    if (status == MASING_OK) {
        const struct refinement *finer = comparison->refinement;
        int finer_at = main_position(comparison, finer->balance->basis);
        comparison->accuracies.hb = distance(comparison->balance.coefficients + at,
                                             finer->recovery->point.coefficients + finer_at);
    }
    return status < 0 ? status : MASING_OK;
}

/* Rules are of second order: the difference is three quarters of the error. */
static enum masing_status find_integration_error(struct comparison *comparison,
                                                 struct masing_error *error)
{
    struct masing_model finer = *comparison->model;
    bool has_order = stepper_type(finer.spec.integration.method)->has_step_error;
    int at = main_position(comparison, comparison->balance.basis);
    finer.spec.integration.steps_per_cycle *= 2;
    finer.spec.integration.accuracy =
        fmax(FINER_ACCURACY * finer.spec.integration.accuracy, FINEST_ACCURACY);
    NEED(integrate(comparison, &finer, comparison_restore(comparison), &comparison->finer,
                   error));
    if (at >= 0 && comparison->finer.is_steady) {
        comparison->accuracies.ti = (has_order ? 4.0 / 3.0 : 1.0) *
                                    distance(comparison->warm.motion.coefficients + at,
                                             comparison->finer.motion.coefficients + at);
    }
    return MASING_OK;
}

/* What is settled to a tolerance is not compared more closely than that. */
static enum masing_status integrate_equally(struct comparison *comparison,
                                            struct masing_error *error)
{
    struct accuracies *accuracies = &comparison->accuracies;
    struct masing_model equal = *comparison->model;
    struct masing_integration_settings *settings = &equal.spec.integration;
    double wanted = fmax(accuracies->hb, settings->tolerance);
    double steps = ceil(settings->steps_per_cycle * sqrt(accuracies->ti / wanted));
    if (!stepper_type(settings->method)->has_step_error || !isfinite(steps)) {
        return MASING_OK;
    }
    settings->steps_per_cycle = (int)fmin(fmax(steps, FEWEST_STEPS), MOST_STEPS);
    NEED(integrate(comparison, &equal, comparison_restore(comparison), &comparison->finer,
                   error));
    if (comparison->finer.is_steady) {
        accuracies->steps = settings->steps_per_cycle;
        accuracies->seconds = comparison->finer.seconds;
    }
    return MASING_OK;
}

enum masing_status comparison_find_accuracies(struct comparison *comparison,
                                              struct masing_error *error)
{
    enum settled settled = comparison->warm.settled;
    comparison->accuracies = (struct accuracies){NAN, NAN, NAN, NAN};
    if (settled != SETTLED_SAME && settled != SETTLED_OFFSET) {
        return MASING_OK;
    }
    NEED(find_balance_error(comparison, error));
    NEED(find_integration_error(comparison, error));
    return integrate_equally(comparison, error);
}
