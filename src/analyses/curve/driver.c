/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/driver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "harmonic/recovery/modal_motion.h"
#include "transient/periodic/periodic.h"
#include "transient/start.h"

/* ---- restarts ---- */

enum { MAX_CYCLES = 200 };
/* So many axes are integrated for up to a minute or two, unasked; more are not. */
enum { MOST_RESTARTED_AXES = 150 };
/* A motion that steps are too long for is integrated by shorter ones, up to twice. */
enum { MOST_FINER = 2, FINER = 4 };
/* Distance from the periodic motion, relative: aimed at, and good enough for a guess. */
static const double PERIODIC_DISTANCE = 1e-4, GUESS_DISTANCE = 1e-2;

/* One integration under way. */
struct restart_run {
    struct curve_driver *driver;
    struct integrator *integrator;
    double *modal;    /* [n_coefficients][n_modes] where the integration starts */
    double *residual; /* [n] scratch */
    double *weights;  /* [n_coefficients] of the present time in Fourier coefficients */
    double *guess;
    bool has_broken_off; /* no step had a solution somewhere */
};

static bool is_restart_cancelled(void *context)
{
    const struct restart_run *run = context;
    return progress_is_cancelled(run->driver->settings.progress);
}

/* Add the present motion to the guess' joints and modes. */
static void add_motion(struct restart_run *run)
{
    const struct balance *balance = run->driver->settings.residual.balance;
    const struct basis *basis = balance->basis;
    const struct integrator *integrator = run->integrator;
    int n = integrator->n_steps, n_axes = balance->n_axes;
    for (int k = 0; k < basis->n_harmonics; k++) {
        int h = basis->harmonics[k], at = (int)((long long)h * integrator->phase % n);
        double *weights = run->weights + basis->position[k], part = (h == 0 ? 1.0 : 2.0) / n;
        weights[0] = part * integrator->forcing->cosines[at];
        if (h > 0) {
            weights[1] = part * integrator->forcing->sines[at];
        }
    }
    for (int c = 0; c < balance->n_coefficients; c++) {
        for (int a = 0; a < n_axes; a++) {
            run->guess[c * n_axes + a] += run->weights[c] * integrator->joints->x[a];
        }
    }
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        const double *weights = run->weights + basis->position[mode->harmonic_index];
        int n_sides = basis->harmonics[mode->harmonic_index] == 0 ? 1 : 2;
        for (int side = 0; side < n_sides; side++) {
            run->guess[mode->position + side] +=
                weights[side] * integrator_modal(integrator)->q[mode->mode];
        }
    }
}

static enum masing_status settle_restart(struct restart_run *run, double lambda, double omega,
                                         struct masing_error *error)
{
    const struct curve_driver_settings *settings = &run->driver->settings;
    const struct masing_progress *progress = settings->progress;
    struct balance *balance = settings->residual.balance;
    const struct periodic_observer observer = {.context = run, .is_over = is_restart_cancelled};
    struct periodic_result settled;
    enum masing_status status = periodic_march(run->integrator, PERIODIC_DISTANCE, MAX_CYCLES,
                                               &observer, &settled, error);
    run->has_broken_off = status == MASING_NOT_CONVERGED;
    NEED(status);
    if (progress && progress->log) {
        char line[128];
        snprintf(line, sizeof line,
                 "at %.10g%s, by time integration: %s after %d cycles (within about %.2g)",
                 lambda / settings->unit, settings->unit_name,
                 settled.is_steady ? "periodic" : "not periodic", settled.cycles,
                 settled.distance);
        progress->log(progress->context, line);
    }
    if (settled.is_cancelled || !(settled.distance <= GUESS_DISTANCE)) {
        return MASING_NOT_CONVERGED;
    }
    memset(run->guess, 0, (size_t)balance->n_unknowns * sizeof(double));
    for (int i = 0; i < run->integrator->n_steps; i++) {
        NEED(integrator_step(run->integrator));
        add_motion(run);
    }
    return balance_observe(balance, run->guess, omega, run->residual);
}

