/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What commands share: the model, where results go, the run from its beginning to the record
 * and the exit status. */
#ifndef MASING_CLI_SINGLE_RUN_H
#define MASING_CLI_SINGLE_RUN_H

#include <stdbool.h>

#include "cli/command.h"
#include "masing/modal_iwan.h"
#include "masing/model.h"
#include "masing/report.h"
#include "masing/response.h"
#include "masing/table.h"

/* ---- the model that a command works on: file, overrides, sealed model ---- */

/* What is made of the file. VARIED: a whole model, or its keys alone where there is none with
 * the file's own value of what varies. EITHER: joints where nothing else is there, or a model.
 * UNSEALED: the keys of a whole model, which the command makes something of. */
enum model_kind { MODEL_WHOLE, MODEL_VARIED, MODEL_JOINTS, MODEL_EITHER, MODEL_UNSEALED };

struct model_input {
    const char *file;
    const struct override_list *overrides;
    struct masing_document *document;
    struct masing_model *model; /* with the overrides; NULL: none was made */
    const struct masing_spec *spec;
    bool has_joints_only;    /* there may be no structure, and no model is made */
    struct masing_spec keys; /* where there is no model `spec` points here */
};

/* single_run closes it, also after a failure. */
enum masing_status model_input_open(const struct call *call,
                                    const struct common_settings *settings,
                                    enum model_kind kind, struct model_input *input,
                                    struct masing_error *error);

/* Whether every frequency of an option lies in the model's range. */
enum masing_status model_input_contains(const struct model_input *input, const char *option,
                                        const struct real_list *at_hz,
                                        struct masing_error *error);

/* Unit of a parameter of the model by its path, "" where it has or needs none; the parameter
 * with its unit, for the axis of a picture, NULL for NULL. */
const char *model_input_unit(const struct masing_spec *spec, const char *path);
const char *model_input_label(struct pool *pool, const struct masing_spec *spec,
                              const char *path);

/* The joint whose loop a picture shows: the one of that name, or the first; loops are those of
 * joints that are one entry of the model by themselves. NULL: there is none. */
const struct masing_joint_spec *model_input_loop_joint(const struct masing_spec *spec,
                                                       const char *name);

/* The loop that a picture shows of a joint: of several axes the first but the normal one, which
 * is the first of the law. */
const char *model_input_loop_name(struct pool *pool, const struct masing_joint_spec *joint);

/* ---- where results go: the files of `-o`, or standard output ---- */

enum output_format { OUTPUT_CSV, OUTPUT_PICTURE, OUTPUT_FIELD, OUTPUT_REPORT };

/* What a command's files can be beside tables. */
enum output_kinds { OUTPUT_HAS_PICTURES = 1, OUTPUT_HAS_FIELDS = 2 };

struct output {
    const char *file;
    const char *ending; /* ".csv"; points into file */
    enum output_format format;
};

struct output_list {
    struct pool *pool;
    int count;
    struct output *values;
    struct output_sink **sinks;   /* where the first of those stands that feed the files */
    struct text_list failures;    /* of single files, while others went on */
    struct text_list fields;      /* files of fields that are written already */
    struct masing_report *report; /* where one file holds all tables; else NULL */
    bool is_early;                /* the run ended early: pictures that are there stay */
    bool are_elsewhere;           /* another process has the results, and writes them */
};

/* Check all names; without any, CSV to standard output. */
enum masing_status output_parse(struct pool *pool, const struct text_list *files,
                                unsigned kinds, struct output_list *outputs,
                                struct masing_error *error);

/* Check the names of files that are no tables, by their endings (NULL-terminated). */
enum masing_status output_parse_others(struct pool *pool, const struct text_list *files,
                                       const char *const *known, struct output_list *outputs,
                                       struct masing_error *error);

/* Whether two names mean one file, whatever the way to it; it need not be there yet. */
bool output_is_same_file(const char *a, const char *b);

/* No file of the option, and none that is written beside it, may be one of these. */
enum masing_status output_check_inputs(const struct call *call, const char *option,
                                       const struct output_list *outputs,
                                       const struct input_list *inputs,
                                       struct masing_error *error);

/* Take away the rows that a run left which was killed. */
void output_remove_left_over(const struct output_list *outputs);

/* The file of that number among those that stand for a result, itself first; NULL: no more. */
const char *output_written_file(struct pool *pool, const char *file, int index);
/* "x.csv" and "loops" give "x.loops.csv". */
const char *output_file_of_part(struct pool *pool, const struct output *output,
                                const char *part);

