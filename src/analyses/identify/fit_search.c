/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/identify/fit_search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/message.h"
#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"

/* Starts of the sequence that may be refused for each that is wanted. */
enum { REFUSED_STARTS = 8 };

/* Ends whose misfits differ by less than this share are one and the same. */
static const double same_end = 1e-6;

/* Mean square of scaled residuals that is round-off: all such ends are the same. */
static const double exact_fit = 1e-20;

struct trials {
    struct fit_search *search;
    struct least_squares *solver;
    double lower[FIT_MOST_PARAMETERS], upper[FIT_MOST_PARAMETERS];
    double unknowns[FIT_MOST_PARAMETERS];
    double *ends; /* [n_trials] sums of squares */
};

enum masing_status fit_search_check(const struct fit_search *search, struct masing_error *error)
{
    return search->n_residuals > search->varied->n
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID,
                                  "%d samples do not determine %d numbers", search->n_residuals,
                                  search->varied->n);
}

static enum masing_status create(struct trials *trials, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct fit_search *search = trials->search;
    TRY(fit_search_check(search, error));
    trials->ends = memory_array((size_t)search->n_trials, sizeof(double));
    TRY_ALLOCATED(trials->ends);
    for (int k = 0; k < search->varied->n; k++) {
        fit_parameter_bounds(&search->varied->list[k], &trials->lower[k], &trials->upper[k]);
    }
    const struct least_squares_problem problem = {.context = search->context,
                                                  .n_residuals = search->n_residuals,
                                                  .n_unknowns = search->varied->n,
                                                  .lower = trials->lower,
                                                  .upper = trials->upper,
                                                  .evaluate = search->evaluate};
    TRY(least_squares_create(&problem, &trials->solver, error));
done:
    return status;
}

/* From one start; a start that is refused or does not converge leaves no end. */
static enum masing_status try_start(struct trials *trials, int trial)
{
    struct fit_search *search = trials->search;
    struct least_squares_result end;
    int n = search->varied->n;
    fit_parameters_start(search->varied, trial, trials->unknowns);
    enum masing_status status = least_squares_solve(trials->solver, trials->unknowns, &end);
    if (status == MASING_OK && end.is_converged) {
        trials->ends[search->n_ended++] = end.sum;
        if (end.sum < search->least) {
            search->least = end.sum;
            memcpy(search->best, trials->unknowns, (size_t)n * sizeof(double));
        }
    }
    return status;
}

/* Starts that are refused are replaced by later ones of the sequence. */
enum masing_status fit_search_run(struct fit_search *search, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct trials trials = {.search = search};
    int n_tried = 0;
    search->least = INFINITY;
    TRY(create(&trials, error));
    for (int trial = 0; n_tried < search->n_trials && trial < REFUSED_STARTS * search->n_trials;
         trial++) {
        enum masing_status tried = try_start(&trials, trial);
        TRY_ALLOCATED(tried != MASING_NO_MEMORY);
        n_tried += tried == MASING_OK;
    }
    if (search->n_ended == 0) {
        TRY(masing_error_set(error, MASING_NOT_CONVERGED,
                             "the fit does not converge from any of %d starts; give --start "
                             "values",
                             search->n_trials));
    }
    for (int i = 0; i < search->n_ended; i++) {
        search->n_agreeing +=
            trials.ends[i] <= search->least * (1 + same_end) + exact_fit * search->n_residuals;
    }
done:
    least_squares_destroy(trials.solver);
    free(trials.ends);
    return status;
}

void fit_search_clear(struct fit_search *search)
{
    free(search->residuals);
    *search = (struct fit_search){0};
}

/* ---- how well the data determine the parameters ---- */

/* Misfits to judge by; below this part of the largest value they are round-off. */
enum { FEWEST_NEIGHBOURS = 20 };
static const double smallest_misfit = 1e-6;

/* Correlation from which two parameters are hardly told apart. */
static const double high_correlation = 0.99;

/* Misfit, over the largest value, of a law that does not follow the data. */
static const double large_misfit = 0.1;

/* Part of a unit vector from which an unknown belongs to a direction. */
static const double member = 0.05;

struct confidence {
    const struct fit_search *search;
    const double *unknowns;
    struct masing_identification *result;
    struct warning_list warnings;
    struct covariance covariance;     /* of the columns */
    int columns[FIT_MOST_PARAMETERS]; /* [n_columns] parameters that are not at a limit */
    int n_columns;
};

