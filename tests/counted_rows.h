/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sink that only looks at the number of allocations, and one that looks at nothing. */
#ifndef MASING_TESTS_COUNTED_ROWS_H
#define MASING_TESTS_COUNTED_ROWS_H

#include "masing/table.h"
#include "wrapped_memory.h"

/* At the first row and the last; rows so far. */
static long first_count, last_count;
static int n_rows;

static enum masing_status open_rows(void *context, const struct masing_column *columns,
                                    int n_columns, struct masing_error *error)
{
    (void)context;
    (void)columns;
    (void)n_columns;
    (void)error;
    n_rows = 0;
    return MASING_OK;
}

static enum masing_status take_row(void *context, const struct masing_cell *cells,
                                   struct masing_error *error)
{
    (void)context;
    (void)cells;
    (void)error;
    first_count = n_rows++ == 0 ? n_allocations : first_count;
    last_count = n_allocations;
    return MASING_OK;
}

static enum masing_status pass_row(void *context, const struct masing_cell *cells,
                                   struct masing_error *error)
{
    (void)context;
    (void)cells;
    (void)error;
    return MASING_OK;
}

static enum masing_status finish_rows(void *context, struct masing_error *error)
{
    (void)context;
    (void)error;
    return MASING_OK;
}

static void abandon_rows(void *context)
{
    (void)context;
}

static const struct masing_sink sink = {
    .open = open_rows, .row = take_row, .finish = finish_rows, .abandon = abandon_rows};

/* Whose rows do not count. */
static const struct masing_sink quiet = {
    .open = open_rows, .row = pass_row, .finish = finish_rows, .abandon = abandon_rows};

#endif
