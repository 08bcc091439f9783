/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `pairs:` many contacts of one entry, one a row of a CSV file: between two nodes with a
 * normal, or between DOFs by name. `surfaces:` the same rows, made of a mesh.
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
#include "data/number.h"
#include "model_file/reader_mesh.h"

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
    bool is_per_area, is_of_surfaces;
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
    return pairs->is_of_surfaces
               ? masing_error_set(pairs->reader->error, MASING_INVALID, "%s: node %s on %s: %s",
                                  place, csv_table_text(&pairs->table, row, PAIR_FROM),
                                  csv_table_text(&pairs->table, row, PAIR_TO), what)
               : masing_error_set(pairs->reader->error, MASING_INVALID, "%s: %s", place, what);
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

/* An end of a contact: a node, or a point between nodes, which moves with the sum of their
 * weights times their DOFs, MASING_GROUND where one does not move. */
struct pair_end {
    int n;
    double weights[MASING_PAIR_NODES];
    int dofs[MASING_PAIR_NODES][3];
};

struct node_pair {
    struct pair_end from, to;
};

static bool end_moves(const struct pair_end *end, int k)
{
    for (int i = 0; i < end->n; i++) {
        if (end->dofs[i][k] != MASING_GROUND) {
            return true;
        }
    }
    return false;
}

static bool moves(const struct node_pair *pair, int k)
{
    return end_moves(&pair->from, k) || end_moves(&pair->to, k);
}

/* Index of a node of the mesh by its name, -1: it is none. */
static int find_mesh_node(const struct reader *reader, const char *name)
{
    double number;
    bool is_number = reader->mesh && number_parse(name, &number) == NULL && number > 0.0 &&
                     number <= MESH_LARGEST_NUMBER && number == floor(number);
    return is_number ? mesh_find_node(reader->mesh, (int)number) : -1;
}

static enum masing_status find_node(const struct pairs *pairs, int row, enum pair_column column,
                                    const char *name, int dofs[3])
{
    const char *what = column == PAIR_FROM ? "from" : "to";
    char place[READER_PLACE];
    int node = find_mesh_node(pairs->reader, name);
    bool has_any = joint_axes_find_node(pairs->reader, name, mesh_directions, 3, dofs);
    csv_table_place(&pairs->table, row, (int)column, place, sizeof place);
    if (node >= 0) {
        return reader_mesh_dofs(pairs->reader, place, what, node, dofs);
    }
    return has_any || strcmp(name, "ground") == 0
               ? MASING_OK
               : joint_axes_refuse_node(pairs->reader, place, what, name, mesh_directions, 3);
}

/* NODE:WEIGHT, cut at the last colon */
static enum masing_status read_share(const struct pairs *pairs, int row,
                                     enum pair_column column, char *word, struct pair_end *end)
{
    char *colon = strrchr(word, ':');
    double *weight = &end->weights[end->n];
    if (end->n == MASING_PAIR_NODES) {
        return fail(pairs, row, (int)column, "a point between more than %d nodes",
                    MASING_PAIR_NODES);
    }
    if (!colon || number_parse(colon + 1, weight) != NULL) {
        return fail(pairs, row, (int)column,
                    "expected a node, or NODE:WEIGHT NODE:WEIGHT ..., found '%.60s'", word);
    }
    *colon = '\0';
    return find_node(pairs, row, column, word, end->dofs[end->n++]);
}

/* A node, or nodes with weights between blanks */
static enum masing_status read_end(const struct pairs *pairs, int row, enum pair_column column,
                                   struct pair_end *end)
{
    struct masing_error *error = pairs->reader->error;
    enum masing_status status = MASING_OK;
    const char *text = text_of(pairs, row, column);
    char *copy = NULL, *rest = NULL;
    *end = (struct pair_end){.n = 1, .weights = {1.0}};
    bool is_node = joint_axes_find_node(pairs->reader, text, mesh_directions, 3, end->dofs[0]);
    if (is_node || !strchr(text, ':')) {
        return find_node(pairs, row, column, text, end->dofs[0]);
    }
    end->n = 0;
    TRY_ALLOCATED(copy = memory_text(text));
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        TRY(read_share(pairs, row, column, word, end));
    }
