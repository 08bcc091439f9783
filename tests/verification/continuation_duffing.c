/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Duffing's oscillator with one harmonic, x = a cos wt + b sin wt, x'' + 2 zeta x' + x + x^3 =
 * F cos wt: a curve with two folds, whose closed form is known. With z = a^2 + b^2, g = 3/4,
 * h = 1 - w^2 + g z:  z (h^2 + 4 zeta^2 w^2) = F^2.
 */
#include "recorder.h"
#include "tap.h"

/* kinds of events */
enum {
    PEAK = CONTINUATION_OWN_KINDS,
};

static const double zeta = 0.01, force = 0.02, g = 0.75;

static enum masing_status evaluate(void *context, const double *y, double omega,
                                   double *residual, double *jacobian, double *residual_lambda)
{
    (void)context;
    double a = y[0];
    double b = y[1];
    double z = a * a + b * b;
    double h = 1.0 - omega * omega + g * z;
    double damping = 2.0 * zeta * omega;
    residual[0] = (h * a + damping * b) / force - 1.0;
    residual[1] = (h * b - damping * a) / force;
    if (jacobian) {
        jacobian[0] = (h + 2.0 * g * a * a) / force;
        jacobian[1] = (2.0 * g * a * b - damping) / force;
        jacobian[2] = (2.0 * g * a * b + damping) / force;
        jacobian[3] = (h + 2.0 * g * b * b) / force;
        residual_lambda[0] = (-2.0 * omega * a + 2.0 * zeta * b) / force;
        residual_lambda[1] = (-2.0 * omega * b - 2.0 * zeta * a) / force;
    }
    return MASING_OK;
}

static void weights(void *context, const double *y, double lambda, double *weight)
{
    (void)context;
    (void)lambda;
    (void)y;
    weight[0] = weight[1] = 1.0 / 0.8;
}

/* Rate of the amplitude along the curve. */
static double amplitude_rate(void *context, const double *y, double lambda, const double *dy,
                             double dlambda)
{
    (void)context;
    (void)lambda;
    (void)dlambda;
    return (y[0] * dy[0] + y[1] * dy[1]) / hypot(y[0], y[1]);
}

static const struct continuation_problem problem = {
    .n = 2, .evaluate = evaluate, .weights = weights};
static const struct continuation_event peak = {
    .falling = PEAK, .type = CONTINUATION_MARK, .value = amplitude_rate};
static const double values[] = {0.9, 1.1, 1.2, 1.5};

static struct continuation_settings settings(double from, double to)
{
    return (struct continuation_settings){.lambda_from = from,
                                          .lambda_to = to,
                                          .tolerance = 1e-12,
                                          .predictor = CONTINUATION_HERMITE,
                                          .mark_folds = true,
                                          .n_values = 4,
                                          .values = values,
                                          .n_events = 1,
                                          .events = &peak};
}

static struct recorder up, down;

static void follow_both(void)
{
    struct continuation_settings rising = settings(0.5, 2.0);
    struct continuation_settings falling = settings(2.0, 0.5);
    double guess[2] = {0.0, 0.0};
    recorder_follow(&up, &problem, &rising, guess);
    recorder_follow(&down, &problem, &falling, guess);
}

static void every_point_is_a_solution(void)
{
    follow_both();
    CHECK(up.status == MASING_OK);
    CHECK(up.end == CONTINUATION_REACHED);
    CHECK(up.points[0].lambda == 0.5);
    CHECK(up.points[up.count - 1].lambda == 2.0);
    CHECK(up.counts.points == up.count);
    for (int i = 0; i < up.count; i++) {
        const struct recorded_point *p = &up.points[i];
        double z = p->y[0] * p->y[0] + p->y[1] * p->y[1];
        double h = 1.0 - p->lambda * p->lambda + g * z;
        double damping = 2.0 * zeta * p->lambda;
        CHECK_RELATIVE(z * (h * h + damping * damping), force * force, 1e-10);
        CHECK(p->residual <= 1e-12);
    }
}

/* Folds: dG/dz = 0 with G = 0 gives h = -F^2 / (2 g z^2); what is left has two roots in z. */
static double fold_equation(double z)
{
    double h = -force * force / (2.0 * g * z * z);
    return h * h + 4.0 * zeta * zeta * (1.0 + g * z - h) + 2.0 * g * z * h;
}

