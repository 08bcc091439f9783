/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joints on DOFs without mass for the flow solver: at each instant their displacements solve
 *   x + F f(x, z) = x_free,
 * the internal states z being those of the differential equation. Their velocities follow from
 *   (I + F df/dx) x' = x_free',
 * df/dx being what f changes by along the interval, with what x' does to z.
 */
#ifndef MASING_TRANSIENT_FLOW_MASSLESS_H
#define MASING_TRANSIENT_FLOW_MASSLESS_H

#include "transient/flow/flow_solver.h"

struct flow_solver;
struct massless;

/* NULL where no joint acts on a DOF without mass. The solver is lent. */
enum masing_status massless_create(struct flow_solver *solver, struct massless **massless,
                                   struct masing_error *error);

/* The joints' displacements at time 0 and, as if they had no forces, velocities. */
enum masing_status massless_begin(struct massless *massless, const double *y);

/* Displacements and velocities of the joints at a state y; those of the solver come in as the
 * modes give them. MASING_NOT_CONVERGED: there are none that continue those found last. */
enum masing_status massless_follow(struct massless *massless, double time, const double *y);

/* Accelerations of the joints, those of the solver coming in as the modes give them: right
 * where a joint is at rest. */
void massless_accelerate(struct massless *massless, double time);

/* After an event the velocities jump: other joints may have come to an end of their interval,
 * or have to turn. y changes in their states. */
enum masing_status massless_settle(struct massless *massless, double time, double *y);

/* Why the last call did not converge. */
const char *massless_trouble(const struct massless *massless);

#endif
