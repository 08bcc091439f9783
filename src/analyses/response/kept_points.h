/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Solutions along a frequency response that are kept for later. */
#ifndef MASING_ANALYSES_RESPONSE_KEPT_POINTS_H
#define MASING_ANALYSES_RESPONSE_KEPT_POINTS_H

#include <stddef.h>

#include "harmonic/balance/balance.h"

struct kept_points {
    size_t n, capacity, n_unknowns, n_axes;
    double *omega;  /* [n] rad/s */
    double *y;      /* [n][n_unknowns] */
    double *origin; /* [n][n_axes] where the sliders started */
};

/* Copy a solution; the balance holds the origins that belong to it. */
enum masing_status kept_points_add(struct kept_points *points, const struct balance *balance,
                                   const double *y, double omega, struct masing_error *error);

/* Leave at most n of them, evenly along the curve with both ends. */
void kept_points_thin(struct kept_points *points, size_t n);

/* Give the balance the origins of a point again; returns the point's unknowns. */
const double *kept_points_restore(const struct kept_points *points, size_t index,
                                  struct balance *balance);

void kept_points_clear(struct kept_points *points);

#endif
