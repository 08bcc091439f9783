/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Has a motion become periodic? The state at the end of a period is compared with that at its
 * beginning, in the energy norm of the modal coordinates,
 *   |dq|^2 = sum dv^2 + max(omega^2, Omega^2) dq^2,
 * relative to the largest speed sqrt(sum v^2) of the period. From how this change shrinks over
 * the periods follows how far the periodic motion still is: change / (1 - shrinkage).
 */
#ifndef MASING_TRANSIENT_STEADY_H
#define MASING_TRANSIENT_STEADY_H

#include "transient/integrator.h"

enum { STEADY_MEMORY = 5, STEADY_MOST_PERIODS = 32 };

struct steady {
    double tolerance;
    double *q, *v;                 /* [n_modes] at the beginning of the period */
    double speed;                  /* largest squared speed seen in the period */
    double changes[STEADY_MEMORY]; /* of the last periods, newest first */
    int n_periods;                 /* that have been compared */
    int n_good;                    /* consecutive ones within the tolerance */
    double distance;               /* estimated, relative, from the periodic motion */
    /* motions that repeat after several periods of the load only */
    double *past;                         /* [STEADY_MOST_PERIODS][2 n_modes] states, a ring */
    int n_alike[STEADY_MOST_PERIODS + 1]; /* periods in a row that were as so many before */
    int order;                            /* periods after which the motion repeats; 0: none */
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

#endif