static enum masing_status integrate_by(struct restart_run *run, int n_steps,
                                       const struct start_motion *motion, double lambda,
                                       double omega, struct masing_error *error)
{
    integrator_destroy(run->integrator);
    run->integrator = NULL;
    run->has_broken_off = false;
    enum masing_status status =
        integrator_create(run->driver->settings.model, omega, n_steps, &run->integrator, error);
    run->driver->cannot_integrate = status != MASING_OK;
    NEED(status);
    NEED(start_on_motion(run->integrator, motion, error));
    return settle_restart(run, lambda, omega, error);
}

static enum masing_status integrate(struct restart_run *run, const double *y, double from,
                                    double lambda, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct curve_residual *own = &run->driver->settings.residual;
    struct balance *balance = own->balance;
    const struct masing_model *model = balance->model;
    void *context = own->problem.context;
    double omega;
    size_t n_modes = (size_t)balance->structure->n_modes;
    run->modal = memory_array((size_t)balance->n_coefficients * n_modes, sizeof(double));
    run->residual = memory_array((size_t)balance->n_unknowns, sizeof(double));
    run->weights = memory_array((size_t)balance->n_coefficients, sizeof(double));
    TRY_ALLOCATED(run->modal && run->residual && run->weights);
    TRY(own->settle(context, y, from, &omega));
    TRY(modal_motion(balance, y, omega, run->modal, error));
    TRY(own->settle(context, y, lambda, &omega));
    const struct start_motion motion = {
        .n_harmonics = balance->basis->n_harmonics,
        .harmonics = balance->basis->harmonics,
        .modal = run->modal,
        .axes = y,
        .origin = balance->origin,
    };
    int n_steps = model->spec.integration.steps_per_cycle;
    status = integrate_by(run, n_steps, &motion, lambda, omega, error);
    for (int i = 0; i < MOST_FINER && run->has_broken_off; i++) {
        n_steps *= FINER;
        status = integrate_by(run, n_steps, &motion, lambda, omega, error);
    }
done:
    return status;
}

enum masing_status curve_driver_restart(void *context, const double *y, double from,
                                        double lambda, double *guess)
{
    struct curve_driver *driver = context;
    struct restart_run run = {.driver = driver, .guess = guess};
    struct masing_error error = {0};
    if (driver->settings.model->n_axes > MOST_RESTARTED_AXES) {
        driver->is_too_large = true;
        return MASING_NOT_CONVERGED;
    }
    if (driver->cannot_integrate || driver->settings.model->cyclic ||
        driver->settings.model->is_speed_dependent ||
        progress_is_cancelled(driver->settings.progress)) {
        return MASING_NOT_CONVERGED;
    }
    enum masing_status status = integrate(&run, y, from, lambda, &error);
    integrator_destroy(run.integrator);
    free(run.modal);
    free(run.residual);
    free(run.weights);
    return status == MASING_OK ? MASING_OK : MASING_NOT_CONVERGED;
}

/* ---- the driver ---- */

/* Distance of predictor and solution that step control aims at, and iterations of a corrector
 * that is not given up yet. */
static const double PREDICTOR_TOLERANCE = 0.02;
enum { MAX_ITERATIONS = 20 };

static enum masing_status settle(void *context, const double *y, double lambda)
{
    const struct curve_residual *residual = context;
    double omega;
    return residual->settle(residual->problem.context, y, lambda, &omega);
}

static bool are_sliders_carried(const struct curve_driver *driver)
{
    return driver->settings.model->spec.start == MASING_START_PREVIOUS;
}

static bool accept(void *context, double *y, double *lambda)
{
    struct curve_driver *driver = context;
    struct curve_residual *own = &driver->settings.residual;
    if (!are_sliders_carried(driver)) {
        return own->problem.accepted(own->problem.context, y, lambda);
    }
    if (settle(own, y, *lambda) != MASING_OK) {
        return false;
    }
    if (own->carry_sliders) {
        own->carry_sliders(own->problem.context);
    } else {
        balance_carry_sliders(own->balance);
    }
    return false;
}

