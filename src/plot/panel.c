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

static void draw_x_ticks(const struct panel *panel)
{
    const struct canvas *canvas = panel->canvas;
    const struct rectangle *frame = &panel->frame;
    struct axis_tick ticks[AXIS_TICKS];
    int n = axis_ticks(&panel->x, ticks);
    double bottom = frame->y + frame->height;
    for (int i = 0; i < n; i++) {
        const struct axis_tick *tick = &ticks[i];
        double x = axis_place(&panel->x, tick->value);
        if (panel->has_lines[0]) {
            canvas_line(canvas, x, frame->y, x, bottom, grid, tick->label[0] ? 0.8 : 0.4);
        }
        double end = bottom + (tick->label[0] ? 5 : 3);
        canvas_line(canvas, x, bottom, x, end, canvas_ink, 0.8);
        panel_text(canvas, x, bottom + 18, ANCHOR_MIDDLE, false, tick->label);
    }
}

static void draw_x_names(const struct panel *panel)
{
    for (int i = 0; i < panel->n_x_names; i++) {
        panel_text(panel->canvas, axis_place(&panel->x, i + 1),
                   panel->frame.y + panel->frame.height + 18, ANCHOR_MIDDLE, false,
                   panel->x_names[i]);
    }
}

static void draw_y_ticks(const struct panel *panel)
{
    const struct canvas *canvas = panel->canvas;
    const struct rectangle *frame = &panel->frame;
    struct axis_tick ticks[AXIS_TICKS];
    int n = axis_ticks(&panel->y, ticks);
    double right = frame->x + frame->width;
    for (int i = 0; i < n; i++) {
        const struct axis_tick *tick = &ticks[i];
        double y = axis_place(&panel->y, tick->value);
        if (panel->has_lines[1]) {
            canvas_line(canvas, frame->x, y, right, y, grid, tick->label[0] ? 0.8 : 0.4);
        }
        double end = frame->x - (tick->label[0] ? 5 : 3);
        canvas_line(canvas, end, y, frame->x, y, canvas_ink, 0.8);
        panel_text(canvas, frame->x - 8, y + half_digit, ANCHOR_END, false, tick->label);
    }
}

void panel_draw_axes(const struct panel *panel)
{
    const struct canvas *canvas = panel->canvas;
    const struct rectangle *frame = &panel->frame;
    char label[AXIS_LABEL];
    if (panel->x_names) {
        draw_x_names(panel);
    } else {
        draw_x_ticks(panel);
    }
    draw_y_ticks(panel);
    if (panel->x_label) {
        axis_label(&panel->x, panel->x_label, label);
        panel_text(canvas, frame->x + frame->width / 2, frame->y + frame->height + 38,
                   ANCHOR_MIDDLE, false, label);
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

static void draw_shades(const struct canvas *canvas, const struct rectangle *bar)
{
    enum { STEPS = 64 };
    const double overlap = 0.35; /* no seams between neighbours */
    double step = bar->height / STEPS;
    for (int i = 0; i < STEPS; i++) {
        const struct rectangle area = {bar->x, bar->y + bar->height - (i + 1) * step - overlap,
                                       bar->width, step + overlap};
        canvas_fill_rectangle(canvas, &area, canvas_shade((i + 0.5) / STEPS));
    }
}

void panel_draw_scale(const struct panel *panel, struct axis scale, double height,
                      bool are_ticks_contours)
{
    const double gap = 16, width = 16;
    const struct canvas *canvas = panel->canvas;
    const struct rectangle *frame = &panel->frame;
    const struct rectangle bar = {frame->x + frame->width + gap, frame->y, width, height};
    const double right = bar.x + bar.width;
    struct axis_tick ticks[AXIS_TICKS];
    axis_set_ends(&scale, bar.y + bar.height, bar.y, least_y_step);
    draw_shades(canvas, &bar);
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
