/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/response/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/contact_counts.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/hertz.h"
#include "base/journal.h"
#include "base/memory.h"
#include "base/pi.h"
#include "base/processor_time.h"
#include "base/thread_pool.h"
#include "linalg/one_thread.h"
#include "model/message.h"

/* ---- points of the curve ---- */

/* Of residuals beside a point, where systems are solved by iteration: their differences are
 * much larger. */
static const double NEIGHBOUR_TOLERANCE = 1e-8;
/* Distance of two folds that samples make, in parts of the frequency. */
static const double RIPPLE_FOLD_DISTANCE = 3e-4;
/* Jumps are at one place within this, relative. */
static const double JUMP_TOLERANCE = 1e-6;

enum masing_status response_evaluate(void *context, const double *y, double lambda,
                                     double *residual, double *jacobian,
                                     double *residual_lambda)
{
    struct response_curve *curve = context;
    if (curve->levels) {
        return harmonic_levels_evaluate(curve->levels, y, lambda, residual, jacobian,
                                        residual_lambda);
    }
    return balance_evaluate(curve->balance, BALANCE_LAWS, y, lambda, residual, jacobian,
                            residual_lambda);
}

static enum masing_status linearize(void *context, const double *y, double lambda,
                                    double *residual, double *residual_lambda)
{
    struct response_curve *curve = context;
    return curve->levels
               ? harmonic_levels_linearize(curve->levels, y, lambda, residual, residual_lambda)
               : balance_linearize(curve->balance, BALANCE_LAWS, y, lambda, residual,
                                   residual_lambda);
}

static enum masing_status apply(void *context, const double *x, double *product)
{
    struct response_curve *curve = context;
    return curve->levels ? harmonic_levels_apply(curve->levels, false, x, product)
                         : balance_apply(curve->balance, x, product);
}

static enum masing_status precondition(void *context, double *x)
{
    struct response_curve *curve = context;
    return curve->levels ? harmonic_levels_precondition(curve->levels, x)
                         : balance_precondition(curve->balance, x);
}

static long linearisation(void *context)
{
    const struct response_curve *curve = context;
    return curve->levels ? harmonic_levels_linearisation(curve->levels)
                         : balance_linearisations(curve->balance);
}

static enum masing_status renew(void *context, bool is_first)
{
    struct response_curve *curve = context;
    return curve->levels ? harmonic_levels_renew(curve->levels, is_first)
                         : balance_renew(curve->balance, is_first);
}

static double renewal_cost(void *context)
{
    const struct response_curve *curve = context;
    return curve->levels ? harmonic_levels_renewal_cost(curve->levels)
                         : balance_renewal_cost(curve->balance);
}

static enum masing_status apply_near(void *context, const double *x, double *product)
{
    struct response_curve *curve = context;
    return curve->levels ? harmonic_levels_apply(curve->levels, true, x, product)
                         : balance_apply_near(curve->balance, x, product);
}

static const struct continuation_operator products = {
    linearize, apply, precondition, linearisation, renew, renewal_cost, apply_near};

struct continuation_problem response_problem(struct response_curve *curve)
{
    const struct balance *balance = curve->balance;
    return (struct continuation_problem){
        .context = curve,
        .n = balance->n_unknowns,
        .operator= balance->compliance->has_matrices ? NULL : & products,
        .has_near = balance_has_near(balance),
        .krylov_tolerance = curve->model->spec.solver.krylov_tolerance,
        .evaluate = response_evaluate};
}

static void weigh(void *context, const double *y, double lambda, double *weight)
{
    struct response_curve *curve = context;
    (void)lambda;
    balance_weights(curve->balance, y, weight);
    if (curve->levels) {
        harmonic_levels_weigh(curve->levels, y);
    }
    memcpy(curve->weight, weight, sizeof(double) * (size_t)curve->balance->n_unknowns);
}

static void weigh_last(void *context, const double *y, double lambda, double *weight)
{
    const struct response_curve *curve = context;
    (void)y;
    (void)lambda;
    memcpy(weight, curve->weight, sizeof(double) * (size_t)curve->balance->n_unknowns);
}

