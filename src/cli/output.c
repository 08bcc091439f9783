/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/single_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a sink that hands its rows to several others ---- */

struct output_branch {
    struct masing_sink sink; /* which may lack all but `open` and `row` */
    struct output_filter only[OUTPUT_FILTERS];
    int columns[OUTPUT_FILTERS]; /* of only[i].column, -1: none */
    const char *file;            /* NULL: a sink of the caller */
    bool is_picture, is_report, is_open, has_failed;
    bool is_pending; /* put in place at the end of the run */
};

void output_note_failure(struct output_list *outputs, const char *message)
{
    option_store_texts(outputs->pool, pool_format(outputs->pool, "%s", message),
                       &outputs->failures, NULL);
}

static bool has_file_left(const struct output_sink *output)
{
    for (int i = 0; i < output->n_branches; i++) {
        if (output->branches[i].file && !output->branches[i].has_failed) {
            return true;
        }
    }
    return false;
}

/* A file that takes no more rows keeps those it has. What is not the fault of one file ends
 * everything. */
static enum masing_status give_up(struct output_sink *output, struct output_branch *branch,
                                  bool is_needed, enum masing_status status,
                                  const struct masing_error *reason, struct masing_error *error)
{
    branch->has_failed = true;
    if (branch->file && status == MASING_IO && !is_needed) {
        output_note_failure(output->outputs, reason->message);
        return MASING_OK;
    }
    return masing_error_set(error, status, "%s", reason->message);
}

static enum masing_status open_branch(struct output_sink *output, struct output_branch *branch,
                                      const struct masing_column *columns, int n_columns,
                                      struct masing_error *error)
{
    struct masing_error reason = {0};
    for (int i = 0; i < OUTPUT_FILTERS; i++) {
        branch->columns[i] = -1;
        for (int j = 0; branch->only[i].column && j < n_columns; j++) {
            if (strcmp(columns[j].name, branch->only[i].column) == 0) {
                branch->columns[i] = j;
            }
        }
    }
    enum masing_status status =
        branch->sink.open(branch->sink.context, columns, n_columns, &reason);
    branch->is_open = status == MASING_OK;
    return status ? give_up(output, branch, !output->is_side_table, status, &reason, error)
                  : MASING_OK;
}

static enum masing_status tee_open(void *context, const struct masing_column *columns,
                                   int n_columns, struct masing_error *error)
{
    struct output_sink *output = context;
    struct masing_column *kept =
        pool_take(output->outputs->pool, (size_t)n_columns, sizeof *kept);
    memcpy(kept, columns, (size_t)n_columns * sizeof *kept);
    output->columns = kept;
    output->n_columns = n_columns;
    for (int i = 0; i < output->n_branches; i++) {
        NEED(open_branch(output, &output->branches[i], columns, n_columns, error));
    }
    return MASING_OK;
}

static bool is_shown(const struct output_branch *branch, const struct masing_cell *cells)
{
    bool is_right = true;
    for (int i = 0; i < OUTPUT_FILTERS && is_right; i++) {
        int column = branch->columns[i];
        const char *text = column >= 0 ? cells[column].text : NULL;
        is_right = column < 0 || (text && strcmp(text, branch->only[i].text) == 0);
    }
    return is_right;
}

/* One row, or those of a part, was put into a branch. */
static enum masing_status note_put(struct output_sink *output, struct output_branch *branch,
                                   enum masing_status status, const struct masing_error *reason,
                                   struct masing_error *error)
{
    if (status == MASING_OK) {
        return MASING_OK;
    }
    branch->has_failed = true;
    bool is_needed = !output->is_side_table && !has_file_left(output);
    return give_up(output, branch, is_needed, status, reason, error);
}

/* Rows that cannot be written were computed all the same. */
static enum masing_status count_rows(struct output_sink *output, long n,
                                     enum masing_status status)
{
    output->n_rows += status == MASING_OK || status == MASING_IO ? n : 0;
    return status;
}

