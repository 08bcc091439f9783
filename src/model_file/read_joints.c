/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `joints:` a law, where it acts (one axis, the directions of a contact, or two nodes), and the
 * law's own numbers. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "data/matrices/matrix_file.h"
#include "data/suggest.h"
#include "model/seal.h"
#include "model_file/reader_mesh.h"

/* --- one axis ----------------------------------------------------------------------------- */

/* How joints of a law say where they act. */
enum joint_form {
    JOINT_FORM_AXIS = 1,    /* `from` and `to`, or `axis` */
    JOINT_FORM_CONTACT = 2, /* `normal` and `tangential`, or `pairs` */
    JOINT_FORM_NODES = 4 /* nodes `from` and `to`, each with a DOF for each axis of the law */
};

/* Where a joint acts is read from several keys together, after the law's own numbers. */
static const struct reader_key joint_keys[] = {
    KEY("name", offsetof(struct masing_joint_spec, name), KEY_TEXT, .is_required = true),
    {.name = "law"},
    {.name = "from", .variants = JOINT_FORM_AXIS | JOINT_FORM_NODES},
    {.name = "to", .variants = JOINT_FORM_AXIS | JOINT_FORM_NODES},
    {.name = "axis", .variants = JOINT_FORM_AXIS},
    {.name = "normal", .variants = JOINT_FORM_CONTACT},
    {.name = "tangential", .variants = JOINT_FORM_CONTACT},
    {.name = "pairs", .variants = JOINT_FORM_CONTACT},
    {.name = "surfaces", .variants = JOINT_FORM_CONTACT},
    {.name = "area", .variants = JOINT_FORM_CONTACT},
    {.name = "per_area", .variants = JOINT_FORM_CONTACT},
    {0},
};

static enum joint_form form_of(const struct masing_law *law)
{
    if (!law->axis_names) {
        return JOINT_FORM_AXIS;
    }
    bool is_contact = strcmp(law->axis_names[0], "normal") == 0;
    return is_contact ? JOINT_FORM_CONTACT : JOINT_FORM_NODES;
}

enum masing_status joint_axes_create(struct reader *reader, unsigned mask,
                                     struct masing_joint_spec *joint)
{
    struct masing_error *error = reader->error;
    int n = 0;
    for (unsigned rest = mask; rest; rest >>= 1) {
        n += (int)(rest & 1U);
    }
    joint->n_axes = n;
    joint->present = mask;
    NEED_ALLOCATED(joint->axes = memory_array((size_t)n, sizeof *joint->axes));
    if (joint->law->choose_axes) {
        joint->law->choose_axes(joint->parameters, mask);
    }
    return MASING_OK;
}

static const struct reader_key column_keys[] = {{.name = "file"}, {.name = "column"}, {0}};
static const struct reader_key end_keys[] = {{.name = "from"}, {.name = "to"}, {0}};

/* A column of a matrix whose rows are the DOFs. */
static enum masing_status read_axis_column(struct reader *reader, struct tree_node *node,
                                           struct masing_combination *axis)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    const struct matrix_expectation expectation = {reader->spec->structure.n_dofs, 0, false,
                                                   "one for each DOF"};
    struct placed_matrix matrix = {0};
    struct tree_node *column_node = tree_find(node, "column");
    char *file = NULL;
    int column = 1;
    TRY(reader_check_keys(reader, node, column_keys, 0, NULL));
    TRY(reader_matrix_file(reader, tree_find(node, "file"), "file", &file));
    TRY(matrix_file_read(file, &expectation, &matrix, error));
    TRY(reader_refuse(reader, !column_node && matrix.n_columns > 1, node,
                      "missing key 'column' (1 to %d)", matrix.n_columns));
    TRY(column_node
            ? reader_integer(reader, column_node, "column", 1, matrix.n_columns, &column)
            : MASING_OK);
    TRY_ALLOCATED(axis->terms = memory_array((size_t)matrix.n_rows, sizeof *axis->terms));
    const double *weights = matrix.real + (size_t)(column - 1) * (size_t)matrix.n_rows;
    for (int i = 0; i < matrix.n_rows; i++) {
        if (weights[i] != 0.0) {
            axis->terms[axis->n_terms++] = (struct masing_term){i, weights[i]};
        }
    }
    TRY(reader_refuse(reader, !axis->n_terms, node, "axis: column %d of the matrix is zero",
                      column));
