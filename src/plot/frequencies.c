/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The picture of natural frequencies as lines, with those of engine orders: over nodal
 * diameters or over a speed. Lines end with their labels at the right, or above the frame.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "plot/panel.h"
#include "plot/picture.h"

#define SHEET_WIDTH 720.0
#define SHEET_HEIGHT 520.0
static const double top_room = 78, bottom_room = 56, right_room = 84;
/* Labels at the right keep so far from each other. */
enum { LABEL_STEP = 14, MOST_LABELS = 64, LABEL_LENGTH = 32 };

/* In the order in which they are drawn. */
enum family {
    FAMILY_RANGE,
    FAMILY_SPEED,
    FAMILY_EXCITED,
    FAMILY_FREE,
    FAMILY_STUCK,
    FAMILY_MEETS,
    N_FAMILIES
};

static const struct {
    const char *name, *text; /* NULL: not in the legend */
    struct colour colour;    /* Okabe and Ito 2008 */
    double width, dash, radius;
} families[N_FAMILIES] = {
    [FAMILY_RANGE] = {"range", NULL, {0.0, 0.0, 0.0}, 0.0, 0.0, 0.0},
    [FAMILY_SPEED] = {"speed", "engine orders", {0.5, 0.5, 0.5}, 1.1, 0.0, 2.0},
    [FAMILY_EXCITED] = {"excited", "excited", {0.902, 0.624, 0.0}, 7.0, 0.0, 0.0},
    [FAMILY_FREE] = {"free", "joints free", {0.337, 0.706, 0.914}, 1.2, 2.0, 2.6},
    [FAMILY_STUCK] = {"stuck", "joints stuck", {0.0, 0.278, 0.6}, 1.5, 0.0, 2.6},
    [FAMILY_MEETS] = {"meets", "meets an order", {0.835, 0.369, 0.0}, 0.0, 0.0, 4.0},
};

struct point {
    int family, line;
    double x, y;
    char label[LABEL_LENGTH];
};

struct frequencies {
    size_t n, capacity;
    struct point *points;
};

/* ---- rows ---- */

enum column { COLUMN_FAMILY, COLUMN_LINE, COLUMN_LABEL, COLUMN_X, COLUMN_Y, N_COLUMNS };

static void name_columns(const struct masing_plot_settings *settings,
                         const char *names[PICTURE_COLUMNS])
{
    static const char *const all[N_COLUMNS] = {"family", "line", "label", "x", "frequency_hz"};
    (void)settings;
    memcpy(names, all, sizeof all);
}

static int family_of(const char *name)
{
    int family = 0;
    while (family < N_FAMILIES && strcmp(families[family].name, name) != 0) {
        family++;
    }
    return family;
}

static enum masing_status add_row(void *content, const struct picture_row *row,
                                  struct masing_error *error)
{
    struct frequencies *all = content;
    int family = family_of(picture_text(row, COLUMN_FAMILY));
    if (family == N_FAMILIES) {
        return masing_error_set(error, MASING_INVALID, "there is no family '%.40s'",
                                picture_text(row, COLUMN_FAMILY));
    }
    NEED_ALLOCATED(
        memory_grow((void **)&all->points, all->n + 1, &all->capacity, sizeof *all->points));
    struct point *point = &all->points[all->n++];
    *point = (struct point){.family = family,
                            .line = (int)picture_number(row, COLUMN_LINE),
                            .x = picture_number(row, COLUMN_X),
                            .y = picture_number(row, COLUMN_Y)};
    snprintf(point->label, sizeof point->label, "%s", picture_text(row, COLUMN_LABEL));
    picture_make_printable(point->label);
    return MASING_OK;
}

/* ---- the frame ---- */

struct view {
    struct panel panel;
    const struct frequencies *all;
    bool is_over_diameters;
    double taken[MOST_LABELS]; /* heights of labels at the right */
    int n_taken;
};

static void fit(struct view *view)
{
    double high[2] = {1.0, 1.0};
    for (size_t i = 0; i < view->all->n; i++) {
        const struct point *point = &view->all->points[i];
        if (point->family == FAMILY_RANGE) {
            high[0] = point->x;
            high[1] = point->y;
        }
    }
    axis_fit(&view->panel.x, 0.0, high[0], false, true);
    axis_fit(&view->panel.y, 0.0, high[1], false, true);
    if (view->is_over_diameters) {
        axis_use_whole_steps(&view->panel.x);
    }
}

