/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The map of small motions over one period of a solution of the balance. */
#ifndef MASING_STABILITY_FLOQUET_H
#define MASING_STABILITY_FLOQUET_H

#include "harmonic/balance/balance.h"
#include "transient/periodic/variation.h"

struct floquet {
    struct variation *variation; /* variation->map after an evaluation */
    double *functions;           /* [n_c] scratch */
};

/* As variation_create. */
enum masing_status floquet_create(const struct balance *balance, int n_modes, int most_states,
                                  struct arena *arena, struct floquet **floquet,
                                  struct masing_error *error);

/* At a solution that the balance is settled at, with so many steps per period.
 * Returns as variation_follow. */
enum masing_status floquet_evaluate(struct floquet *floquet, const struct balance *balance,
                                    double omega, int n_steps);

#endif