static enum masing_status tee_row(void *context, const struct masing_cell *cells,
                                  struct masing_error *error)
{
    struct output_sink *output = context;
    enum masing_status status = MASING_OK;
    for (int i = 0; status == MASING_OK && i < output->n_branches; i++) {
        struct output_branch *branch = &output->branches[i];
        if (!branch->has_failed && is_shown(branch, cells)) {
            struct masing_error reason;
            masing_error_clear(&reason);
            status = branch->sink.row(branch->sink.context, cells, &reason);
            status = note_put(output, branch, status, &reason, error);
        }
    }
    return count_rows(output, 1, status);
}

/* Rows for all branches that another thread makes ready. */
struct tee_part {
    const struct output_sink *output;
    long n_rows;
    struct masing_sink sinks[]; /* [n_branches]; zero: the branch was not opened */
};

static enum masing_status part_row(void *context, const struct masing_cell *cells,
                                   struct masing_error *error)
{
    struct tee_part *part = context;
    enum masing_status status = MASING_OK;
    for (int i = 0; status == MASING_OK && i < part->output->n_branches; i++) {
        const struct masing_sink *sink = &part->sinks[i];
        if (sink->row && is_shown(&part->output->branches[i], cells)) {
            status = sink->row(sink->context, cells, error);
        }
    }
    part->n_rows++;
    return status;
}

static void part_destroy(void *context)
{
    struct tee_part *part = context;
    for (int i = 0; i < part->output->n_branches; i++) {
        if (part->sinks[i].destroy) {
            part->sinks[i].destroy(part->sinks[i].context);
        }
    }
    free(part);
}

static enum masing_status tee_fork(void *context, struct masing_sink *sink,
                                   struct masing_error *error)
{
    const struct output_sink *output = context;
    size_t size = (size_t)output->n_branches * sizeof *sink;
    struct tee_part *part = calloc(1, sizeof *part + size);
    enum masing_status status =
        part ? MASING_OK : masing_error_set(error, MASING_NO_MEMORY, "out of memory");
    if (status != MASING_OK) {
        return status;
    }
    part->output = output;
    for (int i = 0; status == MASING_OK && i < output->n_branches; i++) {
        const struct output_branch *branch = &output->branches[i];
        status = branch->is_open
                     ? branch->sink.fork(branch->sink.context, &part->sinks[i], error)
                     : MASING_OK;
    }
    if (status != MASING_OK) {
        part_destroy(part);
        return status;
    }
    *sink = (struct masing_sink){.context = part, .row = part_row, .destroy = part_destroy};
    return MASING_OK;
}

static enum masing_status tee_join(void *context, const struct masing_sink *sink,
                                   struct masing_error *error)
{
    struct output_sink *output = context;
    const struct tee_part *part = sink->context;
    enum masing_status status = MASING_OK;
    for (int i = 0; status == MASING_OK && i < output->n_branches; i++) {
        struct output_branch *branch = &output->branches[i];
        if (!branch->has_failed && branch->is_open) {
            struct masing_error reason;
            masing_error_clear(&reason);
            status = branch->sink.join(branch->sink.context, &part->sinks[i], &reason);
            status = note_put(output, branch, status, &reason, error);
        }
    }
    return count_rows(output, part->n_rows, status);
}

/* Those that do not wait are all finished, whatever happens to one of them. */
static enum masing_status tee_finish(void *context, struct masing_error *error)
{
    struct output_sink *output = context;
    enum masing_status first = MASING_OK;
    for (int i = 0; i < output->n_branches; i++) {
        const struct output_branch *branch = &output->branches[i];
        enum masing_status status = branch->sink.finish && !branch->is_pending
                                        ? branch->sink.finish(branch->sink.context, error)
                                        : MASING_OK;
        first = first == MASING_OK ? status : first;
    }
    return first;
}

