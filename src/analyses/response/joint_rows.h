/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the joints do at a solution that they were settled at last: hysteresis loops and the
 * states of contact elements, both marched through the laws themselves. */
#ifndef MASING_ANALYSES_RESPONSE_JOINT_ROWS_H
#define MASING_ANALYSES_RESPONSE_JOINT_ROWS_H

#include "analyses/response/rows.h"
#include "harmonic/balance/balance.h"

/* At least enough samples of a period to draw it, and as many as the balance has. */
int joint_rows_samples(const struct balance *balance);

/* One joint over a period of a solution. */
struct joint_march {
    int n_samples;
    double *x, *f; /* [n_samples][n_axes] displacements and forces, in one array: free x */
};

/*
 * March a joint of the balance once more, at so many samples. elements: NULL, or [elements of
 * the joint], what each does over the period; with the samples of the balance their losses add
 * up to the work of the joint's Fourier coefficients.
 */
enum masing_status joint_rows_march(const struct balance *balance,
                                    const struct joint_response *response, double omega,
                                    int n_samples, struct masing_element *elements,
                                    struct joint_march *march, struct masing_error *error);

/* Loops of all joints that are groups by themselves, one for each axis. */
enum masing_status joint_rows_loops(struct response_rows *rows, const struct balance *balance,
                                    double omega, struct masing_error *error);

/* The elements of all contacts at a point. */
enum masing_status joint_rows_contacts(struct response_rows *rows,
                                       const struct balance *balance, double omega,
                                       double hertz, enum masing_event event,
                                       struct masing_error *error);

#endif
