/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/dense.h"

#include <float.h>
#include <math.h>

#include <cblas.h>

static void product(CBLAS_TRANSPOSE a_form, CBLAS_TRANSPOSE b_form, int m, int n, int k,
                    const double *a, int a_rows, const double *b, int b_rows, double beta,
                    double *c, int c_rows)
{
    if (m > 0 && n > 0) {
        cblas_dgemm(CblasColMajor, a_form, b_form, m, n, k, 1, a, a_rows > 0 ? a_rows : 1, b,
                    b_rows > 0 ? b_rows : 1, beta, c, c_rows);
    }
}

void dense_multiply(int m, int n, int k, const double *a, const double *b, double *c)
{
    product(CblasNoTrans, CblasNoTrans, m, n, k, a, m, b, k, 0, c, m);
}

void dense_multiply_parts(int m, int n, int k, const double *a, int a_rows, const double *b,
                          int b_rows, double *c, int c_rows)
{
    product(CblasNoTrans, CblasNoTrans, m, n, k, a, a_rows, b, b_rows, 0, c, c_rows);
}

void dense_multiply_vector_part(int m, int n, bool transposed, const double *a, int a_rows,
                                const double *x, double *y)
{
    if (m > 0 && n > 0) {
        cblas_dgemv(CblasColMajor, transposed ? CblasTrans : CblasNoTrans, m, n, 1, a, a_rows,
                    x, 1, 0, y, 1);
    }
}

void dense_multiply_vector(int m, int n, bool transposed, const double *a, const double *x,
                           double *y)
{
    dense_multiply_vector_part(m, n, transposed, a, m, x, y);
}

void dense_multiply_by_transposed(int m, int n, int k, const double *a, int a_rows,
                                  const double *b, int b_rows, double *c, int c_rows)
{
    product(CblasNoTrans, CblasTrans, m, n, k, a, a_rows, b, b_rows, 0, c, c_rows);
}

void dense_multiply_transposed(int m, int n, int k, const double *a, const double *b, double *c)
{
    product(CblasTrans, CblasNoTrans, m, n, k, a, k, b, k, 0, c, m);
}

void dense_add_parts(int m, int n, int k, const double *a, int a_rows, const double *b,
                     int b_rows, double *c, int c_rows)
{
    product(CblasNoTrans, CblasNoTrans, m, n, k, a, a_rows, b, b_rows, 1, c, c_rows);
}

void dense_add_outer(int m, int n, int k, const double *a, const double *b, double *c)
{
    product(CblasNoTrans, CblasTrans, m, n, k, a, m, b, n, 1, c, m);
}

bool dense_is_zero(size_t count, const double *values)
{
    size_t i = 0;
    while (i < count && values[i] == 0) {
        i++;
    }
    return i == count;
}

bool dense_is_finite(size_t count, const double *values)
{
    enum { LANES = 4 };
    double sums[LANES] = {0.0}; /* one add does not wait for the other */
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (size_t k = 0; k < LANES; k++) {
            sums[k] += 0.0 * values[i + k];
        }
    }
    for (; i < count; i++) {
        sums[0] += 0.0 * values[i];
    }
    return sums[0] + sums[1] + (sums[2] + sums[3]) == 0.0;
}

double dense_dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

double dense_max_norm(size_t n, const double *x)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(x[i]));
    }
    return largest;
}

int dense_largest(int n, const double *x)
{
    int at = 0;
    for (int i = 1; i < n; i++) {
        at = fabs(x[i]) > fabs(x[at]) ? i : at;
    }
    return at;
}
