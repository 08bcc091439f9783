/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/dense.h"

#include <stdbool.h>

#include <cblas.h>

static void product(bool a_transposed, bool b_transposed, int m, int n, int k, const double *a,
                    const double *b, double beta, double *c)
{
    if (m > 0 && n > 0) {
        int a_rows = a_transposed ? k : m, b_rows = b_transposed ? n : k;
        cblas_dgemm(CblasColMajor, a_transposed ? CblasTrans : CblasNoTrans,
                    b_transposed ? CblasTrans : CblasNoTrans, m, n, k, 1, a,
                    a_rows > 0 ? a_rows : 1, b, b_rows > 0 ? b_rows : 1, beta, c, m);
    }
}

void dense_multiply(int m, int n, int k, const double *a, const double *b, double *c)
{
    product(false, false, m, n, k, a, b, 0, c);
}

void dense_multiply_parts(int m, int n, int k, const double *a, int a_rows, const double *b,
                          int b_rows, double *c, int c_rows)
{
    if (m > 0 && n > 0) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, a_rows, b, b_rows,
                    0, c, c_rows);
    }
}

void dense_multiply_by_transposed(int m, int n, int k, const double *a, int a_rows,
                                  const double *b, int b_rows, double *c, int c_rows)
{
    if (m > 0 && n > 0) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, m, n, k, 1, a, a_rows, b, b_rows,
                    0, c, c_rows);
    }
}

void dense_multiply_transposed(int m, int n, int k, const double *a, const double *b, double *c)
{
    product(true, false, m, n, k, a, b, 0, c);
}

void dense_add_outer(int m, int n, int k, const double *a, const double *b, double *c)
{
    product(false, true, m, n, k, a, b, 1, c);
}

double dense_dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}