static void smooth(void *context, double level)
{
    struct response_curve *curve = context;
    balance_smooth(curve->balance, level);
    if (curve->levels) {
        harmonic_levels_smooth(curve->levels, level);
    }
}

static bool take_fewer(void *context, double *y, double *lambda)
{
    struct response_curve *curve = context;
    const struct masing_spec *spec = &curve->model->spec;
    struct harmonic_levels *levels = curve->levels;
    harmonic_levels_lower(levels);
    double omega = levels->solved_omega;
    bool is_inside = (omega - spec->omega_from) * (omega - spec->omega_to) < 0.0;
    bool is_moved = levels->has_moved && (omega == *lambda || is_inside);
    if (is_moved) {
        memcpy(y, levels->solved, sizeof(double) * (size_t)curve->balance->n_unknowns);
        *lambda = omega;
    }
    return is_moved;
}

/* How near to slip the joints came, and motions at which laws create energy. */
static void note_joints(struct response_curve *curve, double hz)
{
    const struct balance *balance = curve->balance;
    const struct recovery_point *recovered = &curve->recovery->point;
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        const struct joint *joint = response->joint;
        double *limit = &curve->group_limit[joint->group];
        for (int e = 0; e < joint->law->n_events; e++) {
            const struct masing_law_event *event = &joint->law->events[e];
            if (event->rising == MASING_EVENT_SLIP_ONSET) {
                *limit = fmax(
                    *limit, 1.0 + event->value(joint->law, joint->parameters, response->range));
            }
        }
    }
    for (int i = 0; i < curve->energy_limits->n; i++) {
        struct energy_limit *limit = &curve->energy_limits->entries[i];
        struct joint_response *response = balance->joints[limit->joint];
        double size =
            joint_response_reach(response, balance->origin + response->joint->first_axis);
        energy_limit_note(limit, hz, size, recovered->joint_loss[limit->joint],
                          recovered->energy_scale);
        energy_limit_note_range(limit, hz, response->range[0].minimum,
                                response->range[0].maximum);
    }
}

static void note_jump(struct response_curve *curve, const struct continuation_point *point)
{
    struct masing_response_summary *summary = curve->summary;
    struct curve_fold *last = &curve->fold;
    struct curve_fold fold = {.hz = hertz(point->lambda),
                              .is_up = point->lambda > curve->previous_omega};
    int *n = fold.is_up ? &summary->n_jumps_up : &summary->n_jumps_down;
    double *listed = fold.is_up ? summary->jump_up_hz : summary->jump_down_hz;
    if (!masing_events_have(point->events.kinds, MASING_EVENT_FOLD) ||
        point->is_on_side_branch) {
        return;
    }
    /* nothing jumps at two folds so near to each other: the curve crinkles with its samples */
    if (curve->is_rippled && (last->is_listed || last->is_known) && fold.is_up != last->is_up &&
        fabs(fold.hz - last->hz) <= RIPPLE_FOLD_DISTANCE * fold.hz) {
        *(last->is_up ? &summary->n_jumps_up : &summary->n_jumps_down) -= last->is_listed;
        last->is_listed = last->is_known = false;
        return;
    }
    for (int i = 0; i < *n; i++) { /* as where the curve runs to and fro there */
        fold.is_known = fold.is_known || fabs(listed[i] - fold.hz) <= JUMP_TOLERANCE * fold.hz;
    }
    if (*n < MASING_MAX_JUMPS && !fold.is_known) {
        listed[(*n)++] = fold.hz;
        fold.is_listed = true;
    }
    *last = fold;
}

