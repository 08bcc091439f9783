/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where results go: the files of `-o`, or standard output. */
#ifndef MASING_CLI_OUTPUT_H
#define MASING_CLI_OUTPUT_H

#include <stdbool.h>

#include "cli/command.h"
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

/* One sink that feeds all files; NULL `open` where there are none. */
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
void output_sink_destroy(struct output_sink *output);

/* For the library: NULL where there is no file to take the rows. */
const struct masing_sink *output_sink_rows(const struct output_sink *output);

#endif
