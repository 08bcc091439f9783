/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `peak` found, on standard error. */
#ifndef MASING_CLI_PEAK_PRINT_H
#define MASING_CLI_PEAK_PRINT_H

#include "cli/pool.h"
#include "masing/peak.h"

struct peak_texts {
    const char *title;   /* may be NULL */
    const char *measure; /* "m2_max" */
    const char *unit;    /* of it */
    const char *parameter, *parameter_unit;
    const char *other; /* a second number, or NULL */
};

void peak_print(const struct peak_texts *texts, const struct masing_peak_summary *summary);

#endif
