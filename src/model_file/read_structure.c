/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `structure:` in one of its variants: masses, springs and dampers (on beams or by themselves),
 * matrices over named DOFs, or modes; and its damping. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "data/matrices/matrix_file.h"
#include "data/number.h"
#include "data/reduced_file.h"
#include "model/structure/reduced_coordinates.h"
#include "model/structure/sparse_structure.h"
#include "model/structure/structure_cache.h"
#include "model_file/reader.h"

/* More masses than these are kept as sparse matrices. */
enum { MAX_LUMPED = 1000 };

enum structure_form { LUMPED = 1, MATRICES = 2, MODES = 4, ELEMENTS = 8, REDUCED = 16 };

#define STRUCTURE(member) offsetof(struct masing_structure_spec, member)

/* --- matrices over named DOFs ------------------------------------------------------------- */

static enum masing_status read_rows(struct reader *reader, struct tree_node *node,
                                    struct placed_matrix *matrix)
{
    int n = reader->spec->structure.n_dofs, i = 0;
    NEED(reader_refuse(reader, node->count != n, node,
                       "%s: expected %d rows, one for each DOF, found %d", node->key, n,
                       node->count));
    NEED(placed_matrix_create(n, n, false, matrix, reader->error));
    for (struct tree_node *row = node->first; row; row = row->next, i++) {
        bool is_list = row->kind == TREE_SEQUENCE;
        size_t at = (size_t)i;
        NEED(reader_refuse(reader, !is_list || row->count != n, row,
                           "%s: row %d: expected %d numbers, one column for each DOF, found %d",
                           node->key, i + 1, n, is_list ? row->count : 1));
        for (struct tree_node *child = row->first; child; child = child->next) {
            NEED(reader_number(reader, child, node->key, &matrix->real[at]));
            matrix->places[at] = child->place;
            at += (size_t)n;
        }
    }
    return placed_matrix_symmetrize(matrix, reader->file, reader->error);
}

static enum masing_status read_file(struct reader *reader, const struct tree_node *node,
                                    struct market_matrix *matrix)
{
    enum masing_status status = MASING_OK;
    struct masing_error *error = reader->error;
    double number;
    char *file = NULL, *alone = NULL;
    const char *part;
    struct structure_cache *cache = reader->spec->structure.cache;
    int n = reader->spec->structure.n_dofs;
    struct matrix_expectation expectation = {n, n, false, "one row and column for each DOF"};
    TRY(reader_refuse(reader, !tree_is_null(node) && number_parse(node->text, &number) == NULL,
                      node,
                      "%s: expected rows ([[...], [...]]) or the name of a Matrix Market "
                      "file, found a number",
                      node->key));
    TRY(reader_matrix_file(reader, node, "matrix", &file));
    TRY_ALLOCATED(alone = memory_text(file));
    part = matrix_file_split(alone);
    part = part ? part : "";
    structure_cache_lock(cache);
    if (!structure_cache_find_matrix(cache, alone, part, &matrix->sparse, NULL) ||
        matrix->sparse.n != n) {
        sparse_clear(&matrix->sparse);
        status = matrix_file_read_symmetric(file, &expectation, matrix, error);
        if (status == MASING_OK && matrix->sparse.n > 0) {
            structure_cache_keep_matrix(cache, alone, part, &matrix->sparse, NULL);
        }
    }
    structure_cache_unlock(cache);
    TRY(status);
done:
    free(file);
    free(alone);
    return status;
}

static enum masing_status expand_matrices(struct reader *reader)
{
    struct masing_structure_spec *structure = &reader->spec->structure;
    NEED(structure->mass ? MASING_OK
                         : sparse_structure_expand(&structure->sparse_mass, &structure->mass,
                                                   reader->error));
    return structure->stiffness ? MASING_OK
                                : sparse_structure_expand(&structure->sparse_stiffness,
                                                          &structure->stiffness, reader->error);
}

