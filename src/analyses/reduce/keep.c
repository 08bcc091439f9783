/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entries of `--keep`: DOFs, nodes, ranges of nodes, node sets of the mesh. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/reduce/needs.h"
#include "data/mesh/mesh.h"
#include "masing/suggest.h"

/* "17-20" or "17-20.z": nodes from .. to, and how their DOFs end, NULL for all. */
struct node_range {
    long from, to;
    const char *end;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool read_range(const char *entry, struct node_range *range)
{
    char *rest;
    if (!is_digit(entry[0])) {
        return false;
    }
    range->from = range->to = strtol(entry, &rest, 10);
    if (rest[0] == '-' && is_digit(rest[1])) {
        range->to = strtol(rest + 1, &rest, 10);
    }
    range->end = *rest == '.' ? rest + 1 : NULL;
    return *rest == '\0' || *rest == '.';
}

static bool is_in_range(const char *name, const struct node_range *range)
{
    char *rest;
    if (!is_digit(name[0])) {
        return false;
    }
    long node = strtol(name, &rest, 10);
    bool is_end = *rest == '\0'
                      ? !range->end
                      : *rest == '.' && (!range->end || strcmp(rest + 1, range->end) == 0);
    return is_end && node >= range->from && node <= range->to;
}

/* Whether a DOF is one of the node that an entry names: "beam.end" of "beam.end.w". */
static bool is_of_node(const char *name, const char *entry)
{
    size_t length = strlen(entry);
    const char *end = strncmp(name, entry, length) == 0 ? name + length : "";
    return end[0] == '.' && !strchr(end + 1, '.');
}

/* A node set of the mesh, by the name before the point if the whole is none: "TIP", "TIP.z";
 * *end: what its DOFs end with, NULL for all. */
static const struct mesh_set *read_set(const struct mesh *mesh, const char *entry,
                                       const char **end)
{
    char name[128];
    const struct mesh_set *whole = mesh_find_node_set(mesh, entry);
    const char *point = strrchr(entry, '.');
    size_t length = point ? (size_t)(point - entry) : 0;
    *end = NULL;
    if (whole || length == 0 || length >= sizeof name) {
        return whole;
    }
    memcpy(name, entry, length);
    name[length] = '\0';
    *end = point + 1;
    return mesh_find_node_set(mesh, name);
}

/* DOFs of a node set that the structure has. */
static bool keep_set(const struct masing_spec *spec, const char *entry, struct needs *needs)
{
    const struct mesh *mesh = spec->structure.mesh;
    const char *end = NULL;
    const struct mesh_set *set = mesh ? read_set(mesh, entry, &end) : NULL;
    bool is_found = false;
    for (int i = 0; set && i < spec->structure.n_dofs; i++) {
        char *rest;
        long number = strtol(spec->structure.dof_names[i], &rest, 10);
        int node = *rest == '.' && number > 0 && number <= MESH_LARGEST_NUMBER
                       ? mesh_find_node(mesh, (int)number)
                       : -1;
        if (node >= 0 && mesh_find_number(set->members, set->n, node) >= 0 &&
            (!end || strcmp(rest + 1, end) == 0)) {
            needs_add_dof(needs, i);
            is_found = true;
        }
    }
    return is_found;
}

static enum masing_status refuse(const struct masing_spec *spec, const char *entry,
                                 struct masing_error *error)
{
    char hint[MASING_SUGGESTION_LENGTH];
    struct masing_suggestion suggestion = masing_suggest_begin(entry);
    const struct mesh *mesh = spec->structure.mesh;
    for (int i = 0; mesh && i < mesh->n_node_sets; i++) {
        masing_suggest_consider(&suggestion, mesh->node_sets[i].name);
    }
    for (int i = 0; i < spec->structure.n_dofs; i++) {
        masing_suggest_consider(&suggestion, spec->structure.dof_names[i]);
    }
    return masing_error_set(error, MASING_INVALID,
                            "--keep: the structure has no DOF or node '%.60s'%s; expected "
                            "names of DOFs (17.z), nodes (17), ranges of nodes (17-20, "
                            "17-20.z) or node sets of the mesh (TIP, TIP.z)",
                            entry, masing_suggest_text(&suggestion, hint, sizeof hint));
}

enum masing_status needs_keep(const struct masing_spec *spec, const char *entry,
                              struct needs *needs, struct masing_error *error)
{
    char *const *names = spec->structure.dof_names;
    struct node_range range = {0};
    bool is_range = read_range(entry, &range), is_found = false;
    for (int i = 0; i < spec->structure.n_dofs; i++) {
        if (strcmp(names[i], entry) == 0) {
            needs_add_dof(needs, i);
            return MASING_OK;
        }
    }
    for (int i = 0; i < spec->structure.n_dofs; i++) {
        if (is_of_node(names[i], entry) || (is_range && is_in_range(names[i], &range))) {
            needs_add_dof(needs, i);
            is_found = true;
        }
    }
    return is_found || keep_set(spec, entry, needs) ? MASING_OK : refuse(spec, entry, error);
}
