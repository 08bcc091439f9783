/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `frf` and `study` share: settings, sinks for curves and loops, warnings, the record. */
#ifndef MASING_CLI_RESPONSE_RUN_H
#define MASING_CLI_RESPONSE_RUN_H

#include "cli/single_run.h"
#include "masing/response.h"

struct response_run {
    struct single_run single;
    const char *parameter; /* NULL for a single curve */
    struct pool *pool;
    struct output_sink loops, contacts, check;
    struct masing_response_options options;
};

/* Read, check and prepare everything; nothing is computed and no file is touched. Call and
 * settings stand in `single`. */
enum masing_status response_run_begin(struct response_run *run, const char *parameter,
                                      struct masing_error *error);

/* The table of the contacts' elements, where there are contacts; also of `frf --along`. */
enum masing_status response_run_contacts(struct single_run *single, const char *parameter,
                                         struct output_sink *contacts,
                                         struct masing_error *error);

/* Sinks beside that of the rows. */
void response_run_end(struct response_run *run);

#endif
