/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns and rows of a frequency response. */
#ifndef MASING_ANALYSES_RESPONSE_ROWS_H
#define MASING_ANALYSES_RESPONSE_ROWS_H

#include "analyses/curve/stability.h"
#include "analyses/curve/event_row.h"
#include "analyses/curve/row_table.h"
#include "harmonic/recovery/recovery.h"
#include "masing/response.h"
#include "masing/table.h"

struct response_rows {
    const struct masing_model *model;
    unsigned extra;        /* MASING_COLUMNS_* */
    const char *parameter; /* of the first column; NULL: none; lent */
    struct row_table table;
};

/* What a row says beside the recovered point. */
struct response_row {
    double parameter;
    int point, branch, iterations;
    int harmonics; /* highest of the point; 0: all of the list */
    double hertz;
    struct event_row events;
    double slope_in, slope_out; /* of the peak's measure, per Hz; where asked for */
    struct point_stability stability;
};

enum masing_status response_rows_create(const struct masing_model *model, unsigned extra,
                                        const char *parameter, struct response_rows **rows,
                                        struct masing_error *error);
void response_rows_destroy(struct response_rows *rows);

/* Fill rows->table.cells. */
void response_rows_fill(struct response_rows *rows, const struct recovery *recovery,
                        const struct response_row *row);

#endif
