/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entries of `--keep`: DOFs, nodes, ranges of nodes; one day node sets. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/reduce/needs.h"
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

/* The node set of that name: there are none without the mesh's, which is not read yet. */
static bool find_set(const struct masing_spec *spec, const char *entry, struct needs *needs)
{
    (void)spec;
    (void)entry;
    (void)needs;
    return false;
}

static enum masing_status refuse(const struct masing_spec *spec, const char *entry,
                                 struct masing_error *error)
{
    char hint[MASING_SUGGESTION_LENGTH];
    struct masing_suggestion suggestion = masing_suggest_begin(entry);
    for (int i = 0; i < spec->structure.n_dofs; i++) {
        masing_suggest_consider(&suggestion, spec->structure.dof_names[i]);
    }
    return masing_error_set(error, MASING_INVALID,
                            "--keep: the structure has no DOF or node '%.60s'%s; expected "
                            "names of DOFs (17.z), nodes (17) or ranges of nodes (17-20, "
                            "17-20.z); node sets are not supported yet",
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
    return is_found || find_set(spec, entry, needs) ? MASING_OK : refuse(spec, entry, error);
}
