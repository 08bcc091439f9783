/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `joints:` a law, an axis, and the law's own numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "io/matrix_market.h"
#include "io/reader.h"
#include "io/suggest.h"

/* Laws of the format that may not exist in this version. */
static const char *const known_laws[] = {
    "contact",
    "contact_patch",
    NULL,
};

static bool is_known_law(const char *name)
{
    for (int i = 0; known_laws[i]; i++) {
        if (strcmp(known_laws[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static enum masing_status fail_law(struct reader *reader, const struct tree_node *node,
                                   const char *name)
{
    char hint[100], list[400] = "";
    if (is_known_law(name)) {
        char what[80];
        snprintf(what, sizeof what, "law '%.40s'", name);
        return reader_fail_unsupported(reader, node, what);
    }
    struct suggestion suggestion = suggest_begin(name);
    for (const struct masing_law *const *law = masing_laws(); *law; law++) {
        suggest_consider(&suggestion, (*law)->name);
        strncat(list, list[0] ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, (*law)->name, sizeof list - strlen(list) - 1);
    }
    return reader_fail(reader, node, "unknown law '%.60s'%s; there are %s", name,
                       suggest_text(&suggestion, hint, sizeof hint), list);
}

static enum masing_status find_law(struct reader *reader, struct tree_node *node,
                                   const struct masing_law **law)
{
    enum masing_status status = MASING_OK;
    struct tree_node *entry;
    const char *name;
    TRY(reader_mapping(reader, node));
    TRY(reader_required(reader, node, "law", &entry));
    TRY(reader_text(reader, entry, "law", &name));
    *law = masing_law_find(name);
    if (!*law) {
        TRY(fail_law(reader, entry, name));
    }
    if ((*law)->n_axes != 1) {
        TRY(reader_fail_unsupported(reader, entry, "a law with several axes"));
    }
done:
    return status;
}

/* A column of a matrix whose rows are the DOFs. */
static enum masing_status read_axis_column(struct reader *reader, struct tree_node *node,
                                           struct masing_combination *axis)
{
    static const char *const keys[] = {"file", "column", NULL};
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    struct matrix_expectation expectation = {reader->spec->structure.n_dofs, 0, false,
                                             "one for each DOF"};
    struct placed_matrix matrix = {0};
    struct tree_node *file_node, *column_node = tree_find(node, "column");
    char *file = NULL;
    int column = 1;
    TRY(reader_keys(reader, node, keys, NULL));
    TRY(reader_required(reader, node, "file", &file_node));
    TRY(reader_file(reader, file_node, "file", &file));
    TRY(matrix_market_read(file, &expectation, &matrix, error));
    if (column_node) {
        TRY(reader_integer(reader, column_node, "column", 1, matrix.n_columns, &column));
    } else if (matrix.n_columns > 1) {
        TRY(reader_fail(reader, node, "missing key 'column' (1 to %d)", matrix.n_columns));
    }
    axis->terms = memory_array((size_t)matrix.n_rows, sizeof *axis->terms);
    TRY_ALLOCATED(axis->terms);
    const double *weights = matrix.real + (size_t)(column - 1) * (size_t)matrix.n_rows;
    for (int i = 0; i < matrix.n_rows; i++) {
        if (weights[i] != 0.0) {
            struct masing_term term = {i, weights[i]};
            axis->terms[axis->n_terms++] = term;
        }
    }
    if (!axis->n_terms) {
        TRY(reader_fail(reader, node, "axis: column %d of the matrix is zero", column));
    }
done:
    placed_matrix_clear(&matrix);
    free(file);
    return status;
}

static bool is_axis_column(const struct tree_node *node)
{
    const struct tree_node *file = tree_find(node, "file");
    return file && (node->count == 1 || tree_find(node, "column"));
}

static enum masing_status read_axis(struct reader *reader, struct tree_node *node,
                                    struct masing_combination *combination)
{
    struct tree_node *axis = tree_find(node, "axis");
    const struct tree_node *from = tree_find(node, "from"), *to = tree_find(node, "to");
    if (axis && (from || to)) {
        return reader_fail(reader, axis, "axis: 'from' and 'to' are given already");
    }
    if (!axis && !from && !to) {
        return reader_fail(reader, node, "missing keys 'from' and 'to' (or 'axis')");
    }
    if (!axis) {
        return reader_from_to(reader, node, combination);
    }
    if (tree_find(axis, "from") || tree_find(axis, "to")) {
        static const char *const keys[] = {"from", "to", NULL};
        enum masing_status status = reader_keys(reader, axis, keys, NULL);
        return status ? status : reader_from_to(reader, axis, combination);
    }
    return is_axis_column(axis) ? read_axis_column(reader, axis, combination)
                                : reader_weights(reader, axis, combination);
}

/* Without a structure the names lead nowhere, but they are texts and the weights numbers. */
static enum masing_status check_axis(struct reader *reader, const struct tree_node *node)
{
    static const char *const ends[] = {"from", "to"};
    enum masing_status status = MASING_OK;
    const struct tree_node *axis = tree_find(node, "axis");
    const char *text;
    double weight;
    for (int i = 0; i < 2; i++) {
        const struct tree_node *end = tree_find(node, ends[i]);
        TRY(end ? reader_text(reader, end, ends[i], &text) : MASING_OK);
    }
    TRY(axis ? reader_open_mapping(reader, axis) : MASING_OK);
    for (struct tree_node *child = axis ? axis->first : NULL; child; child = child->next) {
        bool is_word = !strcmp(child->key, "from") || !strcmp(child->key, "to") ||
                       !strcmp(child->key, "file");
        TRY(is_word ? reader_text(reader, child, child->key, &text)
                    : reader_number(reader, child, child->key, &weight));
    }
done:
    return status;
}

static enum masing_status read_parameters_of(struct reader *reader, struct tree_node *node,
                                             struct masing_joint_spec *joint)
{
    static const char *const keys[] = {"name", "law", "from", "to", "axis", NULL};
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    const struct masing_law *law = joint->law;
    const char **fields = reader_field_keys(reader, law->fields, law->n_fields);
    TRY_ALLOCATED(fields);
    TRY(reader_keys(reader, node, keys, fields));
    joint->parameters = memory_array(1, law->parameters_size);
    TRY_ALLOCATED(joint->parameters);
    TRY(reader_fields(reader, node, law->fields, law->n_fields, joint->parameters));
done:
    free(fields);
    return status;
}

static enum masing_status read_name(struct reader *reader, struct tree_node *node,
                                    struct masing_joint_spec *joint)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    struct tree_node *name;
    const char *text;
    TRY(reader_required(reader, node, "name", &name));
    TRY(reader_text(reader, name, "name", &text));
    const char *fault = names_fault(text);
    if (fault) {
        TRY(reader_fail(reader, name, "'%.60s' cannot name a joint: %s", text, fault));
    }
    joint->name = memory_text(text);
    TRY_ALLOCATED(joint->name);
done:
    return status;
}

static enum masing_status read_joint(struct reader *reader, struct tree_node *node,
                                     struct masing_joint_spec *joint)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    joint->place = node->place;
    TRY(find_law(reader, node, &joint->law));
    TRY(read_parameters_of(reader, node, joint));
    TRY(read_name(reader, node, joint));
    TRY(read_law_check(reader, node, joint));
    joint->axes = memory_array((size_t)masing_joint_spec_axes(joint), sizeof *joint->axes);
    TRY_ALLOCATED(joint->axes);
    TRY(reader->spec->structure.n_dofs > 0 ? read_axis(reader, node, &joint->axes[0])
                                           : check_axis(reader, node));
done:
    return status;
}

static enum masing_status refuse_repeated(struct reader *reader, const struct tree_node *list)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    struct names names = {0};
    int n = reader->spec->n_joints, first = 0;
    char **texts = memory_array((size_t)n, sizeof *texts);
    TRY_ALLOCATED(texts);
    for (int i = 0; i < n; i++) {
        texts[i] = reader->spec->joints[i].name;
    }
    TRY(names_create(texts, n, &names, error));
    int repeated = names_repeated(&names, &first);
    if (repeated >= 0) {
        const struct tree_node *node = tree_find(tree_at(list, repeated), "name");
        TRY(reader_fail(reader, node, "a joint '%s' stands in line %d already", texts[repeated],
                        tree_at(list, first)->place.line));
    }
done:
    names_clear(&names);
    free(texts);
    return status;
}

enum masing_status read_joints(struct reader *reader)
{
    enum { MAX_JOINTS = 10000 };
    struct masing_spec *spec = reader->spec;
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    struct tree_node *list = tree_find(reader->tree->root, "joints");
    if (!list || tree_is_null(list)) {
        return MASING_OK;
    }
    TRY(reader_sequence(reader, list));
    if (list->count > MAX_JOINTS) {
        TRY(reader_fail(reader, list, "joints: more than %d", MAX_JOINTS));
    }
    spec->joints = memory_array((size_t)list->count, sizeof *spec->joints);
    TRY_ALLOCATED(spec->joints);
    for (struct tree_node *node = list->first; node; node = node->next) {
        TRY(read_joint(reader, node, &spec->joints[spec->n_joints++]));
    }
    TRY(refuse_repeated(reader, list));
done:
    return status;
}
