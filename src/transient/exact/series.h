/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact motion of the modal equations with joints whose forces are f = k x + c v + level, over
 * a length of time: the exponential of their matrix times the state, as its Taylor series
 * (Al-Mohy and Higham 2011), loads and levels being states of their own. The length is at most
 * that over which the series has full accuracy without losing digits; it also gives the joints'
 * motion as polynomials, in which events are found.
 */
#ifndef MASING_TRANSIENT_EXACT_SERIES_H
#define MASING_TRANSIENT_EXACT_SERIES_H

#include "masing/law.h"
#include "transient/flexible.h"

enum { SERIES_MOST_ORDER = 20, SERIES_ROOM = SERIES_MOST_ORDER + 1 };

struct series {
    const struct stepper_parts *parts; /* lent */
    struct flexible *flexible;         /* joints on DOFs without mass, or NULL */
    int n_modes, n_axes, n_terms;
    double damping_bound; /* of the structure, 1/s */
    double *axis_square;  /* [n_axes] sums of squares of the axes' modal shapes */
    int order;
    double length; /* s */
    /* coefficients of s/length; [SERIES_ROOM][...] or [n_axes][SERIES_ROOM] */
    double *q, *v;       /* modal coordinates and velocities */
    double *x, *w;       /* the joints' displacements and velocities */
    double *loads;       /* [SERIES_ROOM + 1][n_axes] what loads do to the
                            joints through DOFs without mass */
    double speed, reach; /* of those joints, what their w and x are sums of */
    /* [n_axes] likewise of all joints, the largest of all series so far; displacements */
    double *fastest, *farthest;
    double *cosines, *sines, *damping, *force, *column; /* scratch */
};

/* In the parts' arena. */
enum masing_status series_create(const struct stepper_parts *parts, struct series **series,
                                 struct masing_error *error);

/* A motion begins. */
void series_begin(struct series *series);

/* These lines [n_axes] hold from now on. False: joints on DOFs without mass jump. */
bool series_set(struct series *series, const struct masing_flow_line *lines);

/* The longest time that one series is good for is 1 over this, 1/s. lines [n_axes]. */
double series_rate(const struct series *series, const struct masing_flow_line *lines);

/* Expand from a state over a length; rate as above, phase of the loads' fundamental. */
void series_expand(struct series *series, const struct masing_flow_line *lines, double rate,
                   double phase, const double *q, const double *v, double length);

/* The state at a part of the length. */
void series_state(const struct series *series, double part, double *q, double *v);

/* Displacement and velocity of an axis there. */
void series_axis(const struct series *series, int axis, double part, double *x, double *w);

/* The sign of the first derivative of an axis' velocity there that is not zero. */
double series_direction(const struct series *series, int axis, double part);

/* The sign with which an axis on a DOF without mass sets out, 0: it stays where it is. */
double series_heading(const struct series *series, int axis);

#endif
