/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * A joint as part of ordinary differential equations: for time integration that is exact up to
 * the solver's tolerance. Part of "masing/law.h".
 *
 * Between events the forces of a joint are smooth functions of displacements, velocities and
 * continuous internal states. An event is a reversal, the beginning of slip, a loop that
 * closes, a stop that is met: whatever gives force or rate a corner. An interval between two
 * events has a regime, numbers that mean something to its family only. A joint that consists
 * of elements has an interval of each; an event ends the intervals whose monitors it is, the
 * others go on.
 */
#ifndef MASING_LAW_FLOW_H
#define MASING_LAW_FLOW_H

#include <stdbool.h>

#include "masing/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct masing_law;

/** What a joint adds to the equations. */
struct masing_flow_size {
    int n_states; /**< continuous internal states */
    int n_monitors;
    int n_regime;                  /**< numbers of the regime */
    bool monitors_by_acceleration; /**< monitors and enter read masing_flow_point.a */
    /** Size of a state: it is followed to parts of it; 0: the largest so far. */
    double state_size;
};

/** A joint at one time. */
struct masing_flow_point {
    const struct masing_law *law;
    const void *parameters;
    double *state;       /**< [state_size] of the family; enter and leave alone change it */
    double *regime;      /**< [n_regime] of its intervals; enter alone changes it */
    const double *x, *v; /**< [n_axes] relative displacement, m, and velocity, m/s */
    const double *a;     /**< [n_axes] acceleration, m/s^2; NULL in rate and leave */
    const double *z;     /**< [n_states]; NULL in enter */
    /** [n_axes] sizes that the displacements may have, roughly, m; in enter only, NULL: not
     * known */
    const double *size;
    /** [n_monitors] in enter only: not 0 for the monitors that ended an interval; NULL: all
     * intervals begin */
    const int *ended;
};

/** Most monitors of a law that has lines; it has one axis, one number of regime and no states.
 */
enum { MASING_FLOW_MONITORS = 4 };

/** The force of a joint of one axis and what it changes by with the displacement. */
struct masing_flow_tangent {
    double force;
    double partial; /**< with the continuous states fixed, N/m */
    double along;   /**< along the interval, with what the motion does to those states, N/m */
};

/** An interval of a law that is piecewise linear: f = stiffness x + damping v + level. */
struct masing_flow_line {
    double stiffness, damping, level;
    /** What each monitor changes by with the displacement, or, the first where it is a
     * reversal, with the velocity: such monitors are linear. 0: a monitor that never ends this
     * interval. */
    double monitor_slope[MASING_FLOW_MONITORS];
};

struct masing_flow {
    /** Laws of one axis: the first monitor has the velocity's sign. */
    bool first_is_reversal;
    struct masing_flow_size size;
    /** Sizes that depend on the law and its parameters; NULL: none does. */
    void (*measure)(const struct masing_law *law, const void *parameters,
                    struct masing_flow_size *size);
    /**
     * Begin intervals: the state may change, e.g. remember a reversal. At a reversal the
     * velocity is exactly 0; then the sign of the acceleration decides. The regime of intervals
     * that go on stays, and so do their continuous states z [n_states].
     */
    void (*enter)(const struct masing_flow_point *at, double *z);
    /** Forces [n_axes] and rates of the continuous states [n_states]. */
    enum masing_status (*rate)(const struct masing_flow_point *at, double *f, double *dz);
    /** Where the force does not depend on velocity (see masing_law_needs_velocity), for joints
     * on DOFs without mass: NULL: none can be there. The velocity means nothing. */
    void (*tangent)(const struct masing_flow_point *at, struct masing_flow_tangent *tangent);
    /** Functions [n_monitors] that are positive within the interval; it ends where one is not.
     */
    void (*monitors)(const struct masing_flow_point *at, double *monitors);
    /** The state becomes what is remembered here, where all intervals end or may go on. */
    void (*leave)(const struct masing_flow_point *at);
    /** The interval that enter began, for laws that are piecewise linear; NULL: none is. */
    void (*line)(const struct masing_flow_point *at, struct masing_flow_line *line);
};

#ifdef __cplusplus
}
#endif
#endif
