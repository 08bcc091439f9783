/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steady state of a periodic path: the fixed point of the map of one period. */
#ifndef MASING_LAWS_EVOLUTION_PERIOD_H
#define MASING_LAWS_EVOLUTION_PERIOD_H

#include "masing/law.h"

/* Where one period from a state leads. */
struct period_end {
    double z;
    double growth, round_off; /* change of the state over the period, and its error */
    double decay;             /* 1 - the factor left of a change of the state */
    double size;              /* largest state on the way */
};

/* Go once around from z. The last time is announced; it may be that no call is the last. */
typedef enum masing_status (*period_follow)(void *context, double z, bool is_last,
                                            struct period_end *end);

/*
 * Newton's method on a map that contracts, |z| <= limit; afterwards the context holds the
 * steady state as the last call has left it.
 * @param is_linear the map is: two calls suffice, and the second is announced
 * @param guess the state to begin with, receives what was found; NULL: from rest.
 * @return MASING_NOT_CONVERGED where the map has no fixed point that Newton's method finds
 */
enum masing_status period_close(period_follow follow, void *context, bool is_linear,
                                double limit, double *guess);

/* A change of the state that comes back as it was after one period. */
void period_close_change(double decay, double *dz, size_t n);

#endif
