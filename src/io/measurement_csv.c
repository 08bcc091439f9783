/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measured loops: displacement and force of a joint, with or without time. */
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "io/table_csv.h"
#include "masing/identify.h"

enum { DISPLACEMENT, FORCE, TIME, N_COLUMNS, FEWEST_ROWS = 8 };

static const struct table_column columns[N_COLUMNS] = {
    [DISPLACEMENT] = {"displacement", true, 0.0},
    [FORCE] = {"force", true, 0.0},
    [TIME] = {"time", false, NAN},
};

static bool is_constant(int n, const double *values)
{
    for (int i = 1; i < n; i++) {
        if (values[i] != values[0]) {
            return false;
        }
    }
    return true;
}

static enum masing_status check(const struct masing_measurement *measurement, const int *lines,
                                struct masing_error *error)
{
    int n = measurement->n_samples;
    const char *file = measurement->name;
    const double *time = measurement->time;
    if (n < FEWEST_ROWS) {
        return masing_error_set(error, MASING_INVALID,
                                "%s:1:1: a loop has at least %d rows, found %d", file,
                                FEWEST_ROWS, n);
    }
    if (is_constant(n, measurement->displacement)) {
        return masing_error_set(error, MASING_INVALID, "%s:1:1: the displacement never changes",
                                file);
    }
    if (is_constant(n, measurement->force)) {
        return masing_error_set(error, MASING_INVALID, "%s:1:1: the force never changes", file);
    }
    for (int i = 1; time && i < n; i++) {
        if (!(time[i] > time[i - 1])) {
            return masing_error_set(error, MASING_INVALID,
                                    "%s:%d:1: time must increase, not go from %g to %g", file,
                                    lines[i], time[i - 1], time[i]);
        }
    }
    return MASING_OK;
}

/* [n][N_COLUMNS] to one array per column */
static enum masing_status part(const double *rows, int n, int column, double **values,
                               struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    *values = memory_array((size_t)n, sizeof **values);
    TRY_ALLOCATED(*values);
    for (int i = 0; i < n; i++) {
        (*values)[i] = rows[i * N_COLUMNS + column];
    }
done:
    return status;
}

enum masing_status masing_measurement_read(const char *file,
                                           struct masing_measurement *measurement,
                                           struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double *rows = NULL;
    int *lines = NULL, n = 0;
    *measurement = (struct masing_measurement){0};
    TRY(table_csv_read(file, columns, N_COLUMNS, &rows, &lines, &n, error));
    measurement->name = memory_text(file);
    TRY_ALLOCATED(measurement->name);
    TRY(part(rows, n, DISPLACEMENT, &measurement->displacement, error));
    TRY(part(rows, n, FORCE, &measurement->force, error));
    if (n > 0 && !isnan(rows[TIME])) {
        TRY(part(rows, n, TIME, &measurement->time, error));
    }
    measurement->n_samples = n;
    TRY(check(measurement, lines, error));
done:
    free(rows);
    free(lines);
    return status;
}

void masing_measurement_clear(struct masing_measurement *measurement)
{
    free(measurement->name);
    free(measurement->displacement);
    free(measurement->force);
    free(measurement->time);
    *measurement = (struct masing_measurement){0};
}
