/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows kept in memory until their turn comes; itself a sink. */
#ifndef MASING_ANALYSES_CURVE_ROW_BUFFER_H
#define MASING_ANALYSES_CURVE_ROW_BUFFER_H

#include <stddef.h>

#include "masing/table.h"

struct row_buffer {
    int n_columns;
    size_t n_cells, capacity;
    struct masing_cell *cells; /* texts owned */
};

/* The sink borrows the buffer. */
struct masing_sink row_buffer_sink(struct row_buffer *buffer);

/* Hand all rows to a sink that is open already. */
enum masing_status row_buffer_replay(const struct row_buffer *buffer,
                                     const struct masing_sink *sink,
                                     struct masing_error *error);

void row_buffer_clear(struct row_buffer *buffer);

#endif
