/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An oscillator over a length of time against sums of its exponentials.
 */
#include <complex.h>
#include <math.h>

#include "tap.h"
#include "transient/oscillator.h"

/* Of roots a and b, with the slower one given. */
static void check(double complex a, double complex b, double time)
{
    double square = creal(a * b), damping = -creal(a + b);
    const struct oscillator_step step = oscillator_step(square, damping, time);
    const double complex of_a = cexp(a * time), of_b = cexp(b * time), gap = a - b;
    double scale = fmax(cabs(of_a), cabs(of_b));
    CHECK_SCALED(step.free[0], creal((a * of_b - b * of_a) / gap), scale, 1e-12);
    CHECK_SCALED(step.free[1] * cabs(gap), creal((of_a - of_b) / gap) * cabs(gap), scale,
                 1e-12);
    CHECK_SCALED(step.free[2] / cabs(b), creal(a * b * (of_b - of_a) / gap) / cabs(b), scale,
                 1e-12);
    CHECK_SCALED(step.free[3], creal((a * of_a - b * of_b) / gap), scale, 1e-12);
    CHECK_SCALED(step.forced * square, 1.0 - creal((a * of_b - b * of_a) / gap), 1.0 + scale,
                 1e-12);
}

static void vibrates(void)
{
    check(-0.1 + 3.0 * I, -0.1 - 3.0 * I, 1.0);
    check(0.1 + 3.0 * I, 0.1 - 3.0 * I, 5.0);
}

static void creeps(void)
{
    for (double time = 0.01; time < 20.0; time *= 3.0) {
        check(-1.0, -3.0, time);
        check(3.0, 1.0, time);
        check(0.5, -2.0, time);
    }
}

/* exp and cosh of half the damping times the time are beyond all numbers. */
static void creeps_far(void)
{
    check(-0.5, -1e6, 1.0);
    check(-1e-3, -2e9, 10.0);
}

int main(void)
{
    static const struct tap_test tests[] = {
        {"vibrations", vibrates},
        {"without vibrations", creeps},
        {"much damping over a long time", creeps_far},
    };
    return tap_run(tests, sizeof tests / sizeof *tests);
}
