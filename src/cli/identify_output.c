/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `identify` shows: the summary, the files of -o, the pictures. */
#include <math.h>
#include <stdio.h>

#include "cli/identify_run.h"
#include "cli/text_table.h"

static const char *interval_text(struct pool *pool, const struct masing_estimate *estimate)
{
    if (estimate->is_at_limit) {
        return "at the end of its range";
    }
    if (isinf(estimate->interval)) {
        return "not determined";
    }
    return isnan(estimate->interval) ? "-" : pool_format(pool, "+- %.3g", estimate->interval);
}

static void print_data(const struct identification *run)
{
    const struct masing_identification *result = &run->result;
    for (int i = 0; i < run->data.n_loops; i++) {
        fprintf(stderr, "%s: %d samples, %s\n", run->data.loops[i].name,
                run->data.loops[i].n_samples,
                result->is_steady[i] ? "steady cycles" : "from the unloaded joint on");
    }
    for (int i = 0; i < run->response_request.n_responses; i++) {
        const struct masing_measured_response *response = &run->responses[i];
        fprintf(stderr, "%s: %d frequencies%s", response->name, response->n_points,
                response->phase_deg ? ", with phases" : "");
        if (!isnan(response->load_factor)) {
            fprintf(stderr, ", load factor %.6g", response->load_factor);
        }
        fputc('\n', stderr);
    }
}

static void print_misfit(const struct masing_identification *result)
{
    if (isnan(result->rms)) {
        fprintf(stderr, "%s: rms misfit %.3g of the largest amplitude of each response\n",
                result->law->name, result->relative_rms);
    } else {
        fprintf(stderr, "%s: rms misfit %.4g N over %d samples (%.3g of the largest force)\n",
                result->law->name, result->rms, result->n_data, result->relative_rms);
    }
}

void identify_print_summary(const void *context)
{
    const struct identification *run = context;
    const struct masing_identification *result = &run->result;
    struct pool *pool = run->single.call->pool;
    struct text_table table = {.pool = pool, .n_columns = 4};
    print_data(run);
    print_misfit(result);
    text_table_add(&table, "parameter");
    text_table_add(&table, "value");
    text_table_add(&table, "unit");
    text_table_add(&table, "95 %% interval");
    for (int i = 0; i < result->n_estimates; i++) {
        const struct masing_estimate *estimate = &result->estimates[i];
        text_table_add(&table, "%s", estimate->name);
        text_table_add(&table, "%.8g", estimate->value);
        text_table_add(&table, "%s", *estimate->unit ? estimate->unit : "-");
        text_table_add(&table, "%s", interval_text(pool, estimate));
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
    if (result->n_starts > 1) {
        fprintf(stderr, "%d of %d starts led here\n", result->n_agreeing, result->n_starts);
    }
}

enum { CURVE, PART, IS_MEASURED, IS_CLOSED, X, Y, N_PICTURE_COLUMNS };

static const struct masing_column picture_columns[N_PICTURE_COLUMNS] = {
    [CURVE] = {"curve", MASING_COLUMN_TEXT},
    [PART] = {"part", MASING_COLUMN_INTEGER},
    [IS_MEASURED] = {"is_measured", MASING_COLUMN_INTEGER},
    [IS_CLOSED] = {"is_closed", MASING_COLUMN_INTEGER},
    [X] = {"x", MASING_COLUMN_REAL},
    [Y] = {"y", MASING_COLUMN_REAL},
};

/* One loop or response: its measured points, or what was fitted to them. */
struct part {
    int index, n;
    bool is_closed;
    const double *x, *measured, *fitted;
};

static struct part part_of(const struct identification *run, int index)
{
    const struct masing_identification *result = &run->result;
    struct part part = {
        .index = index, .is_closed = result->is_steady[index], .fitted = result->fitted[index]};
    if (run->settings->model) {
        const struct masing_measured_response *response = &run->responses[index];
        part.n = response->n_points;
        part.is_closed = false;
        part.x = response->frequency_hz;
        part.measured = response->amplitude;
    } else {
        const struct masing_measurement *loop = &run->data.loops[index];
        part.n = loop->n_samples;
        part.x = loop->displacement;
        part.measured = loop->force;
    }
    return part;
}

static enum masing_status put_part(const struct part *part, bool is_measured,
                                   const struct masing_sink *sink, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    for (int j = 0; status == MASING_OK && j < part->n; j++) {
        const struct masing_cell cells[N_PICTURE_COLUMNS] = {
            [CURVE] = {.text = is_measured ? "measured" : "fitted"},
            [PART] = {.number = is_measured ? -1 - part->index : part->index},
            [IS_MEASURED] = {.number = is_measured},
            [IS_CLOSED] = {.number = part->is_closed ? 1 : NAN},
            [X] = {.number = part->x[j]},
            [Y] = {.number = is_measured ? part->measured[j] : part->fitted[j]},
        };
        status = sink->row(sink->context, cells, error);
    }
    return status;
}

/* The measured points, then the fitted curves over them. */
static enum masing_status put_all(const struct identification *run,
                                  const struct masing_sink *sink, struct masing_error *error)
{
    int n = run->result.n_loops;
    enum masing_status status =
        sink->open(sink->context, picture_columns, N_PICTURE_COLUMNS, error);
    for (int i = 0; status == MASING_OK && i < 2 * n; i++) {
        struct part part = part_of(run, i % n);
        status = put_part(&part, i < n, sink, error);
    }
    return status ? status : sink->finish(sink->context, error);
}

static enum masing_status draw(const struct identification *run, const char *file,
                               struct masing_error *error)
{
    const struct masing_identification *result = &run->result;
    bool is_response = run->settings->model != NULL;
    const struct masing_plot_settings settings = {
        .kind = is_response ? MASING_PLOT_CURVES : MASING_PLOT_LOOPS,
        .title = pool_format(run->single.call->pool, "%s, misfit %.2g of the largest %s",
                             result->law->name, result->relative_rms,
                             is_response ? "amplitude" : "force"),
        .is_coarse = is_response, /* only the measured frequencies are there */
        .x_column = "x",
        .y_column = "y",
        .group_column = "curve",
        .segment_column = "part",
        .closed_column = "is_closed",
        .dots_column = "is_measured",
        .x_label = is_response ? "Frequency (Hz)" : "Displacement (m)",
        .y_label = is_response ? "Amplitude" : "Force (N)",
        .group_label = result->law->name,
    };
    struct masing_sink sink;
    enum masing_status status = masing_plot_create(file, &settings, &sink, error);
    if (status == MASING_OK) {
        status = put_all(run, &sink, error);
        sink.destroy(sink.context);
    }
    return status;
}

static enum masing_status write_csv(const struct identification *run, const char *file,
                                    struct masing_error *error)
{
    struct masing_sink sink;
    enum masing_status status = masing_csv_create(file, &sink, error);
    if (status == MASING_OK) {
        status =
            run->settings->model
                ? masing_response_fit_rows(&run->response_request, &run->result, &sink, error)
                : masing_identification_rows(&run->data, &run->result, &sink, error);
        sink.destroy(sink.context);
    }
    return status;
}

enum masing_status identify_write_files(const void *context, struct masing_error *error)
{
    const struct identification *run = context;
    enum masing_status status = MASING_OK;
    for (int i = 0; status == MASING_OK && i < run->single.outputs.count; i++) {
        const struct output *output = &run->single.outputs.values[i];
        status = output->format == OUTPUT_PICTURE ? draw(run, output->file, error)
                                                  : write_csv(run, output->file, error);
    }
    return status;
}
