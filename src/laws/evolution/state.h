/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an evolution law remembers between two steps, and its force there. */
#ifndef MASING_LAWS_EVOLUTION_STATE_H
#define MASING_LAWS_EVOLUTION_STATE_H

#include "masing/law.h"

struct evolution_state {
    double x, origin, v; /* where it was, where x is measured from, its velocity */
    double z;
};

/* Where nothing moves the direction does not matter: rates are multiplied by v. */
static inline double state_direction(double v)
{
    return v < 0.0 ? -1.0 : 1.0;
}

/* The force at a state, x from the origin; without a function of the law it is the state. */
static inline void state_force(const struct masing_law *law, const void *parameters, double x,
                               double v, double z, struct masing_rate *force)
{
    *force = (struct masing_rate){.value = z, .z = 1.0};
    if (law->evolution->force) {
        const struct masing_branch_point at = {
            .sign = state_direction(v), .x = x, .v = v, .z = z};
        law->evolution->force(parameters, &at, force);
    }
}

#endif
