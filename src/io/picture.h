/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sinks that draw pictures share: the file, its format, texts that can be shown. */
#ifndef MASING_IO_PICTURE_H
#define MASING_IO_PICTURE_H

#include <stddef.h>
#include <stdio.h>

#include "io/canvas.h"

typedef enum masing_status picture_create(FILE *stream, double width, double height,
                                          const char *title, struct canvas *canvas,
                                          struct masing_error *error);

/* By the ending of the file. */
enum masing_status picture_choose(const char *file, picture_create **create,
                                  struct masing_error *error);

enum masing_status picture_open(const char *file, FILE **stream, struct masing_error *error);

/* Draw with a decimal point and close the stream; the message names the file. */
enum masing_status picture_finish(const char *file, FILE **stream,
                                  enum masing_status (*draw)(void *context,
                                                             struct masing_error *error),
                                  void *context, struct masing_error *error);

/* Anything that is not well-formed UTF-8 text on one line becomes a question mark. */
void picture_make_printable(char *text);

/* A printable copy; NULL stays NULL. */
enum masing_status picture_copy_text(const char *source, char **copy,
                                     struct masing_error *error);

/* Make room for one more; false where there is no memory. */
bool picture_grow(void **array, int count, int *capacity, size_t size);

#endif
