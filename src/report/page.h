/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of a page for a browser. Everything that comes from a model, a column or a command
 * goes through page_text or page_quoted: no such text can be taken for a part of the page.
 */
#ifndef MASING_REPORT_PAGE_H
#define MASING_REPORT_PAGE_H

#include "report/report.h"

/* page_text.c: a text as content or attribute of HTML; NULL is nothing. */
void page_text(FILE *stream, const char *text);
/* A text as a JSON string that may stand within a script's element; NULL is null. */
void page_quoted(FILE *stream, const char *text);
/* A JSON number; null where it is not finite. */
void page_number(FILE *stream, double number);

/* page_table.c: tables that have no picture, as far as they are not too long, and of the rows
 * themselves those where something happens. */
void page_tables(FILE *stream, const struct masing_report *report,
                 const struct masing_report_run *run);

/* page_chart.c: a still picture of each table that has one; what the scripts draw, as JSON. */
enum masing_status page_stills(FILE *stream, const struct masing_report *report,
                               const struct masing_report_run *run, struct masing_error *error);
void page_charts(FILE *stream, const struct masing_report *report,
                 const struct masing_report_run *run);

#endif
