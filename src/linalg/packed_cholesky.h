/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cholesky's factorisation of a symmetric positive definite matrix that has only room for a
 * triangle: rectangular full packed format (Gustavson, Wasniewski, Dongarra and Langou 2010),
 * half the memory of cholesky.h and as fast.
 */
#ifndef MASING_LINALG_PACKED_CHOLESKY_H
#define MASING_LINALG_PACKED_CHOLESKY_H

#include <stddef.h>

#include "masing/status.h"

/* Numbers of a triangle. */
static inline size_t packed_size(size_t n)
{
    return n * (n + 1) / 2;
}

/* Where the entry of row i and column j <= i is. */
size_t packed_place(size_t n, size_t i, size_t j);

/* The triangle a becomes L, A = L L^T. MASING_SINGULAR where A is not positive definite. */
enum masing_status packed_cholesky_factor(int n, double *a);
/* b [n * n_rhs] becomes A^-1 b */
void packed_cholesky_solve(int n, const double *l, double *b, int n_rhs);

#endif
