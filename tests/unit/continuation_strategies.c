/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hard points: which strategy solves them, that the log and the counts say so, and that what is
 * accepted solves the problem itself. */
#include "recorder.h"
#include "tap.h"

static struct recorder r;

static void count_is(enum masing_strategy strategy, bool is_needed)
{
    CHECK((r.counts.strategies[strategy] > 0) == is_needed);
    if (is_needed) {
        CHECK(r.log_lines > 0);
    }
}

/*
 * The complementarity problem min(x, M x + q) = 0 with the circulant P-matrix of 1 and 2, for
 * which Newton's method goes round and round between three of the eight pieces (Ben Gharbia &
 * Gilbert 2012, "Nonconvergence of the plain Newton-min algorithm for linear complementarity
 * problems with a P-matrix"): at lambda = 0 it does from any predictor. Its smoothed form is
 * (a + b - sqrt((a - b)^2 + 4 s^2)) / 2.
 */
enum { SIZE = 3 };

static enum masing_status evaluate_cycle(void *context, const double *y, double lambda,
                                         double *residual, double *jacobian,
                                         double *residual_lambda)
{
    (void)context;
    double size = fabs(lambda), slope = lambda < 0.0 ? -1.0 : 1.0;
    const double q[SIZE] = {lambda, size, size}, dq[SIZE] = {1.0, slope, slope};
    for (int i = 0; i < SIZE; i++) {
        int before = (i + SIZE - 1) % SIZE;
        double other = y[i] + 2.0 * y[before] + q[i];
        bool is_other = other < y[i];
        residual[i] = is_other ? other : y[i];
        for (int j = 0; jacobian && j < SIZE; j++) {
            jacobian[j * SIZE + i] = j == i ? 1.0 : (j == before && is_other ? 2.0 : 0.0);
        }
        if (jacobian) {
            residual_lambda[i] = is_other ? dq[i] : 0.0;
        }
    }
    return MASING_OK;
}

static void weigh(void *context, const double *y, double lambda, double *weight)
{
    (void)context;
    (void)y;
    (void)lambda;
    for (int i = 0; i < SIZE; i++) {
        weight[i] = 0.1;
    }
}

static void newton_goes_round_and_a_line_search_does_not(void)
{
    struct continuation_problem problem = {
        .n = SIZE, .evaluate = evaluate_cycle, .weights = weigh};
    struct continuation_settings settings = {
        .lambda_from = -1.0, .lambda_to = 1.0, .predictor = CONTINUATION_HERMITE};
    double guess[SIZE] = {1.0, 0.0, 0.0};
    recorder_follow(&r, &problem, &settings, guess);
    CHECK(r.end == CONTINUATION_REACHED);
    count_is(MASING_STRATEGY_LINE_SEARCH, true);
    count_is(MASING_STRATEGY_SMOOTHING, false);
    CHECK(strstr(r.last_line, "needed line search") != NULL);
    for (int i = 0; i < r.count; i++) {
        CHECK_SCALED(r.points[i].y[0], fmax(0.0, -r.points[i].lambda), 1.0, 1e-9);
        CHECK_SCALED(r.points[i].y[1], 0.0, 1.0, 1e-9);
        CHECK_SCALED(r.points[i].y[2], 0.0, 1.0, 1e-9);
    }
}

/*
 * y = p(lambda), as w atanh((y - p) / w): beyond the distance w of the solution there is
 * nothing to go by, and w is so small from some lambda on that no predictor comes near enough.
 * The smoothed problem is wider.
 */
static const double NARROW = 1e-9;

struct narrow {
    double from;                /* lambda beyond which it is narrow */
    double level;               /* of the smoothing */
    int n_smoothed;             /* evaluations of a smoothed problem */
    double gap;                 /* levels above 0 and below this have no solution */
    enum masing_status failure; /* of all smoothed problems */
    double jump;                /* of the solution beyond `from` */
    enum masing_status restart;
    int n_restarts;
    double restarted_from, restarted_at;
};

static double solution(const struct narrow *narrow, double lambda)
{
    return 0.5 * sin(3.0 * lambda) + (lambda > narrow->from ? narrow->jump : 0.0);
}

