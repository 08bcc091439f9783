/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/tiled_cholesky.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

enum { MAX_ORDER = 150, N_COLUMNS = 11 };

/* within one tile, whole tiles, and over their edges */
static const int orders[] = {1, 7, 47, 48, 49, 96, 100, MAX_ORDER};
enum { N_ORDERS = sizeof orders / sizeof *orders };

/* Numbers in [-1, 1), the same in every run (Knuth's 64-bit linear congruential generator) */
static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*seed >> 11) * 0x1p-52 - 1;
}

/* a [n * n] = I + G G^T / n, whose eigenvalues lie between 1 and some units */
static void fill(int n, uint64_t *seed, double *a)
{
    static double g[MAX_ORDER * MAX_ORDER];
    for (int i = 0; i < n * n; i++) {
        g[i] = draw(seed);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = i == j ? 1 : 0;
            for (int k = 0; k < n; k++) {
                sum += g[i + k * n] * g[j + k * n] / n;
            }
            a[i + j * n] = sum;
        }
    }
}

static void set(const struct tiled_cholesky *matrix, const double *a)
{
    size_t n = matrix->n;
    for (size_t j = 0; j < n; j++) {
        tiled_cholesky_set_column(matrix, j, a + j + j * n);
    }
}

/* Largest |A x - b| of all columns */
static double defect(int n, const double *a, const double *x, const double *b)
{
    double largest = 0;
    for (int c = 0; c < N_COLUMNS; c++) {
        for (int i = 0; i < n; i++) {
            double sum = -b[i + c * n];
            for (int j = 0; j < n; j++) {
                sum += a[i + j * n] * x[j + c * n];
            }
            largest = fmax(largest, fabs(sum));
        }
    }
    return largest;
}

/* Twice with one room: what the first factorisation left does not matter. */
static void try_order(int n, bool is_single)
{
    static double a[MAX_ORDER * MAX_ORDER], b[N_COLUMNS * MAX_ORDER], x[N_COLUMNS * MAX_ORDER];
    struct arena arena = {0};
    struct tiled_cholesky matrix = tiled_cholesky_create((size_t)n, is_single, &arena);
    void *scratch = arena_array(&arena, N_COLUMNS, tiled_cholesky_scratch(&matrix));
    uint64_t seed = 1;
    for (int round = 0; round < 2 && CHECK(!arena.has_failed); round++) {
        fill(n, &seed, a);
        for (int i = 0; i < n * N_COLUMNS; i++) {
            x[i] = b[i] = draw(&seed);
        }
        set(&matrix, a);
        CHECK(tiled_cholesky_factor(&matrix) == MASING_OK);
        tiled_cholesky_solve(&matrix, x, N_COLUMNS, scratch);
        CHECK(defect(n, a, x, b) < (is_single ? 3e-5 : 1e-13));
        /* a column by itself has the same bits as among others */
        double *alone = memcpy(b, b + 9 * n, sizeof *b * (size_t)n);
        tiled_cholesky_solve(&matrix, alone, 1, scratch);
        CHECK(memcmp(alone, x + 9 * n, sizeof *b * (size_t)n) == 0);
    }
    arena_clear(&arena);
}

static void solutions_satisfy_the_equations(void)
{
    for (int o = 0; o < N_ORDERS; o++) {
        try_order(orders[o], false);
        try_order(orders[o], true);
    }
}

static void others_have_no_factor(void)
{
    double a[4] = {1.0, 2.0, 2.0, 1.0};
    for (int is_single = 0; is_single < 2; is_single++) {
        struct arena arena = {0};
        struct tiled_cholesky matrix = tiled_cholesky_create(2, is_single, &arena);
        set(&matrix, a);
        CHECK(tiled_cholesky_factor(&matrix) == MASING_SINGULAR);
        arena_clear(&arena);
    }
}

static const struct tap_test tests[] = {
    {"solutions satisfy the equations", solutions_satisfy_the_equations},
    {"others have no factor", others_have_no_factor},
};

TAP_MAIN(tests)
