/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of `identify`, shared by its files. */
#ifndef MASING_CLI_IDENTIFY_H
#define MASING_CLI_IDENTIFY_H

#include "cli/single_run.h"

struct identify_settings {
    struct common_settings common;
    const char *law, *terms, *branches, *varied;
    const char *columns; /* of the data, as x=2,f=3 */
    const char *name, *from, *to;
    const char *model, *joint, *measure; /* of responses */
    struct text_list responses;
    struct override_list fixed, starts;
    double frequency_hz;
    struct given_real end_share;
    double tikhonov;
    bool is_open, is_steady;
    int n_trials;
    /* of a modal Iwan model */
    int modal_iwan; /* number of the mode; 0: something else is identified */
    double stuck_hz, free_hz;
    struct given_real damping;
    bool is_printed;
    struct real_list left_out;
};

/* A modal Iwan model, from reading to writing. */
enum exit_status identify_modal(const struct call *call,
                                const struct identify_settings *settings);

#endif
