/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `loads:` what shakes the structure, each kind with its own keys. */
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "data/matrix_market.h"
#include "model_file/reader.h"
#include "data/table_csv.h"

enum { MAX_HARMONIC = 2000 };

static enum masing_status read_name(struct reader *reader, const struct tree_node *map,
                                    struct masing_load_spec *load)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    const struct tree_node *name = tree_find(map, "name");
    const char *text;
    if (!name) {
        return MASING_OK;
    }
    TRY(reader_text(reader, name, "name", &text));
    load->name = memory_text(text);
    TRY_ALLOCATED(load->name);
done:
    return status;
}

static enum masing_status read_amplitude(struct reader *reader, const struct tree_node *map,
                                         const char *key, struct masing_load_spec *load)
{
    struct tree_node *node;
    enum masing_status status = reader_required(reader, map, key, &node);
    return status ? status : reader_number(reader, node, key, &load->amplitude);
}

static enum masing_status read_unit(struct reader *reader, const struct tree_node *map,
                                    struct masing_load_spec *load)
{
    struct tree_node *node;
    enum masing_status status = reader_required(reader, map, "dof", &node);
    return status ? status : reader_unit_pattern(reader, node, &load->pattern);
}

static enum masing_status read_force(struct reader *reader, struct tree_node *map,
                                     struct masing_load_spec *load)
{
    static const char *const keys[] = {"name", "dof", "amplitude", "harmonic", "phase", NULL};
    enum masing_status status = MASING_OK;
    load->kind = MASING_LOAD_FORCE;
    TRY(reader_keys(reader, map, keys, NULL));
    TRY(read_unit(reader, map, load));
    TRY(read_amplitude(reader, map, "amplitude", load));
done:
    return status;
}

static enum masing_status read_imbalance(struct reader *reader, struct tree_node *map,
                                         struct masing_load_spec *load)
{
    static const char *const keys[] = {"name", "dof", "imbalance", "harmonic", "phase", NULL};
    enum masing_status status = MASING_OK;
    load->kind = MASING_LOAD_IMBALANCE;
    TRY(reader_keys(reader, map, keys, NULL));
    TRY(read_unit(reader, map, load));
    TRY(read_amplitude(reader, map, "imbalance", load));
done:
    return status;
}

static enum masing_status read_base(struct reader *reader, struct tree_node *map,
                                    struct masing_load_spec *load)
{
    static const char *const keys[] = {
        "name", "base_acceleration", "direction", "harmonic", "phase", NULL};
    enum masing_status status = MASING_OK;
    struct tree_node *direction;
    load->kind = MASING_LOAD_BASE_ACCELERATION;
    TRY(reader_keys(reader, map, keys, NULL));
    TRY(read_amplitude(reader, map, "base_acceleration", load));
    TRY(reader_required(reader, map, "direction", &direction));
    TRY(reader_pattern(reader, direction, &load->pattern));
done:
    return status;
}

/* --- pattern: a file, a list or names with weights ---------------------------------------- */

static enum masing_status read_pattern_file(struct reader *reader, const struct tree_node *node,
                                            struct masing_load_spec *load)
{
    enum masing_status status = MASING_OK;
    struct matrix_expectation expectation = {reader->spec->structure.n_dofs, 1, true,
                                             "one row for each DOF"};
    struct placed_matrix matrix = {0};
    char *file = NULL;
    TRY(reader_file(reader, node, "pattern", &file));
    TRY(matrix_market_read(file, &expectation, &matrix, reader->error));
    load->pattern = matrix.real;
    load->pattern_imaginary = matrix.imaginary;
    matrix.real = matrix.imaginary = NULL;
done:
    placed_matrix_clear(&matrix);
    free(file);
    return status;
}

static enum masing_status read_pattern_list(struct reader *reader, struct tree_node *node,
                                            struct masing_load_spec *load)
{
    int count;
    enum masing_status status = reader_numbers(reader, node, "pattern", &count, &load->pattern);
    if (status == MASING_OK && count != reader->spec->structure.n_dofs) {
        status = reader_fail(reader, node,
                             "pattern: expected %d numbers, one for each DOF, found %d",
                             reader->spec->structure.n_dofs, count);
    }
    return status;
}

