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
    bool is_left_out; /* it holds several numbers in a cell */
    /* the number written last, which often comes again in the next row; 0: none */
    double number;
    size_t length;
    char text[NUMBER_TEXT];
};

/* Whole lines, one behind the other. */
struct lines {
    char *bytes;
    size_t n, capacity;
};

struct csv {
    char *name;              /* of the file; "-" is standard output */
    struct result_file file; /* not open for standard output */
    FILE *stream;            /* NULL before `open` and after the end */
    int n_columns;
    struct csv_column *columns; /* [n_columns] */
    struct lines waiting;       /* that were not sent yet */
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

/* Room for more bytes behind those that are there; NULL where there is no memory. */
static char *make_room(struct lines *lines, size_t length)
{
    return memory_grow((void **)&lines->bytes, lines->n + length, &lines->capacity, 1)
               ? lines->bytes + lines->n
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

/* `end`: behind what was put where there was room; NULL: there was no memory for it. */
static enum masing_status end_line(struct lines *lines, char *end, struct masing_error *error)
{
    NEED_ALLOCATED(end);
    *end++ = '\n';
    lines->n = (size_t)(end - lines->bytes);
    return MASING_OK;
}

static enum masing_status put_names(struct csv *csv, const struct masing_column *columns,
                                    struct masing_error *error)
{
    size_t room = 1;
    for (int i = 0; i < csv->n_columns; i++) {
        room += 1 + text_room(columns[i].name);
    }
    char *at = make_room(&csv->waiting, room);
    const char *first = at;
    for (int i = 0; at && i < csv->n_columns; i++) {
        csv->columns[i].type = columns[i].type;
        csv->columns[i].is_left_out = !masing_column_is_plain(&columns[i]);
        if (csv->columns[i].is_left_out) {
            continue;
        }
        if (at != first) {
            *at++ = ',';
        }
        at = put_text(columns[i].name, at);
    }
    return end_line(&csv->waiting, at, error);
}

/* The most bytes that a row takes. */
static size_t row_room(const struct csv_column *columns, int n_columns,
                       const struct masing_cell *cells)
{
    size_t room = 1;
    for (int i = 0; i < n_columns; i++) {
        bool is_text = columns[i].type == MASING_COLUMN_TEXT && cells[i].text;
        room += 1 + (is_text ? text_room(cells[i].text) : NUMBER_TEXT);
    }
    return room;
}

static enum masing_status put_row(struct csv_column *columns, int n_columns,
                                  const struct masing_cell *cells, struct lines *lines,
                                  struct masing_error *error)
{
    char *at = make_room(lines, row_room(columns, n_columns, cells));
    bool is_first = true;
    for (int i = 0; at && i < n_columns; i++) {
        if (columns[i].is_left_out) {
            continue;
        }
        if (!is_first) {
            *at++ = ',';
        }
        at = put_cell(&columns[i], &cells[i], at);
        is_first = false;
    }
    return end_line(lines, at, error);
}

/* ---- sending ---- */

static bool is_stdout(const struct csv *csv)
{
    return strcmp(csv->name, "-") == 0;
}

static enum masing_status send_lines(struct csv *csv, const char *bytes, size_t count,
                                     struct masing_error *error)
{
    if (fwrite(bytes, 1, count, csv->stream) != count || fflush(csv->stream) != 0) {
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

static enum masing_status send_waiting(struct csv *csv, struct masing_error *error)
{
    size_t count = csv->waiting.n;
    csv->waiting.n = 0;
    return count > 0 ? send_lines(csv, csv->waiting.bytes, count, error) : MASING_OK;
}

static enum masing_status send_unless_burst(struct csv *csv, struct masing_error *error)
{
    bool is_burst = csv->waiting.n < MOST_WAITING && now() - csv->sent < burst_seconds;
    return is_burst ? MASING_OK : send_waiting(csv, error);
}

static enum masing_status csv_open(void *context, const struct masing_column *columns,
                                   int n_columns, struct masing_error *error)
{
    struct csv *csv = context;
    NEED_ALLOCATED(csv->columns = memory_array((size_t)n_columns, sizeof *csv->columns));
    csv->n_columns = n_columns;
    csv->waiting.capacity = MOST_WAITING + USUAL_LINE; /* it grows only for a longer line */
    NEED_ALLOCATED(csv->waiting.bytes = memory_array(csv->waiting.capacity, 1));
    if (!is_stdout(csv)) {
        NEED(result_file_open(csv->name, &csv->file, error));
        setvbuf(csv->file.stream, NULL, _IONBF, 0); /* lines are put together here */
    }
    csv->stream = is_stdout(csv) ? stdout : csv->file.stream;
    NEED(put_names(csv, columns, error));
    return send_unless_burst(csv, error);
}

static enum masing_status csv_row(void *context, const struct masing_cell *cells,
                                  struct masing_error *error)
{
    struct csv *csv = context;
    NEED(put_row(csv->columns, csv->n_columns, cells, &csv->waiting, error));
    csv->has_rows = true;
    return send_unless_burst(csv, error);
}

/* Send what waits and put the file in place, also where not all of it could be sent. */
static enum masing_status csv_finish(void *context, struct masing_error *error)
{
    struct csv *csv = context;
    if (!csv->stream) {
        return MASING_OK;
    }
    enum masing_status status = send_waiting(csv, error);
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
        free(csv->waiting.bytes);
        free(csv->columns);
        free(csv->name);
        free(csv);
    }
}

/* ---- rows that other threads make ready: all that is left to do is to send them ---- */

struct block {
    struct block *next;
    struct lines lines; /* no more than are sent at once, or a single one */
};

struct csv_part {
    int n_columns;
    struct csv_column *columns; /* with numbers of its own */
    struct block *first, *last; /* NULL: no rows */
};

static enum masing_status part_row(void *context, const struct masing_cell *cells,
                                   struct masing_error *error)
{
    struct csv_part *part = context;
    size_t room = row_room(part->columns, part->n_columns, cells);
    if (!part->last || part->last->lines.n + room > MOST_WAITING) {
        struct block *block = memory_array(1, sizeof *block);
        NEED_ALLOCATED(block);
        *(part->last ? &part->last->next : &part->first) = block;
        part->last = block;
    }
    return put_row(part->columns, part->n_columns, cells, &part->last->lines, error);
}

static void part_destroy(void *context)
{
    struct csv_part *part = context;
    struct block *next = NULL;
    for (struct block *block = part ? part->first : NULL; block; block = next) {
        next = block->next;
        free(block->lines.bytes);
        free(block);
    }
    if (part) {
        free(part->columns);
        free(part);
    }
}

static enum masing_status csv_fork(void *context, struct masing_sink *part,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct csv *csv = context;
    struct csv_part *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->n_columns = csv->n_columns;
    made->columns = memory_array((size_t)csv->n_columns, sizeof *made->columns);
    TRY_ALLOCATED(made->columns);
    for (int i = 0; i < csv->n_columns; i++) {
        made->columns[i].type = csv->columns[i].type;
        made->columns[i].is_left_out = csv->columns[i].is_left_out;
    }
    *part = (struct masing_sink){.context = made, .row = part_row, .destroy = part_destroy};
    made = NULL;
done:
    part_destroy(made);
    return status;
}

/* A short block waits as single lines do. */
static enum masing_status take_block(struct csv *csv, const struct lines *lines,
                                     struct masing_error *error)
{
    if (csv->waiting.n + lines->n > MOST_WAITING) {
        NEED(send_waiting(csv, error));
    }
    if (lines->n > MOST_WAITING / 2) {
        NEED(send_waiting(csv, error));
        return send_lines(csv, lines->bytes, lines->n, error);
    }
    memcpy(csv->waiting.bytes + csv->waiting.n, lines->bytes, lines->n);
    csv->waiting.n += lines->n;
    return send_unless_burst(csv, error);
}

static enum masing_status csv_join(void *context, const struct masing_sink *part,
                                   struct masing_error *error)
{
    struct csv *csv = context;
    const struct csv_part *other = part->context;
    for (const struct block *block = other->first; block; block = block->next) {
        csv->has_rows = true;
        NEED(take_block(csv, &block->lines, error));
    }
    return MASING_OK;
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
    *sink = (struct masing_sink){csv,         csv_open,    csv_row,  csv_finish,
                                 csv_abandon, csv_destroy, csv_fork, csv_join};
done:
    if (status != MASING_OK) {
        csv_destroy(csv);
    }
    return status;
}
