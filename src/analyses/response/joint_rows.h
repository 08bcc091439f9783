/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the joints do at a solution that they were settled at last: hysteresis loops, marched
 * through the laws themselves, and the states of contact elements. */
#ifndef MASING_ANALYSES_RESPONSE_JOINT_ROWS_H
#define MASING_ANALYSES_RESPONSE_JOINT_ROWS_H

#include "analyses/response/rows.h"
#include "harmonic/balance/balance.h"
#include "harmonic/joints/joint_elements.h"

/* At least enough samples of a period to draw it, and as many as the balance has. */
int joint_rows_samples(const struct balance *balance);

/* Displacements x and forces f [n_samples][n_axes], both within *samples, which the caller
 * frees, of one joint of the balance. */
enum masing_status joint_rows_march(const struct balance *balance,
                                    const struct joint_response *response, double omega,
                                    int n_samples, double **samples, double **x, double **f,
                                    struct masing_error *error);

/* Loops of all joints that are groups by themselves, one for each axis; sink: or NULL. */
enum masing_status joint_rows_loops(struct response_rows *rows, const struct masing_sink *sink,
                                    const struct balance *balance, double omega,
                                    struct masing_error *error);

/* The elements of all contacts. @p elements NULL: there are none. @p events: of the point. */
enum masing_status
joint_rows_contacts(struct response_rows *rows, const struct masing_sink *sink,
                    const struct balance *balance, struct joint_elements *elements,
                    double omega, double hertz, unsigned events, struct masing_error *error);

#endif
