/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must not depend on a number that moves along a curve. */
#ifndef MASING_MODEL_MOVING_REST_H
#define MASING_MODEL_MOVING_REST_H

#include "model/moving.h"

/* MASING_UNSUPPORTED, with what it is, where anything but the joints' parameters and the loads'
 * amplitudes differs. */
enum masing_status moving_check_rest(const struct moving_specs *specs,
                                     struct masing_error *error);

#endif
