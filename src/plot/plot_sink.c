/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the columns that a picture shows, and draws it when all rows have come. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "plot/contact_map.h"
#include "plot/picture.h"
#include "plot/plot_map.h"

static const double sheet_width = 720, sheet_height = 450, two_panels_height = 640;

enum role {
    ROLE_X,
    ROLE_Y,
    ROLE_GROUP,
    ROLE_SEGMENT,
    ROLE_EVENT,
    ROLE_CLOSED,
    ROLE_DOTS,
    ROLE_SECOND,
    ROLE_STABLE,
    N_ROLES
};

struct plot_sink {
    struct picture picture;
    char *column_names[N_ROLES]; /* NULL where the picture has no use for one */
    int columns[N_ROLES];        /* index, or -1 */
    enum masing_column_type group_type;
    double segment; /* of the row before */
    bool has_row;
    struct plot plot;
};

static void plot_clear(struct plot *plot)
{
    for (int i = 0; i < plot->n_curves; i++) {
        free(plot->curves[i].label);
        free(plot->curves[i].points);
    }
    free(plot->curves);
    free(plot->title);
    free(plot->x_label);
    free(plot->y_label);
    free(plot->group_label);
    free(plot->second_label);
}

static enum masing_status sink_open(void *context, const struct masing_column *columns,
                                    int n_columns, struct masing_error *error)
{
    struct plot_sink *sink = context;
    enum masing_status status = picture_find_columns(&sink->picture, columns, n_columns,
                                                     (const char *const *)sink->column_names,
                                                     N_ROLES, sink->columns, error);
    if (status != MASING_OK) {
        return status;
    }
    if (sink->columns[ROLE_GROUP] >= 0) {
        sink->group_type = columns[sink->columns[ROLE_GROUP]].type;
    }
    return picture_open(&sink->picture, error);
}

/* The curve of a group, the latest first; NULL where there is none yet. */
static struct plot_curve *find_curve(struct plot *plot, bool is_text, double value,
                                     const char *label)
{
    for (int i = plot->n_curves - 1; i >= 0; i--) {
        struct plot_curve *curve = &plot->curves[i];
        if (is_text ? strcmp(curve->label, label) == 0
                    : curve->value == value || (isnan(value) && isnan(curve->value))) {
            return curve;
        }
    }
    return NULL;
}

static struct plot_curve *add_curve(struct plot *plot, double value, char *label)
{
    if (!label || !memory_grow((void **)&plot->curves, (size_t)plot->n_curves + 1,
                               &plot->capacity, sizeof *plot->curves)) {
        free(label);
        return NULL;
    }
    struct plot_curve *curve = &plot->curves[plot->n_curves++];
    *curve = (struct plot_curve){.label = label, .value = value};
    return curve;
}

/* The curve that a row belongs to, a new one if need be; NULL where there is no memory. */
static struct plot_curve *curve_of_row(struct plot_sink *sink, const struct masing_cell *cells)
{
    struct plot *plot = &sink->plot;
    int column = sink->columns[ROLE_GROUP];
    bool is_text = column < 0 || sink->group_type == MASING_COLUMN_TEXT;
    if (!is_text) {
        double value = cells[column].number;
        struct plot_curve *curve = find_curve(plot, false, value, NULL);
        return curve ? curve : add_curve(plot, value, memory_format("%.6g", value));
    }
    const char *text = column >= 0 && cells[column].text ? cells[column].text : "";
    struct plot_curve *curve = find_curve(plot, true, NAN, text);
    if (curve) {
        return curve;
    }
    char *label = memory_text(text); /* it may read otherwise when it is printable */
    picture_make_printable(label);
    curve = label ? find_curve(plot, true, NAN, label) : NULL;
    if (curve) {
        free(label);
        return curve;
    }
    return add_curve(plot, NAN, label);
}

/* Kinds of events that are marked. */
static const unsigned MARKED =
    MASING_EVENT_BIT(MASING_EVENT_PEAK) | MASING_EVENT_BIT(MASING_EVENT_MINIMUM);

static enum masing_status sink_row(void *context, const struct masing_cell *cells,
                                   struct masing_error *error)
{
    struct plot_sink *sink = context;
    enum masing_status status = MASING_OK;
    const int *columns = sink->columns;
    struct plot_curve *curve = curve_of_row(sink, cells);
    TRY_ALLOCATED(curve);
    TRY_ALLOCATED(memory_grow((void **)&curve->points, (size_t)curve->n_points + 1,
                              &curve->capacity, sizeof *curve->points));
    struct plot_point *point = &curve->points[curve->n_points++];
    *point = (struct plot_point){.x = cells[columns[ROLE_X]].number,
                                 .y = cells[columns[ROLE_Y]].number};
    if (columns[ROLE_SECOND] >= 0) {
        point->second = cells[columns[ROLE_SECOND]].number;
    }
    if (columns[ROLE_SEGMENT] >= 0) {
        double segment = cells[columns[ROLE_SEGMENT]].number;
        point->is_start = sink->has_row && segment != sink->segment;
        sink->segment = segment;
    }
    unsigned events = columns[ROLE_EVENT] >= 0 ? cells[columns[ROLE_EVENT]].events : 0;
    point->is_peak = events & MARKED;
    if (columns[ROLE_STABLE] >= 0 && !(events & MASING_EVENTS_ON_CIRCLE)) {
        point->is_unstable = cells[columns[ROLE_STABLE]].number == 0;
        sink->plot.has_unstable = sink->plot.has_unstable || point->is_unstable;
    }
    if (columns[ROLE_CLOSED] >= 0) {
        double closed = cells[columns[ROLE_CLOSED]].number;
        point->is_open = closed != 1;
        point->is_faint = closed == 0;
        curve->has_prominent = curve->has_prominent || !point->is_faint;
    }
    if (columns[ROLE_DOTS] >= 0) {
        point->is_dot = cells[columns[ROLE_DOTS]].number != 0;
    }
    sink->has_row = true;
done:
    return status;
}

