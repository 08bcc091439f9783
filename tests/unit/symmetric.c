/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Triangles in tiles against full matrices, with sizes about those of tiles and of parts. */
#include "linalg/symmetric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "specimen.h"
#include "tap.h"

static const size_t sizes[] = {1, 5, 47, 48, 49, 130, 383, 385, 500};
enum { N_SIZES = sizeof sizes / sizeof *sizes, MOST_COLUMNS = 7 };

/* Numbers without a pattern, the same ones every time. */
static double number(size_t i)
{
    return sin(1.0 + 12.9898 * (double)i + 0.37 * (double)(i % 7));
}

static double *full_matrix(size_t n)
{
    double *full = specimen_array(n * n, sizeof *full);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            full[i + j * n] = full[j + i * n] = number(i * 1009 + j);
        }
    }
    return full;
}

static void entries_are_kept(void)
{
    for (size_t s = 0; s < N_SIZES; s++) {
        size_t n = sizes[s];
        double *full = full_matrix(n), *back = specimen_array(n * n, sizeof *back);
        double *a = specimen_array(symmetric_size(n), sizeof *a);
        double *column = specimen_array(n, sizeof *column);
        symmetric_pack(n, full, a);
        symmetric_expand(n, a, back);
        CHECK(memcmp(full, back, n * n * sizeof *full) == 0);
        symmetric_add_entry(n, a, n - 1, 0, 0.5);
        full[n - 1] += 0.5;
        symmetric_add_column(n, a, 0, 2.0, column);
        for (size_t i = 0; i < n; i++) {
            CHECK(column[i] == 2.0 * full[i]);
        }
        CHECK(symmetric_size(n) <= (n + 48) * (n + 96) / 2);
        free(column);
        free(a);
        free(back);
        free(full);
    }
}

static void products_are_those_of_the_full_matrix(void)
{
    for (size_t s = 0; s < N_SIZES; s++) {
        size_t n = sizes[s], rows = symmetric_rows(n), count = rows * MOST_COLUMNS;
        double *full = full_matrix(n), *a = specimen_array(symmetric_size(n), sizeof *a);
        double *x = specimen_array(3 * count, sizeof *x), *y = x + count, *expected = y + count;
        symmetric_pack(n, full, a);
        for (size_t i = 0; i < count; i++) {
            x[i] = i % rows < n ? number(i) : 0.0;
            y[i] = expected[i] = i % rows < n ? number(3 * i) : 0.0;
        }
        symmetric_add_product(n, a, MOST_COLUMNS, x, y);
        dense_add_parts((int)n, MOST_COLUMNS, (int)n, full, (int)n, x, (int)rows, expected,
                        (int)rows);
        for (size_t i = 0; i < count; i++) {
            CHECK_SCALED(y[i], expected[i], 10.0, 1e-13);
        }
        CHECK_SCALED(symmetric_dot(n, a, n / 2, x), dense_dot((int)n, full + n / 2 * n, x),
                     10.0, 1e-13);
        free(x);
        free(a);
        free(full);
    }
}

static const struct tap_test tests[] = {
    {"entries are kept", entries_are_kept},
    {"products are those of the full matrix", products_are_those_of_the_full_matrix},
};

TAP_MAIN(tests)
