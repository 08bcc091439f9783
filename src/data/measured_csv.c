/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measured data in CSV files: loops, frequency responses, decays and points of a mode. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "data/table_csv.h"
#include "masing/identify.h"
#include "masing/modal_iwan.h"
#include "masing/ringdown.h"

/* --- displacement and force of a joint, with or without time ------------------------------ */

enum {
    LOOP_DISPLACEMENT,
    LOOP_FORCE,
    LOOP_TIME,
    LOOP_AMPLITUDE,
    LOOP_CYCLE,
    LOOP_STEADY,
    LOOP_ANGLE,
    LOOP_N_COLUMNS,
    FEWEST_LOOP_ROWS = 8
};

static const char *const displacements[] = {
    "x", "u", "d", "disp", "relative displacement", "position", "weg", NULL};
static const char *const forces[] = {"f", "load", "kraft", NULL};
static const char *const times[] = {"t", "zeit", NULL};

static const struct csv_column loop_columns[LOOP_N_COLUMNS] = {
    [LOOP_DISPLACEMENT] = {.name = "displacement",
                           .is_required = true,
                           .synonyms = displacements,
                           .kind = LABORATORY_LENGTH},
    [LOOP_FORCE] = {.name = "force",
                    .is_required = true,
                    .synonyms = forces,
                    .kind = LABORATORY_FORCE},
    [LOOP_TIME] = {.name = "time", .fallback = NAN, .synonyms = times, .kind = LABORATORY_TIME},
    [LOOP_AMPLITUDE] = {.name = "amplitude",
                        .fallback = NAN}, /* these four: of `masing loop` */
    [LOOP_CYCLE] = {.name = "cycle", .fallback = NAN},
    [LOOP_STEADY] = {.name = "steady", .fallback = NAN},
    [LOOP_ANGLE] = {.name = "angle_deg", .fallback = NAN}, /* which nothing needs */
};

/* Rows begin .. end - 1 of a table. */
struct rows {
    int begin, end;
};

static bool is_constant(const struct csv_table *table, struct rows rows, int column)
{
    for (int i = rows.begin + 1; i < rows.end; i++) {
        if (csv_table_number(table, i, column) != csv_table_number(table, rows.begin, column)) {
            return false;
        }
    }
    return true;
}

static enum masing_status check_loop(const struct csv_table *table, struct rows rows,
                                     struct masing_error *error)
{
    int n = rows.end - rows.begin, first = n > 0 ? rows.begin : -1;
    if (n < FEWEST_LOOP_ROWS) {
        return csv_table_fail(table, first, error, "a loop has at least %d rows, found %d",
                              FEWEST_LOOP_ROWS, n);
    }
    if (is_constant(table, rows, LOOP_DISPLACEMENT)) {
        return csv_table_fail(table, first, error, "the displacement never changes");
    }
    if (is_constant(table, rows, LOOP_FORCE)) {
        return csv_table_fail(table, first, error, "the force never changes");
    }
    for (int i = rows.begin + 1; i < rows.end; i++) {
        double before = csv_table_number(table, i - 1, LOOP_TIME),
               now = csv_table_number(table, i, LOOP_TIME);
        if (isnan(before) != isnan(now) || now <= before) {
            return csv_table_fail(table, i, error, "time must increase, not go from %g to %g",
                                  before, now);
        }
    }
    return MASING_OK;
}

