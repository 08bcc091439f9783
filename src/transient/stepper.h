/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What steps a motion through time: a rule (newmark, hht), CVODE to a tolerance (accurate), or
 * exact motion between events. All take the state from the same place and leave it there, and
 * callers do not depend on which of them it is.
 */
#ifndef MASING_TRANSIENT_STEPPER_H
#define MASING_TRANSIENT_STEPPER_H

#include <complex.h>

#include "transient/forcing.h"
#include "transient/joints.h"
#include "transient/modal_state.h"

struct stepper_parts {   /* all lent */
    struct arena *arena; /* of all that a stepper needs, which lives as long */
    const struct masing_model *model;
    const struct ports *ports;
    const struct forcing *forcing;
    struct modal_state *modal; /* q, v, a: where the state comes from and goes to */
    struct joints *joints;     /* likewise their states, displacements and forces */
    const double *force;       /* [n_modes + n_ports] loads at the end of the step */
    double omega;              /* rad/s */
    double step;               /* s, from one time to the next */
    int n_steps;               /* per period */
    bool is_free;              /* no period is distinguished, see integrator_create_unloaded */
};

/* Work done since it is measured, J: of the loads (of those on DOFs without mass that through
 * the joints' displacements, equal to theirs over a period), on the joints and on the damping;
 * and by how much that on the joints is in doubt. */
struct work {
    double loads, joints, damping, doubt;
};

/* A harmonic motion: the factors from complex displacement to velocity and acceleration, i w
 * and -w^2 of the equation itself; and to what a first acceleration of the balance is beside
 * the stepper's own, with what that makes of displacement and velocity after a step. */
struct stepper_rates {
    double complex velocity, acceleration, lag;
    double lag_q, lag_v;
};

struct stepper {
    const struct stepper_type *type;
    void *self;
    double step;              /* s, as the stepper takes it */
    double accuracy;          /* required of a step, relative; 0: none is */
    const double *compliance; /* [n_axes][n_axes] displacement over a step per joint force, of
                                 the modes; NULL where errors are not those of steps */
};

struct stepper_type {
    bool has_step_error; /* the length of its steps is all its accuracy, of second order */
    bool keeps_state;    /* has the state also for itself: begins anew where it is changed */

    /* Fill in the stepper, whose type is known. MASING_UNSUPPORTED for a law or a structure
     * that it cannot step. */
    enum masing_status (*create)(const struct stepper_parts *parts, struct stepper *stepper,
                                 struct masing_error *error);
    /* What is not in the arena; self may be NULL. NULL: all is there. */
    void (*destroy)(void *self);

    /* Begin at time 0 with the state as it stands in the parts. */
    enum masing_status (*begin)(void *self);

    /* Go on to the time of the next step, s, and leave the state there in the parts.
     * MASING_NOT_CONVERGED, MASING_NOT_FINITE: the state is that of no time. */
    enum masing_status (*advance)(void *self, double time);

    /* Leave the modal state in the parts, for a stepper whose advance leaves there only what
     * the joints show. NULL: advance has. */
    void (*complete)(void *self);
    /* Sum of the squared modal velocities then; anything up to `least` where it is surely not
     * more. NULL, NAN: the modal state tells. */
    double (*squared_speed)(const void *self, double least);
    /* What an output is at the time that was reached last, by the modes: displacement, velocity
     * or acceleration by the order. NULL, NAN: the modal state tells. */
    double (*output)(const void *self, int output, int order);

    /* To a time within the next step where the loads have a corner. NULL: loads count at the
     * ends of steps only. */
    enum masing_status (*corner)(void *self, double time);

    /* At the time that was reached last: what the joints remember [all state sizes] (the states
     * in the parts may be those at which present intervals began), and the velocities of their
     * axes [n_axes]. Either may be NULL. */
    enum masing_status (*state)(const void *self, double *memory, double *velocities);

    /* From now on work is measured, which may take more steps. */
    enum masing_status (*measure)(void *self);
    struct work (*work)(const void *self);

    /* Rates of a harmonic that the steps show. NULL: those of the equation. */
    struct stepper_rates (*rates)(const void *self, int harmonic);

    /* Why the last advance did not converge, or NULL; NULL itself: nothing is known. */
    const char *(*trouble)(const void *self);
};

/* Events within one step: more are chatter. */
enum { STEPPER_MOST_EVENTS = 20000 };
#define STEPPER_CHATTER                                                                        \
    "more than 20000 events of joints within one step (chatter); a joint may be much stiffer " \
    "than what it acts on is heavy"

/* That of a method, of enum masing_integration_method. */
const struct stepper_type *stepper_type(int method);

/* Errors: of the type's create. Destroy it also after a failure. */
enum masing_status stepper_create(const struct stepper_type *type,
                                  const struct stepper_parts *parts, struct stepper *stepper,
                                  struct masing_error *error);
void stepper_destroy(struct stepper *stepper);

#endif
