/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measured frequency responses: amplitudes, with or without phases, at one level of the loads.
 */
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "data/table_csv.h"
#include "masing/identify.h"

enum { FREQUENCY, AMPLITUDE, PHASE, N_COLUMNS };

static const char *const frequencies[] = {"frequency", "f", NULL};
static const char *const phases[] = {"phase", NULL};

static const struct csv_column columns[N_COLUMNS] = {
    [FREQUENCY] = {.name = "frequency_hz",
                   .is_required = true,
                   .synonyms = frequencies,
                   .kind = LABORATORY_FREQUENCY},
    [AMPLITUDE] = {.name = "amplitude", .is_required = true, .kind = LABORATORY_MOTION},
    [PHASE] = {.name = "phase_deg",
               .fallback = NAN,
               .synonyms = phases,
               .kind = LABORATORY_ANGLE},
};

static enum masing_status check(const struct csv_table *table, struct masing_error *error)
{
    double largest = 0.0;
    for (int i = 0; i < table->n_rows; i++) {
        double frequency = csv_table_number(table, i, FREQUENCY);
        double amplitude = csv_table_number(table, i, AMPLITUDE);
        if (!(frequency > 0)) {
            return csv_table_fail(table, i, error, "a frequency is above zero, not %g Hz",
                                  frequency);
        }
        if (amplitude < 0) {
            return csv_table_fail(table, i, error, "an amplitude is not negative, as %g is",
                                  amplitude);
        }
        if (isnan(csv_table_number(table, i, PHASE)) !=
            isnan(csv_table_number(table, 0, PHASE))) {
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
    TRY(csv_table_read_measured(file, columns, N_COLUMNS, CSV_OTHERS_REFUSED, NULL, &table,
                                error));
    TRY(check(&table, error));
    int n = table.n_rows;
    TRY_ALLOCATED(response->name = memory_text(file));
    response->n_points = n;
    TRY(csv_table_copy(&table, 0, n, FREQUENCY, &response->frequency_hz, error));
    TRY(csv_table_copy(&table, 0, n, AMPLITUDE, &response->amplitude, error));
    if (!isnan(csv_table_number(&table, 0, PHASE))) {
        TRY(csv_table_copy(&table, 0, n, PHASE, &response->phase_deg, error));
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
