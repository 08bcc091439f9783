/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All joints of a model at one time: their forces, tangents and states. */
#ifndef MASING_TRANSIENT_JOINTS_H
#define MASING_TRANSIENT_JOINTS_H

#include "base/arena.h"
#include "masing/law.h"
#include "model/model.h"

struct joints {
    int n_joints, n_axes;
    const struct joint *joint; /* [n_joints] lent */
    bool needs_velocity;       /* of any law */
    size_t *state_start;       /* [n_joints + 1] places in the states */
    size_t *block_start;       /* [n_joints + 1] squares of the joints' axes, summed up */
    double *state, *next;      /* accepted and tried states */
    double *x;                 /* [n_axes] displacement that the accepted states belong to */
    double *f;                 /* [n_axes] forces of the last evaluation */
    double *df;                /* their tangents, see joints_tangent */
    struct masing_step *step;  /* [n_joints] what is the same at each time */
    /* Where all joints are piecewise linear and the last point was accepted: between limits f =
     * level + df (x, v), as long as a joint that remembers turns goes one way, +-1; and the
     * accepted states may lie behind x on the same interval. */
    bool can_be_linear, is_linear, is_behind;
    double *level, *low, *high, *way; /* [n_axes] */
};

enum masing_status joints_create(const struct masing_model *model, struct arena *arena,
                                 struct joints **joints, struct masing_error *error);

/* Doubles of the states of all joints. */
static inline size_t joints_state_size(const struct joints *joints)
{
    return joints->state_start[joints->n_joints];
}

/* The accepted state of a joint. */
static inline double *joints_state(const struct joints *joints, int j)
{
    return joints->state + joints->state_start[j];
}

/* Tangents of a joint with m axes [m][n of its step]: by its m displacements, then, where it
 * needs them, by its m velocities. */
static inline double *joints_tangent(const struct joints *joints, int j)
{
    return joints->df + 2 * joints->block_start[j];
}

/* States before any motion, sliders at origin [n_axes]; the joints stand there too. */
void joints_rest(struct joints *joints, const double *origin);

/* Forces, tangents and tried states after the straight step from the accepted displacement to x
 * [n_axes], arriving with velocity v [n_axes]. */
enum masing_status joints_evaluate(struct joints *joints, const double *x, const double *v);

/* The last evaluation, at x, happened. */
void joints_accept(struct joints *joints, const double *x);

/* A motion within the limits to x, where the forces are f, happened. */
void joints_accept_linear(struct joints *joints, const double *x, const double *f);

/* The accepted states become those of the displacement that was accepted last. */
enum masing_status joints_catch_up(struct joints *joints);

/* Other states have taken their place, which evaluations begin from. */
static inline void joints_replaced(struct joints *joints)
{
    joints->is_linear = joints->is_behind = false;
}

/*
 * The displacement of a joint of one axis at which the monitors [n] that ended its interval,
 * those of which `ended` is negative, are zero or less, which round-off may not show at the
 * point where they were found to be: what begins before a limit would go on behind it. slope
 * [n]: what a monitor changes by with the displacement; 0: it does not count.
 */
double joint_settle_on_limits(const struct masing_flow_point *point, int n, const int *ended,
                              const double *slope);

#endif
