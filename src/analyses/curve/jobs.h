/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of an analysis that share nothing, computed by threads: taken in their order, and what
 * they found is handed over in that order, whichever ends first.
 */
#ifndef MASING_ANALYSES_CURVE_JOBS_H
#define MASING_ANALYSES_CURVE_JOBS_H

#include "masing/response.h"

struct jobs {
    int n;
    int n_threads;                          /* at most; 0: one for each processor */
    const struct masing_progress *progress; /* of all together, or NULL */
    void *context;
    /* In any thread; after a negative status no further one begins. */
    enum masing_status (*compute)(void *context, int index,
                                  const struct masing_progress *progress);
    /* Of each that was computed, one at a time; after a failure no further one is. */
    enum masing_status (*hand_over)(void *context, int index, struct masing_error *error);
    int n_waiting; /* threads beside these that have jobs done elsewhere, and wait meanwhile */
};

/* Fails where threads cannot be started or a job cannot be handed over. */
enum masing_status jobs_run(const struct jobs *jobs, struct masing_error *error);

/* What @p wanted threads, see above, come to. */
int jobs_threads(int wanted);

#endif
