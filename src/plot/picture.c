/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sink that draws a picture of its rows, whatever kind of picture it is. */
#include "plot/picture.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/result_file.h"
#include "base/row_buffer.h"
#include "masing/text.h"

typedef enum masing_status create_canvas(FILE *stream, double width, double height,
                                         const char *title, struct canvas *canvas,
                                         struct masing_error *error);

static const struct {
    const char *ending;
    create_canvas *create;
} formats[] = {
    {".svg", canvas_svg_create},
    {".png", canvas_png_create},
};

static const struct picture_kind *const kinds[] = {
    [MASING_PLOT_CURVES] = &curves_picture,
    [MASING_PLOT_LOOPS] = &curves_picture,
    [MASING_PLOT_CONTACTS] = &contacts_picture,
    [MASING_PLOT_MAP] = &map_picture,
    [MASING_PLOT_PAIRS] = &pairs_picture,
    [MASING_PLOT_FREQUENCIES] = &frequencies_picture,
};

/* The texts of the settings; those that are shown are made printable. */
static const struct {
    size_t offset;
    bool is_shown;
} texts[] = {
#define TEXT(member, is_shown)                                                                 \
    {                                                                                          \
        offsetof(struct masing_plot_settings, member), is_shown                                \
    }
    TEXT(title, true),           TEXT(x_label, true),        TEXT(y_label, true),
    TEXT(group_label, true),     TEXT(second_label, true),   TEXT(value_label, true),
    TEXT(x_column, false),       TEXT(y_column, false),      TEXT(group_column, false),
    TEXT(segment_column, false), TEXT(closed_column, false), TEXT(event_column, false),
    TEXT(dots_column, false),    TEXT(second_column, false), TEXT(value_column, false),
    TEXT(stable_column, false),
#undef TEXT
};

enum { N_TEXTS = sizeof texts / sizeof *texts };

struct picture {
    const struct picture_kind *kind;
    struct masing_plot_settings settings; /* with copied texts */
    struct arena texts;
    char *file;       /* NULL: it is drawn as part of another one */
    FILE *stream;     /* which is open there, or NULL */
    const char *mark; /* of names in it that are not to be those of another picture */
    create_canvas *create_canvas;
    struct result_file result;          /* open while it is drawn */
    const char *names[PICTURE_COLUMNS]; /* of the columns that the kind reads */
    struct picture_column columns[PICTURE_COLUMNS];
    int n_columns; /* of the rows */
    void *content;
};

void picture_make_printable(char *text)
{
    static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD, three bytes */
    size_t left = text ? strlen(text) : 0, step;
    for (char *c = text; left > 0; c += step, left -= step) {
        unsigned code;
        step = masing_text_next(c, left, &code);
        if (step == strlen(replacement) && !masing_text_is_printable(code)) {
            memcpy(c, replacement, step);
        } else if (code == '\n' || code == '\t' || !masing_text_is_printable(code)) {
            memset(c, '?', step);
        }
    }
}

/* ---- a row, as a kind reads it ---- */

bool picture_has(const struct picture_row *row, int column)
{
    return row->columns[column].index >= 0;
}

double picture_number(const struct picture_row *row, int column)
{
    return picture_has(row, column) ? row->cells[row->columns[column].index].number : NAN;
}

unsigned picture_events(const struct picture_row *row, int column)
{
    return picture_has(row, column) ? row->cells[row->columns[column].index].events : 0;
}

const char *picture_text(const struct picture_row *row, int column)
{
    const char *text =
        picture_has(row, column) ? row->cells[row->columns[column].index].text : NULL;
    return text ? text : "";
}

/* ---- the sink ---- */

/* For messages. */
static const char *name_of(const struct picture *picture)
{
    return picture->file ? picture->file : "picture";
}

static enum masing_status find_columns(struct picture *picture,
                                       const struct masing_column *columns, int n_columns,
                                       struct masing_error *error)
{
    const char *const *names = picture->names;
    for (int k = 0; k < PICTURE_COLUMNS; k++) {
        picture->columns[k].index = -1;
        for (int i = 0; names[k] && i < n_columns; i++) {
            if (strcmp(columns[i].name, names[k]) == 0) {
                picture->columns[k] = (struct picture_column){i, columns[i].type};
            }
        }
        if (names[k] && picture->columns[k].index < 0) {
            return masing_error_set(error, MASING_INVALID, "%s: there is no column '%s'",
                                    name_of(picture), names[k]);
        }
    }
    return MASING_OK;
}

static enum masing_status sink_open(void *context, const struct masing_column *columns,
                                    int n_columns, struct masing_error *error)
{
    struct picture *picture = context;
    picture->n_columns = n_columns;
    enum masing_status status = find_columns(picture, columns, n_columns, error);
    if (picture->stream) {
        return status;
    }
    status = status ? status : result_file_open(picture->file, &picture->result, error);
    result_file_drop(&picture->result); /* it can be written: that will do until the end */
    return status;
}

static enum masing_status sink_row(void *context, const struct masing_cell *cells,
                                   struct masing_error *error)
{
    struct picture *picture = context;
    const struct picture_row row = {cells, picture->columns};
    return picture->kind->row(picture->content, &row, error);
}

static enum masing_status sink_fork(void *context, struct masing_sink *part,
                                    struct masing_error *error)
{
    const struct picture *picture = context;
    return row_buffer_create(picture->n_columns, part, error);
}

static enum masing_status sink_join(void *context, const struct masing_sink *part,
                                    struct masing_error *error)
{
    const struct masing_sink whole = {.context = context, .row = sink_row};
    return row_buffer_replay(part, &whole, error);
}