/* Where all of a curve is faint, its last stretch is not. */
static void show_last(struct plot_curve *curve)
{
    int i = curve->n_points - 1;
    bool goes_on = !curve->has_prominent && i >= 0 && curve->points[i].is_faint;
    for (; goes_on && i >= 0; i--) {
        curve->points[i].is_faint = false;
        goes_on = !curve->points[i].is_start;
    }
}

static double height_of(const struct plot *plot)
{
    return plot->second_label ? two_panels_height : sheet_height;
}

static enum masing_status draw(void *context, struct canvas *canvas, struct masing_error *error)
{
    struct plot *plot = context;
    for (int i = 0; i < plot->n_curves; i++) {
        show_last(&plot->curves[i]);
    }
    return plot_draw(plot, canvas, sheet_width, height_of(plot), error);
}

static enum masing_status sink_finish(void *context, struct masing_error *error)
{
    struct plot_sink *sink = context;
    const struct picture_sheet sheet = {sheet_width, height_of(&sink->plot), sink->plot.title,
                                        &sink->plot, draw};
    return picture_finish(&sink->picture, &sheet, error);
}

static void sink_abandon(void *context)
{
    struct plot_sink *sink = context;
    picture_abandon(&sink->picture);
}

static void sink_destroy(void *context)
{
    struct plot_sink *sink = context;
    if (sink) {
        for (int role = 0; role < N_ROLES; role++) {
            free(sink->column_names[role]);
        }
        plot_clear(&sink->plot);
        picture_clear(&sink->picture);
        free(sink);
    }
}

static enum masing_status copy_settings(struct plot_sink *sink,
                                        const struct masing_plot_settings *settings,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const char *const names[N_ROLES] = {
        settings->x_column,       settings->y_column,      settings->group_column,
        settings->segment_column, settings->event_column,  settings->closed_column,
        settings->dots_column,    settings->second_column, settings->stable_column};
    for (int role = 0; role < N_ROLES; role++) {
        sink->column_names[role] = memory_text(names[role]);
        TRY_ALLOCATED(sink->column_names[role] || !names[role]);
    }
    struct plot *plot = &sink->plot;
    plot->kind = settings->kind;
    plot->is_log_x = settings->is_log_x;
    plot->is_log_y = settings->is_log_y;
    plot->is_coarse = settings->is_coarse;
    plot->are_dots_above = settings->are_dots_above;
    plot->is_second_cropped = settings->is_second_cropped;
    plot->band = settings->band;
    TRY(picture_copy_text(settings->title, &plot->title, error));
    TRY(picture_copy_text(settings->x_label, &plot->x_label, error));
    TRY(picture_copy_text(settings->y_label, &plot->y_label, error));
    TRY(picture_copy_text(settings->group_column ? settings->group_label : NULL,
                          &plot->group_label, error));
    const char *second = settings->second_label ? settings->second_label : "";
    TRY(picture_copy_text(settings->second_column ? second : NULL, &plot->second_label, error));
done:
    return status;
}

static enum masing_status plot_curves_create(const char *file,
                                             const struct masing_plot_settings *settings,
                                             struct masing_sink *sink,
                                             struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct plot_sink *context = NULL;
    context = memory_array(1, sizeof *context);
    TRY_ALLOCATED(context);
    TRY(picture_begin(file, &context->picture, error));
    if (!settings->x_column || !settings->y_column) {
        TRY(masing_error_set(error, MASING_INVALID, "%s: a picture needs two columns", file));
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

enum masing_status masing_plot_create(const char *file,
                                      const struct masing_plot_settings *settings,
                                      struct masing_sink *sink, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_plot_settings chosen;
    error = entry_begin(error, &own);
    TRY(entry_need(file, "file", error));
    TRY(entry_need(settings, "settings", error));
    TRY(entry_need(sink, "sink", error));
    TRY(entry_read(settings, "settings", &chosen, sizeof chosen, error));
    status = chosen.kind == MASING_PLOT_CONTACTS
                 ? contact_map_create(file, &chosen, sink, error)
             : chosen.kind == MASING_PLOT_MAP ? plot_map_create(file, &chosen, sink, error)
                                              : plot_curves_create(file, &chosen, sink, error);
done:
    return status;
}