static bool stands_at_limit(const struct confidence *c, int k)
{
    double lower, upper, q = c->unknowns[k];
    fit_parameter_bounds(&c->search->varied->list[k], &lower, &upper);
    double round_off = 1e-8 * fmax(1.0, fabs(q));
    return q <= lower + round_off || q >= upper - round_off;
}

static const double *jacobian_column(const struct confidence *c, int k)
{
    return c->search->jacobian + (size_t)k * (size_t)c->search->n_residuals;
}

static enum masing_status factor(struct confidence *c, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t m = (size_t)c->search->n_residuals;
    for (int k = 0; k < c->search->varied->n; k++) {
        if (!c->result->estimates[k].is_at_limit) {
            memcpy(c->covariance.svd.matrix + (size_t)c->n_columns * m, jacobian_column(c, k),
                   m * sizeof(double));
            c->columns[c->n_columns++] = k;
        }
    }
    if (c->n_columns > 0) {
        TRY(covariance_factor(c->n_columns, &c->covariance));
        c->result->condition = svd_condition(&c->covariance.svd);
    }
done:
    return status == MASING_OK ? status
                               : masing_error_set(error, status, "the fit has no intervals");
}

static void write_intervals(struct confidence *c)
{
    int m = c->search->n_residuals;
    double sum = dense_dot(m, c->search->residuals, c->search->residuals);
    for (int a = 0; a < c->n_columns; a++) {
        int k = c->columns[a];
        double slope = fit_parameter_slope(&c->search->varied->list[k], c->unknowns[k]);
        c->result->estimates[k].interval =
            slope * covariance_half_width(&c->covariance, a, sum, m - c->n_columns);
    }
}

/* "a, b and c": the parameters that belong to a direction. */
static void name_members(const struct confidence *c, int direction, char *text, size_t size)
{
    int members[FIT_MOST_PARAMETERS], n = 0;
    for (int a = 0; a < c->n_columns; a++) {
        if (fabs(svd_weight(&c->covariance.svd, a, direction)) > member) {
            members[n++] = c->columns[a];
        }
    }
    size_t used = 0;
    for (int i = 0; i < n && used < size; i++) {
        int written = snprintf(text + used, size - used, "%s%s",
                               i == 0       ? ""
                               : i == n - 1 ? " and "
                                            : ", ",
                               c->search->varied->list[members[i]].name);
        used += written > 0 ? (size_t)written : 0;
    }
}

