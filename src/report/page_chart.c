/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/result.h"
#include "plot/picture.h"
#include "report/page.h"

/* Columns that nothing but the reader's choice may show stand in the page up to so many
 * numbers. */
static const double MOST_NUMBERS = 1.5e6;

/* Of loops with more points a part of the points goes into the page. */
enum { MOST_LOOP_ROWS = 200000 };

/* A table with a picture of some of its rows. */
struct chart {
    const struct report_table *table;
    int number; /* of its figure */
    int n_columns, n_rows;
    int step;                           /* every so many rows go to the scripts */
    int filters[MASING_REPORT_FILTERS]; /* columns; -1: none */
};

static struct chart chart_of(const struct report_table *table, int number)
{
    struct chart chart = {.table = table, .number = number};
    chart.n_columns = masing_result_n_columns(table->rows);
    chart.n_rows = masing_result_n_rows(table->rows);
    chart.step =
        table->picture.kind == MASING_PLOT_LOOPS ? 1 + chart.n_rows / MOST_LOOP_ROWS : 1;
    for (int i = 0; i < MASING_REPORT_FILTERS; i++) {
        chart.filters[i] = report_table_find(table, table->given.filter_columns[i]);
    }
    return chart;
}

static bool is_shown(const struct chart *chart, int row)
{
    bool is_right = true;
    for (int i = 0; i < MASING_REPORT_FILTERS; i++) {
        int column = chart->filters[i];
        const char *const *texts =
            column >= 0 ? result_texts(chart->table->rows, column) : NULL;
        is_right = is_right && (column < 0 ||
                                (texts && texts[row] &&
                                 strcmp(texts[row], chart->table->given.filter_texts[i]) == 0));
    }
    return is_right;
}

static bool has_rows(const struct chart *chart)
{
    bool has_any = false;
    for (int row = 0; row < chart->n_rows && !has_any; row++) {
        has_any = is_shown(chart, row);
    }
    return chart->table->has_picture && has_any;
}

/* ---- still pictures ---- */

static void fill_cells(const struct chart *chart, int row, struct masing_cell *cells)
{
    const struct masing_result *rows = chart->table->rows;
    const unsigned *events = masing_result_events(rows);
    int event = report_table_find(chart->table, "event");
    for (int c = 0; c < chart->n_columns; c++) {
        bool is_text = masing_result_type(rows, c) == MASING_COLUMN_TEXT;
        cells[c] = (struct masing_cell){.number = result_numbers(rows, c)[row]};
        cells[c].text = is_text ? result_texts(rows, c)[row] : NULL;
        cells[c].events = events && c == event ? events[row] : 0;
    }
}

static enum masing_status draw(const struct chart *chart, const struct masing_sink *sink,
                               struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_result *rows = chart->table->rows;
    size_t n = (size_t)chart->n_columns;
    struct masing_column *columns = memory_array(n, sizeof *columns);
    struct masing_cell *cells = memory_array(n, sizeof *cells);
    TRY_ALLOCATED(columns && cells);
    for (int c = 0; c < chart->n_columns; c++) {
        snprintf(columns[c].name, sizeof columns[c].name, "%s", masing_result_name(rows, c));
        columns[c].type = masing_result_type(rows, c);
    }
    TRY(sink->open(sink->context, columns, chart->n_columns, error));
    for (int row = 0; row < chart->n_rows; row++) {
        if (is_shown(chart, row)) {
            fill_cells(chart, row, cells);
            TRY(sink->row(sink->context, cells, error));
        }
    }
    status = sink->finish(sink->context, error);
done:
    free(columns);
    free(cells);
    return status;
}

/* title: of the page, which need not stand over a picture again */
static enum masing_status put_still(FILE *stream, const struct chart *chart, const char *title,
                                    struct masing_error *error)
{
    struct masing_sink sink = {0};
    char mark[16];
    snprintf(mark, sizeof mark, "f%d-", chart->number);
    const struct masing_plot_settings *picture = &chart->table->picture;
    bool is_title = picture->title && title && strcmp(picture->title, title) == 0;
    fprintf(stream, "<figure id=\"figure-%d\">\n<figcaption>", chart->number);
    page_text(stream, is_title ? picture->y_label : picture->title);
    fputs("</figcaption>\n<div class=\"still\">\n", stream);
    NEED(picture_inline_create(stream, mark, picture, &sink, error));
    enum masing_status status = draw(chart, &sink, error);
    sink.destroy(sink.context);
    fputs("</div>\n</figure>\n", stream);
    return status;
}

enum masing_status page_stills(FILE *stream, const struct masing_report *report,
                               const struct masing_report_run *run, struct masing_error *error)
{
    int number = 0;
    for (const struct report_table *table = report->first; table; table = table->next) {
        const struct chart chart = chart_of(table, number++);
        NEED(has_rows(&chart) ? put_still(stream, &chart, run->title, error) : MASING_OK);
    }
    return MASING_OK;
}

/* ---- what scripts draw ---- */

static void put_text(FILE *stream, const char *key, const char *text)
{
    fprintf(stream, ",\"%s\":", key);
    page_quoted(stream, text);
}

