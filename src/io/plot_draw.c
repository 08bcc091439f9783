/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frame, grid, curves, marks of peaks, and a legend beside the frame, never over a curve. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "io/plot.h"

enum { MOST_LEGEND_ROWS = 18 };

static const struct colour ink = {0.13, 0.13, 0.13};
static const struct colour paper = {1, 1, 1};

static const double text_size = PLOT_TEXT_SIZE, title_size = 13, row_height = 18,
                    sample_width = 22;

struct layout {
    const struct plot *plot;
    const struct canvas *canvas;
    double width, top, bottom; /* of the panel */
    bool is_second;            /* the panel below another one */
    struct plot_axis x, y;
    struct rectangle frame;
    double legend_width; /* 0: none */
    bool has_colour_bar;
    int *ranks; /* [n_curves] by value, so that colours are ordered whatever the order given */
};

static double value_of(const struct layout *layout, const struct plot_point *point)
{
    return layout->is_second ? point->second : point->y;
}

/* Of two panels the lower one may be logarithmic. */
static bool has_log_y(const struct layout *layout)
{
    return layout->plot->is_log_y && (layout->is_second || !layout->plot->second_label);
}

static bool can_show(const struct layout *layout, const struct plot_point *point)
{
    double y = value_of(layout, point);
    return isfinite(point->x) && isfinite(y) && (!has_log_y(layout) || y > 0) &&
           (!layout->plot->is_log_x || point->x > 0);
}

static void fit_axes(struct layout *layout)
{
    const struct plot *plot = layout->plot;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < plot->n_curves; i++) {
        for (int j = 0; j < plot->curves[i].n_points; j++) {
            const struct plot_point *point = &plot->curves[i].points[j];
            if (can_show(layout, point)) {
                low[0] = fmin(low[0], point->x), high[0] = fmax(high[0], point->x);
                double y = value_of(layout, point);
                low[1] = fmin(low[1], y), high[1] = fmax(high[1], y);
            }
        }
    }
    if (!(low[0] <= high[0])) { /* nothing to show: an empty frame */
        low[0] = plot->is_log_x ? 0.1 : 0, high[0] = 1;
        low[1] = has_log_y(layout) ? 0.1 : 0, high[1] = 1;
    }
    bool are_curves = plot->kind == MASING_PLOT_CURVES;
    /* one of two panels shows how little it changes */
    bool is_cropped = plot->second_label && layout->is_second == plot->is_second_cropped;
    if (are_curves && !has_log_y(layout) && !is_cropped && low[1] > 0) {
        low[1] = 0;
    }
    plot_axis_fit(&layout->x, low[0], high[0], plot->is_log_x, are_curves);
    plot_axis_fit(&layout->y, low[1], high[1], has_log_y(layout), false);
}

static bool is_numeric(const struct plot *plot)
{
    for (int i = 0; i < plot->n_curves; i++) {
        if (isnan(plot->curves[i].value)) {
            return false;
        }
    }
    return plot->n_curves > 0;
}

static double legend_width(const struct layout *layout)
{
    const struct plot *plot = layout->plot;
    if (!plot->group_label || plot->n_curves == 0) {
        return 0;
    }
    double widest = 0;
    for (int i = 0; i < plot->n_curves; i++) {
        widest = fmax(widest, canvas_text_width(plot->curves[i].label, text_size));
    }
    widest += sample_width + 8;
    return fmin(fmax(widest, canvas_text_width(plot->group_label, text_size)), 220) + 14;
}

static double widest_label(const struct plot_axis *axis)
{
    struct plot_tick ticks[PLOT_TICKS];
    int n = plot_axis_ticks(axis, ticks);
    double widest = 0;
    for (int i = 0; i < n; i++) {
        widest = fmax(widest, canvas_text_width(ticks[i].label, text_size));
    }
    return widest;
}

