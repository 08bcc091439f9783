/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Curves whose Jacobian is an operator: the same points, folds and landings as with the matrix,
 * and nothing that is no solution where the operator or its preconditioner fails.
 *
 * Most of them are Bratu's, y'' + lambda exp(y) = 0 with y = 0 at both ends, as the integral
 * equation y - G lambda exp(y) = 0 with Green's function G, the inverse of A = -d^2/dx^2 in
 * n differences. It has a fold at lambda = 3.5138.
 */
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "continuation/curve.h"
#include "continuation/point_solver.h"
#include "recorder.h"
#include "tap.h"

static struct recorder r;

enum { N = 400, MANY = 20000 };

/* ---- Bratu's equation ---- */

enum fault {
    SOUND,
    APPLY_FAILS,
    APPLY_IS_NAN,
    PRECONDITIONER_FAILS,
    PRECONDITIONER_IS_NAN,
    NEAR_FAILS,
    NEAR_IS_NAN
};

struct bratu {
    int n;
    bool is_exact; /* the preconditioner is the inverse itself; else nothing at all */
    double factor; /* on the product; 1 */
    double off;    /* by what part of the source the nearer product is; 0: there is none */
    enum fault fault;
    long after;        /* so many calls */
    double *diagonal;  /* [n] of A - lambda exp(y), where it was linearised */
    double *source;    /* [n] lambda exp(y) there */
    double *work;      /* [n] */
    long applications; /* of the operator */
    long nearly;       /* likewise, to what is near */
    double worst;      /* residual of a point that was accepted */
    const struct continuation_operator *products;
    double krylov_tolerance;
};

static const struct continuation_operator by_products;

static double per_step_squared(const struct bratu *b)
{
    return (double)(b->n + 1) * (double)(b->n + 1);
}

/* x becomes T^-1 x, with T = A where there is no diagonal. */
static void solve_tridiagonal(const struct bratu *b, const double *diagonal, double *x)
{
    double k = per_step_squared(b), *upper = b->work;
    for (int i = 0; i < b->n; i++) {
        double pivot = (diagonal ? diagonal[i] : 2.0 * k) + (i > 0 ? k * upper[i - 1] : 0.0);
        upper[i] = -k / pivot;
        x[i] = (x[i] + (i > 0 ? k * x[i - 1] : 0.0)) / pivot;
    }
    for (int i = b->n - 2; i >= 0; i--) {
        x[i] -= upper[i] * x[i + 1];
    }
}

static enum masing_status evaluate(void *context, const double *y, double lambda, double *f,
                                   double *jacobian, double *f_lambda)
{
    const struct bratu *b = context;
    size_t n = (size_t)b->n;
    for (size_t i = 0; i < n; i++) {
        f[i] = lambda * exp(y[i]);
    }
    solve_tridiagonal(b, NULL, f);
    for (size_t i = 0; i < n; i++) {
        f[i] = y[i] - f[i];
    }
    for (size_t j = 0; jacobian && j < n; j++) {
        double *column = jacobian + j * n;
        memset(column, 0, n * sizeof *column);
        column[j] = -lambda * exp(y[j]);
        solve_tridiagonal(b, NULL, column);
        column[j] += 1.0;
        f_lambda[j] = -exp(y[j]);
    }
    if (jacobian) {
        solve_tridiagonal(b, NULL, f_lambda);
    }
    return MASING_OK;
}

static enum masing_status linearize(void *context, const double *y, double lambda, double *f,
                                    double *f_lambda)
{
    struct bratu *b = context;
    for (int i = 0; i < b->n; i++) {
        b->source[i] = lambda * exp(y[i]);
        b->diagonal[i] = 2.0 * per_step_squared(b) - b->source[i];
        f_lambda[i] = -exp(y[i]);
    }
    solve_tridiagonal(b, NULL, f_lambda);
    return evaluate(context, y, lambda, f, NULL, NULL);
}

/* (I - part G source) x */
static void multiply(const struct bratu *b, double part, const double *x, double *product)
{
    for (int i = 0; i < b->n; i++) {
        product[i] = part * b->source[i] * x[i];
    }
    solve_tridiagonal(b, NULL, product);
    for (int i = 0; i < b->n; i++) {
        product[i] = b->factor * (x[i] - product[i]);
    }
}

