/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Logs of runs that several processes share: the first one writes, the others send. */
#include "base/check.h"
#include "base/entry.h"
#include "base/journal_file.h"
#include "base/team.h"

struct masing_team *journal_team(const struct masing_journal *journal)
{
    return journal ? journal->team : NULL;
}

enum masing_status masing_team_share(struct masing_team *team, const char *header,
                                     const char *kernels, double checkpoint_seconds,
                                     struct masing_journal **journal,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_journal *made = NULL;
    error = entry_begin(error, &own);
    TRY(entry_need(team, "team", error));
    TRY(entry_need(header, "header", error));
    TRY(entry_need(journal, "journal", error));
    TRY(team_describe(team, header, kernels, error));
    if (!*journal) {
        TRY(journal_create("the processes", &made, error));
        *journal = made;
    }
    (*journal)->team = team;
    if (!team_is_first(team)) {
        (*journal)->checkpoint_seconds =
            checkpoint_seconds > 0.0 ? checkpoint_seconds : CHECKPOINT_SECONDS;
    }
done:
    return status;
}
