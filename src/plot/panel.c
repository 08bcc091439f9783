/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plot/panel.h"

#include <math.h>

const struct colour panel_line_on_colour = {0.98, 0.98, 0.98};

static const struct colour grid = {0.89, 0.89, 0.89};

static const double title_size = 13;
static const double label_place = 22; /* of the y label, in the room for it */
/* Between labels of ticks at least, so that they have room. */
static const double least_x_step = 38, least_y_step = 18;
/* From the foot of a text to the middle of its digits. */
static const double half_digit = 0.36 * PANEL_TEXT_SIZE;

void panel_text(const struct canvas *canvas, double x, double y, enum anchor anchor,
                bool is_upright, const char *text)
{
    struct text_style style = {PANEL_TEXT_SIZE, anchor, is_upright, false, canvas_ink};
    if (*text) {
        canvas->text(canvas->context, x, y, &style, text);
    }
}

void panel_title(const struct canvas *canvas, double middle, const char *title)
{
    const struct text_style style = {title_size, ANCHOR_MIDDLE, false, true, canvas_ink};
    if (title && *title) {
        canvas->text(canvas->context, middle, 24, &style, title);
    }
}

double panel_left(const struct panel *panel)
{
    struct axis_tick ticks[AXIS_TICKS];
    int n = axis_ticks(&panel->y, ticks);
    double widest = 0;
    for (int i = 0; i < n; i++) {
        widest = fmax(widest, canvas_text_width(ticks[i].label, PANEL_TEXT_SIZE));
    }
    return label_place + 12 + widest + 8;
}

void panel_place(struct panel *panel, struct rectangle frame, double left)
{
    panel->frame = frame;
    panel->left = left;
    axis_set_ends(&panel->x, frame.x, frame.x + frame.width, least_x_step);
    axis_set_ends(&panel->y, frame.y + frame.height, frame.y, least_y_step);
}

/* Lines across the frame, ticks and their labels below it or on its left. */
static void draw_ticks(const struct panel *panel, bool is_x)
{
    const struct canvas *canvas = panel->canvas;
    const struct rectangle *frame = &panel->frame;
    const struct axis *axis = is_x ? &panel->x : &panel->y;
    const double right = frame->x + frame->width, bottom = frame->y + frame->height;
    struct axis_tick ticks[AXIS_TICKS];
    int n = axis_ticks(axis, ticks);
    for (int i = 0; i < n; i++) {
        const bool is_major = ticks[i].label[0];
        const double at = axis_place(axis, ticks[i].value), length = is_major ? 5 : 3;
        if (panel->has_lines[is_x ? 0 : 1]) {
            canvas_line(canvas, is_x ? at : frame->x, is_x ? frame->y : at, is_x ? at : right,
                        is_x ? bottom : at, grid, is_major ? 0.8 : 0.4);
        }
        if (is_x) {
            canvas_line(canvas, at, bottom, at, bottom + length, canvas_ink, 0.8);
            panel_text(canvas, at, bottom + 18, ANCHOR_MIDDLE, false, ticks[i].label);
        } else {
            canvas_line(canvas, frame->x - length, at, frame->x, at, canvas_ink, 0.8);
            panel_text(canvas, frame->x - 8, at + half_digit, ANCHOR_END, false,
                       ticks[i].label);
        }
    }
}

void panel_draw_axes(const struct panel *panel)
{
    const struct canvas *canvas = panel->canvas;
    const struct rectangle *frame = &panel->frame;
    const double bottom = frame->y + frame->height;
    char label[AXIS_LABEL];
    for (int i = 0; i < panel->n_x_names; i++) {
        panel_text(canvas, axis_place(&panel->x, i + 1), bottom + 18, ANCHOR_MIDDLE, false,
                   panel->x_names[i]);
    }
    if (!panel->x_names) {
        draw_ticks(panel, true);
    }
    draw_ticks(panel, false);
    if (panel->x_label) {
        axis_label(&panel->x, panel->x_label, label);
        panel_text(canvas, frame->x + frame->width / 2, bottom + 38, ANCHOR_MIDDLE, false,
                   label);
    }
    if (panel->y_label) {
        axis_label(&panel->y, panel->y_label, label);
        panel_text(canvas, frame->x - panel->left + label_place, frame->y + frame->height / 2,
                   ANCHOR_MIDDLE, true, label);
    }
}

void panel_draw_frame(const struct panel *panel)
{
    const struct canvas *canvas = panel->canvas;
    const struct rectangle *frame = &panel->frame;
    canvas_outline(canvas, frame, canvas_ink, 0.9);
    if (panel->caption) {
        panel_text(canvas, frame->x + frame->width / 2, frame->y - 8, ANCHOR_MIDDLE, false,
                   panel->caption);
    }
}

void panel_draw_scale(const struct panel *panel, struct axis scale, double height,
                      bool are_ticks_contours)
{
    enum { STEPS = 64 };
    const double gap = 16, width = 16, step = height / STEPS;
    const double overlap = 0.35; /* no seams between neighbours */
    const struct canvas *canvas = panel->canvas;
    const struct rectangle *frame = &panel->frame;
    const struct rectangle bar = {frame->x + frame->width + gap, frame->y, width, height};
    const double right = bar.x + bar.width;
    struct axis_tick ticks[AXIS_TICKS];
    axis_set_ends(&scale, bar.y + bar.height, bar.y, least_y_step);
    for (int i = 0; i < STEPS; i++) {
        const struct rectangle area = {bar.x, bar.y + bar.height - (i + 1) * step - overlap,
                                       bar.width, step + overlap};
        canvas_fill_rectangle(canvas, &area, canvas_shade((i + 0.5) / STEPS));
    }
    int n = axis_ticks(&scale, ticks);
    for (int i = 0; i < n; i++) {
        double y = axis_place(&scale, ticks[i].value);
        if (are_ticks_contours) {
            canvas_line(canvas, bar.x, y, right, y, panel_line_on_colour,
                        ticks[i].label[0] ? 1.1 : 0.5);
        }
        double end = right + (ticks[i].label[0] ? 5 : 3);
        canvas_line(canvas, right, y, end, y, canvas_ink, 0.8);
        panel_text(canvas, right + 8, y + half_digit, ANCHOR_START, false, ticks[i].label);
    }
    canvas_outline(canvas, &bar, canvas_ink, 0.9);
}
