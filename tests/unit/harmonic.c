/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Fourier basis, multiplication as a matrix, turning points and roots of a path. */
#include <string.h>

#include "harmonic/basis/basis.h"
#include "harmonic/basis/trigonometric_path.h"
#include "law_paths.h"
#include "tap.h"

static double polynomial(const struct basis *basis, const double *c, double angle, int order)
{
    double sum = 0.0;
    for (int k = 0; k < basis->n_harmonics; k++) {
        int h = basis->harmonics[k];
        const double *p = c + basis->position[k];
        if (h == 0) {
            sum += order == 0 ? p[0] : 0.0;
        } else if (order == 0) {
            sum += p[0] * cos(h * angle) + p[1] * sin(h * angle);
        } else {
            sum += h * (p[1] * cos(h * angle) - p[0] * sin(h * angle));
        }
    }
    return sum;
}

static const int some_lists[][5] = {{0, 1, 2, 3, 4}, {1, 3, 5, 7, 9}, {0, 1, 3, 8, 11}};

static void transforms_invert_each_other(void)
{
    uint64_t random = 7;
    for (int l = 0; l < 3; l++) {
        struct basis *basis = NULL;
        double c[16], back[16], samples[64];
        CHECK(basis_create(some_lists[l], 5, 64, &basis, NULL) == MASING_OK);
        for (int i = 0; i < basis->n_coefficients; i++) {
            c[i] = test_uniform(&random, -1.0, 1.0);
        }
        for (int order = 0; order < 2; order++) {
            basis_synthesise(basis, c, order, samples);
            for (int i = 0; i < 64; i += 5) {
                CHECK_SCALED(samples[i], polynomial(basis, c, TEST_TWO_PI * i / 64, order), 1.0,
                             1e-13);
            }
        }
        basis_synthesise(basis, c, 0, samples);
        basis_analyse(basis, samples, back);
        for (int i = 0; i < basis->n_coefficients; i++) {
            CHECK_SCALED(back[i], c[i], 1.0, 1e-14);
        }
        basis_destroy(basis);
    }
}

/* Also where the result takes the place of what is differentiated. */
static void derivatives_are_those_of_the_polynomial(void)
{
    uint64_t random = 5;
    for (int l = 0; l < 3; l++) {
        struct basis *basis = NULL;
        double c[16], d[16];
        CHECK(basis_create(some_lists[l], 5, 64, &basis, NULL) == MASING_OK);
        for (int i = 0; i < basis->n_coefficients; i++) {
            c[i] = test_uniform(&random, -1.0, 1.0);
        }
        basis_differentiate(basis, c, d);
        for (int i = 0; i < 9; i++) {
            CHECK_SCALED(polynomial(basis, d, 0.7 * i, 0), polynomial(basis, c, 0.7 * i, 1),
                         10.0, 1e-13);
        }
        basis_differentiate(basis, c, c);
        CHECK(memcmp(c, d, sizeof(double) * (size_t)basis->n_coefficients) == 0);
        basis_destroy(basis);
    }
}

/* t(theta) x(theta) sampled finely and transformed, against the matrix. */
static void multiplication_is_that_of_samples(void)
{
    uint64_t random = 11;
    for (int l = 0; l < 3; l++) {
        struct basis *basis = NULL;
        double x[16], f[16], applied[16] = {0}, matrix[256] = {0};
        double t_samples[64], x_samples[64], cosine[32], sine[32];
        CHECK(basis_create(some_lists[l], 5, 64, &basis, NULL) == MASING_OK);
        int n = basis->n_coefficients;
        for (int i = 0; i < n; i++) {
            x[i] = test_uniform(&random, -1.0, 1.0);
        }
        for (int i = 0; i < 64; i++) {
            t_samples[i] = test_uniform(&random, 0.0, 1.0);
        }
        basis_synthesise(basis, x, 0, x_samples);
        for (int i = 0; i < 64; i++) {
            x_samples[i] *= t_samples[i];
        }
        basis_analyse(basis, x_samples, f);
        basis_spectrum(basis, t_samples, cosine, sine);
        multiplication_apply(basis, cosine, sine, x, applied);
        multiplication_add(basis, cosine, sine, matrix);
        for (int r = 0; r < n; r++) {
            double sum = 0.0;
            for (int c = 0; c < n; c++) {
                sum += matrix[c * n + r] * x[c];
            }
            CHECK_SCALED(applied[r], f[r], 1.0, 1e-13);
            CHECK_SCALED(sum, f[r], 1.0, 1e-13);
        }
        basis_destroy(basis);
    }
}

