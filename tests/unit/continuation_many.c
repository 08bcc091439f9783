/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many unknowns, whose factors are kept from point to point, on a curve in closed form: points,
 * tangents and events are as precise as with a new Jacobian for each step, at less cost. */
#include "continuation/bordered.h"
#include "linalg/dense.h"
#include "recorder.h"
#include "tap.h"

/* kinds of events */
enum {
    CORNER = CONTINUATION_OWN_KINDS,
    PEAK,
    BEND,
    TOUCH,
    TOUCHED,
    BESIDE,
    TWIN,
};

static struct recorder r;

/*
 * lambda = x^3 - x with x = y_0, and a ring of all the others: G(y) = G(y*(x)) with
 * y*_i = sin(x + i), but for y*_1, which has a corner. G_i = y_i + 0.3 y_(i+1)^2 + 0.2 y_(i-1)
 * |y_(i-1)|; the two parts depend on each other by what vanishes at the solution. Some of the
 * others may bend like x^(3/2) from a place on, as a response does where one slider among many
 * begins to slip.
 */
static const double CORNER_AT = 0.3;
static const double CUBE_ROOT = -1.5213797068045676; /* of x^3 - x + 2 */

enum { MOST_BENDS = 40, FIRST_BENT = 3 };

struct ring {
    int n;
    int n_bends;      /* unknowns with a corner that bends the curve and does not turn it */
    double worst;     /* distance from the solution, over accepted points and unknowns */
    double *jacobian; /* [n * n], where the continuation has it as an operator; else NULL */
};

static double bend_at(const struct ring *ring, int k)
{
    return -1.3 + 2.5 * (k + 0.4) / ring->n_bends;
}

static double solution(const struct ring *ring, int i, double x, double *slope)
{
    int k = i - FIRST_BENT;
    if (i == 1) {
        *slope = x > CORNER_AT ? 0.7 : -0.2;
        return *slope * (x - CORNER_AT);
    }
    bool is_bent = k >= 0 && k < ring->n_bends;
    double behind = is_bent ? fmax(0.0, x - bend_at(ring, k)) : 0.0, size = is_bent ? 0.7 : 1.0;
    *slope = size * cos(x + i) + 0.09 * sqrt(behind);
    return size * sin(x + i) + 0.06 * behind * sqrt(behind);
}

static enum masing_status evaluate(void *context, const double *y, double lambda,
                                   double *residual, double *jacobian, double *residual_lambda)
{
    const struct ring *ring = context;
    int n = ring->n;
    double x = y[0], slope, slope_1, slope_before, slope_after;
    double beside = y[1] - solution(ring, 1, x, &slope_1);
    residual[0] = x * x * x - x - lambda + 0.1 * beside;
    if (jacobian) {
        memset(jacobian, 0, (size_t)n * (size_t)n * sizeof *jacobian);
        memset(residual_lambda, 0, (size_t)n * sizeof *residual_lambda);
        jacobian[0] = 3.0 * x * x - 1.0 - 0.1 * slope_1;
        jacobian[n] = 0.1;
        residual_lambda[0] = -1.0;
    }
    for (int i = 1; i < n; i++) {
        int after = i + 1 < n ? i + 1 : 1, before = i > 1 ? i - 1 : n - 1;
        double here = solution(ring, i, x, &slope);
        double next = solution(ring, after, x, &slope_after);
        double last = solution(ring, before, x, &slope_before);
        residual[i] = y[i] - here + 0.3 * (y[after] * y[after] - next * next) +
                      0.2 * (y[before] * fabs(y[before]) - last * fabs(last));
        if (jacobian) {
            jacobian[i * n + i] += 1.0;
            jacobian[after * n + i] += 0.6 * y[after];
            jacobian[before * n + i] += 0.4 * fabs(y[before]);
            jacobian[i] = -slope - 0.6 * next * slope_after - 0.4 * fabs(last) * slope_before;
        }
    }
    return MASING_OK;
}

static enum masing_status linearize(void *context, const double *y, double lambda,
                                    double *residual, double *residual_lambda)
{
    const struct ring *ring = context;
    return evaluate(context, y, lambda, residual, ring->jacobian, residual_lambda);
}

static enum masing_status apply(void *context, const double *x, double *product)
{
    const struct ring *ring = context;
    dense_multiply_vector(ring->n, ring->n, false, ring->jacobian, x, product);
    return MASING_OK;
}

