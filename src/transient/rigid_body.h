/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rigid-body motion of the structure, split into what the joints resist and what they do not.
 */
#ifndef MASING_TRANSIENT_RIGID_BODY_H
#define MASING_TRANSIENT_RIGID_BODY_H

#include "transient/integrator.h"

/* Set the rigid-body coordinates so that the joints stand at x [n_axes], given the elastic
 * coordinates (least squares, smallest solution). */
enum masing_status rigid_body_place(struct integrator *integrator, const double *x,
                                    struct masing_error *error);

/* Add to displacements and velocities the periodic motion, of zero mean, of what the joints do
 * not resist. */
enum masing_status rigid_body_release(struct integrator *integrator,
                                      struct masing_error *error);

#endif
