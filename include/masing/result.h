/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * A table in memory: the rows of an analysis as one array per column, without a sink of the
 * program's own.
 *
 *     struct masing_result *rows = NULL;
 *     masing_result_create(&rows, &error);
 *     masing_frf(model, NULL, masing_result_sink(rows), NULL, &summary, &error);
 *     const double *hz = masing_result_column(rows, "frequency_hz");
 *
 * What the arrays hold stays until the next analysis is handed the same sink, which begins
 * anew, or until the result is destroyed. The rows of an analysis that failed are those that
 * were there before it did.
 */
#ifndef MASING_RESULT_H
#define MASING_RESULT_H

#include "masing/status.h"
#include "masing/table.h"

#ifdef __cplusplus
extern "C" {
#endif

struct masing_result;

/** An empty table. */
MASING_API enum masing_status masing_result_create(struct masing_result **result,
                                                   struct masing_error *error);
/** NULL is fine. */
MASING_API void masing_result_destroy(struct masing_result *result);

/** The sink that fills it; borrowed, to be handed to one analysis at a time. NULL for NULL. */
MASING_API const struct masing_sink *masing_result_sink(struct masing_result *result);

MASING_API int masing_result_n_rows(const struct masing_result *result);
MASING_API int masing_result_n_columns(const struct masing_result *result);

/** Name of a column, counted from 0; NULL where there is none. */
MASING_API const char *masing_result_name(const struct masing_result *result, int column);

/** What its cells hold; MASING_COLUMN_REAL where there is no such column. */
MASING_API enum masing_column_type masing_result_type(const struct masing_result *result,
                                                      int column);

/**
 * The numbers of a column, NAN where one is not available and in columns of text; in those of
 * several numbers in a cell how many there are.
 * @return [masing_result_n_rows]; NULL where there is no such column, or no row
 */
MASING_API const double *masing_result_column(const struct masing_result *result,
                                              const char *name);

/**
 * The texts of a column, e.g. of `event`; NULL where one is not available.
 * @return [masing_result_n_rows]; NULL where there is no such column of text, or no row
 */
MASING_API const char *const *masing_result_texts(const struct masing_result *result,
                                                  const char *name);

/**
 * The numbers of one cell in a column of several, complex ones as real and imaginary part by
 * turns; NULL where there are none.
 * @param n how many; or NULL
 */
MASING_API const double *masing_result_values(const struct masing_result *result,
                                              const char *name, int row, int *n);

/**
 * What happened at each row: sets of MASING_EVENT_BIT(kind), see masing/event.h.
 * @return [masing_result_n_rows]; NULL where there is no column `event`, or no row
 */
MASING_API const unsigned *masing_result_events(const struct masing_result *result);

#ifdef __cplusplus
}
#endif
#endif