static enum masing_status apply(void *context, const double *x, double *product)
{
    struct bratu *b = context;
    bool fails = ++b->applications > b->after;
    multiply(b, 1.0, x, product);
    if (fails && b->fault == APPLY_IS_NAN) {
        product[b->n / 2] = NAN;
    }
    return fails && b->fault == APPLY_FAILS ? MASING_NOT_FINITE : MASING_OK;
}

static enum masing_status apply_near(void *context, const double *x, double *product)
{
    struct bratu *b = context;
    bool fails = ++b->nearly > b->after;
    multiply(b, 1.0 + b->off, x, product);
    if (fails && b->fault == NEAR_IS_NAN) {
        product[b->n / 2] = NAN;
    }
    return fails && b->fault == NEAR_FAILS ? MASING_NOT_FINITE : MASING_OK;
}

/* (I - G source)^-1 = (A - source)^-1 A */
static enum masing_status precondition(void *context, double *x)
{
    struct bratu *b = context;
    double k = per_step_squared(b), before = 0.0;
    for (int i = 0; b->is_exact && i < b->n; i++) {
        double here = x[i], after = i + 1 < b->n ? x[i + 1] : 0.0;
        x[i] = k * (2.0 * here - before - after);
        before = here;
    }
    if (b->is_exact) {
        solve_tridiagonal(b, b->diagonal, x);
    }
    bool fails = b->applications >= b->after;
    if (fails && b->fault == PRECONDITIONER_IS_NAN) {
        x[0] = NAN;
    }
    return fails && b->fault == PRECONDITIONER_FAILS ? MASING_SINGULAR : MASING_OK;
}

static void weights(void *context, const double *y, double lambda, double *weight)
{
    const struct bratu *b = context;
    (void)y;
    (void)lambda;
    for (int i = 0; i < b->n; i++) {
        weight[i] = 1.0 / sqrt((double)b->n);
    }
}

static const struct continuation_operator by_products = {.linearize = linearize,
                                                         .apply = apply,
                                                         .precondition = precondition,
                                                         .apply_near = apply_near};

static struct bratu create(int n)
{
    struct bratu b = {.n = n, .factor = 1.0, .after = 1000000000, .products = &by_products};
    b.diagonal = malloc(3 * (size_t)n * sizeof *b.diagonal);
    b.source = b.diagonal + n;
    b.work = b.source + n;
    return b;
}

static struct continuation_problem problem_of(struct bratu *b, bool is_dense)
{
    return (struct continuation_problem){.context = b,
                                         .n = b->n,
                                         .operator= is_dense ? NULL : b->products,
                                         .has_near = b->off != 0.0,
                                         .krylov_tolerance = b->krylov_tolerance,
                                         .evaluate = evaluate,
                                         .weights = weights};
}

static const double landings[] = {1.0, 2.0, 3.0};

static struct continuation_settings range(void)
{
    return (struct continuation_settings){.lambda_from = 0.5,
                                          .lambda_to = 4.0,
                                          .predictor = CONTINUATION_HERMITE,
                                          .mark_folds = true,
                                          .n_values = 3,
                                          .values = landings};
}

static enum masing_status watch(void *context, const struct continuation_point *point,
                                struct masing_error *error)
{
    struct bratu *b = context;
    double *f = malloc((size_t)b->n * sizeof *f);
    evaluate(b, point->y, point->lambda, f, NULL, NULL);
    for (int i = 0; i < b->n; i++) {
        b->worst = fmax(b->worst, fabs(f[i]));
    }
    free(f);
    /* what is kept is the middle */
    struct continuation_point middle = *point;
    middle.y += b->n / 2;
    middle.dy += b->n / 2;
    middle.dy_in += b->n / 2;
    return recorder_point(&r, &middle, error);
}

/* From the trivial guess; what is met goes to the recorder. */
static void follow(struct bratu *b, bool is_dense, const struct continuation_settings *settings)
{
    const struct continuation_problem problem = problem_of(b, is_dense);
    const struct continuation_observer observer = {.context = b, .point = watch};
    struct continuation *continuation = NULL;
    double *guess = calloc((size_t)b->n, sizeof *guess);
    memset(&r, 0, sizeof r);
    r.n = 1;
    r.status = continuation_create(&problem, settings, &continuation, &r.error);
    if (r.status == MASING_OK) {
        r.status =
            continuation_follow(continuation, guess, 1, &observer, &r.end, &r.counts, &r.error);
    }
    continuation_destroy(continuation);
    free(guess);
}

