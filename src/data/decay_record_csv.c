/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measured decays: time and channels; shapes of modes at the channels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "data/table_csv.h"
#include "masing/ringdown.h"

enum { FEWEST_ROWS = 64 };

/* The columns that have a name of their own stand before the channels or modes. */
enum { TIME = 0, CHANNEL = 0 };
static const char *const times[] = {"t", "zeit", NULL};
static const struct csv_column time_column = {
    .name = "time", .fallback = NAN, .synonyms = times, .kind = LABORATORY_TIME};
static const struct csv_column channel_column = {
    .name = "channel", .is_required = true, .is_text = true};

/* How far a sample may be from where equal steps would place it, in parts of a step: what
 * rounding in a file does, and no missing sample. */
static const double MOST_JITTER = 0.05;

static enum masing_status check_time(const struct csv_table *table, double *step,
                                     struct masing_error *error)
{
    int n = table->n_rows;
    if (n < FEWEST_ROWS) {
        return csv_table_fail(table, -1, error, "a decay has at least %d rows, found %d",
                              FEWEST_ROWS, n);
    }
    double start = csv_table_number(table, 0, TIME);
    *step = (csv_table_number(table, n - 1, TIME) - start) / (n - 1);
    for (int i = 1; i < n; i++) {
        double before = csv_table_number(table, i - 1, TIME),
               now = csv_table_number(table, i, TIME);
        if (!(now > before)) {
            return csv_table_fail(
                table, i, error, "time must increase, not go from %.10g to %.10g", before, now);
        }
        if (fabs(now - (start + i * *step)) > MOST_JITTER * *step) {
            return csv_table_fail(table, i, error,
                                  "time %.10g is not where equal steps of %.6g s "
                                  "would place it (%.10g); resample the record",
                                  now, *step, start + i * *step);
        }
    }
    return MASING_OK;
}

enum masing_status masing_record_read(const char *file, struct masing_record *record,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct csv_table table = {0};
    struct masing_error own;
    error = entry_begin(error, &own);
    TRY(entry_need(record, "record", error));
    *record = (struct masing_record){0};
    TRY(entry_need(file, "file", error));
    TRY(csv_table_read_measured(file, &time_column, 1, CSV_OTHERS_NUMBERS, NULL, &table,
                                error));
    int n = table.n_rows, n_channels = table.n_columns - 1;
    if (!table.is_present[TIME] || n_channels < 1) {
        TRY(csv_table_fail(&table, -1, error,
                           "expected the column 'time' and at least one channel"));
    }
    TRY(check_time(&table, &record->step, error));
    record->n_samples = n;
    record->start = csv_table_number(&table, 0, TIME);
    record->names = memory_array((size_t)n_channels, sizeof *record->names);
    record->samples = memory_array((size_t)n_channels * (size_t)n, sizeof *record->samples);
    TRY_ALLOCATED(record->names && record->samples);
    for (int channel = 0; channel < n_channels; channel++) {
        TRY_ALLOCATED(record->names[channel] = memory_text(table.names[1 + channel]));
        record->n_channels++;
        for (int i = 0; i < n; i++) {
            record->samples[(size_t)channel * (size_t)n + (size_t)i] =
                csv_table_number(&table, i, 1 + channel);
        }
    }
done:
    csv_table_clear(&table);
    return status;
}

void masing_record_clear(struct masing_record *record)
{
    if (!record) {
        return;
    }
    memory_free_texts(record->names, record->n_channels);
    free(record->samples);
    *record = (struct masing_record){0};
}

void masing_record_shapes_clear(struct masing_record_shapes *shapes)
{
    if (!shapes) {
        return;
    }
    memory_free_texts(shapes->names, shapes->n_channels);
    free(shapes->shapes);
    free(shapes->frequency_hz);
    free(shapes->other_hz);
    *shapes = (struct masing_record_shapes){0};
}

/* Row @p row of the table: of frequencies, or a channel; columns [n_modes] by mode. */
static enum masing_status take_row(const struct csv_table *table, int row, const int *columns,
                                   struct masing_record_shapes *shapes,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const char *word = csv_table_text(table, row, CHANNEL);
    bool is_frequency = strcmp(word, "frequency_hz") == 0;
    int channel = shapes->n_channels;
    for (int k = 0; k < shapes->n_modes; k++) {
        double number = csv_table_number(table, row, columns[k]);
        if (is_frequency && !(number > 0.0)) {
            TRY(csv_table_fail(table, row, error,
                               "frequency_hz of mode %d: %g, expected a number > 0", k + 1,
                               number));
        }
        *(is_frequency ? &shapes->frequency_hz[k]
                       : &shapes->shapes[(size_t)k * (size_t)table->n_rows + (size_t)channel]) =
            number;
    }
    if (is_frequency) {
        return MASING_OK;
    }
    for (int i = 0; i < channel; i++) {
        if (strcmp(shapes->names[i], word) == 0) {
            TRY(csv_table_fail(table, row, error, "channel '%.80s' stands here twice", word));
        }
    }
    TRY_ALLOCATED(shapes->names[channel] = memory_text(word));
    shapes->n_channels++;
done:
    return status;
}

enum masing_status masing_record_shapes_read(const char *file,
                                             struct masing_record_shapes *shapes,
                                             struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct csv_table table = {0};
    int *columns = NULL;
    struct masing_error own;
    error = entry_begin(error, &own);
    TRY(entry_need(shapes, "shapes", error));
    *shapes = (struct masing_record_shapes){0};
    TRY(entry_need(file, "file", error));
    TRY(csv_table_read_measured(file, &channel_column, 1, CSV_OTHERS_NUMBERS, NULL, &table,
                                error));
    size_t n_modes = (size_t)table.n_columns - 1, n_rows = (size_t)table.n_rows;
    columns = memory_array(n_modes, sizeof *columns);
    shapes->names = memory_array(n_rows, sizeof *shapes->names);
    shapes->shapes = memory_array(n_modes * n_rows, sizeof *shapes->shapes);
    shapes->frequency_hz = memory_array(n_modes, sizeof *shapes->frequency_hz);
    TRY_ALLOCATED(columns && shapes->names && shapes->shapes && shapes->frequency_hz);
    shapes->n_modes = (int)n_modes;
    for (int k = 0; k < shapes->n_modes; k++) {
        char name[32];
        snprintf(name, sizeof name, "mode%d", k + 1);
        columns[k] = csv_table_find(&table, name);
        shapes->frequency_hz[k] = NAN;
        if (columns[k] < 0) {
            TRY(csv_table_fail(&table, -1, error,
                               "expected the columns channel, mode1, ..., mode%d; "
                               "'%s' is missing",
                               shapes->n_modes, name));
        }
    }
    if (n_modes == 0) {
        TRY(csv_table_fail(&table, -1, error, "expected the columns channel, mode1, ..."));
    }
    for (int i = 0; i < table.n_rows; i++) {
        TRY(take_row(&table, i, columns, shapes, error));
    }
    /* a row of frequencies is no channel: close the gap */
    for (size_t k = 1; k < n_modes; k++) {
        memmove(shapes->shapes + k * (size_t)shapes->n_channels, shapes->shapes + k * n_rows,
                (size_t)shapes->n_channels * sizeof *shapes->shapes);
    }
done:
    free(columns);
    csv_table_clear(&table);
    return status;
}
