/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All maxima of one whole frequency response: what following them is guarded by. */
#ifndef MASING_ANALYSES_PEAK_SWEEP_H
#define MASING_ANALYSES_PEAK_SWEEP_H

#include "analyses/peak/solve.h"
#include "masing/response.h"

struct peak_sweep {
    const struct peak_site *site;
    double p;
    int n, capacity;
    struct peak_state ends[2]; /* first and last point; the last has n = 0 where it is none */
    struct peak_state *maxima; /* in the order of their frequencies */
    double energy_mismatch, residual;
    struct masing_error *error;
};

/*
 * Follow the response at a value of the site's number. MASING_STOPPED where it ended early, the
 * maxima being worth nothing then. Clear it also after a failure.
 */
enum masing_status peak_sweep_run(const struct peak_site *site, double p,
                                  const struct masing_progress *progress,
                                  struct peak_sweep *sweep, struct masing_error *error);
void peak_sweep_clear(struct peak_sweep *sweep);

/* Index of the largest maximum; -1: none. */
int peak_sweep_largest(const struct peak_sweep *sweep);

#endif
