/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/balance_solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "model/cyclic.h"

/* ---- with a matrix, or by iteration ---- */

/* From some 300 unknowns on iteration takes less time, at 1000 a fifth of it; up to there a
 * matrix is worth what it shows beside: branch points, the linear peak in full slip. */
enum { MOST_DENSE_UNKNOWNS = 1000 };

bool solver_is_iterative(const struct masing_model *model, bool needs_matrix)
{
    const struct masing_spec *spec = &model->spec;
    long n_coefficients = 0;
    for (int k = 0; k < spec->n_harmonics; k++) {
        n_coefficients += spec->harmonics[k] > 0 ? 2 : 1;
    }
    return spec->solver.linear == MASING_LINEAR_KRYLOV ||
           (spec->solver.linear == MASING_LINEAR_AUTO && !needs_matrix && !model->cyclic &&
            !model->is_speed_dependent && n_coefficients * model->n_axes > MOST_DENSE_UNKNOWNS);
}

enum masing_status solver_balance_create(const struct masing_model *model, int n_threads,
                                         bool needs_matrix,
                                         const struct masing_progress *progress,
                                         struct balance **balance, struct masing_error *error)
{
    const struct balance_settings settings = {.n_threads = n_threads,
                                              .is_matrix_free =
                                                  solver_is_iterative(model, needs_matrix),
                                              .progress = progress};
    NEED(settings.is_matrix_free
             ? cyclic_refuse(&model->spec, "'solver.linear: krylov' is", error)
             : MASING_OK);
    NEED(settings.is_matrix_free ? speed_refuse(model, "'solver.linear: krylov' is", error)
                                 : MASING_OK);
    NEED(balance_create(model, &settings, balance, error));
    return settings.is_matrix_free ? balance_operator_create(*balance, error) : MASING_OK;
}

static enum masing_status linearize(void *context, const double *y, double omega,
                                    double *residual, double *residual_omega)
{
    return omega > 0.0
               ? balance_linearize(context, BALANCE_LAWS, y, omega, residual, residual_omega)
               : MASING_NOT_FINITE;
}

static enum masing_status apply(void *context, const double *x, double *product)
{
    return balance_apply(context, x, product);
}

static enum masing_status precondition(void *context, double *x)
{
    return balance_precondition(context, x);
}

static long linearisation(void *context)
{
    return balance_linearisations(context);
}

static enum masing_status renew(void *context, bool is_first)
{
    return balance_renew(context, is_first);
}

static double renewal_cost(void *context)
{
    return balance_renewal_cost(context);
}

static enum masing_status apply_near(void *context, const double *x, double *product)
{
    return balance_apply_near(context, x, product);
}

static const struct continuation_operator products = {
    linearize, apply, precondition, linearisation, renew, renewal_cost, apply_near};

static enum masing_status evaluate(void *context, const double *y, double omega,
                                   double *residual, double *jacobian, double *residual_omega)
{
    return omega > 0.0 ? balance_evaluate(context, BALANCE_LAWS, y, omega, residual, jacobian,
                                          residual_omega)
                       : MASING_NOT_FINITE;
}

static void weigh(void *context, const double *y, double omega, double *weight)
{
    (void)omega;
    balance_weights(context, y, weight);
}

struct continuation_problem balance_problem(struct balance *balance)
{
    return (struct continuation_problem){
        .context = balance,
        .n = balance->n_unknowns,
        .operator= balance->compliance->has_matrices ? NULL : & products,
        .has_near = balance_has_near(balance),
        .krylov_tolerance = balance->model->spec.solver.krylov_tolerance,
        .evaluate = evaluate,
        .weights = weigh};
}

enum masing_status balance_solver_create(struct balance *balance, double tolerance,
                                         struct point_solver **solver,
                                         struct masing_error *error)
{
    const struct continuation_problem problem = balance_problem(balance);
    return point_solver_create(&problem, tolerance, solver, error);
}

static enum masing_status prepare(void *context, const double *y, double omega)
{
    struct point_solver *solver = context;
    memcpy(solver->point, y, sizeof(double) * (size_t)solver->n);
    solver->point[solver->n] = omega;
    return point_solver_linearize(solver);
}

static enum masing_status invert(void *context, double *x)
{
    return point_solver_invert(context, x);
}

