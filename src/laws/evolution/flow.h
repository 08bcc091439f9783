/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The evolution family as part of ordinary differential equations. */
#ifndef MASING_LAWS_EVOLUTION_FLOW_H
#define MASING_LAWS_EVOLUTION_FLOW_H

#include "masing/law.h"

extern const struct masing_flow masing_flow_of_evolution;

#endif
