/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The picture of a value over a grid of x and y: colours, and contour lines at the ticks of
 * their scale; the lowest value is marked.
 */
#include "plot/map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "plot/panel.h"
#include "plot/picture.h"

#define SHEET_WIDTH 720.0
static const double sheet_height = 500;

/* Rectangles that the colours are drawn with at most, and of one cell in each direction. */
static const double MOST_RECTANGLES = 4000;
enum { FINEST = 12 };
/* A value that varies by more than this factor has a logarithmic scale. */
static const double LOGARITHMIC_RATIO = 8.0;

/* ---- rows ---- */

enum column { COLUMN_X, COLUMN_Y, COLUMN_VALUE, COLUMN_EVENT };

static void name_columns(const struct masing_plot_settings *settings,
                         const char *names[PICTURE_COLUMNS])
{
    names[COLUMN_X] = settings->x_column;
    names[COLUMN_Y] = settings->y_column;
    names[COLUMN_VALUE] = settings->value_column;
    names[COLUMN_EVENT] = settings->event_column;
}

/* Kinds of events that may lie between the lines of the grid. */
static const unsigned BETWEEN = MASING_EVENT_BIT(MASING_EVENT_CROSSING) |
                                MASING_EVENT_BIT(MASING_EVENT_FOLD) |
                                MASING_EVENT_BIT(MASING_EVENT_MINIMUM);

static enum masing_status add_row(void *content, const struct picture_row *row,
                                  struct masing_error *error)
{
    struct map *map = content;
    const struct map_row kept = {picture_number(row, COLUMN_X), picture_number(row, COLUMN_Y),
                                 picture_number(row, COLUMN_VALUE),
                                 picture_events(row, COLUMN_EVENT) & BETWEEN};
    if (isfinite(kept.x) && isfinite(kept.y) && isfinite(kept.value)) {
        NEED_ALLOCATED(memory_grow((void **)&map->rows, (size_t)map->n_rows + 1, &map->capacity,
                                   sizeof *map->rows));
        map->rows[map->n_rows++] = kept;
    }
    return MASING_OK;
}

/* ---- the grid ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The different values of one coordinate. */
static int collect(const struct map *map, bool is_x, double *values)
{
    int n = 0, kept = 0;
    for (int i = 0; i < map->n_rows; i++) {
        if (!map->rows[i].is_event) {
            values[n++] = is_x ? map->rows[i].x : map->rows[i].y;
        }
    }
    qsort(values, (size_t)n, sizeof *values, compare);
    for (int i = 0; i < n; i++) {
        if (i == 0 || values[i] != values[kept - 1]) {
            values[kept++] = values[i];
        }
    }
    return kept;
}

static int find_line(const double *values, int n, double value)
{
    const double *place = bsearch(&value, values, (size_t)n, sizeof *values, compare);
    return place ? (int)(place - values) : -1;
}

enum masing_status map_grid_create(const struct map *map, struct map_grid *grid,
                                   struct masing_error *error)
{
    size_t n_rows = (size_t)map->n_rows;
    *grid = (struct map_grid){.x = memory_array(n_rows, sizeof(double)),
                              .y = memory_array(n_rows, sizeof(double))};
    NEED_ALLOCATED(grid->x && grid->y);
    grid->n_x = collect(map, true, grid->x);
    grid->n_y = collect(map, false, grid->y);
    grid->values = memory_array((size_t)grid->n_x * (size_t)grid->n_y, sizeof(double));
    NEED_ALLOCATED(grid->values);
    for (int i = 0; i < grid->n_x * grid->n_y; i++) {
        grid->values[i] = NAN;
    }
    for (int i = 0; i < map->n_rows; i++) {
        int column = find_line(grid->x, grid->n_x, map->rows[i].x);
        int row = find_line(grid->y, grid->n_y, map->rows[i].y);
        if (column >= 0 && row >= 0) {
            grid->values[row * grid->n_x + column] = map->rows[i].value;
        }
    }
    return MASING_OK;
}

void map_grid_clear(struct map_grid *grid)
{
    free(grid->x);
    free(grid->y);
    free(grid->values);
    *grid = (struct map_grid){0};
}

/* ---- contour lines ---- */

struct corner {
    double x, y, value; /* place on the sheet */
};

/* Where the level lies on the edge between two corners. */
static bool cut(const struct corner *a, const struct corner *b, double level, double place[2])
{
    bool is_between = (a->value < level) != (b->value < level);
    if (is_between) {
        double part = (level - a->value) / (b->value - a->value);
        place[0] = a->x + part * (b->x - a->x);
        place[1] = a->y + part * (b->y - a->y);
    }
    return is_between;
}

