/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * A joint as part of ordinary differential equations: for time integration that is exact up to
 * the solver's tolerance. Part of "masing/law.h".
 *
 * Between events the force of a joint is a smooth function of displacement, velocity and
 * continuous internal states. An event is a reversal, the beginning of slip, a loop that
 * closes, a stop that is met: whatever gives force or rate a corner. A stretch between two
 * events has a regime, a number that means something to its family only.
 */
#ifndef MASING_LAW_FLOW_H
#define MASING_LAW_FLOW_H

#include <stdbool.h>

#include "masing/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct masing_law;

/** Bounds of masing_flow.n_states and n_guards. */
enum { MASING_FLOW_STATES = 2, MASING_FLOW_GUARDS = 4 };

/** A joint of one axis at one time. */
struct masing_flow_point {
    double x, v;     /**< relative displacement, m, and velocity, m/s */
    const double *z; /**< [n_states] */
};

/** A stretch of a law that is piecewise linear: f = stiffness x + damping v + level. */
struct masing_flow_line {
    double stiffness, damping, level;
    /** What each guard changes by with the displacement, or, the first where it is a reversal,
     * with the velocity: such guards are linear. 0: a guard that never ends this stretch. */
    double guard_slope[MASING_FLOW_GUARDS];
};

struct masing_flow {
    int n_states;           /**< continuous internal states, at most MASING_FLOW_STATES */
    int n_guards;           /**< at most MASING_FLOW_GUARDS */
    bool first_is_reversal; /**< the first guard tells of the velocity's sign */
    /**
     * Begin a stretch.
     * @param x displacement, that of the state
     * @param v velocity, or exactly 0 at a reversal; then the sign of @p acceleration decides
     * @param state [state_size] of the family; may change, e.g. remember a reversal
     * @param z [n_states] receives the continuous states
     * @return the regime
     */
    int (*enter)(const struct masing_law *law, const void *parameters, double x, double v,
                 double acceleration, double *state, double *z);
    /** Force and rates of the continuous states [n_states]. */
    enum masing_status (*rate)(const struct masing_law *law, const void *parameters,
                               const double *state, int regime,
                               const struct masing_flow_point *point, double *f, double *dz);
    /** Functions [n_guards] that are positive within the stretch; it ends where one is not. */
    void (*guards)(const struct masing_law *law, const void *parameters, const double *state,
                   int regime, const struct masing_flow_point *point, double *guards);
    /** End the stretch: the state at this point. */
    enum masing_status (*leave)(const struct masing_law *law, const void *parameters,
                                int regime, const struct masing_flow_point *point,
                                double *state);
    /** The stretch that enter began, for laws that are piecewise linear; NULL: none is. */
    void (*line)(const struct masing_law *law, const void *parameters, const double *state,
                 int regime, struct masing_flow_line *line);
};

#ifdef __cplusplus
}
#endif
#endif
