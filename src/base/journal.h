/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What analyses put into a log and find in it. */
#ifndef MASING_BASE_JOURNAL_H
#define MASING_BASE_JOURNAL_H

#include "base/packing.h"
#include "masing/journal.h"

/* What the log of an earlier run has of a task, to be taken apart and cleared; from any thread.
 * *is_found: else there is nothing. */
enum masing_status journal_find(const struct masing_journal *journal, int task,
                                struct packing *entry, bool *is_found,
                                struct masing_error *error);

/* Append what a task has found; from any thread. Where it cannot be written nothing more is
 * logged, and the analysis goes on: masing_journal_check tells. */
void journal_add(struct masing_journal *journal, int task, const struct packing *entry);

#endif
