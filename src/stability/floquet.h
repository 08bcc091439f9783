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

/* At a solution that the balance is settled at, with so many steps per period, of whose
 * coefficients the first n_kept count: all of them, or basis_count_first, to tell what
 * truncation of the motion does.
 * Returns as variation_follow. */
enum masing_status floquet_evaluate(struct floquet *floquet, const struct balance *balance,
                                    double omega, int n_steps, int n_kept);

/* The same of laws without memory from Hill's equation, which smooth ones need far fewer
 * elements of a period for. MASING_UNSUPPORTED for other laws and for massless DOFs. */
struct hill;
enum masing_status hill_create(const struct balance *balance, struct arena *arena,
                               struct hill **hill, struct masing_error *error);
enum masing_status hill_evaluate(struct hill *hill, const struct balance *balance, double omega,
                                 int n_elements, int n_kept);
/* As many as harmonics up to the highest need; twice as many where tangents may jump, so as to
 * meet what lies between two jumps, and where a mode is fast, so as to follow it. */
int hill_fewest_elements(const struct hill *hill, int highest, double omega);
/* [2 n_modes][2 n_modes] column-major, to be overwritten. */
double *hill_map(struct hill *hill);

#endif
