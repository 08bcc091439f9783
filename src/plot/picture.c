/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plot/picture.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

static const struct {
    const char *ending;
    picture_create *create;
} formats[] = {
    {".svg", canvas_svg_create},
    {".png", canvas_png_create},
};

static enum masing_status choose(const char *file, picture_create **create,
                                 struct masing_error *error)
{
    size_t length = strlen(file);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t ending = strlen(formats[i].ending);
        if (length > ending && strcmp(file + length - ending, formats[i].ending) == 0) {
            *create = formats[i].create;
            return MASING_OK;
        }
    }
    return masing_error_set(error, MASING_INVALID, "%s: a picture ends in .svg or .png", file);
}

enum masing_status picture_begin(const char *file, struct picture *picture,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY(choose(file, &picture->create, error));
    picture->name = memory_text(file);
    TRY_ALLOCATED(picture->name);
done:
    return status;
}

enum masing_status picture_open(struct picture *picture, struct masing_error *error)
{
    picture->stream = fopen(picture->name, "wb");
    if (!picture->stream) {
        return masing_error_set(error, MASING_IO, "%s: cannot write: %s", picture->name,
                                strerror(errno));
    }
    return MASING_OK;
}

enum masing_status picture_find_columns(const struct picture *picture,
                                        const struct masing_column *columns, int n_columns,
                                        const char *const *names, int n_names, int *found,
                                        struct masing_error *error)
{
    for (int k = 0; k < n_names; k++) {
        found[k] = -1;
        for (int i = 0; names[k] && i < n_columns; i++) {
            if (strcmp(columns[i].name, names[k]) == 0) {
                found[k] = i;
            }
        }
        if (names[k] && found[k] < 0) {
            return masing_error_set(error, MASING_INVALID, "%s: there is no column '%s'",
                                    picture->name, names[k]);
        }
    }
    return MASING_OK;
}

static enum masing_status draw(const struct picture *picture, const struct picture_sheet *sheet,
                               struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct canvas canvas = {0};
    TRY(picture->create(picture->stream, sheet->width, sheet->height,
                        sheet->title ? sheet->title : "", &canvas, error));
    TRY(sheet->draw(sheet->context, &canvas, error));
    TRY(canvas.finish(canvas.context, error));
done:
    if (canvas.destroy) {
        canvas.destroy(canvas.context);
    }
    return status;
}

enum masing_status picture_finish(struct picture *picture, const struct picture_sheet *sheet,
                                  struct masing_error *error)
{
    struct masing_error reason = {0};
    locale_t points = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(points);
    enum masing_status status = draw(picture, sheet, &reason);
    uselocale(before);
    if (points) {
        freelocale(points);
    }
    FILE *closing = picture->stream;
    picture->stream = NULL;
    if (fclose(closing) != 0 && status == MASING_OK) {
        status = masing_error_set(&reason, MASING_IO, "cannot write: %s", strerror(errno));
    }
    if (status != MASING_OK) {
        masing_error_set(error, status, "%s: %s", picture->name, reason.message);
    }
    return status;
}

void picture_abandon(struct picture *picture)
{
    if (picture->stream) {
        fclose(picture->stream);
        picture->stream = NULL;
    }
}

void picture_clear(struct picture *picture)
{
    picture_abandon(picture);
    free(picture->name);
    picture->name = NULL;
}

void picture_make_printable(char *text)
{
    unsigned char *c = (unsigned char *)text;
    while (c && *c) {
        int length = *c < 0x80                 ? 1
                     : *c >= 0xc2 && *c < 0xe0 ? 2
                     : *c >= 0xe0 && *c < 0xf0 ? 3
                     : *c >= 0xf0 && *c < 0xf5 ? 4
                                               : 0;
        bool good = length > 0 && *c >= 0x20 && *c != 0x7f;
        for (int i = 1; good && i < length; i++) {
            good = (c[i] & 0xc0) == 0x80;
        }
        good = good && !(*c == 0xe0 && c[1] < 0xa0) && !(*c == 0xed && c[1] > 0x9f) &&
               !(*c == 0xf0 && c[1] < 0x90) && !(*c == 0xf4 && c[1] > 0x8f);
        if (good) {
            c += length;
        } else {
            *c++ = '?';
        }
    }
}

enum masing_status picture_copy_text(const char *source, char **copy,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    if (source) {
        *copy = memory_text(source);
        TRY_ALLOCATED(*copy);
        picture_make_printable(*copy);
    }
done:
    return status;
}
