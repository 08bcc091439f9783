/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Smooth curves given by formulas: folds, closed curves, exact ends and values, scales, sizes.
 */
#include <stdlib.h>

#include "recorder.h"
#include "tap.h"

static struct recorder r;

/* One unknown: what a curve F(y, lambda) = 0 needs. */
struct scalar {
    double (*f)(double y, double lambda);
    double (*f_y)(double y, double lambda);
    double (*f_lambda)(double y, double lambda);
    double y_scale, lambda_scale; /* units: y = y_scale * y', likewise lambda */
};

static enum masing_status evaluate(void *context, const double *y, double lambda,
                                   double *residual, double *jacobian, double *residual_lambda)
{
    const struct scalar *s = context;
    double y_1 = y[0] / s->y_scale;
    double lambda_1 = lambda / s->lambda_scale;
    residual[0] = s->f(y_1, lambda_1);
    if (jacobian) {
        jacobian[0] = s->f_y(y_1, lambda_1) / s->y_scale;
        residual_lambda[0] = s->f_lambda(y_1, lambda_1) / s->lambda_scale;
    }
    return MASING_OK;
}

static void weights(void *context, const double *y, double lambda, double *weight)
{
    const struct scalar *s = context;
    (void)y;
    (void)lambda;
    weight[0] = 1.0 / s->y_scale;
}

static double circle(double y, double lambda)
{
    return y * y + lambda * lambda - 1.0;
}

static double circle_y(double y, double lambda)
{
    (void)lambda;
    return 2.0 * y;
}

static double circle_lambda(double y, double lambda)
{
    (void)y;
    return 2.0 * lambda;
}

static const struct scalar circles = {circle, circle_y, circle_lambda, 1.0, 1.0};

static struct continuation_problem scalar_problem(const struct scalar *scalar)
{
    return (struct continuation_problem){
        .context = (void *)(size_t)scalar, .n = 1, .evaluate = evaluate, .weights = weights};
}

static void a_closed_curve_is_recognised(void)
{
    struct continuation_problem problem = scalar_problem(&circles);
    double values[] = {-0.5, 0.5};
    for (int direction = -1; direction <= 1; direction += 2) {
        struct continuation_settings settings = {.lambda_from = -2.0 * direction,
                                                 .lambda_to = 2.0 * direction,
                                                 .starts_inside = true,
                                                 .lambda_start = 0.3,
                                                 .predictor = CONTINUATION_HERMITE,
                                                 .mark_folds = true,
                                                 .n_values = 2,
                                                 .values = values};
        double guess = 1.2;
        recorder_follow(&r, &problem, &settings, &guess);
        CHECK(r.status == MASING_OK);
        CHECK(r.end == CONTINUATION_CLOSED);
        CHECK(recorder_events(&r, CONTINUATION_FOLD, NULL) == 2);
        CHECK(recorder_events(&r, CONTINUATION_AT, NULL) == 4);
        const struct recorded_point *last = &r.points[r.count - 1];
        CHECK_SCALED(last->lambda, 0.3, 1.0, 1e-9);
        CHECK_SCALED(last->y[0], sqrt(1.0 - 0.09), 1.0, 1e-9);
        CHECK(last->dlambda * direction > 0.0);
        /* an ellipse of half axes 1 and 1/4 has this circumference, 4 E(15/16) */
        CHECK_RELATIVE(last->arc, 4.289210887578417, 1e-3);
        for (int i = 0; i < r.count; i++) {
            CHECK_SCALED(circle(r.points[i].y[0], r.points[i].lambda), 0.0, 1.0, 1e-10);
        }
    }
}

