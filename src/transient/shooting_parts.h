/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to shooting: its workspace. */
#ifndef MASING_TRANSIENT_SHOOTING_PARTS_H
#define MASING_TRANSIENT_SHOOTING_PARTS_H

#include "linalg/eigen_general.h"
#include "transient/rigid_body.h"
#include "transient/shooting.h"
#include "transient/variation.h"

/* A state to go on from, the end of a try. */
struct shooting_state {
    double *q, *v;  /* [n_modes] */
    double *x, *f;  /* [n_axes] */
    double *joints; /* [all state sizes] */
    double change;  /* squared, that its try made: how far from periodic it is */
};

struct shooting {
    struct integrator *integrator; /* lent */
    struct variation *variation;
    struct eigen_general *eigen;
    struct rigid_body rigid;
    int n_periods, n_steps; /* n_steps of all periods */
    int stride;             /* steps of the integration per step of the map */
    double *x, *v;          /* [n_steps + 1][n_axes] the motion */
    double *q0, *v0, *f0;   /* state at the beginning */
    double *joints0;        /* [all state sizes] */
    double *joints1;        /* likewise, at the end */
    double *q1, *v1, *f1;
    double *dq, *dv;            /* [n_modes] step of the state at the beginning */
    double *residual;           /* [capacity] what a period changes, then the Newton step */
    double *real, *imaginary;   /* [capacity] */
    double *matrix, *factor;    /* [capacity^2] */
    int *pivots;                /* [capacity] */
    double *scale;              /* [capacity] units of the coordinates in the matrix */
    double *left, *right;       /* [capacity] singular vectors */
    double *scratch;            /* [capacity] */
    double *moved;              /* [all state sizes] scratch */
    double *change;             /* [2][n_axes] of displacements and velocities */
    double speed;               /* largest squared speed of the last try */
    int n_neutral;              /* directions that the last equations left open */
    bool *is_neutral;           /* [n_axes] those that these directions move */
    double open;                /* squared residual along them, which no step mends */
    bool is_updated;            /* the next try begins with a Newton step */
    struct shooting_state good; /* of the tries that were marched or came closer */
};

/* The step from what the last try changed and the map; MASING_SINGULAR. */
enum masing_status shooting_solve(struct shooting *shooting);

/* Modulus of the largest multiplier besides those of 1 that belong to neutral directions; NAN.
 * Overwrites the map. */
double shooting_largest_multiplier(struct shooting *shooting);

/* Doubles of the states of all joints. */
static inline size_t shooting_states(const struct shooting *shooting)
{
    const struct joints *joints = shooting->integrator->joints;
    return joints->state_start[joints->n_joints];
}

#endif
