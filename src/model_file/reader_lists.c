/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields that hold more than one number: lists, lists of mappings, curves from a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "model_file/reader.h"
#include "data/table_csv.h"

static void *member(const struct masing_field *field, void *object)
{
    return (char *)object + field->offset;
}

/* "1 number", "1 or 2 numbers", "1 to 16 numbers" */
static const char *count_text(int max_count, const char *one, const char *many, char text[80])
{
    if (max_count == 1) {
        snprintf(text, 80, "1 %s", one);
    } else {
        snprintf(text, 80, "1 %s %d %s", max_count == 2 ? "or" : "to", max_count, many);
    }
    return text;
}

static enum masing_status fail_count(struct reader *reader, const struct tree_node *node,
                                     const struct masing_field *field, const char *expected)
{
    return reader_fail(reader, node, "%s: expected %s, found %d", field->name, expected,
                       node->count);
}

enum masing_status reader_field_list(struct reader *reader, struct tree_node *node,
                                     const struct masing_field *field, void *object)
{
    enum masing_status status = MASING_OK;
    struct masing_list list = {0};
    struct masing_field element = *field;
    int max_count = field->max_count ? field->max_count : MASING_LIST_LENGTH;
    char expected[80];
    double value;
    element.type = MASING_FIELD_REAL;
    element.offset = 0;
    count_text(max_count, "number", "numbers", expected);
    if (node->kind == TREE_MAPPING || tree_is_null(node)) {
        TRY(reader_fail(reader, node, "%s: expected %s, found %s", field->name, expected,
                        reader_kind_name(node)));
    }
    if (node->kind == TREE_SCALAR) {
        TRY(reader_number(reader, node, field->name, &value));
        TRY(reader_field_store(reader, node, &element, value, &list.values[list.count++]));
    } else if (node->count < 1 || node->count > max_count) {
        TRY(fail_count(reader, node, field, expected));
    }
    for (struct tree_node *child = node->first; child; child = child->next) {
        TRY(reader_number(reader, child, field->name, &value));
        TRY(reader_field_store(reader, child, &element, value, &list.values[list.count++]));
    }
    *(struct masing_list *)member(field, object) = list;
done:
    return status;
}

static enum masing_status read_record(struct reader *reader, struct tree_node *node,
                                      const struct masing_records *records, void *record)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    const char **keys = reader_field_keys(reader, records->fields, records->n_fields);
    TRY_ALLOCATED(keys);
    TRY(reader_keys(reader, node, keys, NULL));
    TRY(reader_fields(reader, node, records->fields, records->n_fields, record));
done:
    free(keys);
    return status;
}

enum masing_status reader_field_records(struct reader *reader, struct tree_node *node,
                                        const struct masing_field *field, void *object)
{
    enum masing_status status = MASING_OK;
    const struct masing_records *records = field->records;
    char *count = member(field, object), *record = count + records->first_offset;
    char expected[80];
    int n = 0;
    count_text(records->max_count, "mapping", "mappings", expected);
    if (node->kind != TREE_SEQUENCE) {
        TRY(reader_fail(reader, node, "%s: expected a list of %s, found %s", field->name,
                        expected, reader_kind_name(node)));
    }
    if (node->count < 1 || node->count > records->max_count) {
        TRY(fail_count(reader, node, field, expected));
    }
    for (struct tree_node *child = node->first; child; child = child->next) {
        TRY(read_record(reader, child, records, record));
        record += records->record_size;
        n++;
    }
    memcpy(count, &n, sizeof n);
done:
    return status;
}

static enum masing_status check_points(const char *file, const int *lines, int n,
                                       struct masing_error *error)
{
    if (n >= 2 && n <= MASING_POINTS_LENGTH) {
        return MASING_OK;
    }
    int line = n > MASING_POINTS_LENGTH ? lines[MASING_POINTS_LENGTH] : n ? lines[0] : 1;
    return masing_error_set(error, MASING_INVALID,
                            "%.400s:%d:1: expected 2 to %d points, found %d", file, line,
                            MASING_POINTS_LENGTH, n);
}

static enum masing_status read_points_file(struct reader *reader, struct tree_node *node,
                                           const char *name, struct masing_points *points)
{
    static const struct csv_column columns[] = {{.name = "displacement", .is_required = true},
                                                {.name = "force", .is_required = true}};
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    char *file = NULL;
    struct csv_table table = {0};
    TRY(reader_file(reader, node, name, &file));
    TRY(csv_table_read(file, columns, 2, CSV_OTHERS_REFUSED, &table, error));
    TRY(check_points(file, table.lines, table.n_rows, error));
    for (int i = 0; i < table.n_rows; i++) {
        points->x[i] = csv_table_number(&table, i, 0);
        points->y[i] = csv_table_number(&table, i, 1);
    }
    points->count = table.n_rows;
done:
    csv_table_clear(&table);
    free(file);
    return status;
}

/* [[displacement, force], ...] */
static enum masing_status read_point_pairs(struct reader *reader, struct tree_node *node,
                                           const char *name, struct masing_points *points)
{
    enum masing_status status = MASING_OK;
    if (node->count < 2 || node->count > MASING_POINTS_LENGTH) {
        TRY(reader_fail(reader, node, "%s: expected 2 to %d points, found %d", name,
                        MASING_POINTS_LENGTH, node->count));
    }
    for (struct tree_node *pair = node->first; pair; pair = pair->next) {
        if (pair->kind != TREE_SEQUENCE || pair->count != 2) {
            TRY(reader_fail(reader, pair, "%s: expected a pair [displacement, force]", name));
        }
        TRY(reader_number(reader, pair->first, "displacement", &points->x[points->count]));
        TRY(reader_number(reader, pair->last, "force", &points->y[points->count++]));
    }
done:
    return status;
}

enum masing_status reader_field_points(struct reader *reader, struct tree_node *node,
                                       const struct masing_field *field, void *object)
{
    struct masing_points *points = member(field, object);
    if (node->kind == TREE_SEQUENCE) {
        return read_point_pairs(reader, node, field->name, points);
    }
    if (node->kind == TREE_MAPPING || tree_is_null(node)) {
        return reader_fail(reader, node,
                           "%s: expected a CSV file or a list of pairs [displacement, force], "
                           "found %s",
                           field->name, reader_kind_name(node));
    }
    return read_points_file(reader, node, field->name, points);
}