static enum masing_status add_loop(const struct csv_table *table, struct rows rows,
                                   struct masing_measurement **loops, int *n_loops,
                                   struct masing_error *error)
{
    bool is_whole = rows.begin == 0 && rows.end == table->n_rows;
    bool has_cycles =
        rows.begin < table->n_rows && !isnan(csv_table_number(table, rows.begin, LOOP_CYCLE));
    NEED(check_loop(table, rows, error));
    struct masing_measurement *more = realloc(*loops, ((size_t)*n_loops + 1) * sizeof *more);
    NEED_ALLOCATED(more);
    *loops = more;
    struct masing_measurement *made = &more[(*n_loops)++];
    *made = (struct masing_measurement){.n_samples = rows.end - rows.begin};
    NEED_ALLOCATED(
        made->name = is_whole || isnan(csv_table_number(table, rows.begin, LOOP_AMPLITUDE))
                         ? memory_text(table->file)
                         : memory_format("%s (%.6g m)", table->file,
                                         csv_table_number(table, rows.begin, LOOP_AMPLITUDE)));
    if (has_cycles) {
        made->motion = csv_table_number(table, rows.end - 1, LOOP_STEADY) == 1
                           ? MASING_MEASURED_STEADY
                           : MASING_MEASURED_OPEN;
    }
    NEED(csv_table_copy(table, rows.begin, rows.end, LOOP_DISPLACEMENT, &made->displacement,
                        error));
    NEED(csv_table_copy(table, rows.begin, rows.end, LOOP_FORCE, &made->force, error));
    if (!isnan(csv_table_number(table, rows.begin, LOOP_TIME))) {
        NEED(csv_table_copy(table, rows.begin, rows.end, LOOP_TIME, &made->time, error));
    }
    return MASING_OK;
}

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* The loop that begins at a row: all of one amplitude, or its steady cycle alone. */
static struct rows find_loop(const struct csv_table *table, int begin, int *next)
{
    int end = begin, steady = -1;
    double amplitude =
        begin < table->n_rows ? csv_table_number(table, begin, LOOP_AMPLITUDE) : NAN;
    while (end < table->n_rows &&
           is_same(csv_table_number(table, end, LOOP_AMPLITUDE), amplitude)) {
        if (steady < 0 && csv_table_number(table, end, LOOP_STEADY) == 1) {
            steady = end;
        }
        end++;
    }
    *next = end;
    return (struct rows){steady < 0 ? begin : steady, end};
}

enum masing_status masing_measurements_read(const char *file, struct masing_measurement **loops,
                                            int *n_loops, struct masing_error *error)
{
    return masing_measurements_read_columns(file, NULL, loops, n_loops, error);
}

enum masing_status masing_measurements_read_columns(const char *file, const char *choice,
                                                    struct masing_measurement **loops,
                                                    int *n_loops, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct csv_choice chosen = {choice};
    struct csv_table table = {0};
    int row = 0;
    struct masing_error own;
    error = entry_begin(error, &own);
    TRY(entry_need(file, "file", error));
    TRY(entry_need(loops, "loops", error));
    TRY(entry_need(n_loops, "n_loops", error));
    TRY(csv_table_read_measured(file, loop_columns, LOOP_N_COLUMNS, CSV_OTHERS_REFUSED, &chosen,
                                &table, error));
    do {
        struct rows rows = find_loop(&table, row, &row);
        TRY(add_loop(&table, rows, loops, n_loops, error));
    } while (row < table.n_rows);
done:
    csv_table_clear(&table);
    return status;
}

void masing_measurement_clear(struct masing_measurement *measurement)
{
    if (!measurement) {
        return;
    }
    free(measurement->name);
    free(measurement->displacement);
    free(measurement->force);
    free(measurement->time);
    *measurement = (struct masing_measurement){0};
}

void masing_measurements_free(struct masing_measurement *loops, int n_loops)
{
    for (int i = 0; loops && i < n_loops; i++) {
        masing_measurement_clear(&loops[i]);
    }
    free(loops);
}

/* --- amplitudes, with or without phases, at one level of the loads ------------------------ */

enum { RESPONSE_FREQUENCY, RESPONSE_AMPLITUDE, RESPONSE_PHASE, RESPONSE_N_COLUMNS };

static const char *const frequencies[] = {"frequency", "f", NULL};
static const char *const phases[] = {"phase", NULL};

static const struct csv_column response_columns[RESPONSE_N_COLUMNS] = {
    [RESPONSE_FREQUENCY] = {.name = "frequency_hz",
                            .is_required = true,
                            .synonyms = frequencies,
                            .kind = LABORATORY_FREQUENCY},
    [RESPONSE_AMPLITUDE] = {.name = "amplitude",
                            .is_required = true,
                            .kind = LABORATORY_MOTION},
    [RESPONSE_PHASE] = {.name = "phase_deg",
                        .fallback = NAN,
                        .synonyms = phases,
                        .kind = LABORATORY_ANGLE},
};

