/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What cannot be followed ends with a true reason, and what was computed is kept. */
#include "continuation/curve.h"
#include "recorder.h"
#include "tap.h"

static struct recorder r;

/* F = y - f(lambda) with something wrong beyond a place. */
enum fault { FINE, NOT_A_NUMBER, INFINITE, STATUS, FATAL, JUMP, BAD_JACOBIAN, NO_JACOBIAN };

struct faulty {
    enum fault fault;
    double place; /* of lambda */
    double far;   /* the fault ends again there */
};

static enum masing_status evaluate(void *context, const double *y, double lambda,
                                   double *residual, double *jacobian, double *residual_lambda)
{
    const struct faulty *faulty = context;
    bool is_beyond = lambda > faulty->place && lambda < faulty->far;
    enum fault fault = is_beyond ? faulty->fault : FINE;
    residual[0] = y[0] - 0.5 * sin(3.0 * lambda) - (fault == JUMP ? 1.0 : 0.0);
    if (jacobian) {
        jacobian[0] = fault == BAD_JACOBIAN ? NAN : fault == NO_JACOBIAN ? 0.0 : 1.0;
        residual_lambda[0] = fault == NO_JACOBIAN ? 0.0 : -1.5 * cos(3.0 * lambda);
    }
    if (fault == NOT_A_NUMBER || fault == INFINITE) {
        residual[0] = fault == INFINITE ? INFINITY : NAN;
    }
    return fault == STATUS ? MASING_SINGULAR : fault == FATAL ? MASING_INTERNAL : MASING_OK;
}

static void weights(void *context, const double *y, double lambda, double *weight)
{
    (void)context;
    (void)y;
    (void)lambda;
    weight[0] = 1.0;
}

static struct continuation_problem faulty_problem(struct faulty *faulty)
{
    return (struct continuation_problem){
        .context = faulty, .n = 1, .evaluate = evaluate, .weights = weights};
}

static const struct continuation_settings plain = {
    .lambda_from = 0.0, .lambda_to = 1.0, .predictor = CONTINUATION_HERMITE};

static void every_point_kept_is_good(const struct faulty *faulty)
{
    for (int i = 0; i < r.count; i++) {
        double expected = 0.5 * sin(3.0 * r.points[i].lambda);
        bool is_beyond = r.points[i].lambda > faulty->place && r.points[i].lambda < faulty->far;
        expected += is_beyond && faulty->fault == JUMP ? 1.0 : 0.0;
        CHECK_SCALED(r.points[i].y[0], expected, 1.0, 1e-9);
        CHECK(r.points[i].residual <= 1e-10);
    }
}

static void faults_end_the_curve_with_a_reason(void)
{
    static const enum fault faults[] = {NOT_A_NUMBER, INFINITE,     STATUS,
                                        JUMP,         BAD_JACOBIAN, NO_JACOBIAN};
    static const char *const reasons[] = {"not finite",    "not finite", "singular",
                                          "not converged", "singular",   "singular"};
    for (int i = 0; i < 6; i++) {
        struct faulty faulty = {faults[i], 0.6, 2.0};
        struct continuation_problem problem = faulty_problem(&faulty);
        double guess = 0.0;
        recorder_follow(&r, &problem, &plain, &guess);
        CHECK(r.status == MASING_STOPPED);
        CHECK(r.end == CONTINUATION_STEP_LIMIT);
        CHECK(strstr(r.error.message, reasons[i]) != NULL);
        CHECK(strstr(r.error.message, "0.59999") != NULL || strstr(r.error.message, "0.6"));
        CHECK(r.count > 5);
        CHECK(r.log_lines > 3);
        CHECK(r.counts.residuals < 3000);
        CHECK_SCALED(r.points[r.count - 1].lambda, 0.6, 1.0, 1e-5);
        every_point_kept_is_good(&faulty);
    }
}

