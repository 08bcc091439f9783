/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables as laboratories write them: parted by commas, semicolons, tabulators or blanks, with
 * decimal commas, quotes, units in the header, and names of their own. All of it becomes what
 * table_csv.h reads, character by character, so that places in messages stay right.
 */
#ifndef MASING_DATA_LABORATORY_H
#define MASING_DATA_LABORATORY_H

#include <stdbool.h>
#include <stddef.h>

#include "data/text_file.h"

/* What a column holds, which says which units it may have. */
enum laboratory_kind {
    LABORATORY_PURE, /* no unit */
    LABORATORY_LENGTH,
    LABORATORY_FORCE,
    LABORATORY_TIME,
    LABORATORY_FREQUENCY,
    LABORATORY_ANGLE,
    LABORATORY_MOTION /* displacement, velocity or acceleration */
};

/*
 * In the text whose lines begin there: replace separators by commas, decimal commas by points,
 * and quotes by blanks. A comma is decimal where something else parts the fields and no field
 * has a point. MASING_INVALID where a file has both.
 */
enum masing_status laboratory_simplify(const struct text_lines *begin, char *text);

/* "Force (N)", "x [mm]", "F / N", "F in N": what stands before the unit, and the unit, of
 * length 0 where there is none. */
void laboratory_split(const struct text_word *field, struct text_word *name,
                      struct text_word *unit);

/* Factor that makes SI units (degrees of angles) of it; 0: no unit of this kind. */
double laboratory_factor(enum laboratory_kind kind, const struct text_word *unit);

/* "m, mm, ..." of a kind, for messages. */
const char *laboratory_units(enum laboratory_kind kind, char *text, size_t size);

/* A field that is a number and nothing else. */
bool laboratory_is_number(const struct text_word *field);

#endif