/* A damping matrix is dense, and the others with it. */
static enum masing_status read_dense(struct reader *reader, const struct tree_node *node,
                                     struct market_matrix *matrix)
{
    struct masing_structure_spec *structure = &reader->spec->structure;
    struct masing_error *error = reader->error;
    NEED(reader_refuse(reader, structure->n_dofs > MAX_DENSE_DOFS, node,
                       "%s: a damping matrix of more than %d DOFs is not supported: expected "
                       "modal_ratio, rayleigh or structural; few dashpots can be joints with "
                       "the law linear",
                       node->key, MAX_DENSE_DOFS));
    NEED(expand_matrices(reader));
    return sparse_structure_expand(&matrix->sparse, &matrix->dense.real, error);
}

/* sparse NULL: the matrix has to be a dense one. */
static enum masing_status read_matrix(struct reader *reader, struct tree_node *node,
                                      double **dense, struct masing_sparse *sparse)
{
    struct market_matrix matrix = {0};
    if (node->kind == TREE_MAPPING) {
        return reader_fail(
            reader, node,
            "%s: expected rows ([[...], [...]]) or the name of a Matrix Market file",
            node->key);
    }
    enum masing_status status = node->kind == TREE_SEQUENCE
                                    ? read_rows(reader, node, &matrix.dense)
                                    : read_file(reader, node, &matrix);
    if (status == MASING_OK && matrix.sparse.n > 0 && !sparse) {
        status = read_dense(reader, node, &matrix);
    }
    if (status == MASING_OK) {
        *dense = matrix.dense.real;
        matrix.dense.real = NULL;
    }
    if (status == MASING_OK && sparse) {
        *sparse = matrix.sparse;
        matrix.sparse = (struct masing_sparse){0};
    }
    market_matrix_clear(&matrix);
    return status;
}

static enum masing_status read_mass(struct reader *reader, struct tree_node *node, void *object)
{
    struct masing_structure_spec *structure = object;
    return read_matrix(reader, node, &structure->mass, &structure->sparse_mass);
}

static enum masing_status read_stiffness(struct reader *reader, struct tree_node *node,
                                         void *object)
{
    struct masing_structure_spec *structure = object;
    NEED(read_matrix(reader, node, &structure->stiffness, &structure->sparse_stiffness));
    if (structure->stiffness && !structure->mass) {
        return sparse_structure_expand(&structure->sparse_mass, &structure->mass,
                                       reader->error);
    }
    return structure->mass && !structure->stiffness
               ? sparse_structure_expand(&structure->sparse_stiffness, &structure->stiffness,
                                         reader->error)
               : MASING_OK;
}

/* Rows of the mass matrix, where DOFs have neither names nor number */
static enum masing_status count_dofs(struct reader *reader)
{
    enum masing_status status = MASING_OK;
    struct market_matrix matrix = {0};
    const struct matrix_expectation any = {0};
    struct tree_node *mass = NULL;
    char *file = NULL;
    TRY(reader_required(reader, tree_find(reader->tree->root, "structure"), "mass", &mass));
    if (mass->kind == TREE_SCALAR) {
        TRY(reader_matrix_file(reader, mass, "matrix", &file));
        TRY(matrix_file_read_symmetric(file, &any, &matrix, reader->error));
    }
    TRY(read_dof_numbers(reader, mass,
                         mass->kind != TREE_SCALAR ? mass->count
                         : matrix.sparse.n > 0     ? matrix.sparse.n
                                                   : matrix.dense.n_rows));
done:
    market_matrix_clear(&matrix);
    free(file);
    return status;
}

