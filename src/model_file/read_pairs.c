/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pairs:` many contacts of one entry, one a row of a CSV file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "model_file/joint_axes.h"
#include "model_file/pair_rows.h"

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
    for (int k = 0; k < pairs->rows.n_own; k++) {
        const struct masing_field *field = pairs->rows.own[k];
        double value = pair_rows_own(&pairs->rows, row, k);
        if (!isnan(value)) {
            reset_alternatives(pairs->entry.law, field, parameters);
            TRY(store(pairs, row, N_PAIR_COLUMNS + k, field, value, parameters));
        }
    }
done:
    return status;
}

/* Forces and stiffnesses are per unit area. */
static enum masing_status multiply_by_area(const struct pairs *pairs, int row, void *parameters)
{
    enum masing_status status = MASING_OK;
    const struct masing_law *law = pairs->entry.law;
    double area = pair_rows_number(&pairs->rows, row, PAIR_AREA);
    for (int i = 0; i < law->n_fields; i++) {
        const struct masing_field *field = &law->fields[i];
        bool is_of_area = strcmp(field->unit, "N/m") == 0 || strcmp(field->unit, "N") == 0;
        if (field->type != MASING_FIELD_REAL || !is_of_area) {
            continue;
        }
        double value = masing_field_value(field, parameters);
        if (!isnan(value)) {
            TRY(store(pairs, row, PAIR_AREA, field, area * value, parameters));
        }
    }
done:
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
    joint->name = memory_format("%s[%d]", pairs->entry.name, row + 1);
    TRY_ALLOCATED(joint->name);
    joint->parameters = memory_copy(pairs->entry.parameters, 1, law->parameters_size);
    TRY_ALLOCATED(joint->parameters);
    double area = pair_rows_number(&pairs->rows, row, PAIR_AREA);
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

static enum masing_status read_keys(struct pairs *pairs)
{
    static const char *const others[] = {"normal", "tangential"};
    enum masing_status status = MASING_OK;
    struct reader *reader = pairs->reader;
    struct tree_node *per_area = tree_find(pairs->node, "per_area");
    for (int i = 0; i < 2; i++) {
        const struct tree_node *other = tree_find(pairs->node, others[i]);
        if (other) {
            TRY(reader_fail(reader, other, "%s: 'pairs' gives the directions already",
                            others[i]));
        }
    }
    if (per_area) {
        TRY(reader_boolean(reader, per_area, "per_area", &pairs->is_per_area));
    } else {
        TRY(reader_default(reader, pairs->node, "per_area", "false"));
    }
done:
    return status;
}

static enum masing_status read_rows(struct pairs *pairs, const char *file)
{
    enum masing_status status = MASING_OK;
    struct reader *reader = pairs->reader;
    TRY(pair_rows_read(file, pairs->entry.law, &pairs->rows, reader->error));
    if (pairs->is_per_area && !pairs->rows.table.is_present[PAIR_AREA]) {
        TRY(masing_error_set(reader->error, MASING_INVALID,
                             "%.400s:1:1: column 'area' is missing, which 'per_area' needs",
                             file));
    }
    TRY(refuse_unused(pairs));
done:
    return status;
}

/* Room for the rows, and as many joints again as the model file has entries. */
static enum masing_status make_room(struct reader *reader, const struct tree_node *node,
                                    int index, int n_rows)
{
    struct masing_spec *spec = reader->spec;
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    size_t n_entries = (size_t)tree_find(reader->tree->root, "joints")->count;
    if (index + n_rows > JOINT_TOTAL) {
        TRY(reader_fail(reader, node, "pairs: more than %d joints", JOINT_TOTAL));
    }
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
    pair_rows_clear(&pairs.rows);
    free(pairs.entry.name);
    free(pairs.entry.parameters);
    free(file);
    return status;
}
