/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that several commands share; their settings begin with a struct common_settings. */
#ifndef MASING_CLI_SETTINGS_H
#define MASING_CLI_SETTINGS_H

#include <stdbool.h>

#include "cli/option.h"
#include "masing/stability.h"

struct common_settings {
    struct override_list overrides; /* --set */
    struct text_list outputs;       /* -o */
    bool is_quiet;
    /* responses only */
    struct real_list at; /* frequencies, amplitudes, values of what varies */
    unsigned columns;
    int n_threads; /* 0: as many as there are processors */
    bool is_log_y;
    bool is_checked;        /* --check-harmonics */
    double check_tolerance; /* 0: the default */
    int n_starts;
    enum masing_stability_method stability;
    bool has_branches; /* --branches */
    const char *joint; /* whose loops a picture shows */
};

extern const struct option model_options[];    /* --set */
extern const struct option output_options[];   /* -o, --quiet */
extern const struct option single_options[];   /* --columns, --threads of other analyses */
extern const struct option response_options[]; /* --at, --columns, --threads, pictures */

/* The most branches to follow. */
int settings_branches(const struct common_settings *settings);

#endif
