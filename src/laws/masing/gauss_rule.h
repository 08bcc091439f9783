/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A rule of quadrature on [0, 1]: Gauss-Legendre with sixteen points in each of four panels. */
#ifndef MASING_LAWS_MASING_GAUSS_RULE_H
#define MASING_LAWS_MASING_GAUSS_RULE_H

enum { GAUSS_POINTS = 64 };

struct gauss_point {
    double at, weight; /* weights sum to 1 */
};

struct gauss_point gauss_rule(int i);

#endif