/* A triangle has one piece or none, so that saddles need no decision. */
static void draw_triangle(const struct corner *corners[3], double level,
                          const struct canvas *canvas)
{
    double places[3][2];
    int n = 0;
    for (int i = 0; i < 3; i++) {
        n += cut(corners[i], corners[(i + 1) % 3], level, places[n]);
    }
    if (n == 2) {
        canvas->move(canvas->context, places[0][0], places[0][1]);
        canvas->line(canvas->context, places[1][0], places[1][1]);
    }
}

void map_contour(const struct map_grid *grid, const struct axis *x, const struct axis *y,
                 double level, const struct canvas *canvas)
{
    for (int j = 0; j + 1 < grid->n_y; j++) {
        for (int i = 0; i + 1 < grid->n_x; i++) {
            struct corner corners[5]; /* about the cell, then its middle */
            double sum[3] = {0.0, 0.0, 0.0};
            for (int c = 0; c < 4; c++) {
                int column = i + (c == 1 || c == 2), row = j + (c >= 2);
                corners[c] =
                    (struct corner){axis_place(x, grid->x[column]), axis_place(y, grid->y[row]),
                                    grid->values[row * grid->n_x + column]};
                sum[0] += corners[c].x;
                sum[1] += corners[c].y;
                sum[2] += corners[c].value;
            }
            corners[4] = (struct corner){0.25 * sum[0], 0.25 * sum[1], 0.25 * sum[2]};
            for (int c = 0; c < 4 && isfinite(sum[2]); c++) {
                const struct corner *three[3] = {&corners[c], &corners[(c + 1) % 4],
                                                 &corners[4]};
                draw_triangle(three, level, canvas);
            }
        }
    }
}

/* ---- the panel ---- */

struct view {
    struct panel panel;
    struct map_grid grid;
    struct axis scale; /* of the colours */
    double low, high;  /* of the values */
    int lowest;        /* index of it */
};

static void find_range(struct view *view)
{
    const struct map_grid *grid = &view->grid;
    view->low = INFINITY;
    view->high = -INFINITY;
    view->lowest = -1;
    for (int i = 0; i < grid->n_x * grid->n_y; i++) {
        double value = grid->values[i];
        if (value < view->low) {
            view->low = value;
            view->lowest = i;
        }
        view->high = value > view->high ? value : view->high;
    }
    if (view->lowest < 0) {
        view->low = 0.0;
        view->high = 1.0;
    }
}

/* The map and its scale end where their values do. */
static void fit_edges(struct axis *axis, double low, double high, bool is_log)
{
    axis_fit(axis, low, high, is_log && low > 0.0, true);
    if (high > low) {
        axis->low = low;
        axis->high = high;
    }
}

static void fit_line(struct axis *axis, const double *values, int n, bool is_log)
{
    fit_edges(axis, n > 0 ? values[0] : 0.1, n > 0 ? values[n - 1] : 1.0, is_log);
}

static void place_panel(struct view *view, const struct canvas *canvas,
                        const struct masing_plot_settings *settings)
{
    const double right = 118, top = 62, bottom = 54;
    const struct map_grid *grid = &view->grid;
    view->panel = (struct panel){
        .canvas = canvas, .x_label = settings->x_label, .y_label = settings->y_label};
    fit_line(&view->panel.x, grid->x, grid->n_x, settings->is_log_x);
    fit_line(&view->panel.y, grid->y, grid->n_y, settings->is_log_y);
    const double left = panel_left(&view->panel);
    const struct rectangle frame = {left, top, SHEET_WIDTH - left - right,
                                    sheet_height - top - bottom};
    panel_place(&view->panel, frame, left);
}

/* One cell in n x n pieces, the share linear between its corners. */
static void draw_cell(const struct view *view, int i, int j, int n)
{
    const struct map_grid *grid = &view->grid;
    const double *low = grid->values + j * grid->n_x + i, *high = low + grid->n_x;
    if (!isfinite(low[0] + low[1] + high[0] + high[1])) {
        return;
    }
    const struct axis *scale = &view->scale; /* from 0 at the lowest value to 1 */
    double share[4] = {axis_place(scale, low[0]), axis_place(scale, low[1]),
                       axis_place(scale, high[0]), axis_place(scale, high[1])};
    double x = axis_place(&view->panel.x, grid->x[i]);
    double y = axis_place(&view->panel.y, grid->y[j]);
    double width = (axis_place(&view->panel.x, grid->x[i + 1]) - x) / n;
    double height = (y - axis_place(&view->panel.y, grid->y[j + 1])) / n;
    const double overlap = 0.35; /* no seams between neighbours */
    for (int b = 0; b < n; b++) {
        for (int a = 0; a < n; a++) {
            double right = (a + 0.5) / n, up = (b + 0.5) / n;
            double here = (1.0 - up) * ((1.0 - right) * share[0] + right * share[1]) +
                          up * ((1.0 - right) * share[2] + right * share[3]);
            const struct rectangle piece = {x + a * width, y - (b + 1) * height,
                                            width + overlap, height + overlap};
            canvas_fill_rectangle(view->panel.canvas, &piece, canvas_shade(here));
        }
    }
}

