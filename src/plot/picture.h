/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a kind of picture provides. The sink (picture.c) has the file, its format and the
 * settings; the kind keeps what its picture shows of each row, and draws it when all have come.
 */
#ifndef MASING_PLOT_PICTURE_H
#define MASING_PLOT_PICTURE_H

#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"
#include "masing/table.h"
#include "plot/canvas.h"

enum { PICTURE_COLUMNS = 12 }; /* that a kind reads at most */

/* A column that a kind reads; index -1: the picture is drawn without it. */
struct picture_column {
    int index;
    enum masing_column_type type;
};

struct picture_row {
    const struct masing_cell *cells;
    const struct picture_column *columns; /* as the kind names them */
};

bool picture_has(const struct picture_row *row, int column);
/* NAN, 0, "" where the picture has no such column. */
double picture_number(const struct picture_row *row, int column);
unsigned picture_events(const struct picture_row *row, int column);
const char *picture_text(const struct picture_row *row, int column);

struct picture_kind {
    size_t size;  /* of the content, which begins as zeros */
    double width; /* of the sheet */
    /* Names of the columns that it reads; the first n_required must not be NULL. */
    void (*name_columns)(const struct masing_plot_settings *settings,
                         const char *names[PICTURE_COLUMNS]);
    int n_required;
    const char *requirement; /* in words */
    enum masing_status (*row)(void *content, const struct picture_row *row,
                              struct masing_error *error);
    /* All rows have come: the height of the sheet. */
    double (*lay_out)(void *content, const struct masing_plot_settings *settings);
    enum masing_status (*draw)(const void *content, const struct masing_plot_settings *settings,
                               const struct canvas *canvas, struct masing_error *error);
    void (*clear)(void *content);
};

extern const struct picture_kind curves_picture, map_picture, contacts_picture, pairs_picture,
    frequencies_picture;

/* A picture that becomes part of a page: SVG without a prolog, written to a stream when its
 * sink is finished. mark: lent, of the names in it, which no other picture of the page has. */
enum masing_status picture_inline_create(FILE *stream, const char *mark,
                                         const struct masing_plot_settings *settings,
                                         struct masing_sink *sink, struct masing_error *error);

/* Settings with copies of their texts, of which those that are shown are printable. */
enum masing_status picture_copy_settings(const struct masing_plot_settings *settings,
                                         struct arena *arena, struct masing_plot_settings *copy,
                                         struct masing_error *error);

/* What is not printable UTF-8 text on one line becomes a question mark, or U+FFFD where it has
 * as many bytes. */
void picture_make_printable(char *text);

#endif
