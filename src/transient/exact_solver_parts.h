/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the exact solver: its workspace. */
#ifndef MASING_TRANSIENT_EXACT_SOLVER_PARTS_H
#define MASING_TRANSIENT_EXACT_SOLVER_PARTS_H

#include "transient/exact_solver.h"
#include "transient/series_work.h"

struct exact_solver {
    struct flow_solver_parts parts;
    struct series *series;
    struct masing_flow_line *lines; /* [n_joints]; joint j has one axis, j */
    double *regime;                 /* [n_joints] */
    double *root;                   /* [n_joints][MASING_FLOW_GUARDS] parts of a series */
    double *q, *v;                  /* [n_modes] */
    double *x, *w;                  /* [n_axes] displacements and velocities of the joints */
    double *held;                   /* [states of all joints] scratch */
    struct series_work *power;
    struct work *work; /* lent: where it is added up, or NULL */
    double time, event_time;
    long events;
    const char *trouble;
};

#endif
