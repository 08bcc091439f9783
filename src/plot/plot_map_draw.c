/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Colours and contour lines at the ticks of the colour bar; the lowest value is marked. */
#include <math.h>
#include <stdio.h>

#include "base/check.h"
#include "plot/plot_map.h"

static const struct colour ink = {0.13, 0.13, 0.13};
static const struct colour paper = {1, 1, 1};
static const struct colour contour = {0.98, 0.98, 0.98};

/* Rectangles that the colours are drawn with at most, and of one cell in each direction. */
static const double MOST_RECTANGLES = 4000;
enum { FINEST = 12 };
/* A value that varies by more than this factor has a logarithmic scale. */
static const double WIDE = 8.0;

struct picture {
    const struct plot_map *map;
    const struct canvas *canvas;
    struct plot_map_grid grid;
    struct rectangle frame, bar;
    struct plot_axis x, y, value; /* value along the bar */
    double low, high;             /* of the values */
    int lowest;                   /* index of it */
};

static void find_range(struct picture *picture)
{
    const struct plot_map_grid *grid = &picture->grid;
    picture->low = INFINITY;
    picture->high = -INFINITY;
    picture->lowest = -1;
    for (int i = 0; i < grid->n_x * grid->n_y; i++) {
        double value = grid->values[i];
        if (value < picture->low) {
            picture->low = value;
            picture->lowest = i;
        }
        picture->high = value > picture->high ? value : picture->high;
    }
    if (picture->lowest < 0) {
        picture->low = 0.0;
        picture->high = 1.0;
    }
}

static void fit_edges(struct plot_axis *axis, const double *values, int n, bool is_log)
{
    double low = n > 0 ? values[0] : 0.1, high = n > 0 ? values[n - 1] : 1.0;
    plot_axis_fit(axis, low, high, is_log && low > 0.0, true);
    if (high > low) { /* the map ends where its values do */
        axis->low = low;
        axis->high = high;
    }
}

static void lay_out(struct picture *picture, double width, double height)
{
    const struct plot_map_grid *grid = &picture->grid;
    find_range(picture);
    fit_edges(&picture->x, grid->x, grid->n_x, picture->map->is_log_x);
    fit_edges(&picture->y, grid->y, grid->n_y, picture->map->is_log_y);
    bool is_log = picture->low > 0.0 && picture->high > WIDE * picture->low;
    plot_axis_fit(&picture->value, picture->low, picture->high, is_log, true);
    if (picture->high > picture->low) {
        picture->value.low = picture->low;
        picture->value.high = picture->high;
    }
    const double left = 84, right = 118, top = 62, bottom = 54, gap = 18, bar = 20;
    picture->frame = (struct rectangle){left, top, width - left - right, height - top - bottom};
    picture->bar = (struct rectangle){width - right + gap, top, bar, height - top - bottom};
    picture->x.from = left;
    picture->x.to = left + picture->frame.width;
    picture->y.from = picture->value.from = top + picture->frame.height;
    picture->y.to = picture->value.to = top;
}

/* 0 at the lowest value, 1 at the highest. */
static double share_of(const struct picture *picture, double value)
{
    double place = plot_axis_place(&picture->value, value);
    return (place - picture->value.from) / (picture->value.to - picture->value.from);
}

static void fill(const struct picture *picture, double x, double y, double width, double height,
                 struct colour colour)
{
    const double overlap = 0.35; /* no seams between neighbours */
    const struct rectangle area = {x, y, width + overlap, height + overlap};
    canvas_rectangle(picture->canvas, &area);
    picture->canvas->fill(picture->canvas->context, colour);
}

/* One cell in n x n pieces, the share linear between its corners. */
static void draw_cell(const struct picture *picture, int i, int j, int n)
{
    const struct plot_map_grid *grid = &picture->grid;
    const double *low = grid->values + j * grid->n_x + i, *high = low + grid->n_x;
    if (!isfinite(low[0] + low[1] + high[0] + high[1])) {
        return;
    }
    double share[4] = {share_of(picture, low[0]), share_of(picture, low[1]),
                       share_of(picture, high[0]), share_of(picture, high[1])};
    double x = plot_axis_place(&picture->x, grid->x[i]);
    double y = plot_axis_place(&picture->y, grid->y[j]);
    double width = (plot_axis_place(&picture->x, grid->x[i + 1]) - x) / n;
    double height = (y - plot_axis_place(&picture->y, grid->y[j + 1])) / n;
    for (int b = 0; b < n; b++) {
        for (int a = 0; a < n; a++) {
            double right = (a + 0.5) / n, up = (b + 0.5) / n;
            double here = (1.0 - up) * ((1.0 - right) * share[0] + right * share[1]) +
                          up * ((1.0 - right) * share[2] + right * share[3]);
            fill(picture, x + a * width, y - (b + 1) * height, width, height,
                 plot_colour(here));
        }
    }
}