/* The largest point, the measure's trace, and how well the balance holds. */
static enum masing_status note_point(struct response_curve *curve,
                                     const struct curve_driver_point *taken,
                                     struct masing_error *error)
{
    const struct continuation_point *point = &taken->solution;
    struct response_trace *trace = &curve->trace;
    struct curve_solution *best = &curve->best;
    double measure = recovery_peak_measure(curve->recovery);
    double drift = balance_drift(curve->balance, point->y);
    bool is_marked = masing_events_have(point->events.kinds, MASING_EVENT_PEAK);
    if (drift > curve->drift) {
        curve->drift = drift;
        curve->drift_hz = hertz(point->lambda);
    }
    if (measure > best->measure || (measure == best->measure && is_marked)) {
        memcpy(best->y, point->y, sizeof(double) * (size_t)curve->balance->n_unknowns);
        best->omega = point->lambda;
        best->measure = measure;
        best->is_marked = is_marked;
        best->is_unstable = taken->stability.stable == 0.0;
    }
    blade_traces_note(curve, point->lambda, taken->begins);
    NEED_ALLOCATED(memory_grow((void **)&trace->points, trace->n + 1, &trace->capacity,
                               sizeof *trace->points));
    trace->points[trace->n++] =
        (struct response_trace_point){.piece = point->piece,
                                      .is_marked = is_marked,
                                      .is_requested = taken->is_requested,
                                      .omega = point->lambda,
                                      .measure = measure};
    curve->summary->energy_mismatch = fmax(curve->summary->energy_mismatch,
                                           recovery_energy_mismatch(&curve->recovery->point));
    return MASING_OK;
}

/* Derivative of the peak's measure by the frequency in hertz along a tangent; none at a fold.
 */
static double slope_per_hz(struct response_curve *curve, const struct continuation_point *point,
                           const double *dy, double dlambda)
{
    double slope = NAN;
    enum masing_status status =
        recovery_slope(curve->recovery, point->y, point->lambda, dy, dlambda, &slope);
    return status == MASING_OK && dlambda != 0.0 ? TWO_PI * slope / dlambda : NAN;
}

struct response_row response_row_of(const struct curve_driver_point *taken,
                                    const struct recovery *recovery, double hertz)
{
    return (struct response_row){.recovery = recovery,
                                 .point = taken->solution.index,
                                 .branch = 1 + taken->solution.piece,
                                 .iterations = taken->solution.iterations,
                                 .hertz = hertz,
                                 .events = taken->events,
                                 .slope_in = NAN,
                                 .slope_out = NAN,
                                 .stability = taken->stability};
}

/* Field, contact elements and loops of a point that the joints are settled at. */
static enum masing_status write_details(struct response_curve *curve, const double *y,
                                        double omega, enum masing_event event,
                                        struct masing_error *error)
{
    double value = curve_driver_value(curve->driver, omega);
    NEED(response_field_write(curve, y, omega, value, event, error));
    NEED(joint_rows_contacts(curve->rows, curve->balance, omega, value, event, error));
    return joint_rows_loops(curve->rows, curve->balance, omega, value, event, error);
}

/* The solution with as many harmonics as it needs, across the curve; at frequencies
 * of options.at_hz, and at the ends, at the same one. */
static enum masing_status refine(struct response_curve *curve, struct continuation_point *point)
{
    const struct masing_spec *spec = &curve->model->spec;
    struct harmonic_levels *levels = curve->levels;
    double low = fmin(spec->omega_from, spec->omega_to);
    double high = fmax(spec->omega_from, spec->omega_to);
    bool is_fixed = point->lambda == low || point->lambda == high ||
                    curve_driver_is_requested(curve->driver, point->lambda);
    struct harmonic_levels_point line = {point->y, point->lambda, is_fixed ? NULL : point->dy,
                                         point->dlambda};
    NEED(harmonic_levels_raise(levels, &line));
    if (levels->solved_omega < low || levels->solved_omega > high) {
        line.dy = NULL;
        NEED(harmonic_levels_raise(levels, &line));
    }
    point->y = levels->solved;
    point->lambda = levels->solved_omega;
    return MASING_OK;
}

static enum masing_status prepare(void *context, struct continuation_point *point)
{
    struct response_curve *curve = context;
    enum masing_status status = curve->levels ? refine(curve, point) : MASING_OK;
    curve->slopes[0] = curve->slopes[1] = NAN;
    if (status == MASING_OK && curve->settings.options->columns & MASING_COLUMNS_SLOPES) {
        curve->slopes[0] = slope_per_hz(curve, point, point->dy_in, point->dlambda_in);
        curve->slopes[1] = slope_per_hz(curve, point, point->dy, point->dlambda);
    }
    return status;
}

