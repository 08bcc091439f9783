/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of a time integration: time, outputs, forces and displacements of the joints. */
#ifndef MASING_ANALYSES_INTEGRATE_HISTORY_H
#define MASING_ANALYSES_INTEGRATE_HISTORY_H

#include "masing/table.h"
#include "transient/integrator.h"

struct history {
    struct arena arena;
    const struct masing_sink *sink;   /* lent; NULL: rows are not wanted */
    const struct masing_model *model; /* lent */
    bool is_open, has_row;
    int n_columns, n_outputs, n_axes, n_works; /* n_works: joints whose work is wanted */
    struct masing_column *columns;             /* [n_columns] */
    struct masing_cell *cells;                 /* [n_columns] */
    double *value, *rate;                      /* [n_outputs] */
    double *before, *work; /* [2][n_axes] forces and displacements of the last row; [n_works] */
};

enum masing_status history_create(const struct masing_model *model,
                                  const struct masing_sink *sink, bool has_work,
                                  struct history **history, struct masing_error *error);
void history_destroy(struct history *history);

/* Open the sink, once. */
enum masing_status history_open(struct history *history, struct masing_error *error);

/* A row for the integrator's present state. */
enum masing_status history_write(struct history *history, const struct integrator *integrator,
                                 struct masing_error *error);

/* Finish the sink where what was written is to be kept, else abandon it. Returns the first
 * failure of the two. */
enum masing_status history_close(struct history *history, enum masing_status status,
                                 struct masing_error *error);

#endif