static void draw_colours(const struct picture *picture)
{
    const struct plot_map_grid *grid = &picture->grid;
    double n_cells = (double)(grid->n_x - 1) * (grid->n_y - 1);
    int n = n_cells > 0.0 ? (int)sqrt(MOST_RECTANGLES / n_cells) : 1;
    n = n < 1 ? 1 : n > FINEST ? FINEST : n;
    picture->canvas->clip(picture->canvas->context, &picture->frame);
    for (int j = 0; j + 1 < grid->n_y; j++) {
        for (int i = 0; i + 1 < grid->n_x; i++) {
            draw_cell(picture, i, j, n);
        }
    }
    picture->canvas->unclip(picture->canvas->context);
}

static void draw_contours(const struct picture *picture)
{
    const struct canvas *canvas = picture->canvas;
    struct plot_tick ticks[PLOT_TICKS];
    int n = plot_axis_ticks(&picture->value, ticks);
    for (int i = 0; i < n; i++) {
        double width = ticks[i].label[0] ? 1.1 : 0.5;
        plot_contour_draw(&picture->grid, &picture->x, &picture->y, ticks[i].value, canvas);
        canvas->stroke(canvas->context, contour, width);
    }
}

static void draw_bar(const struct picture *picture)
{
    enum { STEPS = 64 };
    const struct canvas *canvas = picture->canvas;
    const struct rectangle *bar = &picture->bar;
    struct plot_tick ticks[PLOT_TICKS];
    double step = bar->height / STEPS;
    for (int i = 0; i < STEPS; i++) {
        fill(picture, bar->x, bar->y + bar->height - (i + 1) * step, bar->width, step,
             plot_colour((i + 0.5) / STEPS));
    }
    int n = plot_axis_ticks(&picture->value, ticks);
    for (int i = 0; i < n; i++) {
        double y = plot_axis_place(&picture->value, ticks[i].value);
        canvas_segment(canvas, bar->x, y, bar->x + bar->width, y);
        canvas->stroke(canvas->context, contour, ticks[i].label[0] ? 1.1 : 0.5);
        plot_text(canvas, bar->x + bar->width + 6, y + 0.36 * PLOT_TEXT_SIZE, ANCHOR_START,
                  false, ticks[i].label);
    }
    canvas_rectangle(canvas, bar);
    canvas->stroke(canvas->context, ink, 0.9);
}

static void draw_labels(const struct picture *picture, double width, double height)
{
    const struct canvas *canvas = picture->canvas;
    const struct plot_map *map = picture->map;
    const struct rectangle *frame = &picture->frame;
    char label[PLOT_LABEL];
    plot_frame_x(canvas, frame, &picture->x, false);
    plot_frame_y(canvas, frame, &picture->y, false);
    plot_axis_label(&picture->x, map->x_label ? map->x_label : "", label);
    plot_text(canvas, frame->x + frame->width / 2, height - 14, ANCHOR_MIDDLE, false, label);
    plot_axis_label(&picture->y, map->y_label ? map->y_label : "", label);
    plot_text(canvas, 10 + PLOT_TEXT_SIZE, frame->y + frame->height / 2, ANCHOR_MIDDLE, true,
              label);
    plot_axis_label(&picture->value, map->value_label ? map->value_label : "", label);
    plot_text(canvas, width - 12, frame->y - 10, ANCHOR_END, false, label);
    if (map->title && *map->title) {
        struct text_style style = {13, ANCHOR_MIDDLE, false, true, ink};
        canvas->text(canvas->context, width / 2, 24, &style, map->title);
    }
    canvas_rectangle(canvas, frame);
    canvas->stroke(canvas->context, ink, 0.9);
}

static void draw_lowest(const struct picture *picture)
{
    const struct plot_map_grid *grid = &picture->grid;
    const struct canvas *canvas = picture->canvas;
    char text[96];
    if (picture->lowest < 0) {
        return;
    }
    double at_x = grid->x[picture->lowest % grid->n_x];
    double at_y = grid->y[picture->lowest / grid->n_x];
    double x = plot_axis_place(&picture->x, at_x), y = plot_axis_place(&picture->y, at_y);
    canvas_circle(canvas, x, y, 5);
    canvas->fill(canvas->context, ink);
    canvas_circle(canvas, x, y, 3.6);
    canvas->fill(canvas->context, paper);
    canvas_circle(canvas, picture->frame.x + 6, picture->frame.y - 14, 5);
    canvas->fill(canvas->context, ink);
    canvas_circle(canvas, picture->frame.x + 6, picture->frame.y - 14, 3.6);
    canvas->fill(canvas->context, paper);
    snprintf(text, sizeof text, "lowest: %.4g at %.4g and %.4g", picture->low, at_x, at_y);
    plot_text(canvas, picture->frame.x + 16, picture->frame.y - 10, ANCHOR_START, false, text);
}

enum masing_status plot_map_draw(const struct plot_map *map, const struct canvas *canvas,
                                 double width, double height, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct picture picture = {.map = map, .canvas = canvas};
    TRY(plot_map_grid_create(map, &picture.grid, error));
    lay_out(&picture, width, height);
    draw_colours(&picture);
    draw_contours(&picture);
    draw_bar(&picture);
    draw_labels(&picture, width, height);
    draw_lowest(&picture);
done:
    plot_map_grid_clear(&picture.grid);
    return status;
}
