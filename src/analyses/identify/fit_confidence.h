/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How well the data determine the parameters of a fit: intervals and warnings. */
#ifndef MASING_ANALYSES_IDENTIFY_FIT_CONFIDENCE_H
#define MASING_ANALYSES_IDENTIFY_FIT_CONFIDENCE_H

#include "analyses/identify/fit_parameters.h"

struct fit_solution {
    const struct fit_parameters *varied;
    int n_data;
    const double *unknowns;  /* [varied->n] */
    const double *residuals; /* [n_data], in parts of `scale` */
    const double *jacobian;  /* [n_data * varied->n], column-major */
    double scale;            /* of the data, in their unit */
};

/* A parameter to be held at the law's default. */
struct fit_redundant {
    int index;       /* -1: none */
    bool is_certain; /* it has no influence, or was fitted to the default: no warning */
};

/* Fill estimates, misfit, condition and warnings of the result. */
enum masing_status fit_confidence(const struct fit_solution *solution,
                                  struct fit_redundant *redundant,
                                  struct masing_identification *result,
                                  struct masing_error *error);

/* Warn where one start alone led to the minimum, and of a large misfit. */
enum masing_status warn_of_search(struct masing_identification *result,
                                  struct masing_error *error);

/* Warn where neighbouring misfits are correlated, so that they are no noise. */
enum masing_status warn_of_systematic_misfit(const double *residuals, int n,
                                             struct masing_identification *result,
                                             struct masing_error *error);

#endif
