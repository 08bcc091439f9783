/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signs of the event functions, shared by corners and marks. */
#ifndef MASING_CONTINUATION_EVENTS_SIGNS_H
#define MASING_CONTINUATION_EVENTS_SIGNS_H

#include <math.h>

#include "continuation/curve.h"

/* A value this small, relative to that before, is a zero at the point itself. */
#define SIGNS_ZERO 1e-10
/* A zero so near behind another of the same function, in parts of the step, is that one. */
#define SIGNS_SAME 1e-6

static inline int sign_of(double value)
{
    return (value > 0.0) - (value < 0.0);
}

/* Kind of the event when the sign changes from the old one; 0: none. */
static inline int sign_event(const struct curve_function *f)
{
    return f->sign < 0 ? f->event.rising : f->event.falling;
}

/* Whether the function changes sign clearly between `here` and `next`. */
static inline bool sign_changes(const struct continuation *c, int i)
{
    const struct curve_function *f = &c->functions[i];
    double value = c->next.value[i];
    if (f->sign == 0 || f->is_hit || sign_of(value) != -f->sign) {
        return false;
    }
    return fabs(value) > SIGNS_ZERO * fabs(c->here.value[i]);
}

/* Whether the zero in `trial` is the one on which `here` lies. */
static inline bool sign_zero_is_old(const struct continuation *c,
                                    const struct curve_function *f)
{
    double length = c->next.arc - c->here.arc;
    return f->was_hit && c->trial.arc - c->here.arc < SIGNS_SAME * length;
}

#endif
