/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Masing family as part of ordinary differential equations. */
#ifndef MASING_LAWS_MASING_FLOW_H
#define MASING_LAWS_MASING_FLOW_H

#include "masing/law.h"

extern const struct masing_flow masing_flow_of_return_points;

#endif
