/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a list of tasks asks of the processes that share it (masing/team.h). The first process
 * has a place for each thread of another one: a thread of its own hands a task to a place and
 * waits for the answer, as if it had computed. Messages are sent and received by one thread of
 * each process, which sleeps in between.
 */
#ifndef MASING_BASE_TEAM_H
#define MASING_BASE_TEAM_H

#include "base/packing.h"
#include "base/progress.h"
#include "masing/team.h"

bool team_is_first(const struct masing_team *team);

/* What the others must agree with. */
enum masing_status team_describe(struct masing_team *team, const char *header,
                                 const char *kernels, struct masing_error *error);

/* No further task is to begin, and those under way are to end. */
bool team_is_over(struct masing_team *team);
void team_stop(struct masing_team *team);

/* ---- in the first process ---- */

/* Wait for the others; *n_places: their threads, none behind the last list of tasks. */
enum masing_status team_begin(struct masing_team *team, const struct masing_progress *progress,
                              int *n_places, struct masing_error *error);

/* Of n_here threads that compute here and of the places one that is free; -1: here. */
void team_open_places(struct masing_team *team, int n_here);
int team_take_place(struct masing_team *team);
void team_give_place(struct masing_team *team, int place);

/* Have a task computed, from where it stood before unless that is empty; false: nobody answers
 * any more. */
bool team_compute(struct masing_team *team, int place, int task, const struct packing *state,
                  struct packing *answer);

/* Send and receive, until team_close_places is called by another thread. may_have_more: the
 * others then wait for another list of tasks, or the end. */
void team_serve(struct masing_team *team, struct masing_journal *journal,
                const struct masing_progress *progress, bool may_have_more);
void team_close_places(struct masing_team *team);

/* ---- in another process ---- */

/* Send and receive for so many threads, until all have ended. */
void team_attend(struct masing_team *team, int n_threads);

/* Wait for a task; false: there is none any more, and the thread has ended. */
bool team_next(struct masing_team *team, int thread, int *task);
/* Takes the bytes over. */
void team_answer(struct masing_team *team, int thread, struct packing *answer);

/* Where a task stands, and where it stood before. */
void team_put_state(struct masing_team *team, int task, const struct packing *state);
void team_find_state(struct masing_team *team, int task, struct packing *state, bool *is_found);

#endif