/* ---- the same as with the matrix ---- */

static void points_are_those_of_the_matrix(void)
{
    const struct continuation_settings settings = range();
    struct recorded_point at[6], fold = {0};
    const struct recorded_point *found = NULL;
    int n_at = 0, n = tap_most(N, 100);
    struct bratu b = create(n);
    follow(&b, true, &settings);
    CHECK(r.end == CONTINUATION_RETURNED);
    CHECK(r.counts.krylov_solves == 0);
    for (int i = 0; i < r.count && n_at < 6; i++) {
        at[n_at] = r.points[i];
        n_at += recorded_has(&r.points[i], CONTINUATION_AT);
    }
    CHECK(n_at == 6 && recorder_events(&r, CONTINUATION_FOLD, &found) == 1);
    fold = *found;
    CHECK_SCALED(fold.lambda, 3.5138, 1.0, n == N ? 1e-4 : 1e-3);
    b.worst = 0.0;
    follow(&b, false, &settings);
    CHECK(r.end == CONTINUATION_RETURNED);
    CHECK(b.worst <= 1e-10);
    int met = 0;
    for (int i = 0; i < r.count; i++) {
        if (recorded_has(&r.points[i], CONTINUATION_AT) && met < 6) {
            CHECK(r.points[i].lambda == at[met].lambda);
            CHECK_RELATIVE(r.points[i].y[0], at[met].y[0], 1e-7);
            CHECK_SCALED(r.points[i].dy[0] / r.points[i].dlambda,
                         at[met].dy[0] / at[met].dlambda, fabs(at[met].dy[0] / at[met].dlambda),
                         1e-3);
            met++;
        }
    }
    CHECK(met == 6 && recorder_events(&r, CONTINUATION_FOLD, &found) == 1);
    CHECK_RELATIVE(found->lambda, fold.lambda, 1e-10);
    CHECK_RELATIVE(found->y[0], fold.y[0], 1e-5);
    printf("# %d points, %ld solves, %ld iterations, %ld linearisations\n", r.counts.points,
           r.counts.krylov_solves, r.counts.krylov_iterations,
           r.counts.jacobians + r.counts.event_jacobians);
    /* solved for to all digits it is half as many again */
    CHECK(r.counts.krylov_solves > 100 && r.counts.krylov_iterations > r.counts.krylov_solves);
    CHECK(r.counts.krylov_iterations <= 480);
    free(b.diagonal);
}

/* The same points at the same cost of products that are near, and few of the others: one for a
 * step of Newton's, another for each three digits more. */
static void few_products_are_exact_where_others_are_near(void)
{
    const struct continuation_settings settings = range();
    static const double off[] = {1e-3, -3e-3};
    struct bratu b = create(100);
    follow(&b, false, &settings);
    const struct recorded_point *found = NULL;
    CHECK(recorder_events(&r, CONTINUATION_FOLD, &found) == 1);
    double fold = found->lambda, y = found->y[0];
    int n_points = r.counts.points;
    for (int i = 0; i < 2; i++) {
        b.off = off[i];
        b.applications = b.nearly = 0;
        follow(&b, false, &settings);
        printf("# %ld products of %ld solves, %ld nearly, %ld iterations\n", b.applications,
               r.counts.krylov_solves, b.nearly, r.counts.krylov_iterations);
        CHECK(r.end == CONTINUATION_RETURNED && b.worst <= 1e-10);
        CHECK(r.counts.points == n_points);
        CHECK(recorder_events(&r, CONTINUATION_FOLD, &found) == 1);
        CHECK_RELATIVE(found->lambda, fold, 1e-10);
        CHECK_RELATIVE(found->y[0], y, 1e-5);
        CHECK(b.applications <= 3 * r.counts.krylov_solves && b.nearly > b.applications);
        CHECK(r.counts.krylov_iterations >= b.nearly);
    }
    free(b.diagonal);
}

