/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/driver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/branch_points.h"
#include "base/check.h"
#include "base/memory.h"

/* Distance of predictor and solution that step control aims at, and iterations of a corrector
 * that is not given up yet. */
static const double PREDICTOR_TOLERANCE = 0.02;
enum { MAX_ITERATIONS = 20 };

static enum masing_status settle(void *context, const double *y, double lambda)
{
    const struct curve_residual *residual = context;
    double omega;
    return residual->settle(residual->context, y, lambda, &omega);
}

static enum masing_status evaluate(void *context, const double *y, double lambda,
                                   double *residual, double *jacobian, double *residual_lambda)
{
    const struct curve_driver *driver = context;
    const struct curve_residual *own = &driver->settings.residual;
    return own->evaluate(own->context, y, lambda, residual, jacobian, residual_lambda);
}

static void weigh(void *context, const double *y, double lambda, double *weight)
{
    const struct curve_driver *driver = context;
    const struct curve_residual *own = &driver->settings.residual;
    own->weights(own->context, y, lambda, weight);
}

static void smooth(void *context, double level)
{
    const struct curve_driver *driver = context;
    const struct curve_residual *own = &driver->settings.residual;
    own->smooth(own->context, level);
}

static bool carry_sliders(void *context, double *y, double *lambda)
{
    struct curve_driver *driver = context;
    struct curve_residual *own = &driver->settings.residual;
    if (settle(own, y, *lambda) == MASING_OK) {
        own->carry_sliders(own->context);
    }
    return false;
}

static bool accept(void *context, double *y, double *lambda)
{
    const struct curve_driver *driver = context;
    const struct curve_residual *own = &driver->settings.residual;
    return own->accepted(own->context, y, lambda);
}

static enum masing_status restart(void *context, const double *y, double from, double lambda,
                                  double *guess)
{
    struct curve_driver *driver = context;
    return curve_restart_guess(&driver->restart, y, from, lambda, guess);
}

/* The index of lambda in settings.at; -1: it is not there. */
static int find_asked(const struct curve_driver *driver, double lambda)
{
    for (int i = 0; i < driver->settings.n_at; i++) {
        if (driver->at[i] == lambda) {
            return i;
        }
    }
    return -1;
}

bool curve_driver_is_asked(const struct curve_driver *driver, double lambda)
{
    return find_asked(driver, lambda) >= 0;
}

double curve_driver_value(const struct curve_driver *driver, double lambda)
{
    const struct curve_driver_settings *settings = &driver->settings;
    int asked = find_asked(driver, lambda);
    return asked >= 0                 ? settings->at[asked]
           : lambda == settings->from ? settings->value_from
           : lambda == settings->to   ? settings->value_to
           : settings->value_of       ? settings->value_of(lambda)
                                      : lambda;
}

static void note(struct curve_driver *driver, struct curve_driver_point *point)
{
    const struct continuation_point *solution = &point->solution;
    struct curve_driver_result *result = &driver->result;
    point->stability = (struct point_stability){NAN, NAN, NAN, NAN};
    point->begins = branch_points_begins(solution, driver->previous_piece);
    if (driver->stability) {
        point->stability = curve_stability_at(driver->stability, solution->y, solution->lambda);
        curve_stability_note(driver->stability, solution->lambda, solution->events.kinds,
                             &point->stability, point->begins);
    }
    branch_points_note(&result->branch_points, solution, point->begins, point->value);
    driver->previous_piece = solution->piece;
    for (int i = 0; i < driver->settings.n_at; i++) {
        driver->is_met[i] = driver->is_met[i] || driver->at[i] == solution->lambda;
    }
}

static enum masing_status tell_progress(const struct curve_driver *driver,
                                        const struct continuation_point *point,
                                        struct masing_error *error)
{
    const struct masing_progress *progress = driver->settings.progress;
    double from = driver->settings.from, to = driver->settings.to;
    if (progress && progress->report) {
        progress->report(progress->context, (point->lambda - from) / (to - from),
                         point->index + 1);
    }
    return progress && progress->is_cancelled && progress->is_cancelled(progress->context)
               ? masing_error_set(error, MASING_STOPPED, "interrupted")
               : MASING_OK;
}

