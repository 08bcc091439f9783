/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Eigenvalues and vectors of a diagonal matrix with few products by their definition.
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>

#include "linalg/diagonal_update.h"
#include "tap.h"

enum { N = 40, RANK = 3 };

static double complex y[N][N], z[N][N], values[N];

/* Oscillators that are damped by parts of w, under springs of a size, one of which hardly acts
 * on some. */
static void set(struct diagonal_update *update, double size)
{
    for (int j = 0; j < N; j++) {
        double w = 10.0 * (j + 1) + 3.0 * sin(7.0 * j), d = 0.01 * w * (1.0 + 0.5 * cos(j));
        update->poles[j] = CMPLX(-d, sqrt(w * w - d * d));
        for (int a = 0; a < RANK; a++) {
            double shape = sin(1.0 + j * (a + 0.7)) * (j % 5 == a ? 1e-6 : 1.0);
            update->rows[j * RANK + a] =
                size * shape / csqrt(2.0 * I * cimag(update->poles[j]));
        }
    }
}

/* (p - l) y = h (h, conj h)^T (y, z), in parts of l */
static double residual(const struct diagonal_update *update, int k)
{
    double complex sum[RANK] = {0};
    double worst = 0.0;
    for (int j = 0; j < N; j++) {
        for (int a = 0; a < RANK; a++) {
            const double complex h = update->rows[j * RANK + a];
            sum[a] += h * y[k][j] + conj(h) * z[k][j];
        }
    }
    for (int j = 0; j < N; j++) {
        double complex of_y = (update->poles[j] - values[k]) * y[k][j];
        double complex of_z = (conj(update->poles[j]) - values[k]) * z[k][j];
        for (int a = 0; a < RANK; a++) {
            of_y -= update->rows[j * RANK + a] * sum[a];
            of_z -= conj(update->rows[j * RANK + a]) * sum[a];
        }
        worst = fmax(worst, fmax(cabs(of_y), cabs(of_z)) / cabs(values[k]));
    }
    return worst;
}

static double complex product(int k, int l)
{
    double complex sum = 0.0;
    for (int j = 0; j < N; j++) {
        sum += y[k][j] * y[l][j] + z[k][j] * z[l][j];
    }
    return sum;
}

static void check(double size)
{
    struct arena arena = {0};
    struct masing_error error = {0};
    struct diagonal_update update;
    double worst = 0.0, skew = 0.0;
    CHECK(diagonal_update_create(N, RANK, &arena, &update, &error) == MASING_OK);
    set(&update, size);
    CHECK(diagonal_update_solve(&update) == MASING_OK);
    for (int k = 0; k < N; k++) {
        values[k] = diagonal_update_value(&update, k);
        double complex root = csqrt(diagonal_update_vector(&update, k, y[k], z[k]));
        for (int j = 0; j < N; j++) {
            y[k][j] /= root;
            z[k][j] /= root;
        }
        worst = fmax(worst, residual(&update, k));
    }
    for (int k = 0; k < N; k++) {
        for (int l = 0; l < k; l++) {
            skew = fmax(skew, cabs(product(k, l)));
        }
    }
    printf("# size %g: residual %.1e, skew %.1e\n", size, worst, skew);
    CHECK(worst < 1e-14 * (1.0 + 0.1 * size) && skew < 1e-14 * (1.0 + 0.1 * size));
    arena_clear(&arena);
}

/* Where there is nothing added, or two are the same, others have to do. */
static void refuses(void)
{
    struct arena arena = {0};
    struct masing_error error = {0};
    struct diagonal_update update;
    CHECK(diagonal_update_create(N, RANK, &arena, &update, &error) == MASING_OK);
    set(&update, 0.0);
    CHECK(diagonal_update_solve(&update) == MASING_UNSUPPORTED);
    set(&update, 1.0);
    update.poles[3] = update.poles[4];
    for (int a = 0; a < RANK; a++) {
        update.rows[3 * RANK + a] = update.rows[4 * RANK + a];
    }
    CHECK(diagonal_update_solve(&update) == MASING_UNSUPPORTED);
    arena_clear(&arena);
}

static void sizes(void)
{
    for (double size = 1e-4; size < 1e4; size *= 10.0) {
        check(size);
    }
}

static const struct tap_test tests[] = {
    {"eigenvalues and vectors by their definition", sizes},
    {"refuses what is not apart", refuses},
};

TAP_MAIN(tests)
