/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/row_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "base/sink.h"

void row_table_column(struct row_table *table, enum masing_column_type type, const char *format,
                      ...)
{
    if (table->columns) {
        struct masing_column *column = &table->columns[table->next];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(column->name, sizeof column->name, format, arguments);
        va_end(arguments);
        column->type = type;
    }
    table->next++;
}

static enum masing_status name_columns(struct row_table *table, row_walk *walk,
                                       const void *context, struct masing_error *error)
{
    table->columns = memory_array((size_t)table->n_columns, sizeof *table->columns);
    NEED_ALLOCATED(table->columns);
    table->next = 0;
    walk(table, context);
    return MASING_OK;
}

enum masing_status row_sink_begin(struct row_sink *rows, const struct masing_sink *sink,
                                  row_walk *walk, const void *context,
                                  struct masing_error *error)
{
    struct row_table *table = &rows->table;
    *rows = (struct row_sink){.sink = sink, .walk = walk};
    walk(table, context);
    table->n_columns = table->next;
    table->cells = memory_array((size_t)table->n_columns, sizeof *table->cells);
    NEED_ALLOCATED(table->cells);
    if (sink && sink->open) {
        NEED(name_columns(table, walk, context, error));
        NEED(sink->open(sink->context, table->columns, table->n_columns, error));
    }
    rows->is_open = true;
    return MASING_OK;
}

enum masing_status row_sink_write(struct row_sink *rows, const void *context,
                                  struct masing_error *error)
{
    struct row_table *table = &rows->table;
    if (!rows->sink) {
        return MASING_OK;
    }
    table->next = 0;
    table->is_filling = true;
    rows->walk(table, context);
    return sink_row(rows->sink, table->cells, error);
}

enum masing_status row_sink_end(struct row_sink *rows, enum masing_status status,
                                struct masing_error *error)
{
    if (rows->is_open && (status == MASING_OK || status == MASING_STOPPED)) {
        rows->is_open = false;
        enum masing_status finished = sink_finish(rows->sink, error);
        status = finished != MASING_OK ? finished : status;
    }
    if (rows->is_open) {
        sink_abandon(rows->sink);
    }
    free(rows->table.columns);
    free(rows->table.cells);
    *rows = (struct row_sink){0};
    return status;
}

double row_phase(double amplitude, double phase)
{
    double degrees = remainder(phase * (360.0 / TWO_PI), 360.0);
    return !(amplitude > 0.0) ? NAN : degrees <= -180.0 ? degrees + 360.0 : degrees;
}
