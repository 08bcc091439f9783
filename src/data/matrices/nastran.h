/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matrices as Nastran writes them: DMIG entries, in large, small and free fields, and OUTPUT4
 * as text. After public descriptions; not tried with files of Nastran's own.
 */
#ifndef MASING_DATA_NASTRAN_H
#define MASING_DATA_NASTRAN_H

#include "data/matrices/matrix_format.h"
#include "data/matrices/node_matrices.h"

struct nastran_source {
    const char *file;
    const char *name; /* of one of several matrices; NULL: there is one */
};

/* Rows of OUTPUT4 have no directions. MASING_IO, MASING_INVALID "FILE:LINE:COLUMN: ...",
 * MASING_NO_MEMORY; *matrices is owned by the caller. */
enum masing_status nastran_read(const struct nastran_source *stiffness,
                                const struct nastran_source *mass,
                                struct node_matrices *matrices, struct masing_error *error);

/* --- the two formats (one file each) ------------------------------------------------------ */

struct nastran {
    struct text_lines lines; /* before the first one */
    const char *name;        /* wanted, or NULL */
    char first[20];          /* that of the first matrix, which is wanted then */
    char others[200];        /* of those that are not wanted */
    struct node_table *table;
    struct node_matrix *matrix;
    struct masing_error *error;
};

enum masing_status nastran_read_dmig(struct nastran *nastran);
enum masing_status nastran_read_output4(struct nastran *nastran);

/* Whether a matrix is the one that is wanted. MASING_INVALID where a second one comes and none
 * is named. */
enum masing_status nastran_is_wanted(struct nastran *nastran, const struct text_word *name,
                                     bool *is_wanted);

#endif
