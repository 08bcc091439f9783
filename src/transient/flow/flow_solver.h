/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time integration to a tolerance: SUNDIALS CVODE (Adams' methods of variable order) on the
 * modal equations and the joints' internal states. Between events everything is smooth; at an
 * event, which CVODE finds as a root, the joint ends its interval and begins another, and the
 * solver starts anew (Hindmarsh et al. 2005).
 */
#ifndef MASING_TRANSIENT_FLOW_FLOW_SOLVER_H
#define MASING_TRANSIENT_FLOW_FLOW_SOLVER_H

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "transient/stepper.h"

struct massless;

/* The last numbers of y are the work of the loads, on the joints and on the damping. */
enum { FLOW_WORK = 3 };

struct flow_solver {
    struct stepper_parts parts;
    SUNContext sundials;
    void *cvode;
    SUNNonlinearSolver iteration;
    N_Vector y, rate, tolerance; /* modes, their velocities, states of joints; then work */
    int n_modes, n_axes, n_joints, n_z;
    int *z_start;              /* [n_joints + 1] places of the continuous states in z */
    int *monitor_start;        /* [n_joints + 1] places of the monitors */
    int *regime_start;         /* [n_joints + 1] places of the regimes */
    double *regime;            /* [numbers of all regimes] */
    bool needs_acceleration;   /* monitors of any joint */
    int *roots;                /* [monitors] */
    double *monitors;          /* [monitors] scratch */
    double *rest;              /* [n_joints] below zero by this a monitor ends its interval:
                                  the first where it is a reversal, all that are corners */
    int n_overdue;             /* times in a row at which an interval was over unseen */
    double *size;              /* [2 n_modes + n_z] what tolerances are parts of: the largest
                                  so far, at first what it may be */
    double *largest;           /* [2 n_modes] largest so far */
    double least[2];           /* of displacements and velocities, where nothing has moved */
    double *force, *damping;   /* [n_modes + n_ports], [n_modes] */
    double *x, *v, *a, *f;     /* [n_axes] */
    double *span;              /* [n_axes] sizes that displacements may have, roughly */
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

/* Displacements and velocities of the joints at a state y; accelerations and forces, too. */
enum masing_status flow_solver_project(struct flow_solver *solver, double time,
                                       const double *y);
enum masing_status flow_solver_accelerate(struct flow_solver *solver, double time,
                                          const double *y);

/* The rests, which follow the sizes so far. */
void flow_solver_set_rest(struct flow_solver *solver);

/* Begin intervals of a joint, those that its monitors ended or all of them (NULL). A direction
 * that is not 0 is that of the motion; else velocities decide or, where there are none,
 * accelerations. */
void flow_solver_begin_interval(struct flow_solver *solver, int joint, const int *ended,
                                double direction);

/* End the intervals whose monitors were found as roots [monitors] and begin the next; NULL:
 * begin all. */
enum masing_status flow_solver_enter(struct flow_solver *solver, double time, const int *roots);

/* The same where intervals are over at a time without that a root was found. */
enum masing_status flow_solver_end_overdue(struct flow_solver *solver, double time,
                                           bool *is_any);

/* Monitors of all joints, for CVODE; context being the solver. */
int flow_solver_monitors(realtype time, N_Vector y, realtype *values, void *context);

/* What the model file calls accurate. MASING_UNSUPPORTED where a law is no differential
 * equation. MASING_NOT_CONVERGED: the solver failed, or the events never end (chatter). */
extern const struct stepper_type flow_stepper;

/*
 * massless.c: joints on DOFs without mass, whose displacements solve at each instant
 *   x + F f(x, z) = x_free,
 * the internal states z being those of the differential equation. Their velocities follow from
 *   (I + F df/dx) x' = x_free',
 * df/dx being what f changes by along the interval, with what x' does to z.
 */

/* NULL where no joint acts on a DOF without mass. The solver is lent. */
enum masing_status massless_create(struct flow_solver *solver, struct massless **massless,
                                   struct masing_error *error);

/* The joints' displacements at time 0 and, as if they had no forces, velocities. */
enum masing_status massless_begin(struct massless *massless, const double *y);

/* Displacements and velocities of the joints at a state y; those of the solver come in as the
 * modes give them. MASING_NOT_CONVERGED: there are none that continue those found last. */
enum masing_status massless_follow(struct massless *massless, double time, const double *y);

/* Accelerations of the joints, those of the solver coming in as the modes give them: right
 * where a joint is at rest. */
void massless_accelerate(struct massless *massless, double time);

/* After an event the velocities jump: other joints may have come to an end of their interval,
 * or have to turn. y changes in their states. */
enum masing_status massless_settle(struct massless *massless, double time, double *y);

/* Why the last call did not converge. */
const char *massless_trouble(const struct massless *massless);

#endif
