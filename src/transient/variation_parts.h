/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the map of small motions: its coordinates at both ends of the period. */
#ifndef MASING_TRANSIENT_VARIATION_PARTS_H
#define MASING_TRANSIENT_VARIATION_PARTS_H

#include "transient/variation.h"

/* Choose the coordinates at the present states, and start one column with each; x and v are
 * those of the beginning. */
enum masing_status variation_begin(struct variation *variation);

/* Read the columns: fills the map. */
enum masing_status variation_end(struct variation *variation);

#endif