static void tee_abandon(void *context)
{
    struct output_sink *output = context;
    for (int i = 0; i < output->n_branches; i++) {
        const struct output_branch *branch = &output->branches[i];
        if (branch->sink.abandon && !branch->is_pending) {
            branch->sink.abandon(branch->sink.context);
        }
    }
}

bool output_keeps_earlier(const struct output_list *outputs, const char *file)
{
    struct stat earlier;
    bool is_kept = outputs->is_early && stat(file, &earlier) == 0 && S_ISREG(earlier.st_mode);
    if (is_kept) {
        command_say(NULL, "%s stays as it was: the run ended early", file);
    }
    return is_kept;
}

struct output_sink *output_first(const struct output_list *outputs)
{
    return outputs->sinks ? *outputs->sinks : NULL;
}

void output_close(struct output_list *outputs, enum masing_status ended, bool has_rows)
{
    bool is_kept = ended == MASING_OK || has_rows;
    bool is_drawn = ended == MASING_OK || ended == MASING_STOPPED || ended > 0;
    outputs->is_early = ended != MASING_OK;
    for (struct output_sink *output = output_first(outputs); output; output = output->next) {
        for (int i = 0; i < output->n_branches; i++) {
            const struct output_branch *branch = &output->branches[i];
            struct masing_error reason = {0};
            if (!branch->is_open || !branch->is_pending) {
                continue;
            }
            if (branch->has_failed || !is_kept ||
                (branch->is_picture &&
                 (!is_drawn || output_keeps_earlier(outputs, branch->file)))) {
                branch->sink.abandon(branch->sink.context);
            } else if (branch->sink.finish(branch->sink.context, &reason) != MASING_OK) {
                output_note_failure(outputs, reason.message);
            }
        }
    }
}

void output_end(struct output_list *outputs)
{
    for (struct output_sink *output = output_first(outputs); output; output = output->next) {
        for (int i = 0; i < output->n_branches; i++) {
            const struct masing_sink *sink = &output->branches[i].sink;
            if (sink->destroy) {
                sink->destroy(sink->context);
            }
        }
    }
    masing_report_destroy(outputs->report);
    outputs->report = NULL;
}

static enum masing_status add_branch(struct output_sink *output, const struct output *to,
                                     const struct output_table *table,
                                     struct masing_error *error)
{
    struct output_branch *branch = &output->branches[output->n_branches];
    bool is_stdout = strcmp(to->file, "-") == 0;
    bool is_picture = to->format == OUTPUT_PICTURE;
    if (to->format == OUTPUT_FIELD || to->format == OUTPUT_REPORT ||
        (is_picture ? !table->picture : table->is_picture_only) ||
        (is_stdout && !table->is_on_stdout)) {
        return MASING_OK;
    }
    branch->file = is_stdout || !table->part
                       ? to->file
                       : output_file_of_part(output->outputs->pool, to, table->part);
    branch->is_picture = is_picture;
    branch->is_pending = !is_stdout;
    if (is_picture) {
        memcpy(branch->only, table->only, sizeof branch->only);
    }
    enum masing_status status =
        is_picture ? masing_plot_create(branch->file, table->picture, &branch->sink, error)
                   : masing_csv_create(branch->file, &branch->sink, error);
    output->n_branches += status == MASING_OK;
    return status;
}

/* The table of the report that .h5, .mat and .html are made of; its file is one of them. */
static enum masing_status add_report(struct output_sink *output,
                                     const struct output_table *table,
                                     struct masing_error *error)
{
    const struct output_list *outputs = output->outputs;
    struct output_branch *branch = &output->branches[output->n_branches];
    struct masing_report_table made = {.name = table->is_picture_only ? NULL
                                               : table->part          ? table->part
                                                                      : "curves",
                                       .parameter = table->parameter,
                                       .picture = table->picture};
    if (!outputs->report) {
        return MASING_OK;
    }
    for (int i = 0; i < OUTPUT_FILTERS; i++) {
        made.filter_columns[i] = table->only[i].column;
        made.filter_texts[i] = table->only[i].text;
    }
    for (int i = 0; i < outputs->count && !branch->file; i++) {
        bool is_one = outputs->values[i].format == OUTPUT_REPORT;
        branch->file = is_one ? outputs->values[i].file : NULL;
    }
    branch->is_report = true;
    output->n_branches++;
    return masing_report_add(outputs->report, &made, &branch->sink, error);
}

