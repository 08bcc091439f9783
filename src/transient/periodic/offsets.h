/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joints whose place in a periodic motion, and so its means and largest values, follows from
 * how the motion began and from nothing else.
 */
#ifndef MASING_TRANSIENT_PERIODIC_OFFSETS_H
#define MASING_TRANSIENT_PERIODIC_OFFSETS_H

#include "masing/integrate.h"
#include "transient/integrator.h"

/*
 * Follow the periodic motion, of so many periods of the load, on from the integrator's state
 * and say of each joint [n_joints] what decides about its offset. Neutral ones are looked for
 * where shooting can be.
 */
enum masing_status offsets_find(struct integrator *integrator, int n_periods,
                                enum masing_offset *offsets, struct masing_error *error);

#endif
