/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One explicit step of dz/dx = free + fade z, whose functions depend on the path alone: exact
 * where free / fade is constant, whatever the travel, and of fourth order else.
 */
#ifndef MASING_LAWS_EVOLUTION_LINEAR_STEP_H
#define MASING_LAWS_EVOLUTION_LINEAR_STEP_H

#include "masing/law.h"

/* Lobatto's, which begin and end a step: as parts of it. */
enum { LINEAR_NODES = 4 };
extern const double linear_nodes[LINEAR_NODES], linear_means[LINEAR_NODES];

struct linear_node {
    double x, v;
    double way; /* dx/dc of the step, c = 0 .. 1 */
    struct masing_rate free, fade;
};

/* z_end, e^-L, and dz_end = (1 - decay) dz + sum_i by_free[i] d(way free)_i + by_fade[i] d(way
 * fade)_i
 */
struct linear_step {
    double z, decay, left;
    double by_free[LINEAR_NODES], by_fade[LINEAR_NODES];
};

void linear_step_take(const struct linear_node nodes[LINEAR_NODES], double z,
                      bool with_gradient, struct linear_step *step);

#endif