static void a_gap_is_jumped_over_or_ends_the_curve(void)
{
    static const enum fault faults[] = {NOT_A_NUMBER, STATUS, BAD_JACOBIAN, NO_JACOBIAN, JUMP};
    for (int i = 0; i < 5; i++) {
        for (double gap = 1e-9; gap < 1.0; gap *= 10.0) {
            struct faulty faulty = {faults[i], 0.6, 0.6 + gap};
            struct continuation_problem problem = faulty_problem(&faulty);
            double guess = 0.0;
            recorder_follow(&r, &problem, &plain, &guess);
            CHECK(r.end == CONTINUATION_REACHED || r.end == CONTINUATION_STEP_LIMIT);
            if (gap < 1e-3) {
                CHECK(r.end == CONTINUATION_REACHED);
            }
            every_point_kept_is_good(&faulty);
        }
    }
}

static void a_fatal_status_is_passed_on(void)
{
    struct faulty faulty = {FATAL, 0.6, 2.0};
    struct continuation_problem problem = faulty_problem(&faulty);
    double guess = 0.0;
    recorder_follow(&r, &problem, &plain, &guess);
    CHECK(r.status == MASING_INTERNAL);
    CHECK(r.count > 5);
    every_point_kept_is_good(&faulty);
}

static void limits_and_requests_are_obeyed(void)
{
    struct faulty faulty = {FINE, 2.0, 2.0};
    struct continuation_problem problem = faulty_problem(&faulty);
    double guess = 0.0;
    double values[] = {0.1, 0.2, 0.21, 0.22, 0.23};
    struct continuation_settings settings = plain;
    settings.n_values = 5;
    settings.values = values;
    for (int limit = 1; limit < 12; limit++) {
        settings.max_points = limit;
        recorder_follow(&r, &problem, &settings, &guess);
        CHECK(r.end == CONTINUATION_FULL);
        CHECK(r.status == MASING_STOPPED);
        CHECK(r.count == limit);
        CHECK(strstr(r.error.message, "limit of") != NULL);
        settings.max_points = 0;
        r.stop_at = limit;
        recorder_follow(&r, &problem, &settings, &guess);
        CHECK(r.end == CONTINUATION_ASKED);
        CHECK(r.status == MASING_STOPPED);
        CHECK(r.count == limit);
        r.stop_at = 0;
    }
}

/* The observer sees a point before it is accepted; extra points are seen only. */
struct order {
    int seen, accepted, extra;
    double last_seen;
    bool is_in_order;
    int fail_at;
};

static enum masing_status see(void *context, const struct continuation_point *point,
                              struct masing_error *error)
{
    struct order *order = context;
    order->is_in_order = order->is_in_order && point->index == order->seen;
    order->seen++;
    order->extra += point->events.kinds == 1U << CONTINUATION_AT;
    order->last_seen = point->lambda;
    if (order->seen == order->fail_at) {
        return masing_error_set(error, MASING_IO, "the disk is full");
    }
    return MASING_OK;
}

static struct order order_of_calls;

static bool accept(void *context, double *y, double *lambda)
{
    (void)context;
    (void)y;
    order_of_calls.accepted++;
    order_of_calls.is_in_order =
        order_of_calls.is_in_order && *lambda == order_of_calls.last_seen;
    return false;
}

static void points_are_seen_and_then_accepted(void)
{
    struct faulty faulty = {FINE, 2.0, 2.0};
    struct continuation_problem problem = faulty_problem(&faulty);
    double guess = 0.0;
    double values[] = {0.2, 0.21, 0.9};
    struct continuation_settings settings = plain;
    struct continuation_observer observer = {.context = &order_of_calls, .point = see};
    struct continuation *continuation = NULL;
    struct continuation_counts counts;
    enum continuation_end end;
    struct masing_error error = {0};
    settings.n_values = 3;
    settings.values = values;
    problem.accepted = accept;
    CHECK(continuation_create(&problem, &settings, &continuation, NULL) == MASING_OK);
    order_of_calls = (struct order){.is_in_order = true};
    CHECK(continuation_follow(continuation, &guess, 1, &observer, &end, &counts, NULL) ==
          MASING_OK);
    CHECK(order_of_calls.is_in_order);
    CHECK(order_of_calls.extra == 3);
    /* no step starts at the last point */
    CHECK(order_of_calls.accepted == order_of_calls.seen - 3 - 1);
    order_of_calls = (struct order){.is_in_order = true, .fail_at = 4};
    CHECK(continuation_follow(continuation, &guess, 1, &observer, &end, &counts, &error) ==
          MASING_IO);
    CHECK(order_of_calls.seen == 4);
    CHECK(strcmp(error.message, "the disk is full") == 0);
    continuation_destroy(continuation);
}

