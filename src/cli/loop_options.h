/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of `masing loop`. */
#ifndef MASING_CLI_LOOP_OPTIONS_H
#define MASING_CLI_LOOP_OPTIONS_H

#include "cli/settings.h"
#include "masing/loop.h"

struct motion {
    int n_terms;
    struct masing_motion_term *terms;
};

struct loop_settings {
    struct common_settings common;
    struct real_list amplitudes;
    struct motion motion;
    const char *points; /* file */
    struct masing_loop_path path;
    bool has_path;
    double frequency_hz;
    int n_cycles, n_rows;
    bool has_equivalent_bouc_wen;
};

extern const struct option loop_options[];

#endif
