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
    struct output_branch *pending; /* files that are put in place at the end of the run */
    struct text_list failures;     /* of single files, while others went on */
    bool is_early;                 /* the run ended early: pictures that are there stay */
};

/* A file that is read, and as what: "MODEL", "--record". */
struct input_file {
    const char *what, *file;
};

struct input_list {
    int count;
    struct input_file *values;
};

/* Check all names; without any, CSV to standard output. */
enum masing_status output_parse(struct pool *pool, const struct text_list *files,
                                bool has_pictures, struct output_list *outputs,
                                struct masing_error *error);

/* Whether two names mean one file, whatever the way to it; it need not be there yet. */
bool output_is_same_file(const char *a, const char *b);

/* No file of the option, and none that is written beside it, may be one of these. */
enum masing_status output_check_inputs(const struct call *call, const char *option,
                                       const struct output_list *outputs,
                                       const struct input_list *inputs,
                                       struct masing_error *error);

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

/*
 * One sink that feeds all files. A file that cannot be written does not keep the others from
 * being written: it is noted in `failures` of the list. Only where a table has no file left, or
 * a file of the rows cannot even be opened, the sink fails.
 */
struct output_sink {
    struct masing_sink sink;
    struct pool *pool;
    struct output_list *outputs;
    struct output_branch *branches;
    int n_branches;
    bool is_side_table;
    long n_rows; /* taken so far */
};

/* Destroy it also after a failure. */
enum masing_status output_sink_create(struct pool *pool, struct output_list *outputs,
                                      const struct output_table *table,
                                      struct output_sink *output, struct masing_error *error);
/* One more that takes all rows; it stays the caller's unless it has a `destroy`. */
void output_sink_add(struct output_sink *output, const struct masing_sink *sink);
void output_sink_destroy(struct output_sink *output);

/*
 * Put all files in place, once it is known how the run ended. After an early end tables hold
 * what was computed, if there is anything, and pictures that are there already stay as they
 * are.
 */
void output_close(struct pool *pool, struct output_list *outputs, enum masing_status ended,
                  bool has_rows);

/* Whether the run ended early and this picture is there already; the user is told. */
bool output_keeps_earlier(const struct output_list *outputs, const char *file);

/* One more text for `failures`. */
void output_note_failure(struct pool *pool, struct output_list *outputs, const char *message);

/* For the library: NULL where there is no file to take the rows. */
const struct masing_sink *output_sink_rows(const struct output_sink *output);

typedef enum masing_status output_fill_sink(const void *run, const struct masing_sink *sink,
                                            struct masing_error *error);

/* Every file at once, of results that are there: pictures by @p draw, tables by @p put_rows.
 * All are tried; the error is the first file's that failed. */
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
