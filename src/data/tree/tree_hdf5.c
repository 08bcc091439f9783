/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/libraries/hdf5_writer.h"
#include "data/tree/tree.h"

enum { LONGEST_NAME = 1024 };

/* A slash parts groups, and "." is the group itself. */
static void make_valid(char *name)
{
    for (char *c = name; *c; c++) {
        if (*c == '/') {
            *c = '_';
        }
    }
    if (!*name || strcmp(name, ".") == 0) {
        memcpy(name, "_", 2);
    }
}

/* NULL: out of memory */
static void *without_gaps(const struct tree_array *array, const void *values)
{
    const char *const *texts = values;
    size_t n = tree_array_count(array);
    const char **whole = memory_array(n, sizeof *whole);
    for (size_t i = 0; whole && i < n; i++) {
        whole[i] = texts[i] ? texts[i] : "";
    }
    return whole;
}

static void put(struct hdf5_writer *writer, hid_t place, const char *name,
                const struct tree_array *array, const void *values, bool is_attribute)
{
    const struct hdf5_library *l = &writer->library;
    const hid_t in_file[] = {l->file_double, l->file_int, writer->complex, writer->text};
    const hid_t types[] = {l->native_double, l->native_int, writer->complex, writer->text};
    hsize_t sizes[TREE_MOST_DIMENSIONS];
    for (int i = 0; i < array->rank; i++) {
        sizes[i] = array->sizes[i];
    }
    if (is_attribute) {
        hdf5_writer_attribute(writer, place, name, 0, types[array->type], values);
    } else {
        hdf5_writer_put(writer, place, name, array->rank, sizes, in_file[array->type],
                        types[array->type], values, array->unit);
    }
}

static void put_array(struct hdf5_writer *writer, hid_t place, const char *name,
                      const struct tree_array *array, bool is_attribute)
{
    const void *values = NULL;
    void *own = NULL, *texts = NULL;
    enum masing_status status = tree_array_values(array, &values, &own, writer->error);
    if (status == MASING_OK && array->type == TREE_TEXT) {
        values = texts = without_gaps(array, values);
        status = texts ? MASING_OK
                       : masing_error_set(writer->error, MASING_NO_MEMORY, "out of memory");
    }
    if (status == MASING_OK) {
        put(writer, place, name, array, values, is_attribute);
    } else if (writer->status == MASING_OK) {
        writer->status = status;
    }
    free(own);
    free(texts);
}

static void put_arrays(struct hdf5_writer *writer, hid_t place, const struct tree_array *arrays,
                       int n, bool are_attributes)
{
    struct arena arena = {0};
    const char **names = NULL;
    enum masing_status status =
        tree_names(arrays, n, make_valid, LONGEST_NAME, &arena, &names, writer->error);
    if (status != MASING_OK && writer->status == MASING_OK) {
        writer->status = status;
    }
    for (int i = 0; i < n && writer->status == MASING_OK; i++) {
        put_array(writer, place, names[i], &arrays[i], are_attributes);
    }
    arena_clear(&arena);
}

/* What a group holds but its groups. */
static void put_content(struct hdf5_writer *writer, hid_t place, const struct tree_group *group)
{
    put_arrays(writer, place, group->attributes, group->n_attributes, true);
    put_arrays(writer, place, group->arrays, group->n_arrays, false);
}

/* Groups of a list have no groups of their own. */
static void put_list(struct hdf5_writer *writer, hid_t place, const struct tree_group *list)
{
    int digits = tree_digits(list->n_groups);
    for (int i = 0; i < list->n_groups && writer->status == MASING_OK; i++) {
        char name[16];
        snprintf(name, sizeof name, "%0*d", digits, i);
        hid_t group = hdf5_writer_group(writer, place, name);
        put_content(writer, group, &list->groups[i]);
        hdf5_writer_end_group(writer, group);
    }
}

enum masing_status tree_write_hdf5(const struct tree_group *root, FILE *stream,
                                   const char *file, struct masing_error *error)
{
    struct hdf5_writer writer;
    hdf5_writer_open(&writer, file, 0, error);
    put_content(&writer, writer.file, root);
    for (int i = 0; i < root->n_groups && writer.status == MASING_OK; i++) {
        hid_t group = hdf5_writer_group(&writer, writer.file, root->groups[i].name);
        put_content(&writer, group, &root->groups[i]);
        put_list(&writer, group, &root->groups[i]);
        hdf5_writer_end_group(&writer, group);
    }
    return hdf5_writer_close(&writer, stream);
}
