/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What commands share: from the model that is opened to the record and the exit status. */
#ifndef MASING_CLI_SINGLE_RUN_H
#define MASING_CLI_SINGLE_RUN_H

#include <stdbool.h>

#include "cli/command.h"
#include "cli/model_input.h"
#include "cli/output.h"
#include "masing/response.h"

enum { N_SIGNALS = 2 }; /* Ctrl-C and a request to terminate */

/* A bar on a terminal, the log of strategies, and Ctrl-C. */
struct progress {
    struct masing_progress hooks; /* for the library; context is this struct */
    struct pool *pool;
    bool has_bar;
    bool is_drawn;
    bool is_ignored[N_SIGNALS]; /* by whoever started the program */
    double started, last;       /* seconds */
    struct text_list log;
};

/* All zero at first. Each command's own struct begins with one. */
struct single_run {
    const struct call *call;
    const struct common_settings *settings;
    struct output_list outputs;
    struct output_list others; /* files of an option of its own */
    const char *others_option;
    struct input_list inputs; /* what is read, beside the operands and what the model names */
    struct model_input input; /* no document: there is no model */
    struct output_sink rows;
    struct progress progress;
    /* where warnings stand once the summary is computed; NULL: in `warnings` */
    const int *n_summary_warnings;
    char ***summary_warnings;
    struct text_list warnings;
    /* what the record holds beside these: the curves of responses ... */
    const char *parameter;    /* of a study, or NULL */
    const double *values;     /* [n_curves] of the parameter */
    const char *const *words; /* in their place, or NULL */
    int n_curves;
    const struct masing_response_summary *curves; /* [n_curves] or NULL */
    const char *result;                           /* YAML, where there is more than rows */
};

/* What differs. run: the command's own struct. */
struct single_steps {
    bool is_short; /* no progress bar; Ctrl-C ends the program while it computes */
    enum masing_status (*begin)(void *run, struct masing_error *error);
    enum masing_status (*compute)(void *run, struct masing_error *error);
    void (*print)(const void *run); /* the summary, unless --quiet */
    void (*warn)(const void *run);  /* beside the warnings of the summary; or NULL */
    /* files beside those of the rows; or NULL */
    enum masing_status (*write)(const void *run, struct masing_error *error);
    /* NULL: command_report */
    enum exit_status (*report)(const void *run, enum masing_status status,
                               const struct masing_error *error);
};

/* Understand -o and open the model. */
enum masing_status single_run_open(struct single_run *single, enum model_kind kind,
                                   struct masing_error *error);

/* A file that is read, which no output may be written over; NULL: there is none. The operands
 * and the files of the model itself are known. */
void single_run_reads(struct single_run *single, const char *what, const char *file);
void single_run_reads_files_of(struct single_run *single, const struct masing_spec *spec);

/* The sink of the rows, with a picture of them or NULL. */
enum masing_status single_run_rows(struct single_run *single,
                                   const struct masing_plot_settings *picture,
                                   struct masing_error *error);

/*
 * Everything; summary, files and record follow where there are rows or the analysis is done.
 * Rows and model are closed at the end. Analyses that are not short take the hooks of the
 * progress. settings: the command's, which begin with common_settings.
 */
enum exit_status single_run(const struct call *call, const void *settings,
                            const struct single_steps *steps, void *run);

#endif
