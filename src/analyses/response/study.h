/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a running study, shared by its files. */
#ifndef MASING_ANALYSES_RESPONSE_STUDY_H
#define MASING_ANALYSES_RESPONSE_STUDY_H

#include <pthread.h>

#include "analyses/response/contacts.h"
#include "analyses/curve/row_buffer.h"
#include "analyses/curve/row_table.h"

struct study_value {
    struct masing_model *model;
    struct row_buffer rows, loops, contacts, check;
    struct output_measures *measures; /* [n_outputs] */
    enum masing_status status;
    struct masing_error error;
    double fraction;
    int points;
    bool is_done;
};

struct study {
    const struct masing_study_request *request;
    const struct masing_response_options *options;
    const struct masing_sink *rows, *peaks, *loops;
    struct masing_response_summary *summaries;
    struct row_table peak_table;
    struct study_value *values;
    struct masing_override *overrides; /* [n_values][n_overrides + 1] */
    char (*texts)[40];                 /* [n_values] */
    int n_threads_inside;              /* of each curve */
    bool is_open;
    int next, next_to_write;
    enum masing_status sink_status;
    struct masing_error sink_error;
    pthread_mutex_t lock;
};

struct study_progress {
    struct study *study;
    int index;
};

/* Declare the columns; needs the first model. */
enum masing_status study_open(struct study *study, struct masing_error *error);
/* Under the lock: write whatever has its turn. */
void study_write_finished(struct study *study);
/* Finish the sinks, or abandon them. */
enum masing_status study_close(const struct study *study, bool is_good,
                               struct masing_error *error);

#endif
