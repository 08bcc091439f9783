/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sheet: a heading, and one row of pictures for each joint. */
#include <math.h>
#include <stdio.h>

#include "plot/contact_map.h"

static const struct colour ink = {0.13, 0.13, 0.13};

enum { MOST_VIEWS = 12, TOP = 44, BOTTOM = 30 };

void contact_map_text(const struct canvas *canvas, double x, double y, enum anchor anchor,
                      bool is_bold, const char *text)
{
    const double size = 12, bold_size = 13;
    struct text_style style = {is_bold ? bold_size : size, anchor, false, is_bold, ink};
    if (*text) {
        canvas->text(canvas->context, x, y, &style, text);
    }
}

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* The panels from the given one on that are drawn together. */
static struct contact_map_view view_at(const struct contact_map *map, int first)
{
    const struct contact_map_panel *panel = &map->panels[first];
    struct contact_map_view view = {panel, 1, panel->n_elements};
    for (int p = first + 1; p < map->n_panels && panel->n_elements == 1; p++) {
        const struct contact_map_panel *next = &map->panels[p];
        if (next->n_elements != 1 || !is_same(next->hertz, panel->hertz) ||
            !is_same(next->value, panel->value) || next->is_peak != panel->is_peak) {
            break;
        }
        view.n_panels++;
        view.n_elements++;
    }
    return view;
}

static int count_views(const struct contact_map *map)
{
    int n = 0;
    for (int p = 0; p < map->n_panels; n++) {
        p += view_at(map, p).n_panels;
    }
    return n;
}

double contact_map_height(const struct contact_map *map, double width)
{
    double height = TOP + BOTTOM;
    int shown = 0;
    for (int p = 0; p < map->n_panels && shown < MOST_VIEWS; shown++) {
        struct contact_map_view view = view_at(map, p);
        height += contact_map_view_height(&view, width);
        p += view.n_panels;
    }
    return height;
}

static double total_loss(const struct contact_map_view *view)
{
    double sum = 0;
    for (int i = 0; i < view->n_elements; i++) {
        sum += contact_map_element(view, i)->loss;
    }
    return sum;
}

/* "patch at the peak, 20.31 Hz, preload (N) = 50: loss 0.00123 J per cycle" */
static void draw_heading(const struct contact_map *map, const struct contact_map_view *view,
                         const struct canvas *canvas, double top)
{
    const struct contact_map_panel *panel = view->panels;
    char value[160] = "", text[512];
    if (map->group_label) {
        snprintf(value, sizeof value, ", %s = %.6g", map->group_label, panel->value);
    }
    snprintf(text, sizeof text, "%s %s %.6g Hz%s: loss %.4g J per cycle",
             view->n_panels > 1 ? "Contacts" : panel->joint,
             panel->is_peak ? "at the peak," : "at", panel->hertz, value, total_loss(view));
    contact_map_text(canvas, 20, top + 12, ANCHOR_START, false, text);
}

void contact_map_draw(const struct contact_map *map, const struct canvas *canvas, double width)
{
    int shown = 0, n = count_views(map);
    double top = TOP;
    if (map->title) {
        contact_map_text(canvas, width / 2, 24, ANCHOR_MIDDLE, true, map->title);
    }
    for (int p = 0; p < map->n_panels && shown < MOST_VIEWS; shown++) {
        struct contact_map_view view = view_at(map, p);
        draw_heading(map, &view, canvas, top);
        contact_map_draw_view(&view, canvas, top, width);
        top += contact_map_view_height(&view, width);
        p += view.n_panels;
    }
    if (n > shown) {
        char text[80];
        snprintf(text, sizeof text, "and %d more, which the table has", n - shown);
        contact_map_text(canvas, 20, top + 10, ANCHOR_START, false, text);
    } else if (n == 0) {
        contact_map_text(canvas, 20, top + 10, ANCHOR_START, false, "no contacts");
    }
}
