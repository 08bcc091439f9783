/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/libraries/matio_library.h"
#include "data/tree/tree.h"
#include "masing/text.h"

enum { LONGEST_NAME = 63, N_OF_COLUMN = 3 };

/* Bytes that a variable of level 5 may have; what surrounds the values of one array, at most.
 */
static const double MOST_BYTES = 2147483647.0, AROUND_ARRAY = 128.0;

/* A file that is open, and what of it failed first. What variables hold stays until its end. */
struct mat {
    struct matio_library matio;
    mat_t *file;
    struct arena arena;
    enum masing_status status;
    struct masing_error *error;
};

/* A letter, then letters, digits and underscores. A word of the language may be a field. */
static void make_valid(char *name)
{
    if (!isalpha((unsigned char)*name)) {
        memmove(name + 1, name, strlen(name) + 1);
        *name = 'x';
    }
    for (char *c = name; *c; c++) {
        if (!isalnum((unsigned char)*c) && *c != '_') {
            *c = '_';
        }
    }
}

static void *note(struct mat *mat, void *made)
{
    if (!made && mat->status == MASING_OK) {
        mat->status = masing_error_set(mat->error, MASING_NO_MEMORY, "out of memory");
    }
    return made;
}

/* Values that are there as long as the variable; the arena or the tree has them. */
static matvar_t *make(struct mat *mat, const char *name, enum matio_classes class,
                      enum matio_types type, int rank, const size_t *sizes, void *values,
                      int flags)
{
    size_t copy[TREE_MOST_DIMENSIONS] = {1, 1, 1};
    for (int i = 0; i < rank; i++) {
        copy[i] = sizes[i];
    }
    return note(mat, mat->matio.VarCreate(name, class, type, rank < 2 ? 2 : rank, copy, values,
                                          MAT_F_DONT_COPY_DATA | flags));
}

/* UTF-16, as MATLAB has texts, and said so: there are readers that take numbers of 16 bits for
 * bytes. What is not UTF-8 becomes U+FFFD. */
static matvar_t *make_text(struct mat *mat, const char *name, const char *text)
{
    size_t left = text ? strlen(text) : 0, n = 0, step;
    uint16_t *units = note(mat, arena_array(&mat->arena, 2 * left + 1, sizeof *units));
    for (const char *c = text; units && left > 0; c += step, left -= step) {
        unsigned code;
        step = masing_text_next(c, left, &code);
        code = code == MASING_TEXT_NOT_UTF8 ? 0xFFFD : code;
        if (code > 0xFFFF) {
            units[n++] = (uint16_t)(0xD7C0 + (code >> 10));
            code = 0xDC00 | (code & 0x3FF);
        }
        units[n++] = (uint16_t)code;
    }
    const size_t sizes[] = {n > 0, n};
    return units ? make(mat, name, MAT_C_CHAR, MAT_T_UTF16, 2, sizes, units, 0) : NULL;
}

static matvar_t *make_cells(struct mat *mat, const char *name, size_t n,
                            const char *const *texts)
{
    const size_t sizes[] = {n, 1};
    matvar_t *cells = make(mat, name, MAT_C_CELL, MAT_T_CELL, 2, sizes, NULL, 0);
    for (size_t i = 0; cells && i < n; i++) {
        mat->matio.VarSetCell(cells, (int)i, make_text(mat, NULL, texts[i]));
    }
    return cells;
}

/* Where an item with its last index running fastest goes when its first one does. */
static size_t transposed(const struct tree_array *array, size_t item)
{
    size_t at = 0, stride = tree_array_count(array);
    for (int i = array->rank - 1; i >= 0; i--) {
        stride /= array->sizes[i];
        at += item % array->sizes[i] * stride;
        item /= array->sizes[i];
    }
    return at;
}

/* Part 0 or 1 of each item of n_parts doubles. */
static double *take_part(struct mat *mat, const struct tree_array *array, const double *values,
                         size_t part, size_t n_parts)
{
    size_t n = tree_array_count(array);
    double *taken = note(mat, arena_doubles(&mat->arena, n));
    for (size_t i = 0; taken && i < n; i++) {
        taken[transposed(array, i)] = values[i * n_parts + part];
    }
    return taken;
}

static matvar_t *make_complex(struct mat *mat, const char *name, const struct tree_array *array,
                              const double *values)
{
    mat_complex_split_t *parts = note(mat, arena_allocate(&mat->arena, sizeof *parts));
    double *re = take_part(mat, array, values, 0, 2), *im = take_part(mat, array, values, 1, 2);
    if (!parts || !re || !im) {
        return NULL;
    }
    *parts = (mat_complex_split_t){re, im};
    return make(mat, name, MAT_C_DOUBLE, MAT_T_DOUBLE, array->rank, array->sizes, parts,
                MAT_F_COMPLEX);
}

static matvar_t *make_real(struct mat *mat, const char *name, const struct tree_array *array,
                           const double *values)
{
    double *taken = take_part(mat, array, values, 0, 1);
    return taken ? make(mat, name, MAT_C_DOUBLE, MAT_T_DOUBLE, array->rank, array->sizes, taken,
                        0)
                 : NULL;
}