static enum masing_status leave(void *context, double *x)
{
    (void)context;
    (void)x;
    return MASING_OK;
}

static const struct continuation_operator by_products = {
    .linearize = linearize, .apply = apply, .precondition = leave};

static void weights(void *context, const double *y, double lambda, double *weight)
{
    const struct ring *ring = context;
    (void)y;
    (void)lambda;
    for (int i = 0; i < ring->n; i++) {
        weight[i] = i == 0 ? 1.0 : 0.1;
    }
}

static bool compare(void *context, double *y, double *lambda)
{
    struct ring *ring = context;
    double slope;
    ring->worst = fmax(ring->worst, fabs(y[0] * y[0] * y[0] - y[0] - *lambda));
    for (int i = 1; i < ring->n; i++) {
        ring->worst = fmax(ring->worst, fabs(y[i] - solution(ring, i, y[0], &slope)));
    }
    return false;
}

static double beyond_corner(void *context, const double *y, double lambda, const double *dy,
                            double dlambda)
{
    (void)context;
    (void)lambda;
    (void)dy;
    (void)dlambda;
    return y[0] - CORNER_AT;
}

static double rate(void *context, const double *y, double lambda, const double *dy,
                   double dlambda)
{
    (void)context;
    (void)y;
    (void)lambda;
    (void)dlambda;
    return dy[2];
}

struct bend {
    const struct ring *ring;
    int k;
};

static double beyond_bend(void *context, const double *y, double lambda, const double *dy,
                          double dlambda)
{
    const struct bend *bend = context;
    (void)lambda;
    (void)dy;
    (void)dlambda;
    return y[0] - bend_at(bend->ring, bend->k);
}

/* A corner function that vanishes twice within a hundredth of the curve, and a mark that does
 * so on both sides of a bend. */
static const double TOUCHED_AT = 0.5312, TOUCHED_WITHIN = 0.012, BESIDE_WITHIN = 0.01;

static double touching(void *context, const double *y, double lambda, const double *dy,
                       double dlambda)
{
    (void)context;
    (void)lambda;
    (void)dy;
    (void)dlambda;
    double x = y[0] - TOUCHED_AT;
    return x * x - TOUCHED_WITHIN * TOUCHED_WITHIN;
}

static double beside_bend(void *context, const double *y, double lambda, const double *dy,
                          double dlambda)
{
    const struct ring *ring = context;
    (void)lambda;
    (void)dy;
    (void)dlambda;
    double x = y[0] - bend_at(ring, ring->n_bends / 2);
    return x * x - BESIDE_WITHIN * BESIDE_WITHIN;
}

static void follow_with(struct ring *ring, const struct continuation_event *events,
                        int n_events)
{
    static const double at = 0.1;
    const struct continuation_problem problem = {.context = ring,
                                                 .n = ring->n,
                                                 .operator= ring->jacobian ? &by_products
                                                                           : NULL,
                                                 .evaluate = evaluate,
                                                 .weights = weights,
                                                 .accepted = compare};
    const struct continuation_settings settings = {.lambda_from = -2.0,
                                                   .lambda_to = 2.0,
                                                   .predictor = CONTINUATION_HERMITE,
                                                   .mark_folds = true,
                                                   .mark_branches = !ring->jacobian,
                                                   .n_values = 1,
                                                   .values = &at,
                                                   .n_events = n_events,
                                                   .events = events};
    double guess[200] = {CUBE_ROOT}, slope;
    for (int i = 1; i < ring->n; i++) {
        guess[i] = solution(ring, i, CUBE_ROOT, &slope);
    }
    recorder_follow(&r, &problem, &settings, guess);
    CHECK(r.end == CONTINUATION_REACHED);
}

static void follow(struct ring *ring)
{
    const struct continuation_event events[] = {
        {.rising = CORNER, .type = CONTINUATION_KINK, .value = beyond_corner},
        {.falling = PEAK, .type = CONTINUATION_MARK, .value = rate}};
    follow_with(ring, events, 2);
}

