/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A resonance much narrower than the range must be followed, not stepped over. */
#include <stdlib.h>
#include "recorder.h"
#include "tap.h"

/* kinds of events */
enum {
    PEAK = CONTINUATION_OWN_KINDS,
};

static struct recorder r;

/* A linear oscillator with hardly any damping: a resonance far narrower than a step, the end of
 * which lies next to its beginning, so that the curve may seem to go round and round. */
static double damping_ratio, largest_amplitude;

static enum masing_status evaluate_linear(void *context, const double *y, double w,
                                          double *residual, double *jacobian,
                                          double *residual_lambda)
{
    (void)context;
    double k = 1.0 - w * w;
    double c = 2.0 * damping_ratio * w;
    residual[0] = k * y[0] + c * y[1] - 1.0;
    residual[1] = k * y[1] - c * y[0];
    if (jacobian) {
        jacobian[0] = jacobian[3] = k;
        jacobian[1] = -c;
        jacobian[2] = c;
        residual_lambda[0] = -2.0 * w * y[0] + 2.0 * damping_ratio * y[1];
        residual_lambda[1] = -2.0 * w * y[1] - 2.0 * damping_ratio * y[0];
    }
    return MASING_OK;
}

static void weights_linear(void *context, const double *y, double lambda, double *weight)
{
    (void)context;
    (void)lambda;
    largest_amplitude = fmax(largest_amplitude, hypot(y[0], y[1]));
    weight[0] = weight[1] = 1.0 / largest_amplitude;
}

static double amplitude_rate(void *context, const double *y, double lambda, const double *dy,
                             double dlambda)
{
    (void)context;
    (void)lambda;
    (void)dlambda;
    return (y[0] * dy[0] + y[1] * dy[1]) / (y[0] * y[0] + y[1] * y[1]);
}

static void narrow_resonances_are_not_skipped(void)
{
    struct continuation_problem problem = {
        .n = 2, .evaluate = evaluate_linear, .weights = weights_linear};
    struct continuation_event peak = {
        .falling = PEAK, .type = CONTINUATION_MARK, .value = amplitude_rate};
    for (int i = 0; i < 5; i++) {
        damping_ratio = pow(10.0, -2.0 - i);
        for (int direction = -1; direction <= 1; direction += 2) {
            struct continuation_settings settings = {.lambda_from = 1.05 - 0.5 * direction,
                                                     .lambda_to = 1.05 + 0.5 * direction,
                                                     .step_max = 0.5,
                                                     .predictor = CONTINUATION_HERMITE,
                                                     .mark_folds = true,
                                                     .n_events = 1,
                                                     .events = &peak};
            double guess[2] = {0.0, 0.0};
            const struct recorded_point *p = NULL;
            largest_amplitude = 1e-3;
            recorder_follow(&r, &problem, &settings, guess);
            CHECK(r.end == CONTINUATION_REACHED);
            CHECK(recorder_events(&r, PEAK, &p) == 1);
            CHECK(r.count < 80);
            CHECK(recorder_events(&r, CONTINUATION_FOLD, NULL) == 0);
            for (int j = 1; j < r.count; j++) {
                CHECK((r.points[j].lambda - r.points[j - 1].lambda) * direction > 0.0);
            }
            if (p) {
                double amplitude =
                    0.5 / damping_ratio / sqrt(1.0 - damping_ratio * damping_ratio);
                CHECK_RELATIVE(hypot(p->y[0], p->y[1]), amplitude, 1e-9);
            }
        }
    }
}

static const struct tap_test tests[] = {
    {"narrow resonances are not skipped", narrow_resonances_are_not_skipped},
};

TAP_MAIN(tests)