/* Rows whose column holds this text; NULL: all. */
struct output_filter {
    const char *column, *text;
};

enum { OUTPUT_FILTERS = 2 };

/* Which of a command's tables a sink is for. */
struct output_table {
    const char *part;                           /* "loops" in x.loops.csv; NULL for x.csv */
    bool is_on_stdout;                          /* also where there is no file */
    const struct masing_plot_settings *picture; /* NULL: no picture is made of it */
    bool is_picture_only;                       /* it has no files of its own but pictures */
    const char *parameter; /* column of the value that tells curves apart; NULL: one curve */
    struct output_filter only[OUTPUT_FILTERS]; /* rows that a picture shows: by both */
};

/*
 * One sink that feeds all files. A file that cannot be written does not keep the others from
 * being written: it is noted in `failures` of the list. Only where a table has no file left, or
 * a file of the rows cannot even be opened, the sink fails.
 */
struct output_sink {
    struct masing_sink sink;
    struct output_list *outputs;
    struct output_branch *branches;
    int n_branches;
    bool is_side_table;
    long n_rows; /* taken so far */
    int n_columns;
    const struct masing_column *columns; /* [n_columns] once it is open */
    struct output_sink *next;
};

/* It belongs to the list and stays where it is until the list's end. */
enum masing_status output_sink_create(struct output_list *outputs,
                                      const struct output_table *table,
                                      struct output_sink *output, struct masing_error *error);
/* One more that takes all rows; it stays the caller's unless it has a `destroy`. */
void output_sink_add(struct output_sink *output, const struct masing_sink *sink);

/*
 * Put all files in place, once it is known how the run ended. After an early end tables hold
 * what was computed, if there is anything, and pictures that are there already stay as they
 * are.
 */
void output_close(struct output_list *outputs, enum masing_status ended, bool has_rows);
/* Destroy the sinks. */
void output_end(struct output_list *outputs);

/* Whether the run ended early and this picture is there already; the user is told. */
bool output_keeps_earlier(const struct output_list *outputs, const char *file);

/* One more text for `failures`. */
void output_note_failure(struct output_list *outputs, const char *message);

/* The sinks of a list, in the order in which they were made. */
struct output_sink *output_first(const struct output_list *outputs);
/* The tables among the files of a sink, by their index; NULL behind the last. */
const char *output_sink_table(const struct output_sink *output, int index);

/* The same before it is open. */
const char *output_sink_file(const struct output_sink *output, int index);

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

/* What output_fill does of a picture for pages. */
enum masing_status output_fill_picture(const struct output_list *outputs,
                                       const struct masing_plot_settings *picture,
                                       output_fill_sink *draw, const void *run,
                                       struct masing_error *error);

/* Frequency and damping over the amplitude of a mode: the picture of a table that has such
 * columns, or of points that are put into its sink, curves and dots by their series. */
struct masing_plot_settings output_mode_picture(const char *title, bool is_log_y);
enum masing_status output_mode_open(const struct masing_sink *sink, struct masing_error *error);
enum masing_status output_mode_point(const struct masing_sink *sink, const char *series,
                                     bool is_dot, const struct masing_modal_point *point,
                                     struct masing_error *error);

/* Force over displacement, or moment over rotation. */
struct masing_plot_settings output_loop_picture(const char *title, bool turns);

/* ---- reports.c: files that hold all tables of a run, .h5, .mat and .html ---- */

struct single_run;

/* Where a file of MATLAB would be too large its tables go to this one. */
const char *output_report_beside(struct pool *pool, const struct output *output);

/* Whether they can be written, before anything is computed. */
enum masing_status output_check_reports(const struct output_list *outputs,
                                        struct masing_error *error);

/* Add the columns of the coefficients where there are files that take them. */
enum masing_status output_add_coefficients(const struct single_run *single, unsigned *columns,
                                           struct masing_error *error);

/* Write them; model: its text, or NULL, where what was found is one. What fails is noted. */
void output_write_reports(struct single_run *single, enum masing_status ended,
                          const char *ending, const char *model);

/* ---- the run ---- */

/* Unit of a column of a command's tables by its name, "" for none; NULL: it is not known. */
const char *column_unit(const struct single_run *single, const char *name);

enum { N_SIGNALS = 2 }; /* Ctrl-C and a request to terminate */