static enum masing_status take(void *context, const struct curve_driver_point *taken,
                               struct masing_error *error)
{
    struct response_curve *curve = context;
    const struct masing_response_options *options = curve->settings.options;
    const struct continuation_point *point = &taken->solution;
    NEED(recovery_evaluate(curve->recovery, point->y, point->lambda));
    note_joints(curve, hertz(point->lambda));
    contact_counts_follow(curve->model, curve->balance->joints, taken->begins,
                          curve->contact_states, &curve->summary->contact_changes);
    NEED(note_point(curve, taken, error));
    note_jump(curve, point);
    struct response_row row = response_row_of(taken, curve->recovery, taken->value);
    row.harmonics = curve->levels ? harmonic_levels_highest(curve->levels) : 0;
    row.slope_in = curve->slopes[0];
    row.slope_out = curve->slopes[1];
    if (response_rows_want_dofs(curve->rows)) {
        NEED(dof_motion_evaluate(curve->balance, point->y, point->lambda, &curve->dofs, error));
        row.dofs = curve->dofs.coefficients;
    }
    NEED(response_rows_write(curve->rows, RESPONSE_POINTS, &row, error));
    NEED(options->check_tolerance > 0.0
             ? saved_points_add(&curve->saved, curve->balance, point->y, point->lambda, error)
             : MASING_OK);
    if (taken->is_requested) {
        NEED(write_details(curve, point->y, point->lambda, MASING_EVENT_AT, error));
    }
    if (curve->settings.point) {
        NEED(curve->settings.point(curve->settings.point_context, curve, point, error));
    }
    curve->previous_omega = point->lambda;
    return MASING_OK;
}

/* ---- the curve ---- */

static enum masing_status settle(void *context, const double *y, double lambda, double *omega)
{
    struct response_curve *curve = context;
    *omega = lambda;
    return balance_settle(curve->balance, y, lambda, false);
}

static bool is_unbounded(void *context, const double *y, double omega, double d_omega,
                         double *pole, double *guess)
{
    struct response_curve *curve = context;
    struct balance_pole found;
    if (!balance_find_pole(curve->balance, y, omega, &found) ||
        (found.omega - omega) * d_omega <= 0.0) {
        return false;
    }
    *pole = found.omega;
    balance_mirror(curve->balance, &found, y, guess);
    return true;
}

static double omega_of(double hz)
{
    return TWO_PI * hz;
}

static bool has_more(void *context, const double *y, double lambda)
{
    const struct response_curve *curve = context;
    return harmonic_levels_look(curve->levels, y, lambda);
}

static enum masing_status guess(void *context, double lambda, double **guesses, int *n_guesses,
                                struct masing_error *error)
{
    const struct response_curve *curve = context;
    return response_guess(curve, lambda, guesses, n_guesses, error);
}

/* The residual with all that following a curve asks of it. */
static struct continuation_problem followed_problem(struct response_curve *curve)
{
    struct continuation_problem problem = response_problem(curve);
    problem.weights = weigh;
    problem.accepted = curve->levels ? take_fewer : NULL;
    problem.smooth = smooth;
    problem.unbounded = is_unbounded;
    problem.has_more = curve->levels ? has_more : NULL;
    problem.guess = guess;
    problem.start = response_search_start;
    problem.image = response_search_image;
    return problem;
}