done:
    placed_matrix_clear(&matrix);
    free(file);
    return status;
}

static bool is_from_to(const struct tree_node *axis)
{
    return tree_find(axis, "from") || tree_find(axis, "to");
}

static enum masing_status read_axis(struct reader *reader, struct tree_node *axis,
                                    struct masing_combination *combination)
{
    if (is_from_to(axis)) {
        enum masing_status status = reader_check_keys(reader, axis, end_keys, 0, NULL);
        return status ? status : reader_from_to(reader, axis, combination);
    }
    bool is_column = tree_find(axis, "file") && (axis->count == 1 || tree_find(axis, "column"));
    return is_column ? read_axis_column(reader, axis, combination)
                     : reader_weights(reader, axis, WEIGHTS_OF_SUM, combination);
}

/* Without a structure: texts and numbers are at least that. */
static enum masing_status check_axis(struct reader *reader, const struct tree_node *axis)
{
    if (reader_is_set(axis) || reader_is_weight_list(axis)) {
        return MASING_OK;
    }
    enum masing_status status = reader_open_mapping(reader, axis);
    const char *text;
    double weight;
    for (struct tree_node *child = axis->first; child && !status; child = child->next) {
        if (reader_is_set(child)) {
            continue;
        }
        bool is_word = !strcmp(child->key, "from") || !strcmp(child->key, "to") ||
                       !strcmp(child->key, "file");
        status = is_word ? reader_text(reader, child, child->key, &text)
                         : reader_number(reader, child, child->key, &weight);
    }
    return status;
}

static enum masing_status read_single_axis(struct reader *reader, struct tree_node *node,
                                           struct masing_joint_spec *joint)
{
    struct tree_node *axis = tree_find(node, "axis");
    const struct tree_node *from = tree_find(node, "from"), *to = tree_find(node, "to");
    bool has_ends = from || to;
    const char *text;
    NEED(joint_axes_create(reader, 1, joint));
    if (reader->spec->structure.n_dofs == 0) {
        NEED(from && !reader_is_set(from) ? reader_text(reader, from, "from", &text)
                                          : MASING_OK);
        NEED(to && !reader_is_set(to) ? reader_text(reader, to, "to", &text) : MASING_OK);
        NEED(axis ? check_axis(reader, axis) : MASING_OK);
        return MASING_OK;
    }
    NEED(reader_refuse(reader, axis && has_ends, axis,
                       "axis: 'from' and 'to' are given already"));
    NEED(reader_refuse(reader, !axis && !has_ends, node,
                       "missing keys 'from' and 'to' (or 'axis')"));
    return axis ? read_axis(reader, axis, joint->axes)
                : reader_from_to(reader, node, joint->axes);
}

/* --- directions of a contact -------------------------------------------------------------- */

/*
 * The directions of a contact. The circular slip limit is that of a plane: it means something
 * only where the two tangential axes measure the components of one displacement, that is, where
 * they are orthogonal and of one scale.
 */

/* Directions are parallel up to this sine of their angle: what a decimal number of ten digits
 * leaves of it. */
static const double PARALLEL_SINE = 1e-9;
/* Two directions are orthogonal up to this cosine, and of one length up to this part of it: the
 * slip limit is as near to a circle then, and weights may be given with seven digits. */
static const double ORTHOGONAL_COSINE = 1e-6;

static double weight_of(const struct masing_combination *axis, int dof)
{
    double sum = 0.0;
    for (int t = 0; t < axis->n_terms; t++) {
        sum += axis->terms[t].dof == dof ? axis->terms[t].weight : 0.0;
    }
    return sum;
}

