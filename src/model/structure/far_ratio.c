/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/structure/far_ratio.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/pi.h"

/* Values of the even function of sqrt(u), and terms of its series at most: more lose in
 * rounding what they bring, their powers being multiples of up to 6^n. */
enum { N_NODES = 32, MOST_FIT = 10 };

/* powers [MOST_FIT] of T_k(2 v - 1), from those of the two before. */
static void next_chebyshev(int k, const double *one, const double *two, double *powers)
{
    for (int t = 0; t < MOST_FIT; t++) {
        double below = t > 0 ? one[t - 1] : 0.0;
        powers[t] = k == 0   ? (double)(t == 0)
                    : k == 1 ? (t == 0 ? -1.0 : 2.0 * (t == 1))
                             : 4.0 * below - 2.0 * one[t] - two[t];
    }
}

/* Nodes sqrt(u / reach) = cos((i + 1/2) pi / (2 N_NODES)), half of those of an even function.
 */
static void fill(int n_fit, double reach, double *nodes, double *fit)
{
    double powers[3][MOST_FIT] = {{0.0}};
    for (int i = 0; i < N_NODES; i++) {
        nodes[i] = reach * pow(cos((i + 0.5) * PI / (2.0 * N_NODES)), 2);
    }
    for (int k = 0; k < n_fit; k++) {
        double *own = powers[k % 3];
        next_chebyshev(k, powers[(k + 2) % 3], powers[(k + 1) % 3], own);
        for (int t = 0; t <= k; t++) {
            double share = own[t] / pow(reach, t) * (k > 0 ? 2.0 : 1.0) / N_NODES;
            for (int i = 0; i < N_NODES; i++) {
                fit[t * N_NODES + i] += share * cos(2.0 * k * (i + 0.5) * PI / (2.0 * N_NODES));
            }
        }
    }
}

enum masing_status far_ratio_create(double zeta, double scale, double shift, double omega,
                                    int n, struct arena *arena, struct far_ratio **ratio,
                                    struct masing_error *error)
{
    struct far_ratio *made = arena_array(arena, 1, sizeof *made);
    int n_fit = n < MOST_FIT ? n : MOST_FIT;
    double *nodes = arena_doubles(arena, N_NODES);
    double *fit = arena_doubles(arena, (size_t)n_fit * N_NODES);
    NEED_ALLOCATED(!arena->has_failed);
    fill(n_fit, scale / (omega * omega + shift), nodes, fit);
    *made = (struct far_ratio){zeta, scale, shift, n_fit, nodes, fit};
    *ratio = made;
    return MASING_OK;
}

/* D / (D^2 + e^2 g^2) = (1 - w u) / (1 + b u + c u^2); d_: derivatives by Omega. */
static void fill_real(int n, double w, double d_w, const double b[2], const double c[2],
                      double *re, double *d_re)
{
    double one = 0.0, two = 0.0, d_one = 0.0, d_two = 0.0;
    for (int t = 0; t < n; t++) {
        double own = t == 0 ? 1.0 : -b[0] * one - c[0] * two;
        double d_own = -b[1] * one - b[0] * d_one - c[1] * two - c[0] * d_two;
        re[t] = own - w * one;
        d_re[t] = d_own - d_w * one - w * d_one;
        two = one;
        d_two = d_one;
        one = own;
        d_one = d_own;
    }
}

void far_ratio_terms(const struct far_ratio *ratio, int n, int h, double q, double *re,
                     double *im, double *d_re, double *d_im)
{
    double part = ratio->shift / ratio->scale;
    double w = part + q * q / ratio->scale, d_w = 2.0 * q * h / ratio->scale;
    double d_e = 2.0 * ratio->zeta * h / sqrt(ratio->scale),
           e = 2.0 * ratio->zeta * q / sqrt(ratio->scale);
    const double b[2] = {e * e - 2.0 * w, 2.0 * (e * d_e - d_w)};
    const double c[2] = {w * w - e * e * part, 2.0 * (w * d_w - e * d_e * part)};
    fill_real(n, w, d_w, b, c, re, d_re);
    memset(im, 0, (size_t)n * sizeof *im);
    memset(d_im, 0, (size_t)n * sizeof *d_im);
    for (int i = 0; i < N_NODES; i++) {
        double u = ratio->nodes[i], square = u * (1.0 - part * u), d = 1.0 - w * u;
        double all = d * d + e * e * square, g = sqrt(square);
        double d_all = 2.0 * (e * d_e * square - d * d_w * u);
        double value = -e * g / all, slope = (e * d_all / all - d_e) * g / all;
        for (int t = 0; t < ratio->n_fit; t++) {
            im[t] += ratio->fit[t * N_NODES + i] * value;
            d_im[t] += ratio->fit[t * N_NODES + i] * slope;
        }
    }
}