static double place_x(const struct view *view, const struct point *point)
{
    return axis_place(&view->panel.x, point->x);
}

static double place_y(const struct view *view, const struct point *point)
{
    return axis_place(&view->panel.y, point->y);
}

static size_t end_of_line(const struct frequencies *all, size_t first)
{
    size_t end = first + 1;
    while (end < all->n && all->points[end].line == all->points[first].line) {
        end++;
    }
    return end;
}

/* Diameters are few, and nothing is between them: their points are seen. */
static bool has_dots(const struct view *view, int family)
{
    return families[family].radius > 0.0 && (family == FAMILY_MEETS || view->is_over_diameters);
}

static void draw_line(const struct view *view, size_t first, size_t end)
{
    const struct canvas *canvas = view->panel.canvas;
    const struct point *points = view->all->points;
    int family = points[first].family;
    struct colour colour = families[family].colour;
    canvas->move(canvas->context, place_x(view, &points[first]), place_y(view, &points[first]));
    for (size_t i = first + 1; i < end; i++) {
        canvas->line(canvas->context, place_x(view, &points[i]), place_y(view, &points[i]));
    }
    if (end > first + 1) {
        canvas->stroke(canvas->context, colour, families[family].width, families[family].dash);
    }
}

/* Over the frame, where they are inside. */
static void draw_dots(const struct view *view, size_t first, size_t end)
{
    const struct canvas *canvas = view->panel.canvas;
    const struct point *points = view->all->points;
    const struct rectangle *frame = &view->panel.frame;
    int family = points[first].family;
    double radius = families[family].radius;
    for (size_t i = first; has_dots(view, family) && i < end; i++) {
        double x = place_x(view, &points[i]), y = place_y(view, &points[i]);
        bool is_inside = y >= frame->y && x <= frame->x + frame->width + 0.5;
        if (is_inside) {
            canvas_disc(canvas, x, y, radius, families[family].colour);
        }
        if (is_inside && family == FAMILY_FREE) {
            canvas_disc(canvas, x, y, radius - 1.0, canvas_paper);
        }
    }
}

/* ---- labels ---- */

static bool take_place(struct view *view, double y)
{
    for (int i = 0; i < view->n_taken; i++) {
        if (fabs(view->taken[i] - y) < LABEL_STEP) {
            return false;
        }
    }
    if (view->n_taken < MOST_LABELS) {
        view->taken[view->n_taken++] = y;
        return true;
    }
    return false;
}

/* What the loads sweep over in a diameter, named below its lower end. */
static void draw_excited_label(const struct view *view, size_t first)
{
    const struct point *point = &view->all->points[first];
    panel_text(view->panel.canvas, place_x(view, point),
               place_y(view, point) + PANEL_TEXT_SIZE + 8, ANCHOR_MIDDLE, false, point->label);
}

/* Where the line leaves the frame: at its right side, or above it; first at the right. */
static void draw_label(struct view *view, size_t first, size_t end)
{
    const struct point *points = view->all->points;
    const struct rectangle *frame = &view->panel.frame;
    double right = frame->x + frame->width, half_digit = 0.36 * PANEL_TEXT_SIZE;
    for (size_t i = first; i < end && *points[first].label; i++) {
        double x = place_x(view, &points[i]), y = place_y(view, &points[i]);
        bool is_inside = y >= frame->y - 0.5 && y <= frame->y + frame->height;
        if (is_inside && x > right - 0.5 && take_place(view, y)) {
            panel_text(view->panel.canvas, right + 7, y + half_digit, ANCHOR_START, false,
                       points[first].label);
            return;
        }
        if (i > first && y < frame->y && points[first].family == FAMILY_SPEED) {
            double x0 = place_x(view, &points[i - 1]), y0 = place_y(view, &points[i - 1]);
            double at = x0 + (frame->y - y0) / (y - y0) * (x - x0);
            panel_text(view->panel.canvas, at, frame->y - 6, ANCHOR_MIDDLE, false,
                       points[first].label);
            return;
        }
    }
}

enum part_drawn { LINES, DOTS, LABELS };

