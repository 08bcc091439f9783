/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Everything a continuation needs is allocated here, once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "continuation/curve.h"
#include "continuation/metric.h"

static const struct continuation_settings defaults = {
    .tolerance = 1e-10,
    .step_initial = 0.01,
    .step_min = 1e-7,
    .step_max = 0.1,
    .predictor_tolerance = 0.01,
    .max_points = 100000,
    .max_iterations = 10,
};

static double positive_or(double value, double otherwise)
{
    return value > 0.0 ? value : otherwise;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static enum masing_status check_settings(const struct continuation_problem *problem,
                                         const struct continuation_settings *settings,
                                         struct masing_error *error)
{
    if (problem->n < 1) {
        return masing_error_set(error, MASING_INVALID, "there are no unknowns to follow");
    }
    if (problem->operator&& settings->mark_branches) {
        return masing_error_set(error, MASING_INVALID,
                                "branch points are found by the determinant of a matrix, and "
                                "the Jacobian of this problem is an operator");
    }
    double range = settings->lambda_to - settings->lambda_from;
    if (!isfinite(range) || range == 0.0) {
        return masing_error_set(error, MASING_INVALID, "the range %.10g to %.10g is empty",
                                settings->lambda_from, settings->lambda_to);
    }
    return MASING_OK;
}

static void resolve_settings(struct continuation *c)
{
    struct continuation_settings *s = &c->settings;
    s->tolerance = positive_or(s->tolerance, defaults.tolerance);
    s->step_min = positive_or(s->step_min, defaults.step_min);
    s->step_max = fmax(s->step_min, positive_or(s->step_max, defaults.step_max));
    s->step_initial = fmin(positive_or(s->step_initial, defaults.step_initial), s->step_max);
    s->step_initial = fmax(s->step_initial, s->step_min);
    s->predictor_tolerance = positive_or(s->predictor_tolerance, defaults.predictor_tolerance);
    s->max_points = s->max_points > 0 ? s->max_points : defaults.max_points;
    s->max_iterations = s->max_iterations > 0 ? s->max_iterations : defaults.max_iterations;
    c->range = fabs(s->lambda_to - s->lambda_from);
    c->direction = s->lambda_to > s->lambda_from ? 1.0 : -1.0;
    c->metric[c->n] = 1.0 / (c->range * c->range);
    c->solution_size = 1.0;
}

static void create_point(struct continuation *c, struct curve_point *point)
{
    point->u = arena_doubles(&c->arena, (size_t)c->size);
    point->tangent_in = arena_doubles(&c->arena, (size_t)c->size);
    point->tangent = arena_doubles(&c->arena, (size_t)c->size);
    point->value = arena_doubles(&c->arena, (size_t)c->n_functions);
}

void curve_copy_point(const struct continuation *c, struct curve_point *to,
                      const struct curve_point *from)
{
    size_t bytes = (size_t)c->size * sizeof(double);
    memcpy(to->u, from->u, bytes);
    memcpy(to->tangent_in, from->tangent_in, bytes);
    memcpy(to->tangent, from->tangent, bytes);
    memcpy(to->value, from->value, (size_t)c->n_functions * sizeof(double));
    to->arc = from->arc;
    to->residual = from->residual;
    to->iterations = from->iterations;
}

static enum masing_status create_functions(struct continuation *c, struct masing_error *error)
{
    struct arena *arena = &c->arena;
    int n_events = c->settings.n_events;
    c->n_functions = n_events + c->settings.mark_folds;
    size_t n_functions = (size_t)c->n_functions;
    /* one of each function as a rule, one branch point, and what a corner needs */
    c->most_extras = c->n_functions < CURVE_MOST_EXTRAS ? c->n_functions : CURVE_MOST_EXTRAS;
    size_t n_extras = (size_t)c->most_extras + 1 + CURVE_REFINEMENTS;
    c->functions = arena_array(arena, n_functions, sizeof *c->functions);
    c->value_out = arena_doubles(arena, n_functions);
    c->met = arena_array(arena, n_functions + 2, sizeof *c->met);
    c->extras = arena_array(arena, n_extras, sizeof *c->extras);
    NEED_ALLOCATED(!arena->has_failed);
    for (int i = 0; i < n_events; i++) {
        c->functions[i].event = c->settings.events[i];
    }
    if (c->settings.mark_folds) {
        c->functions[n_events].event = (struct continuation_event){.rising = CONTINUATION_FOLD,
                                                                   .falling = CONTINUATION_FOLD,
                                                                   .type = CONTINUATION_MARK};
    }
    c->settings.events = NULL;
    for (size_t i = 0; i < n_extras; i++) {
        create_point(c, &c->extras[i].point);
    }
    return MASING_OK;
}

static enum masing_status create_vectors(struct continuation *c, struct masing_error *error)
{
    struct arena *arena = &c->arena;
    size_t size = (size_t)c->size;
    struct curve_point *points[] = {&c->before, &c->here,  &c->next,   &c->first, &c->low,
                                    &c->high,   &c->trial, &c->beyond, &c->last};
    double **vectors[] = {&c->metric, &c->weight, &c->guess, &c->normal,       &c->ahead,
                          &c->work,   &c->secant, &c->probe, &c->beyond_corner};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        create_point(c, points[i]);
    }
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = arena_doubles(arena, size);
    }
    c->most_junctions = c->settings.max_branches;
    if (c->settings.has_junctions && c->most_junctions < CURVE_MOST_FOUND) {
        c->most_junctions = CURVE_MOST_FOUND;
    }
    c->junctions = arena_array(arena, (size_t)c->most_junctions, sizeof *c->junctions);
    NEED_ALLOCATED(c->junctions);
    for (int i = 0; i < c->most_junctions; i++) {
        c->junctions[i].u = arena_doubles(arena, size);
        c->junctions[i].null = arena_doubles(arena, size);
    }
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

