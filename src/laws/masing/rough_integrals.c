/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gauss's rule after the substitution s = r^2, which leaves no half powers: J_p = 2 integral
 * from 0 to 1 of r^(2p+1) phi(n - d (1 - r^2)) dr.
 */
#include "laws/masing/rough_integrals.h"

#include <math.h>

enum { PANELS = 4, HALF = 8 };

/* Sixteen points on [-1, 1] (Abramowitz and Stegun, table 25.4). */
static const double nodes[HALF] = {0.09501250983763744051, 0.28160355077925891543,
                                   0.45801677765722736968, 0.61787624440264377057,
                                   0.75540440835500299865, 0.86563120238783175520,
                                   0.94457502307323260027, 0.98940093499164993851};
static const double weights[HALF] = {0.18945061045506850217, 0.18260341504492358378,
                                     0.16915651939500253587, 0.14959598881657673597,
                                     0.12462897125553387689, 0.09515851168249278569,
                                     0.06225352393864789363, 0.02715245941175409641};

struct rough_point rough_integrals_point(int i)
{
    int panel = i / (2 * HALF), k = i % (2 * HALF);
    double x = k < HALF ? -nodes[HALF - 1 - k] : nodes[k - HALF];
    double weight = weights[k < HALF ? HALF - 1 - k : k - HALF];
    return (struct rough_point){(panel + 0.5 + 0.5 * x) / PANELS, 0.5 * weight / PANELS};
}

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
    for (int i = 0; i < ROUGH_INTEGRALS_POINTS; i++) {
        struct rough_point point = rough_integrals_point(i);
        double s = point.at * point.at, below = 1.0 - s, t = n - d * below;
        double density = 2.0 * NORMAL * exp(-0.5 * t * t) * point.weight * s;
        add(three_halves, density * s, t, below);
        add(half, density, t, below);
    }
}
