/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A field table with every kind of field that holds several numbers. */
#ifndef MASING_TESTS_FIELD_SPECIMEN_H
#define MASING_TESTS_FIELD_SPECIMEN_H

#include <math.h>
#include <stddef.h>

#include "masing/field.h"

enum { MAX_TERMS = 3 };

struct term {
    double coefficient;
    int power;
    int velocity;
    double rate;
};

struct terms {
    int count;
    struct term term[MAX_TERMS];
};

struct thing {
    struct masing_list pair, long_list, height;
    struct terms terms, loading_terms;
    double loading_e1, cutoff, area;
    struct masing_points curve;
};

static const char *const velocities[] = {"none", "linear", "abs", NULL};

static const struct masing_field term_fields[] = {
    {.name = "coefficient",
     .unit = "N",
     .type = MASING_FIELD_REAL,
     .is_required = true,
     .minimum = -INFINITY,
     .maximum = INFINITY,
     .fallback = NAN,
     .help = "factor",
     .offset = offsetof(struct term, coefficient)},
    {.name = "power",
     .unit = "",
     .type = MASING_FIELD_INTEGER,
     .minimum = 0,
     .maximum = 9,
     .fallback = 1,
     .help = "exponent",
     .offset = offsetof(struct term, power)},
    {.name = "velocity",
     .unit = "",
     .type = MASING_FIELD_CHOICE,
     .fallback = 0,
     .choices = velocities,
     .help = "form",
     .offset = offsetof(struct term, velocity)},
    {.name = "rate",
     .unit = "1/m",
     .type = MASING_FIELD_REAL,
     .open_ends = MASING_OPEN_MAXIMUM,
     .minimum = 0,
     .maximum = 100,
     .fallback = 0,
     .help = "growth",
     .offset = offsetof(struct term, rate)},
};

static const struct masing_records term_records = {
    .fields = term_fields,
    .n_fields = sizeof term_fields / sizeof *term_fields,
    .max_count = MAX_TERMS,
    .record_size = sizeof(struct term),
    .first_offset = offsetof(struct terms, term),
};

static const struct masing_field fields[] = {
    {.name = "pair",
     .unit = "Pa",
     .type = MASING_FIELD_LIST,
     .open_ends = MASING_OPEN_MINIMUM,
     .minimum = 0,
     .maximum = INFINITY,
     .fallback = NAN,
     .max_count = 2,
     .help = "one or two",
     .offset = offsetof(struct thing, pair)},
    {.name = "long_list",
     .unit = "",
     .type = MASING_FIELD_LIST,
     .minimum = -INFINITY,
     .maximum = INFINITY,
     .fallback = NAN,
     .help = "any",
     .offset = offsetof(struct thing, long_list)},
    {.name = "terms",
     .unit = "",
     .type = MASING_FIELD_RECORDS,
     .fallback = NAN,
     .records = &term_records,
     .help = "terms",
     .offset = offsetof(struct thing, terms)},
    {.name = "loading.e1",
     .unit = "N/m",
     .type = MASING_FIELD_REAL,
     .minimum = 0,
     .maximum = INFINITY,
     .fallback = NAN,
     .help = "stiffness",
     .offset = offsetof(struct thing, loading_e1)},
    {.name = "loading.terms",
     .unit = "",
     .type = MASING_FIELD_RECORDS,
     .fallback = NAN,
     .records = &term_records,
     .help = "terms",
     .offset = offsetof(struct thing, loading_terms)},
    {.name = "topography.height_std",
     .unit = "m",
     .type = MASING_FIELD_LIST,
     .open_ends = MASING_OPEN_MINIMUM,
     .minimum = 0,
     .maximum = INFINITY,
     .fallback = NAN,
     .max_count = 2,
     .help = "heights",
     .offset = offsetof(struct thing, height)},
    {.name = "topography.cutoff",
     .unit = "",
     .type = MASING_FIELD_REAL,
     .minimum = 1,
     .maximum = 10,
     .fallback = 3,
     .help = "cut",
     .offset = offsetof(struct thing, cutoff)},
    {.name = "size.area",
     .unit = "m^2",
     .type = MASING_FIELD_REAL,
     .minimum = 0,
     .maximum = INFINITY,
     .fallback = 2,
     .help = "area",
     .offset = offsetof(struct thing, area)},
    {.name = "curve",
     .unit = "",
     .type = MASING_FIELD_POINTS,
     .fallback = NAN,
     .help = "a curve",
     .offset = offsetof(struct thing, curve)},
};

enum { N_FIELDS = sizeof fields / sizeof *fields };

#endif
