/* SPDX-License-Identifier: GPL-2.0-or-later */
/* First roots of polynomials that are made from their roots. */
#include "linalg/first_root.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "specimen.h"
#include "tap.h"

enum { DEGREE = 12 };

/* sign * (r - s) for all roots, times 1 + s^2/4 to the degree */
static void multiply(const double *roots, int n_roots, double *a)
{
    memset(a, 0, (DEGREE + 1) * sizeof *a);
    a[0] = 1.0;
    for (int i = 0; i < n_roots; i++) {
        for (int k = DEGREE; k >= 0; k--) {
            a[k] = roots[i] * a[k] - (k > 0 ? a[k - 1] : 0.0);
        }
    }
    for (int n = n_roots; n + 2 <= DEGREE; n += 2) {
        for (int k = DEGREE; k >= 2; k--) {
            a[k] += 0.25 * a[k - 2];
        }
    }
}

static void the_first_of_many_is_found(void)
{
    uint64_t seed = 5;
    for (int i = 0; i < 2000; i++) {
        double roots[4], a[DEGREE + 1], first = INFINITY;
        for (int k = 0; k < 4; k++) {
            roots[k] = 1.0 + 0.95 * specimen_draw(&seed);
            first = fmin(first, roots[k]);
        }
        multiply(roots, 4, a);
        double found = first_root(DEGREE, a);
        if (first > 1.0) {
            CHECK(isinf(found));
        } else {
            double distance = INFINITY;
            for (int k = 0; k < 4; k++) {
                distance = roots[k] == first ? distance : fmin(distance, roots[k] - first);
            }
            CHECK_SCALED(found, first, 1.0, 1e-12 / fmin(distance, 1.0));
        }
    }
}

/* Two roots close together are found; none where they have just parted. */
static void hardly_crossed_is_crossed(void)
{
    double a[DEGREE + 1];
    for (double gap = 1e-2; gap > 1e-6; gap *= 0.1) {
        const double roots[] = {0.7, 0.7 + gap};
        multiply(roots, 2, a);
        CHECK_SCALED(first_root(DEGREE, a), 0.7, gap, 1e-2);
        double parted[DEGREE + 1] = {0.0};
        /* (s - 0.7)^2 + gap^2 */
        parted[0] = 0.49 + gap * gap;
        parted[1] = -1.4;
        parted[2] = 1.0;
        CHECK(isinf(first_root(DEGREE, parted)));
    }
}

static void a_zero_at_the_beginning_is_none(void)
{
    const double rises[] = {0.0, 1.0, -2.0}, falls[] = {-1e-18, -1.0, 4.0};
    const double flat[] = {0.0, 0.0, 0.0}, rises_late[] = {-1e-18, 0.0, 1.0};
    CHECK_SCALED(first_root(2, rises), 0.5, 1.0, 1e-15);
    CHECK(first_root(2, falls) == 0.0);
    CHECK(isinf(first_root(2, flat)) && isinf(first_root(2, rises_late)));
    const double constant[] = {1.0};
    CHECK(isinf(first_root(0, constant)));
}

static const struct tap_test tests[] = {
    {"the first of many is found", the_first_of_many_is_found},
    {"hardly crossed is crossed", hardly_crossed_is_crossed},
    {"a zero at the beginning is none", a_zero_at_the_beginning_is_none},
};

TAP_MAIN(tests)
