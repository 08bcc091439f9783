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

#include <math.h>

#define SQRT5 2.236067977499789696409173668731276235440618359611525724270897245410520926

const double linear_nodes[LINEAR_NODES] = {0.0, 0.5 - 0.1 * SQRT5, 0.5 + 0.1 * SQRT5, 1.0};

/* Mean, and slope from the first moment about the middle, exact up to degree 5 and 4. */
const double linear_means[LINEAR_NODES] = {1.0 / 12, 5.0 / 12, 5.0 / 12, 1.0 / 12};
static const double slopes[LINEAR_NODES] = {-0.5, -0.5 * SQRT5, 0.5 * SQRT5, 0.5};

/* e^-L and the integrals I_0 .. I_3. */
struct integrals {
    double left, i[4];
};

/* sum_j (-L)^j / (j! (j + 4)), to rounding for |L| <= 1/2 */
static double last_integral(double l)
{
    static const double c[] = {1.0 / 4,
                               -1.0 / 5,
                               1.0 / 12,
                               -1.0 / 42,
                               1.0 / 192,
                               -1.0 / 1080,
                               1.0 / 7200,
                               -1.0 / 55440,
                               1.0 / 483840,
                               -1.0 / 4717440,
                               1.0 / 50803200,
                               -1.0 / 598752000,
                               1.0 / 7664025600.0,
                               -1.0 / 105859353600.0};
    double q = l * l;
    double even =
        c[0] + q * (c[2] + q * (c[4] + q * (c[6] + q * (c[8] + q * (c[10] + q * c[12])))));
    double odd =
        c[1] + q * (c[3] + q * (c[5] + q * (c[7] + q * (c[9] + q * (c[11] + q * c[13])))));
    return even + l * odd;
}

static struct integrals integrals_of(double l)
{
    static const double SERIES = 0.5;
    struct integrals a;
    if (fabs(l) < SERIES) { /* downwards, k I_{k-1} = e^-L + L I_k, and 1 - e^-L = L I_0 */
        a.i[3] = last_integral(l);
        double q = l * l;
        a.left = (1.0 - q * q * a.i[3] / 6.0) / (1.0 + l + 0.5 * q + l * q / 6.0);
        for (int k = 3; k > 0; k--) {
            a.i[k - 1] = (a.left + l * a.i[k]) / k;
        }
        return a;
    }
    double gone = -expm1(-l), per = 1.0 / l;
    a.left = 1.0 - gone;
    a.i[0] = gone * per;
    for (int k = 1; k < 4; k++) {
        a.i[k] = (k * a.i[k - 1] - a.left) * per;
    }
    return a;
}

void linear_step_take(const struct linear_node nodes[LINEAR_NODES], double z,
                      bool with_gradient, struct linear_step *step)
{
    double r[LINEAR_NODES], l[LINEAR_NODES], mean_r = 0.0, mean_l = 0.0, dr = 0.0, dl = 0.0;
    for (int i = 0; i < LINEAR_NODES; i++) {
        r[i] = nodes[i].way * nodes[i].free.value;
        l[i] = -nodes[i].way * nodes[i].fade.value;
        mean_r += linear_means[i] * r[i];
        mean_l += linear_means[i] * l[i];
        dr += slopes[i] * r[i];
        dl += slopes[i] * l[i];
    }
    double commutator = mean_l * dr - mean_r * dl;
    struct integrals a = integrals_of(mean_l);
    double bend = 0.5 * (a.i[1] - a.i[2]);
    step->decay = mean_l * a.i[0];
    step->left = a.left;
    step->z = z + (mean_r - mean_l * z) * a.i[0] + bend * commutator;
    if (!with_gradient) {
        return;
    }
    double by_r = a.i[0] - bend * dl;
    double by_l =
        bend * dr - a.left * z - a.i[1] * mean_r - 0.5 * (a.i[2] - a.i[3]) * commutator;
    for (int i = 0; i < LINEAR_NODES; i++) {
        step->by_free[i] = linear_means[i] * by_r + slopes[i] * bend * mean_l;
        step->by_fade[i] = slopes[i] * bend * mean_r - linear_means[i] * by_l;
    }
}
