/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Direct time integration of a model at one frequency, step by step. */
#ifndef MASING_TRANSIENT_INTEGRATOR_H
#define MASING_TRANSIENT_INTEGRATOR_H

#include "transient/stepper.h"

struct integrator {
    struct arena arena;               /* of all that it holds */
    const struct masing_model *model; /* lent */
    double omega;                     /* rad/s, of the loads */
    double period;                    /* s */
    int n_steps;                      /* per period */
    int phase;                        /* step within the period, 0..n_steps - 1 */
    long count;                       /* steps since the start */
    struct ports *ports;
    struct forcing *forcing;
    struct modal_state *modal;
    struct joints *joints;
    struct stepper stepper;
    double *force;    /* [n_modes + n_ports] loads now, as forcing_evaluate gives them */
    double *x, *v;    /* [n_axes] scratch */
    bool is_fresh;    /* the stepper has yet to begin */
    bool is_unloaded; /* see integrator_create_unloaded */
};

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
/* Whether a rule's steps take bearable time with the joints' axes; said by the above, too:
 * MASING_UNSUPPORTED. */
enum masing_status integrator_check_size(const struct masing_model *model,
                                         struct masing_error *error);
/*
 * Without the model's loads, at a step of its own. Static loads stay, and a force f sin(omega
 * t) with f in forcing->sine, [n_modes] modal, until integrator_end_force(); omega is
 * then not 0. By a rule, always the undamped one, a free motion's frequency w appears as (2/h)
 * atan(w h/2).
 */
enum masing_status integrator_create_unloaded(const struct masing_model *model, double step,
                                              double omega, struct integrator **integrator,
                                              struct masing_error *error);
/* The force ends at this time within the next step, s. */
enum masing_status integrator_end_force(struct integrator *integrator, double time);
void integrator_destroy(struct integrator *integrator);

/* Loads, accelerations and counters for the state q, v and joint states that have been set. */
void integrator_begin(struct integrator *integrator);

/* Add to the modal displacements and velocities [n_modes], the joints following in one straight
 * step, and begin there. The status is that of a law. */
enum masing_status integrator_displace(struct integrator *integrator, const double *q,
                                       const double *v);

/* Go on from here with modal coordinates that have been changed in what no joint sees. A
 * stepper with a state of its own counts from here on. */
enum masing_status integrator_restart(struct integrator *integrator);

/* One step. MASING_NOT_CONVERGED: the joints' equations were not solved; MASING_NOT_FINITE. The
 * state is then that of no time. */
enum masing_status integrator_step(struct integrator *integrator);

/* The modal state as it is now: steppers may have it in another form until it is asked for. To
 * be changed only before integrator_begin or integrator_restart. */
struct modal_state *integrator_modal(const struct integrator *integrator);

/* Sum of the squared modal velocities; anything up to `least` where it is surely not more. */
double integrator_squared_speed(const struct integrator *integrator, double least);

/* Displacements, velocities or accelerations of the outputs, as each output says, and their
 * time derivatives (NAN where there is none, as for accelerations): [n_outputs] each. */
void integrator_outputs(const struct integrator *integrator, double *value, double *rate);

/* From now on work is added up; that until now, J. */
enum masing_status integrator_measure(struct integrator *integrator);
struct work integrator_work(const struct integrator *integrator);

/* Whether the steps show a harmonic at all. */
static inline bool integrator_shows(const struct integrator *integrator, int harmonic)
{
    return 2 * harmonic < integrator->n_steps;
}

/* Velocity and acceleration per displacement of a harmonic that the steps show, as the stepper
 * has them. */
struct stepper_rates integrator_rates(const struct integrator *integrator, int harmonic);

/* What the joints remember now [all state sizes]; their own states may be those at which
 * present intervals began. */
enum masing_status integrator_joint_states(const struct integrator *integrator, double *states);

/* Why a step ended with this status, MASING_NOT_CONVERGED or MASING_NOT_FINITE, in words. */
const char *integrator_trouble(const struct integrator *integrator, enum masing_status status);

/* Velocities of the joints' axes [n_axes]; on DOFs without mass the rules, and before its first
 * step any stepper, give those of the modes only. */
void integrator_joint_velocities(const struct integrator *integrator, double *v);

/* Seconds since the start. */
double integrator_time(const struct integrator *integrator);

#endif
