/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tangents from a Jacobian that is evaluated for them: at a point, or a little ahead of it. */
#include <math.h>

#include "base/check.h"
#include "continuation/curve.h"
#include "continuation/metric.h"

void curve_turn_round(const struct continuation *c, double *tangent)
{
    for (int i = 0; i < c->size; i++) {
        tangent[i] = -tangent[i];
    }
}

static enum masing_status factored_tangent(struct continuation *c, double *tangent)
{
    enum masing_status status = bordered_factor(&c->bordered);
    return status == MASING_OK ? bordered_tangent(&c->bordered, tangent) : status;
}

/* A last row that no tangent is orthogonal to but by chance. */
static void set_slanted_plane(struct continuation *c, const double *u)
{
    for (int i = 0; i < c->size; i++) {
        c->ahead[i] = (1.0 + (double)i / c->size) / sqrt(c->metric[i]);
    }
    bordered_set_plane(&c->bordered, u, c->ahead);
}

enum masing_status curve_exact_tangent(struct continuation *c, const double *u,
                                       const double *along, double *tangent)
{
    enum masing_status status = MASING_OK;
    double norm;
    bordered_set_plane(&c->bordered, u, along);
    TRY(bordered_evaluate(&c->bordered, u, true, c->work, &norm));
    status = factored_tangent(c, tangent);
    if (status > 0) {
        /* the curve turns by 90 degrees exactly */
        set_slanted_plane(c, u);
        TRY(factored_tangent(c, tangent));
    }
    if (metric_dot(c->size, c->metric, tangent, along) < 0.0) {
        curve_turn_round(c, tangent);
    }
done:
    return status;
}

enum masing_status curve_tangent_along_lambda(struct continuation *c, const double *u,
                                              double *tangent)
{
    enum masing_status status = MASING_OK;
    double norm;
    bordered_fix_lambda(&c->bordered, u[c->n]);
    TRY(bordered_evaluate(&c->bordered, u, true, c->work, &norm));
    TRY(factored_tangent(c, tangent));
    if (c->direction < 0.0) {
        curve_turn_round(c, tangent);
    }
done:
    return status;
}

enum masing_status curve_tangent_at_distance(struct continuation *c, const double *u,
                                             const double *direction, double arc,
                                             double *tangent)
{
    predictor_line(c->size, u, direction, arc, c->guess);
    return curve_exact_tangent(c, c->guess, direction, tangent);
}
