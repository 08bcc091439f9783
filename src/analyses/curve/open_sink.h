/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sink that is finished, or abandoned where something fails, once it is open. */
#ifndef MASING_ANALYSES_CURVE_OPEN_SINK_H
#define MASING_ANALYSES_CURVE_OPEN_SINK_H

#include <stdbool.h>

#include "base/sink.h"

struct open_sink {
    const struct masing_sink *sink; /* lent; NULL: none */
    bool is_open;
};

static inline enum masing_status open_sink_begin(struct open_sink *open,
                                                 const struct masing_column *columns,
                                                 int n_columns, struct masing_error *error)
{
    enum masing_status status = sink_open(open->sink, columns, n_columns, error);
    open->is_open = open->sink && status == MASING_OK;
    return status;
}

static inline enum masing_status open_sink_finish(struct open_sink *open,
                                                  struct masing_error *error)
{
    bool is_open = open->is_open;
    open->is_open = false;
    return is_open ? sink_finish(open->sink, error) : MASING_OK;
}

/* Nothing where it was finished. */
static inline void open_sink_abandon(const struct open_sink *open)
{
    if (open->is_open) {
        sink_abandon(open->sink);
    }
}

#endif
