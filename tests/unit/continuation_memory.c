/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocations of a continuation are counted, and its own (by calloc) made to fail one after the
 * other. SUNDIALS 6.4 allocates by malloc and does not survive a failure in SUNContext_Create
 * or N_VClone, so that those are counted only. The C library's functions are replaced for this,
 * as sanitizers do themselves: with one, this test has little to check.
 */
#include <stdlib.h>

#include "recorder.h"
#include "tap.h"

/* kinds of events */
enum {
    CORNER = CONTINUATION_OWN_KINDS,
};

#if defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

static long n_allocations;
static long fails_at; /* the own allocation of this number fails; 0: none */

#ifndef HAS_SANITIZER
static long n_own; /* by calloc */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *pointer, size_t size);

void *malloc(size_t size)
{
    n_allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    n_allocations++;
    return ++n_own == fails_at ? NULL : __libc_calloc(count, size);
}

void *realloc(void *pointer, size_t size)
{
    n_allocations++;
    return __libc_realloc(pointer, size);
}
#endif

enum { N_UNKNOWNS = 80 }; /* so many that the arenas take more than a few blocks */

/* Uncoupled Duffing amplitudes with a corner: enough for folds, marks and a corner. */
static enum masing_status evaluate(void *context, const double *y, double lambda,
                                   double *residual, double *jacobian, double *residual_lambda)
{
    (void)context;
    if (jacobian) {
        memset(jacobian, 0, sizeof(double) * N_UNKNOWNS * N_UNKNOWNS);
    }
    for (int i = 0; i < N_UNKNOWNS; i++) {
        double x = y[i];
        double beyond = fmax(0.0, x - 0.5);
        residual[i] = x * x * x - x + 0.1 * i + beyond - lambda;
        if (jacobian) {
            jacobian[i * N_UNKNOWNS + i] = 3.0 * x * x - 1.0 + (beyond > 0.0);
            residual_lambda[i] = -1.0;
        }
    }
    /* all but the first are monotonic */
    for (int i = 1; i < N_UNKNOWNS; i++) {
        residual[i] += 2.0 * y[i];
        if (jacobian) {
            jacobian[i * N_UNKNOWNS + i] += 2.0;
        }
    }
    return MASING_OK;
}

static void weights(void *context, const double *y, double lambda, double *weight)
{
    (void)context;
    (void)y;
    (void)lambda;
    for (int i = 0; i < N_UNKNOWNS; i++) {
        weight[i] = 0.5;
    }
}

static double corner(void *context, const double *y, double lambda, const double *dy,
                     double dlambda)
{
    (void)context;
    (void)lambda;
    (void)dy;
    (void)dlambda;
    return y[0] - 0.5;
}

/* The same by products, which its diagonal makes. */
static double diagonal[N_UNKNOWNS];

static enum masing_status linearize(void *context, const double *y, double lambda,
                                    double *residual, double *residual_lambda)
{
    for (int i = 0; i < N_UNKNOWNS; i++) {
        double x = y[i];
        diagonal[i] = 3.0 * x * x - 1.0 + (x > 0.5) + (i > 0 ? 2.0 : 0.0);
        residual_lambda[i] = -1.0;
    }
    return evaluate(context, y, lambda, residual, NULL, NULL);
}

static enum masing_status apply(void *context, const double *x, double *product)
{
    (void)context;
    for (int i = 0; i < N_UNKNOWNS; i++) {
        product[i] = diagonal[i] * x[i];
    }
    return MASING_OK;
}

static enum masing_status precondition(void *context, double *x)
{
    (void)context;
    for (int i = 1; i < N_UNKNOWNS; i++) {
        x[i] /= diagonal[i];
    }
    return MASING_OK;
}

static const struct continuation_operator by_products = {
    .linearize = linearize, .apply = apply, .precondition = precondition, .apply_near = apply};

static const double values[] = {-0.3, 0.0, 0.3, 4.0};
static const struct continuation_event event = {
    .rising = CORNER, .type = CONTINUATION_KINK, .value = corner};
static struct continuation_problem problem = {
    .n = N_UNKNOWNS, .evaluate = evaluate, .weights = weights};
static struct continuation_settings settings = {.lambda_from = -5.0,
                                                .lambda_to = 5.0,
                                                .predictor = CONTINUATION_HERMITE,
                                                .mark_folds = true,
                                                .mark_branches = true,
                                                .max_branches = 2,
                                                .n_values = 4,
                                                .values = values,
                                                .n_events = 1,
                                                .events = &event};

struct counter {
    long at_first, points, events;
};

static enum masing_status count_point(void *context, const struct continuation_point *point,
                                      struct masing_error *error)
{
    (void)error;
    struct counter *counter = context;
    counter->at_first = point->index == 0 ? n_allocations : counter->at_first;
    counter->points++;
    counter->events += point->events.n > 0;
    return MASING_OK;
}

/* Create, follow, destroy. */
static enum masing_status follow(struct counter *counter, struct masing_error *error)
{
    struct continuation *continuation = NULL;
    double guess[N_UNKNOWNS] = {0.0};
    struct continuation_observer observer = {.context = counter, .point = count_point};
    struct continuation_counts counts;
    enum continuation_end end;
    guess[0] = -2.0;
    enum masing_status status = continuation_create(&problem, &settings, &continuation, error);
    if (status == MASING_OK) {
        status = continuation_follow(continuation, guess, 1, &observer, &end, &counts, error);
    }
    continuation_destroy(continuation);
    return status;
}

static void nothing_is_allocated_behind_the_first_point(void)
{
    struct counter counter = {0};
    struct masing_error error = {0};
    CHECK(follow(&counter, &error) == MASING_OK);
    CHECK(counter.points > 50);
    CHECK(counter.events == 2 + 3 * 3 + 1);
#ifndef HAS_SANITIZER
    CHECK(n_allocations > 20);
#endif
    CHECK(n_allocations == counter.at_first);
}

static void every_allocation_may_fail(void)
{
#ifndef HAS_SANITIZER
    n_own = 0;
    struct counter counter = {0};
    CHECK(follow(&counter, NULL) == MASING_OK);
    long total = n_own;
    CHECK(total > 15);
    for (long i = 1; i <= total; i++) {
        struct masing_error error = {0};
        n_own = 0;
        fails_at = i;
        enum masing_status status = follow(&counter, &error);
        fails_at = 0;
        CHECK(status == MASING_NO_MEMORY);
        CHECK(error.status == MASING_NO_MEMORY);
    }
#endif
    CHECK(fails_at == 0);
}

/* Without a matrix, and so without branch points. */
static void use_operator(bool is_used, bool has_near)
{
    problem.operator= is_used ? &by_products : NULL;
    problem.has_near = has_near;
    settings.mark_branches = !is_used;
    settings.max_branches = is_used ? 0 : 2;
    n_allocations = 0;
}

static void an_operator_is_no_other(void)
{
    for (int i = 0; i < 2; i++) {
        use_operator(true, i == 1);
        nothing_is_allocated_behind_the_first_point();
        every_allocation_may_fail();
    }
    use_operator(false, false);
}

static const struct tap_test tests[] = {
    {"nothing is allocated behind the first point",
     nothing_is_allocated_behind_the_first_point},
    {"every allocation may fail", every_allocation_may_fail},
    {"an operator is no other", an_operator_is_no_other},
};

TAP_MAIN(tests)
