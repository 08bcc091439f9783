/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact motion of the modal equations with joints whose forces are f = k x + c v + level, over
 * a length of time: the exponential of their matrix times the state, as its Taylor series
 * (Al-Mohy and Higham 2011), loads and levels being states of their own. The length is at most
 * that over which the series has full accuracy without losing digits; it also gives the joints'
 * motion as polynomials, in which events are found.
 */
#ifndef MASING_TRANSIENT_SERIES_H
#define MASING_TRANSIENT_SERIES_H

#include "masing/law.h"
#include "transient/flow_solver.h"

enum { SERIES_MOST_ORDER = 20, SERIES_ROOM = SERIES_MOST_ORDER + 1 };

struct series {
    const struct flow_solver_parts *parts; /* lent */
    int n_modes, n_axes, n_terms;
    double damping_bound; /* of the structure, 1/s */
    double *axis_square;  /* [n_axes] sums of squares of the axes' modal shapes */
    int order;
    double length; /* s */
    /* coefficients of s/length; [SERIES_ROOM][...] or [n_axes][SERIES_ROOM] */
    double *q, *v;                             /* modal coordinates and velocities */
    double *x, *w;                             /* the joints' displacements and velocities */
    double *cosines, *sines, *damping, *force; /* scratch */
};

enum masing_status series_create(const struct flow_solver_parts *parts, struct series **series,
                                 struct masing_error *error);
void series_destroy(struct series *series);

/* The longest time that one series is good for is 1 over this, 1/s. lines [n_axes]. */
double series_rate(const struct series *series, const struct masing_flow_line *lines);

/* Expand from a state over a length; rate as above, phase of the loads' fundamental. */
void series_expand(struct series *series, const struct masing_flow_line *lines, double rate,
                   double phase, const double *q, const double *v, double length);

/* The state at a part of the length. */
void series_state(const struct series *series, double part, double *q, double *v);

/* The sign of the first derivative of an axis' velocity there that is not zero. */
double series_direction(const struct series *series, int axis, double part);

#endif