static enum masing_status check_response(const struct csv_table *table,
                                         struct masing_error *error)
{
    double largest = 0.0;
    for (int i = 0; i < table->n_rows; i++) {
        double frequency = csv_table_number(table, i, RESPONSE_FREQUENCY);
        double amplitude = csv_table_number(table, i, RESPONSE_AMPLITUDE);
        if (!(frequency > 0)) {
            return csv_table_fail(table, i, error, "a frequency is above zero, not %g Hz",
                                  frequency);
        }
        if (amplitude < 0) {
            return csv_table_fail(table, i, error, "an amplitude is not negative, as %g is",
                                  amplitude);
        }
        if (isnan(csv_table_number(table, i, RESPONSE_PHASE)) !=
            isnan(csv_table_number(table, 0, RESPONSE_PHASE))) {
            return csv_table_fail(table, i, error, "phases stand in every row or in none");
        }
        largest = fmax(largest, amplitude);
    }
    if (table->n_rows < 2 || !(largest > 0)) {
        return csv_table_fail(table, -1, error,
                              "a response has at least 2 rows and an amplitude above zero");
    }
    return MASING_OK;
}

enum masing_status masing_measured_response_read(const char *file, double load_factor,
                                                 struct masing_measured_response *response,
                                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct csv_table table = {0};
    struct masing_error own;
    error = entry_begin(error, &own);
    TRY(entry_need(response, "response", error));
    *response = (struct masing_measured_response){.load_factor = load_factor};
    TRY(entry_need(file, "file", error));
    TRY(csv_table_read_measured(file, response_columns, RESPONSE_N_COLUMNS, CSV_OTHERS_REFUSED,
                                NULL, &table, error));
    TRY(check_response(&table, error));
    int n = table.n_rows;
    TRY_ALLOCATED(response->name = memory_text(file));
    response->n_points = n;
    TRY(csv_table_copy(&table, 0, n, RESPONSE_FREQUENCY, &response->frequency_hz, error));
    TRY(csv_table_copy(&table, 0, n, RESPONSE_AMPLITUDE, &response->amplitude, error));
    if (!isnan(csv_table_number(&table, 0, RESPONSE_PHASE))) {
        TRY(csv_table_copy(&table, 0, n, RESPONSE_PHASE, &response->phase_deg, error));
    }
done:
    csv_table_clear(&table);
    return status;
}

void masing_measured_response_clear(struct masing_measured_response *response)
{
    if (!response) {
        return;
    }
    free(response->name);
    free(response->frequency_hz);
    free(response->amplitude);
    free(response->phase_deg);
    *response = (struct masing_measured_response){0};
}

/* --- decays: time and channels; shapes of modes at the channels --------------------------- */

enum { FEWEST_DECAY_ROWS = 64 };

/* The columns that have a name of their own stand before the channels or modes. */
enum { DECAY_TIME = 0, CHANNEL = 0 };
static const struct csv_column time_column = {
    .name = "time", .fallback = NAN, .synonyms = times, .kind = LABORATORY_TIME};
static const struct csv_column channel_column = {
    .name = "channel", .is_required = true, .is_text = true};

/* How far a sample may be from where equal steps would place it, in parts of a step: what
 * rounding in a file does, and no missing sample. */
static const double MOST_JITTER = 0.05;

/* A step that is longer than the mean by this factor misses samples. */
static const double GAP = 1.5;

static double time_of(const struct csv_table *table, int row)
{
    return csv_table_number(table, row, DECAY_TIME);
}

static enum masing_status fail_steps(const struct csv_table *table, int row, double step,
                                     struct masing_error *error)
{
    int longest = 1;
    for (int i = 2; i < table->n_rows; i++) {
        double of_longest = time_of(table, longest) - time_of(table, longest - 1);
        longest = time_of(table, i) - time_of(table, i - 1) > of_longest ? i : longest;
    }
    double before = time_of(table, longest - 1), behind = time_of(table, longest);
    if (behind - before > GAP * step) {
        return csv_table_fail(table, longest, error,
                              "time goes from %.10g to %.10g, where steps are %.6g s in the "
                              "mean: samples are missing; resample the record",
                              before, behind, step);
    }
    return csv_table_fail(table, row, error,
                          "time %.10g is not where equal steps of %.6g s would place it "
                          "(%.10g); resample the record",
                          time_of(table, row), step, time_of(table, 0) + row * step);
}

