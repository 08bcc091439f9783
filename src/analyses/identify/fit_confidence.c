/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The covariance of the unknowns is the residuals' variance times (J^T J)^-1. An unknown in
 * whose direction J has no length is open: its interval is infinite.
 */
#include "analyses/identify/fit_confidence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/regression.h"
#include "analyses/curve/warning_list.h"
#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/svd.h"

/* Singular values below this part of the largest, columns of equal length, count as zero. */
static const double rank_tolerance = 1e-9;
static const double high_correlation = 0.99;

struct confidence {
    const struct fit_solution *solution;
    struct masing_identification *result;
    struct warning_list warnings;
    struct svd svd;
    double *lengths; /* [n] of the columns */
    int *columns;    /* [n_columns] numbers that are not held */
    int n_columns;
};

static bool stands_at_limit(const struct fit_solution *solution, int k)
{
    double lower, upper, q = solution->unknowns[k];
    fit_number_bounds(&solution->numbers->list[k], &lower, &upper);
    double hair = 1e-8 * fmax(1.0, fabs(q));
    return q <= lower + hair || q >= upper - hair;
}

static enum masing_status factor(struct confidence *c, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct fit_solution *solution = c->solution;
    int m = solution->n_data, n = solution->numbers->n;
    for (int k = 0; k < n; k++) {
        const double *from = solution->jacobian + (size_t)k * (size_t)m;
        c->lengths[k] = sqrt(dense_dot(m, from, from));
        if (c->result->numbers[k].is_at_limit) {
            continue;
        }
        double *to = c->svd.matrix + (size_t)c->n_columns * (size_t)m;
        for (int j = 0; j < m; j++) {
            to[j] = c->lengths[k] > 0 ? from[j] / c->lengths[k] : 0.0;
        }
        c->columns[c->n_columns++] = k;
    }
    if (c->n_columns > 0) {
        TRY(svd_factor(c->n_columns, &c->svd));
        c->result->condition = svd_condition(&c->svd);
    }
done:
    return status == MASING_OK ? status
                               : masing_error_set(error, status, "the fit has no intervals");
}

static bool is_null(const struct confidence *c, int direction)
{
    return !(c->svd.values[direction] > rank_tolerance * c->svd.values[0]);
}

static double weight(const struct confidence *c, int column, int direction)
{
    return c->svd.vt[column * c->n_columns + direction];
}

static bool is_open(const struct confidence *c, int column)
{
    return svd_is_open(&c->svd, rank_tolerance, column);
}

/* Of two scaled unknowns, null directions left out. */
static double covariance(const struct confidence *c, int a, int b)
{
    return svd_covariance(&c->svd, 0.0, rank_tolerance, a, b);
}

static void write_intervals(struct confidence *c)
{
    const struct fit_solution *solution = c->solution;
    int n_free = solution->n_data - c->n_columns;
    double variance =
        dense_dot(solution->n_data, solution->residuals, solution->residuals) / n_free;
    for (int a = 0; a < c->n_columns; a++) {
        int k = c->columns[a];
        double slope = fit_number_slope(&solution->numbers->list[k], solution->unknowns[k]);
        c->result->numbers[k].interval =
            is_open(c, a) ? INFINITY
                          : student_quantile(n_free) * sqrt(variance * covariance(c, a, a)) *
                                slope / c->lengths[k];
    }
}

/* "a, b and c" of those that a direction holds. */
static void name_members(const struct confidence *c, int direction, char *text, size_t size)
{
    int members[FIT_MOST_NUMBERS], n = 0;
    for (int a = 0; a < c->n_columns; a++) {
        if (fabs(weight(c, a, direction)) > 0.05) {
            members[n++] = c->columns[a];
        }
    }
    size_t used = 0;
    for (int i = 0; i < n && used < size; i++) {
        int written = snprintf(text + used, size - used, "%s%s",
                               i == 0       ? ""
                               : i == n - 1 ? " and "
                                            : ", ",
                               c->solution->numbers->list[members[i]].name);
        used += written > 0 ? (size_t)written : 0;
    }
}

static enum masing_status warn_of_open(struct confidence *c, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    char text[300] = "";
    for (int i = 0; i < c->n_columns; i++) {
        if (is_null(c, i)) {
            name_members(c, i, text, sizeof text);
            TRY(warning_add(&c->warnings, error,
                            "the data do not determine %s: other values fit as well; fix what "
                            "is known",
                            text));
        }
    }
done:
    return status;
}

static enum masing_status warn_of_correlation(struct confidence *c, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct fit_number *list = c->solution->numbers->list;
    for (int a = 0; a < c->n_columns; a++) {
        for (int b = 0; b < a; b++) {
            double correlation =
                covariance(c, a, b) / sqrt(covariance(c, a, a) * covariance(c, b, b));
            if (!is_open(c, a) && !is_open(c, b) && fabs(correlation) > high_correlation) {
                TRY(warning_add(
                    &c->warnings, error, "the data hardly tell %s from %s (correlation %.4f)",
                    list[c->columns[b]].name, list[c->columns[a]].name, correlation));
            }
        }
    }
done:
    return status;
}