/* Where tangents are known to two digits, folds are, too, and no more is looked for. */
static void coarse_tangents_make_coarse_folds(void)
{
    static const double tolerances[] = {1e-6, 1e-2};
    const struct continuation_settings settings = range();
    long residuals[2];
    for (int i = 0; i < 2; i++) {
        struct bratu b = create(100);
        const struct recorded_point *found = NULL;
        b.krylov_tolerance = tolerances[i];
        follow(&b, false, &settings);
        CHECK(r.end == CONTINUATION_RETURNED && b.worst <= 1e-10);
        CHECK(recorder_events(&r, CONTINUATION_FOLD, &found) == 1);
        CHECK(found && fabs(found->lambda - 3.5138) <= 1e-3);
        CHECK(recorder_events(&r, CONTINUATION_AT, NULL) == 6);
        residuals[i] = r.counts.event_residuals;
        printf("# %ld residuals in events\n", residuals[i]);
        free(b.diagonal);
    }
    CHECK(residuals[1] <= residuals[0]);
}

/* With the inverse itself for a preconditioner one or two iterations do, at the fold, where it
 * is as good as infinite, as anywhere. */
static void folds_cost_nothing_extra(void)
{
    const struct continuation_settings settings = range();
    struct bratu b = create(N);
    b.is_exact = true;
    follow(&b, false, &settings);
    CHECK(r.end == CONTINUATION_RETURNED);
    CHECK(recorder_events(&r, CONTINUATION_FOLD, NULL) == 1);
    double mean = (double)r.counts.krylov_iterations / (double)r.counts.krylov_solves;
    printf("# %.3f iterations a solve\n", mean);
    CHECK(mean <= 1.3);
    free(b.diagonal);
}

/* Bytes of address space, of which a matrix would take 3 GB, touched or not; 0: not known. */
static double address_space(void)
{
    double pages = 0.0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%lf", &pages) != 1) {
        pages = 0.0;
    }
    if (file) {
        fclose(file);
    }
    return pages * (double)sysconf(_SC_PAGESIZE);
}

/* Within 100 MB; not with sanitizers, which take terabytes of address space. */
static void memory_grows_like_the_unknowns(void)
{
    struct rlimit before, few;
    CHECK(getrlimit(RLIMIT_AS, &before) == 0);
    few = before;
    few.rlim_cur = (rlim_t)(address_space() + 100e6);
    struct continuation_settings settings = range();
    struct bratu b = create(MANY);
    b.is_exact = true;
    settings.lambda_to = 1.5;
    if (tap_most(1, 0)) {
        CHECK(setrlimit(RLIMIT_AS, &few) == 0);
    }
    follow(&b, false, &settings);
    CHECK(r.status == MASING_OK && b.worst <= 1e-10);
    CHECK(setrlimit(RLIMIT_AS, &before) == 0);
    free(b.diagonal);
}

/* ---- one unknown ---- */

struct scalar {
    double (*f)(double y, double lambda);
    double (*f_y)(double y, double lambda);
    double (*f_lambda)(double y, double lambda);
    double slope; /* f_y, where it was linearised */
};

static double circle(double y, double lambda)
{
    return y * y + lambda * lambda - 1.0;
}

static double twice_y(double y, double lambda)
{
    (void)lambda;
    return 2.0 * y;
}

static double twice_lambda(double y, double lambda)
{
    (void)y;
    return 2.0 * lambda;
}

/* An S with two folds, at y = -1/2 and 1/2. */
static double bend(double y, double lambda)
{
    return y * y * y - 0.75 * y - lambda;
}

static double bend_y(double y, double lambda)
{
    (void)lambda;
    return 3.0 * y * y - 0.75;
}

static double minus_one(double y, double lambda)
{
    (void)y;
    (void)lambda;
    return -1.0;
}

static enum masing_status evaluate_scalar(void *context, const double *y, double lambda,
                                          double *f, double *jacobian, double *f_lambda)
{
    const struct scalar *s = context;
    CHECK(!jacobian && !f_lambda);
    f[0] = s->f(y[0], lambda);
    return MASING_OK;
}

static enum masing_status linearize_scalar(void *context, const double *y, double lambda,
                                           double *f, double *f_lambda)
{
    struct scalar *s = context;
    f[0] = s->f(y[0], lambda);
    f_lambda[0] = s->f_lambda(y[0], lambda);
    s->slope = s->f_y(y[0], lambda);
    return MASING_OK;
}

