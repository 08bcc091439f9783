/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that hold all tables of a run: they are written when it has ended. */
#include <string.h>

#include "cli/single_run.h"

static bool is_report(const struct output *output, const char *ending)
{
    return output->format == OUTPUT_REPORT && (!ending || strcmp(output->ending, ending) == 0);
}

const char *output_report_beside(struct pool *pool, const struct output *output)
{
    return pool_format(pool, "%s.h5", output->file);
}

enum masing_status output_check_reports(const struct output_list *outputs,
                                        struct masing_error *error)
{
    for (int i = 0; i < outputs->count; i++) {
        if (is_report(&outputs->values[i], NULL)) {
            NEED(masing_report_check(outputs->values[i].file, error));
        }
    }
    return MASING_OK;
}

enum masing_status output_add_coefficients(const struct single_run *single, unsigned *columns,
                                           struct masing_error *error)
{
    bool has_place = false;
    for (int i = 0; i < single->outputs.count; i++) {
        const struct output *output = &single->outputs.values[i];
        has_place = has_place || is_report(output, ".h5") || is_report(output, ".mat");
    }
    /* parts have them whatever their files, so that the whole may go to any */
    bool is_part = single->settings->shard.n > 0 || single->call->parts;
    *columns |= has_place || is_part ? MASING_COLUMNS_COEFFICIENTS : 0u;
    return has_place || !(*columns & MASING_COLUMNS_DOFS)
               ? MASING_OK
               : command_refuse(single->call, error,
                                "--columns dofs: the motion of all DOFs goes to files -o "
                                "NAME.h5 or NAME.mat, of which there is none");
}

/* "masing frf 'a model.yaml' -o x.h5" */
static const char *command_text(const struct single_run *single)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./:=,+@%";
    struct pool *pool = single->call->pool;
    const char *text = "masing";
    for (int i = 0; i < single->call->arguments.count; i++) {
        const char *argument = single->call->arguments.values[i];
        size_t length = strlen(argument);
        bool is_plain = length > 0 && strspn(argument, plain) == length;
        text = pool_format(pool, "%s %s", text, is_plain ? argument : "'");
        for (const char *c = argument; !is_plain && *c; c++) {
            text = *c == '\'' ? pool_format(pool, "%s'\\''", text)
                              : pool_format(pool, "%s%c", text, *c);
        }
        text = is_plain ? text : pool_format(pool, "%s'", text);
    }
    return text;
}

static const char *unit(void *context, const char *column)
{
    return column_unit(context, column);
}

/* A file of MATLAB that would be too large is an HDF5 file beside it: nothing is lost. */
static enum masing_status write(struct single_run *single, const struct output *output,
                                const struct masing_report_run *run, struct masing_error *error)
{
    const struct masing_report *report = single->outputs.report;
    enum masing_status status = masing_report_write(report, output->file, run, error);
    if (status == MASING_UNSUPPORTED && is_report(output, ".mat")) {
        const char *beside = output_report_beside(single->call->pool, output);
        struct masing_error reason = *error;
        masing_error_clear(error);
        NEED(masing_report_write(report, beside, run, error));
        return masing_error_set(error, status, "%s; the results are in %s", reason.message,
                                beside);
    }
    return status;
}

/* "damper.preload = 5: the warning" */
static const char *const *warning_texts(struct single_run *single)
{
    int n = single->warnings.count;
    const char **texts = pool_take(single->call->pool, (size_t)n + 1, sizeof *texts);
    for (int i = 0; i < n; i++) {
        const char *text = single->warnings.values[i], *end = strchr(text, '\n');
        texts[i] =
            end ? pool_format(single->call->pool, "%.*s: %s", (int)(end - text), text, end + 1)
                : text;
    }
    return texts;
}

void output_write_reports(struct single_run *single, enum masing_status ended,
                          const char *ending, const char *model)
{
    struct output_list *outputs = &single->outputs;
    const struct masing_report_run run = {
        .command = command_text(single),
        .model = model ? model : single->result,
        .title = single->input.spec ? single->input.spec->title : NULL,
        .ending = ended == MASING_OK ? NULL : ending,
        .n_warnings = single->warnings.count,
        .warnings = warning_texts(single),
        .unit = unit,
        .context = single,
    };
    for (int i = 0; i < outputs->count; i++) {
        const struct output *output = &outputs->values[i];
        struct masing_error failure = {0};
        if (!is_report(output, NULL) ||
            (is_report(output, ".html") && output_keeps_earlier(outputs, output->file))) {
            continue;
        }
        if (write(single, output, &run, &failure) != MASING_OK) {
            output_note_failure(outputs, failure.message);
        }
    }
}
