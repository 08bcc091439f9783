/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Direct time integration of a model at one frequency, step by step. */
#ifndef MASING_TRANSIENT_INTEGRATOR_H
#define MASING_TRANSIENT_INTEGRATOR_H

#include "transient/coupling.h"
#include "transient/exact_solver.h"
#include "transient/flow_solver.h"
#include "transient/forcing.h"
#include "transient/newmark.h"

struct integrator {
    const struct masing_model *model; /* lent */
    double omega;                     /* rad/s, of the loads */
    double period;                    /* s */
    double step; /* s, of the integration rule, see integrator_create; or between two times */
    int n_steps; /* per period */
    int phase;   /* step within the period, 0..n_steps - 1 */
    long count;  /* steps since the start */
    struct ports *ports;
    struct forcing *forcing;
    struct newmark *newmark;
    struct joints *joints;
    struct coupling *coupling;
    double *compliance; /* [n_axes][n_axes] of the modes over a step and of massless DOFs */
    double *force;      /* [n_modes + n_ports] loads now, as forcing_evaluate gives them */
    double *x_free, *v_free;    /* [n_axes] */
    struct flow_solver *flow;   /* steps to a tolerance in place of the rule, or NULL */
    struct exact_solver *exact; /* exact ones, or NULL */
    bool is_fresh;              /* the flow has yet to begin */
    bool is_unloaded;           /* see integrator_create_unloaded */
    struct work work;           /* that exact ones are asked to add up */
};

/* Whether a method, of enum masing_integration_method, has steps whose length is all its
 * accuracy. */
bool integrator_method_is_rule(int method);

/*
 * Everything that stepping needs is allocated here.
 *
 * With a step h the average-acceleration rule takes a frequency w for (2/h) tan(w h/2). The
 * step is therefore chosen so that this is w at the fundamental, h = (2/Omega) tan(pi/n_steps)
 * instead of 2 pi/(Omega n_steps), as filters are "prewarped" for the bilinear transform:
 * the linear part of the fundamental is then exact, and a resonance stands where it belongs,
 * which matters when damping is small. The rule stays of second order. Of the damped rule that
 * is so for the real part of its square.
 *
 * Errors: MASING_INVALID, MASING_UNSUPPORTED with what the time domain cannot do.
 */
enum masing_status integrator_create(const struct masing_model *model, double omega,
                                     int n_steps, struct integrator **integrator,
                                     struct masing_error *error);
/*
 * Without the model's loads, at a step of its own. Static loads stay, in forcing->constant, to
 * which forces may be added from step to step by the rule: [n_modes] modal ones. A free
 * motion's frequency w appears as (2/h) atan(w h/2): of rules always the undamped one. Other
 * methods take the force f sin(omega t) with f in forcing->sine, [n_modes] modal, until they
 * are told that it has ended; omega is then not 0.
 */
enum masing_status integrator_create_unloaded(const struct masing_model *model, double step,
                                              double omega, struct integrator **integrator,
                                              struct masing_error *error);
/* Of other methods: go to a time of the step that is next, s, where the force ends. */
enum masing_status integrator_end_force(struct integrator *integrator, double time);
void integrator_destroy(struct integrator *integrator);

/* Loads, accelerations and counters for the state q, v and joint states that have been set. */
void integrator_begin(struct integrator *integrator);

/* Go on from here with modal coordinates that have been changed in what no joint sees. A solver
 * counts from here on. */
enum masing_status integrator_restart(struct integrator *integrator);

/* One step. MASING_NOT_CONVERGED: the joints' equations were not solved; MASING_NOT_FINITE. The
 * state is then that of no time. */
enum masing_status integrator_step(struct integrator *integrator);

/* Displacements, velocities or accelerations of the outputs, as each output says, and their
 * time derivatives (NAN where there is none, as for accelerations): [n_outputs] each. */
void integrator_outputs(const struct integrator *integrator, double *value, double *rate);

/* Whether steps are those of the rule, of which the errors are known. */
bool integrator_has_rule(const struct integrator *integrator);

/* From now on work is added up, where there is no rule; that until now, J. */
enum masing_status integrator_measure(struct integrator *integrator);
struct work integrator_work(const struct integrator *integrator);

/* Whether the steps show a harmonic at all. */
static inline bool integrator_shows(const struct integrator *integrator, int harmonic)
{
    return 2 * harmonic < integrator->n_steps;
}

/* Velocity and acceleration per displacement of a harmonic that the steps show, as a rule has
 * them; i w and -w^2 without one. */
struct newmark_rates integrator_rates(const struct integrator *integrator, int harmonic);

/* What the joints remember now [all state sizes]; their own states may be those at which
 * present stretches began. */
enum masing_status integrator_joint_states(const struct integrator *integrator, double *states);

/* Why a step ended with this status, MASING_NOT_CONVERGED or MASING_NOT_FINITE, in words. */
const char *integrator_trouble(const struct integrator *integrator, enum masing_status status);

/* Velocities of the joints' axes [n_axes]; on DOFs without mass the rules, and before their
 * first step the solvers, know those of the modes only. */
void integrator_joint_velocities(const struct integrator *integrator, double *v);

/* Seconds since the start. */
double integrator_time(const struct integrator *integrator);

#endif