static enum masing_status warn_of_open(struct confidence *c, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    char text[300] = "";
    for (int i = 0; i < c->n_columns; i++) {
        if (svd_is_null(&c->covariance.svd, c->covariance.cutoff, i)) {
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
    const struct fit_parameter *list = c->search->varied->list;
    const struct covariance *v = &c->covariance;
    for (int a = 0; a < c->n_columns; a++) {
        for (int b = 0; b < a; b++) {
            double correlation =
                covariance_of(v, a, b) / sqrt(covariance_of(v, a, a) * covariance_of(v, b, b));
            if (!covariance_is_open(v, a) && !covariance_is_open(v, b) &&
                fabs(correlation) > high_correlation) {
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
    for (int k = 0; k < c->search->varied->n; k++) {
        const struct masing_estimate *estimate = &c->result->estimates[k];
        if (estimate->is_at_limit) {
            TRY(warning_add(&c->warnings, error, "%s = %.6g stands at the end of its range",
                            estimate->name, estimate->value));
        }
    }
done:
    return status;
}

/* Warn where one start alone led to the minimum, and of a large misfit. */
static enum masing_status warn_of_search(const struct confidence *c, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_identification *result = c->result;
    if (result->n_starts > 3 && result->n_agreeing < 2) {
        TRY(warning_add(&c->warnings, error,
                        "only one of %d starts led to this minimum: there may be a lower one; "
                        "give --start values or more --trials",
                        result->n_starts));
    }
    if (result->relative_rms > large_misfit) {
        TRY(warning_add(&c->warnings, error,
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
    struct neighbours neighbours = {0};
    neighbours_add(&neighbours, n, residuals);
    if (n < FEWEST_NEIGHBOURS || result->relative_rms < smallest_misfit ||
        !neighbours_are_correlated(&neighbours)) {
        return MASING_OK;
    }
    return warning_add(
        &warnings, error,
        "neighbouring misfits are alike (correlation %.2f): the model leaves more "
        "than noise, and the true numbers may lie outside of the intervals",
        neighbours_correlation(&neighbours));
}

static void write_estimates(struct confidence *c)
{
    for (int k = 0; k < c->search->varied->n; k++) {
        const struct fit_parameter *from = &c->search->varied->list[k];
        struct masing_estimate *to = &c->result->estimates[k];
        snprintf(to->name, sizeof to->name, "%s", from->name);
        snprintf(to->unit, sizeof to->unit, "%s", from->unit);
        to->value = fit_parameter_value(from, c->unknowns[k]);
        to->interval = NAN;
        to->is_at_limit = stands_at_limit(c, k);
    }
}

static bool is_dispensable(const struct fit_parameter *parameter)
{
    return isnan(parameter->start) && !isnan(parameter->fallback);
}

/* A dispensable parameter without any influence, or at the end of its range where its default
 * is; -1: none. */
static int find_idle(const struct confidence *c)
{
    for (int k = 0; k < c->search->varied->n; k++) {
        const struct fit_parameter *parameter = &c->search->varied->list[k];
        const struct masing_estimate *found = &c->result->estimates[k];
        const double *column = jacobian_column(c, k);
        bool has_influence = dense_dot(c->search->n_residuals, column, column) > 0;
        bool is_default = found->is_at_limit &&
                          fabs(found->value - parameter->fallback) <= 1e-6 * parameter->size;
        if (is_dispensable(parameter) && (!has_influence || is_default)) {
            return k;
        }
    }
    return -1;
}

/* The dispensable parameter with the largest part in a null direction. */
static struct fit_redundant find_redundant(const struct confidence *c)
{
    struct fit_redundant found = {find_idle(c), true};
    const struct svd *svd = &c->covariance.svd;
    double most = member;
    for (int i = 0; found.index < 0 && i < c->n_columns; i++) {
        bool is_null = svd_is_null(svd, c->covariance.cutoff, i);
        for (int a = 0; is_null && a < c->n_columns; a++) {
            const struct fit_parameter *parameter = &c->search->varied->list[c->columns[a]];
            double weight = fabs(svd_weight(svd, a, i));
            if (is_dispensable(parameter) && weight > most) {
                most = weight;
                found = (struct fit_redundant){c->columns[a], false};
            }
        }
    }
    return found;
}

/* Residuals and derivatives at the unknowns. */
static enum masing_status evaluate(struct fit_search *search, const double *unknowns,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t m = (size_t)search->n_residuals, n = (size_t)search->varied->n;
    if (!search->residuals) {
        search->residuals = memory_array(m * (1 + n), sizeof(double));
        TRY_ALLOCATED(search->residuals);
        search->jacobian = search->residuals + m;
    }
    status = search->evaluate(search->context, unknowns, search->residuals, search->jacobian);
done:
    return status;
}

enum masing_status fit_confidence(struct fit_search *search, const double *unknowns,
                                  struct fit_redundant *redundant,
                                  struct masing_identification *result,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct confidence c = {.search = search,
                           .unknowns = unknowns,
                           .result = result,
                           .warnings = {&result->warnings, &result->n_warnings}};
    int m = search->n_residuals, n = search->varied->n;
    TRY(evaluate(search, unknowns, error));
    result->estimates = memory_array((size_t)n, sizeof *result->estimates);
    TRY_ALLOCATED(result->estimates);
    result->n_estimates = n;
    result->n_data = m;
    result->n_starts = search->n_trials;
    result->n_agreeing = search->n_agreeing;
    result->relative_rms = sqrt(dense_dot(m, search->residuals, search->residuals) / m);
    result->rms = result->relative_rms * search->scale;
    write_estimates(&c);
    TRY(covariance_create(m, n, &c.covariance, error));
    TRY(factor(&c, error));
    write_intervals(&c);
    *redundant = find_redundant(&c);
    TRY(warn_of_limits(&c, error));
    TRY(warn_of_open(&c, error));
    TRY(warn_of_correlation(&c, error));
    TRY(warn_of_systematic_misfit(search->residuals, m, result, error));
    TRY(warn_of_search(&c, error));
done:
    covariance_clear(&c.covariance);
    return status;
}
