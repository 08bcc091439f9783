/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/peak/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "model/message.h"

static void clear(struct peak_problem *problem)
{
    sensitivity_destroy(problem->sensitivity);
    point_solver_destroy(problem->inverse);
    point_solver_destroy(problem->solver);
    recovery_destroy(problem->recovery);
    moving_balance_destroy(problem->residual);
    balance_destroy(problem->balance);
    free(problem->slope);
    problem->sensitivity = NULL;
    problem->inverse = NULL;
    problem->solver = NULL;
    problem->recovery = NULL;
    problem->residual = NULL;
    problem->balance = NULL;
    problem->slope = NULL;
}

/* What belongs to the model. */
static enum masing_status fill(struct peak_problem *problem, struct masing_error *error)
{
    if (problem->measure) {
        problem->model->spec.peak_measure = *problem->measure;
    }
    NEED(solver_balance_create(problem->model, 1, false, problem->progress, &problem->balance,
                               error));
    if (problem->moving) {
        NEED(moving_balance_create(problem->balance, problem->moving,
                                   problem->model->spec.omega_from, &problem->residual, error));
    }
    NEED(recovery_create(problem->balance, &problem->recovery, error));
    NEED(balance_solver_create(problem->balance, problem->model->spec.solver.tolerance,
                               &problem->solver, error));
    NEED(balance_solver_sensitivity(problem->recovery, &problem->inverse, &problem->sensitivity,
                                    error));
    problem->slope = memory_array((size_t)problem->balance->n_coefficients, sizeof(double));
    NEED_ALLOCATED(problem->slope);
    return MASING_OK;
}

enum masing_status peak_problem_model(const struct peak_problem *problem, double p,
                                      struct masing_model **model, struct masing_error *error)
{
    char text[32];
    struct masing_override *overrides = NULL;
    snprintf(text, sizeof text, "%.17g", p);
    enum masing_status status =
        moving_model_overrides(&problem->request, text, &overrides, error);
    if (status == MASING_OK) {
        status = masing_document_model(problem->request.document, overrides,
                                       problem->request.n_overrides + 1, model, error);
    }
    if (status == MASING_OK && problem->measure) {
        (*model)->spec.peak_measure = *problem->measure;
    }
    free(overrides);
    return status;
}

/* Whether the file is a model at this value. */
static bool can_have(const struct peak_problem *problem, double p)
{
    struct masing_model *model = NULL;
    bool is_good = peak_problem_model(problem, p, &model, NULL) == MASING_OK;
    masing_model_destroy(model);
    return is_good;
}

enum masing_status peak_problem_create(const struct moving_model_request *request,
                                       const enum masing_measure *measure,
                                       const struct masing_progress *progress,
                                       struct peak_problem **problem,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error inner = {0};
    struct peak_problem *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->request = *request;
    made->measure = measure;
    made->progress = progress;
    made->p = request->from;
    status = moving_model_create(request, &made->model, &made->moving, &inner);
    if (status == MASING_INVALID && can_have(made, request->to) &&
        can_have(made, request->from)) {
        /* the value in the middle is none, e.g. where only whole numbers are */
        TRY(made->model ? MASING_OK
                        : peak_problem_model(made, request->from, &made->model, error));
        status = MASING_OK;
    }
    if (status == MASING_UNSUPPORTED && made->model) {
        status = MASING_OK; /* something else depends on the number, too */
    } else if (status != MASING_OK) {
        TRY(masing_error_set(error, status, "%s", inner.message));
    }
    TRY(model_need_sweep(&made->model->spec, true, error));
    TRY(model_need_outputs(&made->model->spec, error));
    TRY(fill(made, error));
    *problem = made;
    made = NULL;
done:
    peak_problem_destroy(made);
    return status;
}

void peak_problem_destroy(struct peak_problem *problem)
{
    if (problem) {
        clear(problem);
        moving_destroy(problem->moving);
        masing_model_destroy(problem->model);
        free(problem);
    }
}

enum masing_status peak_problem_set(struct peak_problem *problem, double p,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error inner = {0};
    struct masing_model *model = NULL;
    if (problem->moving) {
        problem->solver->is_factored = false;
        TRY(moving_balance_set(problem->residual, p));
    } else if (p != problem->p) {
        status = peak_problem_model(problem, p, &model, &inner);
        if (status == MASING_INVALID) {
            return MASING_NOT_CONVERGED; /* perhaps only in between */
        }
        TRY(status ? masing_error_set(error, status, "%s", inner.message) : MASING_OK);
        clear(problem);
        masing_model_destroy(problem->model);
        problem->model = model;
        TRY(fill(problem, error));
    }
    problem->p = p;
done:
    return status;
}

double peak_problem_coordinate(const struct peak_problem *problem, double p)
{
    return problem->is_log ? log(p) : p;
}

double peak_problem_value(const struct peak_problem *problem, double u)
{
    return problem->is_log ? exp(u) : u;
}

int peak_problem_n_cells(const struct recovery *recovery)
{
    const struct masing_spec *spec = &recovery->balance->model->spec;
    return (3 + 3 * spec->n_harmonics) * spec->n_outputs + 2 * spec->n_groups + 1;
}

