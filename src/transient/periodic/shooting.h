/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Periodic motions by shooting: Newton's method on what one period, or a few, does to the
 * state, what the joints remember included. Its matrix is the map of small motions beside the
 * motion that was integrated; that the map is made with steps of its own makes the convergence
 * fast and linear instead of quadratic. Memories that are merely held stay as they are: where a
 * slider that never slips stands is arbitrary.
 */
#ifndef MASING_TRANSIENT_PERIODIC_SHOOTING_H
#define MASING_TRANSIENT_PERIODIC_SHOOTING_H

#include "transient/periodic/periodic.h"

struct shooting;

/* n_periods: of the load, that the motion repeats after. MASING_UNSUPPORTED where a law or the
 * structure has no small motions. */
enum masing_status shooting_create(struct integrator *integrator, int n_periods,
                                   struct shooting **shooting, struct masing_error *error);
void shooting_destroy(struct shooting *shooting);

/*
 * From the integrator's present state, at a multiple of the period, to a periodic motion whose
 * beginning is then the integrator's state (phase and count 0). At most max_cycles periods are
 * integrated; the result counts from what it holds on entry. Not steady: the integrator has
 * some state on the way; with cycles left, the end of a try, for Newton steps have failed to
 * help again and again. Otherwise as periodic_march.
 */
enum masing_status shooting_run(struct shooting *shooting, double tolerance, int max_cycles,
                                const struct periodic_observer *observer,
                                struct periodic_result *result);

/* From a periodic motion: the joints' axes [n_axes] that may stand anywhere, because nothing
 * resists when they move together. */
enum masing_status shooting_find_neutral(struct shooting *shooting, bool *is_neutral);

#endif
