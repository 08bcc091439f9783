/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of a sink that may be NULL or lack functions: what is not there does nothing. */
#ifndef MASING_BASE_SINK_H
#define MASING_BASE_SINK_H

#include "base/row_buffer.h"
#include "masing/table.h"

static inline enum masing_status sink_open(const struct masing_sink *sink,
                                           const struct masing_column *columns, int n_columns,
                                           struct masing_error *error)
{
    return sink && sink->open ? sink->open(sink->context, columns, n_columns, error)
                              : MASING_OK;
}

static inline enum masing_status sink_row(const struct masing_sink *sink,
                                          const struct masing_cell *cells,
                                          struct masing_error *error)
{
    return sink && sink->row ? sink->row(sink->context, cells, error) : MASING_OK;
}

static inline enum masing_status sink_finish(const struct masing_sink *sink,
                                             struct masing_error *error)
{
    return sink && sink->finish ? sink->finish(sink->context, error) : MASING_OK;
}

static inline void sink_abandon(const struct masing_sink *sink)
{
    if (sink && sink->abandon) {
        sink->abandon(sink->context);
    }
}

/* A part of the sink, see `fork`; where it has none, one that keeps rows of so many columns. */
static inline enum masing_status sink_fork(const struct masing_sink *sink, int n_columns,
                                           struct masing_sink *part, struct masing_error *error)
{
    return sink->fork ? sink->fork(sink->context, part, error)
                      : row_buffer_create(n_columns, part, error);
}

/* Take the rows of a part, which stays to be destroyed. */
static inline enum masing_status sink_join(const struct masing_sink *sink,
                                           const struct masing_sink *part,
                                           struct masing_error *error)
{
    return sink->fork ? sink->join(sink->context, part, error)
                      : row_buffer_replay(part, sink, error);
}

static inline void sink_destroy(const struct masing_sink *sink)
{
    if (sink->destroy) {
        sink->destroy(sink->context);
    }
}

#endif
