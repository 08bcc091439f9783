/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time integration to a tolerance: SUNDIALS CVODE (Adams' methods of variable order) on the
 * modal equations and the joints' internal states. Between events everything is smooth; at an
 * event, which CVODE finds as a root, the joint ends its stretch and begins another, and the
 * solver starts anew (Hindmarsh et al. 2005).
 */
#ifndef MASING_TRANSIENT_FLOW_SOLVER_H
#define MASING_TRANSIENT_FLOW_SOLVER_H

#include "transient/forcing.h"
#include "transient/joints.h"
#include "transient/newmark.h"
#include "transient/work.h"

/* Events between two times that are asked for: more are chatter. */
enum { FLOW_MOST_EVENTS = 20000 };
#define FLOW_CHATTER                                                                           \
    "more than 20000 events of joints within one step (chatter); a joint may be much stiffer " \
    "than what it acts on is heavy"

struct flow_solver;

struct flow_solver_parts { /* all lent */
    const struct masing_model *model;
    const struct ports *ports;
    const struct forcing *forcing;
    struct newmark *newmark; /* q, v, a: where the state comes from and goes to */
    struct joints *joints;   /* likewise their states, displacements and forces */
    double omega;
    double accuracy; /* relative, of one step */
};

/* MASING_UNSUPPORTED where a law is no differential equation. */
enum masing_status flow_solver_create(const struct flow_solver_parts *parts,
                                      struct flow_solver **solver, struct masing_error *error);
void flow_solver_destroy(struct flow_solver *solver);

/* Begin at time 0 with the state as it stands in the parts. */
enum masing_status flow_solver_begin(struct flow_solver *solver);

/* Go on to a time later than all before, s, and leave the state there in the parts.
 * MASING_NOT_CONVERGED: the solver failed, or the events never end (chatter). */
enum masing_status flow_solver_advance(struct flow_solver *solver, double time);

/* Begin anew at the time that was reached last, where a load has a corner. */
enum masing_status flow_solver_restart(struct flow_solver *solver, double time);

/* What the joints remember at the time that was reached last [all state sizes]; the states of
 * the parts are those at which the present stretches began. */
enum masing_status flow_solver_state(const struct flow_solver *solver, double *state);

/* From now on, where it begins anew, work is as accurate as the motion, which takes more steps.
 */
enum masing_status flow_solver_measure(struct flow_solver *solver);

/* Work that was done until then. */
struct work flow_solver_work(const struct flow_solver *solver);

/* Velocities of the joints at the time that was reached last [n_axes]. */
const double *flow_solver_velocities(const struct flow_solver *solver);

/* Why the last advance did not converge. */
const char *flow_solver_trouble(const struct flow_solver *solver);

#endif
