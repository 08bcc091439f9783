/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps three columns of all rows, and draws the map when they have come. */
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "plot/picture.h"
#include "plot/plot_map.h"

static const double sheet_width = 720, sheet_height = 500;

enum { N_ROLES = 4 };

struct map_sink {
    struct picture picture;
    char *column_names[N_ROLES]; /* x, y, value, event (or NULL) */
    int columns[N_ROLES];
    struct plot_map map;
};

static enum masing_status sink_open(void *context, const struct masing_column *columns,
                                    int n_columns, struct masing_error *error)
{
    struct map_sink *sink = context;
    enum masing_status status = picture_find_columns(&sink->picture, columns, n_columns,
                                                     (const char *const *)sink->column_names,
                                                     N_ROLES, sink->columns, error);
    return status ? status : picture_open(&sink->picture, error);
}

/* Kinds of events that may lie between the lines of the grid. */
static const unsigned BETWEEN = MASING_EVENT_BIT(MASING_EVENT_CROSSING) |
                                MASING_EVENT_BIT(MASING_EVENT_FOLD) |
                                MASING_EVENT_BIT(MASING_EVENT_MINIMUM);

static enum masing_status sink_row(void *context, const struct masing_cell *cells,
                                   struct masing_error *error)
{
    struct map_sink *sink = context;
    struct plot_map *map = &sink->map;
    enum masing_status status = MASING_OK;
    unsigned events = sink->columns[3] >= 0 ? cells[sink->columns[3]].events : 0;
    const struct plot_map_row row = {cells[sink->columns[0]].number,
                                     cells[sink->columns[1]].number,
                                     cells[sink->columns[2]].number, events & BETWEEN};
    if (isfinite(row.x) && isfinite(row.y) && isfinite(row.value)) {
        TRY_ALLOCATED(memory_grow((void **)&map->rows, (size_t)map->n_rows + 1, &map->capacity,
                                  sizeof *map->rows));
        map->rows[map->n_rows++] = row;
    }
done:
    return status;
}

static enum masing_status draw(void *context, struct canvas *canvas, struct masing_error *error)
{
    struct map_sink *sink = context;
    return plot_map_draw(&sink->map, canvas, sheet_width, sheet_height, error);
}

static enum masing_status sink_finish(void *context, struct masing_error *error)
{
    struct map_sink *sink = context;
    const struct picture_sheet sheet = {sheet_width, sheet_height, sink->map.title, sink, draw};
    return picture_finish(&sink->picture, &sheet, error);
}

static void sink_abandon(void *context)
{
    struct map_sink *sink = context;
    picture_abandon(&sink->picture);
}

static void sink_destroy(void *context)
{
    struct map_sink *sink = context;
    if (!sink) {
        return;
    }
    for (int role = 0; role < N_ROLES; role++) {
        free(sink->column_names[role]);
    }
    free(sink->map.title);
    free(sink->map.x_label);
    free(sink->map.y_label);
    free(sink->map.value_label);
    free(sink->map.rows);
    picture_clear(&sink->picture);
    free(sink);
}

static enum masing_status copy_settings(struct map_sink *sink,
                                        const struct masing_plot_settings *settings,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const char *const names[N_ROLES] = {settings->x_column, settings->y_column,
                                        settings->value_column, settings->event_column};
    for (int role = 0; role < N_ROLES; role++) {
        sink->column_names[role] = memory_text(names[role]);
        TRY_ALLOCATED(sink->column_names[role] || !names[role]);
    }
    sink->map.is_log_x = settings->is_log_x;
    sink->map.is_log_y = settings->is_log_y;
    TRY(picture_copy_text(settings->title, &sink->map.title, error));
    TRY(picture_copy_text(settings->x_label, &sink->map.x_label, error));
    TRY(picture_copy_text(settings->y_label, &sink->map.y_label, error));
    TRY(picture_copy_text(settings->value_label, &sink->map.value_label, error));
done:
    return status;
}

enum masing_status plot_map_create(const char *file,
                                   const struct masing_plot_settings *settings,
                                   struct masing_sink *sink, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct map_sink *context = memory_array(1, sizeof *context);
    TRY_ALLOCATED(context);
    TRY(picture_begin(file, &context->picture, error));
    if (!settings->x_column || !settings->y_column || !settings->value_column) {
        TRY(masing_error_set(error, MASING_INVALID, "%s: a map needs three columns", file));
    }
    TRY(copy_settings(context, settings, error));
    *sink = (struct masing_sink){context,     sink_open,    sink_row,
                                 sink_finish, sink_abandon, sink_destroy};
done:
    if (status != MASING_OK) {
        sink_destroy(context);
    }
    return status;
}
