/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `masing mode --response`. */
#ifndef MASING_CLI_MODE_RESPONSE_H
#define MASING_CLI_MODE_RESPONSE_H

#include "cli/command.h"
#include "cli/failure.h"
#include "cli/settings.h"

struct mode_settings {
    struct common_settings common; /* --at holds amplitudes */
    bool is_response;
    double response_tolerance; /* 0: the default */
};

enum exit_status mode_response_run(const struct call *call,
                                   const struct mode_settings *settings);

#endif