static enum masing_status read_dofs(struct reader *reader, struct tree_node *node, void *object)
{
    (void)object; /* the reader's structure */
    double number;
    if (!node) {
        return count_dofs(reader);
    }
    if (node->kind == TREE_SCALAR && number_parse(node->text, &number) == NULL) {
        int n = 0;
        enum masing_status status = reader_integer(reader, node, "dofs", 1, MAX_DOFS, &n);
        return status ? status : read_dof_numbers(reader, node, n);
    }
    if (node->kind == TREE_MAPPING) {
        return reader_fail(reader, node,
                           "dofs: expected a list of names, the name of a file or a number");
    }
    return read_dof_names(reader, node);
}

/* --- masses, springs and dampers ---------------------------------------------------------- */

/* To a matrix, or where there is none to a list. */
static enum masing_status add_entry(struct reader *reader, double *matrix,
                                    struct element_list *list, int row, int column,
                                    double value)
{
    struct masing_error *error = reader->error;
    if (matrix) {
        matrix[(size_t)row + (size_t)column * (size_t)reader->spec->structure.n_dofs] += value;
        return MASING_OK;
    }
    NEED_ALLOCATED(memory_grow((void **)&list->entries, list->n + 1, &list->capacity,
                               sizeof *list->entries));
    list->entries[list->n++] = (struct sparse_entry){row, column, value};
    return MASING_OK;
}

/* On the diagonal, where a beam may have its own mass already. */
static enum masing_status read_masses(struct reader *reader, struct tree_node *masses,
                                      void *object)
{
    struct masing_structure_spec *structure = object;
    for (struct tree_node *child = masses->first; child; child = child->next) {
        double mass;
        int dof;
        NEED(reader_key_dof(reader, child, "masses", &dof));
        NEED(reader_number(reader, child, child->key, &mass));
        NEED(reader_refuse(reader, mass < 0.0, child, "%s: a mass cannot be negative, found %g",
                           child->key, mass));
        NEED(add_entry(reader, structure->mass, &reader->masses, dof, dof, mass));
    }
    return MASING_OK;
}

/* `from` and `to` are read together. */
static const struct reader_key spring_keys[] = {
    {.name = "from"},
    {.name = "to"},
    KEY("stiffness", 0, KEY_NUMBER, .is_required = true),
    {0},
};
static const struct reader_key damper_keys[] = {
    {.name = "from"},
    {.name = "to"},
    KEY("damping", 0, KEY_NUMBER, .is_required = true),
    {0},
};

/* matrix += coefficient b b^T, b the displacement of `to` less that of `from`; coupling: to the
 * following sector. */
static enum masing_status read_element(struct reader *reader, struct tree_node *node,
                                       const struct reader_key *keys, double *matrix,
                                       double **coupling)
{
    enum masing_status status = MASING_OK;
    struct masing_combination combination = {0};
    double coefficient;
    TRY(reader_check_keys(reader, node, keys, 0, NULL));
    TRY(reader_from_to(reader, node, &combination));
    TRY(cyclic_check(reader, node, 1, &combination));
    TRY(reader_read_keys(reader, node, keys, 0, &coefficient));
    TRY(reader_refuse(
        reader, coefficient < 0.0 && keys == damper_keys && !reader->spec->structure.is_active,
        tree_find(node, "damping"),
        "damping: cannot be negative, found %g; where dampers are to put energy "
        "in give 'structure: {passive: false}'",
        coefficient));
    for (int i = 0; i < combination.n_terms; i++) {
        const struct masing_term *row = &combination.terms[i];
        for (int j = 0; j < (matrix ? combination.n_terms : i + 1); j++) {
            const struct masing_term *column = &combination.terms[j];
            double value = coefficient * row->weight * column->weight;
            TRY(reader->cyclic.n_sectors > 0
                    ? cyclic_add(reader, row->dof, column->dof, value, matrix, coupling)
                    : add_entry(reader, matrix, &reader->stiffnesses, row->dof, column->dof,
                                value));
        }
    }
done:
    free(combination.terms);
    return status;
}