static void a_curve_may_start_at_its_fold(void)
{
    struct continuation_problem problem = scalar_problem(&circles);
    struct continuation_settings settings = {.lambda_from = -2.0,
                                             .lambda_to = 2.0,
                                             .starts_inside = true,
                                             .lambda_start = -1.0,
                                             .predictor = CONTINUATION_HERMITE};
    double guess = 0.0;
    recorder_follow(&r, &problem, &settings, &guess);
    CHECK(r.end == CONTINUATION_CLOSED);
    CHECK_SCALED(r.points[r.count - 1].y[0], 0.0, 1.0, 1e-8);
    CHECK_RELATIVE(r.points[r.count - 1].lambda, -1.0, 1e-12);
}

static void a_curve_comes_back_to_the_near_end(void)
{
    struct continuation_problem problem = scalar_problem(&circles);
    struct continuation_settings settings = {.lambda_from = -0.5,
                                             .lambda_to = 2.0,
                                             .predictor = CONTINUATION_HERMITE,
                                             .mark_folds = true};
    double guess = 1.0;
    recorder_follow(&r, &problem, &settings, &guess);
    CHECK(r.status == MASING_STOPPED);
    CHECK(r.end == CONTINUATION_RETURNED);
    CHECK(strstr(r.error.message, "came back") != NULL);
    const struct recorded_point *last = &r.points[r.count - 1];
    CHECK(last->lambda == -0.5);
    CHECK_RELATIVE(last->y[0], -sqrt(0.75), 1e-10);
    const struct recorded_point *fold = NULL;
    CHECK(recorder_events(&r, CONTINUATION_FOLD, &fold) == 1);
    CHECK_RELATIVE(fold->lambda, 1.0, 1e-12);
}

/* lambda = y^3 - a y: folds at y = -+sqrt(a / 3) for a > 0 */
static double cusp_a;

static double cusp(double y, double lambda)
{
    return y * y * y - cusp_a * y - lambda;
}

static double cusp_y(double y, double lambda)
{
    (void)lambda;
    return 3.0 * y * y - cusp_a;
}

static double cusp_lambda(double y, double lambda)
{
    (void)y;
    (void)lambda;
    return -1.0;
}

static void a_cusp_unfolds(void)
{
    static const double parameters[] = {-1.0, -1e-3, 0.0, 1e-4, 0.01, 1.0, 3.0};
    struct scalar cusps = {cusp, cusp_y, cusp_lambda, 1.0, 1.0};
    struct continuation_problem problem = scalar_problem(&cusps);
    for (int i = 0; i < 7; i++) {
        cusp_a = parameters[i];
        double y_end = 2.0;
        double lambda_end = y_end * y_end * y_end - cusp_a * y_end;
        for (int direction = -1; direction <= 1; direction += 2) {
            struct continuation_settings settings = {.lambda_from = -lambda_end * direction,
                                                     .lambda_to = lambda_end * direction,
                                                     .predictor = CONTINUATION_HERMITE,
                                                     .mark_folds = true};
            double guess = -y_end * direction;
            recorder_follow(&r, &problem, &settings, &guess);
            CHECK(r.end == CONTINUATION_REACHED);
            CHECK_RELATIVE(r.points[r.count - 1].y[0], y_end * direction, 1e-9);
            const struct recorded_point *fold = NULL;
            int folds = recorder_events(&r, CONTINUATION_FOLD, &fold);
            CHECK(folds == (cusp_a > 0.0 ? 2 : 0));
            if (fold) {
                CHECK_RELATIVE(fold->y[0], direction * sqrt(cusp_a / 3.0), 1e-7);
            }
        }
    }
}

/* What is guessed at the far end. */
static double far_guess;

static enum masing_status guess_far(void *context, double lambda, double **guesses,
                                    int *n_guesses, struct masing_error *error)
{
    (void)context;
    (void)lambda;
    *guesses = malloc(sizeof **guesses);
    if (!*guesses) {
        return masing_error_set(error, MASING_NO_MEMORY, "out of memory");
    }
    **guesses = far_guess;
    *n_guesses = 1;
    return MASING_OK;
}

/* The first point of the second piece; the number of points if there is none. */
static int second_piece(void)
{
    int i = 0;
    while (i < r.count && r.points[i].piece == r.points[0].piece) {
        i++;
    }
    return i;
}