static enum masing_status draw(const struct picture *picture, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct picture_kind *kind = picture->kind;
    const struct masing_plot_settings *settings = &picture->settings;
    struct canvas canvas = {0};
    double height = kind->lay_out(picture->content, settings);
    const char *title = settings->title ? settings->title : "";
    TRY(picture->stream ? canvas_svg_create_inline(picture->stream, kind->width, height, title,
                                                   picture->mark, &canvas, error)
                        : picture->create_canvas(picture->result.stream, kind->width, height,
                                                 title, &canvas, error));
    TRY(kind->draw(picture->content, settings, &canvas, error));
    TRY(canvas.finish(canvas.context, error));
done:
    if (canvas.destroy) {
        canvas.destroy(canvas.context);
    }
    return status;
}

/* Draw with a decimal point, whatever the locale; a message names the file. */
static enum masing_status sink_finish(void *context, struct masing_error *error)
{
    struct picture *picture = context;
    struct masing_error reason = {0};
    locale_t points = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(points);
    enum masing_status status =
        picture->stream ? MASING_OK : result_file_open(picture->file, &picture->result, error);
    status = status ? status : draw(picture, &reason);
    uselocale(before);
    if (points) {
        freelocale(points);
    }
    if (status == MASING_OK) { /* nothing is open of a part of another file */
        return result_file_keep(picture->file, &picture->result, error);
    }
    result_file_drop(&picture->result);
    return picture->file
               ? masing_error_set(error, status, "%s: %s", picture->file, reason.message)
               : masing_error_set(error, status, "%s", reason.message);
}

static void sink_abandon(void *context)
{
    struct picture *picture = context;
    result_file_drop(&picture->result);
}

static void sink_destroy(void *context)
{
    struct picture *picture = context;
    if (!picture) {
        return;
    }
    sink_abandon(picture);
    if (picture->content) {
        picture->kind->clear(picture->content);
    }
    free(picture->content);
    arena_clear(&picture->texts);
    free(picture->file);
    free(picture);
}

static enum masing_status choose_format(struct picture *picture, struct masing_error *error)
{
    const char *file = picture->file;
    size_t length = strlen(file);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t ending = strlen(formats[i].ending);
        if (length > ending && strcmp(file + length - ending, formats[i].ending) == 0) {
            picture->create_canvas = formats[i].create;
            return MASING_OK;
        }
    }
    return masing_error_set(error, MASING_INVALID, "%s: a picture ends in .svg or .png", file);
}

static enum masing_status name_columns(struct picture *picture, struct masing_error *error)
{
    picture->kind->name_columns(&picture->settings, picture->names);
    for (int k = 0; k < picture->kind->n_required; k++) {
        if (!picture->names[k]) {
            return masing_error_set(error, MASING_INVALID, "%s: %s", name_of(picture),
                                    picture->kind->requirement);
        }
    }
    return MASING_OK;
}

enum masing_status picture_copy_settings(const struct masing_plot_settings *settings,
                                         struct arena *arena, struct masing_plot_settings *copy,
                                         struct masing_error *error)
{
    *copy = *settings;
    for (int i = 0; i < N_TEXTS; i++) {
        const char **text = (void *)((char *)copy + texts[i].offset);
        char *own = *text ? arena_text(arena, *text, strlen(*text)) : NULL;
        NEED_ALLOCATED(own || !*text);
        if (texts[i].is_shown) {
            picture_make_printable(own);
        }
        *text = own;
    }
    return MASING_OK;
}

/* All but the way in which it is drawn. */
static enum masing_status prepare(struct picture *picture,
                                  const struct masing_plot_settings *settings,
                                  struct masing_error *error)
{
    if ((size_t)settings->kind >= sizeof kinds / sizeof *kinds) {
        return masing_error_set(error, MASING_INVALID, "%s: there is no plot kind %d",
                                name_of(picture), (int)settings->kind);
    }
    picture->kind = kinds[settings->kind];
    NEED(picture_copy_settings(settings, &picture->texts, &picture->settings, error));
    NEED(name_columns(picture, error));
    NEED_ALLOCATED(picture->content = memory_array(1, picture->kind->size));
    return MASING_OK;
}

static struct masing_sink sink_of(struct picture *picture)
{
    return (struct masing_sink){picture,      sink_open,    sink_row,  sink_finish,
                                sink_abandon, sink_destroy, sink_fork, sink_join};
}

enum masing_status picture_inline_create(FILE *stream, const char *mark,
                                         const struct masing_plot_settings *settings,
                                         struct masing_sink *sink, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct picture *picture = memory_array(1, sizeof *picture);
    TRY_ALLOCATED(picture);
    picture->stream = stream;
    picture->mark = mark;
    TRY(prepare(picture, settings, error));
    *sink = sink_of(picture);
done:
    if (status != MASING_OK) {
        sink_destroy(picture);
    }
    return status;
}

enum masing_status masing_plot_create(const char *file,
                                      const struct masing_plot_settings *settings,
                                      struct masing_sink *sink, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_plot_settings given;
    struct picture *picture = NULL;
    error = entry_begin(error, &own);
    TRY(entry_need(file, "file", error));
    TRY(entry_need(settings, "settings", error));
    TRY(entry_need(sink, "sink", error));
    TRY(entry_read(settings, "settings", &given, sizeof given, error));
    TRY_ALLOCATED(picture = memory_array(1, sizeof *picture));
    TRY_ALLOCATED(picture->file = memory_text(file));
    TRY(choose_format(picture, error));
    TRY(prepare(picture, &given, error));
    *sink = sink_of(picture);
done:
    if (status != MASING_OK) {
        sink_destroy(picture);
    }
    return status;
}
