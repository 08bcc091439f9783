/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steady state of an evolution law under a periodic path. */
#ifndef MASING_LAWS_EVOLUTION_PERIOD_H
#define MASING_LAWS_EVOLUTION_PERIOD_H

#include "laws/evolution/sequence.h"

/*
 * Fill the states (and effects, with_gradient) of all samples.
 * @param guess first guess of the state at sample 0, receives what was found; NULL: from rest
 * @return MASING_NOT_CONVERGED where the map has no fixed point that Newton's method finds
 */
enum masing_status period_follow(struct sequence *sequence, double *guess, bool with_gradient);

#endif
