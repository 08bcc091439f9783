/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frequency and damping of a mode over its amplitude. */
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "data/table_csv.h"
#include "masing/modal_iwan.h"

enum { AMPLITUDE, FREQUENCY, DAMPING, MODE, N_COLUMNS };

static const struct csv_column columns[N_COLUMNS] = {
    [AMPLITUDE] = {.name = "amplitude", .is_required = true},
    [FREQUENCY] = {.name = "frequency_hz", .is_required = true},
    [DAMPING] = {.name = "damping_ratio", .is_required = true},
    [MODE] = {.name = "mode", .fallback = NAN},
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
    TRY(csv_table_read(file, columns, N_COLUMNS, CSV_OTHERS_IGNORED, &table, error));
    size_t n = (size_t)*n_points + (size_t)table.n_rows;
    struct masing_modal_point *more = realloc(*points, (n + 1) * sizeof *more);
    TRY_ALLOCATED(more);
    *points = more;
    for (int i = 0; i < table.n_rows; i++) {
        const double *row = table.values + (size_t)i * (size_t)table.n_columns;
        const struct masing_modal_point point = {row[AMPLITUDE], row[FREQUENCY], row[DAMPING]};
        if (table.is_present[MODE] && row[MODE] != mode) {
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
