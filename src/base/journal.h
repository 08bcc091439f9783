/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What analyses put into a log and find in it. */
#ifndef MASING_BASE_JOURNAL_H
#define MASING_BASE_JOURNAL_H

#include "base/packing.h"
#include "masing/journal.h"
#include "masing/team.h"

/* What the log of an earlier run has of a task, to be taken apart and cleared; from any thread.
 * *is_found: else there is nothing. */
enum masing_status journal_find(const struct masing_journal *journal, int task,
                                struct packing *entry, bool *is_found,
                                struct masing_error *error);

/* Append what a task has found; from any thread. Where it cannot be written nothing more is
 * logged, and the analysis goes on: masing_journal_check tells. */
void journal_add(struct masing_journal *journal, int task, const struct packing *entry);

/* Where a task under way stands, in a file of its own, which is replaced as a whole; it goes
 * when the task is added. Where it cannot be written the analysis goes on: an earlier one
 * stays. */
bool journal_is_checkpoint_due(struct masing_journal *journal, double *written);
void journal_put_checkpoint(struct masing_journal *journal, int task,
                            const struct packing *state);
void journal_drop_checkpoint(const struct masing_journal *journal, int task);
enum masing_status journal_find_checkpoint(const struct masing_journal *journal, int task,
                                           struct packing *state, bool *is_found,
                                           struct masing_error *error);

/* The processes that share the tasks; NULL: this one alone. */
struct masing_team *journal_team(const struct masing_journal *journal);

#endif