static void lay_out(struct layout *layout)
{
    fit_axes(layout);
    layout->has_colour_bar =
        layout->plot->n_curves > MOST_LEGEND_ROWS && is_numeric(layout->plot);
    layout->legend_width = legend_width(layout);
}

/* Left of the frame. */
static double left_margin(const struct layout *layout)
{
    return 12 + text_size + 10 + widest_label(&layout->y) + 8;
}

/* Only one of two panels has the title, and only one the name of the common axis. */
static void place_frame(struct layout *layout, double left)
{
    double right = 22 + layout->legend_width;
    const char *title = layout->plot->title;
    bool has_title = title && *title && !layout->is_second;
    bool is_upper = layout->plot->second_label && !layout->is_second;
    double top = layout->top + (has_title ? 40 : 18);
    double height = layout->bottom - top - (is_upper ? 26 : 52);
    layout->frame = (struct rectangle){left, top, layout->width - left - right, height};
    layout->x.from = left;
    layout->x.to = left + layout->frame.width;
    layout->y.from = top + height;
    layout->y.to = top;
}

static void draw_axes(const struct layout *layout)
{
    const struct plot *plot = layout->plot;
    const struct rectangle *frame = &layout->frame;
    char label[PLOT_LABEL];
    plot_frame_x(layout->canvas, frame, &layout->x, true);
    plot_frame_y(layout->canvas, frame, &layout->y, true);
    const char *y_label = layout->is_second ? plot->second_label : plot->y_label;
    plot_axis_label(&layout->x, plot->x_label ? plot->x_label : "", label);
    if (layout->is_second || !plot->second_label) {
        plot_text(layout->canvas, frame->x + frame->width / 2, layout->bottom - 14,
                  ANCHOR_MIDDLE, false, label);
    }
    plot_axis_label(&layout->y, y_label ? y_label : "", label);
    plot_text(layout->canvas, 10 + text_size, frame->y + frame->height / 2, ANCHOR_MIDDLE, true,
              label);
    if (plot->title && *plot->title && !layout->is_second) {
        struct text_style style = {title_size, ANCHOR_MIDDLE, false, true, ink};
        layout->canvas->text(layout->canvas->context, frame->x + frame->width / 2, 24, &style,
                             plot->title);
    }
}

static int *curve_ranks(const struct plot *plot)
{
    int *ranks = memory_array((size_t)plot->n_curves, sizeof *ranks);
    for (int i = 0; ranks && i < plot->n_curves; i++) {
        double value = plot->curves[i].value;
        for (int j = 0; j < plot->n_curves; j++) {
            double other = plot->curves[j].value;
            bool comes_first =
                other == value || isnan(value) || isnan(other) ? j < i : other < value;
            ranks[i] += comes_first;
        }
    }
    return ranks;
}

static struct colour curve_colour(const struct layout *layout, int index)
{
    int n = layout->plot->n_curves;
    return plot_colour(n > 1 ? (double)layout->ranks[index] / (n - 1) : 0.3);
}

static struct colour paler(struct colour colour)
{
    const double share = 0.45;
    return (struct colour){1 - share * (1 - colour.red), 1 - share * (1 - colour.green),
                           1 - share * (1 - colour.blue)};
}

/* The line of one stroke of the pen; the point tells of which kind it is. */
static void stroke_curve(const struct layout *layout, const struct plot_point *point,
                         bool is_faint, struct colour colour)
{
    const struct canvas *canvas = layout->canvas;
    const double width = layout->plot->n_curves > 12 ? 1.1 : 1.6;
    if (layout->plot->kind == MASING_PLOT_LOOPS && !point->is_open) {
        canvas->close(canvas->context);
    }
    canvas->stroke(canvas->context, is_faint ? paler(colour) : colour,
                   is_faint ? 0.7 * width : width);
}

