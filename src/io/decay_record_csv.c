/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measured decays: time and channels; shapes of modes at the channels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "io/named_csv.h"
#include "masing/ringdown.h"

enum { FEWEST_ROWS = 64 };

/* How far a sample may be from where equal steps would place it, in parts of a step: what
 * rounding in a file does, and no missing sample. */
static const double MOST_JITTER = 0.05;

static double value(const struct named_csv *table, int row, int column)
{
    return table->values[(size_t)row * (size_t)table->n_columns + (size_t)column];
}

static enum masing_status check_time(const char *file, const struct named_csv *table, int time,
                                     double *step, struct masing_error *error)
{
    int n = table->n_rows;
    if (n < FEWEST_ROWS) {
        return masing_error_set(error, MASING_INVALID,
                                "%s:1:1: a decay has at least %d rows, found %d", file,
                                FEWEST_ROWS, n);
    }
    double start = value(table, 0, time);
    *step = (value(table, n - 1, time) - start) / (n - 1);
    for (int i = 1; i < n; i++) {
        double before = value(table, i - 1, time), now = value(table, i, time);
        if (!(now > before)) {
            return masing_error_set(error, MASING_INVALID,
                                    "%s:%d:1: time must increase, not go from %.10g to %.10g",
                                    file, table->lines[i], before, now);
        }
        if (fabs(now - (start + i * *step)) > MOST_JITTER * *step) {
            return masing_error_set(error, MASING_INVALID,
                                    "%s:%d:1: time %.10g is not where equal steps of %.6g s "
                                    "would place it (%.10g); resample the record",
                                    file, table->lines[i], now, *step, start + i * *step);
        }
    }
    return MASING_OK;
}

enum masing_status masing_record_read(const char *file, struct masing_record *record,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct named_csv table;
    *record = (struct masing_record){0};
    TRY(named_csv_read(file, NULL, NULL, &table, error));
    int time = named_csv_find(&table, "time"), n = table.n_rows;
    if (time < 0 || table.n_columns < 2) {
        TRY(masing_error_set(error, MASING_INVALID,
                             "%s:1:1: expected the column 'time' and at least one channel",
                             file));
    }
    TRY(check_time(file, &table, time, &record->step, error));
    record->n_samples = n;
    record->start = value(&table, 0, time);
    record->names = memory_array((size_t)table.n_columns - 1, sizeof *record->names);
    record->samples =
        memory_array(((size_t)table.n_columns - 1) * (size_t)n, sizeof *record->samples);
    TRY_ALLOCATED(record->names);
    TRY_ALLOCATED(record->samples);
    for (int column = 0; column < table.n_columns; column++) {
        if (column == time) {
            continue;
        }
        int channel = record->n_channels;
        record->names[channel] = memory_text(table.names[column]);
        TRY_ALLOCATED(record->names[channel]);
        record->n_channels++;
        for (int i = 0; i < n; i++) {
            record->samples[(size_t)channel * (size_t)n + (size_t)i] = value(&table, i, column);
        }
    }
done:
    named_csv_clear(&table);
    return status;
}

static void free_names(char **names, int n)
{
    for (int i = 0; names && i < n; i++) {
        free(names[i]);
    }
    free(names);
}

void masing_record_clear(struct masing_record *record)
{
    free_names(record->names, record->n_channels);
    free(record->samples);
    *record = (struct masing_record){0};
}

void masing_record_shapes_clear(struct masing_record_shapes *shapes)
{
    free_names(shapes->names, shapes->n_channels);
    free(shapes->shapes);
    free(shapes->frequency_hz);
    free(shapes->other_hz);
    *shapes = (struct masing_record_shapes){0};
}

/* Where each of mode1, mode2, ... stands: columns [n_columns] by mode. */
static enum masing_status order_modes(const char *file, const struct named_csv *table,
                                      int *columns, struct masing_error *error)
{
    int n_modes = table->n_columns - 1;
    for (int k = 0; k < n_modes; k++) {
        char name[32];
        snprintf(name, sizeof name, "mode%d", k + 1);
        columns[k] = named_csv_find(table, name);
        if (columns[k] < 0) {
            return masing_error_set(error, MASING_INVALID,
                                    "%s:1:1: expected the columns channel, mode1, ..., mode%d; "
                                    "'%s' is missing",
                                    file, n_modes, name);
        }
    }
    return n_modes > 0
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID,
                                  "%s:1:1: expected the columns channel, mode1, ...", file);
}

static enum masing_status take_row(const char *file, const struct named_csv *table, int row,
                                   const int *columns, struct masing_record_shapes *shapes,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const char *word = table->words[row];
    if (strcmp(word, "frequency_hz") == 0) {
        for (int k = 0; k < shapes->n_modes; k++) {
            shapes->frequency_hz[k] = value(table, row, columns[k]);
            if (!(shapes->frequency_hz[k] > 0.0)) {
                TRY(masing_error_set(error, MASING_INVALID,
                                     "%s:%d:1: frequency_hz of mode %d: %g, expected a number "
                                     "> 0",
                                     file, table->lines[row], k + 1, shapes->frequency_hz[k]));
            }
        }
        return MASING_OK;
    }
    int channel = shapes->n_channels;
    for (int i = 0; i < channel; i++) {
        if (strcmp(shapes->names[i], word) == 0) {
            TRY(masing_error_set(error, MASING_INVALID,
                                 "%s:%d:1: channel '%.80s' stands here twice", file,
                                 table->lines[row], word));
        }
    }
    shapes->names[channel] = memory_text(word);
    TRY_ALLOCATED(shapes->names[channel]);
    shapes->n_channels++;
    for (int k = 0; k < shapes->n_modes; k++) {
        shapes->shapes[(size_t)k * (size_t)table->n_rows + (size_t)channel] =
            value(table, row, columns[k]);
    }
done:
    return status;
}

enum masing_status masing_record_shapes_read(const char *file,
                                             struct masing_record_shapes *shapes,
                                             struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct named_csv table;
    int *columns = NULL;
    *shapes = (struct masing_record_shapes){0};
    TRY(named_csv_read(file, "channel", NULL, &table, error));
    size_t n_modes = (size_t)table.n_columns - 1, n_rows = (size_t)table.n_rows;
    columns = memory_array(n_modes, sizeof *columns);
    shapes->names = memory_array(n_rows, sizeof *shapes->names);
    shapes->shapes = memory_array(n_modes * n_rows, sizeof *shapes->shapes);
    shapes->frequency_hz = memory_array(n_modes, sizeof *shapes->frequency_hz);
    TRY_ALLOCATED(columns);
    TRY_ALLOCATED(shapes->names);
    TRY_ALLOCATED(shapes->shapes);
    TRY_ALLOCATED(shapes->frequency_hz);
    TRY(order_modes(file, &table, columns, error));
    shapes->n_modes = (int)n_modes;
    for (size_t k = 0; k < n_modes; k++) {
        shapes->frequency_hz[k] = NAN;
    }
    for (int i = 0; i < table.n_rows; i++) {
        TRY(take_row(file, &table, i, columns, shapes, error));
    }
    /* a row of frequencies is no channel: close the gap */
    for (size_t k = 1; k < n_modes; k++) {
        memmove(shapes->shapes + k * (size_t)shapes->n_channels, shapes->shapes + k * n_rows,
                (size_t)shapes->n_channels * sizeof *shapes->shapes);
    }
done:
    free(columns);
    named_csv_clear(&table);
    return status;
}
