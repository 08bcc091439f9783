/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/identify_output.h"

#include <math.h>
#include <stdio.h>

#include "cli/text_table.h"

static const char *interval_text(struct pool *pool, const struct masing_identified *number)
{
    if (number->is_at_limit) {
        return "at the end of its range";
    }
    if (isinf(number->interval)) {
        return "not determined";
    }
    return isnan(number->interval) ? "-" : pool_format(pool, "+- %.3g", number->interval);
}

void identify_print_summary(struct pool *pool, const struct masing_measurements *data,
                            const struct masing_identification *result)
{
    struct text_table table = {.pool = pool, .n_columns = 4};
    for (int i = 0; i < data->n_loops; i++) {
        fprintf(stderr, "%s: %d samples, %s\n", data->loops[i].name, data->loops[i].n_samples,
                result->is_steady[i] ? "steady cycles" : "from the unloaded joint on");
    }
    fprintf(stderr, "%s: rms misfit %.4g N over %d samples (%.3g of the largest force)\n",
            result->law->name, result->rms, result->n_data, result->relative_rms);
    text_table_add(&table, "parameter");
    text_table_add(&table, "value");
    text_table_add(&table, "unit");
    text_table_add(&table, "95 %% interval");
    for (int i = 0; i < result->n_numbers; i++) {
        const struct masing_identified *number = &result->numbers[i];
        text_table_add(&table, "%s", number->name);
        text_table_add(&table, "%.8g", number->value);
        text_table_add(&table, "%s", *number->unit ? number->unit : "-");
        text_table_add(&table, "%s", interval_text(pool, number));
    }
    text_table_print(&table, stderr);
    fprintf(stderr, "condition number %.3g, columns of equal length", result->condition);
    if (result->condition_unscaled > 0) {
        fprintf(stderr, "; %.3g in SI units", result->condition_unscaled);
    }
    if (result->tikhonov > 0) {
        fprintf(stderr, "; regularisation %.3g", result->tikhonov);
    }
    fputc('\n', stderr);
    if (result->n_starts > 0) {
        fprintf(stderr, "%d of %d starts led here\n", result->n_agreeing, result->n_starts);
    }
}

enum { CURVE, LOOP, IS_MEASURED, IS_CLOSED, DISPLACEMENT, FORCE, N_PICTURE_COLUMNS };

static const struct masing_column picture_columns[N_PICTURE_COLUMNS] = {
    [CURVE] = {"curve", MASING_COLUMN_TEXT},
    [LOOP] = {"loop", MASING_COLUMN_INTEGER},
    [IS_MEASURED] = {"is_measured", MASING_COLUMN_INTEGER},
    [IS_CLOSED] = {"is_closed", MASING_COLUMN_INTEGER},
    [DISPLACEMENT] = {"displacement", MASING_COLUMN_REAL},
    [FORCE] = {"force", MASING_COLUMN_REAL},
};

/* The measured points, then the fitted curves over them. */
static enum masing_status put_curves(const struct masing_measurements *data,
                                     const struct masing_identification *result,
                                     bool is_measured, const struct masing_sink *sink,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    for (int i = 0; i < data->n_loops; i++) {
        const struct masing_measurement *loop = &data->loops[i];
        for (int j = 0; status == MASING_OK && j < loop->n_samples; j++) {
            const struct masing_cell cells[N_PICTURE_COLUMNS] = {
                [CURVE] = {.text = is_measured ? "measured" : "fitted"},
                [LOOP] = {.number = is_measured ? -1 - i : i},
                [IS_MEASURED] = {.number = is_measured},
                [IS_CLOSED] = {.number = result->is_steady[i] ? 1 : NAN},
                [DISPLACEMENT] = {.number = loop->displacement[j]},
                [FORCE] = {.number = is_measured ? loop->force[j] : result->fitted[i][j]},
            };
            status = sink->row(sink->context, cells, error);
        }
    }
    return status;
}

static enum masing_status draw(struct pool *pool, const char *file,
                               const struct masing_measurements *data,
                               const struct masing_identification *result,
                               struct masing_error *error)
{
    const struct masing_plot_settings settings = {
        .kind = MASING_PLOT_LOOPS,
        .title = pool_format(pool, "%s, misfit %.2g of the largest force", result->law->name,
                             result->relative_rms),
        .x_column = "displacement",
        .y_column = "force",
        .group_column = "curve",
        .segment_column = "loop",
        .closed_column = "is_closed",
        .dots_column = "is_measured",
        .x_label = "Displacement (m)",
        .y_label = "Force (N)",
        .group_label = result->law->name,
    };
    struct masing_sink sink;
    enum masing_status status = masing_plot_create(file, &settings, &sink, error);
    if (status != MASING_OK) {
        return status;
    }
    status = sink.open(sink.context, picture_columns, N_PICTURE_COLUMNS, error);
    status = status ? status : put_curves(data, result, true, &sink, error);
    status = status ? status : put_curves(data, result, false, &sink, error);
    status = status ? status : sink.finish(sink.context, error);
    sink.destroy(sink.context);
    return status;
}

static enum masing_status write_csv(const char *file, const struct masing_measurements *data,
                                    const struct masing_identification *result,
                                    struct masing_error *error)
{
    struct masing_sink sink;
    enum masing_status status = masing_csv_create(file, &sink, error);
    if (status == MASING_OK) {
        status = masing_identification_rows(data, result, &sink, error);
        sink.destroy(sink.context);
    }
    return status;
}

enum masing_status identify_write_files(struct pool *pool, const struct output_list *outputs,
                                        const struct masing_measurements *data,
                                        const struct masing_identification *result,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    for (int i = 0; status == MASING_OK && i < outputs->count; i++) {
        const struct output *output = &outputs->values[i];
        status = output->format == OUTPUT_PICTURE
                     ? draw(pool, output->file, data, result, error)
                     : write_csv(output->file, data, result, error);
    }
    return status;
}
