/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model_file/pair_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "model_file/joint_axes.h"

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
    char own[200] = "";
    for (int k = 0; k < rows->n_own; k++) {
        size_t used = strlen(own);
        snprintf(own + used, sizeof own - used, ", '%s'", rows->own[k]->name);
    }
    return masing_error_set(error, MASING_INVALID,
                            "%.400s:1:1: %s; expected 'from, to, normal_x, normal_y, normal_z' "
                            "or 'normal_from, normal_to, tangential_from, tangential_to[, "
                            "tangential2_from, tangential2_to]', and 'area'%s where wanted",
                            rows->file, what, own);
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
        for (int own = 0; own < rows->n_own; own++) {
            int other = pair_rows_alternative(rows, row, own);
            if (other >= 0 && other < own && !isnan(pair_rows_own(rows, row, own))) {
                return masing_error_set(
                    error, MASING_INVALID,
                    "%s: %s: the row has a %s already, expected one of them",
                    pair_rows_place(rows, row, N_PAIR_COLUMNS + own, place),
                    rows->own[own]->name, rows->own[other]->name);
            }
        }
    }
    return MASING_OK;
}

static void list_own(const struct masing_law *law, struct pair_rows *rows)
{
    for (int i = 0; i < law->n_fields && rows->n_own < PAIR_MOST_OWN; i++) {
        if (law->fields[i].is_per_contact) {
            rows->own[rows->n_own++] = &law->fields[i];
        }
    }
}

enum masing_status pair_rows_read(const char *file, const struct masing_law *law,
                                  struct pair_rows *rows, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct csv_column all[N_PAIR_COLUMNS + PAIR_MOST_OWN];
    *rows = (struct pair_rows){.file = file};
    list_own(law, rows);
    memcpy(all, columns, sizeof columns);
    for (int k = 0; k < rows->n_own; k++) {
        all[N_PAIR_COLUMNS + k] = (struct csv_column){rows->own[k]->name, .fallback = NAN};
    }
    TRY(csv_table_read(file, all, N_PAIR_COLUMNS + rows->n_own, CSV_OTHERS_REFUSED,
                       &rows->table, error));
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

double pair_rows_number(const struct pair_rows *rows, int row, int column)
{
    return csv_table_number(&rows->table, row, column);
}

double pair_rows_own(const struct pair_rows *rows, int row, int own)
{
    return pair_rows_number(rows, row, N_PAIR_COLUMNS + own);
}

int pair_rows_alternative(const struct pair_rows *rows, int row, int own)
{
    const char *const *name = rows->own[own]->alternatives;
    for (; name && *name; name++) {
        for (int k = 0; k < rows->n_own; k++) {
            if (strcmp(rows->own[k]->name, *name) == 0 && !isnan(pair_rows_own(rows, row, k))) {
                return k;
            }
        }
    }
    return -1;
}

const char *pair_rows_place(const struct pair_rows *rows, int row, int column,
                            char text[READER_PLACE])
{
    int place = rows->table.places[row * rows->table.n_columns + column];
    snprintf(text, READER_PLACE, "%.400s:%d:%d", rows->file, rows->table.lines[row],
             place > 0 ? place : 1);
    return text;
}
