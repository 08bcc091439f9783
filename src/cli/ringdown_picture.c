/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frequency and damping against amplitude: decays as dots, modal models as curves. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ringdown_run.h"
#include "masing/mode.h"

static const char *const column_names[N_RINGDOWN_COLUMNS] = {
    [RINGDOWN_MODE] = "mode",
    [RINGDOWN_AMPLITUDE] = "amplitude",
    [RINGDOWN_FREQUENCY] = "frequency_hz",
    [RINGDOWN_DAMPING] = "damping_ratio",
    [RINGDOWN_IMPULSE] = "impulse",
};

static enum masing_status keep_open(void *context, const struct masing_column *columns,
                                    int n_columns, struct masing_error *error)
{
    struct ringdown_table *table = context;
    table->n_columns = n_columns;
    for (int j = 0; j < N_RINGDOWN_COLUMNS; j++) {
        table->column_of[j] = -1;
        for (int i = 0; i < n_columns; i++) {
            if (strcmp(columns[i].name, column_names[j]) == 0) {
                table->column_of[j] = i;
            }
        }
    }
    return table->next ? table->next->open(table->next->context, columns, n_columns, error)
                       : MASING_OK;
}

static enum masing_status keep_row(void *context, const struct masing_cell *cells,
                                   struct masing_error *error)
{
    struct ringdown_table *table = context;
    if (table->n_rows == table->capacity) {
        int capacity = table->capacity > 0 ? 2 * table->capacity : 256;
        double *more =
            realloc(table->cells, (size_t)capacity * (size_t)table->n_columns * sizeof *more);
        if (!more) {
            return masing_error_set(error, MASING_NO_MEMORY, "out of memory");
        }
        table->cells = more;
        table->capacity = capacity;
    }
    for (int i = 0; i < table->n_columns; i++) {
        table->cells[(size_t)table->n_rows * (size_t)table->n_columns + (size_t)i] =
            cells[i].number;
    }
    table->n_rows++;
    return table->next ? table->next->row(table->next->context, cells, error) : MASING_OK;
}

static enum masing_status keep_finish(void *context, struct masing_error *error)
{
    const struct ringdown_table *table = context;
    return table->next ? table->next->finish(table->next->context, error) : MASING_OK;
}

static void keep_abandon(void *context)
{
    const struct ringdown_table *table = context;
    if (table->next) {
        table->next->abandon(table->next->context);
    }
}

static void keep_destroy(void *context)
{
    (void)context; /* the caller's own: ringdown_table_clear */
}

struct masing_sink ringdown_table_sink(struct ringdown_table *table)
{
    return (struct masing_sink){table,       keep_open,    keep_row,
                                keep_finish, keep_abandon, keep_destroy};
}

void ringdown_table_clear(struct ringdown_table *table)
{
    free(table->cells);
    *table = (struct ringdown_table){0};
}

static double cell(const struct ringdown_table *table, int row, enum ringdown_column column)
{
    int at = table->column_of[column];
    return at < 0 ? NAN : table->cells[(size_t)row * (size_t)table->n_columns + (size_t)at];
}

enum { SERIES, IS_DECAY, X, Y, SECOND, N_PICTURE_COLUMNS };

static const struct masing_column picture_columns[N_PICTURE_COLUMNS] = {
    [SERIES] = {"series", MASING_COLUMN_TEXT},
    [IS_DECAY] = {"is_decay", MASING_COLUMN_INTEGER},
    [X] = {"amplitude", MASING_COLUMN_REAL},
    [Y] = {"frequency_hz", MASING_COLUMN_REAL},
    [SECOND] = {"damping_ratio", MASING_COLUMN_REAL},
};

struct picture {
    const struct ringdown_table *table;
    int mode; /* number */
    const struct masing_sink *sink;
    struct masing_error *error;
};

static enum masing_status put_decays(const struct picture *picture)
{
    const struct ringdown_table *table = picture->table;
    enum masing_status status = MASING_OK;
    for (int i = 0; status == MASING_OK && i < table->n_rows; i++) {
        char series[48] = "decay";
        double impulse = cell(table, i, RINGDOWN_IMPULSE);
        if (cell(table, i, RINGDOWN_MODE) != picture->mode) {
            continue;
        }
        if (!isnan(impulse)) {
            snprintf(series, sizeof series, "%.6g", impulse);
        }
        const struct masing_cell cells[N_PICTURE_COLUMNS] = {
            [SERIES] = {.text = series},
            [IS_DECAY] = {.number = 1},
            [X] = {.number = cell(table, i, RINGDOWN_AMPLITUDE)},
            [Y] = {.number = cell(table, i, RINGDOWN_FREQUENCY)},
            [SECOND] = {.number = cell(table, i, RINGDOWN_DAMPING)},
        };
        status = picture->sink->row(picture->sink->context, cells, picture->error);
    }
    return status;
}

/* --- the curve of a modal model -------------------------------------------------------------
 */

/* Takes the rows of a nonlinear mode between two amplitudes. */
struct curve_sink {
    const struct picture *picture;
    double from, to;
    int amplitude, frequency, damping; /* columns */
};

