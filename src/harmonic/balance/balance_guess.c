/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/balance/balance_guess.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/lu.h"

/* Solution with the joints as springs: y = -J^-1 R(0). */
static enum masing_status linear_guess(struct balance *balance, enum balance_joints joints,
                                       double omega, double *y, double *jacobian, int *pivots)
{
    enum masing_status status = MASING_OK;
    int n = balance->n_unknowns;
    double *residual_omega = jacobian + (size_t)n * (size_t)n, *zero = residual_omega + n;
    memset(zero, 0, sizeof(double) * (size_t)n);
    TRY(balance_evaluate(balance, joints, zero, omega, y, jacobian, residual_omega));
    TRY(lu_factor(n, jacobian, pivots));
    lu_solve(n, jacobian, pivots, y, 1);
    for (int i = 0; i < n; i++) {
        y[i] = -y[i];
    }
done:
    return status;
}

enum masing_status balance_guess(struct balance *balance, double omega, double **guesses,
                                 int *n_guesses, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)balance->n_unknowns;
    const enum balance_joints starts[] = {BALANCE_STUCK, BALANCE_FREE};
    double *jacobian = memory_array(n * n + 2 * n, sizeof(double));
    int *pivots = memory_array(n, sizeof(int));
    *guesses = memory_array(3 * n, sizeof(double));
    TRY_ALLOCATED(jacobian && pivots && *guesses);
    *n_guesses = 0;
    for (size_t s = 0; s < 2; s++) {
        double *guess = *guesses + n * (size_t)*n_guesses;
        if (linear_guess(balance, starts[s], omega, guess, jacobian, pivots) == MASING_OK) {
            ++*n_guesses;
        }
    }
    memset(*guesses + n * (size_t)*n_guesses, 0, sizeof(double) * n);
    ++*n_guesses;
done:
    free(jacobian);
    free(pivots);
    return status;
}
