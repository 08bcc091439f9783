/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/identify/fit_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

/* Starts of the sequence that may be refused for each that is wanted. */
enum { REFUSED_STARTS = 8 };

/* Ends whose misfits differ by less than this share are one and the same. */
static const double same_end = 1e-6;

/* Mean square of scaled residuals that is round-off: all such ends are the same. */
static const double exact_fit = 1e-20;

struct trials {
    struct fit_search *search;
    struct least_squares *solver;
    double *lower, *upper, *unknowns; /* [varied->n] */
    double *ends;                     /* [n_trials] sums of squares */
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
    size_t n = (size_t)search->varied->n;
    TRY(fit_search_check(search, error));
    trials->lower = memory_array(n, sizeof(double));
    trials->upper = memory_array(n, sizeof(double));
    trials->unknowns = memory_array(n, sizeof(double));
    search->best = memory_array(n, sizeof(double));
    trials->ends = memory_array((size_t)search->n_trials, sizeof(double));
    TRY_ALLOCATED(trials->lower && trials->upper && trials->unknowns && search->best &&
                  trials->ends);
    for (size_t k = 0; k < n; k++) {
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

static void destroy(struct trials *trials)
{
    least_squares_destroy(trials->solver);
    free(trials->lower);
    free(trials->upper);
    free(trials->unknowns);
    free(trials->ends);
}

/* From one start; a start that is refused or does not converge leaves no end. */
static enum masing_status try_start(struct trials *trials, int trial)
{
    struct fit_search *search = trials->search;
    struct least_squares_result end;
    int n = search->varied->n;
    fit_parameters_start(search->varied, trial, trials->unknowns);
    for (int k = 0; k < n; k++) {
        trials->unknowns[k] =
            fit_parameter_unknown(&search->varied->list[k], trials->unknowns[k]);
    }
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
        if (tried == MASING_NO_MEMORY) {
            TRY(masing_error_set(error, tried, "out of memory"));
        }
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
    destroy(&trials);
    return status;
}

void fit_search_clear(struct fit_search *search)
{
    free(search->best);
    *search = (struct fit_search){0};
}
