/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths of points from CSV files. */
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "io/table_csv.h"
#include "masing/loop.h"

enum { DISPLACEMENT, TIME, FORCE, N_COLUMNS };

static const struct table_column columns[N_COLUMNS] = {
    [DISPLACEMENT] = {"displacement", true, NAN},
    [TIME] = {"time", false, NAN},
    [FORCE] = {"force", false, NAN},
};

void masing_loop_points_clear(struct masing_loop_points *points)
{
    if (points) {
        free(points->displacement);
        free(points->time);
        *points = (struct masing_loop_points){0};
    }
}

static enum masing_status check(const char *file, const double *rows, const int *lines, int n,
                                struct masing_error *error)
{
    if (n < 2) {
        return masing_error_set(error, MASING_INVALID,
                                "%.400s:%d:1: %d points, expected at least 2", file,
                                n > 0 ? lines[0] : 1, n);
    }
    for (int i = 1; i < n; i++) {
        double before = rows[(i - 1) * N_COLUMNS + TIME], time = rows[i * N_COLUMNS + TIME];
        if (time <= before) {
            return masing_error_set(error, MASING_INVALID,
                                    "%.400s:%d:1: time %g does not come after %g, the one "
                                    "before, expected ascending times",
                                    file, lines[i], time, before);
        }
    }
    return MASING_OK;
}

enum masing_status masing_loop_points_read(const char *file, struct masing_loop_points *points,
                                           struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double *rows = NULL;
    int *lines = NULL, n = 0;
    *points = (struct masing_loop_points){0};
    TRY(table_csv_read(file, columns, N_COLUMNS, &rows, &lines, &n, error));
    TRY(check(file, rows, lines, n, error));
    points->displacement = memory_array((size_t)n, sizeof(double));
    TRY_ALLOCATED(points->displacement);
    bool has_time = !isnan(rows[TIME]);
    points->time = has_time ? memory_array((size_t)n, sizeof(double)) : NULL;
    TRY_ALLOCATED(points->time || !has_time);
    for (int i = 0; i < n; i++) {
        points->displacement[i] = rows[i * N_COLUMNS + DISPLACEMENT];
        if (has_time) {
            points->time[i] = rows[i * N_COLUMNS + TIME];
        }
    }
    points->n_points = n;
done:
    free(rows);
    free(lines);
    if (status != MASING_OK) {
        masing_loop_points_clear(points);
    }
    return status;
}
