/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The motion of the modal equations with joints whose forces are f = k x + c v + level, over a
 * length of time: the exponential of their matrix times the state, as its Taylor series
 * (Al-Mohy and Higham 2011), loads and levels being states of their own. The length is at most
 * that over which the series has full accuracy without losing digits; it also gives the joints'
 * motion as polynomials, in which events are found.
 */
#ifndef MASING_TRANSIENT_EXACT_SERIES_H
#define MASING_TRANSIENT_EXACT_SERIES_H

#include "transient/flexible.h"

enum { SERIES_MOST_ORDER = 20, SERIES_ROOM = SERIES_MOST_ORDER + 1 };

struct series {
    const struct stepper_parts *parts;    /* lent, as the next two */
    struct flexible *flexible;            /* joints on DOFs without mass, or NULL */
    const struct masing_flow_line *lines; /* [n_axes]; joint j has one axis, j */
    int n_modes, n_axes, n_terms;
    double damping_bound; /* of the structure, 1/s */
    double *axis_square;  /* [n_axes] sums of squares of the axes' modal shapes */
    double time;          /* s, where it begins */
    int order;
    double length; /* s */
    /* its coefficients of s/length; [SERIES_ROOM][n_modes] or [n_axes][SERIES_ROOM] */
    double *terms_q, *terms_v; /* modal coordinates and velocities */
    double *terms_x, *terms_w; /* the joints' displacements and velocities */
    double *loads;             /* [SERIES_ROOM + 1][n_axes] what loads do to the joints through
                                  DOFs without mass */
    double speed, reach;       /* of those joints, what their w and x are sums of */
    /* [n_axes] likewise of all joints, the largest of all series so far; displacements */
    double *fastest, *farthest;
    double *cosines, *sines, *damping, *force, *column; /* scratch */
    double *power_q, *power_v, *power_damping;          /* [n_modes] scratch */
    double *power_force;                                /* [n_modes + n_ports] scratch */
};

enum masing_status series_create(const struct stepper_parts *parts, struct flexible *flexible,
                                 const struct masing_flow_line *lines, struct series **series,
                                 struct masing_error *error);

/* Joints on DOFs without mass move with their forces, without delay. */
bool series_is_massless(const struct series *series, int axis);

/* 1/s, of the lines that hold now: over one such time the series is good. */
double series_rate(const struct series *series);

/* What follows is for an order that does for this rate and length, from this time on. */
void series_prepare(struct series *series, double time, double rate, double length);
/* Of the state q, v [n_modes] there, for the lines that hold. */
void series_expand(struct series *series, const double *q, const double *v);

/* The state at a part of the length. */
void series_state(const struct series *series, double part, double *q, double *v);
/* Displacement and velocity of an axis there. */
void series_axis(const struct series *series, int axis, double part, double *x, double *w);
/* The sign with which an axis on a DOF without mass sets out, 0: it stays where it is. */
double series_heading(const struct series *series, int axis);
/* The sign of the first derivative of an axis' velocity at a part that is not zero. */
double series_direction(const struct series *series, int axis, double part);

/* Add what is done from the beginning to a part of the length. */
void series_add_work(struct series *series, double part, struct work *work);

/* The phase of the loads' fundamental at a time, rad. */
double series_phase(const struct stepper_parts *parts, double time);

#endif
