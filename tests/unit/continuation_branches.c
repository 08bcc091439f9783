/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Branch points and the curves behind them, on algebraic curves whose crossings are known. */
#include "recorder.h"
#include "tap.h"

static struct recorder r;

struct curve {
    int n;
    void (*evaluate)(const struct curve *curve, const double *y, double lambda, double *f,
                     double *j, double *f_lambda);
    double parameter;
    double noise;       /* of the Jacobian: relative size of its jumps */
    double least, most; /* lambda between which the Jacobian has the wrong sign */
};

static enum masing_status evaluate(void *context, const double *y, double lambda,
                                   double *residual, double *jacobian, double *residual_lambda)
{
    const struct curve *curve = context;
    double j[4], f_lambda[2];
    curve->evaluate(curve, y, lambda, residual, j, f_lambda);
    /* as a sampled law does, whose states change from sample to sample */
    double jump = floor(lambda * 1e5) - 2.0 * floor(lambda * 0.5e5) > 0.5 ? 1.0 : -1.0;
    double sign = lambda > curve->least && lambda < curve->most ? -1.0 : 1.0;
    for (int i = 0; jacobian && i < curve->n * curve->n; i++) {
        jacobian[i] = sign * j[i] * (1.0 + curve->noise * jump);
    }
    for (int i = 0; jacobian && i < curve->n; i++) {
        residual_lambda[i] = f_lambda[i];
    }
    return MASING_OK;
}

static void weights(void *context, const double *y, double lambda, double *weight)
{
    const struct curve *curve = context;
    (void)y;
    (void)lambda;
    for (int i = 0; i < curve->n; i++) {
        weight[i] = 1.0;
    }
}

static void follow(const struct curve *curve, double from, double to, const double *guess,
                   int max_branches)
{
    const struct continuation_problem problem = {.context = (void *)(size_t)curve,
                                                 .n = curve->n,
                                                 .evaluate = evaluate,
                                                 .weights = weights};
    const struct continuation_settings settings = {.lambda_from = from,
                                                   .lambda_to = to,
                                                   .predictor = CONTINUATION_HERMITE,
                                                   .mark_folds = true,
                                                   .mark_branches = true,
                                                   .max_branches = max_branches};
    recorder_follow(&r, &problem, &settings, guess);
}

static const struct recorded_point *first_of(int piece)
{
    int i = 0;
    while (i < r.count - 1 && r.points[i].piece != piece) {
        i++;
    }
    return &r.points[i];
}

static const struct recorded_point *last_of(int piece)
{
    int i = r.count - 1;
    while (i > 0 && r.points[i].piece != piece) {
        i--;
    }
    return &r.points[i];
}

static int count_branch_points(int piece)
{
    int count = 0;
    for (int i = 0; i < r.count; i++) {
        count +=
            r.points[i].piece == piece && recorded_has(&r.points[i], CONTINUATION_BRANCH_POINT);
    }
    return count;
}

/* x (x^2 - lambda + p) */
static void pitchfork(const struct curve *curve, const double *y, double lambda, double *f,
                      double *j, double *f_lambda)
{
    double x = y[0];
    f[0] = x * (x * x - lambda + curve->parameter);
    j[0] = 3.0 * x * x - lambda + curve->parameter;
    f_lambda[0] = -x;
}

static void pitchforks(void)
{
    static const double places[] = {0.0, 0.123, -0.77}, noises[] = {0.0, 1e-3};
    for (int i = 0; i < 6; i++) {
        double place = places[i % 3], start = 0.0;
        const struct curve curve = {1, pitchfork, .parameter = place, .noise = noises[i / 3]};
        const struct recorded_point *p = NULL;
        follow(&curve, -1.0, 1.0, &start, 0);
        CHECK(r.status == MASING_OK && r.end == CONTINUATION_REACHED);
        CHECK(recorder_events(&r, CONTINUATION_BRANCH_POINT, &p) == 1 &&
              r.counts.branch_points == 1);
        CHECK(p && fabs(p->lambda - place) < 1e-7 && r.counts.branches == 0);
        follow(&curve, -1.0, 1.0, &start, 10);
        CHECK(r.status == MASING_OK && r.end == CONTINUATION_REACHED);
        CHECK(r.counts.branch_points == 1 && r.counts.branches == 2);
        for (int piece = 1; piece <= 2; piece++) {
            const struct recorded_point *begin = first_of(piece), *end = last_of(piece);
            CHECK(RECORDED(begin, CONTINUATION_BRANCH_POINT));
            CHECK_SCALED(begin->lambda, place, 1.0, 1e-7);
            CHECK_SCALED(begin->y[0], 0.0, 1.0, 1e-6);
            CHECK(fabs(begin->dy[0]) > 0.99);
            CHECK_SCALED(end->lambda, 1.0, 1.0, 1e-14);
            CHECK_SCALED(end->y[0],
                         (piece == 1 ? 1.0 : -1.0) * copysign(1.0, first_of(1)[1].y[0]) *
                             sqrt(1.0 - place),
                         1.0, 1e-9);
            CHECK(count_branch_points(piece) == 1);
        }
    }
}