void peak_problem_cells(const struct recovery *recovery, double *cells)
{
    const struct balance *balance = recovery->balance;
    const struct masing_spec *spec = &balance->model->spec;
    const struct recovery_point *point = &recovery->point;
    const size_t n_groups = (size_t)spec->n_groups;
    for (int o = 0; o < spec->n_outputs; o++) {
        *cells++ = point->measures[o].max;
        *cells++ = point->measures[o].amp;
        *cells++ = point->measures[o].h1;
    }
    memcpy(cells, point->slip, sizeof(double) * n_groups);
    cells += n_groups;
    *cells++ = point->structure_loss;
    memcpy(cells, point->group_loss, sizeof(double) * n_groups);
    cells += n_groups;
    for (int o = 0; o < spec->n_outputs; o++) {
        const double *c = point->coefficients + (size_t)o * (size_t)balance->n_coefficients;
        for (int k = 0; k < spec->n_harmonics; k++) {
            const double *of_harmonic = c + balance->basis->position[k];
            *cells++ = spec->harmonics[k] > 0 ? hypot(of_harmonic[0], of_harmonic[1]) : NAN;
        }
    }
    const struct coefficient_columns all = {.n_signals = spec->n_outputs, .values = cells};
    coefficient_columns_fill(&all, balance->basis, point->coefficients);
}

const double *peak_state_coefficients(const struct peak_state *state,
                                      const struct masing_spec *spec)
{
    return state->cells + state->n_cells - 2 * spec->n_outputs * spec->n_harmonics;
}

enum masing_status peak_problem_slope(struct peak_problem *problem, const double *point,
                                      double *slope)
{
    const struct masing_spec *spec = &problem->model->spec;
    double omega = point[problem->solver->n];
    *slope = NAN;
    if (!problem->moving) {
        return MASING_OK;
    }
    problem->residual->omega = omega;
    NEED(sensitivity_factor(problem->sensitivity, point, omega));
    NEED(sensitivity_moving(problem->sensitivity, problem->residual, spec->peak_output,
                            problem->slope));
    *slope = recovery_measure_slope(problem->recovery,
                                    problem->recovery->point.coefficients +
                                        (size_t)spec->peak_output *
                                            (size_t)problem->balance->n_coefficients,
                                    problem->slope, spec->peak_measure);
    return MASING_OK;
}

/* ---- one maximum ---- */

/* Part of the measure that may still be gained. */
static const double GAIN = 1e-12;

enum masing_status peak_state_create(int n, int n_cells, struct peak_state *state,
                                     struct masing_error *error)
{
    size_t size = (size_t)n + 1;
    double *point = memory_array(2 * size + (size_t)n_cells, sizeof *point);
    NEED_ALLOCATED(point);
    *state = (struct peak_state){.n = n,
                                 .n_cells = n_cells,
                                 .point = point,
                                 .tangent = point + size,
                                 .cells = point + 2 * size,
                                 .slope = NAN};
    return MASING_OK;
}

void peak_state_clear(struct peak_state *state)
{
    free(state->point);
    *state = (struct peak_state){0};
}

enum masing_status peak_state_copy(struct peak_state *to, const struct peak_state *from,
                                   struct masing_error *error)
{
    size_t size = (size_t)from->n + 1;
    if (!to->point || to->n != from->n || to->n_cells != from->n_cells) {
        peak_state_clear(to);
        NEED(peak_state_create(from->n, from->n_cells, to, error));
    }
    double *point = to->point;
    memcpy(point, from->point, sizeof *point * (2 * size + (size_t)from->n_cells));
    *to = *from;
    to->point = point;
    to->tangent = point + size;
    to->cells = point + 2 * size;
    return MASING_OK;
}

enum masing_status peak_problem_solve(struct peak_problem *problem, struct peak_state *state)
{
    struct point_solver *solver = problem->solver;
    const struct masing_spec *spec = &problem->model->spec;
    size_t size = sizeof(double) * ((size_t)state->n + 1);
    struct maximum_search search = {.solver = solver,
                                    .recovery = problem->recovery,
                                    .low = fmin(spec->omega_from, spec->omega_to),
                                    .high = fmax(spec->omega_from, spec->omega_to),
                                    .gain = GAIN,
                                    .measure = state->measure,
                                    .curvature = state->curvature,
                                    .is_held = state->is_end};
    if (state->n != solver->n) {
        return MASING_NOT_CONVERGED; /* other unknowns than where the guess is from */
    }
    long before = solver->iterations;
    memcpy(solver->point, state->point, size);
    memcpy(solver->tangent, state->tangent, size);
    NEED(maximum_search_run(&search));
    memcpy(state->point, solver->point, size);
    memcpy(state->tangent, solver->tangent, size);
    peak_problem_cells(problem->recovery, state->cells);
    state->p = problem->p;
    state->measure = recovery_peak_measure(problem->recovery);
    state->is_at_limit = search.is_at_limit;
    state->is_corner = search.is_corner;
    state->curvature = search.curvature;
    state->slope = NAN;
    state->is_swept = false;
    state->iterations = (int)(solver->iterations - before);
    return MASING_OK;
}
