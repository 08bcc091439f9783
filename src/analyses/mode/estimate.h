/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frequency response of a nonlinear mode by itself. */
#ifndef MASING_ANALYSES_MODE_ESTIMATE_H
#define MASING_ANALYSES_MODE_ESTIMATE_H

#include <stdbool.h>

#include "analyses/mode/mode.h"

/* What a sample holds; ESTIMATE_LOSS: zeta with what it loses in the other harmonics too. Then,
 * for the modal force of each load and for each output: real and imaginary part in parts of the
 * amplitude. */
enum {
    ESTIMATE_LOG_AMPLITUDE,
    ESTIMATE_OMEGA,
    ESTIMATE_ZETA,
    ESTIMATE_LOSS,
    ESTIMATE_MASS,
    ESTIMATE_OVERTONES,
    ESTIMATE_SHAPE_CHANGE,
    ESTIMATE_IS_CORNER,
    ESTIMATE_FIRST_COMPLEX
};

/* One point of the response. */
struct mode_estimate_point {
    int branch;
    struct masing_mode_point mode; /* at this amplitude */
    double omega;                  /* of the loads, rad/s */
    double *outputs;               /* [n_outputs] amplitude of the first harmonic */
};

/*
 * Points of the mode are gathered with all that the response needs; each is a row of numbers
 * that interpolate smoothly over the logarithm of the amplitude.
 */
struct mode_estimate {
    struct arena arena; /* of what has no capacity */
    const struct masing_model *model;
    int n_numbers;
    int n_samples;
    size_t capacity;
    double *samples; /* [n_samples][n_numbers] */
    int n_points;
    size_t points_capacity;
    struct mode_estimate_point *points;
    double *numbers; /* [n_numbers] scratch */
    double next_mode_hz, stuck_hz;
    bool is_cut; /* the loads drive the mode beyond the last amplitude */
};

/* Clear it also after a failure. */
enum masing_status mode_estimate_create(const struct masing_model *model,
                                        struct mode_estimate *estimate,
                                        struct masing_error *error);
void mode_estimate_clear(struct mode_estimate *estimate);

/* Gather a point of the mode; at a corner the numbers may bend. */
enum masing_status mode_estimate_gather(void *context, const struct mode_curve *curve,
                                        const struct masing_mode_point *point, bool is_corner,
                                        struct masing_error *error);

/* Make the points of the response: for each range of amplitudes that the loads can hold a
 * branch from the lower frequencies over the peak to the higher ones. */
enum masing_status mode_estimate_respond(struct mode_estimate *estimate,
                                         struct masing_error *error);

/* At an amplitude: harmonics above the first, change of the shape since the first sample. */
void mode_estimate_describe(struct mode_estimate *estimate, double amplitude, double *overtones,
                            double *shape_change);

#endif