static enum masing_status check_time(const struct csv_table *table, double *step,
                                     struct masing_error *error)
{
    int n = table->n_rows, shifted = 0;
    if (n < FEWEST_DECAY_ROWS) {
        return csv_table_fail(table, -1, error, "a decay has at least %d rows, found %d",
                              FEWEST_DECAY_ROWS, n);
    }
    double start = time_of(table, 0);
    *step = (time_of(table, n - 1) - start) / (n - 1);
    for (int i = 1; i < n; i++) {
        double before = time_of(table, i - 1), now = time_of(table, i);
        if (!(now > before)) {
            return csv_table_fail(
                table, i, error, "time must increase, not go from %.10g to %.10g", before, now);
        }
        bool is_shifted = fabs(now - (start + i * *step)) > MOST_JITTER * *step;
        shifted = is_shifted && !shifted ? i : shifted;
    }
    return shifted ? fail_steps(table, shifted, *step, error) : MASING_OK;
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
    if (!table.is_present[DECAY_TIME] || n_channels < 1) {
        TRY(csv_table_fail(&table, -1, error,
                           "expected the column 'time' and at least one channel"));
    }
    TRY(check_time(&table, &record->step, error));
    record->n_samples = n;
    record->start = csv_table_number(&table, 0, DECAY_TIME);
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
    const char *word = csv_table_text(table, row, CHANNEL);
    bool is_frequency = strcmp(word, "frequency_hz") == 0;
    int channel = shapes->n_channels;
    for (int k = 0; k < shapes->n_modes; k++) {
        double number = csv_table_number(table, row, columns[k]);
        if (is_frequency && !(number > 0.0)) {
            NEED(csv_table_fail(table, row, error,
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
            NEED(csv_table_fail(table, row, error, "channel '%.80s' stands here twice", word));
        }
    }
    NEED_ALLOCATED(shapes->names[channel] = memory_text(word));
    shapes->n_channels++;
    return MASING_OK;
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

/* --- frequency and damping of a mode over its amplitude ----------------------------------- */

enum { POINT_AMPLITUDE, POINT_FREQUENCY, POINT_DAMPING, POINT_MODE, POINT_N_COLUMNS };

static const struct csv_column point_columns[POINT_N_COLUMNS] = {
    [POINT_AMPLITUDE] = {.name = "amplitude", .is_required = true},
    [POINT_FREQUENCY] = {.name = "frequency_hz", .is_required = true},
    [POINT_DAMPING] = {.name = "damping_ratio", .is_required = true},
    [POINT_MODE] = {.name = "mode", .fallback = NAN},
};

enum masing_status masing_modal_points_read(const char *file, int mode,
                                            struct masing_modal_point **points, int *n_points,
                                            int *n_undamped, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct csv_table table = {0};
    int n_others = 0;
    struct masing_error own;
    error = entry_begin(error, &own);
    TRY(entry_need(file, "file", error));
    TRY(entry_need(points, "points", error));
    TRY(entry_need(n_points, "n_points", error));
    int n_before = *n_points;
    TRY(csv_table_read(file, point_columns, POINT_N_COLUMNS, CSV_OTHERS_IGNORED, &table,
                       error));
    size_t n = (size_t)*n_points + (size_t)table.n_rows;
    struct masing_modal_point *more = realloc(*points, (n + 1) * sizeof *more);
    TRY_ALLOCATED(more);
    *points = more;
    for (int i = 0; i < table.n_rows; i++) {
        const double *row = table.values + (size_t)i * (size_t)table.n_columns;
        const struct masing_modal_point point = {row[POINT_AMPLITUDE], row[POINT_FREQUENCY],
                                                 row[POINT_DAMPING]};
        if (table.is_present[POINT_MODE] && row[POINT_MODE] != mode) {
            continue;
        }
        if (!(point.amplitude > 0.0 && point.frequency_hz > 0.0)) {
            TRY(csv_table_fail(&table, i, error,
                               "amplitude %g and frequency %g Hz: expected numbers > 0",
                               point.amplitude, point.frequency_hz));
        }
        if (point.damping_ratio > 0.0) {
            (*points)[(*n_points)++] = point;
        } else {
            n_others++;
        }
    }
    if (n_undamped) {
        *n_undamped += n_others;
    }
    if (*n_points == n_before) {
        TRY(masing_error_set(error, MASING_INVALID,
                             "%s: no row of mode %d with a positive damping ratio", file,
                             mode));
    }
done:
    csv_table_clear(&table);
    return status;
}
