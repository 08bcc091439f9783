/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The constants of the generalized Valanis model from measured loops (Jalali 2022, 2.3). */
#ifndef MASING_ANALYSES_IDENTIFY_VALANIS_REGRESSION_H
#define MASING_ANALYSES_IDENTIFY_VALANIS_REGRESSION_H

#include "analyses/identify/identification.h"
#include "masing/identify.h"

enum { VALANIS_SETS = 2, VALANIS_UNKNOWNS = MASING_MOST_TERMS + 2 };

/* Of one direction or of both: E1, the terms' coefficients, E2 last. */
struct valanis_regression {
    int n_sets, n_unknowns; /* per set */
    double values[VALANIS_SETS][VALANIS_UNKNOWNS];
    double intervals[VALANIS_SETS][VALANIS_UNKNOWNS]; /* half the width, 95 % */
    int n_data;
    double sum; /* of the squared misfits of the force, N^2 */
    double condition, condition_unscaled, tikhonov;
};

/*
 * fitted [n_loops][n_samples]: the force by the integrated equation, NAN at samples that took
 * no part. MASING_INVALID: too few samples, no time for terms with a velocity.
 */
enum masing_status valanis_regression_run(const struct masing_valanis_request *request,
                                          const struct measured_path *paths,
                                          struct valanis_regression *result, double **fitted,
                                          struct masing_error *error);

/* More of the velocity than its sign has a part in one of the terms. */
bool valanis_needs_speed(const struct masing_valanis_request *request);

#endif
