/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a solution of the balance is stable: the Floquet multipliers of the linear equations
 * for a small motion about it, the sliders and states of the joints included, or the
 * same from Hill's equation where the laws have no memory.
 */
#ifndef MASING_STABILITY_STABILITY_H
#define MASING_STABILITY_STABILITY_H

#include "harmonic/balance/balance.h"
#include "masing/stability.h"

struct stability_result {
    int n;                    /* multipliers; those of what is simply held are left out */
    double *real, *imaginary; /* [n] by descending modulus */
    double largest;           /* modulus of the first; 0 where there is none */
    double error;             /* estimated, of largest */
    int verdict;              /* 1 stable, 0 unstable, -1: undecided */
    int n_steps; /* per period, or elements, of the last estimate; or changes of state */
};

struct stability; /* workspaces: one thread */

/* MASING_UNSUPPORTED, with the reason, where the structure or a law has no such equations, or
 * where there would be too many of them. */
enum masing_status stability_create(const struct balance *balance,
                                    enum masing_stability_method method,
                                    struct stability **stability, struct masing_error *error);
void stability_destroy(struct stability *stability);

/* At a solution that the balance is settled at (balance_settle), sliders as they start there.
 * result is lent until the next call. */
enum masing_status stability_evaluate(struct stability *stability,
                                      const struct balance *balance, double omega,
                                      const struct stability_result **result);

/*
 * Of one sector of a disk, what was evaluated last being the whole disk's: the nodal diameter,
 * 0 to N / 2, that the motion of the largest multiplier has most of at the beginning of the
 * period. -1: it is not known. The result stays as it is.
 */
int stability_diameter(struct stability *stability, double omega);

#endif
