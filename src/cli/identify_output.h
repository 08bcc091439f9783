/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `identify` shows: the summary, the files of -o, the pictures. */
#ifndef MASING_CLI_IDENTIFY_OUTPUT_H
#define MASING_CLI_IDENTIFY_OUTPUT_H

#include "cli/output.h"
#include "masing/identify.h"

void identify_print_summary(struct pool *pool, const struct masing_measurements *data,
                            const struct masing_identification *result);

/* All files; what was written before a failure stays. */
enum masing_status identify_write_files(struct pool *pool, const struct output_list *outputs,
                                        const struct masing_measurements *data,
                                        const struct masing_identification *result,
                                        struct masing_error *error);

#endif