static void bad_weights(void *context, const double *y, double lambda, double *weight)
{
    (void)context;
    (void)y;
    weight[0] = lambda > 0.5 ? 0.0 : 1.0;
}

static void weights_must_be_positive(void)
{
    struct faulty faulty = {FINE, 2.0, 2.0};
    struct continuation_problem problem = faulty_problem(&faulty);
    double guess = 0.0;
    problem.weights = bad_weights;
    recorder_follow(&r, &problem, &plain, &guess);
    CHECK(r.status == MASING_INTERNAL);
    CHECK(strstr(r.error.message, "weight 0 is 0") != NULL);
}

static void wrong_settings_are_refused(void)
{
    struct faulty faulty = {FINE, 2.0, 2.0};
    struct continuation_problem problem = faulty_problem(&faulty);
    struct continuation *continuation = NULL;
    struct masing_error error = {0};
    struct continuation_settings settings = plain;
    settings.lambda_to = 0.0;
    CHECK(continuation_create(&problem, &settings, &continuation, &error) == MASING_INVALID);
    settings.lambda_to = NAN;
    CHECK(continuation_create(&problem, &settings, &continuation, NULL) == MASING_INVALID);
    problem.n = 0;
    CHECK(continuation_create(&problem, &plain, &continuation, NULL) == MASING_INVALID);
    CHECK(strstr(error.message, "empty") != NULL);
    CHECK(continuation == NULL);
    continuation_destroy(NULL);
}

/* Starts: F(y) - lambda * 0, one unknown. */
struct start {
    double (*f)(double y, double *slope);
};

static enum masing_status evaluate_start(void *context, const double *y, double lambda,
                                         double *residual, double *jacobian,
                                         double *residual_lambda)
{
    const struct start *start = context;
    double slope;
    residual[0] = start->f(y[0], &slope) - 0.1 * lambda;
    if (jacobian) {
        jacobian[0] = slope;
        residual_lambda[0] = -0.1;
    }
    return MASING_OK;
}

static double arctangent(double y, double *slope)
{
    *slope = 1.0 / (1.0 + y * y);
    return atan(y);
}

/* Newton goes 0, 1, 0, 1, ... */
static double cycle(double y, double *slope)
{
    *slope = 3.0 * y * y - 2.0;
    return y * y * y - 2.0 * y + 2.0;
}

static double without_root(double y, double *slope)
{
    *slope = 2.0 * y;
    return y * y + 1.0;
}

static void hard_starts_are_solved(void)
{
    static const struct {
        double (*f)(double, double *);
        double guess, solution;
        int least_lines;
    } cases[] = {
        {arctangent, 1.0, 0.0, 0},
        {arctangent, 10.0, 0.0, 1},
        {cycle, -2.0, -1.7692923542386314, 0},
        {cycle, 0.0, -1.7692923542386314, 1},
    };
    for (int i = 0; i < 4; i++) {
        struct start start = {cases[i].f};
        struct continuation_problem problem = {
            .context = &start, .n = 1, .evaluate = evaluate_start, .weights = weights};
        recorder_follow(&r, &problem, &plain, &cases[i].guess);
        CHECK(r.end == CONTINUATION_REACHED);
        CHECK_SCALED(r.points[0].y[0], cases[i].solution, 1.0, 1e-10);
        CHECK(r.log_lines >= cases[i].least_lines);
        CHECK(cases[i].least_lines > 0 || r.log_lines == 0);
        struct continuation *continuation = NULL;
        double y = cases[i].guess;
        int iterations = 0;
        CHECK(continuation_create(&problem, &plain, &continuation, NULL) == MASING_OK);
        CHECK(continuation_solve(continuation, 0.0, &y, &iterations, NULL) == MASING_OK);
        CHECK_SCALED(y, cases[i].solution, 1.0, 1e-10);
        continuation_destroy(continuation);
    }
}

