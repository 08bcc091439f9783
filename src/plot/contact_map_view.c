/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two pictures side by side. Loss: by colour on a map, by height in bars. States: each element
 * is divided from left to right (bars: from below) into its shares of the period. The three
 * colours are blue, orange and a light grey (Okabe and Ito 2008), different in brightness too.
 */
#include <math.h>
#include <stdio.h>

#include "plot/contact_map.h"

static const struct colour ink = {0.13, 0.13, 0.13};
static const struct colour paper = {1, 1, 1};
static const struct colour grid_line = {0.89, 0.89, 0.89};

enum { N_STATES = 3 };
static const struct {
    const char *name;
    struct colour colour;
} states[N_STATES] = {
    {"stick", {0.0, 0.447, 0.698}},
    {"slip", {0.902, 0.624, 0.0}},
    {"open", {0.85, 0.85, 0.85}},
};

static const double text_height = 12, frame_height = 208;
static const double left_margin = 78, right_margin = 92; /* of each of the two pictures */
static const double above = 44, below = 62;              /* the frames, within a view */
static const double least_scale = 120;                   /* height of the colour scale */

struct picture {
    const struct contact_map_view *view;
    const struct canvas *canvas;
    struct contact_map_grid grid;
    struct rectangle frame;
    struct plot_axis x, y; /* of the frame; y of bars is the loss or the share */
    double largest;        /* loss, J */
};

static void share_of(const struct contact_map_element *element, double shares[N_STATES])
{
    shares[0] = element->stick;
    shares[1] = element->slip;
    shares[2] = element->open;
}

static double largest_loss(const struct contact_map_view *view)
{
    double largest = 0;
    for (int i = 0; i < view->n_elements; i++) {
        largest = fmax(largest, contact_map_element(view, i)->loss);
    }
    return largest;
}

static void fill(const struct canvas *canvas, double x, double y, double width, double height,
                 struct colour colour)
{
    struct rectangle area = {x, y, width, height};
    if (width > 0 && height > 0) {
        canvas_rectangle(canvas, &area);
        canvas->fill(canvas->context, colour);
    }
}

/* ---- axes ---- */

/* Fewer ticks until their labels have room; @p least in points. */
static void space_ticks(struct plot_axis *axis, double least)
{
    static const double factors[] = {2, 2.5, 2};
    double room = fabs(axis->to - axis->from) / (axis->high - axis->low);
    for (int i = 0; i < 12 && axis->step * room < least; i++) {
        double digit = axis->step / pow(10, floor(log10(axis->step) + 1e-9));
        axis->step *= factors[digit < 1.5 ? 0 : digit < 3 ? 1 : 2];
    }
    axis->decimals = (int)fmax(0, axis->exponent - floor(log10(axis->step) + 1e-9));
}

static void draw_x_axis(const struct picture *picture, const char *label)
{
    const struct canvas *canvas = picture->canvas;
    const struct rectangle *frame = &picture->frame;
    struct plot_tick ticks[PLOT_TICKS];
    char text[PLOT_LABEL];
    double bottom = frame->y + frame->height;
    int n = plot_axis_ticks(&picture->x, ticks);
    for (int i = 0; i < n; i++) {
        double x = plot_axis_place(&picture->x, ticks[i].value);
        canvas_segment(canvas, x, bottom, x, bottom + 4);
        canvas->stroke(canvas->context, ink, 0.8);
        contact_map_text(canvas, x, bottom + 17, ANCHOR_MIDDLE, false, ticks[i].label);
    }
    plot_axis_label(&picture->x, label, text);
    contact_map_text(canvas, frame->x + frame->width / 2, bottom + 34, ANCHOR_MIDDLE, false,
                     text);
}

static void draw_y_axis(const struct picture *picture, const char *label, bool has_grid)
{
    const struct canvas *canvas = picture->canvas;
    const struct rectangle *frame = &picture->frame;
    struct plot_tick ticks[PLOT_TICKS];
    char text[PLOT_LABEL];
    double widest = 0;
    int n = plot_axis_ticks(&picture->y, ticks);
    for (int i = 0; i < n; i++) {
        double y = plot_axis_place(&picture->y, ticks[i].value);
        if (has_grid) {
            canvas_segment(canvas, frame->x, y, frame->x + frame->width, y);
            canvas->stroke(canvas->context, grid_line, 0.8);
        }
        canvas_segment(canvas, frame->x - 4, y, frame->x, y);
        canvas->stroke(canvas->context, ink, 0.8);
        contact_map_text(canvas, frame->x - 7, y + 0.36 * text_height, ANCHOR_END, false,
                         ticks[i].label);
        widest = fmax(widest, canvas_text_width(ticks[i].label, text_height));
    }
    plot_axis_label(&picture->y, label, text);
    struct text_style style = {text_height, ANCHOR_MIDDLE, true, false, ink};
    canvas->text(canvas->context, frame->x - widest - 14, frame->y + frame->height / 2, &style,
                 text);
}

