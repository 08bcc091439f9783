/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the rows of the table of contacts, and draws them when all have come. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "plot/contact_map.h"
#include "plot/picture.h"

static const double sheet_width = 760;

enum role {
    ROLE_HERTZ,
    ROLE_EVENT,
    ROLE_JOINT,
    ROLE_Y,
    ROLE_Z,
    ROLE_AREA,
    ROLE_OPEN,
    ROLE_STICK,
    ROLE_SLIP,
    ROLE_LOSS,
    ROLE_GROUP,
    N_ROLES
};

struct contact_map_sink {
    struct picture picture;
    char *group_column;
    int columns[N_ROLES]; /* index, or -1 */
    struct contact_map map;
};

static enum masing_status sink_open(void *context, const struct masing_column *columns,
                                    int n_columns, struct masing_error *error)
{
    struct contact_map_sink *sink = context;
    const char *const names[N_ROLES] = {
        "frequency_hz", "event", "joint",           "y", "z", "area", "open", "stick",
        "slip",         "loss",  sink->group_column};
    enum masing_status status = picture_find_columns(&sink->picture, columns, n_columns, names,
                                                     N_ROLES, sink->columns, error);
    return status ? status : picture_open(&sink->picture, error);
}

static void clear_panel(struct contact_map_panel *panel)
{
    free(panel->elements);
    free(panel->joint);
}

static void clear_map(struct contact_map *map)
{
    for (int p = 0; p < map->n_panels; p++) {
        clear_panel(&map->panels[p]);
    }
    free(map->panels);
    free(map->title);
    free(map->group_label);
}

static double number(const struct contact_map_sink *sink, const struct masing_cell *cells,
                     enum role role)
{
    return sink->columns[role] < 0 ? NAN : cells[sink->columns[role]].number;
}

static const char *word(const struct contact_map_sink *sink, const struct masing_cell *cells,
                        enum role role)
{
    const char *text = cells[sink->columns[role]].text;
    return text ? text : "";
}

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool is_of(const struct contact_map_panel *panel, const char *joint, bool is_peak,
                  double hertz, double value)
{
    return strcmp(panel->joint, joint) == 0 && panel->is_peak == is_peak &&
           is_same(panel->hertz, hertz) && is_same(panel->value, value);
}

static enum masing_status add_panel(struct contact_map *map, const char *joint, bool is_peak,
                                    double hertz, double value, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY_ALLOCATED(memory_grow((void **)&map->panels, (size_t)map->n_panels + 1, &map->capacity,
                              sizeof *map->panels));
    struct contact_map_panel *panel = &map->panels[map->n_panels++];
    *panel = (struct contact_map_panel){.is_peak = is_peak, .hertz = hertz, .value = value};
    TRY(picture_copy_text(joint, &panel->joint, error));
done:
    return status;
}

static enum masing_status sink_row(void *context, const struct masing_cell *cells,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct contact_map_sink *sink = context;
    struct contact_map *map = &sink->map;
    char *joint = NULL;
    TRY(picture_copy_text(word(sink, cells, ROLE_JOINT), &joint, error));
    bool is_peak =
        masing_events_have(cells[sink->columns[ROLE_EVENT]].events, MASING_EVENT_PEAK);
    double hertz = number(sink, cells, ROLE_HERTZ), value = number(sink, cells, ROLE_GROUP);
    if (map->n_panels == 0 ||
        !is_of(&map->panels[map->n_panels - 1], joint, is_peak, hertz, value)) {
        TRY(add_panel(map, joint, is_peak, hertz, value, error));
    }
    struct contact_map_panel *panel = &map->panels[map->n_panels - 1];
    TRY_ALLOCATED(memory_grow((void **)&panel->elements, (size_t)panel->n_elements + 1,
                              &panel->capacity, sizeof *panel->elements));
    panel->elements[panel->n_elements++] = (struct contact_map_element){
        .y = number(sink, cells, ROLE_Y),
        .z = number(sink, cells, ROLE_Z),
        .area = number(sink, cells, ROLE_AREA),
        .open = number(sink, cells, ROLE_OPEN),
        .stick = number(sink, cells, ROLE_STICK),
        .slip = number(sink, cells, ROLE_SLIP),
        .loss = number(sink, cells, ROLE_LOSS),
    };
done:
    free(joint);
    return status;
}

/* Peaks, where there are any: frequencies that were asked for are in the table. */
static void keep_peaks(struct contact_map *map)
{
    int n = 0;
    for (int p = 0; p < map->n_panels; p++) {
        n += map->panels[p].is_peak;
    }
    for (int p = 0, kept = 0; n > 0 && p < map->n_panels; p++) {
        struct contact_map_panel panel = map->panels[p];
        if (panel.is_peak) {
            map->panels[p] = map->panels[kept];
            map->panels[kept++] = panel;
        }
    }
    for (int p = n; n > 0 && p < map->n_panels; p++) {
        clear_panel(&map->panels[p]);
    }
    map->n_panels = n > 0 ? n : map->n_panels;
}

static enum masing_status draw(void *context, struct canvas *canvas, struct masing_error *error)
{
    struct contact_map_sink *sink = context;
    (void)error;
    contact_map_draw(&sink->map, canvas, sheet_width);
    return MASING_OK;
}

static enum masing_status sink_finish(void *context, struct masing_error *error)
{
    struct contact_map_sink *sink = context;
    keep_peaks(&sink->map);
    const struct picture_sheet sheet = {
        sheet_width, contact_map_height(&sink->map, sheet_width), sink->map.title, sink, draw};
    return picture_finish(&sink->picture, &sheet, error);
}

static void sink_abandon(void *context)
{
    struct contact_map_sink *sink = context;
    picture_abandon(&sink->picture);
}

static void sink_destroy(void *context)
{
    struct contact_map_sink *sink = context;
    if (sink) {
        clear_map(&sink->map);
        free(sink->group_column);
        picture_clear(&sink->picture);
        free(sink);
    }
}

enum masing_status contact_map_create(const char *file,
                                      const struct masing_plot_settings *settings,
                                      struct masing_sink *sink, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct contact_map_sink *context = memory_array(1, sizeof *context);
    TRY_ALLOCATED(context);
    TRY(picture_begin(file, &context->picture, error));
    context->group_column = memory_text(settings->group_column);
    TRY_ALLOCATED(context->group_column || !settings->group_column);
    TRY(picture_copy_text(settings->title, &context->map.title, error));
    TRY(picture_copy_text(settings->group_column ? settings->group_label : NULL,
                          &context->map.group_label, error));
    *sink = (struct masing_sink){context,     sink_open,    sink_row,
                                 sink_finish, sink_abandon, sink_destroy};
done:
    if (status != MASING_OK) {
        sink_destroy(context);
    }
    return status;
}
