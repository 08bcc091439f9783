/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bases of reduced structures against dense algebra: static displacements by elimination, modes
 * of the parts, flexibility. */
#include "analyses/reduce/basis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "linalg/lu.h"
#include "linalg/sparse.h"
#include "specimen.h"
#include "tap.h"

enum { LARGE = 420, SMALL = 24, N_KEPT = 3, N_MODES = 6 };

struct pair {
    int n;
    struct masing_sparse stiffness, mass;
    double *k, *m; /* dense */
};

/* Unlike springs between neighbours and farther ones; hold: of the first row to the ground. */
static struct pair make(int n, double hold)
{
    struct pair pair = {.n = n};
    struct sparse_entry *stiff = calloc((size_t)n * 7 + 1, sizeof *stiff);
    struct sparse_entry *heavy = calloc((size_t)n, sizeof *heavy);
    size_t count = 0;
    uint64_t seed = 13;
    stiff[count++] = (struct sparse_entry){0, 0, hold};
    for (int i = 0; i < n; i++) {
        heavy[i] = (struct sparse_entry){i, i, 1.5 + specimen_draw(&seed)};
        for (int step = 1; step <= 5; step += 4) {
            int j = i + step;
            double k = 100.0 * (1.5 + specimen_draw(&seed));
            if (j < n) {
                stiff[count++] = (struct sparse_entry){i, i, k};
                stiff[count++] = (struct sparse_entry){j, j, k};
                stiff[count++] = (struct sparse_entry){j, i, -k};
            }
        }
    }
    CHECK(sparse_create(n, count, stiff, &pair.stiffness, NULL) == MASING_OK);
    CHECK(sparse_create(n, (size_t)n, heavy, &pair.mass, NULL) == MASING_OK);
    pair.k = calloc((size_t)n * (size_t)n, sizeof(double));
    pair.m = calloc((size_t)n * (size_t)n, sizeof(double));
    sparse_expand(&pair.stiffness, pair.k);
    sparse_expand(&pair.mass, pair.m);
    free(stiff);
    free(heavy);
    return pair;
}

static void clear(struct pair *pair)
{
    sparse_clear(&pair->stiffness);
    sparse_clear(&pair->mass);
    free(pair->k);
    free(pair->m);
}

/* Rows and columns of the DOFs that are not kept; [n_i * n_i]. */
static int take_inner(const struct pair *pair, const bool *is_kept, const double *a, double *to,
                      int *rows)
{
    int n = 0;
    for (int i = 0; i < pair->n; i++) {
        if (!is_kept[i]) {
            rows[n++] = i;
        }
    }
    for (int at = 0; at < n * n; at++) {
        to[at] = a[rows[at % n] + rows[at / n] * pair->n];
    }
    return n;
}

static void check_fixed(int n)
{
    struct pair pair = make(n, 50.0);
    bool *is_kept = calloc((size_t)n, sizeof *is_kept);
    const int kept[N_KEPT] = {2, n / 2, n - 1};
    size_t square = (size_t)n * (size_t)n;
    double *k = malloc(square * sizeof *k), *m = malloc(square * sizeof *m);
    double *values = malloc((size_t)n * sizeof *values);
    double *x = malloc((size_t)n * sizeof *x);
    int *rows = malloc((size_t)n * sizeof *rows), *pivots = malloc((size_t)n * sizeof *pivots);
    struct reduction_basis basis = {0};
    for (int i = 0; i < N_KEPT; i++) {
        is_kept[kept[i]] = true;
    }
    const struct reduction_basis_request request = {.stiffness = &pair.stiffness,
                                                    .mass = &pair.mass,
                                                    .is_kept = is_kept,
                                                    .choice = {.least = N_MODES, .most = n}};
    if (CHECK(reduction_basis_create(&request, &basis, NULL) == MASING_OK)) {
        CHECK(basis.n == N_KEPT + N_MODES && basis.n_movable == 0 && basis.n_rigid == 0);
        int inner = take_inner(&pair, is_kept, pair.k, k, rows);
        CHECK(lu_factor(inner, k, pivots) == MASING_OK);
        for (int j = 0; j < N_KEPT; j++) {
            for (int i = 0; i < inner; i++) {
                x[i] = -pair.k[rows[i] + kept[j] * n];
            }
            lu_solve(inner, k, pivots, x, 1);
            for (int i = 0; i < inner; i++) {
                CHECK_SCALED(basis.shapes[rows[i] + j * n], x[i], 1.0, 1e-12);
            }
            for (int i = 0; i < N_KEPT; i++) {
                CHECK(basis.shapes[kept[i] + j * n] == (i == j));
            }
        }
        take_inner(&pair, is_kept, pair.k, k, rows);
        take_inner(&pair, is_kept, pair.m, m, rows);
        CHECK(eigen_symmetric_generalised(inner, false, k, m, values) == MASING_OK);
        for (int i = 0; i < N_MODES; i++) {
            size_t own = (size_t)(N_KEPT + i) * (size_t)(basis.n + 1);
            CHECK_RELATIVE(basis.stiffness[own], values[i], 1e-10);
            CHECK(basis.mass[own] == 1.0);
        }
    }
    reduction_basis_clear(&basis);
    clear(&pair);
    free(is_kept);
    free(k);
    free(m);
    free(values);
    free(x);
    free(rows);
    free(pivots);
}

