/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `pairs:` many contacts of one entry, one a row of a CSV file: between two nodes with a
 * normal, or between DOFs by name.
 */
#include <math.h>
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

struct pair_rows {
    const char *file; /* lent */
    struct csv_table table;
    bool is_of_nodes;
    int n_own;
    const struct masing_field *own[PAIR_MOST_OWN]; /* of the law */
};

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

static const char *pair_rows_text(const struct pair_rows *rows, int row,
                                  enum pair_column column)
{
    return csv_table_text(&rows->table, row, (int)column);
}

/* A row's value of one of its own fields; NAN: none */
static double pair_rows_own(const struct pair_rows *rows, int row, int own)
{
    return csv_table_number(&rows->table, row, N_PAIR_COLUMNS + own);
}

/* The one of a row's own fields that it gives instead of this one, or -1. */
static int pair_rows_alternative(const struct pair_rows *rows, int row, int own)
{
    const char *const *name = rows->own[own]->alternatives;
    for (; name && *name; name++) {
        for (int k = 0; k < rows->n_own; k++) {
            if (strcmp(rows->own[k]->name, *name) == 0 && !isnan(pair_rows_own(rows, row, k))) {
                return k;
            }
        }
    }
    return -1;
}

/* "FILE:LINE:COLUMN" of a cell, of the row's beginning where it is absent or empty */
static const char *pair_rows_place(const struct pair_rows *rows, int row, int column,
                                   char text[READER_PLACE])
{
    int place = rows->table.places[row * rows->table.n_columns + column];
    snprintf(text, READER_PLACE, "%.400s:%d:%d", rows->file, rows->table.lines[row],
             place > 0 ? place : 1);
    return text;
}

static int count_present(const struct pair_rows *rows, const enum pair_column *list, int n)
{
    int present = 0;
    for (int i = 0; i < n; i++) {
        present += rows->table.is_present[list[i]] ? 1 : 0;
    }
    return present;
}

static enum masing_status fail_columns(const struct pair_rows *rows, struct masing_error *error,
                                       const char *what)
{
    char own[200] = "";
    for (int k = 0; k < rows->n_own; k++) {
        size_t used = strlen(own);
        snprintf(own + used, sizeof own - used, ", '%s'", rows->own[k]->name);
    }
    return masing_error_set(error, MASING_INVALID,
                            "%.400s:1:1: %s; expected 'from, to, normal_x, normal_y, normal_z' "
                            "or 'normal_from, normal_to, tangential_from, tangential_to[, "
                            "tangential2_from, tangential2_to]', and 'area'%s where wanted",
                            rows->file, what, own);
}

static enum masing_status check_columns(struct pair_rows *rows, struct masing_error *error)
{
    int nodes = count_present(rows, of_nodes, N_OF_NODES);
    int dofs = count_present(rows, of_dofs, N_OF_DOFS);
    int seconds = count_present(rows, second, 2);
    rows->is_of_nodes = nodes > 0;
    if (nodes > 0 && dofs + seconds > 0) {
        return fail_columns(rows, error, "columns of nodes and of DOFs side by side");
    }
    bool is_whole = rows->is_of_nodes ? nodes == N_OF_NODES : dofs == N_OF_DOFS;
    if (!is_whole || seconds == 1) {
        return fail_columns(rows, error, "a column is missing");
    }
    return MASING_OK;
}