/* Between the folds at -+16 the curve through y = -3 comes back; the piece from the other end
 * leads to the third solution at the same lambda. */
static void the_rest_is_followed_from_the_far_end(void)
{
    struct scalar cusps = {cusp, cusp_y, cusp_lambda, 1.0, 1.0};
    struct continuation_problem problem = scalar_problem(&cusps);
    problem.guess = guess_far;
    cusp_a = 12.0;
    for (int direction = -1; direction <= 1; direction += 2) {
        struct continuation_settings settings = {.lambda_from = 9.0 * direction,
                                                 .lambda_to = 65.0 * direction,
                                                 .predictor = CONTINUATION_HERMITE,
                                                 .mark_folds = true};
        double guess = -3.0 * direction;
        far_guess = 5.1 * direction;
        recorder_follow(&r, &problem, &settings, &guess);
        CHECK(r.status == MASING_OK && r.end == CONTINUATION_REACHED);
        CHECK(r.counts.has_far_end && r.counts.retries == 0);
        CHECK(recorder_events(&r, CONTINUATION_FOLD, NULL) == 1);
        int far = second_piece();
        if (!CHECK(far > 1 && far < r.count - 1)) {
            continue;
        }
        CHECK(r.points[far - 1].lambda == settings.lambda_from);
        CHECK_RELATIVE(r.points[far - 1].y[0], direction * 0.5 * (3.0 - sqrt(21.0)), 1e-9);
        CHECK(r.points[far].lambda == settings.lambda_to);
        CHECK_RELATIVE(r.points[far].y[0], direction * 5.0, 1e-9);
        CHECK(r.points[r.count - 1].lambda == settings.lambda_from);
        CHECK_RELATIVE(r.points[r.count - 1].y[0], direction * 0.5 * (3.0 + sqrt(21.0)), 1e-9);
    }
}

/* Two parabolas: lambda <= -apart from the near end, lambda >= apart from the far one. */
static double apart;

static double near_arc(double y, double lambda)
{
    return y * y + lambda + apart;
}

static double far_arc(double y, double lambda)
{
    return (y - 5.0) * (y - 5.0) - lambda + apart;
}

static double arcs(double y, double lambda)
{
    return near_arc(y, lambda) * far_arc(y, lambda);
}

static double arcs_y(double y, double lambda)
{
    return 2.0 * y * far_arc(y, lambda) + near_arc(y, lambda) * 2.0 * (y - 5.0);
}

static double arcs_lambda(double y, double lambda)
{
    return far_arc(y, lambda) - near_arc(y, lambda);
}

/* The range is filled where the arcs overlap; what lies between arcs that do not is unknown. */
static void arcs_from_both_ends(void)
{
    struct scalar scalar = {arcs, arcs_y, arcs_lambda, 1.0, 1.0};
    struct continuation_problem problem = scalar_problem(&scalar);
    problem.guess = guess_far;
    struct continuation_settings settings = {
        .lambda_from = -2.0, .lambda_to = 2.0, .predictor = CONTINUATION_HERMITE};
    for (int overlaps = 0; overlaps < 2; overlaps++) {
        apart = overlaps ? -0.5 : 0.5;
        double guess = -1.3;
        far_guess = 6.4;
        recorder_follow(&r, &problem, &settings, &guess);
        CHECK(r.end == (overlaps ? CONTINUATION_REACHED : CONTINUATION_RETURNED));
        CHECK(r.status == (overlaps ? MASING_OK : MASING_STOPPED));
        CHECK(overlaps || strstr(r.error.message, "came back to -2,") != NULL);
        CHECK(r.counts.has_far_end);
        int far = second_piece();
        if (CHECK(far > 1 && far < r.count - 1)) {
            CHECK(r.points[far - 1].lambda == -2.0);
            CHECK(r.points[far].lambda == 2.0 && r.points[r.count - 1].lambda == 2.0);
        }
    }
}

