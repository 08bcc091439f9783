/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mass, stiffness and damping as matrices over named DOFs: rows in the file, or files. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "data/matrix_market.h"
#include "data/number.h"
#include "model_file/reader.h"

bool read_is_matrix(const struct tree_node *node)
{
    return node->kind != TREE_MAPPING;
}

static enum masing_status read_row(struct reader *reader, struct tree_node *row, int index,
                                   const char *title, struct placed_matrix *matrix)
{
    enum masing_status status = MASING_OK;
    int n = matrix->n_rows, column = 0;
    if (row->kind != TREE_SEQUENCE || row->count != n) {
        TRY(reader_fail(reader, row,
                        "%s: row %d: expected %d numbers, one column for each DOF, found %d",
                        title, index + 1, n, row->kind == TREE_SEQUENCE ? row->count : 1));
    }
    for (struct tree_node *child = row->first; child; child = child->next, column++) {
        size_t place = (size_t)index + (size_t)column * (size_t)n;
        TRY(reader_number(reader, child, title, &matrix->real[place]));
        matrix->places[place] = child->place;
    }
done:
    return status;
}

static enum masing_status read_rows(struct reader *reader, struct tree_node *node,
                                    struct placed_matrix *matrix)
{
    enum masing_status status = MASING_OK;
    int n = reader->spec->structure.n_dofs, index = 0;
    if (node->count != n) {
        TRY(reader_fail(reader, node, "%s: expected %d rows, one for each DOF, found %d",
                        node->key, n, node->count));
    }
    TRY(placed_matrix_create(n, n, false, matrix, reader->error));
    for (struct tree_node *row = node->first; row; row = row->next) {
        TRY(read_row(reader, row, index++, node->key, matrix));
    }
    TRY(placed_matrix_symmetrize(matrix, reader->file, reader->error));
done:
    return status;
}

static enum masing_status read_file(struct reader *reader, const struct tree_node *node,
                                    struct placed_matrix *matrix)
{
    enum masing_status status = MASING_OK;
    double number;
    char *file = NULL;
    int n = reader->spec->structure.n_dofs;
    struct matrix_expectation expectation = {n, n, false, "one row and column for each DOF"};
    if (!tree_is_null(node) && number_parse(node->text, &number) == NULL) {
        TRY(reader_fail(reader, node,
                        "%s: expected rows ([[...], [...]]) or the name of a Matrix Market "
                        "file, found a number",
                        node->key));
    }
    TRY(reader_file(reader, node, "matrix", &file));
    TRY(matrix_market_read(file, &expectation, matrix, reader->error));
    TRY(placed_matrix_symmetrize(matrix, file, reader->error));
done:
    free(file);
    return status;
}

enum masing_status read_symmetric(struct reader *reader, struct tree_node *node,
                                  double **result)
{
    enum masing_status status = MASING_OK;
    struct placed_matrix matrix = {0};
    if (node->kind == TREE_MAPPING) {
        TRY(reader_fail(
            reader, node,
            "%s: expected rows ([[...], [...]]) or the name of a Matrix Market file",
            node->key));
    }
    TRY(node->kind == TREE_SEQUENCE ? read_rows(reader, node, &matrix)
                                    : read_file(reader, node, &matrix));
    *result = matrix.real;
    matrix.real = NULL;
done:
    placed_matrix_clear(&matrix);
    return status;
}

enum masing_status read_matrices(struct reader *reader, struct tree_node *section)
{
    struct masing_structure_spec *structure = &reader->spec->structure;
    enum masing_status status = MASING_OK;
    struct tree_node *dofs, *mass, *stiffness, *damping = tree_find(section, "damping");
    TRY(reader_required(reader, section, "dofs", &dofs));
    if (dofs->kind == TREE_MAPPING) {
        TRY(reader_fail(reader, dofs, "dofs: expected a list of names or the name of a file"));
    }
    TRY(read_dof_names(reader, dofs));
    TRY(reader_required(reader, section, "mass", &mass));
    structure->mass_place = mass->place;
    TRY(read_symmetric(reader, mass, &structure->mass));
    TRY(reader_required(reader, section, "stiffness", &stiffness));
    structure->stiffness_place = stiffness->place;
    TRY(read_symmetric(reader, stiffness, &structure->stiffness));
    if (damping && read_is_matrix(damping)) {
        structure->damping_place = damping->place;
        TRY(read_symmetric(reader, damping, &structure->damping));
    } else if (damping) {
        TRY(read_damping_form(reader, damping));
    }
done:
    return status;
}