/* Numbers are doubles throughout: integers of MATLAB do not go with them in one expression. */
static matvar_t *make_integers(struct mat *mat, const char *name,
                               const struct tree_array *array, const int *values)
{
    size_t n = tree_array_count(array);
    double *numbers = note(mat, arena_doubles(&mat->arena, n));
    for (size_t i = 0; numbers && i < n; i++) {
        numbers[i] = values[i];
    }
    return numbers ? make_real(mat, name, array, numbers) : NULL;
}

static matvar_t *make_array(struct mat *mat, const char *name, const struct tree_array *array)
{
    const void *values = NULL;
    void *own = NULL;
    matvar_t *made = NULL;
    enum masing_status status = tree_array_values(array, &values, &own, mat->error);
    if (status != MASING_OK) {
        mat->status = mat->status ? mat->status : status;
        return NULL;
    }
    switch (array->type) {
    case TREE_REAL:
        made = make_real(mat, name, array, values);
        break;
    case TREE_INTEGER:
        made = make_integers(mat, name, array, values);
        break;
    case TREE_COMPLEX:
        made = make_complex(mat, name, array, values);
        break;
    case TREE_TEXT:
        made = array->rank == 0 ? make_text(mat, name, *(const char *const *)values)
                                : make_cells(mat, name, tree_array_count(array), values);
        break;
    }
    free(own);
    return made;
}

/* A struct array of so many fields; its names are copied. */
static matvar_t *make_struct(struct mat *mat, const char *name, size_t n, const char **fields,
                             int n_fields)
{
    size_t sizes[] = {1, n};
    return note(mat, mat->matio.VarCreateStruct(name, 2, sizes, fields, (unsigned)n_fields));
}

static void set_field(struct mat *mat, matvar_t *whole, int field, size_t index,
                      matvar_t *value)
{
    if (whole && value) {
        mat->matio.VarSetStructFieldByIndex(whole, (size_t)field, index, value);
    }
}

static matvar_t *make_attributes(struct mat *mat, const struct tree_group *group)
{
    const char **fields = NULL;
    enum masing_status status = tree_names(group->attributes, group->n_attributes, make_valid,
                                           LONGEST_NAME, &mat->arena, &fields, mat->error);
    mat->status = mat->status ? mat->status : status;
    matvar_t *made = fields ? make_struct(mat, NULL, 1, fields, group->n_attributes) : NULL;
    for (int i = 0; made && i < group->n_attributes; i++) {
        set_field(mat, made, i, 0, make_array(mat, NULL, &group->attributes[i]));
    }
    return made;
}

/* Groups with the same arrays as a struct array, their attributes as a field behind them. */
static matvar_t *make_groups(struct mat *mat, const char *name, const struct tree_group *groups,
                             int n)
{
    const char **fields = NULL;
    int n_arrays = groups->n_arrays, n_fields = n_arrays + (groups->n_attributes > 0);
    struct tree_array *named =
        note(mat, arena_array(&mat->arena, (size_t)n_arrays + 1, sizeof *named));
    if (!named) {
        return NULL;
    }
    if (n_arrays > 0) {
        memcpy(named, groups->arrays, (size_t)n_arrays * sizeof *named);
    }
    named[n_arrays].name = "attributes";
    enum masing_status status =
        tree_names(named, n_fields, make_valid, LONGEST_NAME, &mat->arena, &fields, mat->error);
    mat->status = mat->status ? mat->status : status;
    matvar_t *made = fields ? make_struct(mat, name, (size_t)n, fields, n_fields) : NULL;
    for (int i = 0; made && i < n && mat->status == MASING_OK; i++) {
        for (int k = 0; k < n_arrays; k++) {
            set_field(mat, made, k, (size_t)i, make_array(mat, NULL, &groups[i].arrays[k]));
        }
        if (n_fields > n_arrays) {
            set_field(mat, made, n_arrays, (size_t)i, make_attributes(mat, &groups[i]));
        }
    }
    return made;
}

/* Of each field of a group its name and the unit. */
static matvar_t *make_columns(struct mat *mat, const struct tree_group *group)
{
    static const char *of_column[N_OF_COLUMN] = {"field", "name", "unit"};
    const char **fields = NULL;
    enum masing_status status = tree_names(group->arrays, group->n_arrays, make_valid,
                                           LONGEST_NAME, &mat->arena, &fields, mat->error);
    mat->status = mat->status ? mat->status : status;
    matvar_t *made =
        fields ? make_struct(mat, NULL, (size_t)group->n_arrays, of_column, N_OF_COLUMN) : NULL;
    for (int i = 0; made && i < group->n_arrays; i++) {
        const struct tree_array *array = &group->arrays[i];
        const char *texts[N_OF_COLUMN] = {fields[i], array->name, array->unit};
        for (int k = 0; k < N_OF_COLUMN; k++) {
            set_field(mat, made, k, (size_t)i, make_text(mat, NULL, texts[k]));
        }
    }
    return made;
}

