/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contact elements of joints as data, and the drawing of them: maps of patches, bars of others.
 */
#ifndef MASING_PLOT_CONTACT_MAP_H
#define MASING_PLOT_CONTACT_MAP_H

#include "plot/plot.h"

struct contact_map_element {
    double y, z, area; /* m, m^2; NAN where not known */
    double open, stick, slip, loss;
};

/* The elements of one joint, or group of joints, at one frequency. */
struct contact_map_panel {
    char *joint;
    bool is_peak;
    double hertz, value; /* value of the parameter */
    int n_elements;
    size_t capacity;
    struct contact_map_element *elements;
};

struct contact_map {
    char *title, *group_label; /* NULL: no parameter */
    int n_panels;
    size_t capacity;
    struct contact_map_panel *panels;
};

enum masing_status contact_map_create(const char *file,
                                      const struct masing_plot_settings *settings,
                                      struct masing_sink *sink, struct masing_error *error);

/* Height of the sheet that shows all. */
double contact_map_height(const struct contact_map *map, double width);

void contact_map_draw(const struct contact_map *map, const struct canvas *canvas, double width);

/*
 * What is drawn together: the elements of one panel, or contacts of one element each that
 * belong to the same point of the same curve.
 */
struct contact_map_view {
    const struct contact_map_panel *panels;
    int n_panels, n_elements;
};

static inline const struct contact_map_element *
contact_map_element(const struct contact_map_view *view, int index)
{
    return view->n_panels > 1 ? &view->panels[index].elements[0]
                              : &view->panels[0].elements[index];
}

/* How elements lie: those of a patch on a grid, and else side by side. */
struct contact_map_grid {
    bool is_map;
    double low[2], high[2]; /* m, edges of the patch along y and z */
    double size[2];         /* m, of an element */
};
struct contact_map_grid contact_map_find_grid(const struct contact_map_view *view);

/* Loss on the left, states on the right, from @p top downwards; above them is room for a
 * heading. */
double contact_map_view_height(const struct contact_map_view *view, double width);
void contact_map_draw_view(const struct contact_map_view *view, const struct canvas *canvas,
                           double top, double width);

void contact_map_text(const struct canvas *canvas, double x, double y, enum anchor anchor,
                      bool is_bold, const char *text);

#endif
