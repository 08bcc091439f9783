/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pieces of work that threads do side by side, and whose results are taken one after another in
 * the order of the pieces: sums of them are the same bits for any number of threads. Allocates
 * nothing.
 */
#ifndef MASING_BASE_ORDERED_WORK_H
#define MASING_BASE_ORDERED_WORK_H

#include <stdbool.h>

#include "base/thread_pool.h"

/* Most pieces that may wait to be taken. */
enum { ORDERED_WORK_AHEAD = 4096 };

struct ordered_work {
    int n; /* pieces, begun in their order */
    /* A piece begins when all but so many before it were taken: results may lie in that many
     * places, piece i in i % most_ahead. */
    int most_ahead;
    void *context;
    /* Whether another piece shall begin at all; NULL: yes. One thread at a time. */
    bool (*may_begin)(void *context, int index);
    /* In any thread; false: no further one begins. */
    bool (*compute)(void *context, int index, int worker);
    /* One at a time, while other threads compute; false: nothing more is begun or taken. */
    bool (*take)(void *context, int index);
};

/* Returns when all that was begun is done. pool: NULL: the caller alone. */
void ordered_work_run(struct thread_pool *pool, const struct ordered_work *work);

#endif
