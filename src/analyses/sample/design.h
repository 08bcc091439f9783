/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which numbers are drawn: points of the unit cube, each a function of the seed and its index,
 * and the numbers of the model that they stand for.
 */
#ifndef MASING_ANALYSES_SAMPLE_DESIGN_H
#define MASING_ANALYSES_SAMPLE_DESIGN_H

#include <stdint.h>

#include "masing/sample.h"

/* A hypercube of so many draws is made of ten, so that these tell its errors. */
enum { DESIGN_N_REPLICATES = 10, DESIGN_LEAST_REPLICATED = 20 };

struct design {
    uint64_t seed;
    int n, n_numbers;
    int n_replicates; /* of a hypercube: 1 or 10; 0: draws are independent */
    double *unit;     /* [n][n_numbers] by draws; owned */
};

enum masing_status design_create(struct design *design, enum masing_sample_design kind, int n,
                                 int n_numbers, uint64_t seed, struct masing_error *error);
void design_clear(struct design *design);

/* Which of the replicates a draw is of: they are dealt out one after another. */
int design_replicate(const struct design *design, int index);

/*
 * Sets of pick and freeze: which 0 is A, 1 is B, 2 + i is A with number i of B. The points are
 * independent of the design's.
 */
void design_set_point(uint64_t seed, int n_numbers, int set, int which, double *unit);

/* The numbers of a point. factor: of the correlation by Cholesky, or NULL; scratch
 * [n_numbers]. */
void design_numbers(const struct masing_uncertainty *uncertain, const double *factor,
                    const double *unit, double *scratch, double *numbers);

#endif
