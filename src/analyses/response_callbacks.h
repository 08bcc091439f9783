/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Callbacks of a response curve, shared by its files. */
#ifndef MASING_ANALYSES_RESPONSE_CALLBACKS_H
#define MASING_ANALYSES_RESPONSE_CALLBACKS_H

#include "analyses/response_curve.h"

/* What the continuation asks: context is the curve. */
enum masing_status response_evaluate(void *context, const double *y, double lambda,
                                     double *residual, double *jacobian,
                                     double *residual_lambda);
void response_weights(void *context, const double *y, double lambda, double *weight);
bool response_carry_sliders(void *context, double *y, double *lambda);
/* `harmonics: auto` may do with fewer of them from an accepted point on */
bool response_take_fewer(void *context, double *y, double *lambda);
void response_smooth(void *context, double level);
/* response_restart.c: what a time integration from the motion y settles to at another
 * frequency; positive: it settles to nothing, or the structure cannot be integrated */
enum masing_status response_restart(void *context, const double *y, double from, double lambda,
                                    double *guess);
double response_peak_slope(void *context, const double *y, double lambda, const double *dy,
                           double dlambda);
/* What it tells. */
enum masing_status response_observe(void *context, const struct continuation_point *point,
                                    struct masing_error *error);
void response_log(void *context, const char *line);

/* A frequency as rows give it. */
double response_hertz(const struct response_curve *curve, double omega);

/* Fill the summary from the finished curve. */
void response_summary_reset(struct masing_response_summary *summary);
enum masing_status response_summary_fill(struct response_curve *curve,
                                         struct masing_error *error);

#endif