static void draw_frame(const struct picture *picture, const char *title)
{
    const struct rectangle *frame = &picture->frame;
    canvas_rectangle(picture->canvas, frame);
    picture->canvas->stroke(picture->canvas->context, ink, 0.9);
    contact_map_text(picture->canvas, frame->x + frame->width / 2, frame->y - 7, ANCHOR_MIDDLE,
                     false, title);
}

/* ---- elements ---- */

static struct rectangle cell_of(const struct picture *picture, int index)
{
    const struct contact_map_element *element = contact_map_element(picture->view, index);
    const struct contact_map_grid *grid = &picture->grid;
    const struct plot_axis *x = &picture->x, *y = &picture->y;
    double left, right, top, bottom;
    if (grid->is_map) {
        left = plot_axis_place(x, element->y - 0.5 * grid->size[0]);
        right = plot_axis_place(x, element->y + 0.5 * grid->size[0]);
        bottom = plot_axis_place(y, element->z - 0.5 * grid->size[1]);
        top = plot_axis_place(y, element->z + 0.5 * grid->size[1]);
    } else {
        double gap = picture->view->n_elements > 60 ? 0.5 : 0.4; /* half a bar's width */
        left = plot_axis_place(x, index + 1 - gap);
        right = plot_axis_place(x, index + 1 + gap);
        bottom = picture->frame.y + picture->frame.height;
        top = picture->frame.y;
    }
    return (struct rectangle){left, top, right - left, bottom - top};
}

static void draw_losses(const struct picture *picture)
{
    const struct colour bar = plot_colour(0.35);
    for (int i = 0; i < picture->view->n_elements; i++) {
        struct rectangle cell = cell_of(picture, i);
        double loss = fmax(0, contact_map_element(picture->view, i)->loss);
        double share = picture->largest > 0 ? loss / picture->largest : 0;
        if (picture->grid.is_map) {
            fill(picture->canvas, cell.x, cell.y, cell.width, cell.height, plot_colour(share));
        } else {
            double top = plot_axis_place(&picture->y, loss);
            fill(picture->canvas, cell.x, top, cell.width, cell.y + cell.height - top, bar);
        }
    }
}

static void draw_states(const struct picture *picture)
{
    for (int i = 0; i < picture->view->n_elements; i++) {
        struct rectangle cell = cell_of(picture, i);
        double shares[N_STATES], done = 0;
        share_of(contact_map_element(picture->view, i), shares);
        for (int s = 0; s < N_STATES; s++) {
            if (picture->grid.is_map) {
                fill(picture->canvas, cell.x + done * cell.width, cell.y,
                     shares[s] * cell.width, cell.height, states[s].colour);
            } else {
                double bottom = cell.y + (1 - done) * cell.height;
                fill(picture->canvas, cell.x, bottom - shares[s] * cell.height, cell.width,
                     shares[s] * cell.height, states[s].colour);
            }
            done += shares[s];
        }
    }
}

/* Borders between the elements of a map, as long as they leave something of them. */
static void draw_borders(const struct picture *picture)
{
    for (int i = 0; picture->grid.is_map && i < picture->view->n_elements; i++) {
        struct rectangle cell = cell_of(picture, i);
        if (cell.width >= 6 && cell.height >= 6) {
            canvas_rectangle(picture->canvas, &cell);
            picture->canvas->stroke(picture->canvas->context, paper, 1.4);
        }
    }
}

/* Names of single contacts in place of numbers. */
static void draw_names(const struct picture *picture)
{
    const struct contact_map_view *view = picture->view;
    for (int i = 0; i < view->n_elements; i++) {
        struct rectangle cell = cell_of(picture, i);
        const char *name = view->panels[view->n_panels > 1 ? i : 0].joint;
        contact_map_text(picture->canvas, cell.x + cell.width / 2, cell.y + cell.height + 17,
                         ANCHOR_MIDDLE, false, name);
    }
}

static void draw_lower_axis(const struct picture *picture)
{
    enum { MOST_NAMES = 6 };
    const struct contact_map_view *view = picture->view;
    bool are_singles = view->n_panels > 1 || view->n_elements == 1;
    if (picture->grid.is_map) {
        draw_x_axis(picture, "y (m)");
    } else if (are_singles && view->n_elements <= MOST_NAMES) {
        draw_names(picture);
    } else {
        draw_x_axis(picture, are_singles ? "contact" : "element");
    }
}

/* ---- what the colours mean ---- */

static void draw_colour_scale(const struct picture *picture, const struct plot_axis *scale,
                              double x)
{
    enum { N_SLICES = 64 };
    const struct canvas *canvas = picture->canvas;
    struct plot_tick ticks[PLOT_TICKS];
    const double width = 14, height = scale->from - scale->to;
    double slice = height / N_SLICES;
    for (int i = 0; i < N_SLICES; i++) {
        fill(canvas, x, scale->from - (i + 1) * slice - 0.3, width, slice + 0.3,
             plot_colour((i + 0.5) / N_SLICES));
    }
    canvas_rectangle(canvas, &(struct rectangle){x, scale->to, width, height});
    canvas->stroke(canvas->context, ink, 0.8);
    int n = plot_axis_ticks(scale, ticks);
    for (int i = 0; i < n; i++) {
        double y = plot_axis_place(scale, ticks[i].value);
        canvas_segment(canvas, x + width, y, x + width + 4, y);
        canvas->stroke(canvas->context, ink, 0.8);
        contact_map_text(canvas, x + width + 7, y + 0.36 * text_height, ANCHOR_START, false,
                         ticks[i].label);
    }
}

