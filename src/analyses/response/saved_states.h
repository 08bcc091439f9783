/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies of states of a balance: solutions along a curve, and where its sliders stand. */
#ifndef MASING_ANALYSES_RESPONSE_SAVED_STATES_H
#define MASING_ANALYSES_RESPONSE_SAVED_STATES_H

#include <stddef.h>

#include "harmonic/balance/balance.h"

/* Solutions along a frequency response. */
struct saved_points {
    size_t n, capacity, n_unknowns, n_axes;
    double *omega;  /* [n] rad/s */
    double *y;      /* [n][n_unknowns] */
    double *origin; /* [n][n_axes] where the sliders started */
};

/* Copy a solution; the balance holds the origins that belong to it. */
enum masing_status saved_points_add(struct saved_points *points, const struct balance *balance,
                                    const double *y, double omega, struct masing_error *error);

/* Reduce them to at most n, evenly along the curve with both ends. */
void saved_points_thin(struct saved_points *points, size_t n);

/* Give the balance the origins of a point again; returns the point's unknowns. */
const double *saved_points_restore(const struct saved_points *points, size_t index,
                                   struct balance *balance);

void saved_points_clear(struct saved_points *points);

/* Where the sliders stand, while the balance is solved with others. */
struct saved_sliders {
    struct balance *balance; /* lent; NULL: nothing is saved */
    double *origin;          /* [n_axes] */
    double *states;          /* of all joints, one after the other */
    bool *is_carried;        /* [n_joints] */
};

enum masing_status saved_sliders_save(struct balance *balance, struct saved_sliders *saved,
                                      struct masing_error *error);
/* Put them back, and free the copy. */
void saved_sliders_restore(struct saved_sliders *saved);

#endif
