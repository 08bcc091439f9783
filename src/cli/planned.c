/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands that the interface promises and that are refused until they are there. */
#include "cli/command.h"

static enum exit_status refuse(const struct call *call, const void *settings)
{
    (void)settings;
    say(call->command, "not supported yet");
    return EXIT_WRONG;
}

/* Whatever options are given, the answer is the same: no table, any operand. */
#define PLANNED(variable, word, operand, text)                                                 \
    const struct command variable = {.name = word,                                             \
                                     .operands = operand,                                      \
                                     .max_operands = 1 << 20,                                  \
                                     .summary = text " (not supported yet)",                   \
                                     .accepts_anything = true,                                 \
                                     .settings_size = 1,                                       \
                                     .run = refuse}

PLANNED(command_reduce, "reduce", "MODEL", "Craig-Bampton reduction of a large structure");