static enum masing_status check_numbers(const struct pair_rows *rows,
                                        struct masing_error *error)
{
    int n = rows->table.n_rows;
    if (n < 1 || n > JOINT_LIMIT) {
        return masing_error_set(
            error, MASING_INVALID, "%.400s:%d:1: expected 1 to %d rows, found %d", rows->file,
            n > JOINT_LIMIT ? rows->table.lines[JOINT_LIMIT] : 1, JOINT_LIMIT, n);
    }
    for (int row = 0; row < n; row++) {
        char place[READER_PLACE];
        double area = csv_table_number(&rows->table, row, PAIR_AREA);
        if (rows->table.is_present[PAIR_AREA] && !(area > 0.0)) {
            return masing_error_set(error, MASING_INVALID,
                                    "%s: area: expected a number greater than 0",
                                    pair_rows_place(rows, row, PAIR_AREA, place));
        }
        for (int own = 0; own < rows->n_own; own++) {
            int other = pair_rows_alternative(rows, row, own);
            if (other >= 0 && other < own && !isnan(pair_rows_own(rows, row, own))) {
                return masing_error_set(
                    error, MASING_INVALID,
                    "%s: %s: the row has a %s already, expected one of them",
                    pair_rows_place(rows, row, N_PAIR_COLUMNS + own, place),
                    rows->own[own]->name, rows->own[other]->name);
            }
        }
    }
    return MASING_OK;
}

static void list_own(const struct masing_law *law, struct pair_rows *rows)
{
    for (int i = 0; i < law->n_fields && rows->n_own < PAIR_MOST_OWN; i++) {
        if (law->fields[i].is_per_contact) {
            rows->own[rows->n_own++] = &law->fields[i];
        }
    }
}

/* Refuses files whose columns are not those of one of the two kinds, or of the law's fields
 * that are per contact. The table is to be cleared also after a failure. */