/* The faint or the other points of a curve. */
static void draw_curve(const struct layout *layout, const struct plot_curve *curve,
                       bool draws_faint, struct colour colour, double (*places)[2])
{
    bool are_loops = layout->plot->kind == MASING_PLOT_LOOPS;
    double corner = are_loops ? 0.25 : 2.5; /* loops have true corners */
    corner = layout->plot->is_coarse ? 0.0 : corner;
    int n = 0;
    for (int j = 0; j <= curve->n_points; j++) {
        const struct plot_point *point = j < curve->n_points ? &curve->points[j] : NULL;
        bool is_faint = point && point->is_faint;
        bool is_shown =
            point && can_show(layout, point) && !point->is_dot && is_faint == draws_faint;
        if (n > 0 && (!is_shown || point->is_start)) {
            plot_line_draw(layout->canvas, (const double(*)[2])places, n, corner);
            stroke_curve(layout, &curve->points[j - 1], draws_faint, colour);
            n = 0;
        }
        if (is_shown) {
            places[n][0] = plot_axis_place(&layout->x, point->x);
            places[n][1] = plot_axis_place(&layout->y, value_of(layout, point));
            n++;
        }
    }
}

static void draw_dots(const struct layout *layout, const struct plot_curve *curve,
                      struct colour colour)
{
    const struct canvas *canvas = layout->canvas;
    const double radius = curve->n_points > 300 ? 1.5 : 2.2;
    for (int j = 0; j < curve->n_points; j++) {
        const struct plot_point *point = &curve->points[j];
        if (point->is_dot && can_show(layout, point)) {
            canvas_circle(canvas, plot_axis_place(&layout->x, point->x),
                          plot_axis_place(&layout->y, value_of(layout, point)), radius);
            canvas->fill(canvas->context, colour);
        }
    }
}

static void draw_peaks(const struct layout *layout, const struct plot_curve *curve,
                       struct colour colour)
{
    const struct canvas *canvas = layout->canvas;
    const double radius = layout->plot->n_curves > 12 ? 2.2 : 3.2;
    for (int j = 0; j < curve->n_points; j++) {
        const struct plot_point *point = &curve->points[j];
        if (point->is_peak && can_show(layout, point)) {
            double x = plot_axis_place(&layout->x, point->x);
            double y = plot_axis_place(&layout->y, value_of(layout, point));
            canvas_circle(canvas, x, y, radius + 1);
            canvas->fill(canvas->context, paper);
            canvas_circle(canvas, x, y, radius);
            canvas->fill(canvas->context, colour);
        }
    }
}

static enum masing_status draw_curves(const struct layout *layout, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct plot *plot = layout->plot;
    const struct canvas *canvas = layout->canvas;
    int most = 1;
    for (int i = 0; i < plot->n_curves; i++) {
        most = plot->curves[i].n_points > most ? plot->curves[i].n_points : most;
    }
    double(*places)[2] = memory_array((size_t)most, sizeof *places);
    TRY_ALLOCATED(places);
    canvas->clip(canvas->context, &layout->frame);
    for (int i = 0; i < plot->n_curves; i++) {
        draw_dots(layout, &plot->curves[i], curve_colour(layout, i));
    }
    for (int i = 0; i < 2 * plot->n_curves; i++) {
        int index = i % plot->n_curves;
        draw_curve(layout, &plot->curves[index], i < plot->n_curves,
                   curve_colour(layout, index), places);
    }
    canvas->unclip(canvas->context);
    for (int i = 0; i < plot->n_curves; i++) {
        draw_peaks(layout, &plot->curves[i], curve_colour(layout, i));
    }
done:
    free(places);
    return status;
}

