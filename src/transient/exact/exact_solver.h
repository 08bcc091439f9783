/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time integration without discretisation error where all joints are piecewise linear: exact
 * motion between events, which are the first roots of polynomials.
 */
#ifndef MASING_TRANSIENT_EXACT_EXACT_SOLVER_H
#define MASING_TRANSIENT_EXACT_EXACT_SOLVER_H

#include "transient/stepper.h"

/* What the model file calls exact. MASING_UNSUPPORTED where a law is not piecewise linear. */
extern const struct stepper_type exact_stepper;

/* Of such a stepper: events since it began, and when the last of them was, s. */
long exact_solver_events(const struct stepper *stepper);
double exact_solver_event_time(const struct stepper *stepper);

/* Steps, and parts of them, that it went in a basis of the joints' pattern; see patterns.h. */
long exact_solver_steps_in_bases(const struct stepper *stepper);

#endif