static double bisect(double (*f)(double), double low, double high)
{
    bool is_low_positive = f(low) > 0.0;
    for (int i = 0; i < 200; i++) {
        double middle = 0.5 * (low + high);
        *((f(middle) > 0.0) == is_low_positive ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

static void folds_are_exact(void)
{
    double z[2] = {bisect(fold_equation, 0.3, 1.0), bisect(fold_equation, 0.01, 0.3)};
    int count = 0;
    follow_both();
    for (int i = 0; i < up.count; i++) {
        const struct recorded_point *p = &up.points[i];
        if (RECORDED(p, CONTINUATION_FOLD) && count < 2) {
            double h = -force * force / (2.0 * g * z[count] * z[count]);
            CHECK_RELATIVE(p->lambda, sqrt(1.0 + g * z[count] - h), 1e-12);
            CHECK_RELATIVE(hypot(p->y[0], p->y[1]), sqrt(z[count]), 1e-8);
            CHECK(p->event_index == -1);
            count++;
        }
    }
    CHECK(count == 2);
    CHECK(recorder_events(&down, CONTINUATION_FOLD, NULL) == 2);
}

/* dG/dw = 0: h = 2 zeta^2. */
static double peak_equation(double z)
{
    double h = 2.0 * zeta * zeta;
    return z * (h * h + 4.0 * zeta * zeta * (1.0 + g * z - h)) - force * force;
}

static void peak_is_exact(void)
{
    double z = bisect(peak_equation, 0.1, 1.0);
    const struct recorded_point *p = NULL;
    follow_both();
    CHECK(recorder_events(&up, PEAK, &p) == 1);
    if (p) {
        CHECK(p->event_index == 0);
        CHECK_RELATIVE(hypot(p->y[0], p->y[1]), sqrt(z), 1e-12);
        CHECK_RELATIVE(p->lambda, sqrt(1.0 + g * z - 2.0 * zeta * zeta), 1e-8);
    }
    CHECK(recorder_events(&down, PEAK, &p) == 1);
}

/* The passes of one direction are those of the other in reverse. */
static void both_directions_give_one_curve(void)
{
    int j = 0;
    int count = 0;
    follow_both();
    for (int i = up.count - 1; i >= 0; i--) {
        if (!RECORDED(&up.points[i], CONTINUATION_AT)) {
            continue;
        }
        while (j < down.count && !RECORDED(&down.points[j], CONTINUATION_AT)) {
            j++;
        }
        if (!CHECK(j < down.count)) {
            break;
        }
        CHECK(up.points[i].lambda == down.points[j].lambda);
        CHECK_SCALED(up.points[i].y[0], down.points[j].y[0], 1.0, 1e-11);
        CHECK_SCALED(up.points[i].y[1], down.points[j].y[1], 1.0, 1e-11);
        count++;
        j++;
    }
    CHECK(count == 1 + 3 + 3 + 1);
    CHECK(recorder_events(&down, CONTINUATION_AT, NULL) == count);
}

static void hermite_interpolates_between_points(void)
{
    follow_both();
    double worst = 0.0;
    for (int i = 1; i < up.count; i++) {
        const struct recorded_point *p = &up.points[i - 1];
        const struct recorded_point *q = &up.points[i];
        double length = q->arc - p->arc;
        double a = 0.5 * (p->y[0] + q->y[0]) + length * (p->dy[0] - q->dy_in[0]) / 8.0;
        double b = 0.5 * (p->y[1] + q->y[1]) + length * (p->dy[1] - q->dy_in[1]) / 8.0;
        double w = 0.5 * (p->lambda + q->lambda) + length * (p->dlambda - q->dlambda_in) / 8.0;
        /* distance from the curve G = 0 in the direction of z */
        double z = a * a + b * b;
        double h = 1.0 - w * w + g * z;
        double damping = 4.0 * zeta * zeta * w * w;
        double value = z * (h * h + damping) - force * force;
        double d_z = h * h + damping + 2.0 * g * z * h;
        double d_w = z * (-4.0 * h * w + 8.0 * zeta * zeta * w);
        double distance = fabs(value) / hypot(d_z * 2.0 * 0.8 * sqrt(z), d_w * 1.5);
        worst = fmax(worst, distance);
    }
    CHECK(worst < 1e-3);
    CHECK(up.count < 120);
}

static void cost_is_low(void)
{
    follow_both();
    CHECK((double)up.counts.residuals < 3.3 * up.count);
    CHECK((double)up.counts.jacobians < 2.2 * up.count);
    CHECK((double)down.counts.residuals < 3.3 * down.count);
}

static const struct tap_test tests[] = {
    {"every point of the Duffing curve is a solution", every_point_is_a_solution},
    {"folds are where the closed form has them", folds_are_exact},
    {"the peak is where the closed form has it", peak_is_exact},
    {"both directions give the same curve", both_directions_give_one_curve},
    {"Hermite interpolation resolves the curve", hermite_interpolates_between_points},
    {"residuals and Jacobians per point", cost_is_low},
};

TAP_MAIN(tests)
