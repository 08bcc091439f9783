/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes: DOFs called NODE.x, NODE.y, ... that belong together. */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "model_file/joint_axes.h"
#include "data/suggest.h"

enum { MAX_NAME = 256 };

static bool is_ground(const char *node)
{
    return strcmp(node, "ground") == 0;
}

bool node_dofs_find(struct reader *reader, const char *node, const char *const *axis_names,
                    int n_axes, int *dofs)
{
    bool has_any = false;
    for (int a = 0; a < n_axes; a++) {
        char name[MAX_NAME];
        int length = snprintf(name, sizeof name, "%s.%s", node, axis_names[a]);
        bool fits = length > 0 && length < MAX_NAME && !is_ground(node);
        int dof = fits ? names_find(&reader->dofs, name) : -1;
        dofs[a] = dof >= 0 ? dof : MASING_GROUND;
        has_any = has_any || dof >= 0;
    }
    return has_any;
}

/* The node that a DOF belongs to: what stands before the last point, if an axis comes after. */
static bool take_node(const char *dof, const char *const *axis_names, int n_axes,
                      char node[MAX_NAME])
{
    const char *point = strrchr(dof, '.');
    for (int a = 0; point && a < n_axes; a++) {
        if (strcmp(point + 1, axis_names[a]) == 0 && point - dof < MAX_NAME) {
            memcpy(node, dof, (size_t)(point - dof));
            node[point - dof] = '\0';
            return true;
        }
    }
    return false;
}

enum masing_status node_dofs_refuse(struct reader *reader, const char *place, const char *what,
                                    const char *node, const char *const *axis_names, int n_axes)
{
    const struct masing_structure_spec *structure = &reader->spec->structure;
    char hint[100], list[100] = "", nearest[2][MAX_NAME];
    int kept = 0;
    struct masing_suggestion suggestion = masing_suggest_begin(node);
    for (int i = 0; i < structure->n_dofs; i++) {
        const char *before = suggestion.nearest;
        if (take_node(structure->dof_names[i], axis_names, n_axes, nearest[1 - kept])) {
            masing_suggest_consider(&suggestion, nearest[1 - kept]);
            kept = suggestion.nearest == before ? kept : 1 - kept;
        }
    }
    for (int a = 0; a < n_axes; a++) {
        strncat(list, " .", sizeof list - strlen(list) - 1);
        strncat(list, axis_names[a], sizeof list - strlen(list) - 1);
    }
    return masing_error_set(reader->error, MASING_INVALID,
                            "%s: %s: node '%.60s' has no DOF, expected one or more of%s behind "
                            "its name%s",
                            place, what, node, list,
                            masing_suggest_text(&suggestion, hint, sizeof hint));
}

static enum masing_status find_node(struct reader *reader, const struct tree_node *node,
                                    const char *what, const struct masing_law *law,
                                    const char **name, int *dofs)
{
    char place[READER_PLACE];
    enum masing_status status = MASING_OK;
    struct tree_node *end;
    TRY(reader_required(reader, node, what, &end));
    TRY(reader_text(reader, end, what, name));
    bool has_any = node_dofs_find(reader, *name, law->axis_names, law->n_axes, dofs);
    if (!has_any && !is_ground(*name) && reader->spec->structure.n_dofs > 0) {
        TRY(node_dofs_refuse(reader, reader_place(reader, end, place), what, *name,
                             law->axis_names, law->n_axes));
    }
done:
    return status;
}

static enum masing_status fill_axis(struct reader *reader, int from, int to,
                                    struct masing_combination *axis)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    const struct masing_term terms[] = {{from, -1.0}, {to, 1.0}};
    axis->terms = memory_array(2, sizeof *axis->terms);
    TRY_ALLOCATED(axis->terms);
    for (int t = 0; t < 2; t++) {
        if (terms[t].dof != MASING_GROUND) {
            axis->terms[axis->n_terms++] = terms[t];
        }
    }
done:
    return status;
}

enum masing_status read_node_axes(struct reader *reader, struct tree_node *node,
                                  struct masing_joint_spec *joint)
{
    enum masing_status status = MASING_OK;
    const struct masing_law *law = joint->law;
    int from[MASING_MAX_AXES], to[MASING_MAX_AXES];
    const char *from_name, *to_name;
    unsigned mask = 0;
    TRY(find_node(reader, node, "from", law, &from_name, from));
    TRY(find_node(reader, node, "to", law, &to_name, to));
    if (strcmp(from_name, to_name) == 0) {
        TRY(reader_fail(reader, tree_find(node, "to"), "'from' and 'to' are both '%.60s'",
                        to_name));
    }
    for (int a = 0; a < law->n_axes; a++) {
        mask |= from[a] != MASING_GROUND || to[a] != MASING_GROUND ? 1U << a : 0U;
    }
    bool has_structure = reader->spec->structure.n_dofs > 0;
    TRY(joint_axes_create(reader, has_structure ? mask : (1U << law->n_axes) - 1U, joint));
    for (int a = 0, next = 0; has_structure && a < law->n_axes; a++) {
        if (mask & (1U << a)) {
            TRY(fill_axis(reader, from[a], to[a], &joint->axes[next++]));
        }
    }
done:
    return status;
}
