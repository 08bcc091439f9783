/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exponential of a dense matrix. */
#ifndef MASING_LINALG_EXPONENTIAL_H
#define MASING_LINALG_EXPONENTIAL_H

#include "masing/status.h"

/*
 * a [n * n], column-major, becomes exp(a): Pade's approximant of order 8 after scaling, then
 * squaring (Moler and Van Loan 2003, method 3). scratch [4 n * n], pivots [n].
 */
enum masing_status matrix_exponential(int n, double *a, double *scratch, int *pivots);

#endif