/* In the order in which they were made. */
static void add_sink(const struct output_list *outputs, struct output_sink *output)
{
    struct output_sink **end = outputs->sinks;
    while (*end) {
        end = &(*end)->next;
    }
    *end = output;
}

enum masing_status output_sink_create(struct output_list *outputs,
                                      const struct output_table *table,
                                      struct output_sink *output, struct masing_error *error)
{
    *output = (struct output_sink){
        .sink = {output, tee_open, tee_row, tee_finish, tee_abandon, NULL, tee_fork, tee_join},
        .outputs = outputs,
        .branches =
            pool_take(outputs->pool, (size_t)outputs->count + 2, sizeof *output->branches),
        .is_side_table = table->part != NULL,
    };
    add_sink(outputs, output);
    for (int i = 0; i < outputs->count; i++) {
        NEED(add_branch(output, &outputs->values[i], table, error));
    }
    return add_report(output, table, error);
}

void output_sink_add(struct output_sink *output, const struct masing_sink *sink)
{
    output->branches[output->n_branches++].sink = *sink;
    output->sink.fork = NULL; /* rows go to the caller's sink as they come */
    output->sink.join = NULL;
}

static const char *find_table(const struct output_sink *output, bool is_open, int index)
{
    for (int i = 0; i < output->n_branches; i++) {
        const struct output_branch *branch = &output->branches[i];
        if ((branch->is_open || !is_open) && branch->file && !branch->is_picture &&
            !branch->is_report && strcmp(branch->file, "-") != 0 && index-- == 0) {
            return branch->file;
        }
    }
    return NULL;
}

const char *output_sink_table(const struct output_sink *output, int index)
{
    return find_table(output, true, index);
}

const char *output_sink_file(const struct output_sink *output, int index)
{
    return find_table(output, false, index);
}

const struct masing_sink *output_sink_rows(const struct output_sink *output)
{
    static const struct masing_sink nothing = {0};
    return output->n_branches == 0          ? NULL
           : output->outputs->are_elsewhere ? &nothing
                                            : &output->sink;
}

/* ---- files of results that are whole ---- */

/* A table by a sink of its own, which the list takes over. */
static enum masing_status fill_table(const struct output_list *outputs, struct output *output,
                                     output_fill_sink *put_rows, const void *run,
                                     struct masing_error *error)
{
    struct output_sink *first = NULL;
    struct output_list one = {outputs->pool, 1, output, .sinks = &first};
    struct output_sink *sink = pool_take(one.pool, 1, sizeof *sink);
    const struct output_table table = {.is_on_stdout = true};
    enum masing_status status = output_sink_create(&one, &table, sink, error);
    sink->branches[0].is_pending = false;
    status = status ? status : put_rows(run, &sink->sink, error);
    sink->outputs = NULL; /* nothing is written to it any more */
    add_sink(outputs, sink);
    return status;
}

enum masing_status output_fill_picture(const struct output_list *outputs,
                                       const struct masing_plot_settings *picture,
                                       output_fill_sink *draw, const void *run,
                                       struct masing_error *error)
{
    const struct masing_report_table table = {.picture = picture};
    struct masing_sink sink;
    if (!outputs->report) {
        return MASING_OK;
    }
    NEED(masing_report_add(outputs->report, &table, &sink, error));
    return draw(run, &sink, error);
}

