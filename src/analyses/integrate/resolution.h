/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Are the time steps short enough for what the joints do? */
#ifndef MASING_ANALYSES_INTEGRATE_RESOLUTION_H
#define MASING_ANALYSES_INTEGRATE_RESOLUTION_H

#include "model/message.h"
#include "transient/integrator.h"

/* A stuck joint vibrates against the masses beside it. Warn about the joint with the fewest
 * steps per period of that vibration, where they do not show it. */
enum masing_status resolution_warn(const struct integrator *integrator,
                                   const struct warning_list *list, struct masing_error *error);

#endif