static enum masing_status read_elements(struct reader *reader, const struct tree_node *list,
                                        const struct reader_key *keys, double *matrix,
                                        double **coupling)
{
    enum masing_status status = tree_is_null(list) ? MASING_OK : reader_sequence(reader, list);
    for (struct tree_node *child = list->first; child && !status; child = child->next) {
        status = read_element(reader, child, keys, matrix, coupling);
    }
    return status;
}

static enum masing_status read_springs(struct reader *reader, struct tree_node *list,
                                       void *stiffness)
{
    return read_elements(reader, list, spring_keys, *(double **)stiffness,
                         &reader->spec->structure.cyclic.stiffness);
}

/* Without dampers there is no matrix. */
static enum masing_status read_dampers(struct reader *reader, struct tree_node *list,
                                       void *damping)
{
    int n = reader->spec->structure.n_dofs;
    NEED(reader_refuse(reader, list->count && !reader->spec->structure.mass, list,
                       "dampers: of a structure of more than %d masses are not supported: few "
                       "of them can be joints with the law linear; else give modal_ratio, "
                       "rayleigh or structural",
                       MAX_DENSE_DOFS));
    NEED(list->count ? reader_matrix(reader, n, damping) : MASING_OK);
    return read_elements(reader, list, damper_keys, *(double **)damping,
                         &reader->spec->structure.cyclic.damping);
}

/* The sparse matrices of many masses and springs. */
static enum masing_status end_lumped(struct reader *reader)
{
    struct masing_structure_spec *structure = &reader->spec->structure;
    enum masing_status status = MASING_OK;
    if (!structure->mass) {
        TRY(sparse_create(structure->n_dofs, reader->masses.n, reader->masses.entries,
                          &structure->sparse_mass, reader->error));
        TRY(sparse_create(structure->n_dofs, reader->stiffnesses.n, reader->stiffnesses.entries,
                          &structure->sparse_stiffness, reader->error));
    }
done:
    free(reader->masses.entries);
    free(reader->stiffnesses.entries);
    reader->masses = reader->stiffnesses = (struct element_list){0};
    return status;
}

/* The DOFs, and matrices with what beams there are. */
static enum masing_status begin_lumped(struct reader *reader, struct tree_node *section)
{
    struct masing_structure_spec *structure = &reader->spec->structure;
    struct tree_node *beams = tree_find(section, "beams");
    struct tree_node *masses = tree_find(section, "masses");
    if (!beams) {
        NEED(reader_required(reader, section, "masses", &masses));
    }
    NEED(masses ? reader_open_mapping(reader, masses) : MASING_OK);
    if (beams) {
        structure->mass_place = structure->stiffness_place = beams->place;
        return read_beams(reader, beams, masses);
    }
    NEED(read_dof_names(reader, masses));
    structure->stiffness_place = section->place;
    const struct tree_node *dampers = tree_find(section, "dampers");
    bool has_dampers = dampers && dampers->count > 0;
    NEED(reader_refuse(reader, reader->cyclic.n_sectors > 0 && structure->n_dofs > MAX_LUMPED,
                       masses,
                       "masses: %d in a sector, expected at most %d; larger sectors "
                       "are not supported yet",
                       structure->n_dofs, MAX_LUMPED));
    if (structure->n_dofs > (has_dampers ? MAX_DENSE_DOFS : MAX_LUMPED)) {
        return MASING_OK; /* lists become sparse matrices */
    }
    NEED(reader_matrix(reader, structure->n_dofs, &structure->mass));
    return reader_matrix(reader, structure->n_dofs, &structure->stiffness);
}

/* --- what goes with the square of the shaft's speed ----------------------------------------
 */

