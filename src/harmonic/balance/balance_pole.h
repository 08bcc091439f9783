/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frequencies at which a response is unbounded, and how its two sides go together. */
#ifndef MASING_HARMONIC_BALANCE_BALANCE_POLE_H
#define MASING_HARMONIC_BALANCE_BALANCE_POLE_H

#include "harmonic/balance/balance.h"

struct balance_pole {
    double omega; /* rad/s */
    double phase; /* of the load there at harmonic 1, rad */
};

/* Whether a solution y [n] is on the flank of a pole close by where the structure is undamped
 * and no joint can hold it, however large the motion. Evaluates the joints elsewhere. */
bool balance_find_pole(struct balance *balance, const double *y, double omega,
                       struct balance_pole *pole);

/* mirrored [n]: a guess on the other side of a pole, at the same distance. What is in phase
 * with the load changes its sign and what is a quarter of a period behind does not, as damping
 * has it: x(t) -> -x(-t) about an instant at which the load is largest. */
void balance_mirror(const struct balance *balance, const struct balance_pole *pole,
                    const double *y, double *mirrored);

#endif
