/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "continuation/bordered.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "continuation/metric.h"

/* A residual cannot fall below what so many roundings make of it. */
static const double ROUNDINGS = 4.0;
/* In tolerances: what is more is no rounding. */
static const double NEAR_SOLUTION = 1e5;

enum masing_status bordered_create(const struct continuation_problem *problem,
                                   const double *metric, struct bordered *bordered,
                                   struct masing_error *error)
{
    size_t n = (size_t)problem->n;
    size_t size = n + 1;
    *bordered = (struct bordered){.problem = problem,
                                  .metric = metric,
                                  .linear = problem->operator? &linear_krylov : & linear_dense,
                                  .n_left = LONG_MAX,
                                  .n = problem->n,
                                  .size = problem->n + 1};
    struct arena *arena = &bordered->arena;
    bordered->border = arena_doubles(arena, size);
    bordered->anchor = arena_doubles(arena, size);
    bordered->offset = arena_doubles(arena, n);
    bordered->residual_lambda = arena_doubles(arena, n);
    bordered->scale = arena_doubles(arena, size);
    NEED_ALLOCATED(!arena->has_failed);
    for (size_t i = 0; i < size; i++) {
        bordered->scale[i] = 1.0;
    }
    return bordered->linear->create(bordered, error);
}

void bordered_destroy(struct bordered *bordered)
{
    if (bordered->own) {
        bordered->linear->destroy(bordered);
    }
    arena_clear(&bordered->arena);
    *bordered = (struct bordered){0};
}

void bordered_set_plane(struct bordered *bordered, const double *anchor, const double *normal)
{
    for (int i = 0; i < bordered->size; i++) {
        bordered->border[i] = bordered->metric[i] * normal[i];
    }
    memcpy(bordered->anchor, anchor, (size_t)bordered->size * sizeof *anchor);
    bordered->holds_lambda = bordered->has_factors = false;
}

void bordered_fix_lambda(struct bordered *bordered, double lambda)
{
    memset(bordered->border, 0, (size_t)bordered->n * sizeof *bordered->border);
    memset(bordered->anchor, 0, (size_t)bordered->n * sizeof *bordered->anchor);
    bordered->border[bordered->n] = 1.0;
    bordered->anchor[bordered->n] = lambda;
    bordered->holds_lambda = true;
    bordered->has_factors = false;
}

static inline double larger(double a, double b)
{
    return a > b ? a : b; /* b where a is no number */
}

/* In a sharp resonance the last digit of lambda changes a residual by more than the tolerance.
 */
static void allow_for_lambda(struct bordered *bordered, double lambda)
{
    double part = ROUNDINGS * DBL_EPSILON * fabs(lambda) / bordered->tolerance;
    for (int i = 0; i < bordered->n; i++) {
        bordered->scale[i] = 1.0 / larger(part * fabs(bordered->residual_lambda[i]), 1.0);
    }
}

/* And those of the unknowns, where they are large. */
static void allow_for_unknowns(struct bordered *bordered, const double *u, const double *f)
{
    size_t n = (size_t)bordered->n;
    double part = ROUNDINGS * DBL_EPSILON / bordered->tolerance;
    double *scale = bordered->scale;
    for (size_t i = 0; i < n; i++) {
        scale[i] = part * fabs(u[n] * bordered->residual_lambda[i]);
    }
    bordered->linear->add_sizes(bordered, u, f, part, scale);
    for (size_t i = 0; i < n; i++) {
        scale[i] = 1.0 / larger(scale[i], 1.0);
    }
}

static double scaled_norm(const struct bordered *bordered, const double *f)
{
    double largest = 0.0;
    for (int i = 0; i < bordered->n; i++) {
        largest = larger(bordered->scale[i] * fabs(f[i]), largest);
    }
    return largest;
}

/* Of f at u. Most solves are over before anything but lambda counts. */
static double allow_for_rounding(struct bordered *bordered, const double *u, const double *f)
{
    allow_for_lambda(bordered, u[bordered->n]);
    double norm = scaled_norm(bordered, f);
    if (norm <= bordered->tolerance || norm > NEAR_SOLUTION * bordered->tolerance) {
        return norm;
    }
    allow_for_unknowns(bordered, u, f);
    return scaled_norm(bordered, f);
}

