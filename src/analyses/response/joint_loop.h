/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hysteresis loop of a joint at a solution of the balance, marched through the law itself.
 */
#ifndef MASING_ANALYSES_RESPONSE_JOINT_LOOP_H
#define MASING_ANALYSES_RESPONSE_JOINT_LOOP_H

#include "harmonic/balance/balance.h"

/* At least enough samples of a period to draw it, and as many as the balance has. */
int joint_loop_samples(const struct balance *balance);

/* Displacements x and forces f [n_samples][n_axes], both within *samples, which the caller
 * frees, of a joint of the balance that was settled on a solution last. */
enum masing_status joint_loop_march(const struct balance *balance,
                                    const struct joint_response *response, double omega,
                                    int n_samples, double **samples, double **x, double **f,
                                    struct masing_error *error);

#endif