static int count_sign_changes(const struct trigonometric_path *path, int n)
{
    int count = 0;
    double first[4], last[4], values[4];
    trigonometric_path_evaluate(path, 0.0, first);
    memcpy(last, first, sizeof last);
    for (int i = 1; i <= n; i++) {
        trigonometric_path_evaluate(path, TEST_TWO_PI * i / n, values);
        count += (values[1] > 0.0) != (last[1] > 0.0);
        memcpy(last, values, sizeof last);
    }
    return count;
}

/* Random polynomials, some with nearly double roots of the slope, some like a cosine. */
static void check_turning_points(const int *list, int n, int n_trials)
{
    enum { MOST = 100 };
    uint64_t random = 3;
    struct trigonometric_path *path = NULL;
    if (!CHECK(trigonometric_path_create(list, n, &path, NULL) == MASING_OK)) {
        return;
    }
    for (int trial = 0; trial < n_trials; trial++) {
        double c[MOST], decay = test_uniform(&random, 0.03, 1.0);
        for (int i = 0; i < MOST; i++) {
            c[i] = test_uniform(&random, -1.0, 1.0) * pow(decay, (i + 1) / 2);
        }
        trigonometric_path_set(path, c, 0.0);
        CHECK(path->n_extrema == count_sign_changes(path, 20000));
        for (int i = 0; i < path->n_extrema; i++) {
            double values[4], size = (double)path->highest * path->highest;
            trigonometric_path_evaluate(path, path->extrema[i].angle, values);
            CHECK_SCALED(values[1], 0.0, size, 1e-12);
            CHECK_SCALED(values[0], path->extrema[i].x, 1.0, 1e-13);
            CHECK(i == 0 || path->extrema[i].angle > path->extrema[i - 1].angle);
        }
    }
    trigonometric_path_destroy(path);
}

static void all_turning_points_are_found(void)
{
    const int first[] = {1}, full[] = {0, 1, 2, 3, 4, 5, 6, 7}, odd[] = {1, 3, 5, 7, 9};
    const int even[] = {0, 2, 4};
    int many[42];
    for (int h = 0; h < 42; h++) {
        many[h] = h;
    }
    check_turning_points(first, 1, 100);
    check_turning_points(full, 8, 300);
    check_turning_points(odd, 5, 100);
    check_turning_points(even, 3, 100);
    check_turning_points(many, 42, 20);
}

/* Also of the first harmonic alone, and with an end that is no turning point. */
static void roots_lie_where_the_level_is(void)
{
    uint64_t random = 5;
    const int list[] = {1, 3};
    struct trigonometric_path *path = NULL;
    CHECK(trigonometric_path_create(list, 2, &path, NULL) == MASING_OK);
    for (int trial = 0; trial < 200; trial++) {
        double c[4] = {test_uniform(&random, -1.0, 1.0), test_uniform(&random, -1.0, 1.0),
                       test_uniform(&random, -0.2, 0.2), test_uniform(&random, -0.2, 0.2)};
        c[2] = trial % 4 == 0 ? 0.0 : c[2];
        c[3] = trial % 4 == 0 ? 0.0 : c[3];
        trigonometric_path_set(path, c, 0.0);
        for (int i = 0; i + 1 < path->n_extrema; i++) {
            const struct masing_extremum *e = path->extrema + i;
            double share = test_uniform(&random, 0.0, 1.0);
            double level = e[0].x + share * (e[1].x - e[0].x);
            double angle = path->smooth.root(path, e[0].angle, e[1].angle, level);
            CHECK(angle >= e[0].angle && angle <= e[1].angle);
            CHECK_SCALED(path->smooth.value(path, angle), level, 1.0, 1e-13);
            /* and from within */
            double from = e[0].angle + 0.5 * (angle - e[0].angle);
            angle = path->smooth.root(path, from, e[1].angle, level);
            CHECK_SCALED(path->smooth.value(path, angle), level, 1.0, 1e-13);
        }
    }
    trigonometric_path_destroy(path);
}

static void constant_path_has_no_turning_point(void)
{
    const int list[] = {0, 1, 2};
    double c[5] = {0.25, 0.0, 0.0, 0.0, 0.0};
    struct trigonometric_path *path = NULL;
    CHECK(trigonometric_path_create(list, 3, &path, NULL) == MASING_OK);
    trigonometric_path_set(path, c, 0.5);
    CHECK(path->smooth.n_extrema == 0);
    CHECK(path->smooth.constant == 0.25);
    CHECK(path->smooth.origin == 0.5);
    trigonometric_path_destroy(path);
}

static const struct tap_test tests[] = {
    {"synthesis and analysis invert each other", transforms_invert_each_other},
    {"derivatives are those of the polynomial", derivatives_are_those_of_the_polynomial},
    {"multiplication equals that of samples", multiplication_is_that_of_samples},
    {"all turning points are found", all_turning_points_are_found},
    {"roots lie where the level is", roots_lie_where_the_level_is},
    {"a constant path has no turning point", constant_path_has_no_turning_point},
};

TAP_MAIN(tests)
