/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When nothing leads on from `here`: a point beyond all that was reached, from a guess by other
 * means. Nothing is known about what lies between, so that it begins another piece of curve.
 * Each one lies nearer to the end of the range than the last, so that this cannot go on for
 * ever.
 */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "continuation/curve.h"
#include "continuation/metric.h"

enum { N_LENGTHS = 3, MOST_PIECES = 20 };
static const double FACTOR = 4.0; /* from one length to the next */

/* A point in `next` at lambda, with its tangent towards lambda_to. */
static enum masing_status solve_restart(struct continuation *c, double lambda)
{
    enum masing_status status = MASING_OK;
    struct corrector_result result;
    struct curve_point *next = &c->next;
    TRY(c->problem.restart(c->problem.context, c->here.u, c->here.u[c->n], lambda, next->u));
    next->u[c->n] = lambda;
    status = MASING_NOT_CONVERGED;
    for (int solver = CURVE_NEWTON; solver <= CURVE_SMOOTHING && status > 0; solver++) {
        status = curve_solve_fixed(c, (enum curve_solver)solver, next->u, &result);
    }
    TRY(status);
    next->residual = result.residual;
    next->iterations = result.iterations;
    memset(c->normal, 0, (size_t)c->size * sizeof *c->normal);
    c->normal[c->n] = c->direction * c->range;
    TRY(curve_exact_tangent(c, next->u, c->normal, next->tangent));
    memcpy(next->tangent_in, next->tangent, (size_t)c->size * sizeof *next->tangent);
done:
    return status;
}

enum masing_status curve_begin_anew(struct continuation *c)
{
    enum masing_status status = MASING_NOT_CONVERGED;
    if (!c->problem.restart || c->is_inner || c->is_on_side_branch ||
        c->n_pieces >= MOST_PIECES) {
        return MASING_NOT_CONVERGED;
    }
    double length = fmax(c->good_length, c->settings.step_initial);
    double end = c->settings.lambda_to;
    double lambda = c->farthest;
    for (int i = 0; i < N_LENGTHS && status > 0 && lambda != end; i++, length *= FACTOR) {
        lambda = c->farthest + c->direction * length * c->range;
        lambda = (end - lambda) * c->direction > 0.0 ? lambda : end;
        status = solve_restart(c, lambda);
    }
    if (status != MASING_OK) {
        curve_log(c, "at %.10g%s: %s failed", curve_shown(c, c->here.u[c->n]), curve_unit(c),
                  masing_strategy_name(MASING_STRATEGY_RESTART));
        return status;
    }
    c->outcome = (struct step_outcome){.length = c->settings.step_initial, .order = STEP_LINE};
    step_restart(&c->step, &c->settings, c->settings.step_initial);
    c->n_met = 0;
    TRY(curve_start_functions(c));
    memcpy(c->here.value, c->next.value, (size_t)c->n_functions * sizeof *c->next.value);
    curve_needed(c, MASING_STRATEGY_RESTART, c->next.u);
    c->begins_anew = true;
    c->n_pieces++;
done:
    return status;
}
