/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Uncertain numbers as numbers of the model file: whether they are there, and take values. */
#ifndef MASING_ANALYSES_SAMPLE_NUMBERS_H
#define MASING_ANALYSES_SAMPLE_NUMBERS_H

#include "masing/model.h"

/* A document with fixed overrides, and its specification. All is lent. */
struct numbers {
    const struct masing_document *document;
    const struct masing_override *overrides;
    int n_overrides;
    const struct masing_spec *spec;
};

/* The message says whether the model takes a value of this number, with its place. */
enum masing_status numbers_try(const struct numbers *numbers, int number, double value,
                               struct masing_error *error);

/*
 * Bounds hold enough of each distribution, each path leads to a number of its own, and the
 * model takes the medians. are_drawn: a fixed override of one of them would change nothing, and
 * is refused.
 */
enum masing_status numbers_check(const struct numbers *numbers, bool are_drawn,
                                 struct masing_error *error);

/* A number of the model that an option names, "--minimize". */
struct numbers_other {
    const char *option, *path;
};

/* As numbers_try. */
enum masing_status numbers_try_other(const struct numbers *numbers,
                                     const struct numbers_other *other, double value,
                                     struct masing_error *error);

/* Which of the uncertain numbers it is, by whatever path; -1: another one. value: one that it
 * may have. */
enum masing_status numbers_find(const struct numbers *numbers,
                                const struct numbers_other *other, double value, int *number,
                                struct masing_error *error);

/* "FILE:LINE:COLUMN: uncertain: PATH: ...", MASING_INVALID */
enum masing_status numbers_fail(const struct numbers *numbers, int number,
                                struct masing_error *error, const char *format, ...)
    MASING_PRINTF(4, 5);

#endif
