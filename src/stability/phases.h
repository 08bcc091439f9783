/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Floquet multipliers where every joint is linear between changes of its state and the balance
 * knows the angles of these: the map of a period is a product of exponentials.
 *
 * A slider that slips follows the motion and is no state; where it comes to rest, its place is
 * that of the motion there. One that rests all the time is left out.
 */
#ifndef MASING_STABILITY_PHASES_H
#define MASING_STABILITY_PHASES_H

#include "harmonic/balance/balance.h"

struct phases; /* workspaces: one thread */

/* With the first n_modes modes, or, with few_modes, as many of them as the motion stirs.
 * *phases stays NULL where a joint or the structure is not of the kind. */
enum masing_status phases_create(const struct balance *balance, int n_modes, bool few_modes,
                                 struct arena *arena, struct phases **phases,
                                 struct masing_error *error);
void phases_destroy(struct phases *phases);

/* Most multipliers that an evaluation finds. */
int phases_capacity(const struct phases *phases);

struct phases_result {
    int n, n_changes;         /* multipliers; changes of state in a period */
    double *real, *imaginary; /* [n] of the caller */
    double error; /* of the largest modulus: what the last harmonics and modes do to it */
};

/* At a solution that the balance is settled at. MASING_UNSUPPORTED: this one is to be had in
 * other ways only. */
enum masing_status phases_evaluate(struct phases *phases, double omega,
                                   struct phases_result *result);

#endif