static enum masing_status create_values(struct continuation *c, struct masing_error *error)
{
    int count = 0;
    size_t n_values = (size_t)c->settings.n_values;
    NEED_ALLOCATED(c->values = arena_doubles(&c->arena, n_values));
    if (n_values > 0) {
        memcpy(c->values, c->settings.values, n_values * sizeof *c->values);
        qsort(c->values, n_values, sizeof *c->values, compare_numbers);
    }
    for (int i = 0; i < c->settings.n_values; i++) {
        if (count == 0 || c->values[i] > c->values[count - 1]) {
            c->values[count++] = c->values[i];
        }
    }
    c->settings.n_values = count;
    c->settings.values = c->values;
    return MASING_OK;
}

/* Those that a step may be too long for. */
static enum masing_status create_peaks(struct continuation *c, struct masing_error *error)
{
    size_t n_peaks = (size_t)c->settings.n_peaks;
    int count = 0;
    c->peaks = arena_array(&c->arena, n_peaks, sizeof *c->peaks);
    c->peak_values = arena_doubles(&c->arena, n_peaks);
    NEED_ALLOCATED(c->peaks && c->peak_values);
    for (size_t i = 0; i < n_peaks; i++) {
        const struct continuation_peak *peak = &c->settings.peaks[i];
        if (CURVE_PEAK_WIDTHS * peak->width < c->settings.step_max * c->range) {
            c->peaks[count] = *peak;
            c->peak_values[count++] = peak->lambda;
        }
    }
    c->settings.n_peaks = count;
    c->settings.peaks = NULL;
    return MASING_OK;
}

enum masing_status continuation_create(const struct continuation_problem *problem,
                                       const struct continuation_settings *settings,
                                       struct continuation **continuation,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct continuation *c = NULL;
    TRY(check_settings(problem, settings, error));
    TRY_ALLOCATED(c = memory_array(1, sizeof *c));
    c->problem = *problem;
    c->problem.driver = problem->driver ? problem->driver : problem->context;
    c->settings = *settings;
    c->n = problem->n;
    c->size = problem->n + 1;
    TRY(create_functions(c, error));
    TRY(create_vectors(c, error));
    TRY(create_values(c, error));
    resolve_settings(c);
    TRY(create_peaks(c, error));
    TRY(curve_create_search(c, error));
    TRY(bordered_create(&c->problem, c->metric, &c->bordered, error));
    c->bordered.cost = &c->following;
    c->has_many = c->n >= BORDERED_MANY && !c->settings.has_hidden_corners;
    c->bordered.keeps_factors = c->has_many && !problem->operator;
    TRY(corrector_create(&c->bordered, c->settings.tolerance, &c->corrector, error));
    *continuation = c;
    c = NULL;
done:
    continuation_destroy(c);
    return status;
}

void continuation_destroy(struct continuation *c)
{
    if (!c) {
        return;
    }
    curve_destroy_search(c);
    corrector_destroy(c->corrector);
    bordered_destroy(&c->bordered);
    arena_clear(&c->arena);
    free(c);
}

enum masing_status curve_renew_metric(struct continuation *c, const double *u)
{
    c->problem.weights(c->problem.context, u, u[c->n], c->weight);
    double size = 0.0;
    for (int i = 0; i < c->n; i++) {
        if (!(c->weight[i] > 0.0) || !isfinite(c->weight[i])) {
            return masing_error_set(c->error, MASING_INTERNAL, "weight %d is %g", i,
                                    c->weight[i]);
        }
        double part = c->weight[i] * u[i];
        size += part * part;
    }
    c->solution_size = fmax(c->solution_size, size);
    for (int i = 0; i < c->n; i++) {
        c->metric[i] = c->weight[i] * c->weight[i] / c->solution_size;
    }
    return MASING_OK;
}