enum masing_status balance_solver_sensitivity(struct recovery *recovery,
                                              struct point_solver **solver,
                                              struct sensitivity **sensitivity,
                                              struct masing_error *error)
{
    struct balance *balance = recovery->balance;
    struct sensitivity_solver inverse = {.prepare = prepare, .solve = invert};
    if (!balance->compliance->has_matrices) {
        NEED(balance_solver_create(balance, balance->model->spec.solver.tolerance, solver,
                                   error));
        inverse.context = *solver;
    }
    return sensitivity_create(recovery, &inverse, sensitivity, error);
}

/* ---- refinement ---- */

/* As the model file's limits, and unknowns of a dense Jacobian that is worth its time. */
enum { MOST_SAMPLES = 65536, MOST_UNKNOWNS = 6000 };

enum masing_status refinement_model(const struct masing_model *model, int highest,
                                    int n_samples, struct masing_model *copy,
                                    struct masing_error *error)
{
    *copy = *model;
    copy->spec.n_harmonics = highest + 1;
    copy->spec.n_samples = n_samples;
    NEED_ALLOCATED(copy->spec.harmonics = memory_array((size_t)highest + 1, sizeof(int)));
    while (copy->spec.n_samples < 4 * highest) {
        copy->spec.n_samples *= 2;
    }
    for (int h = 0; h <= highest; h++) {
        copy->spec.harmonics[h] = h;
    }
    return MASING_OK;
}

enum masing_status refinement_create(const struct masing_model *model, int n_threads,
                                     const struct masing_progress *progress,
                                     struct refinement **refinement, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct refinement *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    const struct masing_spec *spec = &model->spec;
    int highest = 2 * spec->harmonics[spec->n_harmonics - 1] + 1;
    TRY(refinement_model(model, highest, 2 * spec->n_samples, &made->model, error));
    bool is_large = (2.0 * highest + 1.0) * (model->n_axes + 1) > MOST_UNKNOWNS;
    if (made->model.spec.n_samples > MOST_SAMPLES ||
        (is_large && !solver_is_iterative(&made->model, false))) {
        TRY(MASING_STOPPED);
    }
    TRY(solver_balance_create(&made->model, n_threads, false, progress, &made->balance, error));
    TRY(recovery_create(made->balance, &made->recovery, error));
    TRY(balance_solver_create(made->balance, model->spec.solver.tolerance, &made->solver,
                              error));
    *refinement = made;
    made = NULL;
done:
    refinement_destroy(made);
    return status;
}

void refinement_destroy(struct refinement *refinement)
{
    if (refinement) {
        point_solver_destroy(refinement->solver);
        recovery_destroy(refinement->recovery);
        balance_destroy(refinement->balance);
        free(refinement->model.spec.harmonics);
        free(refinement);
    }
}

static void pad_modes(const struct balance *coarse, const double *y, const struct balance *fine,
                      double *out)
{
    for (int e = 0; e < coarse->n_modes; e++) {
        const struct balance_mode *from = &coarse->modes[e];
        int h = coarse->basis->harmonics[from->harmonic_index];
        for (int i = 0; i < fine->n_modes; i++) {
            const struct balance_mode *to = &fine->modes[i];
            if (to->mode == from->mode && fine->basis->harmonics[to->harmonic_index] == h) {
                memcpy(out + to->position, y + from->position,
                       sizeof(double) * (h > 0 ? 2u : 1u));
            }
        }
    }
}

static void pad_observed(const struct balance *coarse, const double *y,
                         const struct balance *fine, double *out)
{
    int from = coarse->observed_position;
    for (int e = 0; e < coarse->n_observed; e++) {
        int h = coarse->basis->harmonics[coarse->observed[e]], n_sides = h > 0 ? 2 : 1;
        int to = fine->observed_position;
        for (int i = 0; i < fine->n_observed; i++) {
            int other = fine->basis->harmonics[fine->observed[i]];
            if (other == h) {
                memcpy(out + to, y + from, sizeof(double) * (size_t)n_sides);
            }
            to += other > 0 ? 2 : 1;
        }
        from += n_sides;
    }
}

void refinement_pad(const struct balance *coarse, const double *y, const struct balance *fine,
                    double *out)
{
    size_t n_axes = (size_t)fine->n_axes;
    memset(out, 0, sizeof(double) * (size_t)fine->n_unknowns);
    for (int k = 0; k < coarse->basis->n_harmonics; k++) {
        int h = coarse->basis->harmonics[k], n_sides = h > 0 ? 2 : 1;
        int to = h > 0 ? 2 * h - 1 : 0; /* all harmonics from 0 stand before it */
        memcpy(out + (size_t)to * n_axes, y + (size_t)coarse->basis->position[k] * n_axes,
               sizeof(double) * (size_t)n_sides * n_axes);
    }
    pad_observed(coarse, y, fine, out);
    pad_modes(coarse, y, fine, out);
    out[fine->n_unknowns] = y[coarse->n_unknowns];
}

