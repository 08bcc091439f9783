/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bar on a terminal, the log of strategies, and Ctrl-C. */
#ifndef MASING_CLI_PROGRESS_H
#define MASING_CLI_PROGRESS_H

#include <stdbool.h>

#include "cli/option.h"
#include "masing/response.h"

struct progress {
    struct masing_progress hooks; /* for the library; context is this struct */
    struct pool *pool;
    bool has_bar;
    bool is_drawn;
    bool is_ignored;      /* Ctrl-C, by whoever started the program */
    double started, last; /* seconds */
    struct text_list log;
};

/* From here on Ctrl-C ends the analysis and keeps what was computed; a second one ends the
 * program at once. */
void progress_begin(struct progress *progress, struct pool *pool, bool is_quiet);
/* Take the bar away. */
void progress_end(struct progress *progress);

#endif
