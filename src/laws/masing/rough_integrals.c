/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gauss's rule after the substitution s = r^2, which leaves no half powers: J_p = 2 integral
 * from 0 to 1 of r^(2p+1) phi(n - d (1 - r^2)) dr.
 */
#include "laws/masing/rough_integrals.h"

#include <math.h>

#include "laws/masing/gauss_rule.h"

static const double NORMAL = 0.39894228040143267794; /* 1 / sqrt(2 pi) */

static void add(struct rough_integral *integral, double density, double t, double below)
{
    integral->value += density;
    integral->by_d += density * t * below; /* phi' = -t phi, dt = -(1 - s) dd */
    integral->by_n -= density * t;
}

void rough_integrals(double d, double n, struct rough_integral *three_halves,
                     struct rough_integral *half)
{
    *three_halves = *half = (struct rough_integral){0};
    for (int i = 0; i < GAUSS_POINTS; i++) {
        struct gauss_point point = gauss_rule(i);
        double s = point.at * point.at, below = 1.0 - s, t = n - d * below;
        double density = 2.0 * NORMAL * exp(-0.5 * t * t) * point.weight * s;
        add(three_halves, density * s, t, below);
        add(half, density, t, below);
    }
}