static void draw_legend_rows(const struct layout *layout, double x, double y)
{
    const struct plot *plot = layout->plot;
    const struct canvas *canvas = layout->canvas;
    int n = plot->n_curves;
    int shown = n > MOST_LEGEND_ROWS ? MOST_LEGEND_ROWS - 1 : n;
    for (int i = 0; i < shown; i++, y += row_height) {
        const struct plot_curve *curve = &plot->curves[i];
        if (curve->n_points > 0 && curve->points[0].is_dot) {
            canvas_circle(canvas, x + sample_width / 2, y - 4, 2.5);
            canvas->fill(canvas->context, curve_colour(layout, i));
        } else {
            canvas_segment(canvas, x, y - 4, x + sample_width, y - 4);
            canvas->stroke(canvas->context, curve_colour(layout, i), 2.2);
        }
        plot_text(layout->canvas, x + sample_width + 8, y, ANCHOR_START, false,
                  plot->curves[i].label);
    }
    if (shown < n) {
        char text[PLOT_TICK_LABEL];
        snprintf(text, sizeof text, "and %d more", n - shown);
        plot_text(layout->canvas, x, y, ANCHOR_START, false, text);
    }
}

/* Many numeric groups: their colours from the lowest to the highest value, some labelled. */
static void draw_colour_bar(const struct layout *layout, double x, double y)
{
    const struct plot *plot = layout->plot;
    const struct canvas *canvas = layout->canvas;
    double height = layout->frame.y + layout->frame.height - y;
    int n = plot->n_curves, labels = 8;
    double cell = height / n;
    for (int i = 0; i < n; i++) {
        int rank = layout->ranks[i];
        double bottom = y + height - rank * cell;
        struct rectangle area = {x, bottom - cell - 0.3, sample_width, cell + 0.3};
        canvas_rectangle(canvas, &area);
        canvas->fill(canvas->context, curve_colour(layout, i));
        bool is_next = rank * labels / (n - 1) != (rank - 1) * labels / (n - 1);
        if (is_next || rank == 0) {
            plot_text(layout->canvas, x + sample_width + 8,
                      bottom - cell / 2 + 0.36 * text_size, ANCHOR_START, false,
                      plot->curves[i].label);
        }
    }
}

static void draw_legend(const struct layout *layout)
{
    if (!(layout->legend_width > 0)) {
        return;
    }
    double x = layout->frame.x + layout->frame.width + 16, y = layout->frame.y + 10;
    plot_text(layout->canvas, x, y, ANCHOR_START, false, layout->plot->group_label);
    if (layout->has_colour_bar) {
        draw_colour_bar(layout, x, y + 12);
    } else {
        draw_legend_rows(layout, x, y + row_height + 2);
    }
}

static enum masing_status draw_panel(const struct layout *layout, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    plot_band_draw(layout->plot, layout->canvas, &layout->frame, &layout->x);
    draw_axes(layout);
    if (!layout->is_second) {
        plot_band_label(layout->plot, layout->canvas, &layout->frame, &layout->x);
    }
    TRY(draw_curves(layout, error));
    canvas_rectangle(layout->canvas, &layout->frame);
    layout->canvas->stroke(layout->canvas->context, ink, 0.9);
done:
    return status;
}

enum masing_status plot_draw(const struct plot *plot, const struct canvas *canvas, double width,
                             double height, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct layout panels[2];
    int n_panels = plot->second_label ? 2 : 1;
    double left = 0, panel_height = height / n_panels;
    int *ranks = curve_ranks(plot);
    TRY_ALLOCATED(ranks);
    for (int i = 0; i < n_panels; i++) {
        panels[i] = (struct layout){.plot = plot,
                                    .canvas = canvas,
                                    .width = width,
                                    .top = i * panel_height,
                                    .bottom = (i + 1) * panel_height,
                                    .is_second = i == 1,
                                    .ranks = ranks};
        lay_out(&panels[i]);
        left = fmax(left, left_margin(&panels[i]));
    }
    for (int i = 0; i < n_panels; i++) {
        place_frame(&panels[i], left);
        TRY(draw_panel(&panels[i], error));
    }
    draw_legend(&panels[0]);
done:
    free(ranks);
    return status;
}
