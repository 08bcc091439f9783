/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Corners that no event function announces, on a curve of two pieces in closed form. */
#include <math.h>

#include "recorder.h"
#include "tap.h"

/* kinks below come from y = CORNER_AT on */
static const double CORNER_AT = 0.5;

static struct recorder r;

/* lambda = y + 0.05 y (y - 1/2) up to the corner, where it turns back: the same with -slope in
 * the place of 1. */
struct bent {
    double slope;
};

static double lambda_of(const struct bent *bent, double y)
{
    double first = y > CORNER_AT ? CORNER_AT - bent->slope * (y - CORNER_AT) : y;
    return first + 0.05 * y * (y - CORNER_AT);
}

static enum masing_status evaluate(void *context, const double *y, double lambda,
                                   double *residual, double *jacobian, double *residual_lambda)
{
    const struct bent *bent = context;
    residual[0] = lambda - lambda_of(bent, y[0]);
    if (jacobian) {
        double slope = y[0] > CORNER_AT ? -bent->slope : 1.0;
        jacobian[0] = -slope - 0.05 * (2.0 * y[0] - CORNER_AT);
        residual_lambda[0] = 1.0;
    }
    return MASING_OK;
}

static void weights(void *context, const double *y, double lambda, double *weight)
{
    (void)context;
    (void)y;
    (void)lambda;
    weight[0] = 1.0;
}

static void follow(struct bent *bent, double step)
{
    const struct continuation_problem problem = {
        .context = bent, .n = 1, .evaluate = evaluate, .weights = weights};
    const struct continuation_settings settings = {.lambda_from = 0.0,
                                                   .lambda_to = 1.0,
                                                   .predictor = CONTINUATION_HERMITE,
                                                   .has_hidden_corners = true,
                                                   .step_initial = step,
                                                   .step_max = step,
                                                   .mark_folds = true};
    const double guess = 0.0;
    recorder_follow(&r, &problem, &settings, &guess);
}

/*
 * A hyperplane across the tangent does not meet the piece behind the corner, so that steps
 * across it fail, and along the tangent ahead the solution lies too far aside for a step. It
 * shows where the corner is all the same.
 */
static void a_solution_beyond_need_not_be_a_step(void)
{
    static const struct {
        double slope, step;
    } cases[] = {{1.1, 0.09}, {1.3, 0.09}, {1.6, 0.15}, {2.0, 0.11}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bent bent = {cases[i].slope};
        double nearest = INFINITY;
        follow(&bent, cases[i].step);
        CHECK(r.end == CONTINUATION_RETURNED);
        for (int k = 0; k < r.count; k++) {
            const struct recorded_point *p = &r.points[k];
            CHECK(fabs(p->lambda - lambda_of(&bent, p->y[0])) <= 1e-9);
            CHECK(k == 0 || p->y[0] > p[-1].y[0]);
            nearest = fmin(nearest, fabs(p->y[0] - CORNER_AT));
        }
        CHECK(nearest <= 1e-3);
        CHECK(r.counts.rejected == 1);
        CHECK(r.counts.residuals < 60);
    }
}

static const struct tap_test tests[] = {
    {"a solution beyond need not be a step", a_solution_beyond_need_not_be_a_step},
};

TAP_MAIN(tests)
