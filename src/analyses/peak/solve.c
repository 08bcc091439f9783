/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/peak/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

/* First step along the curve where its curvature is not known, longest step, and how far a
 * maximum may lie from its guess: parts of the motion, and of the frequency. */
static const double FIRST_STEP = 0.01, LONGEST_STEP = 0.1, FARTHEST = 0.7;
/* Part of the measure that may still be gained. */
static const double GAIN = 1e-12;
/* Slope, in parts of the measure per unit of arc length, that is none at a smooth maximum. */
static const double FLAT = 1e-3;
enum { MAX_SAMPLES = 60 };

/* A place on the curve: the maximum lies where the slope falls through zero. */
struct slope_sample {
    double s, slope, omega;
};

struct search {
    struct peak_problem *problem;
    struct peak_state *state;
    struct slope_sample last, before; /* the two latest */
    struct slope_sample below, above; /* slopes > 0 and < 0 */
    bool has_below, has_above;
    double low, high; /* of the frequency */
    int n_samples;
};

enum masing_status peak_state_create(int n, int n_cells, struct peak_state *state,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t size = (size_t)n + 1;
    double *point = memory_array(2 * size + (size_t)n_cells, sizeof *point);
    TRY_ALLOCATED(point);
    *state = (struct peak_state){.n = n,
                                 .n_cells = n_cells,
                                 .point = point,
                                 .tangent = point + size,
                                 .cells = point + 2 * size,
                                 .slope = NAN};
done:
    return status;
}

void peak_state_clear(struct peak_state *state)
{
    free(state->point);
    *state = (struct peak_state){0};
}

enum masing_status peak_state_copy(struct peak_state *to, const struct peak_state *from,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t size = (size_t)from->n + 1;
    if (!to->point || to->n != from->n || to->n_cells != from->n_cells) {
        peak_state_clear(to);
        TRY(peak_state_create(from->n, from->n_cells, to, error));
    }
    double *point = to->point;
    memcpy(point, from->point, sizeof *point * (2 * size + (size_t)from->n_cells));
    *to = *from;
    to->point = point;
    to->tangent = point + size;
    to->cells = point + 2 * size;
done:
    return status;
}

