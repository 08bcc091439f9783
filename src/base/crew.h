/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that wait for work: started once, given the same task together again and again. The
 * one who creates the crew belongs to it. Running a task allocates nothing.
 */
#ifndef MASING_BASE_CREW_H
#define MASING_BASE_CREW_H

#include "masing/status.h"

struct crew;

/* What each member does; worker 0 is the caller, the others are numbered from 1. */
typedef void crew_task(void *context, int worker);

/* Of at most @p n_workers, the caller included: fewer where the system starts no more threads.
 */
enum masing_status crew_create(int n_workers, struct crew **crew, struct masing_error *error);
/* NULL is fine. */
void crew_destroy(struct crew *crew);

/* 1 for NULL: the caller alone. */
int crew_size(const struct crew *crew);

/* Returns when every member is done; what they wrote is seen by the caller. */
void crew_run(struct crew *crew, crew_task *task, void *context);

/* So many threads as there are processors. */
int crew_processors(void);

#endif
