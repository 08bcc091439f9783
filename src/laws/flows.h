/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Families of laws as parts of ordinary differential equations, each in flow.c of its own. */
#ifndef MASING_LAWS_FLOWS_H
#define MASING_LAWS_FLOWS_H

#include "masing/law.h"

extern const struct masing_flow flow_masing, flow_evolution, flow_contact;

#endif
