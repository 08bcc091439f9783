/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What commands share: from the model that is opened to the record and the exit status. */
#ifndef MASING_CLI_SINGLE_RUN_H
#define MASING_CLI_SINGLE_RUN_H

#include <stdbool.h>

#include "cli/command.h"
#include "cli/model_input.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/record.h"
#include "cli/settings.h"

struct single_run {
    const struct call *call;
    const struct common_settings *settings;
    struct output_list outputs;
    struct model_input input;
    struct output_sink rows;
    struct progress progress;
    /* the summary's, once it is computed; NULL: it has none */
    const int *n_warnings;
    char ***warnings;
};

/* What differs. run: the command's own struct. */
struct single_steps {
    bool is_short; /* no progress bar; Ctrl-C ends the program while it computes */
    enum masing_status (*begin)(void *run, struct masing_error *error);
    enum masing_status (*compute)(void *run, struct masing_error *error);
    /* worth a summary and a record though the analysis failed; NULL: where there are rows */
    bool (*has_results)(const void *run);
    void (*print)(const void *run); /* the summary, unless --quiet */
    void (*warn)(const void *run);  /* beside the warnings of the summary; or NULL */
    /* what the record holds beside input, log and warnings, or in place of them; or NULL */
    void (*describe)(const void *run, struct record *record);
    /* files beside those of the rows; or NULL */
    enum masing_status (*write)(const void *run, struct masing_error *error);
    /* NULL: command_report */
    enum exit_status (*report)(const void *run, enum masing_status status,
                               const struct masing_error *error);
};

/* Understand -o and open the model. */
enum masing_status single_run_open(struct single_run *single, struct masing_error *error);

/* Everything, rows and model closed at the end. Analyses that are not short take the hooks of
 * @p single's progress. */
enum exit_status single_run(struct single_run *single, const struct single_steps *steps,
                            void *run);

#endif