static void follow_bends(struct ring *ring)
{
    struct bend bends[MOST_BENDS];
    struct continuation_event events[MOST_BENDS + 3] = {
        {.rising = CORNER, .type = CONTINUATION_KINK, .value = beyond_corner},
        {.rising = TOUCHED, .falling = TOUCH, .type = CONTINUATION_KINK, .value = touching},
        {.rising = BESIDE,
         .falling = BESIDE,
         .type = CONTINUATION_MARK,
         .context = ring,
         .value = beside_bend}};
    for (int k = 0; k < ring->n_bends; k++) {
        bends[k] = (struct bend){ring, k};
        events[3 + k] = (struct continuation_event){.rising = BEND,
                                                    .type = CONTINUATION_KINK,
                                                    .context = &bends[k],
                                                    .value = beyond_bend};
    }
    follow_with(ring, events, 3 + ring->n_bends);
}

static void events_are_where_they_are(void)
{
    const struct recorded_point *p = NULL;
    CHECK(recorder_events(&r, CONTINUATION_FOLD, &p) == 2);
    CHECK(p && fabs(p->y[0] - sqrt(1.0 / 3.0)) <= 1e-6);
    CHECK(recorder_events(&r, CONTINUATION_BRANCH_POINT, NULL) == 0);
    CHECK(recorder_events(&r, CONTINUATION_AT, NULL) == 3);
    CHECK(recorder_events(&r, CORNER, &p) == 1);
    CHECK(p && fabs(p->y[0] - CORNER_AT) <= 1e-9);
    CHECK(recorder_events(&r, PEAK, &p) == 1);
    CHECK(p && fabs(p->y[0] + 2.0 - 2.0 * atan(1.0)) <= 1e-6);
}

/* By x, coming in and going out; few unknowns leave the last corrections to old factors. */
static void tangents_are_within(const struct ring *ring, double tolerance)
{
    for (int k = 0; k < r.count; k++) {
        const struct recorded_point *p = &r.points[k];
        double x = p->y[0], slope;
        bool is_corner = recorded_has(p, CORNER);
        CHECK_SCALED(p->dlambda / p->dy[0], 3.0 * x * x - 1.0, 1.0, tolerance);
        CHECK_SCALED(p->dlambda_in / p->dy_in[0], 3.0 * x * x - 1.0, 1.0, tolerance);
        for (int i = 1; i < RECORDER_UNKNOWNS; i++) {
            solution(ring, i, x - (i == 1 && is_corner ? 1e-6 : 0.0), &slope);
            CHECK_SCALED(p->dy_in[i] / p->dy_in[0], slope, 1.0, tolerance);
            solution(ring, i, x + (i == 1 && is_corner ? 1e-6 : 0.0), &slope);
            CHECK_SCALED(p->dy[i] / p->dy[0], slope, 1.0, tolerance);
        }
    }
}

static void many_unknowns_take_fewer_factors(void)
{
    static const int sizes[] = {BORDERED_MANY - 1, BORDERED_MANY, 150};
    double jacobians[3], residuals[3];
    for (int i = 0; i < 3; i++) {
        struct ring ring = {.n = sizes[i]};
        follow(&ring);
        CHECK(ring.worst <= 1e-9);
        events_are_where_they_are();
        tangents_are_within(&ring, i == 0 ? 1e-2 : 1e-7);
        jacobians[i] = (double)(r.counts.jacobians + r.counts.event_jacobians);
        residuals[i] = (double)(r.counts.residuals + r.counts.event_residuals);
        CHECK(r.counts.strategies[MASING_STRATEGY_LINE_SEARCH] == 0);
    }
    for (int i = 1; i < 3; i++) {
        CHECK(jacobians[i] <= 0.8 * jacobians[0]);
        CHECK(residuals[i] <= 2.8 * residuals[0]);
    }
}

/* Corners that bend the curve and do not turn it: each has its row, in the right place, and
 * neither steps nor factors. */
static void bends_do_not_cut_steps(void)
{
    int ordinary[2];
    long factorisations[2], in_events[2];
    static const int n_bends[] = {2, MOST_BENDS};
    for (int i = 0; i < 2; i++) {
        struct ring ring = {.n = 150, .n_bends = n_bends[i]};
        follow_bends(&ring);
        CHECK(ring.worst <= 1e-9);
        tangents_are_within(&ring, 1e-7);
        int met = recorder_events(&r, BEND, NULL), next = 0;
        CHECK(met == n_bends[i]);
        for (int k = 0; k < r.count; k++) {
            if (recorded_has(&r.points[k], BEND)) {
                CHECK(fabs(r.points[k].y[0] - bend_at(&ring, next++)) <= 1e-8);
            }
        }
        ordinary[i] = r.count - met;
        factorisations[i] = r.counts.factorisations;
        in_events[i] = r.counts.event_factorisations;
    }
    printf("# %d and %d ordinary points, %ld and %ld factorisations, %ld and %ld in events\n",
           ordinary[0], ordinary[1], factorisations[0], factorisations[1], in_events[0],
           in_events[1]);
    CHECK(ordinary[1] <= ordinary[0] + MOST_BENDS / 4);
    CHECK(factorisations[1] <= factorisations[0] + MOST_BENDS / 4);
    CHECK(in_events[1] <= in_events[0] + MOST_BENDS / 4);
}

