/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `pairs:` many contacts of one entry, one a row of a CSV file: between two nodes with a
 * normal, or between DOFs by name.
 */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/table_csv.h"
#include "model_file/reader.h"

enum pair_column {
    PAIR_FROM,
    PAIR_TO,
    PAIR_NORMAL_FROM,
    PAIR_NORMAL_TO,
    PAIR_TANGENTIAL_FROM,
    PAIR_TANGENTIAL_TO,
    PAIR_TANGENTIAL2_FROM,
    PAIR_TANGENTIAL2_TO,
    PAIR_NORMAL_X,
    PAIR_NORMAL_Y,
    PAIR_NORMAL_Z,
    PAIR_AREA,
    N_PAIR_COLUMNS /* and from here on those of the fields that each contact can have */
};

enum { PAIR_MOST_OWN = 8 };

struct pairs {
    struct reader *reader;
    struct tree_node *node;         /* the entry */
    struct masing_joint_spec entry; /* what the joints of the rows are copies of */
    bool is_per_area;
    bool is_of_nodes;
    struct csv_table table;
    int n_own;
    const struct masing_field *own[PAIR_MOST_OWN]; /* of the law */
};

/* "FILE:LINE:COLUMN: ..." of a cell, of the row's beginning where it is absent or empty. */
static enum masing_status fail(const struct pairs *pairs, int row, int column,
                               const char *format, ...) MASING_PRINTF(4, 5);

/* --- rows of a file ----------------------------------------------------------------------- */

static const struct csv_column columns[N_PAIR_COLUMNS] = {
    [PAIR_FROM] = {"from", .is_text = true},
    [PAIR_TO] = {"to", .is_text = true},
    [PAIR_NORMAL_FROM] = {"normal_from", .is_text = true},
    [PAIR_NORMAL_TO] = {"normal_to", .is_text = true},
    [PAIR_TANGENTIAL_FROM] = {"tangential_from", .is_text = true},
    [PAIR_TANGENTIAL_TO] = {"tangential_to", .is_text = true},
    [PAIR_TANGENTIAL2_FROM] = {"tangential2_from", .is_text = true},
    [PAIR_TANGENTIAL2_TO] = {"tangential2_to", .is_text = true},
    [PAIR_NORMAL_X] = {"normal_x", .fallback = NAN},
    [PAIR_NORMAL_Y] = {"normal_y", .fallback = NAN},
    [PAIR_NORMAL_Z] = {"normal_z", .fallback = NAN},
    [PAIR_AREA] = {"area", .fallback = NAN},
};

static const enum pair_column of_nodes[] = {PAIR_FROM, PAIR_TO, PAIR_NORMAL_X, PAIR_NORMAL_Y,
                                            PAIR_NORMAL_Z};
static const enum pair_column of_dofs[] = {PAIR_NORMAL_FROM, PAIR_NORMAL_TO,
                                           PAIR_TANGENTIAL_FROM, PAIR_TANGENTIAL_TO};
static const enum pair_column second[] = {PAIR_TANGENTIAL2_FROM, PAIR_TANGENTIAL2_TO};

enum { N_OF_NODES = 5, N_OF_DOFS = 4 };

static const char *text_of(const struct pairs *pairs, int row, enum pair_column column)
{
    return csv_table_text(&pairs->table, row, (int)column);
}

/* A row's value of one of its own fields; NAN: none */
static double own_value(const struct pairs *pairs, int row, int own)
{
    return csv_table_number(&pairs->table, row, N_PAIR_COLUMNS + own);
}

/* The one of a row's own fields that it gives instead of this one, or -1. */
static int alternative_of(const struct pairs *pairs, int row, int own)
{
    const char *const *name = pairs->own[own]->alternatives;
    for (; name && *name; name++) {
        for (int k = 0; k < pairs->n_own; k++) {
            if (strcmp(pairs->own[k]->name, *name) == 0 && !isnan(own_value(pairs, row, k))) {
                return k;
            }
        }
    }
    return -1;
}

