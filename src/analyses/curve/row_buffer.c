/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/row_buffer.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/sink.h"

static enum masing_status take_row(void *context, const struct masing_cell *cells,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct row_buffer *buffer = context;
    TRY_ALLOCATED(memory_grow((void **)&buffer->cells,
                              buffer->n_cells + (size_t)buffer->n_columns, &buffer->capacity,
                              sizeof *buffer->cells));
    for (int c = 0; c < buffer->n_columns; c++) {
        struct masing_cell *cell = &buffer->cells[buffer->n_cells];
        *cell = cells[c];
        if (cells[c].text) {
            cell->text = memory_text(cells[c].text);
            TRY_ALLOCATED(cell->text);
        }
        buffer->n_cells++;
    }
done:
    return status;
}

struct masing_sink row_buffer_sink(struct row_buffer *buffer)
{
    return (struct masing_sink){.context = buffer, .row = take_row};
}

enum masing_status row_buffer_replay(const struct row_buffer *buffer,
                                     const struct masing_sink *sink, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    for (size_t c = 0;
         c + (size_t)buffer->n_columns <= buffer->n_cells && buffer->n_columns > 0;
         c += (size_t)buffer->n_columns) {
        TRY(sink_row(sink, buffer->cells + c, error));
    }
done:
    return status;
}

void row_buffer_clear(struct row_buffer *buffer)
{
    for (size_t c = 0; c < buffer->n_cells; c++) {
        free((char *)buffer->cells[c].text);
    }
    free(buffer->cells);
    buffer->cells = NULL;
    buffer->n_cells = buffer->capacity = 0;
}