/* Springs of lumped structures, else a matrix. */
static enum masing_status read_per_speed_squared(struct reader *reader, struct tree_node *node,
                                                 void *object)
{
    struct masing_structure_spec *structure = object;
    struct tree_node *section = tree_find(reader->tree->root, "structure");
    bool is_lumped = tree_find(section, "masses") && !tree_find(section, "beams");
    bool is_matrix = tree_find(section, "stiffness") != NULL;
    structure->speed_place = node->place;
    NEED(reader_refuse(reader, !is_lumped && !is_matrix, node,
                       "per_speed_squared: expected a structure of masses and springs, or of "
                       "mass and stiffness over dofs; others are not supported yet"));
    NEED(reader_refuse(reader, structure->n_dofs > (is_matrix ? MAX_DENSE_DOFS : MAX_LUMPED),
                       node, "per_speed_squared: of more than %d DOFs is not supported",
                       is_matrix ? MAX_DENSE_DOFS : MAX_LUMPED));
    NEED(reader_refuse(reader, !reader->spec->is_of_shaft && !tree_find(section, "spin_hz"),
                       node,
                       "per_speed_squared: the speed is not known, expected 'frequency_of: "
                       "shaft' or 'spin_hz'"));
    if (is_matrix) {
        NEED(read_matrix(reader, node, &structure->per_speed_squared, NULL));
        return expand_matrices(reader);
    }
    NEED(reader_matrix(reader, structure->n_dofs, &structure->per_speed_squared));
    return read_elements(reader, node, spring_keys, structure->per_speed_squared,
                         &structure->cyclic.per_speed_squared);
}

static enum masing_status read_spin(struct reader *reader, struct tree_node *node, void *object)
{
    struct masing_structure_spec *structure = object;
    double hertz = 0.0;
    NEED(reader_number(reader, node, node->key, &hertz));
    structure->has_spin = true;
    structure->spin = TWO_PI * hertz;
    return reader_refuse(reader, hertz < 0.0, node, "spin_hz: cannot be negative, found %g",
                         hertz);
}

/* --- damping as a form -------------------------------------------------------------------- */

enum { MODAL = 1, RAYLEIGH = 2, STRUCTURAL = 4 };

static enum masing_status read_modal(struct reader *reader, struct tree_node *node,
                                     void *object)
{
    struct masing_damping_spec *form = object;
    enum masing_status status =
        reader_numbers(reader, node, "modal_ratio", &form->n_ratios, &form->ratios);
    return status || form->n_ratios
               ? status
               : reader_fail(reader, node,
                             "modal_ratio: expected one number or one for each mode");
}

static enum masing_status read_rayleigh(struct reader *reader, struct tree_node *node,
                                        void *object)
{
    struct masing_damping_spec *form = object;
    enum masing_status status = MASING_OK;
    double *values = NULL;
    int count;
    TRY(reader_numbers(reader, node, "rayleigh", &count, &values));
    TRY(reader_refuse(reader, count != 2, node,
                      "rayleigh: expected [alpha, beta] (alpha M + beta K), found %d numbers",
                      count));
    for (int i = 0; i < count; i++) {
        TRY(reader_refuse(reader, values[i] < 0.0 && !reader->spec->structure.is_active,
                          tree_at(node, i),
                          "rayleigh: cannot be negative, found %g; where damping is to put "
                          "energy in give 'structure: {passive: false}'",
                          values[i]));
    }
    form->alpha = values[0];
    form->beta = values[1];
done:
    free(values);
    return status;
}

static const char *const damped_modes[] = {"free", "stuck", NULL};

static const struct reader_key damping_keys[] = {
    {.name = "modal_ratio", .variants = MODAL, .read = read_modal},
    {.name = "rayleigh", .variants = RAYLEIGH, .read = read_rayleigh},
    KEY("structural", offsetof(struct masing_damping_spec, loss_factor), KEY_NUMBER,
        .variants = STRUCTURAL),
    KEY("modes", offsetof(struct masing_damping_spec, modes_are_stuck), KEY_SWITCH,
        .variants = MODAL, .has_default = true, .choices = damped_modes),
    {0},
};

