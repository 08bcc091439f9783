/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `loads:`, periodic ones, each kind with its own keys, and `static_loads:`. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/matrices/matrix_file.h"
#include "data/table_csv.h"
#include "model/seal.h"
#include "model_file/reader_mesh.h"

/* --- pattern: a file, a list or names with weights ---------------------------------------- */

/* Room for DOFs of the far boundary, see cyclic_fold_pattern. */
static enum masing_status widen(struct reader *reader, double **pattern)
{
    size_t n = (size_t)reader->spec->structure.n_dofs;
    double *own = *pattern;
    if (cyclic_reach(reader) == 1) {
        return MASING_OK;
    }
    *pattern = NULL;
    enum masing_status status = reader_matrix(reader, cyclic_reach(reader), pattern);
    if (status == MASING_OK) {
        memcpy(*pattern, own, n * sizeof *own);
    }
    free(own);
    return status;
}

static enum masing_status read_pattern(struct reader *reader, struct tree_node *node,
                                       void *object)
{
    struct masing_load_spec *load = object;
    enum masing_status status = MASING_OK;
    int n_dofs = reader->spec->structure.n_dofs, count;
    const struct matrix_expectation expectation = {n_dofs, 1, true, "one row for each DOF"};
    struct placed_matrix matrix = {0};
    char *file = NULL;
    if (node->kind == TREE_MAPPING || reader_is_weight_list(node)) {
        return reader_pattern(reader, node, WEIGHTS_OF_SUM, &load->pattern);
    }
    if (node->kind == TREE_SEQUENCE) {
        TRY(reader_numbers(reader, node, "pattern", &count, &load->pattern));
        TRY(reader_refuse(reader, count != n_dofs, node,
                          "pattern: expected %d numbers, one for each DOF, found %d", n_dofs,
                          count));
        return widen(reader, &load->pattern);
    }
    TRY(reader_matrix_file(reader, node, "pattern", &file));
    TRY(matrix_file_read(file, &expectation, &matrix, reader->error));
    load->pattern = matrix.real;
    load->pattern_imaginary = matrix.imaginary;
    matrix.real = matrix.imaginary = NULL;
    TRY(widen(reader, &load->pattern));
done:
    placed_matrix_clear(&matrix);
    free(file);
    return status;
}

/* --- table over frequency ----------------------------------------------------------------- */

static enum masing_status read_table(struct reader *reader, struct tree_node *node,
                                     void *object)
{
    static const struct csv_column columns[] = {{.name = "frequency_hz", .is_required = true},
                                                {.name = "amplitude", .is_required = true},
                                                {.name = "phase_deg"}};
    struct masing_load_spec *load = object;
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    char *file = NULL;
    struct csv_table table = {0};
    TRY(reader_file(reader, node, "table", &file));
    TRY(csv_table_read(file, columns, 3, CSV_OTHERS_REFUSED, &table, error));
    load->n_table = table.n_rows;
    TRY_ALLOCATED(load->table =
                      memory_copy(table.values, (size_t)table.n_rows * 3, sizeof *load->table));
    load->amplitude = 1.0;
    TRY(reader_keep_rows(reader, node, &table));
done:
    csv_table_clear(&table);
    free(file);
    return status;
}

/* --- loads -------------------------------------------------------------------------------- */

enum load_form { FORCE = 1, IMBALANCE = 2, BASE = 4, PATTERN = 8, TABLE = 16 };

#define LOAD(member) offsetof(struct masing_load_spec, member)

static const struct reader_key load_keys[] = {
    KEY("name", LOAD(name), KEY_TEXT),
    KEY("dof", LOAD(pattern), KEY_UNIT_PATTERN, .variants = FORCE | IMBALANCE | TABLE,
        .is_required = true),
    KEY("base_acceleration", LOAD(amplitude), KEY_NUMBER, .variants = BASE,
        .is_required = true),
    KEY("direction", LOAD(pattern), KEY_PATTERN, .variants = BASE, .is_required = true),
    {.name = "pattern", .variants = PATTERN, .is_required = true, .read = read_pattern},
    {.name = "table", .variants = TABLE, .is_required = true, .read = read_table},
    KEY("amplitude", LOAD(amplitude), KEY_NUMBER, .variants = FORCE | PATTERN,
        .is_required = true),
    KEY("imbalance", LOAD(amplitude), KEY_NUMBER, .variants = IMBALANCE, .is_required = true),
    KEY("harmonic", LOAD(harmonic), KEY_INTEGER, .has_default = true, .minimum = 1,
        .maximum = MAX_HARMONIC),
    KEY("phase", LOAD(phase), KEY_DEGREES, .has_default = true),
    {.name = "engine_order"}, /* read by itself: cyclic structures ask for it */
    {0},
};

