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

/* A point in `next` at its lambda from the guess there, with its tangent towards lambda_to. */
static enum masing_status solve_beyond(struct continuation *c)
{
    enum masing_status status = MASING_OK;
    struct corrector_result result;
    struct curve_point *next = &c->next;
    TRY(curve_solve_by(c, CURVE_SMOOTHING, next->u, &result));
    next->residual = result.residual;
    next->iterations = result.iterations;
    memset(c->normal, 0, (size_t)c->size * sizeof *c->normal);
    c->normal[c->n] = c->direction * c->range;
    TRY(curve_exact_tangent(c, next->u, c->normal, next->tangent));
    memcpy(next->tangent_in, next->tangent, (size_t)c->size * sizeof *next->tangent);
done:
    return status;
}

static enum masing_status solve_restart(struct continuation *c, double lambda)
{
    enum masing_status status = MASING_OK;
    TRY(c->problem.restart(c->problem.driver, c->here.u, c->here.u[c->n], lambda, c->next.u));
    c->next.u[c->n] = lambda;
    TRY(solve_beyond(c));
done:
    return status;
}

/* `next` begins another piece. */
static enum masing_status begin_piece(struct continuation *c)
{
    enum masing_status status = MASING_OK;
    c->outcome = (struct step_outcome){.length = c->settings.step_initial, .order = STEP_LINE};
    step_restart(&c->step, &c->settings, c->settings.step_initial);
    c->n_met = 0;
    TRY(curve_start_functions(c));
    memcpy(c->here.value, c->next.value, (size_t)c->n_functions * sizeof *c->next.value);
    c->begins_anew = true;
    c->n_pieces++;
done:
    return status;
}

/* Beyond a pole of which `next` holds the guess. */
static enum masing_status step_over(struct continuation *c, double pole)
{
    enum masing_status status = MASING_OK;
    double *lambda = &c->next.u[c->n], from = c->settings.lambda_from;
    *lambda = 2.0 * pole - c->here.u[c->n];
    bool is_inside = (*lambda - from) * (*lambda - c->settings.lambda_to) < 0.0;
    status = is_inside ? solve_beyond(c) : MASING_NOT_CONVERGED;
    if (status > 0) {
        curve_stop(c, CONTINUATION_STEP_LIMIT, "the curve is unbounded at %.10g%s, and %s",
                   curve_shown(c, pole), curve_unit(c),
                   is_inside ? "nothing was found beyond" : "the range ends there");
        return MASING_OK;
    }
    TRY(status);
    TRY(begin_piece(c));
done:
    return status;
}

enum masing_status curve_step_over_pole(struct continuation *c, bool *is_over)
{
    double lambda = c->here.u[c->n], pole;
    *is_over =
        c->problem.unbounded && c->problem.unbounded(c->problem.context, c->here.u, lambda,
                                                     c->here.tangent[c->n], &pole, c->next.u);
    if (!*is_over) {
        return MASING_OK;
    }
    c->counts.pole = c->counts.poles++ == 0 ? pole : c->counts.pole;
    c->is_rescued = false;
    curve_log(c, "at %.10g%s: the curve is unbounded at %.10g%s, which is stepped over",
              curve_shown(c, lambda), curve_unit(c), curve_shown(c, pole), curve_unit(c));
    return step_over(c, pole);
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
    TRY(begin_piece(c));
    curve_needed(c, MASING_STRATEGY_RESTART, c->next.u);
done:
    return status;
}
