/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * omega(s) is analytic but for s = -1 +- i pi, where V = -1. Pieces are 1/4 wide, so that those
 * places are pi / (1/8) > 25 half widths away, and the polynomial of degree 9 through Chebyshev
 * points is off by less than 4 r^-9 / (r - 1) = 5e-17 of the largest |V| on an ellipse with
 * r = 50, which is 23 half widths high.
 */
#include "laws/evolution/omega_map.h"

#include "linalg/chebyshev.h"

/* Newton's method for log V, of which V + log V is convex. */
static double solve(double s)
{
    enum { MAX_ITERATIONS = 60 };
    double y = s < 1.0 ? s : log(s), change = 1.0;
    for (int i = 0; i < MAX_ITERATIONS && fabs(change) > 1e-9; i++) {
        double v = exp(y);
        change = (s - y - v) / (1.0 + v);
        y += change;
    }
    return exp(y);
}

void omega_map_make(struct omega_map *map)
{
    double values[OMEGA_PIECES][OMEGA_COEFFICIENTS];
    double width = (OMEGA_HIGHEST - OMEGA_LOWEST) / OMEGA_PIECES;
    if (map->is_made) {
        return;
    }
    for (int p = 0; p < OMEGA_PIECES; p++) {
        for (int i = 0; i < OMEGA_COEFFICIENTS; i++) {
            double t = chebyshev_point(OMEGA_COEFFICIENTS, i);
            values[p][i] = solve(OMEGA_LOWEST + width * (p + 0.5 + 0.5 * t));
        }
    }
    chebyshev_powers(OMEGA_COEFFICIENTS, OMEGA_PIECES, values[0], map->pieces[0]);
    map->is_made = true;
}
