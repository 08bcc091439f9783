/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What following a curve costs beside the residuals: processor time per accepted point for a
 * residual that costs next to nothing, y_i = sin(i) cos(6 lambda) + 0.3 y_(i+1)^2.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "continuation/continuation.h"

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

struct ring {
    int n;
    double *sine; /* [n] */
};

static enum masing_status evaluate(void *context, const double *y, double lambda,
                                   double *residual, double *jacobian, double *residual_lambda)
{
    const struct ring *ring = context;
    size_t n = (size_t)ring->n;
    double cosine = cos(6.0 * lambda);
    double slope = jacobian ? 6.0 * sin(6.0 * lambda) : 0.0;
    if (jacobian) {
        memset(jacobian, 0, n * n * sizeof *jacobian);
    }
    for (size_t i = 0; i < n; i++) {
        size_t j = i + 1 < n ? i + 1 : 0;
        residual[i] = y[i] - ring->sine[i] * cosine - 0.3 * y[j] * y[j];
        if (jacobian) {
            jacobian[i * n + i] += 1.0;
            jacobian[j * n + i] -= 0.6 * y[j];
            residual_lambda[i] = ring->sine[i] * slope;
        }
    }
    return MASING_OK;
}

static void weights(void *context, const double *y, double lambda, double *weight)
{
    const struct ring *ring = context;
    (void)y;
    (void)lambda;
    for (int i = 0; i < ring->n; i++) {
        weight[i] = 1.0;
    }
}

/* Time of one evaluation, with Jacobian or without. */
static double time_evaluation(struct ring *ring, double *work, bool with_jacobian, int count)
{
    /* by a pointer that the compiler cannot see through */
    enum masing_status (*volatile call)(void *, const double *, double, double *, double *,
                                        double *) = evaluate;
    size_t n = (size_t)ring->n;
    double *jacobian = work + 3 * n;
    double start = seconds();
    for (int i = 0; i < count; i++) {
        call(ring, work, 0.1, work + n, with_jacobian ? jacobian : NULL,
             with_jacobian ? work + 2 * n : NULL);
    }
    return (seconds() - start) / count;
}

static enum masing_status time_curve(struct ring *ring, double *work, int repetitions)
{
    struct continuation_problem problem = {
        .context = ring, .n = ring->n, .evaluate = evaluate, .weights = weights};
    struct continuation_settings settings = {
        .lambda_from = 0.0, .lambda_to = 1.0, .predictor = CONTINUATION_HERMITE};
    struct continuation_observer observer = {0};
    struct continuation_counts counts = {0};
    struct continuation *continuation = NULL;
    enum continuation_end end;
    enum masing_status status = continuation_create(&problem, &settings, &continuation, NULL);
    double start = seconds();
    for (int i = 0; status == MASING_OK && i < repetitions; i++) {
        status = continuation_follow(continuation, work, 1, &observer, &end, &counts, NULL);
    }
    double points = counts.points > 0 ? counts.points : 1;
    double per_point = (seconds() - start) / repetitions / points;
    double plain = (double)(counts.residuals - counts.jacobians) / points;
    double full = (double)counts.jacobians / points;
    double residuals = plain * time_evaluation(ring, work, false, 100 * repetitions) +
                       full * time_evaluation(ring, work, true, 100 * repetitions);
    printf("%6d %8d %10.2f %10.2f %10.2f %10.2f %12.2f\n", ring->n, counts.points,
           (double)counts.residuals / points, full, (double)counts.factorisations / points,
           1e6 * per_point, 1e6 * (per_point - residuals));
    continuation_destroy(continuation);
    return status;
}

int main(void)
{
    static const int sizes[] = {1, 3, 7, 15, 31, 63, 150};
    enum { N_SIZES = sizeof sizes / sizeof *sizes };
    int status = 0;
    printf("%6s %8s %10s %10s %10s %10s %12s\n", "n", "points", "residuals", "jacobians",
           "factors", "us/point", "us/pt beside");
    for (int i = 0; i < N_SIZES && status == 0; i++) {
        size_t n = (size_t)sizes[i];
        struct ring ring = {.n = sizes[i], .sine = calloc(n, sizeof(double))};
        double *work = calloc(3 * n + n * n, sizeof *work);
        status = 1;
        if (ring.sine && work) {
            for (size_t k = 0; k < n; k++) {
                ring.sine[k] = sin((double)k);
            }
            status = time_curve(&ring, work, n > 50 ? 20 : 500);
        }
        free(ring.sine);
        free(work);
    }
    return status == 0 ? 0 : 1;
}
