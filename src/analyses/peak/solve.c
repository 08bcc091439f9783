/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/peak/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

/* Part of the measure that may still be gained. */
static const double GAIN = 1e-12;

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

enum masing_status peak_problem_solve(struct peak_problem *problem, struct peak_state *state)
{
    enum masing_status status = MASING_OK;
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
    TRY(maximum_search_run(&search));
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
done:
    return status;
}