static enum masing_status create_driver(struct response_curve *curve,
                                        struct masing_error *error)
{
    const struct masing_spec *spec = &curve->model->spec;
    const struct masing_response_options *options = curve->settings.options;
    const struct continuation_event peak = {.falling = MASING_EVENT_PEAK,
                                            .type = CONTINUATION_MARK,
                                            .context = curve,
                                            .value = response_peak_slope,
                                            .glance = response_peak_slope_beside};
    struct arena arena = {0};
    struct continuation_peak *peaks;
    int n_peaks;
    enum masing_status status = MASING_OK;
    struct response_starts search;
    TRY(response_search_plan(curve, &arena, &search, error));
    TRY(response_list_peaks(curve->balance, &arena, &peaks, &n_peaks, error));
    const struct curve_driver_settings settings = {
        .model = curve->model,
        .residual = {.problem = followed_problem(curve),
                     .settle = settle,
                     .joints = curve->balance->joints,
                     .balance = curve->balance},
        .from = spec->omega_from,
        .to = spec->omega_to,
        .value_from = hertz(spec->omega_from),
        .value_to = hertz(spec->omega_to),
        .unit = TWO_PI,
        .unit_name = " Hz",
        .n_at = options->n_at,
        .at = options->at_hz,
        .at_name = {"", " Hz"},
        .lambda_of = omega_of,
        .value_of = hertz,
        .max_branches = options->max_branches,
        .stability =
            curve->settings.sinks[RESPONSE_POINTS] ? options->stability : MASING_STABILITY_NONE,
        .n_peaks = n_peaks,
        .peaks = peaks,
        .n_starts = search.n,
        .starts = search.omega,
        .most_search = search.most,
        .most_search_part = search.most_part,
        .has_junctions = search.is_asked,
        .n_events = 1,
        .events = &peak,
        .is_for_own_events = curve->settings.is_for_peaks,
        .pause_every = CURVE_PAUSE_EVERY,
        .prepare = prepare,
        .take = take,
        .progress = response_checkpoint_progress(curve),
        .stability_summary = &curve->summary->stability,
    };
    status = curve_driver_create(&settings, &curve->driver, error);
done:
    arena_clear(&arena);
    return status;
}

static bool is_rippled(const struct balance *balance)
{
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        if (response->method != JOINT_PHASES && response->joint->law->n_events > 0) {
            return true;
        }
    }
    return false;
}

static enum masing_status create_balance(struct response_curve *curve,
                                         struct masing_error *error)
{
    const struct response_curve_settings *settings = &curve->settings;
    const struct masing_response_options *options = settings->options;
    NEED(solver_balance_create(
        curve->model, settings->n_threads, options && options->max_branches > 0,
        options ? response_checkpoint_progress(curve) : NULL, &curve->balance, error));
    NEED(recovery_create(curve->balance, &curve->recovery, error));
    return curve->model->spec.harmonics_tolerance > 0.0
               ? harmonic_levels_create(curve->balance, curve->recovery, settings->n_threads,
                                        &curve->levels, error)
               : MASING_OK;
}

/* All that finds points of it. */
static enum masing_status create_solvers(struct response_curve *curve,
                                         struct masing_error *error)
{
    if (curve->is_rippled) {
        struct continuation_problem problem = response_problem(curve);
        double tolerance = curve->model->spec.solver.tolerance;
        problem.weights = weigh_last;
        NEED(point_solver_create(
            &problem, problem.operator? fmax(tolerance, NEIGHBOUR_TOLERANCE) : tolerance,
            &curve->neighbour_solver, error));
        curve->neighbour_solver->is_value_only = true;
    }
    return create_driver(curve, error);
}

enum masing_status response_curve_renew(struct response_curve *curve,
                                        struct masing_error *error)
{
    curve_driver_destroy(curve->driver);
    point_solver_destroy(curve->neighbour_solver);
    dof_motion_clear(&curve->dofs);
    harmonic_levels_destroy(curve->levels);
    recovery_destroy(curve->recovery);
    balance_destroy(curve->balance);
    curve->driver = NULL;
    curve->neighbour_solver = NULL;
    curve->levels = NULL;
    curve->recovery = NULL;
    curve->balance = NULL;
    NEED(create_balance(curve, error));
    NEED(response_rows_want_dofs(curve->rows)
             ? dof_motion_create(curve->balance, &curve->dofs, error)
             : MASING_OK);
    return create_solvers(curve, error);
}