void refinement_start(struct refinement *refinement, const struct point_solver *coarse)
{
    struct balance *fine = refinement->balance;
    const struct balance *before = coarse->problem.context;
    refinement_pad(before, coarse->point, fine, refinement->solver->point);
    memcpy(fine->origin, before->origin, sizeof(double) * (size_t)fine->n_axes);
    fine->has_last = false;
}

enum masing_status refinement_follow_tangent(struct refinement *refinement,
                                             struct point_solver *coarse)
{
    point_solver_fix_lambda(coarse);
    enum masing_status status = point_solver_differentiate(coarse);
    if (status == MASING_OK) {
        refinement_pad(coarse->problem.context, coarse->tangent, refinement->balance,
                       refinement->solver->tangent);
        point_solver_follow_tangent(refinement->solver);
    }
    return status;
}

/* ---- maxima ---- */

/* First step along the curve where its curvature is not known, longest step, and how far a
 * maximum may lie from its guess: parts of the motion, and of the frequency. */
static const double FIRST_STEP = 0.01, LONGEST_STEP = 0.1, FARTHEST = 0.7;
/* Slope, in parts of the measure per unit of arc length, that is none at a smooth maximum. */
static const double FLAT = 1e-3;
enum { MAX_SAMPLES = 60 };

static enum masing_status sample(struct maximum_search *search, double s)
{
    enum masing_status status = MASING_OK;
    struct point_solver *solver = search->solver;
    struct slope_sample *last = &search->last;
    TRY(search->n_samples == 0 ? point_solver_solve(solver, s)
                               : point_solver_continue(solver, s));
    TRY(point_solver_differentiate(solver));
    search->before = *last;
    last->s = s;
    last->omega = solver->point[solver->n];
    TRY(recovery_slope(search->recovery, solver->point, last->omega, solver->tangent,
                       solver->tangent[solver->n], &last->slope));
    last->measure = search->recovery->point.measure;
    status = isfinite(last->slope) ? MASING_OK : MASING_NOT_FINITE;
    search->n_samples++;
    if (last->slope >= 0.0) {
        search->below = *last;
        search->has_below = true;
    } else {
        search->above = *last;
        search->has_above = true;
    }
done:
    return status;
}

static double secant(const struct maximum_search *search)
{
    double ds = search->last.s - search->before.s;
    return ds == 0.0 ? 0.0 : (search->last.slope - search->before.slope) / ds;
}

/* Where the slope jumps: from the last sample to where the tangents to the measure at both ends
 * of the enclosure meet, or a little beside an end, which then encloses what lies there. */
static double step_to_corner(const struct maximum_search *search)
{
    static const double BESIDE = 0.01; /* parts of the enclosure */
    const struct slope_sample *a = &search->below, *b = &search->above;
    double width = b->s - a->s, rise = b->measure - a->measure;
    double part = (rise / width - b->slope) / (a->slope - b->slope);
    return a->s + fmin(fmax(part, BESIDE), 1.0 - BESIDE) * width - search->last.s;
}

/* Newton's step, or to a corner where the slopes of the enclosure do not come nearer to each
 * other as its ends do; a half of it where the last three samples did not do better. */
static double step_inside(struct maximum_search *search, double step)
{
    double a = search->below.s, b = search->above.s, last = search->last.s;
    double width = fabs(b - a), change = search->below.slope - search->above.slope;
    search->steepness = search->steepness > 0.0 ? search->steepness : change / width;
    step = change > 2.0 * search->steepness * width ? step_to_corner(search) : step;
    bool is_inside = (last + step - a) * (last + step - b) < 0.0, is_due = false;
    if (search->n_samples % 4 == 3) {
        is_due = width > 0.25 * search->width;
        search->width = width;
    }
    return is_inside && !is_due ? step : 0.5 * (a + b) - last;
}

/* The next step: Newton's with the curvature of the last two samples or of the guess, within
 * the enclosure where there is one. */
static double next_step(struct maximum_search *search, double previous, bool is_first)
{
    const struct slope_sample *last = &search->last;
    double guess = search->curvature * search->measure;
    double curvature = is_first ? guess : secant(search);
    double step = curvature < 0.0 ? -last->slope / curvature
                  : is_first      ? copysign(FIRST_STEP, last->slope)
                                  : copysign(2.0 * fabs(previous), last->slope);
    if (search->has_below && search->has_above) {
        return step_inside(search, step);
    }
    return fabs(step) > LONGEST_STEP ? copysign(LONGEST_STEP, step) : step;
}

