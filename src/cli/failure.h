/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the library's status to a message and an exit status. */
#ifndef MASING_CLI_FAILURE_H
#define MASING_CLI_FAILURE_H

#include <stdbool.h>

#include "cli/command.h"

/**
 * Print what went wrong, if anything did.
 * @param has_results something had been computed and written before
 */
enum exit_status failure_report(const struct call *call, enum masing_status status,
                                const struct masing_error *error, bool has_results);

#endif
