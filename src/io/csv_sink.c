/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comma-separated values (RFC 4180, with plain line feeds): one header line, then the rows. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "masing/table.h"

struct csv {
    char *name;   /* of the file; "-" is standard output */
    FILE *stream; /* NULL before `open` and after the end */
    int n_columns;
    enum masing_column_type *types; /* [n_columns] */
    locale_t locale;                /* decimal points, whatever the host program has set */
};

static void csv_close(struct csv *csv)
{
    if (csv->stream && csv->stream != stdout) {
        fclose(csv->stream);
    }
    csv->stream = NULL;
}

static enum masing_status csv_failed(const struct csv *csv, struct masing_error *error)
{
    bool is_stdout = strcmp(csv->name, "-") == 0;
    return masing_error_set(error, MASING_IO, "%s: cannot write: %s",
                            is_stdout ? "standard output" : csv->name, strerror(errno));
}

static void csv_text(FILE *stream, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"') {
            fputc('"', stream);
        }
        fputc(*text, stream);
    }
    fputc('"', stream);
}

/* 17 significant digits give every double back exactly. */
static void csv_cell(FILE *stream, enum masing_column_type type, const struct masing_cell *cell)
{
    if (type == MASING_COLUMN_TEXT) {
        csv_text(stream, cell->text ? cell->text : "");
    } else if (cell->number == cell->number) {
        fprintf(stream, type == MASING_COLUMN_INTEGER ? "%.0f" : "%.17g", cell->number);
    }
}

/* A line that reached the system survives whatever happens to this process afterwards. */
static enum masing_status csv_end_line(const struct csv *csv, struct masing_error *error)
{
    fputc('\n', csv->stream);
    if (fflush(csv->stream) != 0 || ferror(csv->stream)) {
        return csv_failed(csv, error);
    }
    return MASING_OK;
}

static enum masing_status csv_open(void *context, const struct masing_column *columns,
                                   int n_columns, struct masing_error *error)
{
    struct csv *csv = context;
    enum masing_status status = MASING_OK;
    csv->types = memory_array((size_t)n_columns, sizeof *csv->types);
    TRY_ALLOCATED(csv->types);
    csv->n_columns = n_columns;
    csv->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    csv->stream = strcmp(csv->name, "-") == 0 ? stdout : fopen(csv->name, "w");
    if (!csv->stream) {
        TRY(csv_failed(csv, error));
    }
    for (int i = 0; i < n_columns; i++) {
        csv->types[i] = columns[i].type;
        if (i > 0) {
            fputc(',', csv->stream);
        }
        csv_text(csv->stream, columns[i].name);
    }
    TRY(csv_end_line(csv, error));
done:
    return status;
}

static enum masing_status csv_row(void *context, const struct masing_cell *cells,
                                  struct masing_error *error)
{
    struct csv *csv = context;
    locale_t before = uselocale(csv->locale);
    for (int i = 0; i < csv->n_columns; i++) {
        if (i > 0) {
            fputc(',', csv->stream);
        }
        csv_cell(csv->stream, csv->types[i], &cells[i]);
    }
    enum masing_status status = csv_end_line(csv, error);
    uselocale(before);
    return status;
}

static enum masing_status csv_finish(void *context, struct masing_error *error)
{
    struct csv *csv = context;
    FILE *stream = csv->stream;
    csv->stream = NULL;
    if (stream == stdout ? fflush(stream) != 0 : fclose(stream) != 0) {
        return csv_failed(csv, error);
    }
    return MASING_OK;
}

static void csv_abandon(void *context)
{
    csv_close(context);
}

static void csv_destroy(void *context)
{
    struct csv *csv = context;
    if (csv) {
        csv_close(csv);
        if (csv->locale) {
            freelocale(csv->locale);
        }
        free(csv->types);
        free(csv->name);
        free(csv);
    }
}

enum masing_status masing_csv_create(const char *file, struct masing_sink *sink,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct csv *csv = memory_array(1, sizeof *csv);
    TRY_ALLOCATED(csv);
    csv->name = memory_text(file);
    TRY_ALLOCATED(csv->name);
    *sink = (struct masing_sink){csv, csv_open, csv_row, csv_finish, csv_abandon, csv_destroy};
done:
    if (status != MASING_OK) {
        csv_destroy(csv);
    }
    return status;
}
