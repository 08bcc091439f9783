/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that wait for work: started once, given the same task together again and again. The
 * thread that creates the pool belongs to it. Running a task allocates nothing.
 */
#ifndef MASING_BASE_THREAD_POOL_H
#define MASING_BASE_THREAD_POOL_H

#include "masing/status.h"

struct thread_pool;

/* What each thread does; worker 0 is the caller, the others are numbered from 1. */
typedef void thread_pool_task(void *context, int worker);

/* At most n_workers threads, the caller included: fewer where the system starts no more
 * threads.
 */
enum masing_status thread_pool_create(int n_workers, struct thread_pool **pool,
                                      struct masing_error *error);
/* NULL is fine. */
void thread_pool_destroy(struct thread_pool *pool);

/* 1 for NULL: the caller alone. */
int thread_pool_size(const struct thread_pool *pool);

/* Returns when every thread is done; the caller sees what they wrote. */
void thread_pool_run(struct thread_pool *pool, thread_pool_task *task, void *context);

/* Pieces of work 0, ..., n_pieces - 1 are handed out a portion at a time, in their order, to
 * whichever thread is free. */
typedef void thread_pool_piece(void *context, int piece, int worker);
void thread_pool_share(struct thread_pool *pool, int n_pieces, int portion,
                       thread_pool_piece *work, void *context);

/* Number of processors: so many threads are worth while. */
int thread_pool_processors(void);

#endif
