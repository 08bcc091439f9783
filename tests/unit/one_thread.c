/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <cblas.h>

#include "linalg/dense.h"
#include "tap.h"

static void the_first_product_holds_blas_to_one_thread(void)
{
    const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
    double c[4];
    openblas_set_num_threads(2);
    dense_multiply(2, 2, 2, a, b, c);
    CHECK(openblas_get_num_threads() == 1);
    CHECK(c[0] == 23 && c[1] == 34 && c[2] == 31 && c[3] == 46);
}

/* Whoever else uses BLAS in the same process may want more threads afterwards. */
static void later_products_leave_the_number_alone(void)
{
    const double a[] = {2};
    double c[1];
    openblas_set_num_threads(2);
    int before = openblas_get_num_threads(); /* 1 where BLAS is built without threads */
    dense_multiply(1, 1, 1, a, a, c);
    CHECK(openblas_get_num_threads() == before);
    openblas_set_num_threads(1);
}

static const struct tap_test tests[] = {
    {"the first product holds BLAS to one thread", the_first_product_holds_blas_to_one_thread},
    {"later products leave the number alone", later_products_leave_the_number_alone},
};

TAP_MAIN(tests)
