/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Responses of a model at measured frequencies, and their derivatives by the parameters of a
 * fit.
 */
#ifndef MASING_ANALYSES_IDENTIFY_RESPONSE_FIT_H
#define MASING_ANALYSES_IDENTIFY_RESPONSE_FIT_H

#include "analyses/identify/fit_parameters.h"
#include "base/arena.h"
#include "masing/identify.h"

struct response_fit {
    const struct masing_response_fit_request *request;
    const struct fit_parameters *varied;
    const struct masing_law *law;
    int joint;          /* index in the model */
    int n_data;         /* residuals: one per amplitude, two per complex amplitude */
    void *given;        /* lent: parameters as given */
    void *parameters;   /* checked ones of the last evaluation */
    void *tangent;      /* of the parameters, one at a time */
    double **amplitude; /* [n_responses][n_points] of the last evaluation */
    double **phase;     /* likewise, degrees */
    double *at_hz;      /* [longest] frequencies of a response, each once */
    double *distance; /* [longest] of its solutions from the measurement, INFINITY: none yet */
    struct arena arena;         /* of these arrays */
    struct masing_error reason; /* why the last evaluation was refused */
};

/* Clear it also after a failure. */
enum masing_status response_fit_create(const struct masing_response_fit_request *request,
                                       const struct masing_law *law, int joint,
                                       const struct fit_parameters *varied, void *given,
                                       struct response_fit *fit, struct masing_error *error);
void response_fit_clear(struct response_fit *fit);

/* The `evaluate` of a least_squares_problem: context is the struct response_fit. Residuals are
 * in parts of each response's largest amplitude. */
enum masing_status response_fit_evaluate(void *context, const double *unknowns,
                                         double *residuals, double *jacobian);

#endif
