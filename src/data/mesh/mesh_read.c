/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A mesh from a file of any of the formats that are known. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "data/mesh/mesh_builder.h"
#include "data/text_file.h"

static const size_t LARGEST_FILE = (size_t)16 << 30;

static enum masing_status refuse_binary(const char *file, struct masing_error *error)
{
    return masing_error_set(
        error, MASING_UNSUPPORTED,
        "%.400s:2:1: gmsh's binary files are not supported: expected 2.2 or "
        "4.1 in ASCII",
        file);
}

enum masing_status mesh_parse(const char *text, size_t length, const char *file,
                              struct mesh *mesh, struct masing_error *error)
{
    static const char head[] = "$MeshFormat";
    struct mesh_builder builder = {.error = error};
    size_t mark = text_mark_length(text, length), first = mark;
    *mesh = (struct mesh){0};
    while (first < length && strchr(" \t\r\n", text[first]) && text[first]) {
        first++;
    }
    bool is_gmsh = length - first >= sizeof head && memcmp(text + first, head, 11) == 0;
    if (is_gmsh && memchr(text, '\0', length)) {
        return refuse_binary(file, error);
    }
    enum masing_status status = is_gmsh ? mesh_gmsh_read(&builder, text, length, file)
                                        : mesh_deck_read(&builder, text, length, file);
    status = status ? status : mesh_builder_finish(&builder, mesh);
    mesh_builder_clear(&builder);
    return status;
}

enum masing_status mesh_read(const char *file, struct mesh *mesh, struct masing_error *error)
{
    char *text = NULL;
    size_t length;
    *mesh = (struct mesh){0};
    enum masing_status status = text_file_read(file, LARGEST_FILE, &text, &length, error);
    status = status ? status : mesh_parse(text, length, file, mesh, error);
    free(text);
    return status;
}