static void draw_family(struct view *view, int family, enum part_drawn part)
{
    const struct frequencies *all = view->all;
    for (size_t first = 0, end = 0; first < all->n; first = end) {
        end = end_of_line(all, first);
        if (all->points[first].family != family) {
            continue;
        }
        if (part == LINES) {
            draw_line(view, first, end);
        } else if (part == DOTS) {
            draw_dots(view, first, end);
        } else if (family == FAMILY_EXCITED) {
            draw_excited_label(view, first);
        } else {
            draw_label(view, first, end);
        }
    }
}

/* ---- the legend ---- */

static bool is_there(const struct frequencies *all, int family)
{
    bool is_there = false;
    for (size_t i = 0; i < all->n; i++) {
        is_there = is_there || all->points[i].family == family;
    }
    return is_there;
}

/* In one line above the frame. */
static void draw_legend(const struct view *view)
{
    const struct canvas *canvas = view->panel.canvas;
    double x = view->panel.frame.x, y = top_room - 32, sample = 26;
    for (int family = N_FAMILIES - 1; family > FAMILY_RANGE; family--) {
        double middle = y - 0.36 * PANEL_TEXT_SIZE, radius = families[family].radius;
        if (!is_there(view->all, family)) {
            continue;
        }
        struct colour colour = families[family].colour;
        if (families[family].width > 0.0) {
            canvas->move(canvas->context, x, middle);
            canvas->line(canvas->context, x + sample, middle);
            canvas->stroke(canvas->context, colour, families[family].width,
                           families[family].dash);
        }
        if (has_dots(view, family)) {
            canvas_disc(canvas, x + 0.5 * sample, middle, radius, colour);
        }
        if (has_dots(view, family) && family == FAMILY_FREE) {
            canvas_disc(canvas, x + 0.5 * sample, middle, radius - 1.0, canvas_paper);
        }
        bool is_at_speed = family == FAMILY_SPEED && view->is_over_diameters;
        const char *text = is_at_speed ? "engine orders at a speed" : families[family].text;
        panel_text(canvas, x + sample + 6, y, ANCHOR_START, false, text);
        x += sample + 24 + canvas_text_width(text, PANEL_TEXT_SIZE);
    }
}

/* ---- the picture ---- */

static double lay_out(void *content, const struct masing_plot_settings *settings)
{
    (void)content;
    (void)settings;
    return SHEET_HEIGHT;
}

static enum masing_status draw(const void *content, const struct masing_plot_settings *settings,
                               const struct canvas *canvas, struct masing_error *error)
{
    struct view view = {.all = content, .is_over_diameters = settings->is_coarse};
    struct panel *panel = &view.panel;
    (void)error;
    panel->canvas = canvas;
    panel->x_label = settings->x_label;
    panel->y_label = settings->y_label;
    panel->has_lines[0] = panel->has_lines[1] = true;
    fit(&view);
    double left = panel_left(panel), width = SHEET_WIDTH - left - right_room;
    double height = SHEET_HEIGHT - top_room - bottom_room;
    panel_place(panel, (struct rectangle){left, top_room, width, height}, left);
    panel_title(canvas, left + width / 2, settings->title);
    panel_draw_axes(panel);
    canvas->clip(canvas->context, &panel->frame);
    for (int family = FAMILY_SPEED; family < N_FAMILIES; family++) {
        draw_family(&view, family, LINES);
    }
    canvas->unclip(canvas->context);
    panel_draw_frame(panel);
    for (int family = FAMILY_SPEED; family < N_FAMILIES; family++) {
        draw_family(&view, family, DOTS);
    }
    draw_family(&view, FAMILY_SPEED, LABELS);
    if (view.is_over_diameters) {
        draw_family(&view, FAMILY_EXCITED, LABELS);
    }
    draw_family(&view, FAMILY_STUCK, LABELS);
    draw_family(&view, FAMILY_FREE, LABELS);
    draw_legend(&view);
    return MASING_OK;
}

static void clear(void *content)
{
    struct frequencies *all = content;
    free(all->points);
}

const struct picture_kind frequencies_picture = {
    .size = sizeof(struct frequencies),
    .width = SHEET_WIDTH,
    .name_columns = name_columns,
    .n_required = N_COLUMNS,
    .requirement = "a picture of frequencies needs the columns of masing_check_lines",
    .row = add_row,
    .lay_out = lay_out,
    .draw = draw,
    .clear = clear,
};
