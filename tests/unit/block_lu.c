/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/block_lu.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/lu.h"
#include "tap.h"

enum { N = 161, N_BLOCKS = 4 };

static double a[N * N], b[N], x[N], copy[N * N];
static int pivots[N];

/* Numbers in [-1, 1), the same in every run (Knuth's 64-bit linear congruential generator) */
static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*seed >> 11) * 0x1p-52 - 1;
}

/* Rows i of block i % 4, columns likewise but for every so many that are wide; 0: none. */
static void fill(int n, int wide_every, uint64_t *seed)
{
    memset(a, 0, sizeof a);
    for (int j = 0; j < n; j++) {
        bool is_wide = j == n - 1 || (wide_every > 0 && j % wide_every == 0);
        for (int i = 0; i < n; i++) {
            bool is_in = is_wide || i == n - 1 || i % N_BLOCKS == j % N_BLOCKS;
            a[j * n + i] = is_in ? draw(seed) : 0.0;
        }
    }
}

static double defect(int n)
{
    double largest = 0;
    for (int i = 0; i < n; i++) {
        double sum = -b[i];
        for (int j = 0; j < n; j++) {
            sum += a[i + j * n] * x[j];
        }
        largest = fmax(largest, fabs(sum));
    }
    return largest;
}

static enum masing_status factor(struct block_lu *lu, int n)
{
    memcpy(lu->matrix, a, sizeof *a * (size_t)(n * n));
    return block_lu_factor(lu, n);
}

static void check_solution(struct block_lu *lu, int n, uint64_t *seed)
{
    CHECK(factor(lu, n) == MASING_OK);
    for (int i = 0; i < n; i++) {
        x[i] = b[i] = draw(seed);
    }
    block_lu_solve(lu, x);
    CHECK(defect(n) < 1e-9);
    memcpy(copy, a, sizeof a);
    CHECK(lu_factor(n, copy, pivots) == MASING_OK);
    CHECK(block_lu_sign(lu) == lu_sign(n, copy, pivots));
    double whole = 0.0, by_blocks = 0.0;
    for (int k = 0; k < n; k++) {
        whole += log(fabs(copy[k * (n + 1)]));
        by_blocks += log(fabs(block_lu_pivot(lu, k)));
    }
    CHECK(fabs(by_blocks - whole) < 1e-8);
}

/* Solutions, and the sign and the size of the determinant, against those of the full matrix. */
static void blocks_are_found_and_used(void)
{
    struct arena arena = {0};
    struct block_lu lu;
    uint64_t seed = 7;
    block_lu_create(N, &arena, &lu);
    CHECK(!arena.has_failed);
    for (int every = 0; every < 8; every += every == 0 ? 3 : 1) {
        for (int n = N - 6; n <= N; n++) {
            fill(n, every, &seed);
            check_solution(&lu, n, &seed);
            CHECK(every == 4 || lu.n_parts == N_BLOCKS);
            CHECK(every > 0 || lu.n_wide == 1);
        }
    }
    arena_clear(&arena);
}

static void full_matrices_are_factored_as_such(void)
{
    struct arena arena = {0};
    struct block_lu lu;
    uint64_t seed = 8;
    block_lu_create(N, &arena, &lu);
    fill(N, 1, &seed);
    check_solution(&lu, N, &seed);
    CHECK(lu.n_parts == 0);
    fill(100, 0, &seed);
    check_solution(&lu, 100, &seed);
    CHECK(lu.n_parts == 0);
    arena_clear(&arena);
}

/* As at a fold, where the last row alone makes the matrix regular: a block whose own columns
 * depend on one another, exactly or but for rounding. */
static void singular_blocks_are_no_obstacle(void)
{
    struct arena arena = {0};
    struct block_lu lu;
    uint64_t seed = 9;
    block_lu_create(N, &arena, &lu);
    for (int k = 0; k < 2; k++) {
        fill(N, 0, &seed);
        for (int i = 0; i < N - 1; i++) {
            a[5 * N + i] = a[1 * N + i] * (k == 0 ? 1.0 : 0.1) + (k == 0 ? 0.0 : a[9 * N + i]);
        }
        check_solution(&lu, N, &seed);
        CHECK(lu.n_parts == 0);
    }
    memset(a + 5 * N, 0, sizeof *a * N);
    CHECK(factor(&lu, N) == MASING_SINGULAR);
    arena_clear(&arena);
}

/* A block may leave more rows to the wide columns than another, or have no columns. */
static void shapes_may_differ(void)
{
    struct arena arena = {0};
    struct block_lu lu;
    uint64_t seed = 10;
    block_lu_create(N, &arena, &lu);
    fill(N, 0, &seed);
    for (int j = 3; j < N - 1; j += 4) { /* all columns of one block become wide */
        for (int i = 0; i < N; i++) {
            a[j * N + i] = draw(&seed);
        }
    }
    check_solution(&lu, N, &seed);
    CHECK(lu.n_parts > N_BLOCKS && lu.n_wide == N / 4 + 1);
    arena_clear(&arena);
}

static const struct tap_test tests[] = {
    {"blocks are found and used", blocks_are_found_and_used},
    {"full matrices are factored as such", full_matrices_are_factored_as_such},
    {"singular blocks are no obstacle", singular_blocks_are_no_obstacle},
    {"shapes may differ", shapes_may_differ},
};

TAP_MAIN(tests)