/*
 * Two curves that never come to the other end, nor back: lambda = g(y) from -10 on and
 * 2 height - g(-20 - y) below it, with g(z) = 1 - cos z e^(-z / 50), z = 10 + y, which turns
 * round at each pi and is largest, at pi, short of height.
 */
static double height;

static double winding_part(double y, double *slope)
{
    double z = fabs(y + 10.0), fading = exp(-0.02 * z);
    *slope = (sin(z) + 0.02 * cos(z)) * fading;
    return 1.0 - cos(z) * fading;
}

static double windings(double y, double lambda)
{
    double slope, part = winding_part(y, &slope);
    return y > -10.0 ? part - lambda : lambda - 2.0 * height + part;
}

static double windings_y(double y, double lambda)
{
    double slope;
    (void)lambda;
    winding_part(y, &slope);
    return y > -10.0 ? slope : -slope;
}

static double windings_lambda(double y, double lambda)
{
    (void)lambda;
    return y > -10.0 ? -1.0 : 1.0;
}

/* A curve that turns round again and again is left where it leads no further, and the rest
 * followed from the other end: what lies between the two is named, and nothing where they pass
 * each other by. */
static void a_winding_curve_is_left(void)
{
    struct scalar scalar = {windings, windings_y, windings_lambda, 1.0, 1.0};
    struct continuation_problem problem = scalar_problem(&scalar);
    for (int overlaps = 0; overlaps < 2; overlaps++) {
        height = overlaps ? 1.5 : 2.5;
        struct continuation_settings settings = {.lambda_from = 0.1,
                                                 .lambda_to = 2.0 * height - 0.1,
                                                 .predictor = CONTINUATION_HERMITE};
        double guess = -9.55, top = 1.9385; /* which a step comes near to */
        far_guess = -10.45;
        problem.guess = NULL;
        recorder_follow(&r, &problem, &settings, &guess);
        CHECK(r.status == MASING_STOPPED && r.end == CONTINUATION_WINDS);
        CHECK(strstr(r.error.message, "turned round 25 times") != NULL);
        CHECK(r.count < 1000);
        problem.guess = guess_far;
        recorder_follow(&r, &problem, &settings, &guess);
        CHECK(r.status == MASING_OK && r.end == CONTINUATION_REACHED);
        CHECK(r.counts.has_far_end && r.counts.near_end == CONTINUATION_WINDS &&
              r.counts.has_gap == !overlaps);
        CHECK(overlaps || (fabs(r.counts.gap[0] - top) < 0.05 &&
                           fabs(r.counts.gap[1] - (2.0 * height - top)) < 0.05));
        CHECK(r.points[second_piece()].lambda == settings.lambda_to);
    }
}

static double gap_in_line(double y, double lambda)
{
    return fabs(lambda) < 0.25 ? NAN : y - lambda;
}

static double one(double y, double lambda)
{
    (void)y;
    (void)lambda;
    return 1.0;
}

static double minus_one(double y, double lambda)
{
    return -one(y, lambda);
}

/* A curve that breaks off remains incomplete, but the rest is followed from the other end. */
static void a_curve_that_breaks_off_is_followed_from_both_ends(void)
{
    struct scalar scalar = {gap_in_line, one, minus_one, 1.0, 1.0};
    struct continuation_problem problem = scalar_problem(&scalar);
    struct continuation_settings settings = {
        .lambda_from = -1.0, .lambda_to = 1.0, .predictor = CONTINUATION_HERMITE};
    double guess = -1.0, least = INFINITY;
    problem.guess = guess_far;
    far_guess = 1.0;
    recorder_follow(&r, &problem, &settings, &guess);
    CHECK(r.status == MASING_STOPPED && r.end == CONTINUATION_STEP_LIMIT);
    CHECK(strstr(r.error.message, "converged at -0.25") != NULL);
    CHECK(r.counts.has_far_end && r.counts.near_end == CONTINUATION_STEP_LIMIT);
    int second = second_piece();
    CHECK(r.points[second].lambda == 1.0);
    for (int i = second; i < r.count; i++) {
        least = fmin(least, r.points[i].lambda);
    }
    CHECK_SCALED(least, 0.25, 1.0, 1e-6);
}