static enum masing_status fail(const struct pairs *pairs, int row, int column,
                               const char *format, ...)
{
    char place[READER_PLACE], what[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    csv_table_place(&pairs->table, row, column, place, sizeof place);
    return masing_error_set(pairs->reader->error, MASING_INVALID, "%s: %s", place, what);
}

static int count_present(const struct pairs *pairs, const enum pair_column *list, int n)
{
    int present = 0;
    for (int i = 0; i < n; i++) {
        present += pairs->table.is_present[list[i]] ? 1 : 0;
    }
    return present;
}

static enum masing_status fail_columns(const struct pairs *pairs, const char *what)
{
    char own[200] = "";
    for (int k = 0; k < pairs->n_own; k++) {
        size_t used = strlen(own);
        snprintf(own + used, sizeof own - used, ", '%s'", pairs->own[k]->name);
    }
    return csv_table_fail(&pairs->table, -1, pairs->reader->error,
                          "%s; expected 'from, to, normal_x, normal_y, normal_z' "
                          "or 'normal_from, normal_to, tangential_from, tangential_to[, "
                          "tangential2_from, tangential2_to]', and 'area'%s where wanted",
                          what, own);
}

/* Those of one of the two kinds. */
static enum masing_status check_columns(struct pairs *pairs)
{
    int nodes = count_present(pairs, of_nodes, N_OF_NODES);
    int dofs = count_present(pairs, of_dofs, N_OF_DOFS);
    int seconds = count_present(pairs, second, 2);
    pairs->is_of_nodes = nodes > 0;
    if (nodes > 0 && dofs + seconds > 0) {
        return fail_columns(pairs, "columns of nodes and of DOFs side by side");
    }
    bool is_whole = pairs->is_of_nodes ? nodes == N_OF_NODES : dofs == N_OF_DOFS;
    if (!is_whole || seconds == 1) {
        return fail_columns(pairs, "a column is missing");
    }
    return MASING_OK;
}

static enum masing_status check_row(const struct pairs *pairs, int row)
{
    double area = csv_table_number(&pairs->table, row, PAIR_AREA);
    if (pairs->table.is_present[PAIR_AREA] && !(area > 0.0)) {
        return fail(pairs, row, PAIR_AREA, "area: expected a number greater than 0");
    }
    for (int own = 0; own < pairs->n_own; own++) {
        int other = alternative_of(pairs, row, own);
        if (other >= 0 && other < own && !isnan(own_value(pairs, row, own))) {
            return fail(pairs, row, N_PAIR_COLUMNS + own,
                        "%s: the row has a %s already, expected one of them",
                        pairs->own[own]->name, pairs->own[other]->name);
        }
    }
    return MASING_OK;
}

/* A study of a number that every row has of its own would repeat one curve. */
static enum masing_status refuse_unused(const struct pairs *pairs)
{
    for (int k = 0; k < pairs->n_own; k++) {
        const struct tree_node *node = tree_find(pairs->node, pairs->own[k]->name);
        int row = 0;
        while (row < pairs->table.n_rows &&
               (!isnan(own_value(pairs, row, k)) || alternative_of(pairs, row, k) >= 0)) {
            row++;
        }
        if (node && node->origin && row == pairs->table.n_rows) {
            return reader_fail(pairs->reader, node,
                               "no contact uses this number: each row of '%.200s' has its own",
                               pairs->table.file);
        }
    }
    return MASING_OK;
}

/* Beside the columns above there may be those of the law's fields that are per contact. */
static enum masing_status read_rows(struct pairs *pairs, const char *file)
{
    struct masing_error *error = pairs->reader->error;
    const struct masing_law *law = pairs->entry.law;
    struct csv_table *table = &pairs->table;
    struct csv_column all[N_PAIR_COLUMNS + PAIR_MOST_OWN];
    memcpy(all, columns, sizeof columns);
    for (int i = 0; i < law->n_fields && pairs->n_own < PAIR_MOST_OWN; i++) {
        if (law->fields[i].is_per_contact) {
            all[N_PAIR_COLUMNS + pairs->n_own] =
                (struct csv_column){law->fields[i].name, .fallback = NAN};
            pairs->own[pairs->n_own++] = &law->fields[i];
        }
    }
    NEED(csv_table_read(file, all, N_PAIR_COLUMNS + pairs->n_own, CSV_OTHERS_REFUSED, table,
                        error));
    NEED(check_columns(pairs));
    if (table->n_rows < 1 || table->n_rows > JOINT_LIMIT) {
        NEED(csv_table_fail(table, table->n_rows > JOINT_LIMIT ? JOINT_LIMIT : -1, error,
                            "expected 1 to %d rows, found %d", JOINT_LIMIT, table->n_rows));
    }
    for (int row = 0; row < table->n_rows; row++) {
        NEED(check_row(pairs, row));
    }
    if (pairs->is_per_area && !table->is_present[PAIR_AREA]) {
        NEED(csv_table_fail(table, -1, error,
                            "column 'area' is missing, which 'per_area' needs"));
    }
    return refuse_unused(pairs);
}

/* --- axes of a row ------------------------------------------------------------------------ */

/*
 * Axes of a contact that is a row of a file. Between two nodes they are a frame: the normal and
 * two directions across it, each the sum of what the nodes' DOFs do along it. Directions in
 * which neither node moves are fixed; the frame is turned so that what is left are as few axes
 * as the DOFs allow.
 */

/* A direction cosine of at most this is zero but for the rounding of a few products of unit
 * vectors (2e-16 each): the axis does not move along that direction. */
static const double ZERO_COSINE = 1e-14;

static const char *const directions[] = {"x", "y", "z"};

/* The DOFs of a row's two nodes, MASING_GROUND where one does not move. */
struct node_pair {
    int from[3], to[3];
};

static bool moves(const struct node_pair *pair, int k)
{
    return pair->from[k] != MASING_GROUND || pair->to[k] != MASING_GROUND;
}

static enum masing_status find_node(const struct pairs *pairs, int row, enum pair_column column,
                                    int dofs[3])
{
    char place[READER_PLACE];
    const char *name = text_of(pairs, row, column);
    if (joint_axes_find_node(pairs->reader, name, directions, 3, dofs) ||
        strcmp(name, "ground") == 0) {
        return MASING_OK;
    }
    csv_table_place(&pairs->table, row, (int)column, place, sizeof place);
    return joint_axes_refuse_node(pairs->reader, place, column == PAIR_FROM ? "from" : "to",
                                  name, directions, 3);
}

static enum masing_status read_normal(const struct pairs *pairs, int row, double normal[3])
{
    double largest = 0.0, length = 0.0;
    for (int k = 0; k < 3; k++) {
        normal[k] = csv_table_number(&pairs->table, row, PAIR_NORMAL_X + k);
        if (isnan(normal[k])) {
            return fail(pairs, row, PAIR_NORMAL_X + k, "a component of the normal is missing");
        }
        largest = fmax(largest, fabs(normal[k]));
    }
    if (!(largest > 0.0)) {
        return fail(pairs, row, PAIR_NORMAL_X,
                    "normal_x, normal_y and normal_z are all 0, expected a direction");
    }
    for (int k = 0; k < 3; k++) {
        length = hypot(length, normal[k] / largest);
    }
    for (int k = 0; k < 3; k++) {
        normal[k] = normal[k] / largest / length;
    }
    return MASING_OK;
}

/* What of the coordinate direction k is across the normal, as a unit vector. */
static void project(const double normal[3], int k, double across[3])
{
    double length = 0.0;
    for (int i = 0; i < 3; i++) {
        across[i] = (i == k ? 1.0 : 0.0) - normal[k] * normal[i];
        length = hypot(length, across[i]);
    }
    for (int i = 0; i < 3; i++) {
        across[i] /= length;
    }
}

static void cross(const double a[3], const double b[3], double product[3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        product[i] = a[j] * b[k] - a[k] * b[j];
    }
}

/* The coordinate direction that the frame is turned to: one that does not move, if it is across
 * the normal; else one that alone moves; else the one least along the normal. */
static int leading_direction(const struct node_pair *pair, const double normal[3])
{
    int n_moving = 0, moving = 0, least = -1;
    for (int k = 0; k < 3; k++) {
        moving = moves(pair, k) ? k : moving;
        n_moving += moves(pair, k) ? 1 : 0;
        if (!moves(pair, k) && fabs(normal[k]) <= ZERO_COSINE) {
            return k;
        }
    }
    for (int k = 0; k < 3; k++) {
        least = least < 0 || fabs(normal[k]) < fabs(normal[least]) ? k : least;
    }
    return n_moving == 1 ? moving : least;
}

static enum masing_status fill_axis(struct reader *reader, const struct node_pair *pair,
                                    const double direction[3], struct masing_combination *axis)
{
    struct masing_term terms[6];
    int n = 0;
    for (int k = 0; k < 3; k++) {
        if (fabs(direction[k]) > ZERO_COSINE) {
            terms[n++] = (struct masing_term){pair->from[k], -direction[k]};
            terms[n++] = (struct masing_term){pair->to[k], direction[k]};
        }
    }
    return reader_combination(reader, terms, n, axis);
}

static bool is_fixed(const struct node_pair *pair, const double direction[3])
{
    bool is_moving = false;
    for (int k = 0; k < 3; k++) {
        is_moving = is_moving || (moves(pair, k) && fabs(direction[k]) > ZERO_COSINE);
    }
    return !is_moving;
}

static enum masing_status fill_frame(const struct pairs *pairs, int row,
                                     struct masing_joint_spec *joint)
{
    struct reader *reader = pairs->reader;
    struct node_pair pair;
    double frame[3][3];
    int kept[2], n = 0;
    NEED(find_node(pairs, row, PAIR_FROM, pair.from));
    NEED(find_node(pairs, row, PAIR_TO, pair.to));
    if (strcmp(text_of(pairs, row, PAIR_FROM), text_of(pairs, row, PAIR_TO)) == 0) {
        NEED(fail(pairs, row, PAIR_TO, "'from' and 'to' are the same node"));
    }
    NEED(read_normal(pairs, row, frame[0]));
    project(frame[0], leading_direction(&pair, frame[0]), frame[1]);
    cross(frame[0], frame[1], frame[2]);
    for (int a = 1; a < 3; a++) {
        if (!is_fixed(&pair, frame[a])) {
            kept[n++] = a;
        }
    }
    if (is_fixed(&pair, frame[0]) || n == 0) {
        NEED(fail(pairs, row, PAIR_NORMAL_X, "the nodes have no DOF that moves %s the normal",
                  n == 0 ? "across" : "along"));
    }
    NEED(joint_axes_create(reader, n == 2 ? 7U : 3U, joint));
    NEED(fill_axis(reader, &pair, frame[0], &joint->axes[0]));
    for (int a = 0; a < n; a++) {
        NEED(fill_axis(reader, &pair, frame[kept[a]], &joint->axes[1 + a]));
    }
    return MASING_OK;
}

static enum masing_status fill_ends(const struct pairs *pairs, int row, enum pair_column from,
                                    struct masing_combination *axis)
{
    static const char *const names[] = {"from", "to"};
    struct reader *reader = pairs->reader;
    struct masing_term terms[] = {{.weight = -1.0}, {.weight = 1.0}};
    for (int end = 0; end < 2; end++) {
        char place[READER_PLACE];
        enum pair_column column = (enum pair_column)((int)from + end);
        csv_table_place(&pairs->table, row, (int)column, place, sizeof place);
        NEED(reader_dof_at(reader, place, names[end], text_of(pairs, row, column), true,
                           &terms[end].dof));
    }
    if (terms[0].dof == terms[1].dof) {
        NEED(fail(pairs, row, (int)from + 1, "'from' and 'to' are the same DOF"));
    }
    return reader_combination(reader, terms, 2, axis);
}

static enum masing_status fill_dofs(const struct pairs *pairs, int row,
                                    struct masing_joint_spec *joint)
{
    static const enum pair_column from[] = {PAIR_NORMAL_FROM, PAIR_TANGENTIAL_FROM,
                                            PAIR_TANGENTIAL2_FROM};
    struct reader *reader = pairs->reader;
    bool has_structure = reader->spec->structure.n_dofs > 0;
    bool has_second = *text_of(pairs, row, PAIR_TANGENTIAL2_FROM) ||
                      *text_of(pairs, row, PAIR_TANGENTIAL2_TO);
    char text[JOINT_AXES_FAULT];
    int axis;
    NEED(joint_axes_create(reader, has_second ? 7U : 3U, joint));
    for (int a = 0; a < joint->n_axes && has_structure; a++) {
        NEED(fill_ends(pairs, row, from[a], &joint->axes[a]));
    }
    const char *fault = has_structure ? joint_axes_fault(joint, true, &axis, text) : NULL;
    return fault ? fail(pairs, row, (int)from[axis], "%s", fault) : MASING_OK;
}

/* Axes of a row's joint, [1 + one or two tangential ones]. */
static enum masing_status fill_axes(const struct pairs *pairs, int row,
                                    struct masing_joint_spec *joint)
{
    if (!pairs->is_of_nodes) {
        return fill_dofs(pairs, row, joint);
    }
    return pairs->reader->spec->structure.n_dofs > 0
               ? fill_frame(pairs, row, joint)
               : joint_axes_create(pairs->reader, 7U, joint);
}

/* --- joints of the rows ------------------------------------------------------------------- */

static enum masing_status store(const struct pairs *pairs, int row, int column,
                                const struct masing_field *field, double value,
                                void *parameters)
{
    struct masing_error inner = {0};
    enum masing_status status = masing_field_store(field, value, parameters, &inner);
    return status ? fail(pairs, row, column, "%s", inner.message) : MASING_OK;
}

/* What a row gives takes the place of what the entry gives, also in another way. */
static enum masing_status store_own(const struct pairs *pairs, int row, void *parameters)
{
    enum masing_status status = MASING_OK;
    const struct masing_law *law = pairs->entry.law;
    for (int k = 0; k < pairs->n_own && !status; k++) {
        const struct masing_field *field = pairs->own[k];
        double value = own_value(pairs, row, k);
        if (isnan(value)) {
            continue;
        }
        for (const char *const *name = field->alternatives; name && *name; name++) {
            int other = masing_field_find(law->fields, law->n_fields, *name);
            masing_fields_reset(&law->fields[other], 1, parameters);
        }
        status = store(pairs, row, N_PAIR_COLUMNS + k, field, value, parameters);
    }
    return status;
}

/* Forces and stiffnesses are per unit area. */
static enum masing_status multiply_by_area(const struct pairs *pairs, int row, double area,
                                           void *parameters)
{
    enum masing_status status = MASING_OK;
    const struct masing_law *law = pairs->entry.law;
    for (int i = 0; i < law->n_fields && !status; i++) {
        const struct masing_field *field = &law->fields[i];
        double value = masing_field_value(field, parameters);
        bool is_of_area = strcmp(field->unit, "N/m") == 0 || strcmp(field->unit, "N") == 0;
        if (field->type == MASING_FIELD_REAL && is_of_area && !isnan(value)) {
            status = store(pairs, row, PAIR_AREA, field, area * value, parameters);
        }
    }
    return status;
}

static enum masing_status read_row(const struct pairs *pairs, int row,
                                   struct masing_joint_spec *joint)
{
    struct masing_error *error = pairs->reader->error;
    const struct masing_law *law = pairs->entry.law;
    double area = csv_table_number(&pairs->table, row, PAIR_AREA);
    joint->law = law;
    joint->place = pairs->entry.place;
    joint->area = isnan(area) ? 0.0 : area;
    NEED_ALLOCATED(joint->name = memory_format("%s[%d]", pairs->entry.name, row + 1));
    NEED_ALLOCATED(joint->parameters =
                       memory_copy(pairs->entry.parameters, 1, law->parameters_size));
    NEED(store_own(pairs, row, joint->parameters));
    NEED(pairs->is_per_area ? multiply_by_area(pairs, row, area, joint->parameters)
                            : MASING_OK);
    return fill_axes(pairs, row, joint);
}

static const char *const booleans[] = {"false", "true", NULL};

static const struct reader_key pairs_keys[] = {
    KEY("per_area", offsetof(struct pairs, is_per_area), KEY_SWITCH, .has_default = true,
        .choices = booleans),
    {0},
};

/* Room for the rows, and as many joints again as the model file has entries. */
static enum masing_status make_room(struct reader *reader, const struct tree_node *node,
                                    int index, int n_rows)
{
    struct masing_spec *spec = reader->spec;
    struct masing_error *error = reader->error;
    size_t n_entries = (size_t)tree_find(reader->tree->root, "joints")->count;
    NEED(reader_refuse(reader, index + n_rows > JOINT_TOTAL, node, "pairs: more than %d joints",
                       JOINT_TOTAL));
    struct masing_joint_spec *joints =
        memory_array((size_t)index + (size_t)n_rows + n_entries, sizeof *joints);
    NEED_ALLOCATED(joints);
    memcpy(joints, spec->joints, (size_t)index * sizeof *joints);
    free(spec->joints);
    spec->joints = joints;
    return MASING_OK;
}

enum masing_status read_pairs(struct reader *reader, struct tree_node *node, int index)
{
    struct masing_spec *spec = reader->spec;
    enum masing_status status = MASING_OK;
    struct pairs pairs = {.reader = reader, .node = node, .entry = spec->joints[index]};
    struct tree_node *file_node = tree_find(node, "pairs"), *other = tree_find(node, "normal");
    int n_rows;
    char *file = NULL;
    spec->joints[index] = (struct masing_joint_spec){0};
    spec->n_joints = index;
    other = other ? other : tree_find(node, "tangential");
    TRY(other
            ? reader_fail(reader, other, "%s: 'pairs' gives the directions already", other->key)
            : MASING_OK);
    TRY(reader_read_keys(reader, node, pairs_keys, 0, &pairs));
    TRY(reader_file(reader, file_node, "pairs", &file));
    TRY(read_rows(&pairs, file));
    n_rows = pairs.table.n_rows;
    TRY(make_room(reader, file_node, index, n_rows));
    for (int row = 0; row < n_rows; row++) {
        TRY(read_row(&pairs, row, &spec->joints[spec->n_joints++]));
    }
    TRY(reader_keep_rows(reader, file_node, &pairs.table));
done:
    csv_table_clear(&pairs.table);
    free(pairs.entry.name);
    free(pairs.entry.parameters);
    free(file);
    return status;
}
