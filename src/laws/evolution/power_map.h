/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flow dy/dtau = 1 - q, |q| = y^n, n >= 1, of a state y >= 0 that leaves zero at tau = 0:
 * towards its limit y = 1 with q = y^n, or without one with q = -y^n (down to q = -3). No
 * closed form serves every n, so that y(tau) is a table, made once for an exponent.
 */
#ifndef MASING_LAWS_EVOLUTION_POWER_MAP_H
#define MASING_LAWS_EVOLUTION_POWER_MAP_H

#include <stdbool.h>

enum { POWER_PIECES = 14, POWER_COEFFICIENTS = 14 };

/* q of the places that the table reaches. */
static const double POWER_LOWEST = -3.1, POWER_HIGHEST = 1.03;

struct power_map {
    double n; /* 0: not made yet */
    double tau_half, c_half;
    double scale_below, scale_above; /* pieces in x = q-like tau^n, of either sign */
    /* polynomials of two numbers, interleaved, in -1 .. 1 over a piece */
    double pieces[POWER_PIECES][POWER_COEFFICIENTS][2];
};

/* A place on the flow. */
struct power_place {
    double y, q;
    double e; /* 1 - q without loss of digits */
};

/* Make the table unless it is there: 3 kB, some 100 us. */
void power_map_make(struct power_map *map, double n);

/* The place at y, with q < 0 or not; its tau (of limit side: INFINITY at the limit; a place
 * beyond it has that of its mirror image; NAN where the table does not reach). */
double power_map_tau(const struct power_map *map, double y, bool has_limit,
                     struct power_place *place);

/* The place at tau >= 0. @param side 1, -1: beyond the limit; 0: the flow without one */
void power_map_place(const struct power_map *map, double tau, int side,
                     struct power_place *place);

/* tau - y, without loss of digits where y is small. */
double power_map_lag(const struct power_map *map, double tau, const struct power_place *place);

#endif