enum masing_status response_curve_create(const struct response_curve_settings *settings,
                                         struct masing_response_summary *summary,
                                         struct response_curve **curve,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_model *model = settings->model;
    struct response_curve *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    TRY(model_need_sweep(&model->spec, false, error));
    TRY(model_need_outputs(&model->spec, error));
    made->settings = *settings;
    made->model = model;
    made->summary = summary;
    made->warnings =
        (struct warning_list){&summary->warnings, &summary->n_warnings, &summary->numbered};
    made->best.measure = -1.0;
    made->unbounded_hz[0] = made->unbounded_hz[1] = NAN;
    made->previous_omega = model->spec.omega_from;
    TRY(create_balance(made, error));
    size_t n = (size_t)made->balance->n_unknowns;
    made->is_rippled = is_rippled(made->balance);
    made->weight = memory_array(n, sizeof(double));
    made->best.y = memory_array(n, sizeof(double));
    made->group_limit = memory_array((size_t)model->spec.n_groups, sizeof(double));
    made->contact_states = memory_array((size_t)model->spec.n_joints, 1);
    made->peak_measures =
        memory_array((size_t)model->spec.n_outputs, sizeof *made->peak_measures);
    TRY_ALLOCATED(made->weight && made->best.y && made->group_limit && made->contact_states &&
                  made->peak_measures);
    for (int g = 0; g < model->spec.n_groups; g++) {
        made->group_limit[g] = NAN;
    }
    TRY(blade_traces_create(made, error));
    TRY(energy_limits_create(model, &made->energy_limits, error));
    response_summary_reset(summary);
    TRY(create_solvers(made, error));
    TRY(response_rows_create(model, settings->options->columns, settings->parameter,
                             settings->word, settings->sinks, &made->rows, error));
    made->rows->value = settings->value;
    if (response_rows_want_dofs(made->rows)) {
        TRY(dof_motion_create(made->balance, &made->dofs, error));
    }
    *curve = made;
    made = NULL;
done:
    response_curve_destroy(made);
    return status;
}

void response_curve_destroy(struct response_curve *curve)
{
    if (!curve) {
        return;
    }
    curve_driver_destroy(curve->driver);
    response_rows_destroy(curve->rows);
    harmonic_levels_destroy(curve->levels);
    recovery_destroy(curve->recovery);
    dof_motion_clear(&curve->dofs);
    balance_destroy(curve->balance);
    saved_points_clear(&curve->saved);
    free(curve->trace.points);
    free(curve->best.y);
    free(curve->weight);
    point_solver_destroy(curve->neighbour_solver);
    free(curve->group_limit);
    free(curve->contact_states);
    energy_limits_destroy(curve->energy_limits);
    free(curve->peak_measures);
    free(curve->blades);
    kept_log_clear(&curve->log);
    free(curve);
}

/* From its beginning, or from where an earlier run has saved it, to its end. */
static enum masing_status follow(struct response_curve *curve, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double *guesses = NULL;
    int n_guesses = 0;
    bool is_found;
    TRY(response_checkpoint_restore(curve, &is_found, error));
    if (is_found) {
        TRY(curve_driver_go_on(curve->driver, error));
    } else {
        TRY(response_guess(curve, curve->model->spec.omega_from, &guesses, &n_guesses, error));
        TRY(curve_driver_follow(curve->driver, guesses, n_guesses, error));
    }
    while (curve->driver->is_paused) {
        TRY(response_checkpoint_pause(curve, error));
        TRY(curve_driver_go_on(curve->driver, error));
    }
done:
    free(guesses);
    return status;
}

static enum masing_status run(struct response_curve *curve, struct masing_error *error)
{
    struct masing_response_summary *summary = curve->summary;
    enum masing_status status = follow(curve, error);
    if (!curve->driver) { /* it could not be made anew */
        return status;
    }
    struct curve_driver_result *result = &curve->driver->result;
    if (result->points == 0 && status == MASING_OK && !curve->levels) {
        status = response_explain_start(curve, result->reason, sizeof result->reason, error);
    }
    summary->points = result->points;
    summary->residual = result->points > 0 ? result->residual : NAN;
    summary->branch_points = result->branch_points;
    summary->is_complete = result->is_complete;
    summary->residuals = result->counts.residuals;
    summary->jacobians = result->counts.jacobians;
    summary->factorisations = result->counts.factorisations;
    summary->event_residuals = result->counts.event_residuals;
    summary->krylov_solves = result->counts.krylov_solves;
    summary->krylov_iterations = result->counts.krylov_iterations;
    summary->n_branches = result->counts.branches;
    summary->search = (struct masing_search){.n_starts = result->counts.search.starts,
                                             .n_solved = result->counts.search.solved,
                                             .n_new = result->counts.search.fresh,
                                             .n_found = result->counts.search.found,
                                             .n_apart = result->counts.search.apart,
                                             .n_broken = result->counts.search.broken};
    memcpy(summary->reason, result->reason, sizeof summary->reason);
    memcpy(summary->strategies, result->counts.strategies, sizeof summary->strategies);
    TRY(status);
    if (curve->levels && curve->best.measure >= 0.0) {
        harmonic_levels_adopt(curve->levels, curve->best.y);
    }
    TRY(curve->settings.is_for_peaks ? MASING_OK : response_summary_fill(curve, error));
    if (!*summary->reason && !curve->settings.is_for_peaks) {
        TRY(response_check_harmonics(curve, error));
        TRY(response_check_starts(curve, error));
    }
    TRY(curve_driver_ended(curve->driver, error));
    status = progress_check(curve->settings.options->progress, error); /* of what came then */
done:
    if (status == MASING_STOPPED && summary->is_complete) {
        summary->is_complete = false;
        memcpy(summary->reason, error->message, sizeof summary->reason);
    }
    return status;
}

