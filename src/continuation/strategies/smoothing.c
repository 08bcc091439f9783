/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Homotopy from a smoothed problem to the problem itself: where the residual has kinks,
 * Newton's method may go round and round between the pieces, while the solution of a problem
 * with the kinks rounded off is found, and moves little when they are rounded off less. The
 * last solve is of the problem itself.
 */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "continuation/curve.h"
#include "continuation/metric.h"

enum { FIRST_LEVELS = 4, MAX_SOLVES = 40, NEWTON_ITERATIONS = 10, LINE_SEARCH_ITERATIONS = 30 };
/* Factor on the level, at first and at best; nearer to 1 than the last it has come to rest. */
static const double REDUCTION = 0.1, SLOWEST = 0.95;
/* Below the first the problem itself is tried each time; below the last nothing else is. */
static const double TRIED_UNSMOOTHED = 1e-3, LEAST_LEVEL = 1e-8;

/* From the guess in u, which stays where there is no solution. */
static enum masing_status solve_smoothed(struct continuation *c, double level, bool is_first,
                                         double *u, struct corrector_result *result)
{
    size_t bytes = (size_t)c->size * sizeof *u;
    struct corrector_request request = {.limit = INFINITY, .max_iterations = NEWTON_ITERATIONS};
    c->problem.smooth(c->problem.context, level);
    memcpy(c->work, u, bytes);
    enum masing_status status = corrector_solve(c->corrector, &request, c->work, result);
    if (status > 0 && is_first) {
        request.is_line_search = true;
        request.max_iterations = LINE_SEARCH_ITERATIONS;
        memcpy(c->work, u, bytes);
        status = corrector_solve(c->corrector, &request, c->work, result);
    }
    if (status == MASING_OK) {
        memcpy(u, c->work, bytes);
    }
    return status;
}

/* The smoothest problem that the guess leads to a solution of. */
static enum masing_status begin(struct continuation *c, double *u, double *level,
                                struct corrector_result *result)
{
    enum masing_status status = MASING_NOT_CONVERGED;
    *level = 1.0 / REDUCTION;
    for (int i = 0; i < FIRST_LEVELS && status > 0; i++) {
        *level *= REDUCTION;
        status = solve_smoothed(c, *level, true, u, result);
    }
    return status;
}

static enum masing_status reduce(struct continuation *c, double level, double *u,
                                 struct corrector_result *result)
{
    double factor = REDUCTION;
    for (int i = 0; i < MAX_SOLVES && factor < SLOWEST; i++) {
        enum masing_status status = MASING_NOT_CONVERGED;
        if (level <= TRIED_UNSMOOTHED) {
            status = solve_smoothed(c, 0.0, false, u, result);
            if (status <= 0 || level <= LEAST_LEVEL) {
                return status;
            }
        }
        status = solve_smoothed(c, factor * level, false, u, result);
        if (status < 0) {
            return status;
        }
        level *= status == MASING_OK ? factor : 1.0;
        factor = status == MASING_OK ? fmax(REDUCTION, factor * factor) : sqrt(factor);
    }
    return MASING_NOT_CONVERGED;
}

enum masing_status curve_smooth(struct continuation *c, double *u,
                                struct corrector_result *result)
{
    enum masing_status status = MASING_OK;
    double level;
    if (!c->problem.smooth) {
        return MASING_NOT_CONVERGED;
    }
    memcpy(c->ahead, u, (size_t)c->size * sizeof *u);
    TRY(begin(c, c->ahead, &level, result));
    TRY(reduce(c, level, c->ahead, result));
    result->correction = metric_distance(c->size, c->metric, c->ahead, u);
    memcpy(u, c->ahead, (size_t)c->size * sizeof *u);
done:
    c->problem.smooth(c->problem.context, 0.0);
    return status;
}
