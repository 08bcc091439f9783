/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/failure.h"

#include <stdio.h>

enum exit_status failure_report(const struct call *call, enum masing_status status,
                                const struct masing_error *error, bool has_results)
{
    if (status == MASING_OK) {
        return EXIT_DONE;
    }
    const char *message = error->message[0] ? error->message : masing_status_name(status);
    if (status == MASING_INVALID) {
        fprintf(stderr, "%s\n",
                message); /* FILE:LINE:COLUMN stands first, as editors like it */
    } else if (status == MASING_STOPPED || status > 0) {
        say(call->command, "stopped early: %s", message);
    } else {
        say(call->command, "%s", message);
    }
    bool is_input_wrong =
        status == MASING_INVALID || status == MASING_UNSUPPORTED || status == MASING_IO;
    return is_input_wrong && !has_results ? EXIT_WRONG : EXIT_STOPPED;
}