enum masing_status response_curve_follow(struct response_curve *curve,
                                         struct masing_error *error)
{
    double start = processor_time();
    enum masing_status status = run(curve, error);
    curve->summary->seconds = processor_time() - start;
    return status;
}

enum masing_status response_curve_write_peak(struct response_curve *curve,
                                             struct masing_error *error)
{
    const struct masing_sink *const *sinks = curve->settings.sinks;
    bool is_wanted =
        sinks[RESPONSE_LOOPS] || sinks[RESPONSE_CONTACTS] || curve->settings.options->fields;
    if (!is_wanted || curve->best.measure < 0.0) {
        return MASING_OK;
    }
    NEED(balance_settle(curve->balance, curve->best.y, curve->best.omega, false));
    return write_details(curve, curve->best.y, curve->best.omega, MASING_EVENT_PEAK, error);
}

/* ---- the analysis ---- */

/* Rows go on to their sinks, and are kept for the log, where there is one. */
static void save_rows(struct response_curve_settings *settings,
                      const struct response_saver *saver)
{
    for (int t = 0; saver->journal && t < RESPONSE_N_TABLES; t++) {
        if (settings->sinks[t]) {
            task_rows_through(&saver->rows[t], settings->sinks[t], true);
            settings->sinks[t] = &saver->rows[t].sink;
        }
    }
    settings->saver = saver->journal ? saver : NULL;
}

enum masing_status masing_frf(const struct masing_model *model,
                              const struct masing_response_options *options,
                              const struct masing_sink *rows, const struct masing_sink *loops,
                              struct masing_response_summary *summary,
                              struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    struct masing_error own;
    struct masing_response_options chosen;
    struct masing_response_summary found = {0};
    struct response_curve *curve = NULL;
    struct task_rows logged[RESPONSE_N_TABLES] = {0};
    error = entry_begin(error, &own);
    limit_blas_to_one_thread();
    TRY(entry_need(model, "model", error));
    TRY(response_options_read(options, &chosen, error));
    TRY(entry_check(summary, "summary", error));
    const struct response_saver saver = {chosen.journal, 0, logged};
    struct response_curve_settings settings = {
        .model = model,
        .options = &chosen,
        .n_threads = chosen.n_threads > 0 ? chosen.n_threads : thread_pool_processors(),
        .looks_at_ends = true,
        .sinks = {[RESPONSE_POINTS] = rows,
                  [RESPONSE_CONTACTS] = chosen.contacts,
                  [RESPONSE_LOOPS] = loops,
                  [RESPONSE_CHECK] = chosen.check}};
    TRY(model_need_loads(&model->spec, error));
    save_rows(&settings, &saver);
    TRY(response_curve_create(&settings, &found, &curve, error));
    ended = response_curve_follow(curve, error);
    TRY(ended < 0 ? ended : MASING_OK);
    TRY(response_curve_write_peak(curve, error));
    status = response_rows_end(curve->rows, ended, error);
    if (chosen.journal && !progress_is_cancelled(chosen.progress)) {
        journal_drop_checkpoint(chosen.journal, 0);
    }
done:
    response_curve_destroy(curve);
    for (int t = 0; t < RESPONSE_N_TABLES; t++) {
        task_rows_clear(&logged[t]);
    }
    release_blas();
    if (!entry_write(summary, &found, sizeof found)) {
        masing_response_summary_clear(&found);
    }
    return status;
}
