/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as Nastran writes and takes them, in columns of a line. */
#ifndef MASING_DATA_NASTRAN_FIELD_H
#define MASING_DATA_NASTRAN_FIELD_H

#include <stdbool.h>

#include "data/text_file.h"

/* What stands in @p width columns from @p at (from 0), without blanks around it. */
struct text_word nastran_field(const struct text_lines *lines, size_t at, size_t width);

/* Whether an integer stands there. */
bool nastran_integer(const struct text_lines *lines, size_t at, size_t width, int *value);

/* A real number: exponents may have D for E, or neither (1.5-3). */
enum masing_status nastran_number(const struct text_lines *lines, const struct text_word *word,
                                  const char *name, double *value);

#endif
