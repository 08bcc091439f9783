/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "report/report.h"

enum masing_status report_write_page(const struct masing_report *report,
                                     const struct masing_report_run *run, FILE *stream,
                                     struct masing_error *error)
{
    (void)report;
    (void)run;
    (void)error;
    fputs("<!doctype html>\n", stream);
    return MASING_OK;
}
