/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `frf --along`: the response at one frequency while a number of the model varies. */
#ifndef MASING_CLI_ALONG_H
#define MASING_CLI_ALONG_H

#include "cli/command.h"
#include "cli/settings.h"

struct frf_settings {
    struct common_settings common;
    struct span along;   /* name NULL: along the frequency */
    double frequency_hz; /* 0: not given */
};

enum exit_status along_run(const struct call *call, const struct frf_settings *settings);

#endif
