/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comma-separated values (RFC 4180, with plain line feeds): one header line, then the rows.
 *
 * A line that reached the system survives whatever happens to this process. Each line is sent
 * there at once, except in a burst: lines within a millisecond of the last sending wait for a
 * later one, because a system call for each would cost more than the line itself. Only whole
 * lines are sent, and where the system takes a part only (a full disk) that part is taken back.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "data/number.h"
#include "base/result_file.h"
#include "masing/table.h"

enum { MOST_WAITING = 1 << 16, USUAL_LINE = 1 << 12 };

static const double burst_seconds = 1e-3;

struct csv_column {
    enum masing_column_type type;
    /* the number written last, which often comes again in the next row; 0: none */
    double number;
    size_t length;
    char text[NUMBER_TEXT];
};

struct csv {
    char *name;              /* of the file; "-" is standard output */
    struct result_file file; /* not open for standard output */
    FILE *stream;            /* NULL before `open` and after the end */
    int n_columns;
    struct csv_column *columns; /* [n_columns] */
    char *waiting;              /* lines that were not sent yet */
    size_t n_waiting, capacity; /* bytes */
    off_t n_sent;               /* bytes of whole lines */
    bool has_rows;              /* at least one was sent or waits */
    double sent;                /* when, s */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Room for more bytes behind those that wait; NULL where there is no memory. */
static char *make_room(struct csv *csv, size_t length)
{
    return memory_grow((void **)&csv->waiting, csv->n_waiting + length, &csv->capacity, 1)
               ? csv->waiting + csv->n_waiting
               : NULL;
}

/* The most bytes that a text takes, with quotes. */
static size_t text_room(const char *text)
{
    return 2 * strlen(text) + 2;
}

/* Each puts what there is room for at a place and returns the place behind it. */

static char *put_text(const char *text, char *at)
{
    size_t length = strcspn(text, ",\"\r\n");
    if (!text[length]) {
        memcpy(at, text, length);
        return at + length;
    }
    *at++ = '"';
    for (; *text; text++) {
        if (*text == '"') {
            *at++ = '"';
        }
        *at++ = *text;
    }
    *at++ = '"';
    return at;
}

/* 17 significant digits give every double back exactly; an integer has no point. */
static char *put_number(struct csv_column *column, double number, char *at)
{
    if (column->length == 0 || memcmp(&number, &column->number, sizeof number) != 0) {
        column->number = number;
        column->length = number_write(number, column->text);
    }
    memcpy(at, column->text, NUMBER_TEXT);
    return at + column->length;
}

static char *put_cell(struct csv_column *column, const struct masing_cell *cell, char *at)
{
    if (column->type == MASING_COLUMN_TEXT) {
        return cell->text ? put_text(cell->text, at) : at;
    }
    return isfinite(cell->number) ? put_number(column, cell->number, at) : at;
}

static bool is_stdout(const struct csv *csv)
{
    return strcmp(csv->name, "-") == 0;
}

static enum masing_status send_lines(struct csv *csv, struct masing_error *error)
{
    size_t count = csv->n_waiting;
    csv->n_waiting = 0;
    if (fwrite(csv->waiting, 1, count, csv->stream) != count || fflush(csv->stream) != 0) {
        enum masing_status status =
            result_file_fail(is_stdout(csv) ? "standard output" : csv->name, error);
        if (csv->file.temporary) {
            (void)!ftruncate(fileno(csv->stream), csv->n_sent);
        }
        return status;
    }
    csv->n_sent += (off_t)count;
    csv->sent = now();
    return MASING_OK;
}

/* `end`: behind what was put where the lines wait; NULL: there was no memory for it. */
static enum masing_status end_line(struct csv *csv, char *end, struct masing_error *error)
{
    NEED_ALLOCATED(end);
    *end++ = '\n';
    csv->n_waiting = (size_t)(end - csv->waiting);
    bool is_burst = csv->n_waiting < MOST_WAITING && now() - csv->sent < burst_seconds;
    return is_burst ? MASING_OK : send_lines(csv, error);
}

static enum masing_status put_names(struct csv *csv, const struct masing_column *columns,
                                    struct masing_error *error)
{
    size_t room = 1;
    for (int i = 0; i < csv->n_columns; i++) {
        room += 1 + text_room(columns[i].name);
    }
    char *at = make_room(csv, room);
    for (int i = 0; at && i < csv->n_columns; i++) {
        csv->columns[i].type = columns[i].type;
        if (i > 0) {
            *at++ = ',';
        }
        at = put_text(columns[i].name, at);
    }
    return end_line(csv, at, error);
}

static enum masing_status csv_open(void *context, const struct masing_column *columns,
                                   int n_columns, struct masing_error *error)
{
    struct csv *csv = context;
    NEED_ALLOCATED(csv->columns = memory_array((size_t)n_columns, sizeof *csv->columns));
    csv->n_columns = n_columns;
    csv->capacity = MOST_WAITING + USUAL_LINE; /* it grows only for a longer line */
    NEED_ALLOCATED(csv->waiting = memory_array(csv->capacity, 1));
    if (!is_stdout(csv)) {
        NEED(result_file_open(csv->name, &csv->file, error));
        setvbuf(csv->file.stream, NULL, _IONBF, 0); /* lines are put together here */
    }
    csv->stream = is_stdout(csv) ? stdout : csv->file.stream;
    return put_names(csv, columns, error);
}

static enum masing_status csv_row(void *context, const struct masing_cell *cells,
                                  struct masing_error *error)
{
    struct csv *csv = context;
    size_t room = 1;
    for (int i = 0; i < csv->n_columns; i++) {
        bool is_text = csv->columns[i].type == MASING_COLUMN_TEXT && cells[i].text;
        room += 1 + (is_text ? text_room(cells[i].text) : NUMBER_TEXT);
    }
    char *at = make_room(csv, room);
    for (int i = 0; at && i < csv->n_columns; i++) {
        if (i > 0) {
            *at++ = ',';
        }
        at = put_cell(&csv->columns[i], &cells[i], at);
    }
    csv->has_rows = true;
    return end_line(csv, at, error);
}

/* Send what waits and put the file in place, also where not all of it could be sent. */
static enum masing_status csv_finish(void *context, struct masing_error *error)
{
    struct csv *csv = context;
    if (!csv->stream) {
        return MASING_OK;
    }
    enum masing_status status = csv->n_waiting > 0 ? send_lines(csv, error) : MASING_OK;
    enum masing_status kept =
        result_file_keep(csv->name, &csv->file, status == MASING_OK ? error : NULL);
    csv->stream = NULL;
    return status == MASING_OK ? kept : status;
}

static void csv_abandon(void *context)
{
    struct csv *csv = context;
    if (!csv->stream) {
        return;
    }
    if (csv->has_rows || csv->stream == stdout) {
        csv_finish(csv, NULL);
    } else {
        result_file_drop(&csv->file);
        csv->stream = NULL;
    }
}

static void csv_destroy(void *context)
{
    struct csv *csv = context;
    if (csv) {
        csv_abandon(csv);
        free(csv->waiting);
        free(csv->columns);
        free(csv->name);
        free(csv);
    }
}

enum masing_status masing_csv_create(const char *file, struct masing_sink *sink,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct csv *csv = NULL;
    struct masing_error own;
    error = entry_begin(error, &own);
    TRY(entry_need(file, "file", error));
    TRY(entry_need(sink, "sink", error));
    TRY_ALLOCATED(csv = memory_array(1, sizeof *csv));
    TRY_ALLOCATED(csv->name = memory_text(file));
    *sink = (struct masing_sink){csv, csv_open, csv_row, csv_finish, csv_abandon, csv_destroy};
done:
    if (status != MASING_OK) {
        csv_destroy(csv);
    }
    return status;
}
