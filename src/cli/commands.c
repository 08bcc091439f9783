/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/command.h"

const struct command *const *commands(void)
{
    static const struct command *const list[] = {&command_check,
                                                 &command_frf,
                                                 &command_study,
                                                 &command_peak,
                                                 &command_mode,
                                                 &command_integrate,
                                                 &command_compare,
                                                 &command_ringdown,
                                                 &command_loop,
                                                 &command_identify,
                                                 &command_law,
                                                 NULL};
    return list;
}