/* x (x - p lambda): two straight lines */
static void transcritical(const struct curve *curve, const double *y, double lambda, double *f,
                          double *j, double *f_lambda)
{
    double x = y[0], p = curve->parameter;
    f[0] = x * (x - p * (lambda - 0.1));
    j[0] = 2.0 * x - p * (lambda - 0.1);
    f_lambda[0] = -p * x;
}

static void lines_cross(void)
{
    static const double slopes[] = {1.0, -1.0, 0.2, 5.0, -30.0}, noises[] = {0.0, 1e-3};
    for (int i = 0; i < 10; i++) {
        double slope = slopes[i % 5], start = 0.0;
        const struct curve curve = {1, transcritical, .parameter = slope,
                                    .noise = noises[i / 5]};
        follow(&curve, -1.0, 1.0, &start, 10);
        CHECK(r.status == MASING_OK && r.end == CONTINUATION_REACHED);
        CHECK(r.counts.branch_points == 1 && r.counts.branches == 2);
        CHECK(recorder_events(&r, CONTINUATION_BRANCH_POINT, NULL) == 3);
        double ends = last_of(1)->lambda * last_of(2)->lambda;
        CHECK_SCALED(ends, -1.0, 1.0, 1e-14);
        for (int piece = 1; piece <= 2; piece++) {
            const struct recorded_point *end = last_of(piece);
            CHECK_SCALED(first_of(piece)->lambda, 0.1, 1.0, 1e-6);
            CHECK_SCALED(end->y[0], slope * (end->lambda - 0.1), slope, 1e-9);
        }
    }
}

/* A circle and a line through it: two crossings, and each arc is followed once only. */
static void circle_and_line(const struct curve *curve, const double *y, double lambda,
                            double *f, double *j, double *f_lambda)
{
    double x = y[0], p = curve->parameter;
    double circle = x * x + lambda * lambda - 0.25, line = x - p * lambda - 0.05;
    f[0] = circle * line;
    j[0] = 2.0 * x * line + circle;
    f_lambda[0] = 2.0 * lambda * line - p * circle;
}

static void arcs_are_followed_once(void)
{
    static const double slopes[] = {0.0, 0.3, -1.0}, noises[] = {0.0, 1e-3};
    for (int i = 0; i < 6; i++) {
        double p = slopes[i % 3], start = 0.05 - p;
        const struct curve curve = {1, circle_and_line, .parameter = p, .noise = noises[i / 3]};
        follow(&curve, -1.0, 1.0, &start, 10);
        CHECK(r.status == MASING_OK && r.end == CONTINUATION_REACHED);
        CHECK(r.counts.branch_points == 2 && r.counts.branches == 2);
        CHECK(count_branch_points(0) == 2);
        double root = sqrt(0.25 * (1.0 + p * p) - 0.0025), a = 1.0 + p * p;
        for (int piece = 1; piece <= 2; piece++) {
            CHECK(count_branch_points(piece) == 2);
            CHECK_SCALED(first_of(piece)->lambda, (-0.05 * p - root) / a, 1.0, 1e-6);
            CHECK_SCALED(last_of(piece)->lambda, (-0.05 * p + root) / a, 1.0, 1e-6);
        }
        for (int k = 0; k < r.count; k++) {
            double lambda = r.points[k].lambda, x = r.points[k].y[0];
            double distance =
                r.points[k].piece > 0 ? hypot(x, lambda) - 0.5 : x - p * lambda - 0.05;
            CHECK_SCALED(distance, 0.0, 1.0, 1e-6);
        }
    }
}

