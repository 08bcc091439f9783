/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where lambda passes given values between two points, each time, in the order of the curve.
 * Lambda is a cubic there and is cut into monotonic pieces, so that the points' own lambda
 * decide exactly: none is missed or met twice from step to step. A piece holds its end and not
 * its beginning.
 */
#ifndef MASING_CONTINUATION_EVENTS_CROSSINGS_H
#define MASING_CONTINUATION_EVENTS_CROSSINGS_H

#include <stdbool.h>

#include "continuation/predictor.h"

struct crossings {
    const struct predictor_segment *segment;
    const double *values; /* [n_values] ascending; lent */
    int n_values;
    int n_breaks, piece;      /* 2 to 4 breaks, with the turning points of lambda */
    double arc[4], lambda[4]; /* ends of the pieces */
    int index;                /* next value to look at in this piece */
};

void crossings_begin(struct crossings *crossings, const struct predictor_segment *segment,
                     const double *values, int n_values);

/* False when there are no more. arc: from the segment's first point. */
bool crossings_next(struct crossings *crossings, double *arc, double *value);

#endif