static void draw_state_legend(const struct picture *picture, double x)
{
    double y = picture->frame.y + 14;
    for (int s = 0; s < N_STATES; s++, y += 20) {
        struct rectangle sample = {x, y - 11, 14, 12};
        canvas_rectangle(picture->canvas, &sample);
        picture->canvas->fill(picture->canvas->context, states[s].colour);
        canvas_rectangle(picture->canvas, &sample);
        picture->canvas->stroke(picture->canvas->context, ink, 0.5);
        contact_map_text(picture->canvas, x + 20, y, ANCHOR_START, false, states[s].name);
    }
}

/* ---- both ---- */

/* The largest rectangle of the patch's shape within an area, in its upper left corner. */
static struct rectangle fit_frame(const struct contact_map_grid *grid, struct rectangle area)
{
    if (grid->is_map) {
        double h = grid->high[0] - grid->low[0], b = grid->high[1] - grid->low[1];
        double scale = fmin(area.width / h, area.height / b);
        const double least = 40; /* of a strip something is to be seen */
        area.width = fmax(scale * h, least);
        area.height = fmax(scale * b, least);
    }
    return area;
}

static void fit_axes(struct picture *picture, double low, double high)
{
    const struct contact_map_grid *grid = &picture->grid;
    const struct rectangle *frame = &picture->frame;
    if (grid->is_map) {
        plot_axis_fit(&picture->x, grid->low[0], grid->high[0], false, true);
        plot_axis_fit(&picture->y, grid->low[1], grid->high[1], false, true);
    } else {
        plot_axis_fit(&picture->x, 0.5, picture->view->n_elements + 0.5, false, true);
        plot_axis_fit(&picture->y, low, high, false, true);
        picture->x.step = fmax(1, ceil(picture->x.step));
    }
    picture->x.from = frame->x;
    picture->x.to = frame->x + frame->width;
    picture->y.from = frame->y + frame->height;
    picture->y.to = frame->y;
    space_ticks(&picture->x, 38);
    space_ticks(&picture->y, 18);
}

static void draw_loss(struct picture *picture)
{
    char title[PLOT_LABEL];
    bool is_map = picture->grid.is_map;
    struct plot_axis scale;
    fit_axes(picture, 0, picture->largest > 0 ? 1.06 * picture->largest : 1);
    plot_axis_fit(&scale, 0, picture->largest > 0 ? picture->largest : 1, false, true);
    scale.to = picture->frame.y;
    scale.from = scale.to + fmax(picture->frame.height, least_scale);
    space_ticks(&scale, 18);
    plot_axis_label(is_map ? &scale : &picture->y, "Loss per cycle (J)", title);
    draw_y_axis(picture, is_map ? "z (m)" : "Loss per cycle (J)", !is_map);
    draw_losses(picture);
    draw_borders(picture);
    draw_lower_axis(picture);
    draw_frame(picture, picture->largest > 0 ? title : "No loss");
    if (is_map && picture->largest > 0) {
        draw_colour_scale(picture, &scale, picture->frame.x + picture->frame.width + 14);
    }
}

static void draw_shares(struct picture *picture)
{
    bool is_map = picture->grid.is_map;
    fit_axes(picture, 0, 100);
    draw_y_axis(picture, is_map ? "z (m)" : "Share of the period (%)", false);
    draw_states(picture);
    draw_borders(picture);
    draw_lower_axis(picture);
    draw_frame(picture, is_map ? "Shares of the period, each element" : "States");
    draw_state_legend(picture, picture->frame.x + picture->frame.width + 14);
}

static struct rectangle frame_of(const struct contact_map_grid *grid, double top, double width)
{
    struct rectangle area = {left_margin, top + above, 0.5 * width - left_margin - right_margin,
                             frame_height};
    return fit_frame(grid, area);
}

double contact_map_view_height(const struct contact_map_view *view, double width)
{
    struct contact_map_grid grid = contact_map_find_grid(view);
    return above + fmax(frame_of(&grid, 0, width).height, least_scale - 30) + below;
}

void contact_map_draw_view(const struct contact_map_view *view, const struct canvas *canvas,
                           double top, double width)
{
    struct picture picture = {.view = view,
                              .canvas = canvas,
                              .grid = contact_map_find_grid(view),
                              .largest = largest_loss(view)};
    picture.frame = frame_of(&picture.grid, top, width);
    draw_loss(&picture);
    picture.frame.x += 0.5 * width;
    draw_shares(&picture);
}
