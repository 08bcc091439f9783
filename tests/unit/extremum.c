/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/record.h"

#include "tap.h"

static const double pi = 3.14159265358979323846;

/* Error of the largest value of cos(t - shift) found from n samples of a period. */
static double cosine_error(int n, double shift, bool with_rate)
{
    struct extremum extremum = {0};
    double step = 2.0 * pi / n;
    for (int i = 0; i <= n + 1; i++) {
        double t = i * step - shift;
        extremum_add(&extremum, step, cos(t), with_rate ? -sin(t) : NAN);
    }
    return fmax(fabs(extremum.maximum - 1.0), fabs(extremum.minimum + 1.0));
}

static void cubics_find_extrema_to_fourth_order(void)
{
    for (int i = 0; i < 10; i++) {
        double coarse = 0.0, fine = 0.0;
        for (int j = 0; j < 7; j++) {
            coarse = fmax(coarse, cosine_error(24, 0.1 * i + 0.04 * j, true));
            fine = fmax(fine, cosine_error(48, 0.1 * i + 0.04 * j, true));
        }
        CHECK(coarse < 2e-5);
        CHECK(fine < coarse / 10.0);
    }
}

static void parabolas_find_extrema_where_there_are_no_rates(void)
{
    for (int i = 0; i < 10; i++) {
        CHECK(cosine_error(100, 0.1 * i, false) < 5e-7);
    }
}

static void a_cubic_is_exact(void)
{
    /* x = s^3 - 3 s has its extrema +2 and -2 at s = -1 and 1 */
    struct extremum extremum = {0};
    double at[] = {-1.9, -0.35, 1.85};
    for (int i = 0; i < 3; i++) {
        double s = at[i], before = i > 0 ? at[i - 1] : s - 1.0;
        /* unequal steps: the derivative is that per step of the next interval */
        if (i > 0) {
            struct extremum piece = {0};
            extremum_add(&piece, s - before, before * before * before - 3.0 * before,
                         3.0 * before * before - 3.0);
            extremum_add(&piece, s - before, s * s * s - 3.0 * s, 3.0 * s * s - 3.0);
            extremum.maximum = fmax(extremum.maximum, piece.maximum);
            extremum.minimum = fmin(extremum.minimum, piece.minimum);
        }
    }
    CHECK_RELATIVE(extremum.maximum, 2.0, 1e-14);
    CHECK_RELATIVE(extremum.minimum, -2.0, 1e-14);
}

static void straight_and_constant_signals_have_their_ends(void)
{
    struct extremum line = {0}, constant = {0};
    for (int i = 0; i < 5; i++) {
        extremum_add(&line, 0.5, 3.0 - i, -2.0);
        extremum_add(&constant, 0.5, -7.0, 0.0);
    }
    CHECK(line.maximum == 3.0 && line.minimum == -1.0);
    CHECK(constant.maximum == -7.0 && constant.minimum == -7.0);
}

static const struct tap_test tests[] = {
    {"cubics find extrema to fourth order", cubics_find_extrema_to_fourth_order},
    {"parabolas find extrema without rates", parabolas_find_extrema_where_there_are_no_rates},
    {"a cubic is exact", a_cubic_is_exact},
    {"straight and constant signals", straight_and_constant_signals_have_their_ends},
};

TAP_MAIN(tests)
