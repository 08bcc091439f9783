/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frequencies that were asked for come back as they were written. */
#include "base/hertz.h"

#include <float.h>

#include "specimen.h"
#include "tap.h"

static const double two_pi = 6.283185307179586476925286766559;

static void decimal_numbers_come_back(void)
{
    const double given[] = {30.0, 0.1, 1e-7, 21.7, 1234.5678, 50e3, 119.88, 9.87654321012345e5};
    int n_rounded = 0;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        CHECK(hertz(two_pi * given[i]) == given[i]);
    }
    for (int k = 1; k <= 100000; k++) {
        double hz = k / 1000.0;
        n_rounded += two_pi * hz / two_pi != hz;
        if (!CHECK(hertz(two_pi * hz) == hz)) {
            return;
        }
    }
    CHECK(n_rounded > 1000); /* division alone does not do */
}

static void others_are_quotients(void)
{
    uint64_t seed = 3;
    for (int i = 0; i < 10000; i++) {
        double omega = exp(80.0 * specimen_draw(&seed) - 40.0);
        CHECK(fabs(hertz(omega) * two_pi - omega) <= 2.0 * DBL_EPSILON * omega);
        CHECK(hertz(-omega) == -hertz(omega));
    }
    CHECK(hertz(0.0) == 0.0 && isinf(hertz(INFINITY)) && isnan(hertz(NAN)));
    CHECK(hertz(DBL_MIN) == DBL_MIN / two_pi && hertz(DBL_MAX) == DBL_MAX / two_pi);
}

static const struct tap_test tests[] = {
    {"decimal numbers come back", decimal_numbers_come_back},
    {"others are quotients", others_are_quotients},
};

TAP_MAIN(tests)