static enum masing_status observe(void *context, const struct continuation_point *point,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct curve_driver *driver = context;
    const struct curve_driver_settings *settings = &driver->settings;
    struct curve_driver_result *result = &driver->result;
    struct curve_driver_point taken = {.solution = *point};
    if (settings->prepare) {
        TRY(settings->prepare(settings->residual.context, &taken.solution));
    }
    taken.value = curve_driver_value(driver, taken.solution.lambda);
    taken.is_asked = curve_driver_is_asked(driver, taken.solution.lambda);
    taken.events = event_row_of_point(driver->joint_events, &taken.solution.events);
    note(driver, &taken);
    TRY(settings->take(settings->residual.context, &taken, error));
    result->residual = fmax(result->residual, taken.solution.residual);
    result->points++;
    TRY(tell_progress(driver, &taken.solution, error));
done:
    return status;
}

static void log_line(void *context, const char *line)
{
    const struct curve_driver *driver = context;
    const struct masing_progress *progress = driver->settings.progress;
    if (progress && progress->log) {
        progress->log(progress->context, line);
    }
}

static enum masing_status create_stability(struct curve_driver *driver,
                                           struct masing_error *error)
{
    const struct curve_driver_settings *settings = &driver->settings;
    const struct curve_residual *residual = &settings->residual;
    const struct curve_stability_settings stability = {.balance = residual->balance,
                                                       .method = settings->stability,
                                                       .unit = settings->unit,
                                                       .settle = residual->settle,
                                                       .context = residual->context};
    return residual->balance ? curve_stability_create(&stability, settings->stability_summary,
                                                      &driver->stability, error)
                             : MASING_OK;
}

/* The analysis' own events, then those of the joints, then those of stability. */
static enum masing_status create_events(struct curve_driver *driver, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct curve_driver_settings *settings = &driver->settings;
    int n = settings->n_events;
    TRY(joint_events_create(settings->model, settings->residual.joints, &driver->joint_events,
                            error));
    driver->joint_events->settle = settle;
    driver->joint_events->context = &driver->settings.residual;
    driver->events = memory_array(
        (size_t)(n + driver->joint_events->n + CURVE_STABILITY_EVENTS), sizeof *driver->events);
    TRY_ALLOCATED(driver->events);
    for (int i = 0; i < n; i++) {
        driver->events[i] = settings->events[i];
    }
    joint_events_fill(driver->joint_events, driver->events, n);
    n += driver->joint_events->n;
    if (driver->stability) {
        n += curve_stability_events(driver->stability, driver->events + n);
    }
    driver->n_events = n;
done:
    return status;
}

static enum masing_status create_at(struct curve_driver *driver, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct curve_driver_settings *settings = &driver->settings;
    driver->at = memory_array((size_t)settings->n_at, sizeof *driver->at);
    driver->is_met = memory_array((size_t)settings->n_at, sizeof *driver->is_met);
    TRY_ALLOCATED(driver->at && driver->is_met);
    for (int i = 0; i < settings->n_at; i++) {
        double value = settings->at[i];
        driver->at[i] = value == settings->value_from ? settings->from
                        : value == settings->value_to ? settings->to
                        : settings->lambda_of         ? settings->lambda_of(value)
                                                      : value;
    }
done:
    return status;
}

/* Whether any law can round its transitions off. */
static bool can_smooth(const struct curve_driver *driver)
{
    for (int j = 0; j < driver->settings.model->spec.n_joints; j++) {
        if (driver->settings.model->joints[j].law->can_smooth) {
            return true;
        }
    }
    return false;
}

static struct continuation_problem problem_of(struct curve_driver *driver)
{
    const struct curve_residual *residual = &driver->settings.residual;
    bool is_carried = driver->settings.model->spec.start == MASING_START_PREVIOUS;
    return (struct continuation_problem){
        .context = driver,
        .n = residual->n,
        .evaluate = evaluate,
        .weights = weigh,
        .accepted = is_carried           ? carry_sliders
                    : residual->accepted ? accept
                                         : NULL,
        .smooth = can_smooth(driver) ? smooth : NULL,
        .restart = residual->balance ? restart : NULL,
    };
}

