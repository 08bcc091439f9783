/* SPDX-License-Identifier: GPL-2.0-or-later */
/* First guesses of a solution of the balance. */
#ifndef MASING_HARMONIC_BALANCE_BALANCE_GUESS_H
#define MASING_HARMONIC_BALANCE_BALANCE_GUESS_H

#include "harmonic/balance/balance.h"

/*
 * Starts in the order of how often they succeed: joints stuck, free, at rest.
 * *guesses [n_guesses][n_unknowns] is owned by the caller (free). Allocates.
 */
enum masing_status balance_guess(struct balance *balance, double omega, double **guesses,
                                 int *n_guesses, struct masing_error *error);

#endif
