/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Corners and marks on piecewise-smooth curves y = f(lambda) and lambda = f(y). */
#include "recorder.h"
#include "tap.h"

/* kinds of events */
enum {
    CORNER = CONTINUATION_OWN_KINDS,
    CORNER_BACK,
    ONSET,
    STICKS,
    NEVER,
    PEAK,
    FIRST,
    SECOND,
    THIRD,
    TROUGH,
    UP,
    DOWN,
    RISE,
    JUMP,
    ZERO,
    TOUCH,
    LOW_UP,
    LOW_DOWN,
    HIGH_UP,
    HIGH_DOWN,
};

static struct recorder r;

/* lambda = x(s), y = y(s) as an explicit curve: F = y - f(lambda) or F = lambda - f(y). */
struct explicit_curve {
    double (*f)(double x, double *slope);
    bool is_of_y; /* lambda = f(y) */
};

static enum masing_status evaluate(void *context, const double *y, double lambda,
                                   double *residual, double *jacobian, double *residual_lambda)
{
    const struct explicit_curve *curve = context;
    double slope;
    if (curve->is_of_y) {
        residual[0] = lambda - curve->f(y[0], &slope);
    } else {
        residual[0] = y[0] - curve->f(lambda, &slope);
    }
    if (jacobian) {
        jacobian[0] = curve->is_of_y ? -slope : 1.0;
        residual_lambda[0] = curve->is_of_y ? 1.0 : -slope;
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

static void follow(const struct explicit_curve *curve, double from, double to, double guess,
                   const struct continuation_event *events, int n_events)
{
    struct continuation_problem problem = {
        .context = (void *)(size_t)curve, .n = 1, .evaluate = evaluate, .weights = weights};
    struct continuation_settings settings = {.lambda_from = from,
                                             .lambda_to = to,
                                             .predictor = CONTINUATION_HERMITE,
                                             .mark_folds = true,
                                             .n_events = n_events,
                                             .events = events};
    recorder_follow(&r, &problem, &settings, &guess);
}

/* The place of a corner or mark is a number in the event's context. */
static double lambda_beyond(void *context, const double *y, double lambda, const double *dy,
                            double dlambda)
{
    (void)y;
    (void)dy;
    (void)dlambda;
    return lambda - *(const double *)context;
}

static double y_beyond(void *context, const double *y, double lambda, const double *dy,
                       double dlambda)
{
    (void)lambda;
    (void)dy;
    (void)dlambda;
    return y[0] - *(const double *)context;
}

static double y_rate(void *context, const double *y, double lambda, const double *dy,
                     double dlambda)
{
    (void)context;
    (void)y;
    (void)lambda;
    (void)dlambda;
    return dy[0];
}

static double place_1 = 0.3, place_2 = 0.3, place_3 = 0.7;

static double steepness;

static double bend(double x, double *slope)
{
    *slope = x > 0.3 ? steepness : 1.0;
    return x > 0.3 ? 0.3 + steepness * (x - 0.3) : x;
}

static void corners_are_landed_on(void)
{
    static const double slopes[] = {2.0, 30.0, 1e3, 0.0, -1.0, -5.0, -1e3};
    struct explicit_curve curve = {bend, false};
    struct continuation_event event = {
        CORNER, CORNER_BACK, CONTINUATION_KINK, &place_1, lambda_beyond, NULL, NULL};
    for (int i = 0; i < 7; i++) {
        steepness = slopes[i];
        for (int direction = 0; direction < 2; direction++) {
            double from = direction ? 1.0 : 0.0;
            double slope;
            const struct recorded_point *p = NULL;
            follow(&curve, from, 1.0 - from, bend(from, &slope), &event, 1);
            CHECK(r.end == CONTINUATION_REACHED);
            CHECK(recorder_events(&r, direction ? CORNER_BACK : CORNER, &p) == 1);
            CHECK(r.count < 500);
            if (!p) {
                continue;
            }
            CHECK(p->event_index == 0);
            CHECK_SCALED(p->lambda, 0.3, 1.0, 1e-10);
            CHECK_SCALED(p->y[0], 0.3, 1.0, 1e-9 * fmax(1.0, fabs(steepness)));
            double before = direction ? steepness : 1.0;
            double behind = direction ? 1.0 : steepness;
            CHECK_SCALED(p->dy_in[0] / p->dlambda_in, before, fmax(1.0, fabs(before)), 1e-9);
            CHECK_SCALED(p->dy[0] / p->dlambda, behind, fmax(1.0, fabs(behind)), 1e-9);
        }
    }
}

/* A corner at which lambda turns back: a fold of its own kind. */
static double ridge(double x, double *slope)
{
    *slope = x > 0.3 ? -steepness : 1.0;
    return x > 0.3 ? 0.3 - steepness * (x - 0.3) : x;
}

static void corners_may_turn_back(void)
{
    static const double slopes[] = {0.1, 1.0, 5.0, 50.0};
    struct explicit_curve curve = {ridge, true};
    struct continuation_event event = {CORNER, 0,   CONTINUATION_KINK, &place_1, y_beyond,
                                       NULL,   NULL};
    for (int i = 0; i < 4; i++) {
        steepness = slopes[i];
        const struct recorded_point *p = NULL;
        follow(&curve, 0.0, 1.0, 0.0, &event, 1);
        CHECK(r.end == CONTINUATION_RETURNED);
        CHECK_RELATIVE(r.points[r.count - 1].y[0], 0.3 + 0.3 / steepness, 1e-9);
        CHECK(recorder_events(&r, CORNER, &p) == 1);
        if (p) {
            CHECK(p && RECORDED(p, CORNER, CONTINUATION_FOLD));
            CHECK_RELATIVE(p->y[0], 0.3, 1e-9);
            CHECK_RELATIVE(p->dlambda / p->dy[0], -steepness, 1e-9);
        }
        CHECK(recorder_events(&r, CONTINUATION_FOLD, NULL) == 1);
    }
}

/* Behind the onset of slip a curve leaves its tangent like x^(3/2). */
static double onset(double x, double *slope)
{
    double beyond = fmax(0.0, x - 0.3);
    *slope = 1.0 + 3.0 * sqrt(beyond);
    return x + 2.0 * beyond * sqrt(beyond);
}

static void slip_onset_is_resolved(void)
{
    struct explicit_curve curve = {onset, false};
    struct continuation_event event = {
        ONSET, STICKS, CONTINUATION_KINK, &place_1, lambda_beyond, NULL, NULL};
    for (int direction = 0; direction < 2; direction++) {
        double from = direction ? 1.0 : 0.0;
        double slope;
        double worst = 0.0;
        follow(&curve, from, 1.0 - from, onset(from, &slope), &event, 1);
        CHECK(r.end == CONTINUATION_REACHED);
        CHECK(recorder_events(&r, direction ? STICKS : ONSET, NULL) == 1);
        CHECK(r.count < 40);
        for (int i = 1; i < r.count; i++) {
            const struct recorded_point *p = &r.points[i - 1];
            const struct recorded_point *q = &r.points[i];
            double length = q->arc - p->arc;
            double y = 0.5 * (p->y[0] + q->y[0]) + length * (p->dy[0] - q->dy_in[0]) / 8.0;
            double lambda =
                0.5 * (p->lambda + q->lambda) + length * (p->dlambda - q->dlambda_in) / 8.0;
            worst = fmax(worst, fabs(y - onset(lambda, &slope)));
        }
        CHECK(worst < 1e-3 * onset(1.0, &slope)); /* of the largest y */
    }
}

/* Two corners at one place, one elsewhere, and a mark at the same corner. */
static double roof(double x, double *slope)
{
    *slope = x > 0.7 ? 0.5 : x > 0.3 ? -1.0 : 1.0;
    return x > 0.7 ? -0.1 + 0.5 * (x - 0.7) : x > 0.3 ? 0.6 - x : x;
}

static void events_at_one_place_are_joined(void)
{
    struct explicit_curve curve = {roof, false};
    struct continuation_event events[] = {
        {NEVER, 0, CONTINUATION_KINK, &place_3, y_beyond, NULL, NULL},
        {0, PEAK, CONTINUATION_MARK, NULL, y_rate, NULL, NULL},
        {FIRST, 0, CONTINUATION_KINK, &place_1, lambda_beyond, NULL, NULL},
        {SECOND, 0, CONTINUATION_KINK, &place_2, lambda_beyond, NULL, NULL},
        {THIRD, 0, CONTINUATION_KINK, &place_3, lambda_beyond, NULL, NULL},
    };
    const struct recorded_point *p = NULL;
    follow(&curve, 0.0, 1.0, 0.0, events, 5);
    CHECK(r.end == CONTINUATION_REACHED);
    CHECK(recorder_events(&r, PEAK, &p) == 1);
    CHECK(p && RECORDED(p, PEAK, FIRST, SECOND));
    CHECK(p->event_index == 1);
    CHECK_RELATIVE(p->lambda, 0.3, 1e-10);
    CHECK(recorder_events(&r, THIRD, &p) == 1);
    CHECK(p && RECORDED(p, THIRD));
    CHECK_RELATIVE(p->lambda, 0.7, 1e-10);
    CHECK(recorder_events(&r, NEVER, NULL) == 0);
}

static void corners_close_together_keep_their_order(void)
{
    struct explicit_curve curve = {roof, false};
    for (double gap = 1e-2; gap > 1e-9; gap *= 0.1) {
        double near = 0.3 - gap;
        struct continuation_event events[] = {
            {SECOND, 0, CONTINUATION_KINK, &place_1, lambda_beyond, NULL, NULL},
            {FIRST, 0, CONTINUATION_KINK, &near, lambda_beyond, NULL, NULL},
        };
        const struct recorded_point *first = NULL;
        const struct recorded_point *second = NULL;
        follow(&curve, 0.0, 1.0, 0.0, events, 2);
        CHECK(r.end == CONTINUATION_REACHED);
        CHECK(recorder_events(&r, FIRST, &first) == 1);
        CHECK(recorder_events(&r, SECOND, &second) == 1);
        CHECK(first && second && (first < second || RECORDED(first, SECOND, FIRST)));
        if (!first || !second) {
            printf("# gap %g\n", gap);
            continue;
        }
        CHECK_SCALED(first->lambda, near, 1.0, 1e-9);
        CHECK_SCALED(second->lambda, 0.3, 1.0, 1e-9);
    }
}

static double wave(double x, double *slope)
{
    *slope = 6.0 * cos(12.0 * x);
    return 0.5 * sin(12.0 * x);
}

static void marks_do_not_disturb_the_curve(void)
{
    static struct recorder plain;
    struct explicit_curve curve = {wave, false};
    double level = 0.25;
    struct continuation_event events[] = {
        {TROUGH, PEAK, CONTINUATION_MARK, NULL, y_rate, NULL, NULL},
        {UP, DOWN, CONTINUATION_MARK, &level, y_beyond, NULL, NULL},
    };
    follow(&curve, 0.0, 2.0, 0.0, events, 0);
    plain = r;
    follow(&curve, 0.0, 2.0, 0.0, events, 2);
    CHECK(r.end == CONTINUATION_REACHED);
    /* 12 * 2 = 7.64 half turns: extrema at pi/2 + k pi, levels at pi/6 and 5 pi/6 + 2 k pi */
    CHECK(recorder_events(&r, PEAK, NULL) == 4);
    CHECK(recorder_events(&r, TROUGH, NULL) == 4);
    CHECK(recorder_events(&r, UP, NULL) == 4);
    CHECK(recorder_events(&r, DOWN, NULL) == 4);
    const double pi = acos(-1.0);
    const int kinds[] = {UP, PEAK, DOWN, TROUGH};
    const double phases[] = {1.0 / 6.0, 0.5, 5.0 / 6.0, 1.5};
    int met = 0;
    int j = 0;
    for (int i = 0; i < r.count; i++) {
        if (r.points[i].n_met > 0) {
            CHECK(RECORDED(&r.points[i], kinds[met % 4]));
            double x = 12.0 * r.points[i].lambda / pi - 2.0 * (met / 4);
            CHECK_RELATIVE(x, phases[met % 4], 1e-8);
            met++;
        } else {
            CHECK(r.points[i].lambda == plain.points[j].lambda);
            j++;
        }
    }
    CHECK(met == 16);
    CHECK(j == plain.count);
}

/* The rate of max(f, g) jumps from positive to negative where the two swap. */
static double two_humps(void *context, const double *y, double lambda, const double *dy,
                        double dlambda)
{
    (void)context;
    (void)y;
    (void)dy;
    return lambda < 0.613 ? dlambda : -0.5 * dlambda;
}

static double always_zero(void *context, const double *y, double lambda, const double *dy,
                          double dlambda)
{
    (void)context;
    (void)y;
    (void)lambda;
    (void)dy;
    return 0.0 * dlambda;
}

/* Touches zero at 0.5 without crossing. */
static double touching(void *context, const double *y, double lambda, const double *dy,
                       double dlambda)
{
    (void)context;
    (void)y;
    (void)dy;
    (void)dlambda;
    return fabs(lambda - 0.5);
}

static void functions_that_jump_or_touch(void)
{
    struct explicit_curve curve = {wave, false};
    struct continuation_event events[] = {
        {RISE, JUMP, CONTINUATION_MARK, NULL, two_humps, NULL, NULL},
        {ZERO, ZERO, CONTINUATION_MARK, NULL, always_zero, NULL, NULL},
        {TOUCH, TOUCH, CONTINUATION_MARK, NULL, touching, NULL, NULL},
        {TOUCH, TOUCH, CONTINUATION_KINK, NULL, touching, NULL, NULL},
    };
    const struct recorded_point *p = NULL;
    follow(&curve, 0.0, 1.0, 0.0, events, 4);
    CHECK(r.end == CONTINUATION_REACHED);
    CHECK(recorder_events(&r, JUMP, &p) == 1);
    CHECK_RELATIVE(p->lambda, 0.613, 1e-9);
    CHECK(recorder_events(&r, RISE, NULL) == 0);
    CHECK(recorder_events(&r, ZERO, NULL) == 0);
    CHECK(recorder_events(&r, TOUCH, NULL) == 0);
    CHECK(r.counts.event_residuals < 200);
}

/* What is costly to find is not known from 0.4 to 0.8, and zero there. */
static int n_looks;

static double unknown_between(void *context, const double *y, double lambda, const double *dy,
                              double dlambda)
{
    (void)context;
    (void)y;
    (void)dy;
    (void)dlambda;
    bool is_unknown = lambda > 0.4 && lambda < 0.8;
    n_looks += is_unknown;
    return is_unknown ? 0.0 : lambda - 0.6;
}

static bool is_always(void *context, const double *y, double lambda)
{
    (void)context;
    (void)y;
    (void)lambda;
    return true;
}

/* It is looked at once in each point all the same, and its event is somewhere in between. */
static void unknown_values_are_looked_at_once(void)
{
    struct explicit_curve curve = {wave, false};
    struct continuation_event events[] = {
        {RISE, JUMP, CONTINUATION_MARK, NULL, unknown_between, is_always, NULL},
    };
    const struct recorded_point *p = NULL;
    int n_points = 0;
    n_looks = 0;
    follow(&curve, 0.0, 1.0, 0.0, events, 1);
    CHECK(r.end == CONTINUATION_REACHED);
    CHECK(recorder_events(&r, RISE, &p) == 1);
    CHECK(p && p->lambda > 0.4 && p->lambda < 0.8);
    for (int i = 0; i < r.count; i++) {
        n_points += r.points[i].lambda > 0.4 && r.points[i].lambda < 0.8;
    }
    CHECK(n_points > 5);
    CHECK(n_looks == n_points);
}

/* A slope that jumps to and fro like that of a force with samples. */
static double rippled_wave(double x, double *slope)
{
    const double tooth = 0.01, jump = 0.05;
    double y = wave(x, slope), phase = x / tooth - 2.0 * floor(0.5 * x / tooth);
    *slope += phase < 1.0 ? jump : -jump;
    return y + jump * tooth * (phase < 1.0 ? phase : 2.0 - phase);
}

/* y less the wave itself has its maximum at a place, and is flat: its slope is small beside the
 * wave's. */
static double flat_rate(void *context, const double *y, double lambda, const double *dy,
                        double dlambda)
{
    double slope;
    (void)y;
    rippled_wave(lambda, &slope);
    return dy[0] - (slope + 0.01 * (lambda - *(const double *)context)) * dlambda;
}

static void marks_of_flat_quantities_are_where_they_are(void)
{
    struct explicit_curve curve = {rippled_wave, false};
    double place;
    struct continuation_event event = {TROUGH, PEAK, CONTINUATION_MARK, &place, flat_rate,
                                       NULL,   NULL};
    const struct recorded_point *p = NULL;
    for (int i = 0; i < 200; i++) {
        place = 0.1 + 0.8 * i / 200.0;
        follow(&curve, 0.0, 1.0, 0.0, &event, 1);
        CHECK(r.end == CONTINUATION_REACHED);
        CHECK(recorder_events(&r, TROUGH, NULL) == 0);
        if (CHECK(recorder_events(&r, PEAK, &p) == 1)) {
            CHECK_SCALED(p->lambda, place, 1.0, 1e-9);
        }
    }
}

static void corners_at_the_first_and_last_point(void)
{
    double low = 0.3;
    double high = 0.7;
    struct explicit_curve curve = {roof, false};
    struct continuation_event events[] = {
        {LOW_UP, LOW_DOWN, CONTINUATION_KINK, &low, lambda_beyond, NULL, NULL},
        {HIGH_UP, HIGH_DOWN, CONTINUATION_KINK, &high, lambda_beyond, NULL, NULL},
    };
    follow(&curve, 0.3, 0.7, 0.3, events, 2);
    CHECK(r.end == CONTINUATION_REACHED);
    CHECK(RECORDED(&r.points[0], LOW_UP));
    CHECK_RELATIVE(r.points[0].dy[0] / r.points[0].dlambda, -1.0, 1e-9);
    CHECK(RECORDED(&r.points[r.count - 1], HIGH_UP));
    CHECK(r.count < 40);
    follow(&curve, 0.7, 0.3, -0.1, events, 2);
    CHECK(r.end == CONTINUATION_REACHED);
    CHECK(RECORDED(&r.points[0], HIGH_DOWN));
    CHECK(RECORDED(&r.points[r.count - 1], LOW_DOWN));
    CHECK(r.count < 40);
}

static const struct tap_test tests[] = {
    {"corners are landed on, with two tangents", corners_are_landed_on},
    {"corners may turn back", corners_may_turn_back},
    {"the onset of slip is resolved", slip_onset_is_resolved},
    {"events at one place are joined", events_at_one_place_are_joined},
    {"corners close together keep their order", corners_close_together_keep_their_order},
    {"marks do not disturb the curve", marks_do_not_disturb_the_curve},
    {"functions that jump or touch", functions_that_jump_or_touch},
    {"unknown values are looked at once", unknown_values_are_looked_at_once},
    {"marks of flat quantities are where they are",
     marks_of_flat_quantities_are_where_they_are},
    {"corners at the first and last point", corners_at_the_first_and_last_point},
};

TAP_MAIN(tests)
