/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A joint of contact elements as differential equations, see masing_flow. */
#ifndef MASING_LAWS_CONTACT_FLOW_H
#define MASING_LAWS_CONTACT_FLOW_H

#include "masing/law.h"

extern const struct masing_flow masing_flow_of_contact;

#endif
