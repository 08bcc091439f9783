/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hill's matrix: a small motion about a periodic solution is e^(s t) p(t) with p periodic, and
 * p's Fourier coefficients obey a quadratic eigenproblem in s. Only where the joints' forces
 * are smooth functions of displacement and velocity: memory would make s appear in
 * exponentials.
 */
#ifndef MASING_STABILITY_HILL_H
#define MASING_STABILITY_HILL_H

#include "harmonic/balance/balance.h"

struct hill;

/* MASING_UNSUPPORTED for joints with memory, massless DOFs, or where the matrix is too large.
 */
enum masing_status hill_create(const struct balance *balance, struct hill **hill,
                               struct masing_error *error);
void hill_destroy(struct hill *hill);

/* How fine p is resolved; level 0 keeps as many harmonics as the balance, each further one
 * twice as many. */
int hill_levels(const struct hill *hill);

/* Multipliers e^(s T), up to 2 n_modes, at a solution that the balance is settled at: of all
 * eigenvalues those whose p is centred best. */
enum masing_status hill_evaluate(struct hill *hill, const struct balance *balance, double omega,
                                 int level, double *real, double *imaginary, int *n_found);

#endif
