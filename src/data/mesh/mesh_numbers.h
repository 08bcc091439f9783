/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of meshes, of which there are millions. */
#ifndef MASING_DATA_MESH_NUMBERS_H
#define MASING_DATA_MESH_NUMBERS_H

#include "data/text_file.h"

/* From @p minimum to MESH_LARGEST_NUMBER. */
enum masing_status mesh_integer(const struct text_lines *lines, const struct text_word *word,
                                const char *name, int minimum, int *value);
/* Also with Fortran's exponents, 1.5D-3. */
enum masing_status mesh_number(const struct text_lines *lines, const struct text_word *word,
                               const char *name, double *value);

#endif
