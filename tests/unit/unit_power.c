/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Polynomials through Chebyshev points, and the power that iwan4 takes from them. */
#include "laws/masing/unit_power.h"
#include "linalg/chebyshev.h"
#include "tap.h"

static void polynomials_come_back(void)
{
    enum { N = 5 };
    static const double expected[2][N] = {{1.0, -2.0, 3.0, 0.5, -4.0},
                                          {0.0, 1.0, 0.0, 0.0, 2.0}};
    double values[2][N], powers[2][N];
    for (int p = 0; p < 2; p++) {
        for (int i = 0; i < N; i++) {
            double t = chebyshev_point(N, i);
            values[p][i] = 0.0;
            for (int j = N - 1; j >= 0; j--) {
                values[p][i] = values[p][i] * t + expected[p][j];
            }
        }
    }
    chebyshev_powers(N, 2, values[0], powers[0]);
    for (int p = 0; p < 2; p++) {
        for (int j = 0; j < N; j++) {
            CHECK(fabs(powers[p][j] - expected[p][j]) < 1e-14);
        }
    }
}

/* Relative error of 1 - w^e against the same in more digits. */
static double error_of(const struct unit_power *table, double w)
{
    long double exact = -expm1l((long double)table->exponent * logl((long double)w));
    return (double)fabsl((unit_power_complement(table, w) - exact) / exact);
}

/* All digits on all octaves, at both ends of pieces, and close to 1. */
static void powers_keep_all_digits(void)
{
    static const double exponents[] = {1e-8, 0.01, 0.3, 0.5, 0.9, 1.0};
    static const double TOLERANCE = 1.2e-15;
    static struct unit_power table;
    for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
        double worst = 0.0;
        unit_power_make(&table, exponents[e]);
        for (int k = 0; k < 45; k++) {
            for (double m = 0.5; m < 1.0; m += 1.0 / 1024.0) {
                worst = fmax(worst, error_of(&table, ldexp(m, -k)));
                worst = fmax(worst, error_of(&table, ldexp(nextafter(m, 0.0), -k)));
            }
        }
        for (double rest = 1e-3; rest > 1e-15; rest *= 0.7) {
            worst = fmax(worst, error_of(&table, 1.0 - rest));
        }
        if (!CHECK(worst < TOLERANCE)) {
            printf("# exponent %g: %g\n", exponents[e], worst);
        }
    }
}

static void ends_are_exact(void)
{
    static struct unit_power table;
    unit_power_make(&table, 0.5);
    CHECK(unit_power_complement(&table, 0.0) == 1.0);
    CHECK(unit_power_complement(&table, 1.0) == 0.0);
    CHECK(unit_power_complement(&table, nextafter(1.0, 2.0)) == 0.0);
    unit_power_make(&table, 1.0); /* another exponent takes its place */
    CHECK(fabs(unit_power_complement(&table, 0.25) - 0.75) < 1e-15);
}

static const struct tap_test tests[] = {
    {"a polynomial of the degree comes back", polynomials_come_back},
    {"a power keeps all digits of what is left to one", powers_keep_all_digits},
    {"zero and one, and another exponent", ends_are_exact},
};

TAP_MAIN(tests)
