/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "data/result.h"
#include "report/page.h"

enum { MOST_ROWS = 500 };

/* A column by its index, with a name for readers: "frequency_hz" and its unit. */
static void put_head(FILE *stream, const struct report_table *table, int column,
                     const struct masing_report_run *run)
{
    const char *name = masing_result_name(table->rows, column);
    const char *unit = report_unit(run, name);
    fputs("<th scope=\"col\">", stream);
    page_text(stream, name);
    if (unit && *unit) {
        fputs(" <span class=\"unit\">", stream);
        page_text(stream, unit);
        fputs("</span>", stream);
    }
    fputs("</th>", stream);
}

static void put_cell(FILE *stream, const struct report_table *table, int column, int row)
{
    if (masing_result_type(table->rows, column) == MASING_COLUMN_TEXT) {
        fputs("<td class=\"word\">", stream);
        page_text(stream, result_texts(table->rows, column)[row]);
    } else {
        double number = result_numbers(table->rows, column)[row];
        fputs("<td>", stream);
        if (isfinite(number)) {
            fprintf(stream, "%.6g", number);
        }
    }
    fputs("</td>", stream);
}

/* The column at a place of the page: what happens stands first, behind what varies. */
static int column_at(const struct report_table *table, int place)
{
    int event = report_table_find(table, "event"), first = table->given.parameter ? 1 : 0;
    return event < first || place < first || place > event ? place
           : place == first                                ? event
                                                           : place - 1;
}

static bool is_plain(const struct report_table *table, int column)
{
    enum masing_column_type type = masing_result_type(table->rows, column);
    return type != MASING_COLUMN_LIST && type != MASING_COLUMN_COMPLEX;
}

/* Rows with an event alone, or all. */
static bool is_shown(const struct report_table *table, bool with_events_only, int row)
{
    const unsigned *events = masing_result_events(table->rows);
    return !with_events_only || (events && events[row] != 0);
}

static int count_shown(const struct report_table *table, bool with_events_only)
{
    int n = 0;
    for (int row = 0; row < masing_result_n_rows(table->rows); row++) {
        n += is_shown(table, with_events_only, row);
    }
    return n;
}

static void put_rows(FILE *stream, const struct report_table *table, bool with_events_only)
{
    int n_columns = masing_result_n_columns(table->rows), n = 0;
    for (int row = 0; row < masing_result_n_rows(table->rows) && n < MOST_ROWS; row++) {
        if (!is_shown(table, with_events_only, row)) {
            continue;
        }
        n++;
        fputs("<tr>", stream);
        for (int place = 0; place < n_columns; place++) {
            int c = column_at(table, place);
            if (is_plain(table, c)) {
                put_cell(stream, table, c, row);
            }
        }
        fputs("</tr>\n", stream);
    }
}

static void put_table(FILE *stream, const struct report_table *table, const char *title,
                      bool with_events_only, const struct masing_report_run *run)
{
    int n_columns = masing_result_n_columns(table->rows);
    int n = count_shown(table, with_events_only);
    if (n == 0) {
        return;
    }
    fputs("<section class=\"table\">\n<h2>", stream);
    fputc(toupper((unsigned char)*title), stream);
    page_text(stream, title + 1);
    fputs("</h2>\n", stream);
    if (n > MOST_ROWS) {
        fprintf(stream, "<p class=\"note\">The first %d of %d rows.</p>\n", MOST_ROWS, n);
    }
    fputs("<div class=\"scroll\" tabindex=\"0\"><table class=\"sortable\">\n<thead><tr>",
          stream);
    for (int place = 0; place < n_columns; place++) {
        int c = column_at(table, place);
        if (is_plain(table, c)) {
            put_head(stream, table, c, run);
        }
    }
    fputs("</tr></thead>\n<tbody>\n", stream);
    put_rows(stream, table, with_events_only);
    fputs("</tbody></table></div>\n</section>\n", stream);
}

static const struct report_table *find(const struct masing_report *report, const char *name)
{
    for (const struct report_table *table = report->first; table; table = table->next) {
        if (table->given.name && strcmp(table->given.name, name) == 0) {
            return table;
        }
    }
    return NULL;
}

void page_tables(FILE *stream, const struct masing_report *report,
                 const struct masing_report_run *run)
{
    const struct report_table *rows = find(report, "curves");
    bool has_peaks = find(report, "peaks") != NULL;
    for (const struct report_table *table = report->first; table; table = table->next) {
        if (table->given.name && table != rows && !table->has_picture) {
            put_table(stream, table, table->given.name, false, run);
        }
    }
    if (rows && masing_result_events(rows->rows)) {
        const char *title = has_peaks ? "Points where something happens" : "Peaks and events";
        put_table(stream, rows, title, true, run);
    } else if (rows && !rows->has_picture) {
        put_table(stream, rows, "results", false, run);
    }
}