static enum masing_status read_damping_form(struct reader *reader, struct tree_node *map,
                                            struct masing_damping_spec *form)
{
    unsigned given = (tree_find(map, "modal_ratio") ? MODAL : 0U) |
                     (tree_find(map, "rayleigh") ? RAYLEIGH : 0U) |
                     (tree_find(map, "structural") ? STRUCTURAL : 0U);
    NEED(reader_check_keys(reader, map, damping_keys, 0, NULL));
    if (given != MODAL && given != RAYLEIGH && given != STRUCTURAL) {
        return reader_fail(reader, map,
                           "damping: expected one of modal_ratio, rayleigh and structural");
    }
    if (given != MODAL && tree_find(map, "modes")) {
        return reader_fail(reader, tree_find(map, "modes"),
                           "modes: goes with modal_ratio only");
    }
    form->place = map->place;
    form->kind = given == MODAL      ? MASING_DAMPING_MODAL
                 : given == RAYLEIGH ? MASING_DAMPING_RAYLEIGH
                                     : MASING_DAMPING_STRUCTURAL;
    return reader_read_keys(reader, map, damping_keys, given, form);
}

/* A form, or beside matrices a matrix */
static enum masing_status read_damping(struct reader *reader, struct tree_node *node,
                                       void *object)
{
    struct masing_structure_spec *structure = object;
    const struct tree_node *section = tree_find(reader->tree->root, "structure");
    const struct tree_node *modes = tree_find(section, "modes");
    if (tree_find(modes, "damping_ratio")) {
        return reader_fail(reader, node, "damping: is given already by modes.damping_ratio");
    }
    if (node->kind == TREE_MAPPING) {
        return read_damping_form(reader, node, &structure->form);
    }
    if (tree_find(section, "mass")) {
        structure->damping_place = node->place;
        return read_matrix(reader, node, &structure->damping, NULL);
    }
    return reader_fail(reader, node,
                       modes ? "damping: beside modes give damping_ratio, or modal_ratio, "
                               "rayleigh or structural"
                             : "damping: beside masses or beams give dampers, or modal_ratio, "
                               "rayleigh or structural");
}

/* --- modes -------------------------------------------------------------------------------- */

static enum masing_status read_frequencies(struct reader *reader, struct tree_node *node,
                                           void *object)
{
    struct masing_structure_spec *structure = object;
    NEED(reader_numbers(reader, node, "frequencies", &structure->n_modes,
                        &structure->omega_modes));
    if (!structure->n_modes) {
        return reader_fail(reader, node, "frequencies: expected at least one");
    }
    for (int i = 0; i < structure->n_modes; i++) {
        structure->omega_modes[i] *= TWO_PI;
    }
    return MASING_OK;
}

/* The numbers of a DOF are a row of the matrix. */
static enum masing_status read_shapes(struct reader *reader, struct tree_node *shapes,
                                      void *object)
{
    struct masing_structure_spec *structure = object;
    enum masing_status status = MASING_OK;
    double *values = NULL, *shape;
    int count;
    TRY(reader_mapping(reader, shapes));
    TRY(read_dof_names(reader, shapes));
    TRY(reader_matrix(reader, structure->n_modes, &structure->mode_shapes));
    shape = structure->mode_shapes;
    for (struct tree_node *node = shapes->first; node; node = node->next, shape++) {
        TRY(reader_numbers(reader, node, node->key, &count, &values));
        TRY(reader_refuse(reader, count != structure->n_modes, node,
                          "%s: expected %d numbers, one for each mode, found %d", node->key,
                          structure->n_modes, count));
        for (int mode = 0; mode < count; mode++) {
            shape[(size_t)mode * (size_t)structure->n_dofs] = values[mode];
        }
        free(values);
        values = NULL;
    }
done:
    free(values);
    return status;
}