/* The index of lambda in settings.at; -1: it is not there. */
static int find_requested(const struct curve_driver *driver, double lambda)
{
    for (int i = 0; i < driver->settings.n_at; i++) {
        if (driver->at[i] == lambda) {
            return i;
        }
    }
    return -1;
}

bool curve_driver_is_requested(const struct curve_driver *driver, double lambda)
{
    return find_requested(driver, lambda) >= 0;
}

double curve_driver_value(const struct curve_driver *driver, double lambda)
{
    const struct curve_driver_settings *settings = &driver->settings;
    int requested = find_requested(driver, lambda);
    return requested >= 0             ? settings->at[requested]
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
    point->begins = solution->index == 0 || solution->piece != driver->previous_piece;
    if (driver->stability) {
        point->stability = curve_stability_at(driver->stability, solution->y, solution->lambda);
        curve_stability_note(driver->stability, solution->lambda, solution->events.kinds,
                             &point->stability, point->begins);
    }
    /* a branch point stands once more at the head of each branch */
    if (masing_events_have(solution->events.kinds, MASING_EVENT_BRANCH_POINT) &&
        !(point->begins && solution->is_on_side_branch)) {
        curve_places_add(&result->branch_points, point->value);
    }
    driver->previous_piece = solution->piece;
    for (int i = 0; i < driver->settings.n_at; i++) {
        driver->is_met[i] = driver->is_met[i] || driver->at[i] == solution->lambda;
    }
}

/* One point is wanted: where it starts a curve that would go on. */
static bool is_single(const struct curve_driver *driver)
{
    return driver->settings.from == driver->settings.to;
}

enum masing_status progress_report(const struct masing_progress *progress, double fraction,
                                   int points, struct masing_error *error)
{
    if (progress && progress->report) {
        progress->report(progress->context, fraction, points);
    }
    return progress_is_cancelled(progress)
               ? masing_error_set(error, MASING_STOPPED, "interrupted")
               : MASING_OK;
}

static enum masing_status observe(void *context, const struct continuation_point *point,
                                  struct masing_error *error)
{
    struct curve_driver *driver = context;
    const struct curve_driver_settings *settings = &driver->settings;
    struct curve_driver_result *result = &driver->result;
    struct curve_driver_point taken = {.solution = *point};
    if (settings->prepare) {
        NEED(settings->prepare(settings->residual.problem.context, &taken.solution));
    }
    taken.value = curve_driver_value(driver, taken.solution.lambda);
    taken.is_requested = curve_driver_is_requested(driver, taken.solution.lambda);
    taken.events = event_row_of_point(driver->joint_events, &taken.solution.events);
    note(driver, &taken);
    NEED(settings->take(settings->residual.problem.context, &taken, error));
    result->residual = fmax(result->residual, taken.solution.residual);
    result->points++;
    double done = (taken.solution.lambda - settings->from) / (settings->to - settings->from);
    NEED(progress_report(settings->progress, is_single(driver) ? 1.0 : done,
                         taken.solution.index + 1, error));
    return is_single(driver) ? MASING_STOPPED : MASING_OK;
}

static void log_line(void *context, const char *line)
{
    const struct curve_driver *driver = context;
    const struct masing_progress *progress = driver->settings.progress;
    if (progress && progress->log) {
        progress->log(progress->context, line);
    }
}

static void note_missed(void *context, double lambda)
{
    struct curve_driver *driver = context;
    int requested = find_requested(driver, lambda);
    if (requested >= 0) {
        driver->is_missed[requested] = true;
    }
}

