/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A structure given by its modes: frequencies, mass-normalised shapes, damping ratios. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "model_file/reader.h"

static enum masing_status read_frequencies(struct reader *reader, struct tree_node *modes)
{
    struct masing_structure_spec *structure = &reader->spec->structure;
    enum masing_status status = MASING_OK;
    struct tree_node *node;
    TRY(reader_required(reader, modes, "frequencies", &node));
    TRY(reader_numbers(reader, node, "frequencies", &structure->n_modes,
                       &structure->omega_modes));
    if (!structure->n_modes) {
        TRY(reader_fail(reader, node, "frequencies: expected at least one"));
    }
    for (int i = 0; i < structure->n_modes; i++) {
        if (structure->omega_modes[i] < 0.0) {
            const struct tree_node *at = tree_at(node, i);
            TRY(reader_fail(reader, at ? at : node, "frequencies: cannot be negative, found %g",
                            structure->omega_modes[i]));
        }
        structure->omega_modes[i] *= TWO_PI;
    }
done:
    return status;
}

/* One DOF's numbers are a row of the mode shapes. */
static enum masing_status read_shape(struct reader *reader, struct tree_node *node, int dof)
{
    struct masing_structure_spec *structure = &reader->spec->structure;
    enum masing_status status = MASING_OK;
    double *values = NULL;
    int count;
    TRY(reader_numbers(reader, node, node->key, &count, &values));
    if (count != structure->n_modes) {
        TRY(reader_fail(reader, node, "%s: expected %d numbers, one for each mode, found %d",
                        node->key, structure->n_modes, count));
    }
    for (int mode = 0; mode < count; mode++) {
        structure->mode_shapes[(size_t)dof + (size_t)mode * (size_t)structure->n_dofs] =
            values[mode];
    }
done:
    free(values);
    return status;
}

static enum masing_status read_shapes(struct reader *reader, struct tree_node *modes)
{
    struct masing_structure_spec *structure = &reader->spec->structure;
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    struct tree_node *shapes;
    int dof = 0;
    TRY(reader_required(reader, modes, "shapes", &shapes));
    TRY(reader_mapping(reader, shapes));
    TRY(read_dof_names(reader, shapes));
    structure->mode_shapes =
        memory_array((size_t)structure->n_dofs * (size_t)structure->n_modes, sizeof(double));
    TRY_ALLOCATED(structure->mode_shapes);
    for (struct tree_node *child = shapes->first; child; child = child->next) {
        TRY(read_shape(reader, child, dof++));
    }
done:
    return status;
}

static enum masing_status read_ratios(struct reader *reader, struct tree_node *node)
{
    struct masing_damping_spec *form = &reader->spec->structure.form;
    enum masing_status status = MASING_OK;
    form->kind = MASING_DAMPING_MODAL;
    form->place = node->place;
    TRY(reader_numbers(reader, node, "damping_ratio", &form->n_ratios, &form->ratios));
    if (form->n_ratios != 1 && form->n_ratios != reader->spec->structure.n_modes) {
        TRY(reader_fail(reader, node,
                        "damping_ratio: expected one number or %d, one for each mode, found %d",
                        reader->spec->structure.n_modes, form->n_ratios));
    }
    for (int i = 0; i < form->n_ratios; i++) {
        if (form->ratios[i] < 0.0) {
            const struct tree_node *at = tree_at(node, i);
            TRY(reader_fail(reader, at ? at : node,
                            "damping_ratio: cannot be negative, found %g", form->ratios[i]));
        }
    }
done:
    return status;
}

enum masing_status read_modes(struct reader *reader, struct tree_node *section)
{
    static const char *const keys[] = {"frequencies", "shapes", "damping_ratio", NULL};
    enum masing_status status = MASING_OK;
    struct tree_node *modes = tree_find(section, "modes");
    struct tree_node *damping = tree_find(section, "damping");
    TRY(reader_keys(reader, modes, keys, NULL));
    TRY(read_frequencies(reader, modes));
    TRY(read_shapes(reader, modes));
    struct tree_node *ratio = tree_find(modes, "damping_ratio");
    if (ratio && damping) {
        TRY(reader_fail(reader, damping, "damping: is given already by modes.damping_ratio"));
    }
    if (damping && read_is_matrix(damping)) {
        TRY(reader_fail(reader, damping,
                        "damping: beside modes give damping_ratio, or modal_ratio, rayleigh or "
                        "structural"));
    }
    if (ratio) {
        TRY(read_ratios(reader, ratio));
    } else if (damping) {
        TRY(read_damping_form(reader, damping));
    }
done:
    return status;
}
