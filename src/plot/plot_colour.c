/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "plot/plot.h"

/* Viridis (van der Walt and Smith, 2015, CC0) at ten equal steps, linear in between. It is
 * uniform to the eye, for colour-blind readers too; its light end is too pale for lines on
 * white and is left out. */
struct colour plot_colour(double share)
{
    enum { N_STEPS = 10 };
    static const struct colour steps[N_STEPS] = {{0.267, 0.005, 0.329}, {0.283, 0.157, 0.471},
                                                 {0.243, 0.290, 0.537}, {0.192, 0.408, 0.557},
                                                 {0.149, 0.510, 0.557}, {0.122, 0.620, 0.537},
                                                 {0.208, 0.718, 0.475}, {0.431, 0.808, 0.345},
                                                 {0.710, 0.871, 0.169}, {0.992, 0.906, 0.145}};
    const double lightest = 7.6;
    double place = lightest * fmin(fmax(share, 0), 1);
    int i = (int)place;
    double rest = place - i;
    const struct colour *a = &steps[i], *b = &steps[i + 1];
    return (struct colour){a->red + rest * (b->red - a->red),
                           a->green + rest * (b->green - a->green),
                           a->blue + rest * (b->blue - a->blue)};
}
