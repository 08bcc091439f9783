/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comma-separated values (RFC 4180, with plain line feeds): one header line, then the rows.
 *
 * A line that reached the system survives whatever happens to this process. Each line is sent
 * there at once, except in a burst: lines within a millisecond of the last sending wait for a
 * later one, because a system call for each would cost more than the line itself. Only whole
 * lines are sent, and where the system takes a part only (a full disk) that part is taken back.
 */
#include <locale.h>
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

struct csv {
    char *name;              /* of the file; "-" is standard output */
    struct result_file file; /* not open for standard output */
    FILE *stream;            /* NULL before `open` and after the end */
    int n_columns;
    enum masing_column_type *types; /* [n_columns] */
    locale_t locale;                /* decimal points, whatever the host program has set */
    char *waiting;                  /* lines that were not sent yet */
    size_t n_waiting, capacity;     /* bytes */
    off_t n_sent;                   /* bytes of whole lines */
    bool has_rows;                  /* at least one was sent or waits */
    bool is_out_of_memory;
    double sent; /* when, s */
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
    if (!memory_grow((void **)&csv->waiting, csv->n_waiting + length, &csv->capacity, 1)) {
        csv->is_out_of_memory = true;
        return NULL;
    }
    return csv->waiting + csv->n_waiting;
}

static void put_character(struct csv *csv, char character)
{
    char *place = make_room(csv, 1);
    if (place) {
        *place = character;
        csv->n_waiting++;
    }
}

static void put_text(struct csv *csv, const char *text)
{
    bool is_quoted = strpbrk(text, ",\"\r\n") != NULL;
    if (is_quoted) {
        put_character(csv, '"');
    }
    for (; *text; text++) {
        if (*text == '"') {
            put_character(csv, '"');
        }
        put_character(csv, *text);
    }
    if (is_quoted) {
        put_character(csv, '"');
    }
}

static void put_cell(struct csv *csv, enum masing_column_type type,
                     const struct masing_cell *cell)
{
    if (type == MASING_COLUMN_TEXT) {
        put_text(csv, cell->text ? cell->text : "");
    } else if (isfinite(cell->number)) {
        /* 17 significant digits give every double back exactly; an integer has no point */
        char *place = make_room(csv, NUMBER_TEXT);
        csv->n_waiting += place ? number_write(cell->number, place) : 0;
    }
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

static enum masing_status end_line(struct csv *csv, struct masing_error *error)
{
    put_character(csv, '\n');
    if (csv->is_out_of_memory) {
        return masing_error_set(error, MASING_NO_MEMORY, "out of memory");
    }
    bool is_burst = csv->n_waiting < MOST_WAITING && now() - csv->sent < burst_seconds;
    return is_burst ? MASING_OK : send_lines(csv, error);
}

static enum masing_status csv_open(void *context, const struct masing_column *columns,
                                   int n_columns, struct masing_error *error)
{
    struct csv *csv = context;
    NEED_ALLOCATED(csv->types = memory_array((size_t)n_columns, sizeof *csv->types));
    csv->n_columns = n_columns;
    csv->capacity = MOST_WAITING + USUAL_LINE; /* it grows only for a longer line */
    NEED_ALLOCATED(csv->waiting = memory_array(csv->capacity, 1));
    csv->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!is_stdout(csv)) {
        NEED(result_file_open(csv->name, &csv->file, error));
        setvbuf(csv->file.stream, NULL, _IONBF, 0); /* lines are put together here */
    }
    csv->stream = is_stdout(csv) ? stdout : csv->file.stream;
    for (int i = 0; i < n_columns; i++) {
        csv->types[i] = columns[i].type;
        if (i > 0) {
            put_character(csv, ',');
        }
        put_text(csv, columns[i].name);
    }
    return end_line(csv, error);
}

static enum masing_status csv_row(void *context, const struct masing_cell *cells,
                                  struct masing_error *error)
{
    struct csv *csv = context;
    locale_t before = uselocale(csv->locale);
    for (int i = 0; i < csv->n_columns; i++) {
        if (i > 0) {
            put_character(csv, ',');
        }
        put_cell(csv, csv->types[i], &cells[i]);
    }
    uselocale(before);
    csv->has_rows = true;
    return end_line(csv, error);
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
        if (csv->locale) {
            freelocale(csv->locale);
        }
        free(csv->waiting);
        free(csv->types);
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