/* A curve that comes back remains incomplete where the far end has no solution. */
static void no_solution_at_the_far_end(void)
{
    struct continuation_problem problem = scalar_problem(&circles);
    problem.guess = guess_far;
    struct continuation_settings settings = {
        .lambda_from = -0.5, .lambda_to = 2.0, .predictor = CONTINUATION_HERMITE};
    double guess = 1.0;
    far_guess = 1.0;
    recorder_follow(&r, &problem, &settings, &guess);
    CHECK(r.status == MASING_STOPPED && r.end == CONTINUATION_RETURNED);
    CHECK(strstr(r.error.message, "came back to -0.5,") != NULL);
    CHECK(!r.counts.has_far_end);
    CHECK(r.count > 1 && r.points[r.count - 1].lambda == -0.5);
}

static void values_are_landed_on_at_every_pass(void)
{
    struct scalar cusps = {cusp, cusp_y, cusp_lambda, 1.0, 1.0};
    struct continuation_problem problem = scalar_problem(&cusps);
    double fold = 2.0 / sqrt(27.0);
    /* ends, outside, unsorted, twice, next to both folds, three passes in between */
    double values[] = {0.2, -6.0, 6.0,  7.0,           -7.0,          0.0,
                       0.2, -0.1, -1.0, fold * 1.0001, fold * 0.9999, 5.999999};
    int passes[] = {3, 1, 1, 0, 0, 3, 3, 3, 1, 1, 3, 1};
    cusp_a = 1.0;
    struct continuation_settings settings = {.lambda_from = -6.0,
                                             .lambda_to = 6.0,
                                             .predictor = CONTINUATION_HERMITE,
                                             .n_values = 12,
                                             .values = values};
    double guess = -2.0;
    recorder_follow(&r, &problem, &settings, &guess);
    CHECK(r.end == CONTINUATION_REACHED);
    CHECK(recorder_events(&r, CONTINUATION_AT, NULL) == 1 + 1 + 3 + 3 + 3 + 1 + 1 + 3 + 1);
    for (int i = 0; i < 12; i++) {
        int count = 0;
        for (int j = 0; j < r.count; j++) {
            count += r.points[j].lambda == values[i] && RECORDED(&r.points[j], CONTINUATION_AT);
        }
        CHECK(count == passes[i]);
    }
    for (int j = 1; j < r.count; j++) {
        CHECK(r.points[j].arc > r.points[j - 1].arc);
        CHECK(r.points[j].y[0] > r.points[j - 1].y[0]); /* in the order of the curve */
    }
}

static void the_straight_predictor_does_too(void)
{
    struct scalar cusps = {cusp, cusp_y, cusp_lambda, 1.0, 1.0};
    struct continuation_problem problem = scalar_problem(&cusps);
    cusp_a = 1.0;
    struct continuation_settings settings = {.lambda_from = -6.0,
                                             .lambda_to = 6.0,
                                             .predictor = CONTINUATION_TANGENT,
                                             .mark_folds = true};
    double guess = -2.0;
    recorder_follow(&r, &problem, &settings, &guess);
    CHECK(r.end == CONTINUATION_REACHED);
    CHECK(recorder_events(&r, CONTINUATION_FOLD, NULL) == 2);
    CHECK_RELATIVE(r.points[r.count - 1].y[0], 2.0, 1e-9);
}

