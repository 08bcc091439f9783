/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Masses, springs and dampers assembled into matrices, on beams or by themselves. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "model_file/reader.h"

static enum masing_status allocate(struct reader *reader, double **matrix)
{
    size_t n = (size_t)reader->spec->structure.n_dofs;
    *matrix = memory_array(n * n, sizeof **matrix);
    return *matrix ? MASING_OK
                   : masing_error_set(reader->error, MASING_NO_MEMORY, "out of memory");
}

/* On the diagonal, where a beam may have its own mass already. */
static enum masing_status read_masses(struct reader *reader, struct tree_node *masses)
{
    struct masing_structure_spec *structure = &reader->spec->structure;
    enum masing_status status = MASING_OK;
    structure->mass_place = masses->place;
    for (struct tree_node *child = masses->first; child; child = child->next) {
        double mass;
        int dof;
        TRY(reader_key_dof(reader, child, "masses", &dof));
        TRY(reader_number(reader, child, child->key, &mass));
        if (mass < 0.0) {
            TRY(reader_fail(reader, child, "%s: a mass cannot be negative, found %g",
                            child->key, mass));
        }
        structure->mass[(size_t)dof * ((size_t)structure->n_dofs + 1)] += mass;
    }
done:
    return status;
}

/* matrix += coefficient b b^T, b the displacement of `to` less that of `from`. */
static void add_element(double *matrix, int n, const struct masing_combination *b,
                        double coefficient)
{
    for (int i = 0; i < b->n_terms; i++) {
        for (int j = 0; j < b->n_terms; j++) {
            size_t row = (size_t)b->terms[i].dof, column = (size_t)b->terms[j].dof;
            matrix[row + column * (size_t)n] +=
                coefficient * b->terms[i].weight * b->terms[j].weight;
        }
    }
}

static enum masing_status read_element(struct reader *reader, struct tree_node *node,
                                       const char *quantity, bool may_be_negative,
                                       double *matrix)
{
    const char *const keys[] = {"from", "to", quantity, NULL};
    enum masing_status status = MASING_OK;
    struct masing_combination combination = {0};
    struct tree_node *value;
    double coefficient;
    TRY(reader_keys(reader, node, keys, NULL));
    TRY(reader_from_to(reader, node, &combination));
    TRY(reader_required(reader, node, quantity, &value));
    TRY(reader_number(reader, value, quantity, &coefficient));
    if (coefficient < 0.0 && !may_be_negative) {
        TRY(reader_fail(reader, value, "%s: cannot be negative, found %g", quantity,
                        coefficient));
    }
    add_element(matrix, reader->spec->structure.n_dofs, &combination, coefficient);
done:
    free(combination.terms);
    return status;
}

static enum masing_status read_elements(struct reader *reader, const struct tree_node *section,
                                        const char *quantity, bool may_be_negative,
                                        double *matrix)
{
    enum masing_status status = MASING_OK;
    if (!section || tree_is_null(section)) {
        return MASING_OK;
    }
    TRY(reader_sequence(reader, section));
    for (struct tree_node *child = section->first; child; child = child->next) {
        TRY(read_element(reader, child, quantity, may_be_negative, matrix));
    }
done:
    return status;
}

/* The DOFs, and matrices with what beams there are. */
static enum masing_status begin(struct reader *reader, struct tree_node *section,
                                struct tree_node *masses)
{
    struct masing_structure_spec *structure = &reader->spec->structure;
    const struct tree_node *beams = tree_find(section, "beams");
    enum masing_status status = MASING_OK;
    if (!beams) {
        TRY(reader_required(reader, section, "masses", &masses));
    }
    TRY(masses ? reader_open_mapping(reader, masses) : MASING_OK);
    if (beams) {
        structure->mass_place = structure->stiffness_place = beams->place;
        return read_beams(reader, beams, masses);
    }
    TRY(read_dof_names(reader, masses));
    TRY(allocate(reader, &structure->mass));
    TRY(allocate(reader, &structure->stiffness));
    structure->stiffness_place = section->place;
done:
    return status;
}

enum masing_status read_lumped(struct reader *reader, struct tree_node *section)
{
    struct masing_structure_spec *structure = &reader->spec->structure;
    enum masing_status status = MASING_OK;
    struct tree_node *masses = tree_find(section, "masses");
    const struct tree_node *springs = tree_find(section, "springs");
    const struct tree_node *dampers = tree_find(section, "dampers");
    struct tree_node *damping = tree_find(section, "damping");
    TRY(begin(reader, section, masses));
    TRY(masses ? read_masses(reader, masses) : MASING_OK);
    if (springs) {
        structure->stiffness_place = springs->place;
    }
    TRY(read_elements(reader, springs, "stiffness", true, structure->stiffness));
    if (dampers && !tree_is_null(dampers) &&
        (dampers->count || dampers->kind != TREE_SEQUENCE)) {
        TRY(allocate(reader, &structure->damping));
        structure->damping_place = dampers->place;
        TRY(read_elements(reader, dampers, "damping", false, structure->damping));
    }
    if (damping && read_is_matrix(damping)) {
        TRY(reader_fail(
            reader, damping,
            "damping: beside masses or beams give dampers, or modal_ratio, rayleigh or "
            "structural"));
    }
    if (damping) {
        TRY(read_damping_form(reader, damping));
    }
done:
    return status;
}
