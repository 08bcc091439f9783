/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that a launcher of MPI has started with the same command line. */
#ifndef MASING_CLI_PROCESSES_H
#define MASING_CLI_PROCESSES_H

#include "cli/command.h"
#include "masing/team.h"

struct processes {
    struct masing_team *team;
    char failure[MASING_MESSAGE_LENGTH]; /* of another process than the first; "": none */
};

#define PROCESSES_NONE "--no-mpi" /* the option */

/* Join them where there are any. Another process than the first one prints nothing from here
 * on. False: refused, and told. */
bool processes_join(const struct command *command, struct processes *processes);

/* Whether this one has the results: the first, or the only one. */
bool processes_are_led(const struct processes *processes);

void processes_leave(struct processes *processes);

#endif
