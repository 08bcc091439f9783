/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One call of `identify`, shared by its files. */
#ifndef MASING_CLI_IDENTIFY_RUN_H
#define MASING_CLI_IDENTIFY_RUN_H

#include "cli/single_run.h"
#include "masing/identify.h"

struct identify_settings {
    struct common_settings common;
    const char *law, *terms, *branches, *varied;
    const char *name, *from, *to;
    const char *model, *joint, *measure; /* of responses */
    struct text_list responses;
    struct override_list fixed, starts;
    double frequency_hz;
    double end_share, tikhonov;
    bool has_end_share, is_open, is_steady;
    int n_trials;
    /* of a modal Iwan model */
    int modal_iwan; /* number of the mode; 0: something else is identified */
    double stuck_hz, free_hz, damping;
    bool has_damping, is_printed;
    struct real_list left_out;
};

struct identification {
    struct single_run single; /* without a model of its own */
    const struct identify_settings *settings;
    const struct masing_law *law;
    struct masing_measurements data;
    struct masing_measurement *loops;
    int n_loops;
    struct masing_identification result;
    char *entry;
    bool is_done;
    /* of responses */
    struct masing_document *document;
    struct masing_measured_response *responses;
    struct masing_response_fit_request response_request;
};

/* A modal Iwan model, from reading to writing. */
enum exit_status identify_modal(const struct call *call,
                                const struct identify_settings *settings);

void identify_print_summary(const void *run);

/* All files of -o; what was written before a failure stays. */
enum masing_status identify_write_files(const void *run, struct masing_error *error);

#endif
