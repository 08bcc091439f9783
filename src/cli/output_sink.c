/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sink that hands its rows to several others. */
#include <string.h>

#include "cli/output.h"

struct output_branch {
    struct masing_sink sink;
    const char *only_column, *only_value; /* NULL: all rows */
    int column;                           /* of only_column */
};

static enum masing_status tee_open(void *context, const struct masing_column *columns,
                                   int n_columns, struct masing_error *error)
{
    struct output_sink *output = context;
    enum masing_status status = MASING_OK;
    for (int i = 0; status == MASING_OK && i < output->n_branches; i++) {
        struct output_branch *branch = &output->branches[i];
        branch->column = -1;
        for (int j = 0; branch->only_column && j < n_columns; j++) {
            if (strcmp(columns[j].name, branch->only_column) == 0) {
                branch->column = j;
            }
        }
        status = branch->sink.open(branch->sink.context, columns, n_columns, error);
    }
    return status;
}

static bool is_wanted(const struct output_branch *branch, const struct masing_cell *cells)
{
    const char *text = branch->column >= 0 ? cells[branch->column].text : NULL;
    return branch->column < 0 || (text && strcmp(text, branch->only_value) == 0);
}

static enum masing_status tee_row(void *context, const struct masing_cell *cells,
                                  struct masing_error *error)
{
    struct output_sink *output = context;
    enum masing_status status = MASING_OK;
    for (int i = 0; status == MASING_OK && i < output->n_branches; i++) {
        const struct output_branch *branch = &output->branches[i];
        if (is_wanted(branch, cells)) {
            status = branch->sink.row(branch->sink.context, cells, error);
        }
    }
    output->n_rows += status == MASING_OK;
    return status;
}

/* All are finished, whatever happens to one of them. */
static enum masing_status tee_finish(void *context, struct masing_error *error)
{
    struct output_sink *output = context;
    enum masing_status first = MASING_OK;
    for (int i = 0; i < output->n_branches; i++) {
        const struct masing_sink *sink = &output->branches[i].sink;
        enum masing_status status = sink->finish(sink->context, error);
        first = first == MASING_OK ? status : first;
    }
    return first;
}

static void tee_abandon(void *context)
{
    struct output_sink *output = context;
    for (int i = 0; i < output->n_branches; i++) {
        output->branches[i].sink.abandon(output->branches[i].sink.context);
    }
}

static void tee_destroy(void *context)
{
    (void)context; /* the caller's own: output_sink_destroy */
}

static enum masing_status add_branch(struct output_sink *output, const struct output *to,
                                     const struct output_table *table,
                                     struct masing_error *error)
{
    struct output_branch *branch = &output->branches[output->n_branches];
    bool is_stdout = strcmp(to->file, "-") == 0;
    enum masing_status status = MASING_OK;
    bool is_picture = !is_stdout && to->format == OUTPUT_PICTURE;
    if (is_picture ? !table->picture : table->is_picture_only) {
        return MASING_OK;
    }
    if (is_stdout && !table->is_on_stdout) {
        return MASING_OK;
    }
    const char *file = is_stdout || !table->part
                           ? to->file
                           : output_file_of_part(output->pool, to, table->part);
    if (to->format == OUTPUT_PICTURE) {
        branch->only_column = table->only_column;
        branch->only_value = table->only_value;
        status = masing_plot_create(file, table->picture, &branch->sink, error);
    } else {
        status = masing_csv_create(file, &branch->sink, error);
    }
    output->n_branches += status == MASING_OK;
    return status;
}

enum masing_status output_sink_create(struct pool *pool, const struct output_list *outputs,
                                      const struct output_table *table,
                                      struct output_sink *output, struct masing_error *error)
{
    *output = (struct output_sink){.pool = pool};
    output->branches = pool_take(pool, (size_t)outputs->count, sizeof *output->branches);
    enum masing_status status = MASING_OK;
    for (int i = 0; status == MASING_OK && i < outputs->count; i++) {
        status = add_branch(output, &outputs->values[i], table, error);
    }
    if (status == MASING_OK && output->n_branches > 0) {
        output->sink = (struct masing_sink){output,     tee_open,    tee_row,
                                            tee_finish, tee_abandon, tee_destroy};
    }
    return status;
}

void output_sink_destroy(struct output_sink *output)
{
    for (int i = 0; i < output->n_branches; i++) {
        output->branches[i].sink.destroy(output->branches[i].sink.context);
    }
    output->n_branches = 0;
}

const struct masing_sink *output_sink_rows(const struct output_sink *output)
{
    return output->sink.open ? &output->sink : NULL;
}
