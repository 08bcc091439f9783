/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/row_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/memory.h"

struct row_buffer {
    int n_columns;
    size_t n_cells, capacity;
    struct masing_cell *cells;
    struct arena texts; /* and the values of cells with several */
};

/* The text of a cell for as long as the buffer; rows often have that of the row before. */
static const char *keep_text(struct row_buffer *buffer, const char *text, int column)
{
    size_t n = (size_t)buffer->n_columns;
    const char *above =
        buffer->n_cells < n ? NULL : buffer->cells[buffer->n_cells - n + (size_t)column].text;
    bool is_same = above && strcmp(above, text) == 0;
    return is_same ? above : arena_text(&buffer->texts, text, strlen(text));
}

static enum masing_status take_row(void *context, const struct masing_cell *cells,
                                   struct masing_error *error)
{
    struct row_buffer *buffer = context;
    size_t n = (size_t)buffer->n_columns;
    NEED_ALLOCATED(memory_grow((void **)&buffer->cells, buffer->n_cells + n, &buffer->capacity,
                               sizeof *buffer->cells));
    struct masing_cell *taken = buffer->cells + buffer->n_cells;
    memcpy(taken, cells, n * sizeof *taken);
    for (int c = 0; c < buffer->n_columns; c++) {
        if (taken[c].text) {
            NEED_ALLOCATED(taken[c].text = keep_text(buffer, taken[c].text, c));
        }
        if (taken[c].values) {
            size_t size = (size_t)taken[c].number * sizeof(double);
            double *values = arena_allocate(&buffer->texts, size);
            NEED_ALLOCATED(values);
            memcpy(values, taken[c].values, size);
            taken[c].values = values;
        }
    }
    buffer->n_cells += n;
    return MASING_OK;
}

static void destroy(void *context)
{
    struct row_buffer *buffer = context;
    arena_clear(&buffer->texts);
    free(buffer->cells);
    free(buffer);
}

enum masing_status row_buffer_create(int n_columns, struct masing_sink *part,
                                     struct masing_error *error)
{
    struct row_buffer *buffer = memory_array(1, sizeof *buffer);
    NEED_ALLOCATED(buffer);
    buffer->n_columns = n_columns;
    *part = (struct masing_sink){.context = buffer, .row = take_row, .destroy = destroy};
    return MASING_OK;
}

enum masing_status row_buffer_replay(const struct masing_sink *part,
                                     const struct masing_sink *to, struct masing_error *error)
{
    const struct row_buffer *buffer = part->context;
    size_t n = (size_t)buffer->n_columns;
    for (size_t c = 0; to->row && c < buffer->n_cells; c += n) {
        NEED(to->row(to->context, buffer->cells + c, error));
    }
    return MASING_OK;
}