static enum masing_status apply_scalar(void *context, const double *x, double *product)
{
    product[0] = ((const struct scalar *)context)->slope * x[0];
    return MASING_OK;
}

static enum masing_status leave(void *context, double *x)
{
    (void)context;
    (void)x;
    return MASING_OK;
}

static void weigh_scalar(void *context, const double *y, double lambda, double *weight)
{
    (void)context;
    (void)y;
    (void)lambda;
    weight[0] = 1.0;
}

static const struct continuation_operator slope_alone = {
    .linearize = linearize_scalar, .apply = apply_scalar, .precondition = leave};

static struct continuation_problem scalar_problem(struct scalar *scalar)
{
    return (struct continuation_problem){.context = scalar,
                                         .n = 1,
                                         .operator= & slope_alone,
                                         .evaluate = evaluate_scalar,
                                         .weights = weigh_scalar};
}

static void a_circle_closes(void)
{
    struct scalar scalar = {circle, twice_y, twice_lambda, 0.0};
    const struct continuation_problem problem = scalar_problem(&scalar);
    /* from a fold, too */
    for (int k = 0; k < 2; k++) {
        double guess = k == 0 ? 1.2 : 0.0;
        const struct continuation_settings settings = {.lambda_from = -2.0,
                                                       .lambda_to = 2.0,
                                                       .starts_inside = true,
                                                       .lambda_start = k == 0 ? 0.3 : -1.0,
                                                       .predictor = CONTINUATION_HERMITE,
                                                       .mark_folds = k == 0};
        recorder_follow(&r, &problem, &settings, &guess);
        CHECK(r.end == CONTINUATION_CLOSED);
        CHECK(recorder_events(&r, CONTINUATION_FOLD, NULL) == (k == 0 ? 2 : 0));
        for (int i = 0; i < r.count; i++) {
            CHECK_SCALED(circle(r.points[i].y[0], r.points[i].lambda), 0.0, 1.0, 1e-10);
            bool is_fold = recorded_has(&r.points[i], CONTINUATION_FOLD);
            CHECK(!is_fold || fabs(fabs(r.points[i].lambda) - 1.0) <= 1e-10);
        }
    }
}

static void two_folds_are_passed_and_landed_on(void)
{
    struct scalar scalar = {bend, bend_y, minus_one, 0.0};
    const struct continuation_problem problem = scalar_problem(&scalar);
    const double values[] = {0.0};
    const struct continuation_settings settings = {.lambda_from = -1.0,
                                                   .lambda_to = 1.0,
                                                   .mark_folds = true,
                                                   .n_values = 1,
                                                   .values = values};
    double guess = -1.2;
    recorder_follow(&r, &problem, &settings, &guess);
    CHECK(r.status == MASING_OK && r.end == CONTINUATION_REACHED);
    CHECK(recorder_events(&r, CONTINUATION_FOLD, NULL) == 2);
    CHECK(recorder_events(&r, CONTINUATION_AT, NULL) == 3);
    for (int i = 0; i < r.count; i++) {
        bool is_fold = recorded_has(&r.points[i], CONTINUATION_FOLD);
        CHECK(!is_fold || fabs(fabs(r.points[i].lambda) - 0.25) <= 1e-10);
    }
}

static double arc_tangent(double y, double lambda)
{
    return atan(y) - lambda;
}

static double arc_tangent_y(double y, double lambda)
{
    (void)lambda;
    return 1.0 / (1.0 + y * y);
}

/* From 3 Newton's method runs off; KINSOL's line search goes by the same solves. */
static void a_line_search_goes_by_the_operator(void)
{
    struct scalar scalar = {arc_tangent, arc_tangent_y, minus_one, 0.0};
    const struct continuation_problem problem = scalar_problem(&scalar);
    const struct continuation_settings settings = {.lambda_from = -1.0, .lambda_to = 1.0};
    struct continuation *c = NULL;
    double y = 3.0;
    int iterations;
    CHECK(continuation_create(&problem, &settings, &c, NULL) == MASING_OK);
    CHECK(continuation_solve(c, 0.0, &y, &iterations, NULL) == MASING_OK);
    CHECK(fabs(y) <= 1e-9);
    CHECK(c->counts.strategies[MASING_STRATEGY_LINE_SEARCH] == 1);
    CHECK(c->following.krylov_solves >= 4);
    continuation_destroy(c);
}

