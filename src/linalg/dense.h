/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Products of dense column-major matrices. */
#ifndef MASING_LINALG_DENSE_H
#define MASING_LINALG_DENSE_H

#include <stdbool.h>
#include <stddef.h>

/* c [m * n] = a b, a [m * k], b [k * n] */
void dense_multiply(int m, int n, int k, const double *a, const double *b, double *c);

/* The same where a, b and c are parts of larger matrices with so many rows */
void dense_multiply_parts(int m, int n, int k, const double *a, int a_rows, const double *b,
                          int b_rows, double *c, int c_rows);

/* y = a x, or a^T x, a [m * n] */
void dense_multiply_vector(int m, int n, bool transposed, const double *a, const double *x,
                           double *y);

/* The same where a is a part of a larger matrix with so many rows */
void dense_multiply_vector_part(int m, int n, bool transposed, const double *a, int a_rows,
                                const double *x, double *y);

/* c [m * n] = a^T b, a [k * m], b [k * n] */
void dense_multiply_transposed(int m, int n, int k, const double *a, const double *b,
                               double *c);

/* c [m * n] = a b^T, a [m * k], b [n * k], all parts of larger matrices with so many rows */
void dense_multiply_by_transposed(int m, int n, int k, const double *a, int a_rows,
                                  const double *b, int b_rows, double *c, int c_rows);

/* c [m * n] += a b, a [m * k], b [k * n], all parts of larger matrices with so many rows */
void dense_add_parts(int m, int n, int k, const double *a, int a_rows, const double *b,
                     int b_rows, double *c, int c_rows);

/* c [m * n] += a b^T, a [m * k], b [n * k] */
void dense_add_outer(int m, int n, int k, const double *a, const double *b, double *c);

bool dense_is_zero(size_t count, const double *values);
bool dense_is_finite(size_t count, const double *values);

/* x^T y */
double dense_dot(int n, const double *x, const double *y);

/* Largest absolute value; numbers that are none are passed over. 0 where n is. */
double dense_max_norm(size_t n, const double *x);

/* Index of the first entry of largest absolute value. */
int dense_largest(int n, const double *x);

#endif
