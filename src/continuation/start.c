/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first point of a curve, and the direction in which it is left. */
#include <string.h>

#include "base/check.h"
#include "continuation/curve.h"

/* A solution at the start in `next`: the simplest solver that finds one from any guess. */
static enum masing_status solve_start(struct continuation *c, double lambda,
                                      const double *guesses, int n_guesses)
{
    enum masing_status status = MASING_NOT_CONVERGED;
    struct corrector_result result = {0};
    double *u = c->next.u;
    for (int solver = 0; solver < CURVE_N_SOLVERS && status > 0; solver++) {
        for (int i = 0; i < n_guesses && status > 0; i++) {
            memcpy(u, guesses + (size_t)i * (size_t)c->n, (size_t)c->n * sizeof *u);
            u[c->n] = lambda;
            TRY(curve_renew_metric(c, u));
            status = curve_solve_fixed(c, (enum curve_solver)solver, u, &result);
        }
    }
    c->next.residual = result.residual;
    c->next.iterations = result.iterations;
done:
    return status;
}

/* Unit tangent at the first point, towards lambda_to. */
static enum masing_status start_tangent(struct continuation *c)
{
    enum masing_status status = MASING_OK;
    double *tangent = c->next.tangent;
    c->solution_size = 1.0;
    TRY(curve_renew_metric(c, c->next.u));
    memset(tangent, 0, (size_t)c->n * sizeof *tangent);
    tangent[c->n] = c->direction * c->range;
    memcpy(c->normal, tangent, (size_t)c->size * sizeof *tangent);
    TRY(curve_exact_tangent(c, c->next.u, c->normal, tangent));
    memcpy(c->next.tangent_in, tangent, (size_t)c->size * sizeof *tangent);
done:
    return status;
}

static bool is_value(const struct continuation *c, double lambda)
{
    for (int i = 0; i < c->settings.n_values; i++) {
        if (c->values[i] == lambda) {
            return true;
        }
    }
    return false;
}

enum masing_status curve_start(struct continuation *c, const double *guesses, int n_guesses)
{
    enum masing_status status = MASING_OK;
    double lambda =
        c->settings.starts_inside ? c->settings.lambda_start : c->settings.lambda_from;
    const char *missing = "solution";
    TRY(solve_start(c, lambda, guesses, n_guesses));
    missing = "direction of the curve";
    TRY(start_tangent(c));
    missing = "corner";
    TRY(curve_start_functions(c));
    if (is_value(c, lambda)) {
        curve_add_event(c, CONTINUATION_AT, -1);
    }
done:
    if (status > 0) {
        curve_stop(c, CONTINUATION_NO_START, "no %s was found at %.10g%s: %s", missing,
                   curve_shown(c, lambda), curve_unit(c), masing_status_name(status));
        status = MASING_OK;
    }
    return status;
}
