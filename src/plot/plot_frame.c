/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts and ticks about a frame. */
#include "plot/plot.h"

static const struct colour ink = {0.13, 0.13, 0.13};
static const struct colour grid = {0.89, 0.89, 0.89};

void plot_text(const struct canvas *canvas, double x, double y, enum anchor anchor,
               bool is_upright, const char *text)
{
    struct text_style style = {PLOT_TEXT_SIZE, anchor, is_upright, false, ink};
    if (*text) {
        canvas->text(canvas->context, x, y, &style, text);
    }
}

void plot_frame_x(const struct canvas *canvas, const struct rectangle *frame,
                  const struct plot_axis *axis, bool has_grid)
{
    struct plot_tick ticks[PLOT_TICKS];
    int n = plot_axis_ticks(axis, ticks);
    double bottom = frame->y + frame->height;
    for (int i = 0; i < n; i++) {
        const struct plot_tick *tick = &ticks[i];
        double x = plot_axis_place(axis, tick->value);
        if (has_grid) {
            canvas_segment(canvas, x, frame->y, x, bottom);
            canvas->stroke(canvas->context, grid, tick->label[0] ? 0.8 : 0.4);
        }
        canvas_segment(canvas, x, bottom, x, bottom + (tick->label[0] ? 5 : 3));
        canvas->stroke(canvas->context, ink, 0.8);
        plot_text(canvas, x, bottom + 18, ANCHOR_MIDDLE, false, tick->label);
    }
}

void plot_frame_y(const struct canvas *canvas, const struct rectangle *frame,
                  const struct plot_axis *axis, bool has_grid)
{
    struct plot_tick ticks[PLOT_TICKS];
    int n = plot_axis_ticks(axis, ticks);
    for (int i = 0; i < n; i++) {
        const struct plot_tick *tick = &ticks[i];
        double y = plot_axis_place(axis, tick->value);
        if (has_grid) {
            canvas_segment(canvas, frame->x, y, frame->x + frame->width, y);
            canvas->stroke(canvas->context, grid, tick->label[0] ? 0.8 : 0.4);
        }
        canvas_segment(canvas, frame->x - (tick->label[0] ? 5 : 3), y, frame->x, y);
        canvas->stroke(canvas->context, ink, 0.8);
        plot_text(canvas, frame->x - 8, y + 0.36 * PLOT_TEXT_SIZE, ANCHOR_END, false,
                  tick->label);
    }
}