/* Its branch x > 0 forks once more, at x = 1/2; all in a basis that is turned. */
static void forks_of_forks(const struct curve *curve, const double *u, double lambda, double *f,
                           double *j, double *f_lambda)
{
    double c = cos(curve->parameter), s = sin(curve->parameter);
    double x = c * u[0] + s * u[1], y = c * u[1] - s * u[0];
    double f1 = x * (x * x - lambda), f1x = 3.0 * x * x - lambda;
    double f2 = y * (y * y - x + 0.5), f2x = -y, f2y = 3.0 * y * y - x + 0.5;
    f[0] = f1 + 0.3 * f2;
    f[1] = f2 - 0.2 * f1;
    double jx[2] = {f1x + 0.3 * f2x, f2x - 0.2 * f1x}, jy[2] = {0.3 * f2y, f2y};
    for (int i = 0; i < 2; i++) {
        j[i] = c * jx[i] - s * jy[i];
        j[2 + i] = s * jx[i] + c * jy[i];
    }
    f_lambda[0] = -x;
    f_lambda[1] = 0.2 * x;
}

static void branches_have_branches(void)
{
    const double start[2] = {0.0, 0.0};
    const struct curve curve = {2, forks_of_forks, .parameter = 0.4};
    follow(&curve, -1.0, 1.0, start, 10);
    CHECK(r.status == MASING_OK && r.end == CONTINUATION_REACHED);
    CHECK(r.counts.branch_points == 2 && r.counts.branches == 4);
    CHECK(count_branch_points(1) + count_branch_points(2) == 3);
    for (int piece = 3; piece <= 4; piece++) {
        CHECK_SCALED(first_of(piece)->lambda, 0.25, 1.0, 1e-6);
        CHECK_SCALED(last_of(piece)->lambda, 1.0, 1.0, 1e-14);
        CHECK_SCALED(hypot(last_of(piece)->y[0], last_of(piece)->y[1]), sqrt(1.5), 1.0, 1e-9);
    }
    follow(&curve, -1.0, 1.0, start, 3);
    CHECK(r.counts.branches == 3);
}

/* A fold is none: y^3 - y = lambda, and x beside it that forks at y = 1.1 */
static void fold_and_fork(const struct curve *curve, const double *u, double lambda, double *f,
                          double *j, double *f_lambda)
{
    double x = u[0], y = u[1];
    f[0] = x * (x * x - y + 1.1) + curve->parameter;
    f[1] = y * y * y - y - lambda;
    j[0] = 3.0 * x * x - y + 1.1;
    j[1] = 0.0;
    j[2] = -x;
    j[3] = 3.0 * y * y - 1.0;
    f_lambda[0] = 0.0;
    f_lambda[1] = -1.0;
}

static void folds_and_near_misses_are_none(void)
{
    const double start[2] = {0.0, -2.0};
    for (int i = 0; i < 2; i++) {
        const struct curve curve = {2, fold_and_fork, .parameter = i ? 1e-4 : 0.0};
        const struct recorded_point *p = NULL;
        follow(&curve, -5.0, 5.0, start, 10);
        CHECK(r.status == MASING_OK && r.end == CONTINUATION_REACHED);
        CHECK(recorder_events(&r, CONTINUATION_FOLD, NULL) == 2);
        CHECK(r.counts.branch_points == (i ? 0 : 1) && r.counts.branches == (i ? 0 : 2));
        CHECK(i || (recorder_events(&r, CONTINUATION_BRANCH_POINT, &p) == 3 && p &&
                    fabs(p->y[1] - 1.1) < 1e-6));
    }
}

/* The Jacobian's sign is wrong on a stretch of a straight line: it vanishes nowhere. */
static void line(const struct curve *curve, const double *y, double lambda, double *f,
                 double *j, double *f_lambda)
{
    (void)curve;
    (void)lambda;
    f[0] = y[0];
    j[0] = 1.0;
    f_lambda[0] = 0.0;
}

static void jumps_are_none(void)
{
    const double start = 0.0;
    const struct curve curve = {1, line, .least = 0.31, .most = 0.47};
    follow(&curve, 0.0, 1.0, &start, 10);
    CHECK(r.status == MASING_OK && r.end == CONTINUATION_REACHED);
    CHECK(r.counts.event_jacobians > 10);
    CHECK(r.counts.branch_points == 0 &&
          recorder_events(&r, CONTINUATION_BRANCH_POINT, NULL) == 0);
}

static const struct tap_test tests[] = {
    {"pitchforks", pitchforks},
    {"lines cross", lines_cross},
    {"arcs are followed once", arcs_are_followed_once},
    {"branches have branches", branches_have_branches},
    {"folds and near misses are none", folds_and_near_misses_are_none},
    {"jumps are none", jumps_are_none},
};

TAP_MAIN(tests)