static enum masing_status read_pattern(struct reader *reader, struct tree_node *map,
                                       struct masing_load_spec *load)
{
    static const char *const keys[] = {"name",     "pattern", "amplitude",
                                       "harmonic", "phase",   NULL};
    enum masing_status status = MASING_OK;
    struct tree_node *node;
    load->kind = MASING_LOAD_FORCE;
    TRY(reader_keys(reader, map, keys, NULL));
    TRY(reader_required(reader, map, "pattern", &node));
    if (node->kind == TREE_SCALAR) {
        TRY(read_pattern_file(reader, node, load));
    } else if (node->kind == TREE_SEQUENCE) {
        TRY(read_pattern_list(reader, node, load));
    } else {
        TRY(reader_pattern(reader, node, &load->pattern));
    }
    TRY(read_amplitude(reader, map, "amplitude", load));
done:
    return status;
}

/* --- table over frequency ------------------------------------------------------------------
 */

static enum masing_status read_table(struct reader *reader, struct tree_node *map,
                                     struct masing_load_spec *load)
{
    static const char *const keys[] = {"name", "dof", "table", "harmonic", "phase", NULL};
    static const struct csv_column columns[] = {{.name = "frequency_hz", .is_required = true},
                                                {.name = "amplitude", .is_required = true},
                                                {.name = "phase_deg"}};
    enum masing_status status = MASING_OK;
    struct tree_node *node;
    char *file = NULL;
    struct csv_table table = {0};
    struct masing_error *error = reader->error;
    load->kind = MASING_LOAD_TABLE;
    load->amplitude = 1.0;
    TRY(reader_keys(reader, map, keys, NULL));
    TRY(read_unit(reader, map, load));
    TRY(reader_required(reader, map, "table", &node));
    TRY(reader_file(reader, node, "table", &file));
    TRY(csv_table_read(file, columns, 3, CSV_OTHERS_REFUSED, &table, error));
    load->n_table = table.n_rows;
    load->table = memory_copy(table.values, (size_t)table.n_rows * 3, sizeof *load->table);
    TRY_ALLOCATED(load->table);
    TRY(reader_keep_rows(reader, node, file, &table));
done:
    csv_table_clear(&table);
    free(file);
    return status;
}

/* --- all loads -----------------------------------------------------------------------------
 */

struct kind {
    const char *key; /* that decides */
    enum masing_status (*read)(struct reader *, struct tree_node *, struct masing_load_spec *);
};

static const struct kind kinds[] = {
    {"imbalance", read_imbalance},
    {"base_acceleration", read_base},
    {"pattern", read_pattern},
    {"table", read_table},
};

static enum masing_status read_kind(struct reader *reader, struct tree_node *map,
                                    struct masing_load_spec *load)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (tree_find(map, kinds[i].key)) {
            return kinds[i].read(reader, map, load);
        }
    }
    return read_force(reader, map, load);
}

static enum masing_status read_load(struct reader *reader, struct tree_node *map,
                                    struct masing_load_spec *load)
{
    enum masing_status status = MASING_OK;
    double degrees = 0.0;
    load->harmonic = 1;
    load->place = map->place;
    TRY(reader_mapping(reader, map));
    TRY(read_kind(reader, map, load));
    TRY(read_name(reader, map, load));
    TRY(reader_optional_integer(reader, map, "harmonic", 1, MAX_HARMONIC, &load->harmonic));
    TRY(reader_optional_number(reader, map, "phase", &degrees));
    load->phase = degrees / 360.0 * TWO_PI;
done:
    return status;
}

enum masing_status read_loads(struct reader *reader)
{
    enum { MAX_LOADS = 10000 };
    struct masing_spec *spec = reader->spec;
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    struct tree_node *list = tree_find(reader->tree->root, "loads");
    TRY(reader_optional_number(reader, reader->tree->root, "load_factor", &spec->load_factor));
    if (!list || tree_is_null(list)) {
        return MASING_OK;
    }
    TRY(reader_sequence(reader, list));
    if (list->count > MAX_LOADS) {
        TRY(reader_fail(reader, list, "loads: more than %d", MAX_LOADS));
    }
    spec->loads = memory_array((size_t)list->count, sizeof *spec->loads);
    TRY_ALLOCATED(spec->loads);
    for (struct tree_node *node = list->first; node; node = node->next) {
        TRY(read_load(reader, node, &spec->loads[spec->n_loads++]));
    }
done:
    return status;
}
