/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With r = way free and l = -way fade the solution of dz/dc = r - l z is
 *   z_1 = e^-L z_0 + integral of exp(-(L - L(c))) r(c) dc,  L(c) the integral of l.
 * With the means r, L by Simpson's rule, and r and l straight in c about them up to second
 * order of what varies, L(c) = L c - dl c (1 - c) / 2, z_1 = e^-L z_0 + r I_0 + (L dr - r dl)
 * (I_1 - I_2) / 2,  I_k = integral of e^(-L u) u^k du, where d is the difference of both ends:
 * Magnus' expansion of fourth order (Blanes, Casas, Oteo & Ros 2009) for short steps, of which
 * the commutator fades with long ones. It vanishes where r / l is constant.
 */
#include "laws/evolution/linear_step.h"

void linear_step_take(const double way[LINEAR_NODES], const double free[LINEAR_NODES],
                      const double fade[LINEAR_NODES], double z, struct linear_means *means,
                      struct linear_step *step)
{
    *means = (struct linear_means){0};
    for (int i = 0; i < LINEAR_NODES; i++) {
        double r = way[i] * free[i], l = -way[i] * fade[i];
        means->r += linear_means[i] * r;
        means->l += linear_means[i] * l;
        means->dr += linear_slopes[i] * r;
        means->dl += linear_slopes[i] * l;
    }
    struct linear_integrals a = fabs(means->l) < LINEAR_SERIES
                                    ? linear_integrals_short(means->l)
                                    : linear_integrals_long(means->l);
    *step = linear_step_of(means, &a, z);
}
