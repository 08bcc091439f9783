/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the data tell about the numbers of a fit: intervals, and warnings where they do not. */
#ifndef MASING_ANALYSES_IDENTIFY_FIT_CONFIDENCE_H
#define MASING_ANALYSES_IDENTIFY_FIT_CONFIDENCE_H

#include "analyses/identify/fit_numbers.h"

struct fit_solution {
    const struct fit_numbers *numbers;
    int n_data;
    const double *unknowns;  /* [numbers->n] */
    const double *residuals; /* [n_data], in parts of `scale` */
    const double *jacobian;  /* [n_data * numbers->n], column-major */
    double scale;            /* of the data, in their unit */
};

/* A number that had better be held at the law's default. */
struct fit_redundant {
    int index;       /* -1: none */
    bool is_certain; /* it has no influence, or was fitted to the default: not worth a word */
};

/* Fill numbers, misfit, condition and warnings of the result. */
enum masing_status fit_confidence(const struct fit_solution *solution,
                                  struct fit_redundant *redundant,
                                  struct masing_identification *result,
                                  struct masing_error *error);

/* One minimum of many starts; a misfit that is no noise. */
enum masing_status warn_of_search(struct masing_identification *result,
                                  struct masing_error *error);

/* Neighbouring misfits that are alike: what is left is no noise. */
enum masing_status warn_of_systematic_misfit(const double *residuals, int n,
                                             struct masing_identification *result,
                                             struct masing_error *error);

#endif
