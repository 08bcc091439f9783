/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The map of small motions over one period of a solution of the balance. */
#ifndef MASING_STABILITY_FLOQUET_H
#define MASING_STABILITY_FLOQUET_H

#include "harmonic/balance.h"
#include "transient/variation.h"

enum { FLOQUET_MOST_STEPS = 8192 };

struct floquet {
    struct variation *variation; /* variation->map after an evaluation */
    double *cosine;              /* [FLOQUET_MOST_STEPS] over one period */
};

/* As variation_create. */
enum masing_status floquet_create(const struct masing_model *model, int n_modes,
                                  int most_states, struct floquet **floquet,
                                  struct masing_error *error);
void floquet_destroy(struct floquet *floquet);

/* At a solution that the balance is settled at, with so many steps per period, a power of two.
 * Returns as variation_follow. */
enum masing_status floquet_evaluate(struct floquet *floquet, const struct balance *balance,
                                    double omega, int n_steps);

#endif