/* The key that decides what a load is; without any it is a force on a DOF. */
static const struct {
    const char *key;
    enum load_form form;
    enum masing_load_kind kind;
} forms[] = {
    {"imbalance", IMBALANCE, MASING_LOAD_IMBALANCE},
    {"base_acceleration", BASE, MASING_LOAD_BASE_ACCELERATION},
    {"pattern", PATTERN, MASING_LOAD_FORCE},
    {"table", TABLE, MASING_LOAD_TABLE},
};

enum masing_status read_load(struct reader *reader, struct tree_node *map, void *object)
{
    struct masing_load_spec *load = object;
    NEED(reader_mapping(reader, map));
    NEED(reader_fold_set(reader, map));
    enum load_form form = FORCE;
    *load = (struct masing_load_spec){
        .kind = MASING_LOAD_FORCE, .harmonic = 1, .place = map->place};
    for (size_t i = sizeof forms / sizeof *forms; i-- > 0;) {
        if (tree_find(map, forms[i].key)) {
            form = forms[i].form;
            load->kind = forms[i].kind;
        }
    }
    NEED(reader_check_keys(reader, map, load_keys, form, NULL));
    NEED(read_engine_order(reader, map, load));
    NEED(reader_read_keys(reader, map, load_keys, form, load));
    return cyclic_fold_pattern(reader, map, form == BASE, load->engine_order, load->pattern,
                               &load->pattern_imaginary);
}

/* --- static loads ------------------------------------------------------------------------- */

enum static_form { STATIC_FORCE = 1, STATIC_ACCELERATION = 2 };

/* Times the unit pattern of `dof`, which stands before it in the table */
static enum masing_status read_static_force(struct reader *reader, struct tree_node *node,
                                            void *object)
{
    struct masing_static_load_spec *load = object;
    double force = 0.0;
    NEED(reader_number(reader, node, "force", &force));
    for (int i = 0; i < cyclic_reach(reader) * reader->spec->structure.n_dofs; i++) {
        load->pattern[i] *= force;
    }
    return MASING_OK;
}

static const struct reader_key static_load_keys[] = {
    KEY("dof", offsetof(struct masing_static_load_spec, pattern), KEY_UNIT_PATTERN,
        .variants = STATIC_FORCE, .is_required = true),
    {.name = "force", .variants = STATIC_FORCE, .is_required = true, .read = read_static_force},
    KEY("acceleration", offsetof(struct masing_static_load_spec, acceleration), KEY_NUMBER,
        .variants = STATIC_ACCELERATION, .is_required = true),
    KEY("direction", offsetof(struct masing_static_load_spec, pattern), KEY_PATTERN,
        .variants = STATIC_ACCELERATION, .is_required = true),
    {0},
};

/* A force of zero, e.g. the first value of a study, is no load. */
enum masing_status read_static_load(struct reader *reader, struct tree_node *map, void *object)
{
    struct masing_static_load_spec *load = object;
    load->place = map->place;
    NEED(reader_fold_set(reader, map));
    load->is_acceleration = tree_find(map, "acceleration") || tree_find(map, "direction");
    enum static_form form = load->is_acceleration ? STATIC_ACCELERATION : STATIC_FORCE;
    enum masing_status status = reader_section(reader, map, static_load_keys, form, load);
    status = status ? status
                    : cyclic_fold_pattern(reader, map, load->is_acceleration, 0, load->pattern,
                                          NULL);
    bool is_load = status || load->is_acceleration;
    for (int i = 0; i < reader->spec->structure.n_dofs && !is_load; i++) {
        is_load = load->pattern[i] != 0.0;
    }
    if (!is_load) {
        map->is_left_out = true;
        free(load->pattern);
        memset(load, 0, sizeof *load);
        reader->spec->n_static_loads--;
    }
    return status;
}