static double product(const struct masing_combination *a, const struct masing_combination *b)
{
    double sum = 0.0;
    for (int t = 0; t < a->n_terms; t++) {
        sum += a->terms[t].weight * weight_of(b, a->terms[t].dof);
    }
    return sum;
}

static double length(const struct masing_combination *axis)
{
    return sqrt(product(axis, axis));
}

/* What b has beside a multiple of a, in parts of b: the sine of the angle between them. */
static double sine(const struct masing_combination *a, const struct masing_combination *b)
{
    double multiple = product(a, b) / product(a, a), sum = 0.0;
    for (int t = 0; t < b->n_terms; t++) {
        double rest = b->terms[t].weight - multiple * weight_of(a, b->terms[t].dof);
        sum += rest * rest;
    }
    for (int t = 0; t < a->n_terms; t++) {
        if (weight_of(b, a->terms[t].dof) == 0.0) {
            sum += pow(multiple * a->terms[t].weight, 2);
        }
    }
    return sqrt(sum) / length(b);
}

/* Tangential axes must be components of one displacement. */
static const char *tangential_fault(const struct masing_combination *first,
                                    const struct masing_combination *second, bool are_from_to,
                                    char text[JOINT_AXES_FAULT])
{
    const double degrees = 180.0 / PI;
    double lengths = length(first) * length(second), dot = product(first, second);
    if (sine(first, second) <= PARALLEL_SINE) {
        return "the two directions are parallel to each other, expected orthogonal ones";
    }
    if (fabs(dot) > ORTHOGONAL_COSINE * lengths) {
        snprintf(text, JOINT_AXES_FAULT,
                 "the two directions are at %.6g degrees, expected 90: the slip limit is a "
                 "circle, which means nothing where they are not orthogonal",
                 degrees * acos(dot / lengths));
        return text;
    }
    if (!are_from_to &&
        fabs(length(first) - length(second)) > ORTHOGONAL_COSINE * length(first)) {
        snprintf(text, JOINT_AXES_FAULT,
                 "the weights of the two directions have the lengths %.6g and %.6g, expected "
                 "equal ones: the slip limit is a circle, which means nothing where they do "
                 "not measure on one scale",
                 length(first), length(second));
        return text;
    }
    return NULL;
}

const char *joint_axes_fault(const struct masing_joint_spec *joint, bool are_from_to, int *axis,
                             char text[JOINT_AXES_FAULT])
{
    for (*axis = 1; *axis < joint->n_axes; ++*axis) {
        if (sine(&joint->axes[0], &joint->axes[*axis]) <= PARALLEL_SINE) {
            return "the direction is parallel to the normal, expected one across it";
        }
    }
    *axis = joint->n_axes - 1;
    return joint->n_axes == 3
               ? tangential_fault(&joint->axes[1], &joint->axes[2], are_from_to, text)
               : NULL;
}

