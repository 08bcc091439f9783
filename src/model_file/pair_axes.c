/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Axes of a contact that is a row of a file. Between two nodes they are a frame: the normal and
 * two directions across it, each the sum of what the nodes' DOFs do along it. Directions in
 * which neither node moves are fixed; the frame is turned so that what is left are as few axes
 * as the DOFs allow.
 */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "model_file/joint_axes.h"
#include "model_file/pair_rows.h"

/* direction cosines below this are rounding */
static const double ROUND_OFF = 1e-14;

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
    if (node_dofs_find(reader, name, directions, 3, dofs) || strcmp(name, "ground") == 0) {
        return MASING_OK;
    }
    return node_dofs_refuse(reader, pair_rows_place(rows, row, (int)column, place), what, name,
                            directions, 3);
}

static enum masing_status read_normal(struct reader *reader, const struct pair_rows *rows,
                                      int row, double normal[3])
{
    double largest = 0.0, length = 0.0;
    for (int k = 0; k < 3; k++) {
        enum pair_column column = (enum pair_column)((int)PAIR_NORMAL_X + k);
        normal[k] = pair_rows_number(rows, row, (int)column);
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
        if (!moves(pair, k) && fabs(normal[k]) <= ROUND_OFF) {
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
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    axis->terms = memory_array(6, sizeof *axis->terms);
    TRY_ALLOCATED(axis->terms);
    axis->n_terms = 0;
    for (int k = 0; k < 3; k++) {
        const struct masing_term terms[] = {{pair->from[k], -direction[k]},
                                            {pair->to[k], direction[k]}};
        for (int t = 0; t < 2 && fabs(direction[k]) > ROUND_OFF; t++) {
            if (terms[t].dof != MASING_GROUND) {
                axis->terms[axis->n_terms++] = terms[t];
            }
        }
    }
done:
    return status;
}

static bool is_fixed(const struct node_pair *pair, const double direction[3])
{
    bool is_moving = false;
    for (int k = 0; k < 3; k++) {
        is_moving = is_moving || (moves(pair, k) && fabs(direction[k]) > ROUND_OFF);
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
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    int dofs[2];
    axis->terms = memory_array(2, sizeof *axis->terms);
    TRY_ALLOCATED(axis->terms);
    for (int end = 0; end < 2; end++) {
        char place[READER_PLACE];
        enum pair_column column = (enum pair_column)((int)from + end);
        TRY(reader_dof_at(reader, pair_rows_place(rows, row, (int)column, place), names[end],
                          pair_rows_text(rows, row, column), true, &dofs[end]));
        if (dofs[end] != MASING_GROUND) {
            axis->terms[axis->n_terms++] = (struct masing_term){dofs[end], end == 0 ? -1 : 1};
        }
    }
    if (dofs[0] == dofs[1]) {
        TRY(fail_at(reader, rows, row, (enum pair_column)((int)from + 1),
                    "'from' and 'to' are the same DOF"));
    }
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
    char text[CONTACT_FAULT];
    int axis;
    TRY(joint_axes_create(reader, has_second ? 7U : 3U, joint));
    for (int a = 0; a < joint->n_axes && reader->spec->structure.n_dofs > 0; a++) {
        TRY(fill_ends(reader, rows, row, from[a], &joint->axes[a]));
    }
    const char *fault = reader->spec->structure.n_dofs > 0
                            ? contact_axes_fault(joint, true, &axis, text)
                            : NULL;
    TRY(fault ? fail_at(reader, rows, row, from[axis], fault) : MASING_OK);
done:
    return status;
}

enum masing_status pair_axes_fill(struct reader *reader, const struct pair_rows *rows, int row,
                                  struct masing_joint_spec *joint)
{
    if (!rows->is_of_nodes) {
        return fill_dofs(reader, rows, row, joint);
    }
    return reader->spec->structure.n_dofs > 0 ? fill_frame(reader, rows, row, joint)
                                              : joint_axes_create(reader, 7U, joint);
}