static void branch_points_are_refused_in_words(void)
{
    struct scalar scalar = {circle, twice_y, twice_lambda, 0.0};
    const struct continuation_problem problem = scalar_problem(&scalar);
    const struct continuation_settings settings = {
        .lambda_from = -1.0, .lambda_to = 1.0, .mark_branches = true};
    double guess = 0.0;
    recorder_follow(&r, &problem, &settings, &guess);
    CHECK(r.status == MASING_INVALID && strstr(r.error.message, "operator"));
}

/* ---- faults ---- */

static void no_fault_makes_a_point(void)
{
    static const enum fault faults[] = {APPLY_FAILS,          APPLY_IS_NAN,
                                        PRECONDITIONER_FAILS, PRECONDITIONER_IS_NAN,
                                        NEAR_FAILS,           NEAR_IS_NAN};
    static const long after[] = {0, 3, 250};
    const struct continuation_settings settings = range();
    for (size_t i = 0; i < 6; i++) {
        for (size_t k = 0; k < 3; k++) {
            struct bratu b = create(50);
            b.fault = faults[i];
            b.off = faults[i] >= NEAR_FAILS ? 1e-3 : 0.0;
            b.after = after[k];
            follow(&b, false, &settings);
            CHECK(r.status == MASING_STOPPED && r.error.message[0] != '\0');
            CHECK(r.end == (k < 2 ? CONTINUATION_NO_START : CONTINUATION_STEP_LIMIT));
            CHECK(k < 2 ? r.count == 0 : r.count > 2);
            CHECK(b.worst <= 1e-10);
            free(b.diagonal);
        }
    }
}

/* Steps in the wrong direction, or of the wrong length: whatever comes of it is a solution. */
static void wrong_products_make_no_point(void)
{
    static const double factors[] = {-1.0, 1e-3, 0.7, 3.0, 1e8};
    enum { N_FACTORS = sizeof factors / sizeof *factors };
    struct continuation_settings settings = range();
    settings.max_points = 200;
    for (size_t i = 0; i < 2 * N_FACTORS; i++) {
        struct bratu b = create(50);
        b.factor = factors[i % N_FACTORS];
        b.off = i < N_FACTORS ? 0.0 : 1e-3;
        follow(&b, false, &settings);
        printf("# %g: %d points, %s\n", b.factor, r.count, r.error.message);
        CHECK(r.status == MASING_STOPPED && r.error.message[0] != '\0');
        CHECK(b.worst <= 1e-10);
        free(b.diagonal);
    }
}

/* ---- rounding ---- */

/* Scales of the residual at a solution to so many digits. */
static void scales_of(struct bratu *b, bool is_dense, const double *u, double *scale)
{
    const struct continuation_problem problem = problem_of(b, is_dense);
    struct bordered bordered;
    struct bordered_cost cost = {0};
    double *metric = malloc((size_t)(b->n + 1) * sizeof *metric), norm;
    double *f = malloc((size_t)(b->n + 1) * sizeof *f);
    for (int i = 0; i <= b->n; i++) {
        metric[i] = 1.0;
    }
    CHECK(bordered_create(&problem, metric, &bordered, NULL) == MASING_OK);
    bordered.cost = &cost;
    bordered.tolerance = 1e-17;
    bordered_fix_lambda(&bordered, u[b->n]);
    CHECK(bordered_evaluate(&bordered, u, true, f, &norm) == MASING_OK);
    memcpy(scale, bordered.scale, (size_t)b->n * sizeof *scale);
    bordered_destroy(&bordered);
    free(metric);
    free(f);
}

/* A residual is never allowed more for rounding than by the matrix, and no wrong operator makes
 * it more. */
