/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a file of matrices is, by its contents, so that a wrong one is called by its name. */
#ifndef MASING_DATA_MATRIX_FORMAT_H
#define MASING_DATA_MATRIX_FORMAT_H

#include <stddef.h>

#include "data/text_file.h"
#include "masing/status.h"

#define MATRIX_TEXT_LIMIT ((size_t)16 << 30)

enum matrix_format {
    MATRIX_UNKNOWN,
    MATRIX_MARKET,
    MATRIX_MATLAB,
    MATRIX_COORDINATE,    /* row column value */
    MATRIX_NODES,         /* node,direction,node,direction,value */
    MATRIX_SUBSTRUCTURE,  /* Abaqus and CalculiX: *USER ELEMENT, *MATRIX */
    MATRIX_DMIG,          /* Nastran's entries, punched or written by hand */
    MATRIX_OUTPUT4,       /* Nastran's, as text */
    MATRIX_CALCULIX_DOFS, /* node.direction */
    MATRIX_DECK,          /* other keywords or entries of a finite element program */
    MATRIX_BINARY_OUTPUT4,
    MATRIX_OUTPUT2,
    MATRIX_MATLAB_4,
    MATRIX_OCTAVE,
    MATRIX_UNIVERSAL,      /* of I-DEAS and measuring programs */
    MATRIX_HARWELL_BOEING, /* as Ansys writes it, too */
    MATRIX_GMSH,
    MATRIX_HDF5,
    MATRIX_COMPRESSED,
};

/* Of a text with a 0 behind it, whose beginning may be all there is. */
enum matrix_format matrix_format_of(const char *text, size_t length);

/* Refuses what no reader takes, by the ending of the name (text NULL) or by the contents:
 * "FILE: is ...; ..." what to do. */
enum masing_status matrix_format_refuse(const char *file, const char *text, size_t length,
                                        struct masing_error *error);

/* "FILE: is X; expected Y"; MASING_INVALID */
enum masing_status matrix_format_fail(const char *file, enum matrix_format format,
                                      const char *expected, struct masing_error *error);

/* A text of numbers: read, refused where it is of another kind or its last line has no end;
 * lines begin. *text is owned by the caller. */
enum masing_status matrix_text_begin(struct text_lines *lines, const char *file, char comment,
                                     char **text, size_t *length, struct masing_error *error);

#endif