static enum masing_status evaluate_narrow(void *context, const double *y, double lambda,
                                          double *residual, double *jacobian,
                                          double *residual_lambda)
{
    struct narrow *narrow = context;
    bool is_narrow = lambda > narrow->from && narrow->jump == 0.0;
    double width = (is_narrow ? NARROW : 1.0) + narrow->level;
    double part = (y[0] - solution(narrow, lambda)) / width;
    if (narrow->level > 0.0) {
        narrow->n_smoothed++;
        if (narrow->failure != MASING_OK) {
            return narrow->failure;
        }
    }
    if (fabs(part) >= 1.0 || (narrow->level > 0.0 && narrow->level < narrow->gap)) {
        return MASING_NOT_FINITE;
    }
    residual[0] = width * atanh(part);
    if (jacobian) {
        jacobian[0] = 1.0 / (1.0 - part * part);
        residual_lambda[0] = -1.5 * cos(3.0 * lambda) * jacobian[0];
    }
    return MASING_OK;
}

static void smooth_narrow(void *context, double level)
{
    ((struct narrow *)context)->level = level;
}

static enum masing_status restart_narrow(void *context, const double *y, double from,
                                         double lambda, double *guess)
{
    struct narrow *narrow = context;
    (void)y;
    narrow->n_restarts++;
    narrow->restarted_from = from;
    narrow->restarted_at = lambda;
    guess[0] = solution(narrow, lambda) + 0.5 * NARROW;
    return narrow->restart;
}

static void weigh_one(void *context, const double *y, double lambda, double *weight)
{
    (void)context;
    (void)y;
    (void)lambda;
    *weight = 0.1;
}

static struct continuation_problem narrow_problem(struct narrow *narrow)
{
    return (struct continuation_problem){.context = narrow,
                                         .n = 1,
                                         .evaluate = evaluate_narrow,
                                         .weights = weigh_one,
                                         .smooth = smooth_narrow};
}

/* Straight steps, so that the curvature keeps each from the solution. */
static const struct continuation_settings straight = {
    .lambda_from = 0.0, .lambda_to = 1.0, .step_min = 1e-3, .predictor = CONTINUATION_TANGENT};

static void every_point_is_exact(const struct narrow *narrow)
{
    CHECK(narrow->level == 0.0);
    for (int i = 0; i < r.count; i++) {
        double expected = solution(narrow, r.points[i].lambda);
        CHECK_SCALED(r.points[i].y[0], expected, 1.0, 1e-10);
        CHECK(r.points[i].residual <= 1e-10);
    }
}

static void smoothing_leads_to_the_problem_itself(void)
{
    struct narrow narrow = {.from = 0.95};
    struct continuation_problem problem = narrow_problem(&narrow);
    double guess = 0.0;
    recorder_follow(&r, &problem, &straight, &guess);
    CHECK(r.end == CONTINUATION_REACHED);
    CHECK(narrow.n_smoothed > 0);
    count_is(MASING_STRATEGY_SMOOTHING, true);
    count_is(MASING_STRATEGY_RESTART, false);
    CHECK(strstr(r.last_line, "needed smoothing of the transition") != NULL);
    every_point_is_exact(&narrow);
    problem.smooth = NULL;
    recorder_follow(&r, &problem, &straight, &guess);
    CHECK(r.end == CONTINUATION_STEP_LIMIT);
    count_is(MASING_STRATEGY_SMOOTHING, false);
    every_point_is_exact(&narrow);
}

static void smoothing_finds_a_start(void)
{
    struct narrow narrow = {.from = -1.0};
    struct continuation_problem problem = narrow_problem(&narrow);
    struct continuation *continuation = NULL;
    double y = 0.4;
    int iterations = 0;
    CHECK(continuation_create(&problem, &straight, &continuation, NULL) == MASING_OK);
    CHECK(continuation_solve(continuation, 0.7, &y, &iterations, NULL) == MASING_OK);
    CHECK_SCALED(y, solution(&narrow, 0.7), 1.0, 1e-10);
    CHECK(narrow.level == 0.0);
    continuation_destroy(continuation);
}

