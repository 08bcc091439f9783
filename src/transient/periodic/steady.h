/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Has a motion become periodic? The state at the end of a period is compared with that at its
 * beginning, in the energy norm of the modal coordinates,
 *   |dq|^2 = sum dv^2 + max(omega^2, Omega^2) dq^2,
 * relative to the largest speed sqrt(sum v^2) of the period. From how this change shrinks over
 * the periods follows how far the periodic motion still is: change / (1 - shrinkage).
 *
 * The same holds for the change over 2 to 32 periods and its shrinkage over as many. Where it
 * says that a motion of m periods is near, the order is the smallest divisor d of m over which
 * the state does not change by more than that distance explains: a free vibration that dies out
 * at a simple ratio to the load's frequency repeats nearly after m periods, but the change over
 * one period dies out with it. Where the change over d periods still is more than the
 * tolerance, it is too early to tell.
 */
#ifndef MASING_TRANSIENT_PERIODIC_STEADY_H
#define MASING_TRANSIENT_PERIODIC_STEADY_H

#include "transient/integrator.h"

enum { STEADY_MEMORY = 5, STEADY_MOST_PERIODS = 32 };

struct steady {
    double tolerance;
    double *q, *v;                 /* [n_modes] at the beginning of the period */
    double speed;                  /* largest squared speed seen in the period */
    double changes[STEADY_MEMORY]; /* of the last periods, newest first */
    bool is_linear;                /* such motions have the load's period only */
    int n_periods;                 /* that have been compared */
    int n_good;                    /* consecutive ones within the tolerance */
    double distance;               /* estimated, relative, from the periodic motion */
    double *past;                  /* [STEADY_MOST_PERIODS][2 n_modes] states, a ring */
    double (*over)[STEADY_MOST_PERIODS + 1]; /* [STEADY_MOST_PERIODS + 1] changes over m
                                                periods, a ring over the periods, rows m */
    int n_near[STEADY_MOST_PERIODS + 1];     /* periods in a row near a motion of m periods */
    int order;                               /* periods after which it repeats; 0: none */
};

enum masing_status steady_create(const struct integrator *integrator, double tolerance,
                                 struct steady **steady, struct masing_error *error);
void steady_destroy(struct steady *steady);

/* A period begins with the integrator's present state. */
void steady_begin(struct steady *steady, const struct integrator *integrator);

/* Look at the speed now; some dozen times per period are enough. */
void steady_sample(struct steady *steady, const struct integrator *integrator);

/* A period has ended and the next begins. True if the motion is periodic: with the period of
 * the load, or with a multiple of it, see order. */
bool steady_end(struct steady *steady, const struct integrator *integrator);

/* After a motion of so many periods: the fewest after which it repeats within the tolerance. */
int steady_least_order(struct steady *steady, int n_periods);

/* The largest order that would have been recognised in so many periods; 1: none but the load's.
 */
int steady_most_order(const struct steady *steady);

#endif
