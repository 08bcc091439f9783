/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A resonance much narrower than the range must be followed, not stepped over. */
#include <stdlib.h>
#include <string.h>
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

/* ---- peaks of which the ends of a step know nothing ---- */

/* Two oscillators side by side, (w_i^2 - x^2 + 2 i zeta w_i x) y_i = load, of which the first
 * hardly moves beside the second. */
struct oscillator {
    double omega, ratio, load;
};
static struct oscillator two[2];

static enum masing_status evaluate_two(void *context, const double *y, double x,
                                       double *residual, double *jacobian,
                                       double *residual_lambda)
{
    (void)context;
    if (jacobian) {
        memset(jacobian, 0, 16 * sizeof *jacobian);
    }
    for (int i = 0; i < 4; i += 2) {
        const struct oscillator *o = &two[i / 2];
        double k = o->omega * o->omega - x * x, d = 2.0 * o->ratio * o->omega, c = d * x;
        residual[i] = k * y[i] + c * y[i + 1] - o->load;
        residual[i + 1] = k * y[i + 1] - c * y[i];
        if (jacobian) {
            jacobian[i * 4 + i] = jacobian[(i + 1) * 4 + i + 1] = k;
            jacobian[i * 4 + i + 1] = -c;
            jacobian[(i + 1) * 4 + i] = c;
            residual_lambda[i] = -2.0 * x * y[i] + d * y[i + 1];
            residual_lambda[i + 1] = -2.0 * x * y[i + 1] - d * y[i];
        }
    }
    return MASING_OK;
}

static void weights_two(void *context, const double *y, double lambda, double *weight)
{
    (void)context;
    (void)lambda;
    double size = hypot(hypot(y[0], y[1]), hypot(y[2], y[3]));
    largest_amplitude = fmax(largest_amplitude, size);
    for (int i = 0; i < 4; i++) {
        weight[i] = 1.0 / fmax(size, 0.1 * largest_amplitude);
    }
}

/* Of the sum of both. */
static double sum_rate(void *context, const double *y, double lambda, const double *dy,
                       double dlambda)
{
    (void)context;
    (void)lambda;
    (void)dlambda;
    double a = y[0] + y[2], b = y[1] + y[3];
    return (a * (dy[0] + dy[2]) + b * (dy[1] + dy[3])) / (a * a + b * b);
}

/* Peaks found from 0.5 to 1.6, or back; known at their frequencies `off` by that part. */
static int count_peaks(int direction, int n_known, double off, bool is_skipped)
{
    const struct continuation_problem problem = {
        .n = 4, .evaluate = evaluate_two, .weights = weights_two};
    const struct continuation_event peak = {
        .falling = PEAK, .type = CONTINUATION_MARK, .value = sum_rate};
    struct continuation_peak known[2];
    for (int i = 0; i < 2; i++) {
        known[i] = (struct continuation_peak){.lambda = two[i].omega * (1.0 + off),
                                              .width = 2.0 * two[i].ratio * two[i].omega,
                                              .is_skipped = is_skipped};
    }
    const struct continuation_settings settings = {.lambda_from = direction > 0 ? 0.5 : 1.6,
                                                   .lambda_to = direction > 0 ? 1.6 : 0.5,
                                                   .step_min = 1e-9,
                                                   .predictor = CONTINUATION_HERMITE,
                                                   .n_peaks = n_known,
                                                   .peaks = known,
                                                   .n_events = 1,
                                                   .events = &peak};
    double guess[4] = {0.0, 0.0, 0.0, 0.0};
    largest_amplitude = 1e-3;
    recorder_follow(&r, &problem, &settings, guess);
    CHECK(r.end == CONTINUATION_REACHED);
    return recorder_events(&r, PEAK, NULL);
}

/* However narrow, whether the solution grew large before or not. */
static void known_peaks_are_seen(void)
{
    for (int i = 3; i <= 9; i++) {
        double ratio = pow(10.0, -i);
        two[0] = (struct oscillator){0.7141, ratio, 0.1};
        two[1] = (struct oscillator){1.3272, ratio, 1.0};
        for (int direction = -1; direction <= 1; direction += 2) {
            CHECK(count_peaks(direction, 2, 0.0, false) == 2);
            CHECK(r.counts.unseen == 0 && r.count < 500);
        }
    }
    CHECK(count_peaks(-1, 0, 0.0, false) < 2);
}

/* Known a little aside: by its foot, which shows where it is. */
static void peaks_are_seen_from_aside(void)
{
    two[0] = (struct oscillator){0.7141, 1e-6, 2e-6};
    two[1] = (struct oscillator){1.3272, 1e-6, 1.0};
    for (int direction = -1; direction <= 1; direction += 2) {
        CHECK(count_peaks(direction, 2, 1e-3, false) == 2);
        CHECK(count_peaks(direction, 2, -1e-3, false) == 2);
    }
}

/* What is not to be followed is counted where it is there, and only there. */
static void skipped_peaks_are_counted(void)
{
    two[0] = (struct oscillator){0.7141, 1e-8, 1e-5};
    two[1] = (struct oscillator){3.0, 1e-8, 1.0};
    CHECK(count_peaks(1, 2, 0.0, true) == 0);
    CHECK(r.counts.unseen == 1 && r.counts.hidden == 0.7141);
}

static const struct tap_test tests[] = {
    {"narrow resonances are not skipped", narrow_resonances_are_not_skipped},
    {"known peaks are seen", known_peaks_are_seen},
    {"peaks are seen from aside", peaks_are_seen_from_aside},
    {"skipped peaks are counted", skipped_peaks_are_counted},
};

TAP_MAIN(tests)
