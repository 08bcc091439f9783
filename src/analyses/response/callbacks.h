/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Callbacks of a response curve, shared by its files. */
#ifndef MASING_ANALYSES_RESPONSE_CALLBACKS_H
#define MASING_ANALYSES_RESPONSE_CALLBACKS_H

#include "analyses/response/curve.h"

/* What the driver asks: context is the curve. */
enum masing_status response_evaluate(void *context, const double *y, double lambda,
                                     double *residual, double *jacobian,
                                     double *residual_lambda);
void response_weights(void *context, const double *y, double lambda, double *weight);
/* The same weights once more, which depend on the way of the curve. */
void response_weights_last(void *context, const double *y, double lambda, double *weight);
/* `harmonics: auto` may do with fewer of them from an accepted point on */
bool response_take_fewer(void *context, double *y, double *lambda);
void response_smooth(void *context, double level);
double response_peak_slope(void *context, const double *y, double lambda, const double *dy,
                           double dlambda);
/* What it tells: the solution with as many harmonics as it needs, and that as a row. */
enum masing_status response_prepare(void *context, struct continuation_point *point);
enum masing_status response_take(void *context, const struct curve_driver_point *point,
                                 struct masing_error *error);

/* Fill the summary from the finished curve. */
void response_summary_reset(struct masing_response_summary *summary);
enum masing_status response_summary_fill(struct response_curve *curve,
                                         struct masing_error *error);

#endif