/* A bar on a terminal, the log of strategies, and Ctrl-C. */
struct progress {
    struct masing_progress hooks; /* for the library; context is this struct */
    struct pool *pool;
    bool has_bar;
    bool is_drawn;
    bool is_ignored[N_SIGNALS]; /* by whoever started the program */
    double started, last;       /* seconds */
    struct text_list log;
};

/* All zero at first. Each command's own struct begins with one. */
struct single_run {
    const struct call *call;
    const void *given; /* the command's settings, which begin with the common ones */
    const struct common_settings *settings;
    struct output_list outputs;
    struct output_list others; /* files of an option of its own */
    const char *others_option;
    struct input_list inputs; /* what is read, beside the operands and what the model names */
    struct model_input input; /* no document: there is no model */
    bool takes_fields;        /* its files may hold the motion of all nodes */
    struct output_sink rows;
    struct progress progress;
    /* where warnings stand once the summary is computed; NULL: in `warnings` */
    const int *n_summary_warnings;
    char ***summary_warnings;
    struct text_list warnings; /* "of what\ntext" where they are not of the whole run */
    /* what the record holds beside these: the curves of responses ... */
    const struct parameter_range *parameter; /* of a study, or NULL */
    const char *curve_parameter; /* column of rows that tells curves apart; NULL: one curve */
    int n_curves;
    const struct masing_response_summary *curves; /* [n_curves] or NULL */
    const char *result;                           /* YAML, where there is more than rows */
    const char *header;             /* lines that say all that results depend on; or NULL */
    struct masing_journal *journal; /* log beside the first file; or NULL */
    enum exit_status earlier;       /* of the run that has done all */
};

/* What differs. run: the command's own struct. */
struct single_steps {
    size_t run_size;  /* of the command's own struct */
    unsigned columns; /* masing_extra_columns that its rows can have */
    bool has_fields;  /* its files may hold the motion of all nodes */
    bool is_logged;   /* it takes --resume, and its analysis the log of the run */
    bool is_shared;   /* its analysis is a list of tasks, which takes the log */
    bool is_short;    /* no progress bar; Ctrl-C ends the program while it computes */
    enum masing_status (*begin)(void *run, struct masing_error *error);
    enum masing_status (*compute)(void *run, struct masing_error *error);
    void (*print)(const void *run); /* the summary, unless --quiet */
    /* files beside those of the rows; or NULL */
    enum masing_status (*write)(const void *run, struct masing_error *error);
    /* NULL: command_report */
    enum exit_status (*report)(const void *run, enum masing_status status,
                               const struct masing_error *error);
    void (*end)(void *run); /* what the command's struct owns; or NULL */
};

/* Understand -o and open the model. */
enum masing_status single_run_open(struct single_run *single, enum model_kind kind,
                                   struct masing_error *error);

/* A file that is read, which no output may be written over; NULL: there is none. The operands
 * and the files of the model itself are known. */
void single_run_reads(struct single_run *single, const char *what, const char *file);
void single_run_reads_files_of(struct single_run *single, const struct masing_spec *spec);

/* A text as records have it, in double quotes. */
const char *record_quoted(struct pool *pool, const char *text);

/* Keys of the record that a later run looks at. */
#define RECORD_DEPENDS "depends_on"
#define RECORD_COMPLETE "complete: true"

/* Whether Ctrl-C or a request to terminate has come. */
bool single_run_is_interrupted(void);

/* ---- run_log.c: the log beside the result, from which a run goes on ---- */

/* Once all that is read is known. *is_done: an earlier run has done it all, and its files are
 * there. */
enum masing_status run_log_open(struct single_run *single, bool *is_done,
                                struct masing_error *error);
/* All results are in place, or all that there are. */
void run_log_finish(struct single_run *single, enum masing_status status,
                    enum exit_status result);
/* Warns where the log could not be written; the file stays. */
void run_log_close(struct single_run *single);

/* The sink of the rows, with a picture of them or NULL. */
enum masing_status single_run_rows(struct single_run *single,
                                   const struct masing_plot_settings *picture,
                                   struct masing_error *error);

/*
 * Everything; summary, files and record follow where there are rows or the analysis is done.
 * Rows and model are closed at the end. Analyses that are not short take the hooks of the
 * progress. run: the command's own struct, or NULL for one of zeros.
 */
enum exit_status single_run(const struct call *call, const void *settings,
                            const struct single_steps *steps, void *run);

#endif