done:
    free(copy);
    return status;
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
    struct masing_term terms[6 * MASING_PAIR_NODES];
    const struct pair_end *ends[] = {&pair->from, &pair->to};
    int n = 0;
    for (int i = 0; i < 6; i++) {
        const struct pair_end *end = ends[i % 2];
        double cosine = direction[i / 2], sign = i % 2 ? 1.0 : -1.0;
        for (int t = 0; t < end->n && fabs(cosine) > ZERO_COSINE; t++) {
            terms[n++] =
                (struct masing_term){end->dofs[t][i / 2], sign * cosine * end->weights[t]};
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
    NEED(read_end(pairs, row, PAIR_FROM, &pair.from));
    NEED(read_end(pairs, row, PAIR_TO, &pair.to));
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
        bool is_of_area = strcmp(field->unit, "N/m") == 0 || strcmp(field->unit, "N") == 0 ||
                          strcmp(field->unit, "N s^2") == 0;
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

/* --- rows of surfaces --------------------------------------------------------------------- */

/* "25:0.25 27:0.75", "25" or "ground"; false without memory */
static bool put_end(struct csv_table *table, int row, const struct masing_surface_pair *pair)
{
    char text[MASING_PAIR_NODES * (NUMBER_TEXT + 16)], weight[NUMBER_TEXT];
    size_t n = 0;
    for (int k = 0; k < pair->n_to; k++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%d", k ? " " : "", pair->to[k]);
        if (pair->n_to > 1) {
            n += (size_t)snprintf(text + n, sizeof text - n, ":%s",
                                  number_print(pair->weights[k], weight));
        }
    }
    const char **cell = &table->texts[row * N_PAIR_COLUMNS + PAIR_TO];
    *cell = pair->n_to > 0 ? arena_text(&table->arena, text, n) : "ground";
    return *cell != NULL;
}

/* The contacts as a table whose cells all stand where the entry has `surfaces`. */
static enum masing_status fill_table(struct pairs *pairs, const struct tree_node *at,
                                     const struct surface_contacts *contacts)
{
    struct masing_error *error = pairs->reader->error;
    struct csv_table *table = &pairs->table;
    struct arena *arena = &table->arena;
    size_t n_rows = (size_t)contacts->n, n_cells = n_rows * N_PAIR_COLUMNS;
    table->file = pairs->reader->file;
    table->n_rows = contacts->n;
    table->n_columns = N_PAIR_COLUMNS;
    table->names = arena_array(arena, N_PAIR_COLUMNS, sizeof *table->names);
    table->is_present = arena_array(arena, N_PAIR_COLUMNS, sizeof *table->is_present);
    table->values = arena_doubles(arena, n_cells);
    table->texts = arena_array(arena, n_cells, sizeof *table->texts);
    table->lines = arena_array(arena, n_rows, sizeof *table->lines);
    table->places = arena_array(arena, n_cells, sizeof *table->places);
    NEED_ALLOCATED(!arena->has_failed);
    for (int column = 0; column < N_PAIR_COLUMNS; column++) {
        table->names[column] = columns[column].name;
    }
    for (size_t i = 0; i < n_cells; i++) {
        table->texts[i] = "";
        table->places[i] = at->place.column;
    }
    for (int row = 0; row < contacts->n; row++) {
        const struct masing_surface_pair *pair = &contacts->pairs[row];
        double *values = table->values + (size_t)row * N_PAIR_COLUMNS;
        char number[16];
        int length = snprintf(number, sizeof number, "%d", pair->from);
        table->lines[row] = at->place.line;
        memcpy(values + PAIR_NORMAL_X, pair->normal, sizeof pair->normal);
        values[PAIR_AREA] = contacts->has_areas ? pair->area : NAN;
        NEED_ALLOCATED(table->texts[row * N_PAIR_COLUMNS + PAIR_FROM] =
                           arena_text(arena, number, (size_t)length));
        NEED_ALLOCATED(put_end(table, row, pair));
    }
    return MASING_OK;
}

static enum masing_status read_contacts(struct pairs *pairs, struct tree_node *at,
                                        struct surface_contacts *contacts)
{
    struct reader *reader = pairs->reader;
    const struct tree_node *per_area = tree_find(pairs->node, "per_area");
    pairs->is_of_nodes = pairs->is_of_surfaces = true;
    NEED(read_surfaces(reader, pairs->node, contacts));
    NEED(reader_refuse(reader, contacts->n > JOINT_LIMIT, at,
                       "surfaces: %d pairs, of which at most %d are supported", contacts->n,
                       JOINT_LIMIT));
    NEED(reader_refuse(reader, pairs->is_per_area && !contacts->has_areas, per_area,
                       "per_area: a node set has no area, give 'area:' of all of it"));
    return fill_table(pairs, at, contacts);
}

/* --- all of an entry ---------------------------------------------------------------------- */

/* *file, which the table is lent, is owned by the caller. */
static enum masing_status read_file(struct pairs *pairs, const struct tree_node *file_node,
                                    char **file)
{
    struct tree_node *other = NULL;
    for (const char *const *key = (const char *const[]){"normal", "tangential", "area", NULL};
         *key && !other; key++) {
        other = tree_find(pairs->node, *key);
    }
    NEED(other ? reader_fail(pairs->reader, other,
                             strcmp(other->key, "area") == 0
                                 ? "%s: belongs to 'surfaces'; rows of 'pairs' have their own"
                                 : "%s: 'pairs' gives the directions already",
                             other->key)
               : MASING_OK);
    NEED(reader_file(pairs->reader, file_node, "pairs", file));
    return read_rows(pairs, *file);
}

static enum masing_status make_joints(struct pairs *pairs, struct tree_node *at, int index)
{
    struct masing_spec *spec = pairs->reader->spec;
    int n_rows = pairs->table.n_rows;
    NEED(make_room(pairs->reader, at, index, n_rows));
    for (int row = 0; row < n_rows; row++) {
        NEED(read_row(pairs, row, &spec->joints[spec->n_joints++]));
    }
    return reader_keep_rows(pairs->reader, at, &pairs->table);
}

enum masing_status read_pairs(struct reader *reader, struct tree_node *node, int index)
{
    struct masing_spec *spec = reader->spec;
    enum masing_status status = MASING_OK;
    struct pairs pairs = {.reader = reader, .node = node, .entry = spec->joints[index]};
    struct surface_contacts contacts = {0};
    char *file = NULL;
    struct tree_node *at = joint_rows(node), *surfaces = tree_find(node, "surfaces");
    spec->joints[index] = (struct masing_joint_spec){0};
    spec->n_joints = index;
    TRY(reader_refuse(reader, surfaces && at != surfaces, surfaces,
                      "surfaces: 'pairs' gives the contacts already"));
    TRY(reader_read_keys(reader, node, pairs_keys, 0, &pairs));
    TRY(surfaces ? read_contacts(&pairs, at, &contacts) : read_file(&pairs, at, &file));
    TRY(make_joints(&pairs, at, index));
    if (surfaces) {
        struct masing_joint_group *group = &spec->groups[spec->n_groups];
        group->pairs = contacts.pairs;
        group->n_unmatched = contacts.n_unmatched;
        group->unmatched = contacts.unmatched;
        contacts = (struct surface_contacts){0};
    }
done:
    csv_table_clear(&pairs.table);
    free(contacts.pairs);
    free(contacts.unmatched);
    free(pairs.entry.name);
    free(pairs.entry.parameters);
    free(file);
    return status;
}