static enum masing_status read_ratios(struct reader *reader, struct tree_node *node,
                                      void *object)
{
    struct masing_structure_spec *structure = object;
    struct masing_damping_spec *form = &structure->form;
    form->kind = MASING_DAMPING_MODAL;
    form->are_of_modes = true;
    form->place = node->place;
    enum masing_status status =
        reader_numbers(reader, node, "damping_ratio", &form->n_ratios, &form->ratios);
    if (status || form->n_ratios == 1 || form->n_ratios == structure->n_modes) {
        return status;
    }
    return reader_fail(reader, node,
                       "damping_ratio: expected one number or %d, one for each mode, found %d",
                       structure->n_modes, form->n_ratios);
}

static const struct reader_key modes_keys[] = {
    {.name = "frequencies", .is_required = true, .read = read_frequencies},
    {.name = "shapes", .is_required = true, .read = read_shapes},
    {.name = "damping_ratio", .read = read_ratios},
    {0},
};

/* --- reduced structures ------------------------------------------------------------------- */

/* The DOFs are all of the full structure's. */
static enum masing_status name_dofs(struct reader *reader, const struct tree_node *node,
                                    const struct masing_structure_spec *read)
{
    struct masing_error *error = reader->error;
    struct arena *arena = &reader->tree->arena;
    size_t n = (size_t)read->n_dofs;
    struct dof_entry *entries = arena_array(arena, n, sizeof *entries);
    NEED_ALLOCATED(entries);
    for (size_t i = 0; i < n; i++) {
        const char *name = read->dof_names[i];
        entries[i].at = node;
        NEED_ALLOCATED(entries[i].name = arena_text(arena, name, strlen(name)));
    }
    return read_dof_list(reader, node, entries, read->n_dofs);
}

/* What the document keeps of a file */
struct kept_reduced {
    char *file;
    struct masing_spec read;
};

static void destroy_kept(void *object)
{
    struct kept_reduced *kept = object;
    masing_spec_clear(&kept->read);
    free(kept->file);
    free(kept);
}

static enum masing_status read_and_keep(struct structure_cache *cache, const char *file,
                                        const struct kept_reduced **found,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct kept_reduced *kept = memory_array(1, sizeof *kept);
    TRY_ALLOCATED(kept);
    TRY_ALLOCATED(kept->file = memory_text(file));
    TRY(reduced_file_read(file, &kept->read.structure, error));
    const struct structure_object object = {kept, destroy_kept, 1, &kept->file};
    TRY_ALLOCATED(structure_cache_keep_object(cache, &object));
    *found = kept;
    kept = NULL;
done:
    if (kept) {
        destroy_kept(kept);
    }
    return status;
}

/* FILE.h5 of `masing reduce` */
static enum masing_status read_reduced(struct reader *reader, struct tree_node *node,
                                       void *object)
{
    struct masing_structure_spec *structure = object;
    struct masing_error *error = reader->error;
    const struct kept_reduced *kept;
    enum masing_status status = MASING_OK;
    char *file = NULL;
    TRY(reader_file(reader, node, "reduced", &file));
    structure_cache_lock(structure->cache);
    kept = structure_cache_find_object(structure->cache, file, destroy_kept);
    status = kept ? MASING_OK : read_and_keep(structure->cache, file, &kept, error);
    structure_cache_unlock(structure->cache);
    TRY(status);
    TRY(name_dofs(reader, node, &kept->read.structure));
    TRY(reduced_coordinates_copy(&kept->read.structure, structure, error));
    structure->mass_place = structure->stiffness_place = node->place;
    structure->damping_place = node->place;
done:
    free(file);
    return status;
}

/* --- all of it ---------------------------------------------------------------------------- */

