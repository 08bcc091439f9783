/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time integration without discretisation error where all joints are piecewise linear: exact
 * motion between events, which are the first roots of polynomials, see series.h.
 */
#ifndef MASING_TRANSIENT_EXACT_SOLVER_H
#define MASING_TRANSIENT_EXACT_SOLVER_H

#include "transient/flow_solver.h"
#include "transient/work.h"

struct exact_solver;

/* MASING_UNSUPPORTED where a law is not piecewise linear. Of the parts the accuracy is not
 * used.
 */
enum masing_status exact_solver_create(const struct flow_solver_parts *parts,
                                       struct exact_solver **solver,
                                       struct masing_error *error);
void exact_solver_destroy(struct exact_solver *solver);

/* As those of the flow solver. */
enum masing_status exact_solver_begin(struct exact_solver *solver);
enum masing_status exact_solver_advance(struct exact_solver *solver, double time);
enum masing_status exact_solver_state(const struct exact_solver *solver, double *state);
long exact_solver_events(const struct exact_solver *solver);

/* When the last of them was, s. */
double exact_solver_event_time(const struct exact_solver *solver);

/* From now on add the work that is done to what is there; NULL: not any more. */
void exact_solver_measure(struct exact_solver *solver, struct work *work);

/* Velocities of the joints at the time that was reached last [n_axes]. */
const double *exact_solver_velocities(const struct exact_solver *solver);

/* Why the last advance did not converge. */
const char *exact_solver_trouble(const struct exact_solver *solver);

#endif
