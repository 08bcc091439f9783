/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/matrices/nastran.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/check.h"

static void note_other(struct nastran *nastran, const char *name)
{
    size_t used = strlen(nastran->others);
    size_t length = strlen(name);
    bool is_last = used >= length && !strcmp(nastran->others + used - length, name);
    if (!is_last) {
        snprintf(nastran->others + used, sizeof nastran->others - used, "%s%s",
                 used ? ", " : "", name);
    }
}

enum masing_status nastran_is_wanted(struct nastran *nastran, const struct text_word *word,
                                     bool *is_wanted)
{
    char name[sizeof nastran->first];
    snprintf(name, sizeof name, "%.*s", text_word_shown(word), word->text);
    if (!nastran->first[0] && (!nastran->name || !strcasecmp(nastran->name, name))) {
        snprintf(nastran->first, sizeof nastran->first, "%s", name);
    }
    *is_wanted = !strcasecmp(nastran->first, name);
    if (!*is_wanted && !nastran->name) {
        return text_lines_fail(&nastran->lines, word->column,
                               "the file has more than one matrix (%s, %s): expected {file: "
                               "..., name: ...}",
                               nastran->first, name);
    }
    if (!*is_wanted) {
        note_other(nastran, name);
    }
    return MASING_OK;
}

static enum masing_status read_file(const struct nastran_source *source,
                                    struct node_table *table, struct node_matrix *matrix,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct nastran nastran = {
        .name = source->name, .table = table, .matrix = matrix, .error = error};
    char *text = NULL;
    size_t length;
    matrix->list.file = source->file;
    TRY(matrix_text_begin(&nastran.lines, source->file, '$', &text, &length, error));
    enum matrix_format format = matrix_format_of(text, length);
    if (format == MATRIX_DMIG) {
        TRY(nastran_read_dmig(&nastran));
    } else if (format == MATRIX_OUTPUT4) {
        TRY(nastran_read_output4(&nastran));
    } else {
        TRY(matrix_format_fail(source->file, format, "DMIG entries or OUTPUT4 as text", error));
    }
    if (!nastran.first[0]) {
        status = masing_error_set(error, MASING_INVALID,
                                  "%.400s: has no matrix called '%.40s', but %s", source->file,
                                  source->name ? source->name : "",
                                  nastran.others[0] ? nastran.others : "none at all");
    }
done:
    free(text);
    return status;
}

/* Rows without names and directions of nodes do not go together. */
static enum masing_status check_kinds(const struct node_matrix *stiffness,
                                      const struct node_matrix *mass,
                                      struct masing_error *error)
{
    return (stiffness->n_rows > 0) == (mass->n_rows > 0)
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID,
                                  "%.400s: is one of DMIG and OUTPUT4, '%.300s' the other: "
                                  "expected one format for both",
                                  mass->list.file, stiffness->list.file);
}

enum masing_status nastran_read(const struct nastran_source *stiffness_source,
                                const struct nastran_source *mass_source,
                                struct node_matrices *matrices, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct node_table table = {0};
    struct node_matrix stiffness = {.n_rows = 0}, mass = {.n_rows = 0};
    *matrices = (struct node_matrices){0};
    TRY(read_file(stiffness_source, &table, &stiffness, error));
    TRY(read_file(mass_source, &table, &mass, error));
    TRY(check_kinds(&stiffness, &mass, error));
    TRY(node_matrices_make(&table, &stiffness, &mass, matrices, error));
    TRY(node_matrices_check(matrices, stiffness_source->file, mass_source->file, error));
done:
    node_table_clear(&table);
    entry_list_clear(&stiffness.list);
    entry_list_clear(&mass.list);
    if (status != MASING_OK) {
        node_matrices_clear(matrices);
    }
    return status;
}