static enum masing_status read_contact_axes(struct reader *reader, struct tree_node *node,
                                            struct masing_joint_spec *joint)
{
    struct tree_node *per_area = tree_find(node, "per_area"), *area = tree_find(node, "area");
    struct tree_node *directions[3], *tangential = tree_find(node, "tangential");
    bool has_structure = reader->spec->structure.n_dofs > 0, are_from_to = true;
    char text[JOINT_AXES_FAULT];
    int axis = 0;
    if (!has_structure && !tree_find(node, "normal") && !tangential) {
        return joint_axes_create(reader, 7U, joint); /* nothing that the directions lead to */
    }
    NEED(reader_refuse(reader, per_area, per_area,
                       "per_area: belongs to 'pairs' and 'surfaces', which have the areas"));
    NEED(reader_refuse(reader, area, area, "area: belongs to 'surfaces'"));
    NEED(reader_required(reader, node, "normal", &directions[0]));
    NEED(reader_required(reader, node, "tangential", &tangential));
    NEED(reader_sequence(reader, tangential));
    NEED(reader_refuse(reader, tangential->count < 1 || tangential->count > 2, tangential,
                       "tangential: expected one or two directions, found %d",
                       tangential->count));
    directions[1] = tangential->first;
    directions[2] = tangential->last;
    NEED(joint_axes_create(reader, tangential->count == 2 ? 7U : 3U, joint));
    for (int a = 0; a < joint->n_axes; a++) {
        NEED(has_structure ? read_axis(reader, directions[a], &joint->axes[a])
                           : check_axis(reader, directions[a]));
        are_from_to = are_from_to && (a == 0 || is_from_to(directions[a]));
    }
    const char *fault =
        has_structure ? joint_axes_fault(joint, are_from_to, &axis, text) : NULL;
    return reader_refuse(reader, fault, directions[axis], "joint '%s': tangential: %s",
                         joint->name, fault);
}

/* --- two nodes ---------------------------------------------------------------------------- */

/* Nodes: DOFs called NODE.x, NODE.y, ... that belong together. */

enum { MAX_NAME = 256 };

static bool is_ground(const char *node)
{
    return strcmp(node, "ground") == 0;
}

bool joint_axes_find_node(struct reader *reader, const char *node,
                          const char *const *axis_names, int n_axes, int *dofs)
{
    bool has_any = false;
    for (int a = 0; a < n_axes; a++) {
        char name[MAX_NAME];
        int length = snprintf(name, sizeof name, "%s.%s", node, axis_names[a]);
        bool fits = length > 0 && length < MAX_NAME && !is_ground(node);
        int dof = fits ? reader_find_dof(reader, name) : -1;
        dofs[a] = dof >= 0 ? dof : MASING_GROUND;
        has_any = has_any || dof >= 0;
    }
    return has_any;
}

/* The node that a DOF belongs to: what stands before the last point, if an axis comes after. */
static bool take_node(const char *dof, const char *const *axis_names, int n_axes,
                      char node[MAX_NAME])
{
    const char *point = strrchr(dof, '.');
    for (int a = 0; point && a < n_axes; a++) {
        if (strcmp(point + 1, axis_names[a]) == 0 && point - dof < MAX_NAME) {
            memcpy(node, dof, (size_t)(point - dof));
            node[point - dof] = '\0';
            return true;
        }
    }
    return false;
}

enum masing_status joint_axes_refuse_node(struct reader *reader, const char *place,
                                          const char *what, const char *node,
                                          const char *const *axis_names, int n_axes)
{
    const struct masing_structure_spec *structure = &reader->spec->structure;
    char hint[100], list[100] = "", nearest[2][MAX_NAME];
    int kept = 0;
    struct masing_suggestion suggestion = masing_suggest_begin(node);
    char first[MAX_NAME], absence[MESH_ABSENCE];
    snprintf(first, sizeof first, "%.200s.%s", node, axis_names[0]);
    if (reader_mesh_absence(reader, first, absence)) {
        return masing_error_set(reader->error, MASING_INVALID,
                                "%s: %s: node '%.60s' has no DOF: '%s' %s", place, what, node,
                                first, absence);
    }
    for (int i = 0; i < structure->n_dofs; i++) {
        const char *before = suggestion.nearest;
        if (take_node(structure->dof_names[i], axis_names, n_axes, nearest[1 - kept])) {
            masing_suggest_consider(&suggestion, nearest[1 - kept]);
            kept = suggestion.nearest == before ? kept : 1 - kept;
        }
    }
    for (int a = 0; a < n_axes; a++) {
        strncat(list, " .", sizeof list - strlen(list) - 1);
        strncat(list, axis_names[a], sizeof list - strlen(list) - 1);
    }
    return masing_error_set(
        reader->error, MASING_INVALID,
        "%s: %s: node '%.60s' has no DOF, expected one or more of%s behind "
        "its name%s%s",
        place, what, node, list, masing_suggest_text(&suggestion, hint, sizeof hint),
        reader->has_nodes ? "; the deck may hold it by a boundary condition, "
                            "or make it depend on others"
                          : "");
}

