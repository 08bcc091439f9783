/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measured frequency responses: amplitudes, with or without phases, at one level of the loads.
 */
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "io/table_csv.h"
#include "masing/identify.h"

enum { FREQUENCY, AMPLITUDE, PHASE, N_COLUMNS };

static const struct table_column columns[N_COLUMNS] = {
    [FREQUENCY] = {"frequency_hz", true, 0.0},
    [AMPLITUDE] = {"amplitude", true, 0.0},
    [PHASE] = {"phase_deg", false, NAN},
};

static enum masing_status check(const char *file, const double *rows, const int *lines, int n,
                                struct masing_error *error)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        const double *row = rows + (size_t)i * N_COLUMNS;
        if (!(row[FREQUENCY] > 0)) {
            return masing_error_set(error, MASING_INVALID,
                                    "%s:%d:1: a frequency is above zero, not %g Hz", file,
                                    lines[i], row[FREQUENCY]);
        }
        if (row[AMPLITUDE] < 0) {
            return masing_error_set(error, MASING_INVALID,
                                    "%s:%d:1: an amplitude is not negative, as %g is", file,
                                    lines[i], row[AMPLITUDE]);
        }
        if (isnan(row[PHASE]) != isnan(rows[PHASE])) {
            return masing_error_set(error, MASING_INVALID,
                                    "%s:%d:1: phases stand in every row or in none", file,
                                    lines[i]);
        }
        largest = fmax(largest, row[AMPLITUDE]);
    }
    if (n < 2 || !(largest > 0)) {
        return masing_error_set(error, MASING_INVALID,
                                "%s:1:1: a response has at least 2 rows and an amplitude above "
                                "zero",
                                file);
    }
    return MASING_OK;
}

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

enum masing_status masing_measured_response_read(const char *file, double load_factor,
                                                 struct masing_measured_response *response,
                                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double *rows = NULL;
    int *lines = NULL, n = 0;
    *response = (struct masing_measured_response){.load_factor = load_factor};
    TRY(table_csv_read(file, columns, N_COLUMNS, &rows, &lines, &n, error));
    TRY(check(file, rows, lines, n, error));
    response->name = memory_text(file);
    TRY_ALLOCATED(response->name);
    response->n_points = n;
    TRY(part(rows, n, FREQUENCY, &response->frequency_hz, error));
    TRY(part(rows, n, AMPLITUDE, &response->amplitude, error));
    TRY(isnan(rows[PHASE]) ? MASING_OK : part(rows, n, PHASE, &response->phase_deg, error));
done:
    free(rows);
    free(lines);
    return status;
}

void masing_measured_response_clear(struct masing_measured_response *response)
{
    free(response->name);
    free(response->frequency_hz);
    free(response->amplitude);
    free(response->phase_deg);
    *response = (struct masing_measured_response){0};
}
