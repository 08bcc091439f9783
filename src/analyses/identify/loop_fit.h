/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Forces of a law along measured motions, and their derivatives by the parameters of a fit. */
#ifndef MASING_ANALYSES_IDENTIFY_LOOP_FIT_H
#define MASING_ANALYSES_IDENTIFY_LOOP_FIT_H

#include "analyses/identify/fit_parameters.h"
#include "analyses/identify/identification.h"

struct loop_fit {
    const struct masing_law *law;
    const struct fit_parameters *varied;
    const struct measured_path *paths;
    int n_loops, n_data; /* samples of all loops */
    double force_scale;  /* N; residuals are in parts of it */
    void *given;         /* parameters as given, before check */
    void *parameters;    /* checked ones of the last evaluation */
    void *tangents;      /* [varied->n][parameters_size] */
    const void **tangent_list;
    double *arrays;                  /* of which all that follow are parts */
    double *displacement, *velocity; /* [n_data] loop after loop in the order of the file;
                                        velocity: NULL where the law needs none */
    double *force, *changes;         /* [longest], [longest][varied->n] */
    double *state, *workspace;       /* state: NULL where there is none */
};

/*
 * Clear it also after a failure. `given` is lent. needs_velocity: times matter, and are
 * checked; a law that could depend on velocity need not with these parameters.
 */
enum masing_status loop_fit_create(const struct masing_law *law, bool needs_velocity,
                                   const struct fit_parameters *varied,
                                   const struct measured_path *paths, int n_loops, void *given,
                                   struct loop_fit *fit, struct masing_error *error);
void loop_fit_clear(struct loop_fit *fit);

/* Fitted forces of all samples [n_loops][n_samples] from residuals. */
void loop_fit_write(const struct loop_fit *fit, const double *residuals, double **fitted);

/* The `evaluate` of a least_squares_problem: context is the struct loop_fit. */
enum masing_status loop_fit_evaluate(void *context, const double *unknowns, double *residuals,
                                     double *jacobian);

#endif