/* The last step, which gains less than what is looked for, without another solution: as much
 * nearer to the maximum as the curvature is known, so that the next one is predicted well. */
static void make_last_step(struct maximum_search *search, double step)
{
    static const double SHORT = 1e-5;
    struct point_solver *solver = search->solver;
    double omega = search->last.omega + step * solver->tangent[solver->n];
    bool is_inside = omega > search->low && omega < search->high;
    for (int i = 0; i <= solver->n && is_inside && fabs(step) <= SHORT; i++) {
        solver->point[i] += step * solver->tangent[i];
    }
}

/* Beyond the range, by more than rounding? */
static bool is_outside(const struct maximum_search *search, double *limit)
{
    double omega = search->last.omega, margin = 1e-12 * omega;
    *limit = omega < search->low ? search->low : search->high;
    return omega < search->low - margin || omega > search->high + margin;
}

/* A corner, or one that is enclosed. */
static bool is_enclosed(const struct maximum_search *search)
{
    double width = fabs(search->above.s - search->below.s);
    return search->has_below && search->has_above &&
           fabs(search->last.slope) * width <= search->gain * search->measure;
}

/* Smooth, and so near that a step gains nothing. */
static bool is_near(const struct maximum_search *search, double step)
{
    double size = search->measure;
    bool is_known = search->n_samples > 1 || search->curvature < 0.0;
    return is_known && 0.5 * fabs(search->last.slope * step) <= search->gain * size &&
           fabs(search->last.slope) <= FLAT * size;
}

/* From a first sample on. MASING_STOPPED: the range is left, at *limit. */
static enum masing_status climb(struct maximum_search *search, double *limit)
{
    double step = next_step(search, 0.0, true);
    while (!is_near(search, step)) {
        if (is_enclosed(search)) {
            return MASING_OK;
        }
        if (search->n_samples >= MAX_SAMPLES || fabs(search->last.s + step) > FARTHEST) {
            return MASING_NOT_CONVERGED;
        }
        NEED(sample(search, search->last.s + step));
        if (is_outside(search, limit)) {
            return MASING_STOPPED;
        }
        step = next_step(search, step, false);
    }
    make_last_step(search, step);
    return MASING_OK;
}

/* At an end of the range, held there: either the measure grows outwards, or the maximum lies
 * inside, along the frequency. */
static enum masing_status climb_from_limit(struct maximum_search *search, double limit)
{
    enum masing_status status = MASING_OK;
    struct point_solver *solver = search->solver;
    bool is_low = limit == search->low;
    solver->point[solver->n] = limit;
    point_solver_fix_lambda(solver);
    search->has_below = search->has_above = false;
    search->curvature = search->width = search->steepness = 0.0;
    TRY(sample(search, 0.0));
    search->is_at_limit = is_low ? search->last.slope <= 0.0 : search->last.slope >= 0.0;
    if (!search->is_at_limit && !search->is_held) {
        TRY(climb(search, &limit));
    }
done:
    return status == MASING_STOPPED ? MASING_NOT_CONVERGED : status;
}

enum masing_status maximum_search_run(struct maximum_search *search)
{
    enum masing_status status = MASING_STOPPED;
    struct point_solver *solver = search->solver;
    struct recovery *recovery = search->recovery;
    double omega = solver->point[solver->n], limit = search->high;
    if (search->is_held) {
        limit = fabs(omega - search->low) < fabs(omega - search->high) ? search->low : limit;
    } else {
        point_solver_follow_tangent(solver);
        status = sample(search, 0.0);
        status = status                       ? status
                 : is_outside(search, &limit) ? MASING_STOPPED
                                              : climb(search, &limit);
    }
    TRY(status == MASING_STOPPED ? climb_from_limit(search, limit) : status);
    TRY(recovery_evaluate(recovery, solver->point, solver->point[solver->n]));
    double measure = recovery_peak_measure(recovery);
    double curvature = search->n_samples > 1 ? secant(search) : 0.0;
    search->is_corner =
        !search->is_at_limit && !search->is_held && fabs(search->last.slope) > FLAT * measure;
    if (curvature < 0.0 && !search->is_corner) {
        search->curvature = curvature / measure;
    }
done:
    return status;
}