/* Freudenstein and Roth (1963): line search ends in a local minimum of |F| at (11.41, -0.897);
 * the path of the homotopy turns back before it comes to the solution (5, 4). */
static enum masing_status evaluate_freudenstein(void *context, const double *y, double lambda,
                                                double *residual, double *jacobian,
                                                double *residual_lambda)
{
    (void)context;
    double a = y[0];
    double b = y[1];
    residual[0] = a - 13.0 + ((5.0 - b) * b - 2.0) * b - lambda;
    residual[1] = a - 29.0 + ((b + 1.0) * b - 14.0) * b;
    if (jacobian) {
        jacobian[0] = jacobian[1] = 1.0;
        jacobian[2] = 10.0 * b - 3.0 * b * b - 2.0;
        jacobian[3] = 3.0 * b * b + 2.0 * b - 14.0;
        residual_lambda[0] = -1.0;
        residual_lambda[1] = 0.0;
    }
    return MASING_OK;
}

static void weights_freudenstein(void *context, const double *y, double lambda, double *weight)
{
    (void)context;
    (void)y;
    (void)lambda;
    weight[0] = weight[1] = 0.1;
}

static void a_start_behind_folds_is_solved(void)
{
    struct continuation_problem problem = {
        .n = 2, .evaluate = evaluate_freudenstein, .weights = weights_freudenstein};
    double guess[2] = {0.5, -2.0};
    recorder_follow(&r, &problem, &plain, guess);
    CHECK(r.end == CONTINUATION_REACHED);
    CHECK_SCALED(r.points[0].y[0], 5.0, 1.0, 1e-9);
    CHECK_SCALED(r.points[0].y[1], 4.0, 1.0, 1e-9);
    CHECK(strstr(r.last_line, "path of the Newton homotopy") != NULL);
}

/* A start that a homotopy would find after hundreds of residuals: a curve of so few points does
 * not look for it that long. */
static long n_evaluations;

static enum masing_status evaluate_counted(void *context, const double *y, double lambda,
                                           double *residual, double *jacobian,
                                           double *residual_lambda)
{
    n_evaluations++;
    return evaluate_start(context, y, lambda, residual, jacobian, residual_lambda);
}

static void searches_end_with_the_points(void)
{
    struct start start = {without_root};
    struct continuation_problem problem = {
        .context = &start, .n = 1, .evaluate = evaluate_counted, .weights = weights};
    long most[] = {0, 0};
    for (int i = 0; i < 2; i++) {
        struct continuation_settings settings = plain;
        double guesses[12];
        settings.max_points = i == 0 ? 100000 : 2;
        for (int g = 0; g < 12; g++) {
            guesses[g] = 0.7 + 0.3 * g;
        }
        struct continuation *continuation = NULL;
        struct continuation_observer observer = {0};
        struct continuation_counts counts;
        struct masing_error error = {0};
        enum continuation_end end;
        n_evaluations = 0;
        CHECK(continuation_create(&problem, &settings, &continuation, NULL) == MASING_OK);
        CHECK(continuation_follow(continuation, guesses, 12, &observer, &end, &counts,
                                  &error) == MASING_STOPPED);
        CHECK(end == (i == 0 ? CONTINUATION_NO_START : CONTINUATION_FULL));
        CHECK(i == 0 || strstr(error.message, "limit of 2 points") != NULL);
        most[i] = n_evaluations;
        continuation_destroy(continuation);
    }
    printf("# %ld evaluations, %ld with few points\n", most[0], most[1]);
    CHECK(most[0] > 1000 && most[1] <= 50 * 2 + 500);
}