static void rounding_is_allowed_for_on_the_safe_side(void)
{
    enum { FEW = 50 };
    struct bratu b = create(FEW);
    const struct continuation_problem problem = problem_of(&b, true);
    struct point_solver *solver = NULL;
    double by_matrix[FEW], by_operator[FEW], by_wrong_one[FEW];
    CHECK(point_solver_create(&problem, 1e-14, &solver, NULL) == MASING_OK);
    memset(solver->point, 0, FEW * sizeof *solver->point);
    solver->point[FEW] = 3.0;
    point_solver_fix_lambda(solver);
    CHECK(point_solver_solve(solver, 0.0) == MASING_OK);
    scales_of(&b, true, solver->point, by_matrix);
    scales_of(&b, false, solver->point, by_operator);
    b.factor = 1e6;
    scales_of(&b, false, solver->point, by_wrong_one);
    int n_allowed = 0;
    for (int i = 0; i < FEW; i++) {
        CHECK(by_operator[i] >= (1.0 - 1e-6) * by_matrix[i]);
        CHECK(by_wrong_one[i] >= (1.0 - 1e-6) * by_matrix[i]);
        n_allowed += by_operator[i] < 2.0 * by_matrix[i];
    }
    CHECK(n_allowed > FEW / 2);
    point_solver_destroy(solver);
    free(b.diagonal);
}

/* ---- single points, and the paths to them ---- */

static void a_single_point_and_its_tangent(void)
{
    enum { FEW = 100 };
    double y[2], slope[2];
    for (int k = 0; k < 2; k++) {
        struct bratu b = create(FEW);
        const struct continuation_problem problem = problem_of(&b, k == 0);
        struct point_solver *solver = NULL;
        CHECK(point_solver_create(&problem, 1e-11, &solver, NULL) == MASING_OK);
        memset(solver->point, 0, FEW * sizeof *solver->point);
        solver->point[FEW] = 3.0;
        point_solver_fix_lambda(solver);
        CHECK(point_solver_solve(solver, 0.0) == MASING_OK);
        CHECK(point_solver_differentiate(solver) == MASING_OK);
        CHECK(point_solver_continue(solver, 0.01) == MASING_OK);
        CHECK(point_solver_differentiate(solver) == MASING_OK);
        y[k] = solver->point[FEW / 2];
        slope[k] = solver->tangent[FEW / 2];
        point_solver_destroy(solver);
        free(b.diagonal);
    }
    CHECK_RELATIVE(y[1], y[0], 1e-9);
    CHECK_RELATIVE(slope[1], slope[0], 1e-5);
}

/* Its own continuation, in another parameter, by the products of the problem. */
static void a_path_of_the_homotopy_passes_the_operator_on(void)
{
    enum { FEW = 60 };
    struct bratu b = create(FEW);
    const struct continuation_problem problem = problem_of(&b, false);
    const struct continuation_settings settings = range();
    struct continuation *c = NULL;
    double f[FEW + 1], norm;
    CHECK(continuation_create(&problem, &settings, &c, NULL) == MASING_OK);
    memset(c->guess, 0, FEW * sizeof *c->guess);
    c->guess[FEW] = 3.0;
    c->bordered.n_left = 10000;
    CHECK(curve_renew_metric(c, c->guess) == MASING_OK);
    bordered_fix_lambda(&c->bordered, 3.0);
    CHECK(curve_homotopy_path(c, false, c->guess) == MASING_OK);
    CHECK(bordered_evaluate(&c->bordered, c->guess, false, f, &norm) == MASING_OK);
    CHECK(norm <= 1e-9 && c->guess[FEW / 2] > 0.5);
    CHECK(c->following.krylov_solves > 5);
    CHECK(c->following.krylov_iterations > c->following.krylov_solves);
    continuation_destroy(c);
    free(b.diagonal);
}

static const struct tap_test tests[] = {
    {"memory grows like the unknowns", memory_grows_like_the_unknowns},
    {"points are those of the matrix", points_are_those_of_the_matrix},
    {"coarse tangents make coarse folds", coarse_tangents_make_coarse_folds},
    {"few products are exact where others are near",
     few_products_are_exact_where_others_are_near},
    {"folds cost nothing extra", folds_cost_nothing_extra},
    {"a circle closes", a_circle_closes},
    {"two folds are passed and landed on", two_folds_are_passed_and_landed_on},
    {"a line search goes by the operator", a_line_search_goes_by_the_operator},
    {"branch points are refused in words", branch_points_are_refused_in_words},
    {"no fault makes a point", no_fault_makes_a_point},
    {"wrong products make no point", wrong_products_make_no_point},
    {"rounding is allowed for on the safe side", rounding_is_allowed_for_on_the_safe_side},
    {"a single point and its tangent", a_single_point_and_its_tangent},
    {"a path of the homotopy passes the operator on",
     a_path_of_the_homotopy_passes_the_operator_on},
};

TAP_MAIN(tests)