static enum masing_status find_node(struct reader *reader, const struct tree_node *node,
                                    const char *what, const struct masing_law *law,
                                    const char **name, int *dofs)
{
    char place[READER_PLACE];
    struct tree_node *end;
    NEED(reader_required(reader, node, what, &end));
    NEED(reader_text(reader, end, what, name));
    bool has_any = joint_axes_find_node(reader, *name, law->axis_names, law->n_axes, dofs);
    if (!has_any && !is_ground(*name) && reader->spec->structure.n_dofs > 0) {
        NEED(joint_axes_refuse_node(reader, tree_place(reader->file, end, place), what, *name,
                                    law->axis_names, law->n_axes));
    }
    return MASING_OK;
}

static enum masing_status read_node_axes(struct reader *reader, struct tree_node *node,
                                         struct masing_joint_spec *joint)
{
    const struct masing_law *law = joint->law;
    int from[MASING_MAX_AXES], to[MASING_MAX_AXES];
    const char *from_name, *to_name;
    unsigned mask = 0;
    NEED(find_node(reader, node, "from", law, &from_name, from));
    NEED(find_node(reader, node, "to", law, &to_name, to));
    NEED(reader_refuse(reader, strcmp(from_name, to_name) == 0, tree_find(node, "to"),
                       "'from' and 'to' are both '%.60s'", to_name));
    for (int a = 0; a < law->n_axes; a++) {
        mask |= from[a] != MASING_GROUND || to[a] != MASING_GROUND ? 1U << a : 0U;
    }
    bool has_structure = reader->spec->structure.n_dofs > 0;
    NEED(joint_axes_create(reader, has_structure ? mask : (1U << law->n_axes) - 1U, joint));
    for (int a = 0, next = 0; has_structure && a < law->n_axes; a++) {
        const struct masing_term terms[] = {{from[a], -1.0}, {to[a], 1.0}};
        if (mask & (1U << a)) {
            NEED(reader_combination(reader, terms, 2, &joint->axes[next++]));
        }
    }
    return MASING_OK;
}

/* --- joints ------------------------------------------------------------------------------- */

static enum masing_status fail_law(struct reader *reader, const struct tree_node *node,
                                   const char *name)
{
    char hint[100], list[400] = "";
    const char *meant = masing_law_meant(name);
    struct masing_suggestion suggestion = masing_suggest_begin(name);
    if (meant) {
        return reader_fail(reader, node,
                           "unknown law '%.60s'; what is meant may be %s ('masing law' lists "
                           "the laws)",
                           name, meant);
    }
    for (const struct masing_law *const *law = masing_laws(); *law; law++) {
        masing_suggest_consider(&suggestion, (*law)->name);
        strncat(list, list[0] ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, (*law)->name, sizeof list - strlen(list) - 1);
    }
    return reader_fail(reader, node, "unknown law '%.60s'%s; there are %s", name,
                       masing_suggest_text(&suggestion, hint, sizeof hint), list);
}

const struct masing_law *reader_law_of(const struct tree_node *node)
{
    const struct tree_node *name = tree_find(node, "law");
    return name && name->kind == TREE_SCALAR ? masing_law_find(name->text) : NULL;
}

const char *const *reader_alternatives(const struct tree_node *joint, const char *key)
{
    const struct masing_law *law = reader_law_of(joint);
    int index = law ? masing_field_find(law->fields, law->n_fields, key) : -1;
    return index >= 0 ? law->fields[index].alternatives : NULL;
}

