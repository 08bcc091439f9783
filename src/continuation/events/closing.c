/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A closed curve passes its first point again, in the same direction. */
#include <string.h>

#include "base/check.h"
#include "continuation/curve.h"
#include "continuation/metric.h"

/* in parts of the step: how near the first point must be to be looked at, and to be met */
static const double NEAR = 0.2;
static const double MET = 1e-6;
enum { LEAST_POINTS = 4 };

/* Signed distance from the hyperplane through the first point. */
static double height(const struct continuation *c, const double *u)
{
    double sum = 0.0;
    for (int i = 0; i < c->size; i++) {
        sum += c->metric[i] * c->first.tangent[i] * (u[i] - c->first.u[i]);
    }
    return sum;
}

enum masing_status curve_close(struct continuation *c)
{
    double here = height(c, c->here.u);
    double next = height(c, c->next.u);
    double length = c->next.arc - c->here.arc;
    if (c->n_points < LEAST_POINTS || here >= 0.0 || next < 0.0 || next - here > 2.0 * length) {
        return MASING_OK;
    }
    struct predictor_segment segment;
    double arc = length * here / (here - next);
    curve_segment(c, &segment);
    predictor_hermite(&segment, arc, c->trial.u, c->normal);
    if (metric_dot(c->size, c->metric, c->normal, c->first.tangent) <= 0.0 ||
        metric_distance(c->size, c->metric, c->trial.u, c->first.u) > NEAR * length) {
        return MASING_OK;
    }
    enum masing_status status = MASING_OK;
    struct corrector_request request = {.limit = length,
                                        .max_iterations = c->settings.max_iterations};
    struct corrector_result result;
    bordered_set_plane(&c->bordered, c->first.u, c->first.tangent);
    TRY(corrector_solve(c->corrector, &request, c->trial.u, &result));
    double noise = 100.0 * c->settings.tolerance;
    if (metric_distance(c->size, c->metric, c->trial.u, c->first.u) > MET * length + noise) {
        return MASING_OK;
    }
    TRY(bordered_tangent(&c->bordered, c->trial.tangent));
    memcpy(c->trial.tangent_in, c->trial.tangent, (size_t)c->size * sizeof(double));
    c->trial.arc = c->here.arc + arc;
    c->trial.residual = result.residual;
    c->trial.iterations = result.iterations;
    curve_copy_point(c, &c->next, &c->trial);
    c->closes = true;
done:
    return status;
}
