/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An oscillator on a Jenkins element with one harmonic, x = a cos wt + b sin wt:
 * x'' + 2 zeta x' + x + f(x) = F cos wt, equivalent stiffness and damping of f in closed form
 * (LAWS: K_eq, (c w)_eq). The curve has a corner where slip begins, at the amplitude F_s / k,
 * and without viscous damping its peak is (F_s / k) / (1 - pi F / (4 F_s)).
 */
#include "recorder.h"
#include "tap.h"

/* kinds of events */
enum {
    SLIP_ONSET = CONTINUATION_OWN_KINDS,
    SLIP_END,
    PEAK,
};

static const double PI = 3.14159265358979323846;
static const double stiffness = 0.5, slip_force = 0.1;

struct slider {
    double zeta, force;
    bool remembers; /* weights follow the largest amplitude so far */
    double largest;
};

struct equivalent {
    double k, c;   /* K_eq, (c w)_eq */
    double dk, dc; /* by amplitude */
};

static struct equivalent equivalent(double amplitude)
{
    double q = slip_force / (stiffness * amplitude);
    struct equivalent e = {.k = stiffness};
    if (q < 1.0) {
        double theta = acos(1.0 - 2.0 * q);
        double dq = -q / amplitude;
        e.k = stiffness * (theta - 0.5 * sin(2.0 * theta)) / PI;
        e.c = 4.0 * stiffness * q * (1.0 - q) / PI;
        e.dk = stiffness * 4.0 * sin(theta) * dq / PI;
        e.dc = 4.0 * stiffness * (1.0 - 2.0 * q) * dq / PI;
    }
    return e;
}

static enum masing_status evaluate(void *context, const double *y, double w, double *residual,
                                   double *jacobian, double *residual_lambda)
{
    const struct slider *s = context;
    double a = y[0];
    double b = y[1];
    double amplitude = hypot(a, b);
    struct equivalent e = equivalent(amplitude);
    double k = 1.0 - w * w + e.k;
    double c = 2.0 * s->zeta * w + e.c;
    residual[0] = (k * a + c * b) / s->force - 1.0;
    residual[1] = (k * b - c * a) / s->force;
    if (jacobian) {
        double r_a = amplitude > 0.0 ? a / amplitude : 0.0;
        double r_b = amplitude > 0.0 ? b / amplitude : 0.0;
        jacobian[0] = (k + (e.dk * a + e.dc * b) * r_a) / s->force;
        jacobian[1] = (-c + (e.dk * b - e.dc * a) * r_a) / s->force;
        jacobian[2] = (c + (e.dk * a + e.dc * b) * r_b) / s->force;
        jacobian[3] = (k + (e.dk * b - e.dc * a) * r_b) / s->force;
        residual_lambda[0] = (-2.0 * w * a + 2.0 * s->zeta * b) / s->force;
        residual_lambda[1] = (-2.0 * w * b - 2.0 * s->zeta * a) / s->force;
    }
    return MASING_OK;
}

static void weights(void *context, const double *y, double lambda, double *weight)
{
    struct slider *s = context;
    (void)lambda;
    s->largest = fmax(s->largest, hypot(y[0], y[1]));
    weight[0] = weight[1] = 1.0 / (s->remembers ? s->largest : 0.35);
}

static double slip(void *context, const double *y, double lambda, const double *dy,
                   double dlambda)
{
    (void)context;
    (void)lambda;
    (void)dy;
    (void)dlambda;
    return stiffness * hypot(y[0], y[1]) / slip_force - 1.0;
}

static double amplitude_rate(void *context, const double *y, double lambda, const double *dy,
                             double dlambda)
{
    (void)context;
    (void)lambda;
    (void)dlambda;
    return (y[0] * dy[0] + y[1] * dy[1]) / hypot(y[0], y[1]);
}

static struct recorder r, back;