static void units_do_not_matter(void)
{
    static struct recorder reference;
    struct scalar cusps = {cusp, cusp_y, cusp_lambda, 1.0, 1.0};
    cusp_a = 1.0;
    for (int i = 0; i < 4; i++) {
        cusps.y_scale = i == 0 ? 1.0 : i == 1 ? 1e-9 : i == 2 ? 1e9 : 1e-6;
        cusps.lambda_scale = i == 0 ? 1.0 : i == 1 ? 1e6 : i == 2 ? 1e-9 : 1e-12;
        struct continuation_problem problem = scalar_problem(&cusps);
        struct continuation_settings settings = {.lambda_from = -6.0 * cusps.lambda_scale,
                                                 .lambda_to = 6.0 * cusps.lambda_scale,
                                                 .predictor = CONTINUATION_HERMITE,
                                                 .mark_folds = true};
        double guess = -2.0 * cusps.y_scale;
        recorder_follow(i == 0 ? &reference : &r, &problem, &settings, &guess);
        if (i == 0) {
            continue;
        }
        CHECK(r.end == CONTINUATION_REACHED);
        CHECK(r.count == reference.count);
        for (int j = 0; j < r.count && j < reference.count; j++) {
            const struct recorded_point *p = &reference.points[j];
            CHECK_SCALED(r.points[j].y[0] / cusps.y_scale, p->y[0], 1.0, 1e-7);
            CHECK_SCALED(r.points[j].lambda / cusps.lambda_scale, p->lambda, 1.0, 1e-7);
        }
    }
}

/* A fold in a bent ring: (y^2 + (lambda - 1)^2 - 1/4) = 0 beside the line y = 2, an isola. */
static double isola(double y, double lambda)
{
    return (y * y + (lambda - 1.0) * (lambda - 1.0) - 0.25) * (y - 2.0);
}

static double isola_y(double y, double lambda)
{
    return 2.0 * y * (y - 2.0) + y * y + (lambda - 1.0) * (lambda - 1.0) - 0.25;
}

static double isola_lambda(double y, double lambda)
{
    return 2.0 * (lambda - 1.0) * (y - 2.0);
}

static void an_isola_and_its_main_branch(void)
{
    struct scalar isolas = {isola, isola_y, isola_lambda, 1.0, 1.0};
    struct continuation_problem problem = scalar_problem(&isolas);
    struct continuation_settings settings = {.lambda_from = 0.0,
                                             .lambda_to = 2.0,
                                             .predictor = CONTINUATION_HERMITE,
                                             .mark_folds = true};
    double guess = 2.1;
    recorder_follow(&r, &problem, &settings, &guess);
    CHECK(r.end == CONTINUATION_REACHED);
    CHECK(recorder_events(&r, CONTINUATION_FOLD, NULL) == 0);
    CHECK_RELATIVE(r.points[r.count / 2].y[0], 2.0, 1e-10);
    settings.starts_inside = true;
    settings.lambda_start = 1.0;
    guess = 0.6;
    recorder_follow(&r, &problem, &settings, &guess);
    CHECK(r.end == CONTINUATION_CLOSED);
    CHECK(recorder_events(&r, CONTINUATION_FOLD, NULL) == 2);
}

/* n unknowns: y_i = sin(i + lambda) + 0.1 y_(i+1)^2, cyclic */
struct ring {
    int n;
};

static enum masing_status evaluate_ring(void *context, const double *y, double lambda,
                                        double *residual, double *jacobian,
                                        double *residual_lambda)
{
    const struct ring *ring = context;
    int n = ring->n;
    if (jacobian) {
        memset(jacobian, 0, (size_t)n * (size_t)n * sizeof *jacobian);
    }
    for (int i = 0; i < n; i++) {
        int j = (i + 1) % n;
        residual[i] = y[i] - sin(i + lambda) - 0.1 * y[j] * y[j];
        if (jacobian) {
            jacobian[(size_t)i * (size_t)n + (size_t)i] += 1.0;
            jacobian[(size_t)j * (size_t)n + (size_t)i] -= 0.2 * y[j];
            residual_lambda[i] = -cos(i + lambda);
        }
    }
    return MASING_OK;
}

static void weights_ring(void *context, const double *y, double lambda, double *weight)
{
    const struct ring *ring = context;
    (void)y;
    (void)lambda;
    for (int i = 0; i < ring->n; i++) {
        weight[i] = 1.0;
    }
}