static void draw_colours(const struct view *view)
{
    const struct map_grid *grid = &view->grid;
    double n_cells = (double)(grid->n_x - 1) * (grid->n_y - 1);
    int n = n_cells > 0.0 ? (int)sqrt(MOST_RECTANGLES / n_cells) : 1;
    n = n < 1 ? 1 : n > FINEST ? FINEST : n;
    view->panel.canvas->clip(view->panel.canvas->context, &view->panel.frame);
    for (int j = 0; j + 1 < grid->n_y; j++) {
        for (int i = 0; i + 1 < grid->n_x; i++) {
            draw_cell(view, i, j, n);
        }
    }
    view->panel.canvas->unclip(view->panel.canvas->context);
}

static void draw_contours(const struct view *view)
{
    const struct panel *panel = &view->panel;
    struct axis_tick ticks[AXIS_TICKS];
    int n = axis_ticks(&view->scale, ticks);
    for (int i = 0; i < n; i++) {
        double width = ticks[i].label[0] ? 1.1 : 0.5;
        map_contour(&view->grid, &panel->x, &panel->y, ticks[i].value, panel->canvas);
        panel->canvas->stroke(panel->canvas->context, panel_line_on_colour, width, 0);
    }
}

static void draw_scale(const struct view *view, const char *label)
{
    const struct panel *panel = &view->panel;
    char text[AXIS_LABEL];
    panel_draw_scale(panel, view->scale, panel->frame.height, true);
    axis_label(&view->scale, label ? label : "", text);
    panel_text(panel->canvas, SHEET_WIDTH - 12, panel->frame.y - 10, ANCHOR_END, false, text);
}

static void mark(const struct canvas *canvas, double x, double y)
{
    const double radius = 3.6, ring = 1.4;
    canvas_disc(canvas, x, y, radius + ring, canvas_ink);
    canvas_disc(canvas, x, y, radius, canvas_paper);
}

static void draw_lowest(const struct view *view)
{
    const struct map_grid *grid = &view->grid;
    const struct canvas *canvas = view->panel.canvas;
    const struct rectangle *frame = &view->panel.frame;
    char text[96];
    if (view->lowest < 0) {
        return;
    }
    double x = grid->x[view->lowest % grid->n_x], y = grid->y[view->lowest / grid->n_x];
    mark(canvas, axis_place(&view->panel.x, x), axis_place(&view->panel.y, y));
    mark(canvas, frame->x + 6, frame->y - 14);
    snprintf(text, sizeof text, "lowest: %.4g at %.4g and %.4g", view->low, x, y);
    panel_text(canvas, frame->x + 16, frame->y - 10, ANCHOR_START, false, text);
}

/* ---- the picture ---- */

static double lay_out(void *content, const struct masing_plot_settings *settings)
{
    (void)content, (void)settings;
    return sheet_height;
}

static enum masing_status draw(const void *content, const struct masing_plot_settings *settings,
                               const struct canvas *canvas, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct view view = {.low = 0};
    TRY(map_grid_create(content, &view.grid, error));
    find_range(&view);
    fit_edges(&view.scale, view.low, view.high, view.high > LOGARITHMIC_RATIO * view.low);
    axis_set_ends(&view.scale, 0.0, 1.0, 0.0);
    place_panel(&view, canvas, settings);
    panel_draw_axes(&view.panel);
    panel_title(canvas, SHEET_WIDTH / 2, settings->title);
    draw_colours(&view);
    draw_contours(&view);
    draw_scale(&view, settings->value_label);
    panel_draw_frame(&view.panel);
    draw_lowest(&view);
done:
    map_grid_clear(&view.grid);
    return status;
}

static void clear(void *content)
{
    struct map *map = content;
    free(map->rows);
}

const struct picture_kind map_picture = {
    .size = sizeof(struct map),
    .width = SHEET_WIDTH,
    .name_columns = name_columns,
    .n_required = 3,
    .requirement = "a map needs three columns",
    .row = add_row,
    .lay_out = lay_out,
    .draw = draw,
    .clear = clear,
};
