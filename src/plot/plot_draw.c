/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frame and axes of each panel, and a legend beside the frame, never over a curve. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "plot/plot_layout.h"

enum { MOST_LEGEND_ROWS = 18 };

static const struct colour ink = {0.13, 0.13, 0.13};

static const double text_size = PLOT_TEXT_SIZE, title_size = 13, row_height = 18,
                    sample_width = 22;

double plot_value_of(const struct plot_layout *layout, const struct plot_point *point)
{
    return layout->is_second ? point->second : point->y;
}

/* Of two panels the lower one may be logarithmic. */
static bool has_log_y(const struct plot_layout *layout)
{
    return layout->plot->is_log_y && (layout->is_second || !layout->plot->second_label);
}

bool plot_can_show(const struct plot_layout *layout, const struct plot_point *point)
{
    double y = plot_value_of(layout, point);
    return isfinite(point->x) && isfinite(y) && (!has_log_y(layout) || y > 0) &&
           (!layout->plot->is_log_x || point->x > 0);
}

static void fit_axes(struct plot_layout *layout)
{
    const struct plot *plot = layout->plot;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < plot->n_curves; i++) {
        for (int j = 0; j < plot->curves[i].n_points; j++) {
            const struct plot_point *point = &plot->curves[i].points[j];
            if (plot_can_show(layout, point)) {
                low[0] = fmin(low[0], point->x), high[0] = fmax(high[0], point->x);
                double y = plot_value_of(layout, point);
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

static double legend_width(const struct plot_layout *layout)
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

static void lay_out(struct plot_layout *layout)
{
    fit_axes(layout);
    layout->has_colour_bar =
        layout->plot->n_curves > MOST_LEGEND_ROWS && is_numeric(layout->plot);
    layout->legend_width = legend_width(layout);
}

/* Left of the frame. */
static double left_margin(const struct plot_layout *layout)
{
    return 12 + text_size + 10 + widest_label(&layout->y) + 8;
}

/* Only one of two panels has the title, and only one the name of the common axis. */
static void place_frame(struct plot_layout *layout, double left)
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

static void draw_axes(const struct plot_layout *layout)
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

struct colour plot_curve_colour(const struct plot_layout *layout, int index)
{
    int n = layout->plot->n_curves;
    return plot_colour(n > 1 ? (double)layout->ranks[index] / (n - 1) : 0.3);
}

static void draw_legend_rows(const struct plot_layout *layout, double x, double y)
{
    const struct plot *plot = layout->plot;
    const struct canvas *canvas = layout->canvas;
    int n = plot->n_curves;
    int shown = n > MOST_LEGEND_ROWS ? MOST_LEGEND_ROWS - 1 : n;
    for (int i = 0; i < shown; i++, y += row_height) {
        const struct plot_curve *curve = &plot->curves[i];
        if (curve->n_points > 0 && curve->points[0].is_dot) {
            canvas_circle(canvas, x + sample_width / 2, y - 4, 2.5);
            canvas->fill(canvas->context, plot_curve_colour(layout, i));
        } else {
            canvas_segment(canvas, x, y - 4, x + sample_width, y - 4);
            canvas->stroke(canvas->context, plot_curve_colour(layout, i), 2.2);
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
static void draw_colour_bar(const struct plot_layout *layout, double x, double y)
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
        canvas->fill(canvas->context, plot_curve_colour(layout, i));
        bool is_next = rank * labels / (n - 1) != (rank - 1) * labels / (n - 1);
        if (is_next || rank == 0) {
            plot_text(layout->canvas, x + sample_width + 8,
                      bottom - cell / 2 + 0.36 * text_size, ANCHOR_START, false,
                      plot->curves[i].label);
        }
    }
}

/* Above the frame, at its right end: what dashes mean, where there are any. */
static void draw_meaning(const struct plot_layout *layout)
{
    static const char meaning[] = "unstable";
    const double width = 1.6;
    const struct canvas *canvas = layout->canvas;
    const struct rectangle *frame = &layout->frame;
    double right = frame->x + frame->width, y = frame->y - 6;
    double left = right - canvas_text_width(meaning, text_size) - 6;
    canvas_segment(canvas, left - sample_width, y - 4, left, y - 4);
    plot_dash(canvas, width);
    canvas->stroke(canvas->context, ink, width);
    canvas->dash(canvas->context, 0, 0);
    plot_text(canvas, right, y, ANCHOR_END, false, meaning);
}

static void draw_legend(const struct plot_layout *layout)
{
    if (layout->plot->has_unstable) {
        draw_meaning(layout);
    }
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

static enum masing_status draw_panel(const struct plot_layout *layout,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    plot_band_draw(layout->plot, layout->canvas, &layout->frame, &layout->x);
    draw_axes(layout);
    if (!layout->is_second) {
        plot_band_label(layout->plot, layout->canvas, &layout->frame, &layout->x);
    }
    TRY(plot_curves_draw(layout, error));
    canvas_rectangle(layout->canvas, &layout->frame);
    layout->canvas->stroke(layout->canvas->context, ink, 0.9);
done:
    return status;
}

enum masing_status plot_draw(const struct plot *plot, const struct canvas *canvas, double width,
                             double height, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct plot_layout panels[2];
    int n_panels = plot->second_label ? 2 : 1;
    double left = 0, panel_height = height / n_panels;
    int *ranks = curve_ranks(plot);
    TRY_ALLOCATED(ranks);
    for (int i = 0; i < n_panels; i++) {
        panels[i] = (struct plot_layout){.plot = plot,
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
