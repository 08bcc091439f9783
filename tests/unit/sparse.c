/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sparse symmetric matrices against dense ones: products, solutions, modes. */
#include "linalg/sparse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "linalg/sparse_factor.h"
#include "linalg/sparse_modes.h"
#include "specimen.h"
#include "tap.h"

enum { N = 120, WIDTH = 11, N_MODES = 9 };

/* Unlike springs between neighbours and some farther ones, entries given in both triangles and
 * in pieces; hold: springs to the ground. */
static struct masing_sparse make(double hold, double *dense)
{
    static struct sparse_entry entries[20 * N];
    struct masing_sparse sparse;
    size_t n = 0;
    uint64_t seed = 5;
    memset(dense, 0, (size_t)N * N * sizeof *dense);
    for (int i = 0; i < N; i++) {
        entries[n++] = (struct sparse_entry){i, i, hold};
        dense[i * (N + 1)] += hold;
        for (int step = 1; step <= 7; step += 6) {
            int j = i + step;
            double k = 2.0 + specimen_draw(&seed);
            if (j < N) {
                entries[n++] = (struct sparse_entry){i, i, k};
                entries[n++] = (struct sparse_entry){j, j, k};
                entries[n++] =
                    i % 2 ? (struct sparse_entry){i, j, -k} : (struct sparse_entry){j, i, -k};
                dense[i * (N + 1)] += k;
                dense[j * (N + 1)] += k;
                dense[i + j * N] -= k;
                dense[j + i * N] -= k;
            }
        }
    }
    CHECK(sparse_create(N, n, entries, &sparse, NULL) == MASING_OK);
    return sparse;
}

static void entries_add_up_and_are_found(void)
{
    static double dense[N * N], again[N * N];
    struct masing_sparse sparse = make(0.5, dense);
    sparse_expand(&sparse, again);
    double worst = 0.0;
    for (int i = 0; i < N * N; i++) {
        worst = fmax(worst, fabs(dense[i] - again[i]));
        int64_t at = sparse_find(&sparse, i % N, i / N);
        CHECK((at >= 0) == (dense[i] != 0.0));
        CHECK(at < 0 || fabs(sparse.values[at] - dense[i]) < 1e-14);
    }
    CHECK(worst < 1e-14);
    sparse_clear(&sparse);
}

static void products_are_those_of_the_dense_matrix(void)
{
    static double dense[N * N], x[N * WIDTH], y[N * WIDTH], many[N * WIDTH], right[N * WIDTH],
        scratch[16 * N];
    struct masing_sparse sparse = make(0.5, dense);
    uint64_t seed = 9;
    for (int i = 0; i < N * WIDTH; i++) {
        x[i] = specimen_draw(&seed);
    }
    dense_multiply(N, WIDTH, N, dense, x, right);
    sparse_multiply(&sparse, WIDTH, x, y);
    sparse_multiply_many(&sparse, WIDTH, x, many, scratch);
    double worst = 0.0, gross = 0.0;
    for (int i = 0; i < N * WIDTH; i++) {
        worst = fmax(worst, fmax(fabs(y[i] - right[i]), fabs(many[i] - right[i])));
    }
    for (int i = 0; i < N * N; i++) {
        gross += fabs(x[i % N] * dense[i] * x[i / N]);
    }
    CHECK(worst < 1e-13);
    CHECK_RELATIVE(sparse_gross(&sparse, x), gross, 1e-13);
    sparse_clear(&sparse);
}

static void factors_solve(void)
{
    static double dense[N * N], mass[N * N], x[N * WIDTH], y[N * WIDTH], other[N * WIDTH];
    struct masing_sparse k = make(0.0, dense), m = make(3.0, mass);
    struct sparse_factor *factor = NULL;
    int weak;
    uint64_t seed = 3;
    for (int i = 0; i < N * WIDTH; i++) {
        x[i] = specimen_draw(&seed);
    }
    sparse_multiply(&k, WIDTH, x, y);
    sparse_multiply(&m, WIDTH, x, other);
    for (int i = 0; i < N * WIDTH; i++) {
        y[i] += 0.7 * other[i];
    }
    if (CHECK(sparse_factor_create(&k, &m, 0.7, &factor, &weak, NULL) == MASING_OK) &&
        CHECK(sparse_factor_solve(factor, WIDTH, y, NULL) == MASING_OK)) {
        double worst = 0.0;
        for (int i = 0; i < N * WIDTH; i++) {
            worst = fmax(worst, fabs(x[i] - y[i]));
        }
        CHECK(worst < 1e-12);
        CHECK(sparse_factor_entries(factor) >= (double)k.start[N]);
    }
    sparse_factor_destroy(factor);
    CHECK(sparse_factor_create(&k, NULL, 0.0, &factor, &weak, NULL) == MASING_SINGULAR);
    CHECK(factor == NULL && weak >= 0 && weak < N);
    sparse_clear(&k);
    sparse_clear(&m);
}

static void modes_are_those_of_the_dense_matrices(void)
{
    static double dense[N * N], mass[N * N], values[N], product[N_MODES * N_MODES];
    struct masing_sparse k = make(0.0, dense), m = make(3.0, mass);
    struct sparse_factor *factor = NULL;
    struct sparse_modes modes = {0};
    int weak;
    CHECK(eigen_symmetric_generalised(N, false, dense, mass, values) == MASING_OK);
    if (CHECK(sparse_factor_create(&k, &m, 0.01, &factor, &weak, NULL) == MASING_OK) &&
        CHECK(sparse_modes_create(&k, &m, 0.01, factor, N_MODES, &modes, NULL) == MASING_OK)) {
        CHECK(fabs(modes.omega_squared[0]) < 1e-12); /* all masses together */
        for (int i = 1; i < N_MODES; i++) {
            CHECK_RELATIVE(modes.omega_squared[i], values[i], 1e-10);
        }
        dense_multiply_transposed(N_MODES, N_MODES, N, modes.shapes, modes.momenta, product);
        for (int i = 0; i < N_MODES * N_MODES; i++) {
            CHECK(fabs(product[i] - (i % (N_MODES + 1) == 0)) < 1e-12);
        }
    }
    sparse_modes_clear(&modes);
    sparse_factor_destroy(factor);
    sparse_clear(&k);
    sparse_clear(&m);
}

/* Arrays go with their last owner. */
static void shared_matrices_outlive_each_other(void)
{
    const struct sparse_entry entries[] = {{0, 0, 2.0}, {1, 0, -1.0}, {1, 1, 3.0}};
    struct masing_sparse first, second, third;
    CHECK(sparse_create(2, 3, entries, &first, NULL) == MASING_OK);
    const double *values = first.values;
    CHECK(sparse_share(&first, &second) && sparse_share(&second, &third));
    CHECK(second.values == values && third.values == values);
    sparse_clear(&first);
    sparse_clear(&third);
    CHECK(first.values == NULL && third.n == 0);
    double x[2] = {1.0, 2.0}, y[2];
    sparse_multiply(&second, 1, x, y);
    CHECK(y[0] == 0.0 && y[1] == 5.0);
    sparse_clear(&second);
}

static const struct tap_test tests[] = {
    {"shared matrices outlive each other", shared_matrices_outlive_each_other},
    {"entries add up and are found", entries_add_up_and_are_found},
    {"products are those of the dense matrix", products_are_those_of_the_dense_matrix},
    {"factors solve", factors_solve},
    {"modes are those of the dense matrices", modes_are_those_of_the_dense_matrices},
};

TAP_MAIN(tests)