/* `damping` belongs to all variants. */
static const char *const passive_choices[] = {"true", "false", NULL};
static const struct reader_key structure_keys[] = {
    KEY("passive", STRUCTURE(is_active), KEY_SWITCH, .choices = passive_choices),
    {.name = "masses", .variants = LUMPED, .place = STRUCTURE(mass_place), .read = read_masses},
    KEY("springs", STRUCTURE(stiffness), KEY_OTHER, .variants = LUMPED,
        .place = STRUCTURE(stiffness_place), .read = read_springs),
    KEY("dampers", STRUCTURE(damping), KEY_OTHER, .variants = LUMPED,
        .place = STRUCTURE(damping_place), .read = read_dampers),
    {.name = "dofs", .variants = MATRICES, .has_default = true, .read = read_dofs},
    {.name = "mass",
     .variants = MATRICES,
     .is_required = true,
     .place = STRUCTURE(mass_place),
     .read = read_mass},
    {.name = "stiffness",
     .variants = MATRICES,
     .is_required = true,
     .place = STRUCTURE(stiffness_place),
     .read = read_stiffness},
    {.name = "reduced", .variants = REDUCED, .read = read_reduced},
    {.name = "damping", .read = read_damping},
    {.name = "mesh", .read = read_mesh},
    KEY("modes", 0, KEY_SECTION, .variants = MODES, .keys = modes_keys),
    {.name = "calculix", .variants = ELEMENTS, .read = read_calculix},
    {.name = "abaqus", .variants = ELEMENTS, .read = read_abaqus},
    {.name = "nastran", .variants = ELEMENTS, .read = read_nastran},
    {.name = "beams", .variants = LUMPED}, /* read with the names of the masses */
    {.name = "cyclic"},
    {.name = "per_speed_squared", .read = read_per_speed_squared},
    {.name = "spin_hz", .read = read_spin},
    {0},
};

static enum masing_status find_form(struct reader *reader, const struct tree_node *section,
                                    unsigned *form)
{
    const struct tree_node *decisive = NULL;
    *form = 0;
    for (const struct tree_node *child = section->first; child; child = child->next) {
        unsigned own = reader_find_key(structure_keys, child->key)->variants;
        if (!own) {
            continue;
        }
        /* a program's matrices are all of a structure */
        if (decisive && (own != *form || own == ELEMENTS)) {
            return reader_fail_key(reader, child,
                                   "structure: '%s' does not go with '%s'; give beams, masses, "
                                   "springs and dampers, or dofs, mass and stiffness, or "
                                   "modes, or calculix, abaqus or nastran, or reduced",
                                   child->key, decisive->key);
        }
        decisive = decisive ? decisive : child;
        *form = own;
    }
    return decisive
               ? MASING_OK
               : reader_fail(reader, section,
                             "structure: expected beams, masses, springs and dampers, or dofs, "
                             "mass and stiffness, or modes, or calculix, abaqus or nastran, "
                             "or reduced");
}

/* Beams have matrices of their own kind. */
static enum cyclic_form cyclic_form_of(const struct tree_node *section, unsigned form)
{
    bool is_lumped = form == LUMPED && !tree_find(section, "beams");
    return is_lumped                              ? CYCLIC_LUMPED
           : form == MATRICES || form == ELEMENTS ? CYCLIC_MATRICES
                                                  : CYCLIC_OTHER;
}

enum masing_status read_structure(struct reader *reader, struct tree_node *section,
                                  void *object)
{
    struct masing_spec *spec = object;
    struct tree_node *cyclic = tree_find(section, "cyclic");
    unsigned form = 0;
    NEED(reader_check_keys(reader, section, structure_keys, 0, NULL));
    NEED(find_form(reader, section, &form));
    NEED(cyclic ? read_cyclic(reader, cyclic, cyclic_form_of(section, form)) : MASING_OK);
    NEED(form == LUMPED ? begin_lumped(reader, section) : MASING_OK);
    enum masing_status status =
        reader_read_keys(reader, section, structure_keys, form, &spec->structure);
    enum masing_status ending = form == LUMPED ? end_lumped(reader) : MASING_OK;
    status = status ? status : ending;
    bool has_boundaries = cyclic && form != LUMPED;
    return status || !has_boundaries ? status : join_boundaries(reader, cyclic);
}
