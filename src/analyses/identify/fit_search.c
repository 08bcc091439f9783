/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/identify/fit_search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/message.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/progress.h"
#include "linalg/dense.h"

/* Starts of the sequence that may be refused for each that is wanted. */
enum { REFUSED_STARTS = 8 };

/* Ends whose misfits differ by less than this share are one and the same. */
static const double same_end = 1e-6;

/* Mean square of scaled residuals that is round-off: all such ends are the same. */
static const double exact_fit = 1e-20;

enum masing_status fit_search_check(const struct fit_search *search, struct masing_error *error)
{
    return search->n_residuals > search->varied->n
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID,
                                  "%d samples do not determine %d numbers", search->n_residuals,
                                  search->varied->n);
}

/* As the search's own, until the user wants an end. */
static enum masing_status evaluate(void *context, const double *unknowns, double *residuals,
                                   double *jacobian)
{
    const struct fit_search *search = context;
    return progress_is_cancelled(search->progress)
               ? MASING_STOPPED
               : search->evaluate(search->context, unknowns, residuals, jacobian);
}

enum masing_status fit_search_run(struct fit_search *search, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct fit_parameters *varied = search->varied;
    double lower[FIT_MOST_PARAMETERS], upper[FIT_MOST_PARAMETERS];
    double unknowns[FIT_MOST_PARAMETERS];
    const struct least_squares_problem problem = {.context = search,
                                                  .n_residuals = search->n_residuals,
                                                  .n_unknowns = varied->n,
                                                  .lower = lower,
                                                  .upper = upper,
                                                  .evaluate = evaluate};
    struct least_squares *solver = NULL;
    struct least_squares_result end;
    double *ends = memory_array((size_t)search->n_trials, sizeof *ends); /* sums of squares */
    int n_tried = 0, n_ended = 0;
    search->least = INFINITY;
    TRY_ALLOCATED(ends);
    TRY(fit_search_check(search, error));
    for (int k = 0; k < varied->n; k++) {
        fit_parameter_bounds(&varied->list[k], &lower[k], &upper[k]);
    }
    TRY(least_squares_create(&problem, &solver, error));
    /* starts that are refused are replaced by later ones of the sequence */
    for (int trial = 0; n_tried < search->n_trials && trial < REFUSED_STARTS * search->n_trials;
         trial++) {
        fit_parameters_start(varied, trial, unknowns);
        enum masing_status tried = least_squares_solve(solver, unknowns, &end);
        TRY_ALLOCATED(tried != MASING_NO_MEMORY);
        TRY(progress_check(search->progress, error));
        n_tried += tried == MASING_OK;
        if (tried == MASING_OK && end.is_converged) {
            ends[n_ended++] = end.sum;
            if (end.sum < search->least) {
                search->least = end.sum;
                memcpy(search->best, unknowns, (size_t)varied->n * sizeof(double));
            }
        }
    }
    if (n_ended == 0) {
        TRY(masing_error_set(error, MASING_NOT_CONVERGED,
                             "the fit does not converge from any of %d starts; give --start "
                             "values",
                             search->n_trials));
    }
    for (int i = 0; i < n_ended; i++) {
        search->n_agreeing +=
            ends[i] <= search->least * (1 + same_end) + exact_fit * search->n_residuals;
    }
done:
    least_squares_destroy(solver);
    free(ends);
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

static const double *jacobian_column(const struct confidence *c, int k)
{
    return c->search->jacobian + (size_t)k * (size_t)c->search->n_residuals;
}

/* Estimates, and the columns of those that are not at a limit, with intervals. */
static enum masing_status write_estimates(struct confidence *c, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct fit_search *search = c->search;
    int m = search->n_residuals;
    for (int k = 0; k < search->varied->n; k++) {
        const struct fit_parameter *from = &search->varied->list[k];
        struct masing_estimate *to = &c->result->estimates[k];
        double lower, upper, q = c->unknowns[k], round_off = 1e-8 * fmax(1.0, fabs(q));
        fit_parameter_bounds(from, &lower, &upper);
        snprintf(to->name, sizeof to->name, "%s", from->name);
        snprintf(to->unit, sizeof to->unit, "%s", from->unit);
        to->value = fit_parameter_value(from, q);
        to->interval = NAN;
        to->is_at_limit = q <= lower + round_off || q >= upper - round_off;
        if (!to->is_at_limit) {
            memcpy(c->covariance.svd.matrix + (size_t)c->n_columns * (size_t)m,
                   jacobian_column(c, k), (size_t)m * sizeof(double));
            c->columns[c->n_columns++] = k;
        }
    }
    if (c->n_columns > 0) {
        TRY(covariance_factor(c->n_columns, &c->covariance));
        c->result->condition = svd_condition(&c->covariance.svd);
    }
    double sum = dense_dot(m, search->residuals, search->residuals);
    for (int a = 0; a < c->n_columns; a++) {
        int k = c->columns[a];
        c->result->estimates[k].interval =
            fit_parameter_slope(&search->varied->list[k], c->unknowns[k]) *
            covariance_half_width(&c->covariance, a, sum, m - c->n_columns);
    }
done:
    return status == MASING_OK ? status
                               : masing_error_set(error, status, "the fit has no intervals");
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

/* Of what is at an end of its range, open, or hardly told from another parameter. */
static enum masing_status warn_of_parameters(const struct confidence *c,
                                             struct masing_error *error)
{
    const struct fit_parameter *list = c->search->varied->list;
    const struct covariance *v = &c->covariance;
    char text[300] = "";
    for (int k = 0; k < c->search->varied->n; k++) {
        const struct masing_estimate *estimate = &c->result->estimates[k];
        if (estimate->is_at_limit) {
            NEED(warning_add(&c->warnings, error, "%s = %.6g stands at the end of its range",
                             estimate->name, estimate->value));
        }
    }
    for (int i = 0; i < c->n_columns; i++) {
        if (svd_is_null(&v->svd, v->cutoff, i)) {
            name_members(c, i, text, sizeof text);
            NEED(warning_add(&c->warnings, error,
                             "the data do not determine %s: other values fit as well; fix what "
                             "is known",
                             text));
        }
    }
    for (int a = 0; a < c->n_columns; a++) {
        for (int b = 0; b < a; b++) {
            double correlation =
                covariance_of(v, a, b) / sqrt(covariance_of(v, a, a) * covariance_of(v, b, b));
            if (!covariance_is_open(v, a) && !covariance_is_open(v, b) &&
                fabs(correlation) > high_correlation) {
                NEED(warning_add(
                    &c->warnings, error, "the data hardly tell %s from %s (correlation %.4f)",
                    list[c->columns[b]].name, list[c->columns[a]].name, correlation));
            }
        }
    }
    return MASING_OK;
}

/* Where one start alone led to the minimum, and of a large misfit. */
static enum masing_status warn_of_search(const struct confidence *c, struct masing_error *error)
{
    const struct masing_identification *result = c->result;
    if (result->n_starts > 3 && result->n_agreeing < 2) {
        NEED(warning_add(&c->warnings, error,
                         "only one of %d starts led to this minimum: there may be a lower one; "
                         "give --start values or more --trials",
                         result->n_starts));
    }
    if (result->relative_rms > large_misfit) {
        NEED(warning_add(&c->warnings, error,
                         "'%s' does not follow the data: the misfit is %.0f %% of the largest "
                         "value",
                         result->law->name, 100 * result->relative_rms));
    }
    return MASING_OK;
}

enum masing_status warn_of_systematic_misfit(const double *residuals, int n,
                                             struct masing_identification *result,
                                             struct masing_error *error)
{
    const struct warning_list warnings = {&result->warnings, &result->n_warnings, NULL};
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

static bool is_dispensable(const struct fit_parameter *parameter)
{
    return isnan(parameter->start) && !isnan(parameter->fallback);
}

/* A dispensable parameter without any influence, or at the end of its range where its default
 * is; else the one with the largest part in a null direction. */
static struct fit_redundant find_redundant(const struct confidence *c)
{
    const struct fit_parameter *list = c->search->varied->list;
    struct fit_redundant found = {-1, false};
    const struct svd *svd = &c->covariance.svd;
    double most = member;
    for (int k = 0; k < c->search->varied->n; k++) {
        const struct masing_estimate *estimate = &c->result->estimates[k];
        const double *column = jacobian_column(c, k);
        bool has_influence = dense_dot(c->search->n_residuals, column, column) > 0;
        bool is_default = estimate->is_at_limit &&
                          fabs(estimate->value - list[k].fallback) <= 1e-6 * list[k].size;
        if (is_dispensable(&list[k]) && (!has_influence || is_default)) {
            return (struct fit_redundant){k, true};
        }
    }
    for (int i = 0; i < c->n_columns; i++) {
        bool is_null = svd_is_null(svd, c->covariance.cutoff, i);
        for (int a = 0; is_null && a < c->n_columns; a++) {
            double weight = fabs(svd_weight(svd, a, i));
            if (is_dispensable(&list[c->columns[a]]) && weight > most) {
                most = weight;
                found.index = c->columns[a];
            }
        }
    }
    return found;
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
                           .warnings = {&result->warnings, &result->n_warnings, NULL}};
    int m = search->n_residuals, n = search->varied->n;
    if (!search->residuals) {
        search->residuals = memory_array((size_t)m * (1 + (size_t)n), sizeof(double));
        TRY_ALLOCATED(search->residuals);
        search->jacobian = search->residuals + m;
    }
    TRY(search->evaluate(search->context, unknowns, search->residuals, search->jacobian));
    TRY_ALLOCATED(result->estimates = memory_array((size_t)n, sizeof *result->estimates));
    result->n_estimates = n;
    result->n_data = m;
    result->n_starts = search->n_trials;
    result->n_agreeing = search->n_agreeing;
    result->relative_rms = sqrt(dense_dot(m, search->residuals, search->residuals) / m);
    result->rms = result->relative_rms * search->scale;
    TRY(covariance_create(m, n, &c.covariance, error));
    TRY(write_estimates(&c, error));
    *redundant = find_redundant(&c);
    TRY(warn_of_parameters(&c, error));
    TRY(warn_of_systematic_misfit(search->residuals, m, result, error));
    TRY(warn_of_search(&c, error));
done:
    covariance_clear(&c.covariance);
    return status;
}