static enum masing_status find_law(struct reader *reader, const struct tree_node *node,
                                   const struct masing_law **law)
{
    struct tree_node *entry;
    const char *name;
    NEED(reader_mapping(reader, node));
    NEED(reader_required(reader, node, "law", &entry));
    NEED(reader_text(reader, entry, "law", &name));
    *law = masing_law_find(name);
    return *law ? MASING_OK : fail_law(reader, entry, name);
}

struct tree_node *joint_rows(const struct tree_node *entry)
{
    struct tree_node *pairs = tree_find(entry, "pairs");
    return pairs ? pairs : tree_find(entry, "surfaces");
}

/* One joint, or as many as its `pairs`. Without a structure names of DOFs are not looked up. */
static enum masing_status read_joint(struct reader *reader, struct tree_node *node)
{
    struct masing_spec *spec = reader->spec;
    struct masing_error *error = reader->error;
    int index = spec->n_joints++;
    struct masing_joint_spec *joint = &spec->joints[index];
    joint->place = node->place;
    const struct masing_law *law = joint->law = reader_law_of(node);
    enum joint_form form = form_of(law);
    NEED_ALLOCATED(joint->parameters = memory_array(1, law->parameters_size));
    NEED(reader_fields(reader, node, law->fields, law->n_fields, joint->parameters));
    joint_spec_set_speed(spec, joint, joint->parameters);
    NEED(reader_read_keys(reader, node, joint_keys, form, joint));
    struct tree_node *rows = joint_rows(node);
    bool has_rows = rows && (reader->has_structure || tree_find(node, "pairs"));
    NEED(has_rows                     ? read_pairs(reader, node, index)
         : rows                       ? joint_axes_create(reader, 7U, joint)
         : form == JOINT_FORM_CONTACT ? read_contact_axes(reader, node, joint)
         : form == JOINT_FORM_NODES   ? read_node_axes(reader, node, joint)
                                      : read_single_axis(reader, node, joint));
    for (int j = index; j < spec->n_joints; j++) {
        NEED(cyclic_check(reader, node, spec->joints[j].n_axes, spec->joints[j].axes));
    }
    if (spec->groups) {
        struct masing_joint_group *group = &spec->groups[spec->n_groups++];
        group->first = index; /* what it has of a mesh is there already */
        group->n_joints = spec->n_joints - index;
        NEED_ALLOCATED(group->name = memory_text(tree_find(node, "name")->text));
    }
    return MASING_OK;
}

enum masing_status check_joints(struct reader *reader, const struct tree_node *list)
{
    struct masing_error *error = reader->error;
    if (!list || tree_is_null(list)) {
        return MASING_OK;
    }
    NEED(reader_sequence(reader, list));
    for (const struct tree_node *node = list->first; node; node = node->next) {
        const struct masing_law *law;
        const char **fields;
        struct tree_node *name;
        NEED(find_law(reader, node, &law));
        NEED_ALLOCATED(fields = reader_field_keys(reader, law->fields, law->n_fields));
        NEED(reader_check_keys(reader, node, joint_keys, form_of(law), fields));
        NEED(reader_required(reader, node, "name", &name));
    }
    return MASING_OK;
}

enum masing_status read_joints(struct reader *reader, struct tree_node *list, void *object)
{
    struct masing_spec *spec = object;
    struct masing_error *error = reader->error;
    bool has_pairs = false;
    if (tree_is_null(list)) {
        return MASING_OK;
    }
    NEED(reader_refuse(reader, list->count > JOINT_LIMIT, list, "joints: more than %d",
                       JOINT_LIMIT));
    for (const struct tree_node *node = list->first; node; node = node->next) {
        has_pairs = has_pairs || joint_rows(node);
    }
    NEED_ALLOCATED(spec->joints = memory_array((size_t)list->count, sizeof *spec->joints));
    if (has_pairs) {
        NEED_ALLOCATED(spec->groups = memory_array((size_t)list->count, sizeof *spec->groups));
    }
    for (struct tree_node *node = list->first; node; node = node->next) {
        NEED(read_joint(reader, node));
    }
    return MASING_OK;
}
