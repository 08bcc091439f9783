/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/processes.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/single_run.h"

static bool can_share(const struct command *command)
{
    return command->steps && command->steps->is_shared;
}

/* One of several says it: the first, or the second where nobody knows how many there are. */
static void refuse(const struct command *command, int rank, int size, const char *why)
{
    if (rank == 0 || (size == 0 && rank == 1)) {
        command_say(command, "%s; " PROCESSES_NONE " has each process run by itself", why);
    }
}

static void be_silent(void)
{
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        close(nowhere);
    }
}

bool processes_join(const struct command *command, struct processes *processes)
{
    int rank, size;
    struct masing_error error = {0};
    *processes = (struct processes){0};
    if (!masing_team_is_called(&rank, &size)) {
        return true;
    }
    if (!can_share(command)) {
        if (size > 1 || rank > 0) {
            refuse(command, rank, size,
                   "several processes were started, which have nothing to share here (study, "
                   "peak, sample have)");
            return false;
        }
        return true;
    }
    if (masing_team_join(&processes->team, &error) != MASING_OK) {
        char why[MASING_MESSAGE_LENGTH + 40];
        snprintf(why, sizeof why, "it was started by MPI: %s", error.message);
        refuse(command, rank, size, why);
        return false;
    }
    if (masing_team_rank(processes->team) > 0) {
        be_silent();
    }
    return true;
}

bool processes_are_led(const struct processes *processes)
{
    return !processes || !processes->team || masing_team_rank(processes->team) == 0;
}

void processes_leave(struct processes *processes)
{
    masing_team_leave(processes->team, *processes->failure ? processes->failure : NULL);
    processes->team = NULL;
}
