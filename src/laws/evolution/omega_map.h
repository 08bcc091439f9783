/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wright's omega, the root V > 0 of V + log V = s, as a table. */
#ifndef MASING_LAWS_EVOLUTION_OMEGA_MAP_H
#define MASING_LAWS_EVOLUTION_OMEGA_MAP_H

#include <math.h>
#include <stdbool.h>

enum { OMEGA_PIECES = 48, OMEGA_COEFFICIENTS = 10 };

/* The table ends there; above, callers do without. Below, a series goes on. */
static const double OMEGA_LOWEST = -8.0, OMEGA_HIGHEST = 4.0;

struct omega_map {
    bool is_made;
    double pieces[OMEGA_PIECES][OMEGA_COEFFICIENTS]; /* polynomials in -1 .. 1 over a piece */
};

/* Make the table unless it is there: 4 kB, some 50 us. */
void omega_map_make(struct omega_map *map);

/* V for s <= OMEGA_HIGHEST. Inline: one is called for every sample. */
static inline double omega_map_value(const struct omega_map *map, double s)
{
    if (!(s >= OMEGA_LOWEST)) { /* e^s below 4e-4: the next term is below 1e-17. Or no number */
        double e = exp(s);
        return e * (1.0 - e * (1.0 - e * (1.5 - e * (8.0 / 3.0 - e * 125.0 / 24.0))));
    }
    double at = (s - OMEGA_LOWEST) * (OMEGA_PIECES / (OMEGA_HIGHEST - OMEGA_LOWEST));
    int index = (int)at;
    index = index < OMEGA_PIECES ? index : OMEGA_PIECES - 1;
    const double *c = map->pieces[index];
    double t = 2.0 * (at - index) - 1.0, q = t * t;
    double even = c[0] + q * (c[2] + q * (c[4] + q * (c[6] + q * c[8])));
    double odd = c[1] + q * (c[3] + q * (c[5] + q * (c[7] + q * c[9])));
    return even + t * odd;
}

#endif
