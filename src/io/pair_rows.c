/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "io/pair_rows.h"

#include <math.h>
#include <stdio.h>

#include "base/check.h"
#include "io/joint_axes.h"

static const struct csv_column columns[N_PAIR_COLUMNS] = {
    [PAIR_FROM] = {"from", .is_text = true},
    [PAIR_TO] = {"to", .is_text = true},
    [PAIR_NORMAL_FROM] = {"normal_from", .is_text = true},
    [PAIR_NORMAL_TO] = {"normal_to", .is_text = true},
    [PAIR_TANGENTIAL_FROM] = {"tangential_from", .is_text = true},
    [PAIR_TANGENTIAL_TO] = {"tangential_to", .is_text = true},
    [PAIR_TANGENTIAL2_FROM] = {"tangential2_from", .is_text = true},
    [PAIR_TANGENTIAL2_TO] = {"tangential2_to", .is_text = true},
    [PAIR_NORMAL_X] = {"normal_x", .fallback = NAN},
    [PAIR_NORMAL_Y] = {"normal_y", .fallback = NAN},
    [PAIR_NORMAL_Z] = {"normal_z", .fallback = NAN},
    [PAIR_AREA] = {"area", .fallback = NAN},
    [PAIR_PRELOAD] = {"preload", .fallback = NAN},
    [PAIR_GAP] = {"gap", .fallback = NAN},
};

static const enum pair_column of_nodes[] = {PAIR_FROM, PAIR_TO, PAIR_NORMAL_X, PAIR_NORMAL_Y,
                                            PAIR_NORMAL_Z};
static const enum pair_column of_dofs[] = {PAIR_NORMAL_FROM, PAIR_NORMAL_TO,
                                           PAIR_TANGENTIAL_FROM, PAIR_TANGENTIAL_TO};
static const enum pair_column second[] = {PAIR_TANGENTIAL2_FROM, PAIR_TANGENTIAL2_TO};

enum { N_OF_NODES = 5, N_OF_DOFS = 4 };

static int count_present(const struct pair_rows *rows, const enum pair_column *list, int n)
{
    int present = 0;
    for (int i = 0; i < n; i++) {
        present += rows->table.is_present[list[i]] ? 1 : 0;
    }
    return present;
}

static enum masing_status fail_columns(const struct pair_rows *rows, struct masing_error *error,
                                       const char *what)
{
    return masing_error_set(error, MASING_INVALID,
                            "%.400s:1:1: %s; expected 'from, to, normal_x, normal_y, normal_z' "
                            "or 'normal_from, normal_to, tangential_from, tangential_to[, "
                            "tangential2_from, tangential2_to]', and 'area', 'preload', 'gap' "
                            "where wanted",
                            rows->file, what);
}

static enum masing_status check_columns(struct pair_rows *rows, struct masing_error *error)
{
    int nodes = count_present(rows, of_nodes, N_OF_NODES);
    int dofs = count_present(rows, of_dofs, N_OF_DOFS);
    int seconds = count_present(rows, second, 2);
    rows->is_of_nodes = nodes > 0;
    if (nodes > 0 && dofs + seconds > 0) {
        return fail_columns(rows, error, "columns of nodes and of DOFs side by side");
    }
    bool is_whole = rows->is_of_nodes ? nodes == N_OF_NODES : dofs == N_OF_DOFS;
    if (!is_whole || seconds == 1) {
        return fail_columns(rows, error, "a column is missing");
    }
    return MASING_OK;
}

static enum masing_status check_numbers(const struct pair_rows *rows,
                                        struct masing_error *error)
{
    int n = rows->table.n_rows;
    if (n < 1 || n > JOINT_LIMIT) {
        return masing_error_set(
            error, MASING_INVALID, "%.400s:%d:1: expected 1 to %d rows, found %d", rows->file,
            n > JOINT_LIMIT ? rows->table.lines[JOINT_LIMIT] : 1, JOINT_LIMIT, n);
    }
    for (int row = 0; row < n; row++) {
        char place[READER_PLACE];
        double area = pair_rows_number(rows, row, PAIR_AREA);
        if (rows->table.is_present[PAIR_AREA] && !(area > 0.0)) {
            return masing_error_set(error, MASING_INVALID,
                                    "%s: area: expected a number greater than 0",
                                    pair_rows_place(rows, row, PAIR_AREA, place));
        }
        if (!isnan(pair_rows_number(rows, row, PAIR_PRELOAD)) &&
            !isnan(pair_rows_number(rows, row, PAIR_GAP))) {
            return masing_error_set(error, MASING_INVALID,
                                    "%s: gap: the row has a preload already, expected one of "
                                    "them",
                                    pair_rows_place(rows, row, PAIR_GAP, place));
        }
    }
    return MASING_OK;
}

enum masing_status pair_rows_read(const char *file, struct pair_rows *rows,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    *rows = (struct pair_rows){.file = file};
    TRY(csv_table_read(file, columns, N_PAIR_COLUMNS, CSV_OTHERS_REFUSED, &rows->table, error));
    TRY(check_columns(rows, error));
    TRY(check_numbers(rows, error));
done:
    if (status != MASING_OK) {
        pair_rows_clear(rows);
    }
    return status;
}

void pair_rows_clear(struct pair_rows *rows)
{
    csv_table_clear(&rows->table);
}

const char *pair_rows_text(const struct pair_rows *rows, int row, enum pair_column column)
{
    return csv_table_text(&rows->table, row, (int)column);
}

double pair_rows_number(const struct pair_rows *rows, int row, enum pair_column column)
{
    return csv_table_number(&rows->table, row, (int)column);
}

const char *pair_rows_place(const struct pair_rows *rows, int row, enum pair_column column,
                            char text[READER_PLACE])
{
    int place = rows->table.places[row * rows->table.n_columns + (int)column];
    snprintf(text, READER_PLACE, "%.400s:%d:%d", rows->file, rows->table.lines[row],
             place > 0 ? place : 1);
    return text;
}
