/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an evolution law remembers between two steps. */
#ifndef MASING_LAWS_EVOLUTION_STATE_H
#define MASING_LAWS_EVOLUTION_STATE_H

struct evolution_state {
    double x, origin, v; /* where it was, where x is measured from, its velocity */
    double z;
};

#endif
