/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frequency and damping of a mode over its amplitude. */
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "io/named_csv.h"
#include "masing/modal_iwan.h"

enum { AMPLITUDE, FREQUENCY, DAMPING, MODE, N_WANTED };

static const char *const wanted[N_WANTED + 1] = {"amplitude", "frequency_hz", "damping_ratio",
                                                 "mode", NULL};

static enum masing_status find_columns(const char *file, const struct named_csv *table,
                                       int columns[N_WANTED], struct masing_error *error)
{
    for (int i = 0; i < N_WANTED; i++) {
        columns[i] = named_csv_find(table, wanted[i]);
        if (columns[i] < 0 && i != MODE) {
            return masing_error_set(error, MASING_INVALID,
                                    "%s:1:1: column '%s' is missing; expected amplitude, "
                                    "frequency_hz, damping_ratio, as masing mode and masing "
                                    "ringdown write them",
                                    file, wanted[i]);
        }
    }
    return MASING_OK;
}

enum masing_status masing_modal_points_read(const char *file, int mode,
                                            struct masing_modal_point **points, int *n_points,
                                            int *n_undamped, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct named_csv table;
    int columns[N_WANTED], n_before = *n_points, n_others = 0;
    TRY(named_csv_read(file, NULL, wanted, &table, error));
    TRY(find_columns(file, &table, columns, error));
    size_t n = (size_t)*n_points + (size_t)table.n_rows;
    struct masing_modal_point *more = realloc(*points, (n + 1) * sizeof *more);
    TRY_ALLOCATED(more);
    *points = more;
    for (int i = 0; i < table.n_rows; i++) {
        const double *row = table.values + (size_t)i * (size_t)table.n_columns;
        const struct masing_modal_point point = {
            row[columns[AMPLITUDE]], row[columns[FREQUENCY]], row[columns[DAMPING]]};
        if (columns[MODE] >= 0 && row[columns[MODE]] != mode) {
            continue;
        }
        if (!(point.amplitude > 0.0 && point.frequency_hz > 0.0)) {
            TRY(masing_error_set(error, MASING_INVALID,
                                 "%s:%d:1: amplitude %g and frequency %g Hz: expected numbers "
                                 "> 0",
                                 file, table.lines[i], point.amplitude, point.frequency_hz));
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
    named_csv_clear(&table);
    return status;
}