/* Likewise where there is no matrix at all. */
static void bends_do_not_cut_steps_of_an_operator(void)
{
    enum { UNKNOWNS = 150 };
    static double jacobian[UNKNOWNS * UNKNOWNS];
    int ordinary[2];
    for (int i = 0; i < 2; i++) {
        struct ring ring = {
            .n = UNKNOWNS, .n_bends = i == 0 ? 2 : MOST_BENDS, .jacobian = jacobian};
        follow_bends(&ring);
        CHECK(ring.worst <= 1e-9);
        int met = recorder_events(&r, BEND, NULL), next = 0;
        CHECK(met == ring.n_bends);
        for (int k = 0; k < r.count; k++) {
            if (recorded_has(&r.points[k], BEND)) {
                CHECK(fabs(r.points[k].y[0] - bend_at(&ring, next++)) <= 1e-8);
            }
        }
        CHECK(recorder_events(&r, TOUCH, NULL) == 1 && recorder_events(&r, TOUCHED, NULL) == 1);
        ordinary[i] = r.count - met;
        printf("# %d ordinary points, %ld residuals, %ld solves, %ld iterations\n", ordinary[i],
               r.counts.residuals + r.counts.event_residuals, r.counts.krylov_solves,
               r.counts.krylov_iterations);
    }
    CHECK(ordinary[1] <= ordinary[0] + MOST_BENDS / 4);
    struct ring ring = {.n = UNKNOWNS, .jacobian = jacobian};
    follow(&ring);
    CHECK(ring.worst <= 1e-9);
    events_are_where_they_are();
    tangents_are_within(&ring, 1e-2);
}

/* Two corners in one place may turn the curve, and are one event. */
static void corners_in_one_place_are_one_event(void)
{
    struct ring ring = {.n = 150, .n_bends = 5};
    struct bend bend = {&ring, 2};
    const struct recorded_point *p = NULL;
    const struct continuation_event events[] = {
        {.rising = CORNER, .type = CONTINUATION_KINK, .value = beyond_corner},
        {.rising = BEND, .type = CONTINUATION_KINK, .context = &bend, .value = beyond_bend},
        {.rising = TWIN, .type = CONTINUATION_KINK, .context = &bend, .value = beyond_bend}};
    follow_with(&ring, events, 3);
    CHECK(recorder_events(&r, BEND, NULL) == 1);
    CHECK(recorder_events(&r, TWIN, &p) == 1);
    CHECK(p && recorded_has(p, BEND));
}

/* What is passed to and fro within one step. */
static void nothing_within_a_step_is_missed(void)
{
    struct ring ring = {.n = 150, .n_bends = 5};
    const struct recorded_point *p = NULL;
    follow_bends(&ring);
    CHECK(recorder_events(&r, TOUCH, &p) == 1);
    CHECK(p && fabs(p->y[0] - TOUCHED_AT + TOUCHED_WITHIN) <= 1e-8);
    CHECK(recorder_events(&r, TOUCHED, &p) == 1);
    CHECK(p && fabs(p->y[0] - TOUCHED_AT - TOUCHED_WITHIN) <= 1e-8);
    CHECK(recorder_events(&r, BESIDE, NULL) == 2);
}

static const struct tap_test tests[] = {
    {"many unknowns take fewer factors", many_unknowns_take_fewer_factors},
    {"bends do not cut steps", bends_do_not_cut_steps},
    {"bends do not cut steps of an operator", bends_do_not_cut_steps_of_an_operator},
    {"corners in one place are one event", corners_in_one_place_are_one_event},
    {"nothing within a step is missed", nothing_within_a_step_is_missed},
};

TAP_MAIN(tests)
