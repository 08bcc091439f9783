/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One axis of a joint, and which form the axes of a law's joints have. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "model_file/joint_axes.h"
#include "data/matrix_market.h"

enum joint_form joint_form(const struct masing_law *law)
{
    if (!law->axis_names) {
        return JOINT_FORM_AXIS;
    }
    bool is_contact = strcmp(law->axis_names[0], "normal") == 0;
    return is_contact ? JOINT_FORM_CONTACT : JOINT_FORM_NODES;
}

const char *const *joint_axes_keys(enum joint_form form)
{
    static const char *const axis[] = {"from", "to", "axis", NULL};
    static const char *const contact[] = {"normal", "tangential", "pairs", "per_area", NULL};
    static const char *const nodes[] = {"from", "to", NULL};
    return form == JOINT_FORM_AXIS ? axis : form == JOINT_FORM_CONTACT ? contact : nodes;
}

enum masing_status joint_axes_create(struct reader *reader, unsigned mask,
                                     struct masing_joint_spec *joint)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    int n = 0;
    for (unsigned rest = mask; rest; rest >>= 1) {
        n += (int)(rest & 1U);
    }
    joint->n_axes = n;
    joint->present = mask;
    joint->axes = memory_array((size_t)n, sizeof *joint->axes);
    TRY_ALLOCATED(joint->axes);
    if (joint->law->choose_axes) {
        joint->law->choose_axes(joint->parameters, mask);
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

bool read_axis_is_from_to(const struct tree_node *axis)
{
    return tree_find(axis, "from") || tree_find(axis, "to");
}

enum masing_status read_axis(struct reader *reader, struct tree_node *axis,
                             struct masing_combination *combination)
{
    if (read_axis_is_from_to(axis)) {
        static const char *const keys[] = {"from", "to", NULL};
        enum masing_status status = reader_keys(reader, axis, keys, NULL);
        return status ? status : reader_from_to(reader, axis, combination);
    }
    return is_axis_column(axis) ? read_axis_column(reader, axis, combination)
                                : reader_weights(reader, axis, combination);
}

/* Texts and numbers are at least that. */
enum masing_status check_axis(struct reader *reader, const struct tree_node *axis)
{
    enum masing_status status = MASING_OK;
    const char *text;
    double weight;
    TRY(reader_open_mapping(reader, axis));
    for (struct tree_node *child = axis->first; child; child = child->next) {
        bool is_word = !strcmp(child->key, "from") || !strcmp(child->key, "to") ||
                       !strcmp(child->key, "file");
        TRY(is_word ? reader_text(reader, child, child->key, &text)
                    : reader_number(reader, child, child->key, &weight));
    }
done:
    return status;
}

static enum masing_status check_ends(struct reader *reader, const struct tree_node *node)
{
    static const char *const ends[] = {"from", "to"};
    enum masing_status status = MASING_OK;
    const char *text;
    for (int i = 0; i < 2; i++) {
        const struct tree_node *end = tree_find(node, ends[i]);
        TRY(end ? reader_text(reader, end, ends[i], &text) : MASING_OK);
    }
done:
    return status;
}

static enum masing_status read_single_axis(struct reader *reader, struct tree_node *node,
                                           struct masing_joint_spec *joint)
{
    enum masing_status status = MASING_OK;
    struct tree_node *axis = tree_find(node, "axis");
    bool has_ends = read_axis_is_from_to(node);
    TRY(joint_axes_create(reader, 1, joint));
    if (reader->spec->structure.n_dofs == 0) {
        TRY(check_ends(reader, node));
        TRY(axis ? check_axis(reader, axis) : MASING_OK);
    } else if (axis && has_ends) {
        TRY(reader_fail(reader, axis, "axis: 'from' and 'to' are given already"));
    } else if (!axis && !has_ends) {
        TRY(reader_fail(reader, node, "missing keys 'from' and 'to' (or 'axis')"));
    } else {
        TRY(axis ? read_axis(reader, axis, joint->axes)
                 : reader_from_to(reader, node, joint->axes));
    }
done:
    return status;
}

enum masing_status read_axes(struct reader *reader, struct tree_node *node,
                             struct masing_joint_spec *joint)
{
    switch (joint_form(joint->law)) {
    case JOINT_FORM_CONTACT:
        return read_contact_axes(reader, node, joint);
    case JOINT_FORM_NODES:
        return read_node_axes(reader, node, joint);
    case JOINT_FORM_AXIS:
        break;
    }
    return read_single_axis(reader, node, joint);
}
