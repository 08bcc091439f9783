/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the flow solver: its workspace, and what CVODE calls. */
#ifndef MASING_TRANSIENT_FLOW_SOLVER_PARTS_H
#define MASING_TRANSIENT_FLOW_SOLVER_PARTS_H

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "transient/flow_solver.h"

struct massless;

/* The last numbers of y are the work of the loads, on the joints and on the damping. */
enum { FLOW_WORK = 3 };

struct flow_solver {
    struct flow_solver_parts parts;
    SUNContext sundials;
    void *cvode;
    SUNNonlinearSolver iteration;
    N_Vector y, rate, tolerance; /* modes, their velocities, states of joints; then work */
    int n_modes, n_axes, n_joints, n_z;
    int *z_start;              /* [n_joints + 1] places of the continuous states in z */
    int *g_start;              /* [n_joints + 1] places of the guards */
    int *r_start;              /* [n_joints + 1] places of the regimes */
    double *regime;            /* [numbers of all regimes] */
    bool needs_acceleration;   /* guards of any joint */
    int *roots;                /* [guards] */
    double *size;              /* [2 n_modes + n_z] largest so far */
    double *force, *damping;   /* [n_modes + n_ports], [n_modes] */
    double *x, *v, *a, *f;     /* [n_axes] */
    double *span;              /* [n_axes] sizes that displacements may have, roughly */
    double *held;              /* [states of all joints] scratch */
    struct massless *massless; /* joints on DOFs without mass, or NULL */
    double accuracy; /* that of the parts, as CVODE takes it, whose mean counts the work */
    double time;     /* that was reached last */
    bool is_begun, is_measured;
    const char *trouble;    /* why an advance did not converge */
    enum masing_status why; /* what made a callback fail */
};

/* A joint at a state y; solver->x, v are those there. */
struct masing_flow_point flow_solver_point(const struct flow_solver *solver, int joint,
                                           const double *y);

/* Rates of the state and guards of all joints, context being the solver. */
int flow_solver_rates(realtype time, N_Vector y, N_Vector rate, void *context);
/* One over what an error of y may be. */
int flow_solver_weights(N_Vector y, N_Vector weights, void *context);
int flow_solver_guards(realtype time, N_Vector y, realtype *values, void *context);

#endif