static void no_start_is_told(void)
{
    struct start start = {without_root};
    struct continuation_problem problem = {
        .context = &start, .n = 1, .evaluate = evaluate_start, .weights = weights};
    double guess = 0.7;
    recorder_follow(&r, &problem, &plain, &guess);
    CHECK(r.status == MASING_STOPPED);
    CHECK(r.end == CONTINUATION_NO_START);
    CHECK(r.count == 0);
    CHECK(strstr(r.error.message, "no solution was found at 0") != NULL);
    struct continuation *continuation = NULL;
    struct masing_error error = {0};
    int iterations = 0;
    CHECK(continuation_create(&problem, &plain, &continuation, NULL) == MASING_OK);
    CHECK(continuation_solve(continuation, 0.0, &guess, &iterations, &error) > 0);
    CHECK(guess == 0.7);
    CHECK(error.status > 0);
    continuation_destroy(continuation);
}

/* Curves that cross or have a cusp. */
static enum masing_status evaluate_crossing(void *context, const double *y, double lambda,
                                            double *residual, double *jacobian,
                                            double *residual_lambda)
{
    const int *kind = context;
    double z = y[0];
    double cubic = *kind == 0 ? 0.0 : z * z;
    residual[0] = z * (lambda - 0.3217 - (*kind == 0 ? z : 0.0) - cubic);
    if (jacobian) {
        jacobian[0] = lambda - 0.3217 - (*kind == 0 ? 2.0 * z : 0.0) - 3.0 * cubic;
        residual_lambda[0] = z;
    }
    return MASING_OK;
}

static void branch_points_are_passed(void)
{
    for (int kind = 0; kind < 2; kind++) {
        struct continuation_problem problem = {
            .context = &kind, .n = 1, .evaluate = evaluate_crossing, .weights = weights};
        double guess = 0.0;
        recorder_follow(&r, &problem, &plain, &guess);
        CHECK(r.end == CONTINUATION_REACHED);
        CHECK_SCALED(r.points[r.count - 1].y[0], 0.0, 1.0, 1e-9);
    }
}

static enum masing_status evaluate_cusp(void *context, const double *y, double lambda,
                                        double *residual, double *jacobian,
                                        double *residual_lambda)
{
    (void)context;
    double x = lambda - 0.2;
    residual[0] = y[0] * y[0] - x * x * x;
    if (jacobian) {
        jacobian[0] = 2.0 * y[0];
        residual_lambda[0] = -3.0 * x * x;
    }
    return MASING_OK;
}

static void a_cusp_does_not_trap(void)
{
    struct continuation_problem problem = {
        .n = 1, .evaluate = evaluate_cusp, .weights = weights};
    struct continuation_settings settings = plain;
    settings.lambda_from = 1.0;
    settings.lambda_to = 0.0;
    double guess = -1.0;
    recorder_follow(&r, &problem, &settings, &guess);
    CHECK(r.end == CONTINUATION_STEP_LIMIT || r.end == CONTINUATION_RETURNED);
    CHECK(r.count < 300);
    for (int i = 0; i < r.count; i++) {
        CHECK(r.points[i].residual <= 1e-10);
    }
}

/* Beside y_0 = sin(lambda) an unknown that nothing drives; its own row vanishes at three values
 * of lambda, also by rounding only, as that of an undamped mode at a fraction of its frequency.
 */
static enum masing_status evaluate_idle(void *context, const double *y, double lambda,
                                        double *residual, double *jacobian,
                                        double *residual_lambda)
{
    const double *rounding = context;
    double own = (lambda - 0.25) * (lambda - 0.5) * (lambda - 1.0) + *rounding;
    residual[0] = y[0] - sin(lambda);
    residual[1] = own * y[1];
    if (jacobian) {
        jacobian[0] = 1.0;
        jacobian[1] = jacobian[2] = 0.0;
        jacobian[3] = own;
        residual_lambda[0] = -cos(lambda);
        residual_lambda[1] =
            y[1] * ((lambda - 0.25) * (2.0 * lambda - 1.5) + (lambda - 0.5) * (lambda - 1.0));
    }
    return MASING_OK;
}

