/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sinks that draw pictures share: the file, its format, texts that can be shown. */
#ifndef MASING_PLOT_PICTURE_H
#define MASING_PLOT_PICTURE_H

#include <stddef.h>
#include <stdio.h>

#include "plot/canvas.h"
#include "masing/table.h"

typedef enum masing_status picture_create(FILE *stream, double width, double height,
                                          const char *title, struct canvas *canvas,
                                          struct masing_error *error);

/* The file that a picture goes to. */
struct picture {
    char *name;
    FILE *stream; /* NULL while it is not open */
    picture_create *create;
};

/* The format is that of the file's ending. */
enum masing_status picture_begin(const char *file, struct picture *picture,
                                 struct masing_error *error);

enum masing_status picture_open(struct picture *picture, struct masing_error *error);

/* A column of each name, or -1 where the name is NULL; refused where there is none. */
enum masing_status picture_find_columns(const struct picture *picture,
                                        const struct masing_column *columns, int n_columns,
                                        const char *const *names, int n_names, int *found,
                                        struct masing_error *error);

/* What a picture consists of. */
struct picture_sheet {
    double width, height;
    const char *title; /* or NULL */
    void *context;
    enum masing_status (*draw)(void *context, struct canvas *canvas,
                               struct masing_error *error);
};

/* Draw with a decimal point and close the file; the message names it. */
enum masing_status picture_finish(struct picture *picture, const struct picture_sheet *sheet,
                                  struct masing_error *error);

/* Close the file as it is. */
void picture_abandon(struct picture *picture);
void picture_clear(struct picture *picture);

/* Anything that is not well-formed UTF-8 text on one line becomes a question mark. */
void picture_make_printable(char *text);

/* A printable copy; NULL stays NULL. */
enum masing_status picture_copy_text(const char *source, char **copy,
                                     struct masing_error *error);

#endif
