/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From any state to a periodic motion, in the way that the model's `integration` asks for. */
#ifndef MASING_TRANSIENT_PERIODIC_PERIODIC_H
#define MASING_TRANSIENT_PERIODIC_PERIODIC_H

#include "transient/periodic/settle.h"

/* The tolerance that is worked to in place of this one: nothing finer can be told from what the
 * steps are in doubt by. */
double periodic_tolerance(const struct integrator *integrator, double tolerance);

/* As settle_run with the tolerance and cycles of the model, by marching or by shooting; an
 * observer of steps is told of marching only, and is never there with shooting. */
enum masing_status periodic_run(struct integrator *integrator, double tolerance, int max_cycles,
                                const struct settle_observer *observer,
                                struct settle_result *result, struct masing_error *error);

#endif