static void follow(struct recorder *to, struct slider *slider, double from, double end)
{
    static const double values[] = {0.7, 1.0, 1.15, 1.2, 1.25};
    struct continuation_event events[] = {
        {SLIP_ONSET, SLIP_END, CONTINUATION_KINK, NULL, slip, NULL, NULL},
        {0, PEAK, CONTINUATION_MARK, NULL, amplitude_rate, NULL, NULL},
    };
    struct continuation_problem problem = {
        .context = slider, .n = 2, .evaluate = evaluate, .weights = weights};
    struct continuation_settings settings = {.lambda_from = from,
                                             .lambda_to = end,
                                             .tolerance = 1e-12,
                                             .predictor_tolerance = 0.02,
                                             .step_max = 0.2,
                                             .predictor = CONTINUATION_HERMITE,
                                             .mark_folds = true,
                                             .n_values = 5,
                                             .values = values,
                                             .n_events = 2,
                                             .events = events};
    double guess[2] = {0.01, 0.0};
    slider->largest = 0.01;
    recorder_follow(to, &problem, &settings, guess);
}

/* Frequency at which the linear, stuck response has an amplitude: above or below resonance. */
static double stuck_frequency(const struct slider *s, double amplitude, int side)
{
    /* (k - w^2)^2 + 4 zeta^2 w^2 = (F / A)^2 with k = 1 + stiffness */
    double k = 1.0 + stiffness;
    double half = k - 2.0 * s->zeta * s->zeta;
    double ratio = s->force / amplitude;
    return sqrt(half + side * sqrt(half * half - k * k + ratio * ratio));
}

static void slip_begins_and_ends_where_it_should(void)
{
    struct slider slider = {.zeta = 0.003, .force = 0.02};
    double limit = slip_force / stiffness;
    for (int direction = -1; direction <= 1; direction += 2) {
        const struct recorded_point *onset = NULL;
        const struct recorded_point *end = NULL;
        follow(&r, &slider, 1.15 - 0.65 * direction, 1.15 + 0.65 * direction);
        CHECK(r.end == CONTINUATION_REACHED);
        CHECK(recorder_events(&r, SLIP_ONSET, &onset) == 1);
        CHECK(recorder_events(&r, SLIP_END, &end) == 1);
        CHECK_RELATIVE(onset->lambda, stuck_frequency(&slider, limit, -direction), 1e-10);
        CHECK_RELATIVE(end->lambda, stuck_frequency(&slider, limit, direction), 1e-10);
        CHECK_RELATIVE(hypot(onset->y[0], onset->y[1]), limit, 1e-10);
        CHECK_RELATIVE(hypot(end->y[0], end->y[1]), limit, 1e-10);
    }
}

static void peaks_are_those_of_the_closed_form(void)
{
    for (int i = 1; i < 5; i++) {
        struct slider slider = {.zeta = 0.0, .force = 0.02 * i};
        const struct recorded_point *peak = NULL;
        double amplitude =
            slip_force / stiffness / (1.0 - PI * slider.force / (4.0 * slip_force));
        follow(&r, &slider, 0.5, 1.8);
        CHECK(r.end == CONTINUATION_REACHED);
        CHECK(recorder_events(&r, PEAK, &peak) == 1);
        CHECK_RELATIVE(hypot(peak->y[0], peak->y[1]), amplitude, 1e-10);
        CHECK_RELATIVE(peak->lambda, sqrt(1.0 + equivalent(amplitude).k), 1e-8);
    }
}

