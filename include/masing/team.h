/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * Processes that a launcher of MPI has started with the same command, also on several machines,
 * and that share the tasks of an analysis: values of a study, lines of a map. Each calls the
 * same functions with the same model and options. The first one hands out tasks, takes what
 * they found, and has the results, which are the same bytes as those of one process; in the
 * others the analysis ends with MASING_STOPPED and its rows and summary are of no use.
 */
#ifndef MASING_TEAM_H
#define MASING_TEAM_H

#include <stdbool.h>

#include "masing/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct masing_journal;
struct masing_team;

/**
 * What a launcher says of this process in its variables (OMPI_COMM_WORLD_*, PMIX_RANK, PMI_*).
 * @param rank from 0, and the number of processes; 0 where it is not told; each may be NULL
 * @return false: no launcher has started it
 */
MASING_API bool masing_team_is_called(int *rank, int *size);

/**
 * Load MPI and start it; once in a process, by the thread that calls the analysis as well.
 * Errors: MASING_UNSUPPORTED where there is no MPI, or it does not start.
 */
MASING_API enum masing_status masing_team_join(struct masing_team **team,
                                               struct masing_error *error);

/** Which process this is, from 0, and how many there are. */
MASING_API int masing_team_rank(const struct masing_team *team);
MASING_API int masing_team_size(const struct masing_team *team);

/** Threads for this process: the processors of its machine divided by the processes there. */
MASING_API int masing_team_threads(const struct masing_team *team);

/**
 * Have the tasks of the analysis that gets the journal shared.
 * @param header as in masing_journal_request: those of all processes must agree
 * @param kernels likewise; where they differ masing_team_other_kernels tells
 * @param checkpoint_seconds likewise
 * @param journal the log of the first process, or NULL in it; of another process NULL. It gets
 *                one where it is NULL, to be closed with masing_journal_close.
 */
MASING_API enum masing_status masing_team_share(struct masing_team *team, const char *header,
                                                const char *kernels, double checkpoint_seconds,
                                                struct masing_journal **journal,
                                                struct masing_error *error);

/** The kernels of a process that has others than the first; NULL: none has. */
MASING_API const char *masing_team_other_kernels(const struct masing_team *team);

/**
 * End MPI when all processes have come here.
 * @param failure what went wrong in this process before it could share; or NULL. The first
 *                process reports it as its own. NULL is fine as a team.
 */
MASING_API void masing_team_leave(struct masing_team *team, const char *failure);

#ifdef __cplusplus
}
#endif
#endif
