/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Energy and largest force of a steady cycle of a rate-independent law, to nearly round-off. */
#ifndef MASING_ANALYSES_LOOP_ENERGY_H
#define MASING_ANALYSES_LOOP_ENERGY_H

#include "analyses/loop/cycle.h"

/* Replaces energy_lost, max_force, secant_stiffness and largest_displacement, which hold good
 * estimates, after loop_cycle_solve. */
enum masing_status loop_energy_refine(struct loop_cycle *cycle);

#endif
