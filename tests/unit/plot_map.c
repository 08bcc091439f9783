/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows as a grid, contour lines through it, and pictures of what is hardly a grid. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "masing/table.h"
#include "plot/map.h"
#include "scratch.h"
#include "tap.h"

static void events_make_no_lines(void)
{
    struct map_row rows[] = {
        {2, 10, 4, false}, {1, 10, 3, false}, {1.5, 10, 2, true},
        {1, 20, 5, false}, {2, 20, 6, true}, /* an event on the grid */
    };
    const struct map map = {.n_rows = 5, .rows = rows};
    struct map_grid grid;
    struct masing_error error = {0};
    CHECK(map_grid_create(&map, &grid, &error) == MASING_OK);
    CHECK(grid.n_x == 2 && grid.n_y == 2);
    CHECK(grid.x[0] == 1 && grid.x[1] == 2 && grid.y[0] == 10 && grid.y[1] == 20);
    CHECK(grid.values[0] == 3 && grid.values[1] == 4 && grid.values[2] == 5 &&
          grid.values[3] == 6);
    map_grid_clear(&grid);
}

/* --- a pen that measures --- */

struct pen {
    double x, y, length, off;
};

static void move(void *context, double x, double y)
{
    struct pen *pen = context;
    pen->x = x;
    pen->y = y;
}

static void line(void *context, double x, double y)
{
    struct pen *pen = context;
    pen->length += hypot(x - pen->x, y - pen->y);
    pen->off = fmax(pen->off, fmax(fabs(x + y - 1.0), fabs(pen->x + pen->y - 1.0)));
    move(context, x, y);
}

/* The level 1 of x + y on the unit square is its diagonal, whatever the grid. */
static void contour_of_a_plane(void)
{
    enum { N = 5 };
    double at[N], values[N * N];
    for (int i = 0; i < N; i++) {
        at[i] = i / (N - 1.0);
    }
    for (int i = 0; i < N * N; i++) {
        values[i] = at[i % N] + at[i / N];
    }
    const struct map_grid grid = {N, N, at, at, values};
    const struct axis axis = {.low = 0, .high = 1, .from = 0, .to = 1};
    struct pen pen = {0};
    const struct canvas canvas = {.context = &pen, .move = move, .line = line};
    map_contour(&grid, &axis, &axis, 1.0 + 1e-9, &canvas);
    CHECK_RELATIVE(pen.length, sqrt(2.0), 1e-6);
    CHECK(pen.off < 1e-8);
    pen.length = 0.0;
    values[12] = NAN; /* in the middle: four cells are not known */
    map_contour(&grid, &axis, &axis, 1.0 + 1e-9, &canvas);
    CHECK_RELATIVE(pen.length, 0.5 * sqrt(2.0), 1e-6);
}

static void draw(int n_rows, const double (*rows)[3], bool is_log)
{
    static const struct masing_column columns[] = {
        {"a", MASING_COLUMN_REAL}, {"b", MASING_COLUMN_REAL}, {"v", MASING_COLUMN_REAL}};
    const struct masing_plot_settings settings = {.kind = MASING_PLOT_MAP,
                                                  .x_column = "a",
                                                  .y_column = "b",
                                                  .value_column = "v",
                                                  .is_log_x = is_log,
                                                  .is_log_y = is_log};
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 16];
    struct masing_sink sink;
    struct masing_error error = {0};
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/x.svg", folder);
    if (CHECK(masing_plot_create(file, &settings, &sink, &error) == MASING_OK)) {
        CHECK(sink.open(sink.context, columns, 3, &error) == MASING_OK);
        for (int r = 0; r < n_rows; r++) {
            const struct masing_cell cells[] = {
                {.number = rows[r][0]}, {.number = rows[r][1]}, {.number = rows[r][2]}};
            CHECK(sink.row(sink.context, cells, &error) == MASING_OK);
        }
        CHECK(sink.finish(sink.context, &error) == MASING_OK);
        sink.destroy(sink.context);
    }
    remove(file);
    rmdir(folder);
}

static void hardly_a_grid(void)
{
    static const double one[][3] = {{1, 1, 1}};
    static const double same[][3] = {{1, 1, 2}, {2, 1, 2}, {1, 2, 2}, {2, 2, 2}};
    static const double signs[][3] = {{-1, 1, -2}, {2, 1, 0}, {-1, 2, NAN}, {2, 2, 1e300}};
    draw(0, NULL, false);
    for (int is_log = 0; is_log < 2; is_log++) {
        draw(1, one, is_log);
        draw(4, same, is_log);
        draw(4, signs, is_log);
    }
}

static const struct tap_test tests[] = {
    {"events make no lines of the grid", events_make_no_lines},
    {"the contour of a plane", contour_of_a_plane},
    {"pictures of what is hardly a grid", hardly_a_grid},
};

TAP_MAIN(tests)