/* Whether a column goes into the page: where there is room all, else those of the picture. */
static bool is_sent(const struct chart *chart, int column, bool has_room)
{
    const struct masing_plot_settings *picture = &chart->table->picture;
    const char *const shown[] = {picture->x_column,      picture->y_column,
                                 picture->group_column,  picture->segment_column,
                                 picture->closed_column, picture->dots_column,
                                 picture->second_column, picture->stable_column};
    enum masing_column_type type = masing_result_type(chart->table->rows, column);
    bool is_number = type == MASING_COLUMN_REAL || type == MASING_COLUMN_INTEGER,
         is_one = false;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        is_one = is_one || (shown[i] && report_table_find(chart->table, shown[i]) == column);
    }
    return is_one || (is_number && has_room);
}

/* The next row that goes to the scripts behind one, of which *n were passed; n_rows: none. */
static int next_sent(const struct chart *chart, int row, int *n)
{
    for (row++; row < chart->n_rows; row++) {
        if (is_shown(chart, row) && (*n)++ % chart->step == 0) {
            break;
        }
    }
    return row;
}

static void put_values(FILE *stream, const struct chart *chart, int column)
{
    const struct masing_result *rows = chart->table->rows;
    bool is_text = masing_result_type(rows, column) == MASING_COLUMN_TEXT;
    const char *between = "";
    int n = 0;
    fputc('[', stream);
    for (int row = next_sent(chart, -1, &n); row < chart->n_rows;
         row = next_sent(chart, row, &n), between = ",") {
        fputs(between, stream);
        if (is_text) {
            page_quoted(stream, result_texts(rows, column)[row]);
        } else {
            page_number(stream, result_numbers(rows, column)[row]);
        }
    }
    fputc(']', stream);
}

/* Which rows are marked: peaks and the lowest of them. */
static void put_marks(FILE *stream, const struct chart *chart)
{
    const unsigned marked =
        MASING_EVENT_BIT(MASING_EVENT_PEAK) | MASING_EVENT_BIT(MASING_EVENT_MINIMUM);
    const unsigned *events = masing_result_events(chart->table->rows);
    const char *between = "";
    int n = 0;
    fputs(",\"marks\":[", stream);
    for (int row = next_sent(chart, -1, &n); events && row < chart->n_rows;
         row = next_sent(chart, row, &n), between = ",") {
        fprintf(stream, "%s%d", between, (events[row] & marked) != 0);
    }
    fputc(']', stream);
}

static void put_columns(FILE *stream, const struct chart *chart,
                        const struct masing_report_run *run)
{
    bool is_loops = chart->table->picture.kind == MASING_PLOT_LOOPS, is_first = true;
    bool has_room =
        !is_loops && (double)chart->n_rows * (double)chart->n_columns <= MOST_NUMBERS;
    fputs(",\"columns\":[", stream);
    for (int c = 0; c < chart->n_columns; c++) {
        if (is_sent(chart, c, has_room)) {
            const char *name = masing_result_name(chart->table->rows, c);
            fputs(is_first ? "{\"name\":" : ",\n{\"name\":", stream);
            is_first = false;
            page_quoted(stream, name);
            put_text(stream, "unit", report_unit(run, name));
            fputs(",\"values\":", stream);
            put_values(stream, chart, c);
            fputc('}', stream);
        }
    }
    fputc(']', stream);
}

static void put_chart(FILE *stream, const struct chart *chart,
                      const struct masing_report_run *run)
{
    const struct masing_plot_settings *picture = &chart->table->picture;
    int event = report_table_find(chart->table, picture->event_column);
    fprintf(stream, "{\"figure\":%d,\"isLoops\":%s,\"isLogX\":%s,\"isLogY\":%s", chart->number,
            picture->kind == MASING_PLOT_LOOPS ? "true" : "false",
            picture->is_log_x ? "true" : "false", picture->is_log_y ? "true" : "false");
    put_text(stream, "x", picture->x_column);
    put_text(stream, "y", picture->y_column);
    put_text(stream, "xLabel", picture->x_label);
    put_text(stream, "yLabel", picture->y_label);
    put_text(stream, "group", picture->group_column);
    put_text(stream, "groupLabel", picture->group_label);
    put_text(stream, "segment", picture->segment_column);
    put_text(stream, "closed", picture->closed_column);
    put_text(stream, "dots", picture->dots_column);
    put_text(stream, "stable", picture->stable_column);
    put_text(stream, "second", picture->second_column);
    put_text(stream, "secondLabel", picture->second_label);
    put_columns(stream, chart, run);
    if (event >= 0) {
        fputs(",\"events\":", stream);
        put_values(stream, chart, event);
        put_marks(stream, chart);
    }
    fputc('}', stream);
}

void page_charts(FILE *stream, const struct masing_report *report,
                 const struct masing_report_run *run)
{
    int number = 0;
    const char *between = "";
    fputs("{\"shades\":[", stream);
    for (int i = 0; i <= 16; i++) {
        struct colour shade = canvas_shade(i / 16.0);
        fprintf(stream, "%s[%d,%d,%d]", i == 0 ? "" : ",", (int)lround(255 * shade.red),
                (int)lround(255 * shade.green), (int)lround(255 * shade.blue));
    }
    fputs("],\"charts\":[", stream);
    for (const struct report_table *table = report->first; table; table = table->next) {
        const struct chart chart = chart_of(table, number++);
        enum masing_plot_kind kind = table->picture.kind;
        if (has_rows(&chart) && (kind == MASING_PLOT_CURVES || kind == MASING_PLOT_LOOPS)) {
            fputs(between, stream);
            put_chart(stream, &chart, run);
            between = ",\n";
        }
    }
    fputs("]}", stream);
}
