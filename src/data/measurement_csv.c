/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measured loops: displacement and force of a joint, with or without time. */
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "data/table_csv.h"
#include "masing/identify.h"

enum { DISPLACEMENT, FORCE, TIME, AMPLITUDE, CYCLE, STEADY, N_COLUMNS, FEWEST_ROWS = 8 };

static const char *const displacements[] = {
    "x", "u", "d", "disp", "relative displacement", "position", "weg", NULL};
static const char *const forces[] = {"f", "load", "kraft", NULL};
static const char *const times[] = {"t", "zeit", NULL};

static const struct csv_column columns[N_COLUMNS] = {
    [DISPLACEMENT] = {.name = "displacement",
                      .is_required = true,
                      .synonyms = displacements,
                      .kind = LABORATORY_LENGTH},
    [FORCE] = {.name = "force",
               .is_required = true,
               .synonyms = forces,
               .kind = LABORATORY_FORCE},
    [TIME] = {.name = "time", .fallback = NAN, .synonyms = times, .kind = LABORATORY_TIME},
    [AMPLITUDE] = {.name = "amplitude", .fallback = NAN}, /* these three: of `masing loop` */
    [CYCLE] = {.name = "cycle", .fallback = NAN},
    [STEADY] = {.name = "steady", .fallback = NAN},
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

static enum masing_status check(const struct csv_table *table, struct rows rows,
                                struct masing_error *error)
{
    int n = rows.end - rows.begin, first = n > 0 ? rows.begin : -1;
    if (n < FEWEST_ROWS) {
        return csv_table_fail(table, first, error, "a loop has at least %d rows, found %d",
                              FEWEST_ROWS, n);
    }
    if (is_constant(table, rows, DISPLACEMENT)) {
        return csv_table_fail(table, first, error, "the displacement never changes");
    }
    if (is_constant(table, rows, FORCE)) {
        return csv_table_fail(table, first, error, "the force never changes");
    }
    for (int i = rows.begin + 1; i < rows.end; i++) {
        double before = csv_table_number(table, i - 1, TIME),
               now = csv_table_number(table, i, TIME);
        if (isnan(before) != isnan(now) || now <= before) {
            return csv_table_fail(table, i, error, "time must increase, not go from %g to %g",
                                  before, now);
        }
    }
    return MASING_OK;
}

static enum masing_status add(const struct csv_table *table, struct rows rows,
                              struct masing_measurement **loops, int *n_loops,
                              struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    bool is_whole = rows.begin == 0 && rows.end == table->n_rows;
    bool has_cycles =
        rows.begin < table->n_rows && !isnan(csv_table_number(table, rows.begin, CYCLE));
    TRY(check(table, rows, error));
    struct masing_measurement *more = realloc(*loops, ((size_t)*n_loops + 1) * sizeof *more);
    TRY_ALLOCATED(more);
    *loops = more;
    struct masing_measurement *made = &more[(*n_loops)++];
    *made = (struct masing_measurement){.n_samples = rows.end - rows.begin};
    TRY_ALLOCATED(made->name =
                      is_whole || isnan(csv_table_number(table, rows.begin, AMPLITUDE))
                          ? memory_text(table->file)
                          : memory_format("%s (%.6g m)", table->file,
                                          csv_table_number(table, rows.begin, AMPLITUDE)));
    if (has_cycles) {
        made->motion = csv_table_number(table, rows.end - 1, STEADY) == 1
                           ? MASING_MEASURED_STEADY
                           : MASING_MEASURED_OPEN;
    }
    TRY(csv_table_copy(table, rows.begin, rows.end, DISPLACEMENT, &made->displacement, error));
    TRY(csv_table_copy(table, rows.begin, rows.end, FORCE, &made->force, error));
    if (!isnan(csv_table_number(table, rows.begin, TIME))) {
        TRY(csv_table_copy(table, rows.begin, rows.end, TIME, &made->time, error));
    }
done:
    return status;
}

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* The loop that begins at a row: all of one amplitude, or its steady cycle alone. */
static struct rows find_loop(const struct csv_table *table, int begin, int *next)
{
    int end = begin, steady = -1;
    double amplitude = begin < table->n_rows ? csv_table_number(table, begin, AMPLITUDE) : NAN;
    while (end < table->n_rows && is_same(csv_table_number(table, end, AMPLITUDE), amplitude)) {
        if (steady < 0 && csv_table_number(table, end, STEADY) == 1) {
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
    TRY(csv_table_read_measured(file, columns, N_COLUMNS, CSV_OTHERS_REFUSED, &chosen, &table,
                                error));
    do {
        struct rows rows = find_loop(&table, row, &row);
        TRY(add(&table, rows, loops, n_loops, error));
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