static void weights_idle(void *context, const double *y, double lambda, double *weight)
{
    (void)context;
    (void)y;
    (void)lambda;
    weight[0] = weight[1] = 1.0;
}

static void idle_unknowns_stay_at_rest(void)
{
    double value = 0.5;
    for (int i = 0; i < 6; i++) {
        double rounding = (i / 2 - 1) * 1e-17;
        struct continuation_problem problem = {
            .context = &rounding, .n = 2, .evaluate = evaluate_idle, .weights = weights_idle};
        struct continuation_settings settings = plain;
        settings.lambda_from = i % 2 == 0 ? 0.25 : 1.0;
        settings.lambda_to = i % 2 == 0 ? 1.0 : 0.25;
        settings.n_values = 1;
        settings.values = &value;
        double guess[2] = {0.0, 0.0};
        const struct recorded_point *p = NULL;
        recorder_follow(&r, &problem, &settings, guess);
        CHECK(r.end == CONTINUATION_REACHED);
        CHECK(recorder_events(&r, CONTINUATION_AT, &p) == 1);
        CHECK(p && p->lambda == value);
        for (int j = 0; j < r.count; j++) {
            CHECK_SCALED(r.points[j].y[0], sin(r.points[j].lambda), 1.0, 1e-9);
            CHECK_SCALED(r.points[j].y[1], 0.0, 1.0, 1e-9);
        }
    }
}

/* Behind a sharp corner a step may be so short that its correction is but the tolerance of the
 * solution: steps grow again, and not where a correction is more than that. */
static void steps_grow_out_of_the_noise(void)
{
    const struct continuation_settings settings = {
        .step_min = 1e-9, .step_max = 0.15, .tolerance = 1e-10, .predictor_tolerance = 0.01};
    static const enum step_order orders[] = {STEP_LINE, STEP_CORNER, STEP_SECANT, STEP_HERMITE};
    for (int i = 0; i < 4; i++) {
        struct step_control control;
        struct step_outcome outcome = {.length = 2e-8,
                                       .length_before = 1.25e-8,
                                       .error = 4.4e-9,
                                       .iterations = 1,
                                       .order = orders[i]};
        step_restart(&control, &settings, outcome.length);
        control.before = 0.0;
        step_accept(&control, &settings, &outcome);
        CHECK(control.length > outcome.length);
        outcome.length = 1.6e-4;
        outcome.length_before = 1e-4;
        outcome.error = 6e-5;
        step_accept(&control, &settings, &outcome);
        CHECK(control.length < outcome.length);
    }
}

static const struct tap_test tests[] = {
    {"faults end the curve with a reason", faults_end_the_curve_with_a_reason},
    {"a gap is jumped over or ends the curve", a_gap_is_jumped_over_or_ends_the_curve},
    {"a fatal status is passed on", a_fatal_status_is_passed_on},
    {"limits and requests are obeyed", limits_and_requests_are_obeyed},
    {"points are seen and then accepted", points_are_seen_and_then_accepted},
    {"weights must be positive", weights_must_be_positive},
    {"wrong settings are refused", wrong_settings_are_refused},
    {"hard starts are solved", hard_starts_are_solved},
    {"a start behind folds is solved", a_start_behind_folds_is_solved},
    {"no start is told", no_start_is_told},
    {"searches end with the points", searches_end_with_the_points},
    {"branch points are passed", branch_points_are_passed},
    {"a cusp does not trap", a_cusp_does_not_trap},
    {"unknowns that nothing drives stay at rest", idle_unknowns_stay_at_rest},
    {"steps grow out of the noise", steps_grow_out_of_the_noise},
};

TAP_MAIN(tests)