/* What a group is of: itself, or the first of its list; NULL: an empty list. */
static const struct tree_group *pattern_of(const struct tree_group *group)
{
    return !group->is_list ? group : group->n_groups > 0 ? group->groups : NULL;
}

static void put(struct mat *mat, matvar_t *variable)
{
    if (variable && mat->status == MASING_OK) {
        mat->matio.VarWrite(mat->file, variable, MAT_COMPRESSION_NONE);
    }
    if (variable) {
        mat->matio.VarFree(variable);
    }
    arena_clear(&mat->arena);
}

static void put_columns(struct mat *mat, const struct tree_group *root)
{
    const char **names =
        note(mat, arena_array(&mat->arena, (size_t)root->n_groups + 1, sizeof *names));
    int n = 0;
    for (int i = 0; names && i < root->n_groups; i++) {
        names[n] = root->groups[i].name;
        n += pattern_of(&root->groups[i]) != NULL;
    }
    matvar_t *made = names ? make_struct(mat, "columns", 1, names, n) : NULL;
    for (int i = 0, field = 0; made && i < root->n_groups; i++) {
        const struct tree_group *pattern = pattern_of(&root->groups[i]);
        if (pattern) {
            set_field(mat, made, field++, 0, make_columns(mat, pattern));
        }
    }
    put(mat, made);
}

static void put_all(struct mat *mat, const struct tree_group *root)
{
    for (int i = 0; i < root->n_attributes; i++) {
        put(mat, make_array(mat, root->attributes[i].name, &root->attributes[i]));
    }
    for (int i = 0; i < root->n_arrays; i++) {
        put(mat, make_array(mat, root->arrays[i].name, &root->arrays[i]));
    }
    for (int i = 0; i < root->n_groups; i++) {
        const struct tree_group *group = &root->groups[i], *first = pattern_of(group);
        if (first) {
            int n = group->is_list ? group->n_groups : 1;
            put(mat, make_groups(mat, group->name, first, n));
        }
    }
    put_columns(mat, root);
}

/* ---- how large it is ---- */

static double size_of_array(const struct tree_array *array)
{
    const void *values = array->values;
    size_t count = tree_array_count(array);
    double bytes = AROUND_ARRAY;
    if (array->type != TREE_TEXT) {
        return bytes + (double)count * (array->type == TREE_COMPLEX ? 16.0 : 8.0);
    }
    for (size_t i = 0; values && i < count; i++) {
        const char *text = ((const char *const *)values)[i];
        bytes += AROUND_ARRAY + (text ? 2.0 * (double)strlen(text) : 0.0);
    }
    return bytes;
}

static double size_of_group(const struct tree_group *group)
{
    double bytes = AROUND_ARRAY;
    for (int i = 0; i < group->n_attributes; i++) {
        bytes += AROUND_ARRAY + size_of_array(&group->attributes[i]);
    }
    for (int i = 0; i < group->n_arrays; i++) {
        bytes += size_of_array(&group->arrays[i]);
    }
    for (int i = 0; i < group->n_groups; i++) {
        bytes += size_of_group(&group->groups[i]);
    }
    return bytes;
}

static enum masing_status check_size(const struct tree_group *root, const char *file,
                                     double limit, struct masing_error *error)
{
    for (int i = 0; i < root->n_groups; i++) {
        double bytes = size_of_group(&root->groups[i]);
        if (bytes > limit) {
            return masing_error_set(error, MASING_UNSUPPORTED,
                                    "%s: '%s' takes %.3g bytes, and a variable of such a file "
                                    "has %.10g at most; .h5 has no such limit",
                                    file, root->groups[i].name, bytes, limit);
        }
    }
    return MASING_OK;
}

/* matio does not look whether what it writes was written. */
static enum masing_status check_written(const char *path, const char *file,
                                        struct masing_error *error)
{
    FILE *stream = fopen(path, "rb");
    bool is_whole = stream && matio_file_is_whole(stream);
    if (stream) {
        fclose(stream);
    }
    return is_whole ? MASING_OK
                    : masing_error_set(error, MASING_IO,
                                       "%s: cannot write: not all of it was taken", file);
}

enum masing_status tree_write_matlab(const struct tree_group *root, const char *path,
                                     const char *file, double limit, struct masing_error *error)
{
    char header[116];
    struct mat mat = {.error = error};
    NEED(check_size(root, file, limit > 0.0 ? limit : MOST_BYTES, error));
    NEED(matio_library_hold(&mat.matio, error));
    snprintf(header, sizeof header, "MATLAB 5.0 MAT-file, written by masing %s",
             masing_version());
    mat.file = mat.matio.CreateVer(path, header, MAT_FT_MAT5);
    if (mat.file) {
        put_all(&mat, root);
        mat.matio.Close(mat.file);
    } else {
        mat.status = masing_error_set(error, MASING_IO, "%s: cannot write: matio failed", file);
    }
    matio_library_release(&mat.matio);
    return mat.status ? mat.status : check_written(path, file, error);
}