/* A family that does not lead to the problem, and one that cannot be evaluated. */
static void smoothing_that_fails_leaves_the_problem_as_it_is(void)
{
    static const enum masing_status failures[] = {MASING_OK, MASING_SINGULAR, MASING_INTERNAL};
    for (int i = 0; i < 3; i++) {
        struct narrow narrow = {.from = 0.95, .gap = 1e-2, .failure = failures[i]};
        struct continuation_problem problem = narrow_problem(&narrow);
        double guess = 0.0;
        recorder_follow(&r, &problem, &straight, &guess);
        CHECK(narrow.n_smoothed > 0);
        CHECK(narrow.n_smoothed < 20000);
        CHECK(r.status == (failures[i] < 0 ? failures[i] : MASING_STOPPED));
        CHECK(failures[i] < 0 || r.end == CONTINUATION_STEP_LIMIT);
        CHECK(r.count > 5);
        count_is(MASING_STRATEGY_SMOOTHING, false);
        every_point_is_exact(&narrow);
    }
}

static void a_restart_leads_over_a_jump(void)
{
    struct narrow narrow = {.from = 0.6, .jump = 3.0};
    struct continuation_problem problem = narrow_problem(&narrow);
    double guess = 0.0;
    problem.restart = restart_narrow;
    recorder_follow(&r, &problem, &straight, &guess);
    CHECK(r.end == CONTINUATION_REACHED);
    CHECK(narrow.n_restarts == 1);
    CHECK(r.counts.strategies[MASING_STRATEGY_RESTART] == 1);
    CHECK(strstr(r.last_line, "needed restart from time integration") != NULL);
    CHECK_SCALED(narrow.restarted_from, 0.6, 1.0, 2e-3);
    CHECK(narrow.restarted_at > 0.6);
    every_point_is_exact(&narrow);
    int n_changes = 0;
    for (int i = 1; i < r.count; i++) {
        n_changes += r.points[i].piece != r.points[i - 1].piece;
        CHECK((r.points[i].piece > 0) == (r.points[i].lambda > 0.6));
        CHECK(r.points[i].arc > r.points[i - 1].arc);
    }
    CHECK(n_changes == 1);
    problem.restart = NULL;
    recorder_follow(&r, &problem, &straight, &guess);
    CHECK(r.end == CONTINUATION_STEP_LIMIT);
}

static void restarts_do_not_go_on_for_ever(void)
{
    /* one that gives nothing, and one after which the next is due at once */
    for (int i = 0; i < 2; i++) {
        struct narrow narrow = {.from = 0.1, .restart = i == 0 ? MASING_STOPPED : MASING_OK};
        struct continuation_problem problem = narrow_problem(&narrow);
        struct continuation_settings settings = straight;
        double guess = 0.0;
        settings.step_max = settings.step_initial = 2e-3;
        problem.smooth = NULL;
        problem.restart = restart_narrow;
        recorder_follow(&r, &problem, &settings, &guess);
        CHECK(r.status == MASING_STOPPED);
        CHECK(r.end == CONTINUATION_STEP_LIMIT);
        CHECK(narrow.n_restarts > 0);
        CHECK(narrow.n_restarts < 100);
        count_is(MASING_STRATEGY_RESTART, i == 1);
        every_point_is_exact(&narrow);
    }
}

static void a_restart_finds_a_start(void)
{
    struct narrow narrow = {.from = -1.0};
    struct continuation_problem problem = narrow_problem(&narrow);
    double guess = 0.4;
    problem.smooth = NULL;
    problem.restart = restart_narrow;
    recorder_follow(&r, &problem, &straight, &guess);
    CHECK(narrow.n_restarts > 0);
    CHECK(r.count > 0);
    count_is(MASING_STRATEGY_RESTART, true);
    every_point_is_exact(&narrow);
}

static const struct tap_test tests[] = {
    {"Newton's method goes round, a line search does not",
     newton_goes_round_and_a_line_search_does_not},
    {"smoothing leads to the problem itself", smoothing_leads_to_the_problem_itself},
    {"smoothing finds a start", smoothing_finds_a_start},
    {"smoothing that fails leaves the problem as it is",
     smoothing_that_fails_leaves_the_problem_as_it_is},
    {"a restart leads over a jump", a_restart_leads_over_a_jump},
    {"restarts do not go on for ever", restarts_do_not_go_on_for_ever},
    {"a restart finds a start", a_restart_finds_a_start},
};

TAP_MAIN(tests)
