/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a joint's force coefficients change with a parameter of its law at a fixed motion. */
#ifndef MASING_HARMONIC_JOINTS_JOINT_PARAMETER_H
#define MASING_HARMONIC_JOINTS_JOINT_PARAMETER_H

#include "harmonic/joints/joint_scratch.h"

struct joint_parameter {
    struct joint_response *response; /* lent */
    struct joint_scratch *scratch;   /* lent */
    double *cosine, *sine;           /* [n_spectrum] JOINT_PHASES */
    double *samples;                 /* [n_samples][n_axes] else */
};

enum masing_status joint_parameter_create(struct joint_response *response,
                                          struct joint_scratch *scratch,
                                          struct joint_parameter **parameter,
                                          struct masing_error *error);
void joint_parameter_destroy(struct joint_parameter *parameter);

/*
 * change [n_axes][n_c] of the forces at the motion that the response was evaluated at last.
 * tangent: of the parameter struct (masing_law_tangent); origin as in the evaluation.
 */
enum masing_status joint_parameter_evaluate(struct joint_parameter *parameter,
                                            const double *origin, const void *tangent,
                                            double *change);

#endif