static enum masing_status sample(struct search *search, double s)
{
    enum masing_status status = MASING_OK;
    struct peak_problem *problem = search->problem;
    struct point_solver *solver = problem->solver;
    const struct masing_spec *spec = &problem->model->spec;
    struct slope_sample *last = &search->last;
    TRY(search->n_samples == 0 ? point_solver_solve(solver, s)
                               : point_solver_continue(solver, s));
    TRY(point_solver_differentiate(solver));
    search->before = *last;
    last->s = s;
    last->omega = solver->point[solver->n];
    TRY(recovery_slope(problem->recovery, solver->point, last->omega, solver->tangent,
                       solver->tangent[solver->n], spec->peak_output, spec->peak_measure,
                       &last->slope));
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

static double secant(const struct search *search)
{
    double ds = search->last.s - search->before.s;
    return ds == 0.0 ? 0.0 : (search->last.slope - search->before.slope) / ds;
}

/* The next step: Newton's with the curvature of the last two samples or of the guess, within
 * the enclosure where there is one. */
static double next_step(const struct search *search, double previous, bool is_first)
{
    const struct slope_sample *last = &search->last;
    double guess = search->state->curvature * search->state->measure;
    double curvature = is_first ? guess : secant(search);
    double step = curvature < 0.0 ? -last->slope / curvature
                  : is_first      ? copysign(FIRST_STEP, last->slope)
                                  : copysign(2.0 * fabs(previous), last->slope);
    if (search->has_below && search->has_above) {
        double a = search->below.s, b = search->above.s, to = last->s + step;
        bool is_inside = (to - a) * (to - b) < 0.0;
        /* every fourth sample halves, whatever the slopes do */
        return is_inside && search->n_samples % 4 != 3 ? step : 0.5 * (a + b) - last->s;
    }
    return fabs(step) > LONGEST_STEP ? copysign(LONGEST_STEP, step) : step;
}

/* Beyond the range, by more than rounding? */
static bool is_outside(const struct search *search, double *limit)
{
    double omega = search->last.omega, margin = 1e-12 * omega;
    *limit = omega < search->low ? search->low : search->high;
    return omega < search->low - margin || omega > search->high + margin;
}

static bool is_done(const struct search *search, double step)
{
    double size = search->state->measure;
    bool is_known = search->n_samples > 1 || search->state->curvature < 0.0;
    if (search->has_below && search->has_above) {
        double width = fabs(search->above.s - search->below.s);
        if (fabs(search->last.slope) * width <= GAIN * size) {
            return true;
        }
    }
    return is_known && 0.5 * fabs(search->last.slope * step) <= GAIN * size &&
           fabs(search->last.slope) <= FLAT * size;
}

/* From a first sample on. MASING_STOPPED: the range is left, at *limit. */
static enum masing_status climb(struct search *search, double *limit)
{
    enum masing_status status = MASING_OK;
    double step = next_step(search, 0.0, true);
    while (!is_done(search, step)) {
        if (search->n_samples >= MAX_SAMPLES || fabs(search->last.s + step) > FARTHEST) {
            return MASING_NOT_CONVERGED;
        }
        TRY(sample(search, search->last.s + step));
        if (is_outside(search, limit)) {
            return MASING_STOPPED;
        }
        step = next_step(search, step, false);
    }
done:
    return status;
}

/* At an end of the range, held there: either the measure grows outwards, or the maximum lies
 * inside, along the frequency. */
static enum masing_status climb_from_limit(struct search *search, double limit)
{
    enum masing_status status = MASING_OK;
    struct point_solver *solver = search->problem->solver;
    bool is_low = limit == search->low;
    solver->point[solver->n] = limit;
    point_solver_fix_lambda(solver);
    search->has_below = search->has_above = false;
    search->state->curvature = 0.0;
    TRY(sample(search, 0.0));
    search->state->is_at_limit = is_low ? search->last.slope <= 0.0 : search->last.slope >= 0.0;
    if (!search->state->is_at_limit && !search->state->is_end) {
        TRY(climb(search, &limit));
    }
done:
    return status == MASING_STOPPED ? MASING_NOT_CONVERGED : status;
}

/* From the guess, along the tangent that it has. */
static enum masing_status climb_from_guess(struct search *search, double *limit)
{
    point_solver_follow_tangent(search->problem->solver);
    enum masing_status status = sample(search, 0.0);
    return status ? status : is_outside(search, limit) ? MASING_STOPPED : climb(search, limit);
}

static void keep(struct search *search)
{
    struct peak_problem *problem = search->problem;
    struct peak_state *state = search->state;
    const struct masing_spec *spec = &problem->model->spec;
    size_t size = sizeof(double) * ((size_t)state->n + 1);
    double curvature = search->n_samples > 1 ? secant(search) : 0.0;
    memcpy(state->point, problem->solver->point, size);
    memcpy(state->tangent, problem->solver->tangent, size);
    peak_problem_cells(problem->recovery, state->cells);
    state->p = problem->p;
    state->measure = recovery_measure(&problem->recovery->point.measures[spec->peak_output],
                                      spec->peak_measure);
    state->is_corner = !state->is_at_limit && !state->is_end &&
                       fabs(search->last.slope) > FLAT * state->measure;
    if (curvature < 0.0 && !state->is_corner) {
        state->curvature = curvature / state->measure;
    }
    state->slope = NAN;
    state->is_swept = false;
}

enum masing_status peak_problem_solve(struct peak_problem *problem, struct peak_state *state)
{
    enum masing_status status = MASING_OK;
    struct point_solver *solver = problem->solver;
    const struct masing_spec *spec = &problem->model->spec;
    size_t size = sizeof(double) * ((size_t)state->n + 1);
    struct search search = {.problem = problem,
                            .state = state,
                            .low = fmin(spec->omega_from, spec->omega_to),
                            .high = fmax(spec->omega_from, spec->omega_to)};
    double limit = 0.0;
    if (state->n != solver->n) {
        return MASING_NOT_CONVERGED; /* other unknowns than where the guess is from */
    }
    long before = solver->iterations;
    state->is_at_limit = false;
    memcpy(solver->point, state->point, size);
    memcpy(solver->tangent, state->tangent, size);
    if (state->is_end) {
        double omega = state->point[state->n];
        bool is_low = fabs(omega - search.low) < fabs(omega - search.high);
        limit = is_low ? search.low : search.high;
        status = MASING_STOPPED;
    } else {
        status = climb_from_guess(&search, &limit);
    }
    if (status == MASING_STOPPED) {
        status = climb_from_limit(&search, limit);
    }
    TRY(status);
    TRY(recovery_evaluate(problem->recovery, solver->point, solver->point[solver->n]));
    keep(&search);
    state->iterations = (int)(solver->iterations - before);
done:
    return status;
}
