/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many iterations a linear system without a matrix is given, and when no more. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "continuation/bordered.h"
#include "tap.h"

/* Products by a diagonal or, where there is none, by the next unknown of a ring and a little of
 * the same. */
struct simple {
    int n;
    double largest; /* on the diagonal, from 1 on; 0: a ring */
    bool has_near;  /* the same products once more, for solves in solves */
};

static enum masing_status evaluate_simple(void *context, const double *y, double lambda,
                                          double *f, double *jacobian, double *f_lambda)
{
    (void)lambda;
    (void)jacobian;
    (void)f_lambda;
    const struct simple *s = context;
    for (int i = 0; i < s->n; i++) {
        f[i] = s->largest > 0.0 ? (1.0 + s->largest * i / s->n) * y[i]
                                : 0.3 * y[i] + y[(i + 1) % s->n];
    }
    return MASING_OK;
}

static enum masing_status linearize_simple(void *context, const double *y, double lambda,
                                           double *f, double *f_lambda)
{
    const struct simple *s = context;
    for (int i = 0; i < s->n; i++) {
        f_lambda[i] = 0.0;
    }
    return evaluate_simple(context, y, lambda, f, NULL, NULL);
}

static enum masing_status apply_simple(void *context, const double *x, double *product)
{
    return evaluate_simple(context, x, 0.0, product, NULL, NULL);
}

static enum masing_status leave(void *context, double *x)
{
    (void)context;
    (void)x;
    return MASING_OK;
}

static const struct continuation_operator simple_products = {.linearize = linearize_simple,
                                                             .apply = apply_simple,
                                                             .precondition = leave,
                                                             .apply_near = apply_simple};

/* Iterations of a solve with the first unit vector, or with all entries 1. */
static long iterations_of(struct simple simple, bool is_unit, enum masing_status *status)
{
    const struct continuation_problem problem = {.context = &simple,
                                                 .n = simple.n,
                                                 .operator= & simple_products,
                                                 .has_near = simple.has_near,
                                                 .evaluate = evaluate_simple};
    struct bordered bordered;
    struct bordered_cost cost = {0};
    size_t size = (size_t)simple.n + 1;
    double *u = malloc(5 * size * sizeof *u), *f = u + size, *metric = f + size, norm;
    double *x = metric + size, *left = x + size;
    for (int i = 0; i <= simple.n; i++) {
        metric[i] = 1.0;
        x[i] = i == 0 || !is_unit ? 1.0 : 0.0;
    }
    memcpy(u, x, size * sizeof *u);
    u[simple.n] = x[simple.n] = 0.0;
    CHECK(bordered_create(&problem, metric, &bordered, NULL) == MASING_OK);
    bordered.cost = &cost;
    bordered.tolerance = 1e-10;
    bordered_fix_lambda(&bordered, 0.0);
    CHECK(bordered_evaluate(&bordered, u, true, f, &norm) == MASING_OK);
    CHECK(bordered_factor(&bordered) == MASING_OK);
    *status = bordered_solve(&bordered, x);
    long n_iterations = cost.krylov_iterations;
    if (*status == MASING_OK) {
        CHECK(bordered_multiply(&bordered, x, left) == MASING_OK);
        for (int i = 0; i < simple.n; i++) {
            CHECK_SCALED(left[i], i == 0 || !is_unit, 1.0, 1e-6 * sqrt(simple.n));
        }
    }
    CHECK(cost.krylov_solves == 1);
    x[0] = NAN;
    CHECK(bordered_solve(&bordered, x) == MASING_NOT_FINITE);
    bordered_destroy(&bordered);
    free(u);
    return n_iterations;
}

/* More iterations than there are vectors for; and no more where those led nowhere: round a ring
 * all vectors but the last ones are nearly orthogonal to what is looked for, and a matrix of so
 * bad a condition takes thousands. Of few unknowns there are vectors enough for all. */
static void iterations_go_on_as_long_as_they_lead_on(void)
{
    enum { FEW = 300, PLENTY = 6000 };
    enum masing_status status;
    long n = iterations_of((struct simple){PLENTY, 500.0, false}, false, &status);
    CHECK(status == MASING_OK && n > 100 && n <= 400);
    n = iterations_of((struct simple){PLENTY, 0.0, false}, true, &status);
    CHECK(status == MASING_NOT_CONVERGED && n == 100);
    n = iterations_of((struct simple){PLENTY, 1e6, false}, false, &status);
    printf("# %ld iterations\n", n);
    CHECK(status == MASING_NOT_CONVERGED && n <= 400);
    n = iterations_of((struct simple){FEW, 0.0, false}, true, &status);
    CHECK(status == MASING_OK && n == FEW);
}

/* One that leads nowhere ends a solve whose preconditioner it is, after one cycle. */
static void a_nearer_solve_leads_on_or_ends_it(void)
{
    enum { FEW = 300, PLENTY = 6000 };
    enum masing_status status;
    long n = iterations_of((struct simple){PLENTY, 0.0, true}, true, &status);
    CHECK(status == MASING_NOT_CONVERGED && n == 101);
    n = iterations_of((struct simple){PLENTY, 20.0, true}, false, &status);
    printf("# %ld iterations\n", n);
    CHECK(status == MASING_OK && n <= 200);
    n = iterations_of((struct simple){FEW, 0.0, true}, true, &status);
    CHECK(status == MASING_OK && n <= FEW + 2);
}

static const struct tap_test tests[] = {
    {"iterations go on as long as they lead on", iterations_go_on_as_long_as_they_lead_on},
    {"a nearer solve leads on or ends it", a_nearer_solve_leads_on_or_ends_it},
};

TAP_MAIN(tests)
