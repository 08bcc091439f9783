/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where results go: the files of `-o`, or standard output. */
#ifndef MASING_CLI_OUTPUT_H
#define MASING_CLI_OUTPUT_H

#include <stdbool.h>

#include "cli/command.h"
#include "masing/modal_iwan.h"
#include "masing/table.h"

enum output_format { OUTPUT_CSV, OUTPUT_PICTURE };

struct output {
    const char *file;
    const char *ending; /* ".csv"; points into file */
    enum output_format format;
};

struct output_list {
    int count;
    struct output *values;
};

/* Check all names; without any, CSV to standard output. */
enum masing_status output_parse(struct pool *pool, const struct text_list *files,
                                bool has_pictures, struct output_list *outputs,
                                struct masing_error *error);

/* Whether two names mean one file, whatever the way to it; it need not be there yet. */
bool output_is_same_file(const char *a, const char *b);

/* "x.csv" and "loops" give "x.loops.csv". */
const char *output_file_of_part(struct pool *pool, const struct output *output,
                                const char *part);

/* Which of a command's tables a sink is for. */
struct output_table {
    const char *part;                           /* "loops" in x.loops.csv; NULL for x.csv */
    bool is_on_stdout;                          /* also where there is no file */
    const struct masing_plot_settings *picture; /* NULL: no picture is made of it */
    bool is_picture_only;                       /* it has no files of its own but pictures */
    const char *only_column, *only_value;       /* rows that a picture shows; or NULL */
};

/* One sink that feeds all files. */
struct output_sink {
    struct masing_sink sink;
    struct pool *pool;
    struct output_branch *branches;
    int n_branches;
    long n_rows; /* taken so far */
};

/* Destroy it also after a failure. */
enum masing_status output_sink_create(struct pool *pool, const struct output_list *outputs,
                                      const struct output_table *table,
                                      struct output_sink *output, struct masing_error *error);
/* One more that takes all rows; it stays the caller's unless it has a `destroy`. */
void output_sink_add(struct output_sink *output, const struct masing_sink *sink);
void output_sink_destroy(struct output_sink *output);

/* For the library: NULL where there is no file to take the rows. */
const struct masing_sink *output_sink_rows(const struct output_sink *output);

typedef enum masing_status output_fill_sink(const void *run, const struct masing_sink *sink,
                                            struct masing_error *error);

/* Every file at once, of results that are there: pictures by @p draw, tables by @p put_rows.
 * What was written before a failure stays. */
enum masing_status output_fill(const struct output_list *outputs,
                               const struct masing_plot_settings *picture,
                               output_fill_sink *draw, output_fill_sink *put_rows,
                               const void *run, struct masing_error *error);

/* Frequency and damping over the amplitude of a mode: the picture of a table that has such
 * columns, or of points that are put into its sink, curves and dots by their series. */
struct masing_plot_settings output_mode_picture(const char *title, bool is_log_y);
enum masing_status output_mode_open(const struct masing_sink *sink, struct masing_error *error);
enum masing_status output_mode_point(const struct masing_sink *sink, const char *series,
                                     bool is_dot, const struct masing_modal_point *point,
                                     struct masing_error *error);

#endif