static void both_directions_agree(void)
{
    for (int remembers = 0; remembers < 2; remembers++) {
        struct slider slider = {.zeta = 0.003, .force = 0.05, .remembers = remembers};
        int met = 0;
        follow(&r, &slider, 0.5, 1.8);
        follow(&back, &slider, 1.8, 0.5);
        int j = back.count - 1;
        for (int i = 0; i < r.count; i++) {
            if (r.points[i].n_met == 0) {
                continue;
            }
            while (j >= 0 && back.points[j].n_met == 0) {
                j--;
            }
            if (!CHECK(j >= 0)) {
                break;
            }
            CHECK_SCALED(r.points[i].lambda, back.points[j].lambda, 1.0, 1e-8);
            CHECK_SCALED(r.points[i].y[0], back.points[j].y[0], 1.0, 1e-8);
            CHECK_SCALED(r.points[i].y[1], back.points[j].y[1], 1.0, 1e-8);
            bool is_at = RECORDED(&r.points[i], CONTINUATION_AT);
            CHECK(is_at == (RECORDED(&back.points[j], CONTINUATION_AT)));
            CHECK(!is_at || fabs(r.points[i].y[0] - back.points[j].y[0]) < 1e-10);
            met++;
            j--;
        }
        CHECK(met >= 5 + 3);
    }
}

/* Distance of an interpolated point from the curve, relative to the peak and to the range: what
 * leads there at fixed frequency, less its part along the curve. */
static double distance(struct slider *s, const double *y, double w, double peak, double range)
{
    double f[2], j[4], f_w[2];
    evaluate(s, y, w, f, j, f_w);
    double determinant = j[0] * j[3] - j[1] * j[2];
    double d[2] = {(j[3] * f[0] - j[2] * f[1]) / determinant / peak,
                   (j[0] * f[1] - j[1] * f[0]) / determinant / peak};
    double t[3] = {-(j[3] * f_w[0] - j[2] * f_w[1]) / determinant / peak * range,
                   -(j[0] * f_w[1] - j[1] * f_w[0]) / determinant / peak * range, 1.0};
    double along = (d[0] * t[0] + d[1] * t[1]) / (t[0] * t[0] + t[1] * t[1] + 1.0);
    return sqrt(pow(d[0] - along * t[0], 2) + pow(d[1] - along * t[1], 2) + along * along);
}

static void few_points_resolve_the_curve(void)
{
    for (int direction = -1; direction <= 1; direction += 2) {
        struct slider slider = {.zeta = 0.003, .force = 0.05, .remembers = direction > 0};
        double peak = 0.0;
        double worst = 0.0;
        follow(&r, &slider, 1.15 - 0.65 * direction, 1.15 + 0.65 * direction);
        for (int i = 0; i < r.count; i++) {
            peak = fmax(peak, hypot(r.points[i].y[0], r.points[i].y[1]));
        }
        for (int i = 1; i < r.count; i++) {
            const struct recorded_point *p = &r.points[i - 1];
            const struct recorded_point *q = &r.points[i];
            double length = q->arc - p->arc;
            for (double x = 0.125; x < 1.0; x += 0.125) {
                double y[2];
                double h = x * x * (3.0 - 2.0 * x);
                double g = x * (1.0 - x) * (1.0 - x) * length;
                double k = x * x * (x - 1.0) * length;
                for (int j = 0; j < 2; j++) {
                    y[j] = p->y[j] + h * (q->y[j] - p->y[j]) + g * p->dy[j] + k * q->dy_in[j];
                }
                double w = p->lambda + h * (q->lambda - p->lambda) + g * p->dlambda +
                           k * q->dlambda_in;
                worst = fmax(worst, distance(&slider, y, w, peak, 1.3));
            }
        }
        CHECK_SCALED(worst, 0.0, 1.0, 1e-3);
        CHECK(r.count < 60);
        printf(
            "# %d points, worst interpolation %.2g, %.2f residuals per point, %ld on events\n",
            r.count, worst, (double)r.counts.residuals / r.count, r.counts.event_residuals);
        CHECK((double)r.counts.residuals < 3.7 * r.count);
    }
}

static const struct tap_test tests[] = {
    {"slip begins and ends where it should", slip_begins_and_ends_where_it_should},
    {"peaks are those of the closed form", peaks_are_those_of_the_closed_form},
    {"both directions agree", both_directions_agree},
    {"few points resolve the curve", few_points_resolve_the_curve},
};

TAP_MAIN(tests)
