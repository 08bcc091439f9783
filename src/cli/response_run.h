/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `frf` and `study` share: settings, sinks for curves and loops, warnings, the record. */
#ifndef MASING_CLI_RESPONSE_RUN_H
#define MASING_CLI_RESPONSE_RUN_H

#include "cli/command.h"
#include "cli/model_input.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/settings.h"
#include "masing/response.h"

struct response_run {
    const struct call *call;
    const struct common_settings *settings;
    const char *parameter; /* NULL for a single curve */
    struct pool *pool;
    struct output_list outputs;
    struct model_input input;
    struct output_sink rows, loops, contacts, check;
    struct progress progress;
    struct masing_response_options options;
};

/* Read, check and prepare everything; nothing is computed and no file is touched. */
enum masing_status response_run_begin(const struct call *call,
                                      const struct common_settings *settings,
                                      const char *parameter, struct response_run *run,
                                      struct masing_error *error);

/* Ctrl-C and the progress bar belong to the time between these two. */
void response_run_start(struct response_run *run);

/* The record beside each file, after the summary is printed. */
enum masing_status
response_run_record(struct response_run *run, const struct variation *variation, int n_curves,
                    const struct masing_response_summary *summaries, enum masing_status ended,
                    const struct masing_error *reason, struct masing_error *error);

void response_run_end(struct response_run *run);

#endif