static enum masing_status warn_of_limits(struct confidence *c, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    for (int k = 0; k < c->solution->numbers->n; k++) {
        const struct masing_identified *number = &c->result->numbers[k];
        if (number->is_at_limit) {
            TRY(warning_add(&c->warnings, error, "%s = %.6g stands at the end of its range",
                            number->name, number->value));
        }
    }
done:
    return status;
}

enum masing_status warn_of_search(struct masing_identification *result,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct warning_list warnings = {&result->warnings, &result->n_warnings};
    if (result->n_starts > 3 && result->n_agreeing < 2) {
        TRY(warning_add(&warnings, error,
                        "only one of %d starts led to this minimum: there may be a lower one; "
                        "give --start values or more --trials",
                        result->n_starts));
    }
    if (result->relative_rms > 0.1) {
        TRY(warning_add(&warnings, error,
                        "'%s' does not follow the data: the misfit is %.0f %% of the largest "
                        "value",
                        result->law->name, 100 * result->relative_rms));
    }
done:
    return status;
}

enum masing_status warn_of_systematic_misfit(const double *residuals, int n,
                                             struct masing_identification *result,
                                             struct masing_error *error)
{
    const struct warning_list warnings = {&result->warnings, &result->n_warnings};
    double products = 0.0, squares = 0.0;
    for (int j = 0; j < n; j++) {
        squares += residuals[j] * residuals[j];
        products += j > 0 ? residuals[j] * residuals[j - 1] : 0.0;
    }
    if (n < 20 || result->relative_rms < 1e-6 || products < 0.5 * squares) {
        return MASING_OK;
    }
    return warning_add(
        &warnings, error,
        "neighbouring misfits are alike (correlation %.2f): the model leaves more "
        "than noise, and the true numbers may lie outside of the intervals",
        products / squares);
}

static void write_numbers(struct confidence *c)
{
    const struct fit_solution *solution = c->solution;
    for (int k = 0; k < solution->numbers->n; k++) {
        const struct fit_number *from = &solution->numbers->list[k];
        struct masing_identified *to = &c->result->numbers[k];
        snprintf(to->name, sizeof to->name, "%s", from->name);
        snprintf(to->unit, sizeof to->unit, "%s", from->unit);
        to->value = fit_number_value(from, solution->unknowns[k]);
        to->interval = NAN;
        to->is_at_limit = stands_at_limit(solution, k);
    }
}

static bool is_dispensable(const struct fit_number *number)
{
    return isnan(number->start) && !isnan(number->fallback);
}

/* No influence at all, or at the end of its range where the default is. */
static int find_idle(const struct confidence *c)
{
    for (int k = 0; k < c->solution->numbers->n; k++) {
        const struct fit_number *number = &c->solution->numbers->list[k];
        const struct masing_identified *found = &c->result->numbers[k];
        bool is_default =
            found->is_at_limit && fabs(found->value - number->fallback) <= 1e-6 * number->size;
        if (is_dispensable(number) && (!(c->lengths[k] > 0) || is_default)) {
            return k;
        }
    }
    return -1;
}

/* The dispensable number with the largest part in a null direction. */
static struct fit_redundant find_redundant(const struct confidence *c)
{
    struct fit_redundant found = {find_idle(c), true};
    double most = 0.05;
    for (int i = 0; found.index < 0 && i < c->n_columns; i++) {
        for (int a = 0; is_null(c, i) && a < c->n_columns; a++) {
            const struct fit_number *number = &c->solution->numbers->list[c->columns[a]];
            if (is_dispensable(number) && fabs(weight(c, a, i)) > most) {
                most = fabs(weight(c, a, i));
                found = (struct fit_redundant){c->columns[a], false};
            }
        }
    }
    return found;
}

enum masing_status fit_confidence(const struct fit_solution *solution,
                                  struct fit_redundant *redundant,
                                  struct masing_identification *result,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct confidence c = {.solution = solution,
                           .result = result,
                           .warnings = {&result->warnings, &result->n_warnings}};
    int m = solution->n_data, n = solution->numbers->n;
    result->numbers = memory_array((size_t)n, sizeof *result->numbers);
    c.lengths = memory_array((size_t)n, sizeof *c.lengths);
    c.columns = memory_array((size_t)n, sizeof *c.columns);
    TRY_ALLOCATED(result->numbers && c.lengths && c.columns);
    result->n_numbers = n;
    result->n_data = m;
    result->relative_rms = sqrt(dense_dot(m, solution->residuals, solution->residuals) / m);
    result->rms = result->relative_rms * solution->scale;
    write_numbers(&c);
    TRY(svd_create(m, n, &c.svd, error));
    TRY(factor(&c, error));
    write_intervals(&c);
    *redundant = find_redundant(&c);
    TRY(warn_of_limits(&c, error));
    TRY(warn_of_open(&c, error));
    TRY(warn_of_correlation(&c, error));
    TRY(warn_of_systematic_misfit(solution->residuals, m, result, error));
done:
    svd_clear(&c.svd);
    free(c.lengths);
    free(c.columns);
    return status;
}