enum masing_status bordered_evaluate(struct bordered *bordered, const double *u,
                                     bool with_jacobian, double *f, double *norm)
{
    const struct continuation_problem *problem = bordered->problem;
    int n = bordered->n;
    if (bordered->n_left-- <= 0) {
        return MASING_NOT_CONVERGED;
    }
    bordered->cost->residuals++;
    bordered->cost->jacobians += with_jacobian;
    NEED(with_jacobian ? bordered->linear->linearize(bordered, u, f)
                       : problem->evaluate(problem->context, u, u[n], f, NULL, NULL));
    double poison = 0.0; /* 0 as long as everything is finite, else NaN */
    double plane = 0.0;
    for (int i = 0; i < n; i++) {
        f[i] -= bordered->offset_factor * bordered->offset[i];
        poison += 0.0 * f[i];
        plane += bordered->border[i] * (u[i] - bordered->anchor[i]);
    }
    f[n] = plane + bordered->border[n] * (u[n] - bordered->anchor[n]);
    *norm = with_jacobian ? allow_for_rounding(bordered, u, f) : scaled_norm(bordered, f);
    bordered->last_norm = *norm;
    return isfinite(poison) && isfinite(f[n]) ? MASING_OK : MASING_NOT_FINITE;
}

enum masing_status bordered_reset(struct bordered *bordered)
{
    return bordered->linear->reset ? bordered->linear->reset(bordered) : MASING_OK;
}

bool bordered_keep_factors(struct bordered *bordered)
{
    return bordered->has_factors = bordered->linear->keep_factors(bordered);
}

enum masing_status bordered_factor(struct bordered *bordered)
{
    return bordered->linear->factor(bordered);
}

bool bordered_is_nearly_singular(const struct bordered *bordered)
{
    return bordered->linear->is_nearly_singular(bordered);
}

enum masing_status bordered_solve_to(const struct bordered *bordered,
                                     struct linear_accuracy accuracy, double *x)
{
    return bordered->has_factors ? bordered->linear->solve(bordered, accuracy, x)
                                 : MASING_SINGULAR;
}

enum masing_status bordered_solve(const struct bordered *bordered, double *x)
{
    const struct linear_accuracy accuracy = {.relative = bordered->tangent_error};
    return bordered_solve_to(bordered, accuracy, x);
}

double bordered_times_border(const struct bordered *bordered, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < bordered->size; i++) {
        sum += bordered->border[i] * x[i];
    }
    return sum;
}

void bordered_add_border(const struct bordered *bordered, const double *x, double *product)
{
    int n = bordered->n;
    for (int i = 0; i < n; i++) {
        product[i] += bordered->residual_lambda[i] * x[n];
    }
    product[n] = bordered_times_border(bordered, x);
}

enum masing_status bordered_multiply(const struct bordered *bordered, const double *x,
                                     double *product)
{
    NEED(bordered->linear->apply(bordered, x, product));
    bordered_add_border(bordered, x, product);
    return MASING_OK;
}

int bordered_orientation(const struct bordered *bordered, const double *tangent)
{
    return bordered->has_factors ? bordered->linear->orientation(bordered, tangent) : 0;
}

/* Unit vector that the last row alone maps to something, to 1. */
static enum masing_status find_tangent(const struct bordered *bordered,
                                       struct linear_accuracy accuracy, double *tangent)
{
    int size = bordered->size;
    memset(tangent, 0, (size_t)size * sizeof *tangent);
    tangent[size - 1] = 1.0;
    NEED(bordered_solve_to(bordered, accuracy, tangent));
    double norm = metric_normalise(size, bordered->metric, tangent);
    return norm > 0.0 && isfinite(norm) ? MASING_OK : MASING_SINGULAR;
}

enum masing_status bordered_tangent(const struct bordered *bordered, double *tangent)
{
    const struct linear_accuracy accuracy = {.relative = bordered->tangent_error};
    return find_tangent(bordered, accuracy, tangent);
}

/* Far below what a predictor is off by. */
static const double DIRECTION_ERROR = 1e-6;

enum masing_status bordered_direction(const struct bordered *bordered, double *tangent)
{
    double error = bordered->tangent_error;
    const struct linear_accuracy accuracy = {
        .relative = error > 0.0 ? fmax(error, DIRECTION_ERROR) : 0.0};
    return find_tangent(bordered, accuracy, tangent);
}
