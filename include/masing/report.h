/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * All tables of a run in one file: `.h5` (HDF5), `.mat` (MATLAB and Octave), `.html` (a page
 * for a browser). The tables are kept in memory; files are written when everything is there.
 *
 *     masing_report_create(&report, &error);
 *     masing_report_add(report, &(struct masing_report_table){.name = "curves"}, &sink,
 * &error); masing_frf(model, NULL, &sink, NULL, &summary, &error); masing_report_write(report,
 * "x.h5", &(struct masing_report_run){.model = text}, &error);
 */
#ifndef MASING_REPORT_H
#define MASING_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/status.h"
#include "masing/table.h"

#ifdef __cplusplus
extern "C" {
#endif

struct masing_report;

enum { MASING_REPORT_FILTERS = 2 };

/** A table of a run. Texts are copied. */
struct masing_report_table {
    size_t size; /**< sizeof this struct, see masing/status.h */
    /** Of its group, e.g. "peaks"; "curves" for the rows themselves, which are parted. NULL:
     * rows for a picture, which only pages show. */
    const char *name;
    /** Curves begin where this column has another value, which becomes their attribute; NULL:
     * all rows are one. */
    const char *parameter;
    const struct masing_plot_settings *picture; /**< of these rows, for pages; NULL: none */
    /** Rows that the picture shows: those with these texts in these columns; NULL: all. */
    const char *filter_columns[MASING_REPORT_FILTERS], *filter_texts[MASING_REPORT_FILTERS];
};

/** What a file says beside the tables. */
struct masing_report_run {
    size_t size;         /**< sizeof this struct, see masing/status.h */
    const char *command; /**< that was called; NULL: none */
    const char *model;   /**< text of the model; NULL: none */
    const char *title;   /**< of the model, for pages; NULL: none */
    const char *ending;  /**< why the run ended early; NULL: it did not */
    int n_warnings;
    const char *const *warnings;
    /** Unit of a column by its name, "" for none; NULL: it is not known. The function may be
     * NULL. */
    const char *(*unit)(void *context, const char *column);
    void *context; /**< of `unit` */
};

/** Without tables. */
MASING_API enum masing_status masing_report_create(struct masing_report **report,
                                                   struct masing_error *error);
/** NULL is fine. */
MASING_API void masing_report_destroy(struct masing_report *report);

/** One more table, and the sink that fills it, which the report owns. */
MASING_API enum masing_status masing_report_add(struct masing_report *report,
                                                const struct masing_report_table *table,
                                                struct masing_sink *sink,
                                                struct masing_error *error);

/**
 * Whether a file can be written, before anything is computed: its ending, its folder, and what
 * it needs. MASING_INVALID, MASING_IO, MASING_UNSUPPORTED where a library is not installed.
 */
MASING_API enum masing_status masing_report_check(const char *file, struct masing_error *error);

/**
 * Takes the place of an earlier file when it is whole.
 * @return MASING_UNSUPPORTED where `.mat` cannot hold so much
 */
MASING_API enum masing_status masing_report_write(const struct masing_report *report,
                                                  const char *file,
                                                  const struct masing_report_run *run,
                                                  struct masing_error *error);

#ifdef __cplusplus
}
#endif
#endif