/* The analysis' own events, then those of the joints, then those of stability. */
static enum masing_status create_events(struct curve_driver *driver, struct masing_error *error)
{
    const struct curve_driver_settings *settings = &driver->settings;
    const struct curve_residual *residual = &settings->residual;
    int n = settings->n_events;
    if (residual->balance) {
        const struct curve_stability_settings stability = {.balance = residual->balance,
                                                           .method = settings->stability,
                                                           .unit = settings->unit,
                                                           .settle = residual->settle,
                                                           .context =
                                                               residual->problem.context};
        NEED(curve_stability_create(&stability, settings->stability_summary, &driver->stability,
                                    error));
    }
    NEED(joint_events_create(settings->model, residual->joints, &driver->joint_events, error));
    driver->joint_events->settle = settle;
    driver->joint_events->context = &driver->settings.residual;
    driver->events = arena_array(&driver->arena,
                                 (size_t)(n + driver->joint_events->n + CURVE_STABILITY_EVENTS),
                                 sizeof *driver->events);
    NEED_ALLOCATED(driver->events);
    for (int i = 0; i < n; i++) {
        driver->events[i] = settings->events[i];
    }
    joint_events_fill(driver->joint_events, driver->events, n);
    n += driver->joint_events->n;
    if (driver->stability) {
        n += curve_stability_events(driver->stability, driver->events + n);
    }
    driver->n_events = n;
    return MASING_OK;
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
    struct continuation_problem problem = own->residual.problem;
    bool can_smooth = false, is_carried = are_sliders_carried(driver);
    int n_hidden = 0; /* contacts that change their states without an event of their own */
    for (int j = 0; j < own->model->spec.n_joints; j++) {
        const struct joint *joint = &own->model->joints[j];
        bool is_among_many =
            own->model->spec.groups[joint->group].n_joints > solver->landed_contacts;
        can_smooth = can_smooth || joint->law->can_smooth;
        n_hidden += joint->law->n_events > 0 && (is_among_many || joint->law->contact);
    }
    problem.driver = driver;
    problem.accepted = is_carried || problem.accepted ? accept : NULL;
    problem.smooth = can_smooth ? problem.smooth : NULL;
    problem.restart = own->residual.balance ? curve_driver_restart : NULL;
    /* sliders that are carried along belong to the direction of the sweep */
    problem.guess = is_carried ? NULL : problem.guess;
    const struct continuation_settings settings = {
        .lambda_from = own->from,
        .lambda_to = is_single(driver) ? 2.0 * own->from : own->to,
        .tolerance = solver->tolerance,
        .step_initial = solver->step_initial,
        .step_min = solver->step_min,
        .step_max = longest,
        .predictor_tolerance = PREDICTOR_TOLERANCE,
        .predictor = CONTINUATION_HERMITE,
        .max_points = solver->max_points,
        .max_iterations = MAX_ITERATIONS,
        .has_hidden_corners = n_hidden > 1,
        .mark_folds = !own->is_for_own_events,
        .mark_branches = !own->is_for_own_events && !problem.operator,
        .max_branches = own->max_branches,
        .pause_every = own->pause_every,
        .n_values = own->n_at,
        .values = driver->at,
        .n_peaks = own->n_peaks,
        .peaks = own->peaks,
        .n_starts = is_single(driver) ? 0 : own->n_starts,
        .starts = own->starts,
        .most_search = own->most_search,
        .most_search_part = own->most_search_part,
        .has_junctions = own->has_junctions && !problem.operator,
        .n_events = driver->n_events,
        .events = driver->events,
        .lambda_unit = own->unit,
        .lambda_unit_name = own->unit_name,
    };
    return continuation_create(&problem, &settings, &driver->continuation, error);
}

/* Unknowns of a matrix that is factored within some ten seconds. */
enum { MOST_UNKNOWNS_OF_BRANCHES = 5000 };

static enum masing_status check_branches(const struct curve_driver *driver,
                                         struct masing_error *error)
{
    const struct continuation_problem *problem = &driver->settings.residual.problem;
    if (are_sliders_carried(driver)) {
        return masing_error_set(
            error, MASING_UNSUPPORTED,
            "branches are not followed where sliders carry over from point to "
            "point (start: previous): the curves behind a branch point depend "
            "on the way there");
    }
    if (problem->operator) {
        return masing_error_set(
            error, MASING_UNSUPPORTED,
            "branches are not followed where linear systems are solved by "
            "iteration (solver.linear: krylov): branch points are found by the "
            "determinant of a matrix, which is not formed");
    }
    return problem->n <= MOST_UNKNOWNS_OF_BRANCHES
               ? MASING_OK
               : masing_error_set(
                     error, MASING_UNSUPPORTED,
                     "branches are not followed with %d unknowns (more than %d): the matrix "
                     "whose determinant shows them takes too long to factor; fewer "
                     "harmonics or contacts do, or no --branches",
                     problem->n, MOST_UNKNOWNS_OF_BRANCHES);
}