static void fixed_interfaces_are_those_of_dense_algebra(void)
{
    check_fixed(SMALL);
    check_fixed(LARGE);
}

/* Forces on kept DOFs and a pattern over all move the kept DOFs, and the sum that the pattern
 * takes, as in the full structure: (K + shift M)^-1 at a shift far below the modes. */
static void check_static(bool is_free, double hold)
{
    enum { N = LARGE };
    struct pair pair = make(N, hold);
    bool is_kept[N] = {false};
    static double pattern[N], a[N * N], x[2 * N], small[40 * 40], y[2 * 40];
    static int pivots[N];
    const double shift = hold > 0.0 ? 0.0 : 1e-7;
    struct reduction_basis basis = {0};
    is_kept[4] = is_kept[200] = true;
    for (int i = 0; i < N; i++) {
        pattern[i] = sin(i);
    }
    const struct reduction_basis_request request = {.stiffness = &pair.stiffness,
                                                    .mass = &pair.mass,
                                                    .is_kept = is_kept,
                                                    .n_patterns = 1,
                                                    .patterns = pattern,
                                                    .is_free = is_free,
                                                    .choice = {.least = N_MODES, .most = N}};
    if (CHECK(reduction_basis_create(&request, &basis, NULL) == MASING_OK)) {
        int n = basis.n;
        CHECK(basis.n_residual == 1 && basis.n_rigid == (hold > 0.0 ? 0 : 1));
        for (int i = 0; i < N * N; i++) {
            a[i] = pair.k[i] + shift * pair.m[i];
        }
        memset(x, 0, sizeof x);
        x[200] = 1.0;
        memcpy(x + N, pattern, sizeof pattern);
        dense_multiply_transposed(n, 2, N, basis.shapes, x, y);
        CHECK(lu_factor(N, a, pivots) == MASING_OK);
        lu_solve(N, a, pivots, x, 2);
        for (int i = 0; i < n * n; i++) {
            small[i] = basis.stiffness[i] + shift * basis.mass[i];
        }
        CHECK(lu_factor(n, small, pivots) == MASING_OK);
        lu_solve(n, small, pivots, y, 2);
        for (int load = 0; load < 2; load++) {
            double scale = fmax(fabs(x[4 + load * N]), fabs(x[200 + load * N]));
            CHECK_SCALED(y[load * n], x[4 + load * N], scale, 1e-7);
            CHECK_SCALED(y[1 + load * n], x[200 + load * N], scale, 1e-7);
        }
    }
    reduction_basis_clear(&basis);
    clear(&pair);
}

static void what_is_static_is_exact(void)
{
    check_static(false, 50.0);
    check_static(true, 50.0);
    check_static(false, 0.0);
    check_static(true, 0.0);
}

/* Two rows of masses that are not connected, of which one keeps nothing. */
static void what_can_still_move_has_modes_without_stiffness(void)
{
    enum { N = 2 * SMALL };
    struct pair one = make(SMALL, 50.0);
    struct masing_sparse stiffness, mass;
    struct sparse_entry entries[8 * N], masses[N];
    bool is_kept[N] = {false};
    size_t count = 0;
    for (int half = 0; half < 2; half++) {
        for (int j = 0; j < SMALL; j++) {
            for (int i = j; i < SMALL; i++) {
                double value = one.k[i + j * SMALL] - (half && i == 0 && j == 0 ? 50.0 : 0.0);
                if (value != 0.0) {
                    entries[count++] =
                        (struct sparse_entry){i + half * SMALL, j + half * SMALL, value};
                }
            }
            masses[j + half * SMALL] =
                (struct sparse_entry){j + half * SMALL, j + half * SMALL, 1.0};
        }
    }
    CHECK(sparse_create(N, count, entries, &stiffness, NULL) == MASING_OK);
    CHECK(sparse_create(N, N, masses, &mass, NULL) == MASING_OK);
    is_kept[3] = true;
    const struct reduction_basis_request request = {.stiffness = &stiffness,
                                                    .mass = &mass,
                                                    .is_kept = is_kept,
                                                    .choice = {.least = N_MODES, .most = N}};
    struct reduction_basis basis = {0};
    if (CHECK(reduction_basis_create(&request, &basis, NULL) == MASING_OK)) {
        CHECK(basis.n_movable == 1 && basis.movable_dof >= SMALL && basis.n_rigid == 1);
        CHECK(fabs(basis.stiffness[1 + basis.n]) < 1e-10);
        CHECK(dense_is_finite((size_t)(N * basis.n), basis.shapes));
        for (int i = SMALL; i < N; i++) {
            CHECK(fabs(basis.shapes[i]) < 1e-12);
        }
    }
    reduction_basis_clear(&basis);
    sparse_clear(&stiffness);
    sparse_clear(&mass);
    clear(&one);
}

static const struct tap_test tests[] = {
    {"fixed interfaces are those of dense algebra",
     fixed_interfaces_are_those_of_dense_algebra},
    {"what is static is exact", what_is_static_is_exact},
    {"what can still move has modes without stiffness",
     what_can_still_move_has_modes_without_stiffness},
};

TAP_MAIN(tests)
