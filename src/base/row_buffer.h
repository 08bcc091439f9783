/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows kept in memory until their turn comes. */
#ifndef MASING_BASE_ROW_BUFFER_H
#define MASING_BASE_ROW_BUFFER_H

#include "masing/table.h"

/* A sink of `row` and `destroy` that keeps rows of so many columns. */
enum masing_status row_buffer_create(int n_columns, struct masing_sink *part,
                                     struct masing_error *error);

/* Hand all of them to the `row` of another sink, if it has one, until that fails. */
enum masing_status row_buffer_replay(const struct masing_sink *part,
                                     const struct masing_sink *to, struct masing_error *error);

#endif