static enum masing_status curve_open(void *context, const struct masing_column *columns,
                                     int n_columns, struct masing_error *error)
{
    struct curve_sink *curve = context;
    (void)error;
    for (int i = 0; i < n_columns; i++) {
        curve->amplitude = strcmp(columns[i].name, "amplitude") == 0 ? i : curve->amplitude;
        curve->frequency = strcmp(columns[i].name, "frequency_hz") == 0 ? i : curve->frequency;
        curve->damping = strcmp(columns[i].name, "damping_ratio") == 0 ? i : curve->damping;
    }
    return MASING_OK;
}

static enum masing_status curve_row(void *context, const struct masing_cell *cells,
                                    struct masing_error *error)
{
    const struct curve_sink *curve = context;
    const struct masing_sink *sink = curve->picture->sink;
    double amplitude = cells[curve->amplitude].number;
    if (!(amplitude >= curve->from && amplitude <= curve->to)) {
        return MASING_OK;
    }
    const struct masing_cell row[N_PICTURE_COLUMNS] = {
        [SERIES] = {.text = "modal model"},
        [IS_DECAY] = {.number = 0},
        [X] = {.number = amplitude},
        [Y] = {.number = cells[curve->frequency].number},
        [SECOND] = {.number = cells[curve->damping].number},
    };
    return sink->row(sink->context, row, error);
}

static enum masing_status curve_finish(void *context, struct masing_error *error)
{
    (void)context;
    (void)error;
    return MASING_OK;
}

static void curve_end(void *context)
{
    (void)context;
}

static enum masing_status put_model(const struct picture *picture,
                                    const struct ringdown_run *run)
{
    const struct ringdown_table *table = picture->table;
    struct curve_sink curve = {.picture = picture, .from = INFINITY};
    const struct masing_sink sink = {&curve,       curve_open, curve_row,
                                     curve_finish, curve_end,  curve_end};
    enum masing_status status = MASING_OK;
    for (int i = 0; i < table->n_rows; i++) {
        double amplitude = cell(table, i, RINGDOWN_AMPLITUDE);
        if (cell(table, i, RINGDOWN_MODE) == picture->mode) {
            curve.from = fmin(curve.from, amplitude);
            curve.to = fmax(curve.to, amplitude);
        }
    }
    for (int i = 0; status == MASING_OK && i < run->n_modal; i++) {
        if (run->modal[i].mode == picture->mode) {
            struct masing_mode_summary summary = {0};
            status = masing_mode(run->modal[i].model, NULL, &sink, &summary, picture->error);
            masing_mode_summary_clear(&summary);
        }
    }
    return status;
}

static enum masing_status draw(const struct ringdown_run *run, const char *file, int mode,
                               struct masing_error *error)
{
    struct pool *pool = run->single.call->pool;
    const struct ringdown_table *table = &run->table;
    const char *model =
        run->single.input.spec ? run->single.input.spec->title : run->settings->record;
    bool has_series = table->column_of[RINGDOWN_IMPULSE] >= 0 || run->n_modal > 0;
    const struct masing_plot_settings settings = {
        .kind = MASING_PLOT_CURVES,
        .title = pool_format(pool, "%s%s-down of mode %d", model ? model : "",
                             model ? ", ring" : "Ring", mode),
        .x_column = "amplitude",
        .y_column = "frequency_hz",
        .second_column = "damping_ratio",
        .group_column = has_series ? "series" : NULL,
        .group_label = table->column_of[RINGDOWN_IMPULSE] >= 0 ? "Impulse" : "",
        .dots_column = "is_decay",
        .x_label = "Amplitude of the modal coordinate (m \u221akg)",
        .y_label = "Frequency (Hz)",
        .second_label = "Damping ratio",
        .is_log_x = true,
        .is_log_y = run->settings->common.is_log_y,
    };
    struct masing_sink sink;
    enum masing_status status = masing_plot_create(file, &settings, &sink, error);
    if (status != MASING_OK) {
        return status;
    }
    const struct picture picture = {table, mode, &sink, error};
    status = sink.open(sink.context, picture_columns, N_PICTURE_COLUMNS, error);
    status = status ? status : put_decays(&picture);
    status = status ? status : put_model(&picture, run);
    status = status ? status : sink.finish(sink.context, error);
    sink.destroy(sink.context);
    return status;
}

enum masing_status ringdown_draw(const struct ringdown_run *run, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_ringdown_summary *summary = &run->summary;
    for (int i = 0; status == MASING_OK && i < run->single.outputs.count; i++) {
        const struct output *output = &run->single.outputs.values[i];
        for (int j = 0;
             status == MASING_OK && output->format == OUTPUT_PICTURE && j < summary->n_modes;
             j++) {
            int mode = summary->modes[j].number;
            const char *part = pool_format(run->single.call->pool, "mode%d", mode);
            const char *file = summary->n_modes == 1
                                   ? output->file
                                   : output_file_of_part(run->single.call->pool, output, part);
            status = draw(run, file, mode, error);
        }
    }
    return status;
}
