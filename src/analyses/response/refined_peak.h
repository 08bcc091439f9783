/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The peak of a curve from a point close by. */
#ifndef MASING_ANALYSES_RESPONSE_REFINED_PEAK_H
#define MASING_ANALYSES_RESPONSE_REFINED_PEAK_H

#include "analyses/curve/refinement.h"

/*
 * Solve for the maximum of the peak's measure near the guess in refinement->solver: along the
 * direction that the solver has, so that a fold beside the peak does no harm. @p precision:
 * relative, of the measure. Leaves the recovery evaluated there.
 */
enum masing_status refined_peak_solve(struct refinement *refinement, double precision);

#endif