static enum masing_status pair_rows_read(const char *file, const struct masing_law *law,
                                         struct pair_rows *rows, struct masing_error *error)
{
    struct csv_column all[N_PAIR_COLUMNS + PAIR_MOST_OWN];
    *rows = (struct pair_rows){.file = file};
    list_own(law, rows);
    memcpy(all, columns, sizeof columns);
    for (int k = 0; k < rows->n_own; k++) {
        all[N_PAIR_COLUMNS + k] = (struct csv_column){rows->own[k]->name, .fallback = NAN};
    }
    enum masing_status status = csv_table_read(file, all, N_PAIR_COLUMNS + rows->n_own,
                                               CSV_OTHERS_REFUSED, &rows->table, error);
    status = status ? status : check_columns(rows, error);
    return status ? status : check_numbers(rows, error);
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

static enum masing_status fail_at(struct reader *reader, const struct pair_rows *rows, int row,
                                  enum pair_column column, const char *what)
{
    char place[READER_PLACE];
    return masing_error_set(reader->error, MASING_INVALID, "%s: %s",
                            pair_rows_place(rows, row, (int)column, place), what);
}

static enum masing_status find_node(struct reader *reader, const struct pair_rows *rows,
                                    int row, enum pair_column column, int dofs[3])
{
    char place[READER_PLACE];
    const char *name = pair_rows_text(rows, row, column);
    const char *what = column == PAIR_FROM ? "from" : "to";
    if (joint_axes_find_node(reader, name, directions, 3, dofs) ||
        strcmp(name, "ground") == 0) {
        return MASING_OK;
    }
    return joint_axes_refuse_node(reader, pair_rows_place(rows, row, (int)column, place), what,
                                  name, directions, 3);
}

static enum masing_status read_normal(struct reader *reader, const struct pair_rows *rows,
                                      int row, double normal[3])
{
    double largest = 0.0, length = 0.0;
    for (int k = 0; k < 3; k++) {
        enum pair_column column = (enum pair_column)((int)PAIR_NORMAL_X + k);
        normal[k] = csv_table_number(&rows->table, row, (int)column);
        if (isnan(normal[k])) {
            return fail_at(reader, rows, row, column, "a component of the normal is missing");
        }
        largest = fmax(largest, fabs(normal[k]));
    }
    if (!(largest > 0.0)) {
        return fail_at(reader, rows, row, PAIR_NORMAL_X,
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

static enum masing_status fill_frame(struct reader *reader, const struct pair_rows *rows,
                                     int row, struct masing_joint_spec *joint)
{
    enum masing_status status = MASING_OK;
    struct node_pair pair;
    double frame[3][3];
    int kept[2], n = 0;
    TRY(find_node(reader, rows, row, PAIR_FROM, pair.from));
    TRY(find_node(reader, rows, row, PAIR_TO, pair.to));
    if (strcmp(pair_rows_text(rows, row, PAIR_FROM), pair_rows_text(rows, row, PAIR_TO)) == 0) {
        TRY(fail_at(reader, rows, row, PAIR_TO, "'from' and 'to' are the same node"));
    }
    TRY(read_normal(reader, rows, row, frame[0]));
    project(frame[0], leading_direction(&pair, frame[0]), frame[1]);
    cross(frame[0], frame[1], frame[2]);
    for (int a = 1; a < 3; a++) {
        if (!is_fixed(&pair, frame[a])) {
            kept[n++] = a;
        }
    }
    if (is_fixed(&pair, frame[0]) || n == 0) {
        TRY(fail_at(reader, rows, row, PAIR_NORMAL_X,
                    n == 0 ? "the nodes have no DOF that moves across the normal"
                           : "the nodes have no DOF that moves along the normal"));
    }
    TRY(joint_axes_create(reader, n == 2 ? 7U : 3U, joint));
    TRY(fill_axis(reader, &pair, frame[0], &joint->axes[0]));
    for (int a = 0; a < n; a++) {
        TRY(fill_axis(reader, &pair, frame[kept[a]], &joint->axes[1 + a]));
    }
done:
    return status;
}

static enum masing_status fill_ends(struct reader *reader, const struct pair_rows *rows,
                                    int row, enum pair_column from,
                                    struct masing_combination *axis)
{
    static const char *const names[] = {"from", "to"};
    enum masing_status status = MASING_OK;
    struct masing_term terms[] = {{.weight = -1.0}, {.weight = 1.0}};
    for (int end = 0; end < 2; end++) {
        char place[READER_PLACE];
        enum pair_column column = (enum pair_column)((int)from + end);
        TRY(reader_dof_at(reader, pair_rows_place(rows, row, (int)column, place), names[end],
                          pair_rows_text(rows, row, column), true, &terms[end].dof));
    }
    if (terms[0].dof == terms[1].dof) {
        TRY(fail_at(reader, rows, row, (enum pair_column)((int)from + 1),
                    "'from' and 'to' are the same DOF"));
    }
    TRY(reader_combination(reader, terms, 2, axis));
done:
    return status;
}

static enum masing_status fill_dofs(struct reader *reader, const struct pair_rows *rows,
                                    int row, struct masing_joint_spec *joint)
{
    static const enum pair_column from[] = {PAIR_NORMAL_FROM, PAIR_TANGENTIAL_FROM,
                                            PAIR_TANGENTIAL2_FROM};
    enum masing_status status = MASING_OK;
    bool has_second = *pair_rows_text(rows, row, PAIR_TANGENTIAL2_FROM) ||
                      *pair_rows_text(rows, row, PAIR_TANGENTIAL2_TO);
    char text[JOINT_AXES_FAULT];
    int axis;
    TRY(joint_axes_create(reader, has_second ? 7U : 3U, joint));
    for (int a = 0; a < joint->n_axes && reader->spec->structure.n_dofs > 0; a++) {
        TRY(fill_ends(reader, rows, row, from[a], &joint->axes[a]));
    }
    const char *fault =
        reader->spec->structure.n_dofs > 0 ? joint_axes_fault(joint, true, &axis, text) : NULL;
    TRY(fault ? fail_at(reader, rows, row, from[axis], fault) : MASING_OK);
done:
    return status;
}

/* Axes of a row's joint, [1 + one or two tangential ones]. */
static enum masing_status pair_axes_fill(struct reader *reader, const struct pair_rows *rows,
                                         int row, struct masing_joint_spec *joint)
{
    if (!rows->is_of_nodes) {
        return fill_dofs(reader, rows, row, joint);
    }
    return reader->spec->structure.n_dofs > 0 ? fill_frame(reader, rows, row, joint)
                                              : joint_axes_create(reader, 7U, joint);
}

/* --- joints of the rows ------------------------------------------------------------------- */

struct pairs {
    struct reader *reader;
    struct tree_node *node;         /* the entry */
    struct masing_joint_spec entry; /* what the joints of the rows are copies of */
    bool is_per_area;
    struct pair_rows rows;
};

static enum masing_status store(const struct pairs *pairs, int row, int column,
                                const struct masing_field *field, double value,
                                void *parameters)
{
    struct masing_error inner = {0};
    char place[READER_PLACE];
    if (masing_field_store(field, value, parameters, &inner) == MASING_OK) {
        return MASING_OK;
    }
    return masing_error_set(pairs->reader->error, MASING_INVALID, "%s: %s",
                            pair_rows_place(&pairs->rows, row, column, place), inner.message);
}

static void reset_alternatives(const struct masing_law *law, const struct masing_field *field,
                               void *parameters)
{
    for (const char *const *name = field->alternatives; name && *name; name++) {
        int other = masing_field_find(law->fields, law->n_fields, *name);
        masing_fields_reset(&law->fields[other], 1, parameters);
    }
}

/* What a row gives takes the place of what the entry gives. */
static enum masing_status store_own(const struct pairs *pairs, int row, void *parameters)
{
    enum masing_status status = MASING_OK;
    for (int k = 0; k < pairs->rows.n_own && !status; k++) {
        const struct masing_field *field = pairs->rows.own[k];
        double value = pair_rows_own(&pairs->rows, row, k);
        if (!isnan(value)) {
            reset_alternatives(pairs->entry.law, field, parameters);
            status = store(pairs, row, N_PAIR_COLUMNS + k, field, value, parameters);
        }
    }
    return status;
}

/* Forces and stiffnesses are per unit area. */
static enum masing_status multiply_by_area(const struct pairs *pairs, int row, void *parameters)
{
    enum masing_status status = MASING_OK;
    const struct masing_law *law = pairs->entry.law;
    double area = csv_table_number(&pairs->rows.table, row, PAIR_AREA);
    for (int i = 0; i < law->n_fields && !status; i++) {
        const struct masing_field *field = &law->fields[i];
        bool is_of_area = strcmp(field->unit, "N/m") == 0 || strcmp(field->unit, "N") == 0;
        if (field->type == MASING_FIELD_REAL && is_of_area &&
            !isnan(masing_field_value(field, parameters))) {
            status = store(pairs, row, PAIR_AREA, field,
                           area * masing_field_value(field, parameters), parameters);
        }
    }
    return status;
}

static enum masing_status read_row(const struct pairs *pairs, int row,
                                   struct masing_joint_spec *joint)
{
    struct reader *reader = pairs->reader;
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    const struct masing_law *law = pairs->entry.law;
    joint->law = law;
    joint->place = pairs->entry.place;
    TRY_ALLOCATED(joint->name = memory_format("%s[%d]", pairs->entry.name, row + 1));
    TRY_ALLOCATED(joint->parameters =
                      memory_copy(pairs->entry.parameters, 1, law->parameters_size));
    double area = csv_table_number(&pairs->rows.table, row, PAIR_AREA);
    joint->area = isnan(area) ? 0.0 : area;
    TRY(store_own(pairs, row, joint->parameters));
    TRY(pairs->is_per_area ? multiply_by_area(pairs, row, joint->parameters) : MASING_OK);
    TRY(pair_axes_fill(reader, &pairs->rows, row, joint));
done:
    return status;
}

/* A study of a number that every row has of its own would repeat one curve. */
static enum masing_status refuse_unused(const struct pairs *pairs)
{
    const struct pair_rows *rows = &pairs->rows;
    for (int k = 0; k < rows->n_own; k++) {
        const struct tree_node *node = tree_find(pairs->node, rows->own[k]->name);
        int n_given = 0;
        for (int row = 0; row < rows->table.n_rows; row++) {
            bool is_given =
                !isnan(pair_rows_own(rows, row, k)) || pair_rows_alternative(rows, row, k) >= 0;
            n_given += is_given ? 1 : 0;
        }
        if (node && node->origin && n_given == rows->table.n_rows) {
            return reader_fail(pairs->reader, node,
                               "no contact uses this number: each row of '%.200s' has its own",
                               pairs->rows.file);
        }
    }
    return MASING_OK;
}

static const char *const booleans[] = {"false", "true", NULL};

static const struct reader_key pairs_keys[] = {
    KEY("per_area", offsetof(struct pairs, is_per_area), KEY_SWITCH, .has_default = true,
        .choices = booleans),
    {0},
};

static enum masing_status read_keys(struct pairs *pairs)
{
    const struct tree_node *other = tree_find(pairs->node, "normal");
    other = other ? other : tree_find(pairs->node, "tangential");
    if (other) {
        return reader_fail(pairs->reader, other, "%s: 'pairs' gives the directions already",
                           other->key);
    }
    return reader_read_keys(pairs->reader, pairs->node, pairs_keys, 0, pairs);
}

static enum masing_status read_rows(struct pairs *pairs, const char *file)
{
    struct masing_error *error = pairs->reader->error;
    enum masing_status status = pair_rows_read(file, pairs->entry.law, &pairs->rows, error);
    if (!status && pairs->is_per_area && !pairs->rows.table.is_present[PAIR_AREA]) {
        return masing_error_set(error, MASING_INVALID,
                                "%.400s:1:1: column 'area' is missing, which 'per_area' needs",
                                file);
    }
    return status ? status : refuse_unused(pairs);
}

/* Room for the rows, and as many joints again as the model file has entries. */
static enum masing_status make_room(struct reader *reader, const struct tree_node *node,
                                    int index, int n_rows)
{
    struct masing_spec *spec = reader->spec;
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    size_t n_entries = (size_t)tree_find(reader->tree->root, "joints")->count;
    TRY(reader_refuse(reader, index + n_rows > JOINT_TOTAL, node, "pairs: more than %d joints",
                      JOINT_TOTAL));
    struct masing_joint_spec *joints =
        memory_array((size_t)index + (size_t)n_rows + n_entries, sizeof *joints);
    TRY_ALLOCATED(joints);
    memcpy(joints, spec->joints, (size_t)index * sizeof *joints);
    free(spec->joints);
    spec->joints = joints;
done:
    return status;
}

enum masing_status read_pairs(struct reader *reader, struct tree_node *node, int index)
{
    struct masing_spec *spec = reader->spec;
    enum masing_status status = MASING_OK;
    struct pairs pairs = {.reader = reader, .node = node, .entry = spec->joints[index]};
    struct tree_node *file_node = tree_find(node, "pairs");
    char *file = NULL;
    spec->joints[index] = (struct masing_joint_spec){0};
    spec->n_joints = index;
    TRY(read_keys(&pairs));
    TRY(reader_file(reader, file_node, "pairs", &file));
    TRY(read_rows(&pairs, file));
    TRY(reader_keep_rows(reader, file_node, file, &pairs.rows.table));
    TRY(make_room(reader, file_node, index, pairs.rows.table.n_rows));
    for (int row = 0; row < pairs.rows.table.n_rows; row++) {
        TRY(read_row(&pairs, row, &spec->joints[spec->n_joints++]));
    }
done:
    csv_table_clear(&pairs.rows.table);
    free(pairs.entry.name);
    free(pairs.entry.parameters);
    free(file);
    return status;
}