static enum masing_status fill_report(const struct output_list *outputs,
                                      const struct masing_plot_settings *picture,
                                      output_fill_sink *draw, output_fill_sink *put_rows,
                                      const void *run, struct masing_error *error)
{
    const struct masing_report_table table = {.name = "curves"};
    struct masing_sink sink;
    if (!outputs->report) {
        return MASING_OK;
    }
    NEED(masing_report_add(outputs->report, &table, &sink, error));
    NEED(put_rows(run, &sink, error));
    return output_fill_picture(outputs, picture, draw, run, error);
}

enum masing_status output_fill(const struct output_list *outputs,
                               const struct masing_plot_settings *picture,
                               output_fill_sink *draw, output_fill_sink *put_rows,
                               const void *run, struct masing_error *error)
{
    enum masing_status first = fill_report(outputs, picture, draw, put_rows, run, error);
    for (int i = 0; i < outputs->count; i++) {
        struct output *output = &outputs->values[i];
        struct masing_sink sink;
        enum masing_status status = MASING_OK;
        if (output->format == OUTPUT_CSV) {
            status = fill_table(outputs, output, put_rows, run, error);
        } else if (output->format == OUTPUT_PICTURE &&
                   !output_keeps_earlier(outputs, output->file)) {
            status = masing_plot_create(output->file, picture, &sink, error);
            if (status == MASING_OK) {
                status = draw(run, &sink, error);
                sink.destroy(sink.context);
            }
        }
        first = first == MASING_OK ? status : first;
    }
    return first;
}

/* ---- pictures that several commands draw ---- */

struct masing_plot_settings output_mode_picture(const char *title, bool is_log_y)
{
    return (struct masing_plot_settings){
        .kind = MASING_PLOT_CURVES,
        .title = title,
        .x_column = "amplitude",
        .y_column = "frequency_hz",
        .second_column = "damping_ratio",
        .dots_column = "is_dot",
        .x_label = "Amplitude of the modal coordinate (m \u221akg)",
        .y_label = "Frequency (Hz)",
        .second_label = "Damping ratio",
        .is_log_x = true,
        .is_log_y = is_log_y,
    };
}

struct masing_plot_settings output_loop_picture(const char *title, bool turns)
{
    return (struct masing_plot_settings){
        .kind = MASING_PLOT_LOOPS,
        .title = title,
        .x_column = "displacement",
        .y_column = "force",
        .x_label = turns ? "Rotation (rad)" : "Displacement (m)",
        .y_label = turns ? "Moment (N m)" : "Force (N)",
    };
}

enum { SERIES, IS_DOT, AMPLITUDE, FREQUENCY, DAMPING, N_MODE_COLUMNS };

enum masing_status output_mode_open(const struct masing_sink *sink, struct masing_error *error)
{
    static const struct masing_column columns[N_MODE_COLUMNS] = {
        [SERIES] = {"series", MASING_COLUMN_TEXT},
        [IS_DOT] = {"is_dot", MASING_COLUMN_INTEGER},
        [AMPLITUDE] = {"amplitude", MASING_COLUMN_REAL},
        [FREQUENCY] = {"frequency_hz", MASING_COLUMN_REAL},
        [DAMPING] = {"damping_ratio", MASING_COLUMN_REAL},
    };
    return sink->open(sink->context, columns, N_MODE_COLUMNS, error);
}

enum masing_status output_mode_point(const struct masing_sink *sink, const char *series,
                                     bool is_dot, const struct masing_modal_point *point,
                                     struct masing_error *error)
{
    const struct masing_cell cells[N_MODE_COLUMNS] = {
        [SERIES] = {.text = series},
        [IS_DOT] = {.number = is_dot},
        [AMPLITUDE] = {.number = point->amplitude},
        [FREQUENCY] = {.number = point->frequency_hz},
        [DAMPING] = {.number = point->damping_ratio},
    };
    return sink->row(sink->context, cells, error);
}
