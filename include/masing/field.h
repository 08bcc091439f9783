/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * Field tables: one row per named number of a law, an analysis or a command.
 *
 * The table is the only place where a number's name, unit, range, default and meaning stand.
 * The model reader, `--set`, `--help`, `masing law` and the manual are all made from it.
 */
#ifndef MASING_FIELD_H
#define MASING_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum masing_field_type {
    MASING_FIELD_REAL,    /**< `double` at the offset */
    MASING_FIELD_INTEGER, /**< `int` at the offset */
    MASING_FIELD_BOOLEAN, /**< `bool` at the offset */
    MASING_FIELD_CHOICE,  /**< `int` at the offset: index into `choices` */
    MASING_FIELD_LIST,    /**< `struct masing_list` at the offset; a number is a list of one */
    MASING_FIELD_RECORDS, /**< `int` count at the offset, then records: see `records` */
    MASING_FIELD_POINTS,  /**< `struct masing_points` at the offset: a CSV file or pairs */
};

enum { MASING_LIST_LENGTH = 16 };

/** A short list of reals held inside a parameter struct. */
struct masing_list {
    int count;
    double values[MASING_LIST_LENGTH];
};

enum { MASING_POINTS_LENGTH = 512 };

/** A measured curve held inside a parameter struct. */
struct masing_points {
    int count;
    double x[MASING_POINTS_LENGTH];
    double y[MASING_POINTS_LENGTH];
};

struct masing_field;

/** What a list of mappings consists of, e.g. `terms: [{coefficient: 5, power: 1}]`. */
struct masing_records {
    const struct masing_field *fields; /**< of one record; offsets into the record */
    int n_fields;
    int max_count;
    size_t record_size;  /**< bytes */
    size_t first_offset; /**< of the first record, from the field's own offset (its count) */
};

/** Which ends of [minimum, maximum] are themselves excluded. */
enum { MASING_OPEN_MINIMUM = 1, MASING_OPEN_MAXIMUM = 2, MASING_OPEN_BOTH = 3 };

struct masing_field {
    const char *name; /**< key in the model file */
    const char *unit; /**< "N/m", "" for a pure number */
    enum masing_field_type type;
    bool is_required;
    int open_ends;              /**< MASING_OPEN_* */
    double minimum;             /**< -INFINITY where there is none */
    double maximum;             /**< INFINITY where there is none */
    double fallback;            /**< value where the key is absent; NAN: stays "not given" */
    const char *const *choices; /**< NULL-terminated; MASING_FIELD_CHOICE only */
    int max_count;              /**< MASING_FIELD_LIST: most numbers, 0: MASING_LIST_LENGTH */
    const struct masing_records *records; /**< MASING_FIELD_RECORDS only */
    const char *help;                     /**< one line */
    size_t offset;                        /**< bytes into the struct that the table describes */
    /** Keys that give the same in another way, of which one takes the other's place, e.g. of a
     * slip force "friction" and "preload"; NULL-terminated, NULL: none. */
    const char *const *alternatives;
    bool is_per_contact; /**< can differ between contacts of one entry, a column of `pairs` */
};

/**
 * @name Rows of a field table
 * Name, unit, range, what stands where the key is absent, one line of help, offset. A stiffness
 * that must be given, and a gap that is 0 where it is not:
 *
 *     static const struct masing_field fields[] = {
 *         MASING_REAL("stiffness", "N/m", MASING_POSITIVE, MASING_REQUIRED,
 *                     "stiffness of the closed stop", offsetof(struct stop, stiffness)),
 *         MASING_REAL("gap", "m", MASING_ANY_NUMBER, MASING_DEFAULT(0.0),
 *                     "displacement at which it closes", offsetof(struct stop, gap)),
 *     };
 *
 * Ranges and defaults are initialisers of members; a row of any other kind is written out. The
 * file that uses them includes <math.h>.
 * @{
 */
#define MASING_REAL(name_, unit_, range_, absent_, help_, offset_)                             \
    {                                                                                          \
        .name = name_, .unit = unit_, .type = MASING_FIELD_REAL, range_, absent_,              \
        .help = help_, .offset = offset_                                                       \
    }
#define MASING_INTEGER(name_, unit_, range_, absent_, help_, offset_)                          \
    {                                                                                          \
        .name = name_, .unit = unit_, .type = MASING_FIELD_INTEGER, range_, absent_,           \
        .help = help_, .offset = offset_                                                       \
    }
/** One of @p choices_, an array of names that ends with NULL; by default that of an index. */
#define MASING_CHOICE(name_, choices_, fallback_, help_, offset_)                              \
    {                                                                                          \
        .name = name_, .unit = "", .type = MASING_FIELD_CHOICE, .minimum = 0.0,                \
        .maximum = (double)(sizeof(choices_) / sizeof *(choices_)) - 2.0,                      \
        .fallback = fallback_, .choices = choices_, .help = help_, .offset = offset_           \
    }

/** A list of at most @p most_ numbers (`struct masing_list`). */
#define MASING_NUMBERS(name_, unit_, range_, absent_, most_, help_, offset_)                   \
    {                                                                                          \
        .name = name_, .unit = unit_, .type = MASING_FIELD_LIST, range_, absent_,              \
        .max_count = most_, .help = help_, .offset = offset_                                   \
    }

#define MASING_ANY_NUMBER .minimum = -INFINITY, .maximum = INFINITY
#define MASING_BETWEEN(low_, high_) .minimum = low_, .maximum = high_
/** Without the ends that @p open_ (MASING_OPEN_*) excludes. */
#define MASING_BETWEEN_OPEN(open_, low_, high_)                                                \
    .open_ends = open_, .minimum = low_, .maximum = high_
#define MASING_ABOVE(low_) MASING_BETWEEN_OPEN(MASING_OPEN_MINIMUM, low_, INFINITY)
#define MASING_POSITIVE MASING_ABOVE(0.0)
#define MASING_NOT_NEGATIVE MASING_BETWEEN(0.0, INFINITY)

#define MASING_REQUIRED .is_required = true, .fallback = NAN
#define MASING_OPTIONAL .fallback = NAN /**< stays "not given" */
#define MASING_DEFAULT(value_) .fallback = value_
/** @} */

/** Initialisers of a table among a struct's members and of the number of its rows: `fields` and
 * `n_fields`, say. */
#define MASING_TABLE(member_, rows_)                                                           \
    .member_ = rows_, .n_##member_ = sizeof(rows_) / sizeof *(rows_)

/** Set every field of @p object to its fallback (lists, records, points become empty). */
MASING_API void masing_fields_reset(const struct masing_field *fields, int n_fields,
                                    void *object);

/** Index of the field called @p name, or -1. */
MASING_API int masing_field_find(const struct masing_field *fields, int n_fields,
                                 const char *name);

/** Write the permitted range as text, e.g. "> 0" or "in [0, 1)"; returns @p text. */
MASING_API const char *masing_field_range(const struct masing_field *field, char *text,
                                          size_t size);

/**
 * Store a real number in a field (real, integer, boolean) after checking its range.
 * The message names the field, the value and the permitted range, without a place.
 */
MASING_API enum masing_status masing_field_store(const struct masing_field *field, double value,
                                                 void *object, struct masing_error *error);

/** Read a real, integer, boolean or choice field back as a number. */
MASING_API double masing_field_value(const struct masing_field *field, const void *object);

#ifdef __cplusplus
}
#endif
#endif