enum masing_status curve_driver_create(const struct curve_driver_settings *settings,
                                       struct curve_driver **driver, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct curve_driver *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->settings = *settings;
    made->settings.unit = settings->unit > 0.0 ? settings->unit : 1.0;
    made->settings.unit_name = settings->unit_name ? settings->unit_name : "";
    TRY(settings->max_branches > 0 ? check_branches(made, error) : MASING_OK);
    TRY(create_events(made, error));
    size_t n_at = (size_t)settings->n_at;
    made->at = arena_doubles(&made->arena, n_at);
    made->is_met = arena_array(&made->arena, n_at, sizeof *made->is_met);
    made->is_missed = arena_array(&made->arena, n_at, sizeof *made->is_missed);
    TRY_ALLOCATED(!made->arena.has_failed);
    for (int i = 0; i < settings->n_at; i++) {
        double value = settings->at[i];
        made->at[i] = value == settings->value_from ? settings->from
                      : value == settings->value_to ? settings->to
                      : settings->lambda_of         ? settings->lambda_of(value)
                                                    : value;
    }
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
        arena_clear(&driver->arena);
        free(driver);
    }
}

/* A curve that stepped over places where it is unbounded is not complete. */
static void find_poles(struct curve_driver *driver)
{
    const struct curve_driver_settings *settings = &driver->settings;
    struct curve_driver_result *result = &driver->result;
    char others[40] = "";
    int n = result->counts.poles;
    if (n == 0 || !result->is_complete) {
        return;
    }
    if (n > 1) {
        snprintf(others, sizeof others, " and at %d more places", n - 1);
    }
    snprintf(result->reason, sizeof result->reason,
             "undamped and unbounded at %.6g%s%s, which was stepped over",
             result->counts.pole / settings->unit, settings->unit_name, others);
    result->is_complete = false;
}

/* Why the last way on was not taken where a curve ends early. */
static void explain_size(struct curve_driver *driver)
{
    struct curve_driver_result *result = &driver->result;
    size_t length = strlen(result->reason);
    if (driver->is_too_large && !result->is_complete &&
        !progress_is_cancelled(driver->settings.progress)) {
        snprintf(result->reason + length, sizeof result->reason - length,
                 "%stime integration, which might lead on, is not tried with %d joint axes "
                 "(more than %d would take too long)",
                 length > 0 ? "; " : "", driver->settings.model->n_axes, MOST_RESTARTED_AXES);
    }
}

/* The curve has ended, or pauses. */
static enum masing_status conclude(struct curve_driver *driver, enum masing_status ended,
                                   enum continuation_end end, struct masing_error *stop,
                                   struct masing_error *error)
{
    struct curve_driver_result *result = &driver->result;
    if (ended < 0) {
        return masing_error_set(error, ended, "%s", stop->message);
    }
    driver->is_paused = ended == MASING_OK && end == CONTINUATION_PAUSED;
    bool is_point = is_single(driver) && result->points > 0;
    if (ended != MASING_OK && !is_point && progress_is_cancelled(driver->settings.progress)) {
        /* whatever became of the evaluations that were cut short */
        masing_error_clear(stop);
        masing_error_set(stop, MASING_STOPPED, "interrupted");
    }
    result->is_complete = (ended == MASING_OK && end == CONTINUATION_REACHED) || is_point;
    memcpy(result->reason, is_point ? "" : stop->message, is_point ? 1 : sizeof result->reason);
    find_poles(driver);
    explain_size(driver);
    return MASING_OK;
}

