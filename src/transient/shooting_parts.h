/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to shooting: its workspace. */
#ifndef MASING_TRANSIENT_SHOOTING_PARTS_H
#define MASING_TRANSIENT_SHOOTING_PARTS_H

#include "linalg/eigen_general.h"
#include "transient/shooting.h"
#include "transient/variation.h"

struct shooting {
    struct integrator *integrator; /* lent */
    struct variation *variation;
    struct eigen_general *eigen;
    int n_periods, n_steps; /* n_steps of all periods */
    int stride;             /* steps of the integration per step of the map */
    double *x, *v;          /* [n_steps + 1][n_axes] the motion */
    double *q0, *v0, *f0;   /* state at the beginning */
    double *joints0;        /* [all state sizes] */
    double *joints1;        /* likewise, at the end */
    double *q1, *v1, *f1;
    double *dq, *dv;          /* [n_modes] step of the state at the beginning */
    double *residual;         /* [capacity] what a period changes, then the Newton step */
    double *real, *imaginary; /* [capacity] */
    double *matrix;           /* [capacity^2] */
    int *pivots;              /* [capacity] */
    double *moved;            /* [all state sizes] scratch */
    double *change;           /* [2][n_axes] of displacements and velocities */
    double speed;             /* largest squared speed of the last try */
};

/* Doubles of the states of all joints. */
static inline size_t shooting_states(const struct shooting *shooting)
{
    const struct joints *joints = shooting->integrator->joints;
    return joints->state_start[joints->n_joints];
}

#endif