static enum masing_status create_continuation(struct curve_driver *driver,
                                              struct masing_error *error)
{
    const struct curve_driver_settings *own = &driver->settings;
    const struct masing_solver_settings *solver = &own->model->spec.solver;
    double longest =
        own->longest_step > 0.0
            ? fmax(fmin(solver->step_max, own->longest_step / fabs(own->to - own->from)),
                   solver->step_min)
            : solver->step_max;
    const struct continuation_problem problem = problem_of(driver);
    const struct continuation_settings settings = {
        .lambda_from = own->from,
        .lambda_to = own->to,
        .tolerance = solver->tolerance,
        .step_initial = solver->step_initial,
        .step_min = solver->step_min,
        .step_max = longest,
        .predictor_tolerance = PREDICTOR_TOLERANCE,
        .predictor = CONTINUATION_HERMITE,
        .max_points = solver->max_points,
        .max_iterations = MAX_ITERATIONS,
        .mark_folds = true,
        .mark_branches = true,
        .max_branches = own->max_branches,
        .n_values = own->n_at,
        .values = driver->at,
        .n_events = driver->n_events,
        .events = driver->events,
        .lambda_unit = own->unit,
        .lambda_unit_name = own->unit_name,
    };
    return continuation_create(&problem, &settings, &driver->continuation, error);
}

enum masing_status curve_driver_create(const struct curve_driver_settings *settings,
                                       struct curve_driver **driver, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct curve_driver *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->settings = *settings;
    made->settings.unit = settings->unit > 0.0 ? settings->unit : 1.0;
    made->restart =
        (struct curve_restart){.balance = settings->residual.balance,
                               .settle = settings->residual.settle,
                               .context = settings->residual.context,
                               .progress = settings->progress,
                               .unit = made->settings.unit,
                               .unit_name = settings->unit_name ? settings->unit_name : ""};
    TRY(branch_points_check(&settings->model->spec, settings->max_branches, error));
    TRY(create_stability(made, error));
    TRY(create_events(made, error));
    TRY(create_at(made, error));
    TRY(create_continuation(made, error));
    *driver = made;
    made = NULL;
done:
    curve_driver_destroy(made);
    return status;
}

void curve_driver_destroy(struct curve_driver *driver)
{
    if (driver) {
        continuation_destroy(driver->continuation);
        curve_stability_destroy(driver->stability);
        joint_events_destroy(driver->joint_events);
        free(driver->events);
        free(driver->at);
        free(driver->is_met);
        free(driver);
    }
}

/* A complete curve has landed on all values within its range of settings.at. */
static void find_unmet(struct curve_driver *driver)
{
    const struct curve_driver_settings *settings = &driver->settings;
    struct curve_driver_result *result = &driver->result;
    struct masing_error missing = {0};
    double low = fmin(settings->from, settings->to), high = fmax(settings->from, settings->to);
    for (int i = 0; i < settings->n_at && result->is_complete; i++) {
        if (!driver->is_met[i] && driver->at[i] >= low && driver->at[i] <= high) {
            masing_error_set(&missing, MASING_STOPPED,
                             "the curve passes %s%.10g%s but could not be made to land there: "
                             "the response is not smooth enough (more samples may help)",
                             settings->at_name[0], settings->at[i], settings->at_name[1]);
            result->is_complete = false;
            memcpy(result->reason, missing.message, sizeof result->reason);
        }
    }
}

enum masing_status curve_driver_follow(struct curve_driver *driver, const double *guesses,
                                       int n_guesses, struct masing_error *error)
{
    struct curve_driver_result *result = &driver->result;
    const struct continuation_observer observer = {driver, observe, log_line};
    struct masing_error stop = {0};
    enum continuation_end end;
    if (driver->stability) {
        curve_stability_log(driver->stability, &observer);
    }
    enum masing_status ended = continuation_follow(driver->continuation, guesses, n_guesses,
                                                   &observer, &end, &result->counts, &stop);
    if (ended < 0) {
        return masing_error_set(error, ended, "%s", stop.message);
    }
    result->is_complete = ended == MASING_OK && end == CONTINUATION_REACHED;
    memcpy(result->reason, stop.message, sizeof result->reason);
    find_unmet(driver);
    return MASING_OK;
}

enum masing_status curve_driver_ended(const struct curve_driver *driver,
                                      struct masing_error *error)
{
    const char *reason = driver->result.reason;
    return *reason ? masing_error_set(error, MASING_STOPPED, "%s", reason) : MASING_OK;
}
