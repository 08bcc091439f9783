/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One call of `ringdown`, shared by its files. */
#ifndef MASING_CLI_RINGDOWN_RUN_H
#define MASING_CLI_RINGDOWN_RUN_H

#include "cli/single_run.h"
#include "masing/ringdown.h"

struct ringdown_settings {
    struct common_settings common;
    struct real_list amplitudes, modes;
    struct text_list modal; /* N=FILE */
    const char *history, *record, *shapes, *quantity;
    struct given_real from, to;
    int n_segments;
    bool is_uncorrected;
};

enum ringdown_column {
    RINGDOWN_MODE,
    RINGDOWN_AMPLITUDE,
    RINGDOWN_FREQUENCY,
    RINGDOWN_DAMPING,
    RINGDOWN_IMPULSE,
    N_RINGDOWN_COLUMNS,
};

/* The rows once more, for pictures. */
struct ringdown_table {
    const struct masing_sink *next; /* takes them, too; or NULL */
    int n_columns, n_rows, capacity;
    double *cells; /* [n_rows][n_columns], in the order of the library's columns */
    int column_of[N_RINGDOWN_COLUMNS];
};

struct ringdown_run {
    struct single_run single; /* without a model its input is all zero */
    const struct ringdown_settings *settings;
    struct masing_record record;
    struct masing_record_shapes shapes;
    bool has_shapes;
    int n_modal;
    struct masing_modal_model *modal; /* [n_modal] */
    struct masing_sink history;
    struct ringdown_table table;
    struct masing_sink sink; /* of the table */
    bool is_done;
    struct masing_ringdown_summary summary;
};

/* The sink that keeps rows and hands them on. */
struct masing_sink ringdown_table_sink(struct ringdown_table *table);
void ringdown_table_clear(struct ringdown_table *table);

/* All pictures of -o: one per file, or one per file and mode. */
enum masing_status ringdown_draw(const struct ringdown_run *run, struct masing_error *error);

#endif
