/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of contacts, one a row: between two nodes with a normal, or between DOFs by name.
 */
#ifndef MASING_MODEL_FILE_PAIR_ROWS_H
#define MASING_MODEL_FILE_PAIR_ROWS_H

#include "model_file/reader.h"
#include "data/table_csv.h"

enum pair_column {
    PAIR_FROM,
    PAIR_TO,
    PAIR_NORMAL_FROM,
    PAIR_NORMAL_TO,
    PAIR_TANGENTIAL_FROM,
    PAIR_TANGENTIAL_TO,
    PAIR_TANGENTIAL2_FROM,
    PAIR_TANGENTIAL2_TO,
    PAIR_NORMAL_X,
    PAIR_NORMAL_Y,
    PAIR_NORMAL_Z,
    PAIR_AREA,
    N_PAIR_COLUMNS /* and from here on those of the fields that each contact can have */
};

enum { PAIR_MOST_OWN = 8 };

struct pair_rows {
    const char *file; /* lent */
    struct csv_table table;
    bool is_of_nodes;
    int n_own;
    const struct masing_field *own[PAIR_MOST_OWN]; /* of the law */
};

/* Refuses files whose columns are not those of one of the two kinds, or of the law's fields
 * that are per contact. */
enum masing_status pair_rows_read(const char *file, const struct masing_law *law,
                                  struct pair_rows *rows, struct masing_error *error);
void pair_rows_clear(struct pair_rows *rows);

const char *pair_rows_text(const struct pair_rows *rows, int row, enum pair_column column);
/* NAN: absent or empty */
double pair_rows_number(const struct pair_rows *rows, int row, int column);
/* A row's value of one of its own fields; NAN: none */
double pair_rows_own(const struct pair_rows *rows, int row, int own);
/* The one of a row's own fields that it gives instead of this one, or -1. */
int pair_rows_alternative(const struct pair_rows *rows, int row, int own);
/* "FILE:LINE:COLUMN" of a cell, of the row's beginning where it is absent or empty */
const char *pair_rows_place(const struct pair_rows *rows, int row, int column,
                            char text[READER_PLACE]);

/* Axes of a row's joint, [1 + one or two tangential ones] (pair_axes.c). */
enum masing_status pair_axes_fill(struct reader *reader, const struct pair_rows *rows, int row,
                                  struct masing_joint_spec *joint);

#endif