enum masing_status curve_driver_follow(struct curve_driver *driver, const double *guesses,
                                       int n_guesses, struct masing_error *error)
{
    const struct continuation_observer observer = {driver, observe, log_line, note_missed};
    struct masing_error stop = {0};
    enum continuation_end end = CONTINUATION_NO_START;
    if (driver->stability && *driver->stability->summary->reason) {
        char line[MASING_MESSAGE_LENGTH + 32];
        snprintf(line, sizeof line, "stability is not determined: %s",
                 driver->stability->summary->reason);
        log_line(driver, line);
    }
    enum masing_status ended =
        continuation_follow(driver->continuation, guesses, n_guesses, &observer, &end,
                            &driver->result.counts, &stop);
    return conclude(driver, ended, end, &stop, error);
}

enum masing_status curve_driver_go_on(struct curve_driver *driver, struct masing_error *error)
{
    const struct continuation_observer observer = {driver, observe, log_line, note_missed};
    struct masing_error stop = {0};
    enum continuation_end end = CONTINUATION_NO_START;
    enum masing_status ended = continuation_go_on(driver->continuation, &observer, &end,
                                                  &driver->result.counts, &stop);
    return conclude(driver, ended, end, &stop, error);
}

void curve_driver_pack(struct curve_driver *driver, struct packing *packing)
{
    size_t n_at = (size_t)driver->settings.n_at;
    PACK(packing, driver->cannot_integrate);
    PACK(packing, driver->is_too_large);
    PACK(packing, driver->previous_piece);
    PACK(packing, driver->result.points);
    PACK(packing, driver->result.residual);
    PACK(packing, driver->result.branch_points);
    packing_bytes(packing, driver->is_met, n_at * sizeof *driver->is_met);
    packing_bytes(packing, driver->is_missed, n_at * sizeof *driver->is_missed);
    if (driver->stability) {
        curve_stability_pack(driver->stability, packing);
    }
    continuation_pack(driver->continuation, packing);
}

/* Values that a warning lists before it says how many more there are. */
enum { MOST_LISTED = 8 };

/* "no row at 11, 12 Hz: REASON" of the values without a row, or with fewer than there should
 * be. */
static enum masing_status warn_missing(const struct curve_driver *driver, bool is_missed,
                                       const char *reason, const struct warning_list *list,
                                       struct masing_error *error)
{
    const struct curve_driver_settings *settings = &driver->settings;
    double low = fmin(settings->from, settings->to), high = fmax(settings->from, settings->to);
    char text[MOST_LISTED * 24 + 40] = "";
    int count = 0;
    for (int i = 0; i < settings->n_at; i++) {
        bool is_inside = driver->at[i] >= low && driver->at[i] <= high;
        bool is_missing = is_inside && !driver->is_met[i] && !driver->is_missed[i];
        if ((is_missed ? driver->is_missed[i] : is_missing) && ++count <= MOST_LISTED) {
            size_t length = strlen(text);
            snprintf(text + length, sizeof text - length, "%s%.10g", count > 1 ? ", " : "",
                     settings->at[i]);
        }
    }
    if (count > MOST_LISTED) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, " and %d more", count - MOST_LISTED);
    }
    return count == 0 ? MASING_OK
                      : warning_add(list, error, "no row at %s%s%s: %s", settings->at_name[0],
                                    text, settings->at_name[1], reason);
}

enum masing_status curve_driver_warn_missing(const struct curve_driver *driver,
                                             const struct warning_list *list,
                                             struct masing_error *error)
{
    const struct curve_driver_result *result = &driver->result;
    NEED(warn_missing(driver, true,
                      "the curve passes there but could not be made to land: it is not smooth "
                      "enough (more samples may help)",
                      list, error));
    return warn_missing(driver, false,
                        result->counts.poles > 0
                            ? "the curve is unbounded there, or ended before"
                        : result->is_complete ? "the curve does not come there"
                                              : "the curve ended before",
                        list, error);
}

enum masing_status curve_driver_ended(const struct curve_driver *driver,
                                      struct masing_error *error)
{
    const char *reason = driver->result.reason;
    return *reason ? masing_error_set(error, MASING_STOPPED, "%s", reason) : MASING_OK;
}
