/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a function of the peak vanishes between two states of one branch. */
#ifndef MASING_ANALYSES_PEAK_ROOT_H
#define MASING_ANALYSES_PEAK_ROOT_H

#include "analyses/peak/course.h"

struct peak_function {
    void *context;
    /* At a solution, where the site is. Positive: there is no value. */
    enum masing_status (*value)(void *context, struct peak_course *course,
                                struct peak_state *state, double *value,
                                struct masing_error *error);
    double tolerance; /* of the value, in parts of the measure */
};

/*
 * @p values at the two states, of opposite signs; @p state, of equal size, receives the
 * solution. Positive: not found.
 */
enum masing_status peak_root(struct peak_course *course, const struct peak_function *function,
                             const struct peak_state *a, const struct peak_state *b,
                             const double values[2], struct peak_state *state,
                             struct masing_error *error);

#endif
