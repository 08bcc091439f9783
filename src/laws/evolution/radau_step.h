/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One implicit step of a law's state, for rates of any form. */
#ifndef MASING_LAWS_EVOLUTION_RADAU_STEP_H
#define MASING_LAWS_EVOLUTION_RADAU_STEP_H

#include <stdbool.h>

#include "masing/law.h"
#include "masing/status.h"

/*
 * One implicit Runge-Kutta step of dz/dc = slope(c) rate(branch, x(c), v(c), z) over a part of
 * a path: Radau IIA with three stages, order 5, stiffly accurate (Hairer & Wanner 1996, IV.5).
 * Deep in slip a sample step is many relaxation lengths long; explicit rules fail there.
 */
enum { RADAU_STAGES = 3 };

/* The path at the stages: displacement, velocity and travel (dx/dc times the step in c). */
struct radau_input {
    struct masing_branch_point branch; /* without x, v and z */
    double x[RADAU_STAGES], v[RADAU_STAGES], travel[RADAU_STAGES];
};

/*
 * The end state and its derivative
 *   dz = (1 - decay) dz_start + sum_k weight[k] (rate[k].value d travel[k]
 *        + travel[k] (rate[k].x dx[k] + rate[k].v dv[k] + rate_p[k] dp)).
 */
struct radau_output {
    double z, decay;
    struct masing_branch_point at[RADAU_STAGES]; /* the stages */
    double weight[RADAU_STAGES];
    struct masing_rate rate[RADAU_STAGES];
    /* with a lag: z_end - z - E travel, and d(z_end - z) / d travel - E; without digits lost */
    double shift, excess;
};

/* Where in the step the stages lie, 0 .. 1; the last is the end. */
extern const double radau_nodes[RADAU_STAGES];

/* Rates are those at the end of the iteration with_gradient only. MASING_NOT_FINITE where
 * Newton's iteration on the stages does not converge. */
enum masing_status radau_step(const struct masing_evolution *evolution, const void *parameters,
                              const struct radau_input *input, double z, bool with_gradient,
                              struct radau_output *output);

#endif
