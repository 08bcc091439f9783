/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From each of several starts to the nearest minimum; the lowest of these is the result. How
 * well the data determine it: intervals and warnings. */
#ifndef MASING_ANALYSES_IDENTIFY_FIT_SEARCH_H
#define MASING_ANALYSES_IDENTIFY_FIT_SEARCH_H

#include "analyses/identify/fit_parameters.h"
#include "linalg/least_squares.h"

struct fit_search {
    const struct fit_parameters *varied;
    int n_trials, n_residuals;
    const struct masing_progress *progress; /* may be NULL */
    double scale; /* of the data, in their unit: residuals are in parts of it */
    void *context;
    /* As that of a least_squares_problem. */
    enum masing_status (*evaluate)(void *context, const double *unknowns, double *residuals,
                                   double *jacobian);
    /* found by fit_search_run */
    double best[FIT_MOST_PARAMETERS]; /* [varied->n] unknowns */
    double least;                     /* sum of the squared residuals there */
    int n_agreeing;                   /* starts that ended there */
    /* of fit_confidence: [n_residuals], [n_residuals * varied->n] column-major */
    double *residuals, *jacobian;
};

/* MASING_INVALID where there are not more residuals than parameters. */
enum masing_status fit_search_check(const struct fit_search *search,
                                    struct masing_error *error);

/* The part above is set by the caller. Clear it also after a failure. Errors: those of
 * fit_search_check; MASING_NOT_CONVERGED where no start came to an end;
 * MASING_STOPPED where the progress is cancelled. */
enum masing_status fit_search_run(struct fit_search *search, struct masing_error *error);
void fit_search_clear(struct fit_search *search);

/* A parameter to be held at the law's default. */
struct fit_redundant {
    int index;       /* -1: none */
    bool is_certain; /* it has no influence, or was fitted to the default: no warning */
};

/* Evaluate at these unknowns and fill estimates, misfit, condition, starts and warnings of the
 * result. */
enum masing_status fit_confidence(struct fit_search *search, const double *unknowns,
                                  struct fit_redundant *redundant,
                                  struct masing_identification *result,
                                  struct masing_error *error);

/* Warn where neighbouring misfits are correlated, so that they are no noise. */
enum masing_status warn_of_systematic_misfit(const double *residuals, int n,
                                             struct masing_identification *result,
                                             struct masing_error *error);

#endif
