/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of a sink that may be NULL or lack functions: what is not there does nothing. */
#ifndef MASING_BASE_SINK_H
#define MASING_BASE_SINK_H

#include "masing/table.h"

enum masing_status sink_open(const struct masing_sink *sink,
                             const struct masing_column *columns, int n_columns,
                             struct masing_error *error);
enum masing_status sink_row(const struct masing_sink *sink, const struct masing_cell *cells,
                            struct masing_error *error);
enum masing_status sink_finish(const struct masing_sink *sink, struct masing_error *error);
void sink_abandon(const struct masing_sink *sink);

#endif
