/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths of points from CSV files. */
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/entry.h"
#include "data/table_csv.h"
#include "masing/loop.h"

enum { DISPLACEMENT, TIME, FORCE, N_COLUMNS };

static const struct csv_column columns[N_COLUMNS] = {
    [DISPLACEMENT] = {.name = "displacement", .is_required = true},
    [TIME] = {.name = "time", .fallback = NAN},
    [FORCE] = {.name = "force", .fallback = NAN},
};

void masing_loop_points_clear(struct masing_loop_points *points)
{
    if (points) {
        free(points->displacement);
        free(points->time);
        *points = (struct masing_loop_points){0};
    }
}

static enum masing_status check(const char *file, const struct csv_table *table,
                                struct masing_error *error)
{
    int n = table->n_rows;
    if (n < 2) {
        return masing_error_set(error, MASING_INVALID,
                                "%.400s:%d:1: %d points, expected at least 2", file,
                                n > 0 ? table->lines[0] : 1, n);
    }
    for (int i = 1; i < n; i++) {
        double before = csv_table_number(table, i - 1, TIME);
        double time = csv_table_number(table, i, TIME);
        if (time <= before) {
            return masing_error_set(error, MASING_INVALID,
                                    "%.400s:%d:1: time %g does not come after %g, the one "
                                    "before, expected ascending times",
                                    file, table->lines[i], time, before);
        }
    }
    return MASING_OK;
}

enum masing_status masing_loop_points_read(const char *file, struct masing_loop_points *points,
                                           struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct csv_table table = {0};
    struct masing_error own;
    error = entry_begin(error, &own);
    TRY(entry_need(points, "points", error));
    *points = (struct masing_loop_points){0};
    TRY(entry_need(file, "file", error));
    TRY(csv_table_read(file, columns, N_COLUMNS, CSV_OTHERS_REFUSED, &table, error));
    TRY(check(file, &table, error));
    int n = table.n_rows;
    TRY(csv_table_copy(&table, 0, n, DISPLACEMENT, &points->displacement, error));
    if (!isnan(csv_table_number(&table, 0, TIME))) {
        TRY(csv_table_copy(&table, 0, n, TIME, &points->time, error));
    }
    points->n_points = n;
done:
    csv_table_clear(&table);
    if (status != MASING_OK) {
        masing_loop_points_clear(points);
    }
    return status;
}