static void any_number_of_unknowns(void)
{
    static const int sizes[] = {1, 2, 3, 15, 200};
    static const double end = 3.0;
    for (int i = 0; i < 5; i++) {
        struct ring ring = {sizes[i]};
        struct continuation_problem problem = {
            .context = &ring, .n = ring.n, .evaluate = evaluate_ring, .weights = weights_ring};
        struct continuation_settings settings = {
            .lambda_from = 0.0, .lambda_to = end, .predictor = CONTINUATION_HERMITE};
        double *guess = calloc((size_t)ring.n, sizeof *guess);
        double *y = calloc((size_t)ring.n, sizeof *y);
        struct continuation *continuation = NULL;
        int iterations;
        recorder_follow(&r, &problem, &settings, guess);
        CHECK(r.end == CONTINUATION_REACHED);
        CHECK(continuation_create(&problem, &settings, &continuation, NULL) == MASING_OK);
        CHECK(continuation_solve(continuation, end, y, &iterations, NULL) == MASING_OK);
        CHECK(iterations > 0);
        for (int j = 0; j < ring.n && j < RECORDER_UNKNOWNS; j++) {
            CHECK_SCALED(r.points[r.count - 1].y[j], y[j], 1.0, 1e-9);
        }
        continuation_destroy(continuation);
        free(guess);
        free(y);
    }
}

static void tangents_are_exact(void)
{
    struct continuation_problem problem = scalar_problem(&circles);
    struct continuation_settings settings = {.lambda_from = -2.0, .lambda_to = 2.0};
    struct continuation *continuation = NULL;
    CHECK(continuation_create(&problem, &settings, &continuation, NULL) == MASING_OK);
    double y = 0.6;
    double dy = 0.0;
    double dlambda = 0.0;
    CHECK(continuation_tangent(continuation, &y, 0.8, &dy, &dlambda) == MASING_OK);
    CHECK(dlambda > 0.0);
    CHECK_RELATIVE(dy / dlambda, -0.8 / 0.6, 1e-14);
    CHECK_RELATIVE(dy * dy + dlambda * dlambda / 16.0, 1.0, 1e-14);
    dlambda = -dlambda;
    dy = -dy;
    CHECK(continuation_tangent(continuation, &y, 0.8, &dy, &dlambda) == MASING_OK);
    CHECK(dlambda < 0.0);
    y = 0.0; /* at the fold */
    CHECK(continuation_tangent(continuation, &y, 1.0, &dy, &dlambda) == MASING_OK);
    CHECK_SCALED(dlambda, 0.0, 1.0, 1e-14);
    CHECK_RELATIVE(dy, 1.0, 1e-14);
    continuation_destroy(continuation);
}

static const struct tap_test tests[] = {
    {"a closed curve is recognised, both ways round", a_closed_curve_is_recognised},
    {"a curve may start at its fold", a_curve_may_start_at_its_fold},
    {"a curve comes back to the near end", a_curve_comes_back_to_the_near_end},
    {"a cusp unfolds", a_cusp_unfolds},
    {"the rest is followed from the far end", the_rest_is_followed_from_the_far_end},
    {"arcs from both ends", arcs_from_both_ends},
    {"no solution at the far end", no_solution_at_the_far_end},
    {"a curve that breaks off is followed from both ends",
     a_curve_that_breaks_off_is_followed_from_both_ends},
    {"a winding curve is left", a_winding_curve_is_left},
    {"values are landed on at every pass", values_are_landed_on_at_every_pass},
    {"so it goes with the straight predictor", the_straight_predictor_does_too},
    {"units do not matter", units_do_not_matter},
    {"an isola and its main branch", an_isola_and_its_main_branch},
    {"any number of unknowns", any_number_of_unknowns},
    {"tangents are exact", tangents_are_exact},
};

TAP_MAIN(tests)
