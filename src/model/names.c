/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "model/seal.h"

enum { LONGEST = 63 };

/* Of equal names that with the lower index comes first; index -1 stands for any. */
static int compare(const void *a, const void *b)
{
    const struct names_entry *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order || left->index < 0
               ? order
               : (left->index > right->index) - (left->index < right->index);
}

const char *names_at(const void *things, size_t size, int index)
{
    const char *name;
    memcpy(&name, (const char *)things + (size_t)index * size, sizeof name);
    return name;
}

enum masing_status names_create(const void *things, int n, size_t size, struct names *names,
                                struct masing_error *error)
{
    names->n = 0;
    NEED_ALLOCATED(names->entries = memory_array((size_t)n, sizeof *names->entries));
    for (int i = 0; i < n; i++) {
        const char *name = names_at(things, size, i);
        if (name) {
            names->entries[names->n++] = (struct names_entry){name, i};
        }
    }
    qsort(names->entries, (size_t)names->n, sizeof *names->entries, compare);
    return MASING_OK;
}

void names_clear(struct names *names)
{
    free(names->entries);
    names->entries = NULL;
    names->n = 0;
}

int names_find(const struct names *names, const char *name)
{
    const struct names_entry key = {name, -1};
    const struct names_entry *found =
        names->n > 0 ? bsearch(&key, names->entries, (size_t)names->n, sizeof key, compare)
                     : NULL;
    return found ? found->index : -1;
}

int names_search(const void *things, int n, size_t size, const char *name)
{
    for (int i = 0; things && i < n; i++) {
        const char *other = names_at(things, size, i);
        if (other && strcmp(other, name) == 0) {
            return i;
        }
    }
    return -1;
}

int names_repeated(const struct names *names, int *first)
{
    int earliest = -1;
    for (int i = 1; i < names->n; i++) {
        const struct names_entry *left = &names->entries[i - 1], *right = &names->entries[i];
        bool is_same = strcmp(left->name, right->name) == 0;
        if (is_same && (earliest < 0 || right->index < earliest)) {
            earliest = right->index;
            *first = left->index;
        }
    }
    return earliest;
}

const char *names_fault(const char *name)
{
    size_t length = strlen(name), n_good = 0;
    while (n_good < length && (unsigned char)name[n_good] >= 0x20 && name[n_good] != 0x7F &&
           !strchr(",;\"'$=", name[n_good])) {
        n_good++;
    }
    return length == 0                   ? "a name cannot be empty"
           : length > LONGEST            ? "a name has at most 63 bytes"
           : strcmp(name, "ground") == 0 ? "'ground' is the fixed frame's name"
           : name[0] == ' ' || name[length - 1] == ' '
               ? "a name neither begins nor ends with a blank"
           : n_good < length ? "a name has none of , ; \" ' $ = and no control characters"
                             : NULL;
}

/* --- names of a specification ------------------------------------------------------------- */

/* Things of one kind. Columns, messages and options find each by its name. */
struct named {
    const char *kind, *article, *section;
    const char *key; /* of the name in an entry of the section */
    const void *things;
    int n;
    size_t size, place; /* of a thing, and the offset of its place: 0 where it has none */
    bool is_optional;
    bool is_composed; /* of names that have been looked at */
};

static struct model_part part_of(const struct masing_spec *spec, const struct named *named,
                                 int i)
{
    struct masing_place place = {0};
    if (named->place) {
        memcpy(&place, (const char *)named->things + (size_t)i * named->size + named->place,
               sizeof place);
    }
    if (named->things == spec->groups) { /* a group has the name of its first joint's entry */
        i = spec->groups[i].first;
        place = i >= 0 && i < spec->n_joints ? spec->joints[i].place : place;
    }
    return model_part(place, "%s.%d%s", named->section, i, named->key);
}

static enum masing_status check_named(const struct masing_spec *spec, const struct named *named,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct names names = {0};
    int first = 0;
    for (int i = 0; i < named->n; i++) {
        const char *text = names_at(named->things, named->size, i);
        const char *fault = text && !named->is_composed ? names_fault(text) : NULL;
        if (!named->is_optional && !text) {
            struct model_part part = part_of(spec, named, i);
            TRY(model_refuse_part(spec, &part, error, "%s %d: no name, expected one",
                                  named->kind, i + 1));
        }
        if (fault) {
            struct model_part part = part_of(spec, named, i);
            TRY(model_refuse_part(spec, &part, error, "'%.60s' cannot name %s %s: %s", text,
                                  named->article, named->kind, fault));
        }
    }
    TRY(names_create(named->things, named->n, named->size, &names, error));
    int repeated = names_repeated(&names, &first);
    if (repeated >= 0) {
        const char *text = names_at(named->things, named->size, repeated);
        struct model_part part = part_of(spec, named, repeated);
        int line = part_of(spec, named, first).place.line;
        TRY(line > 0
                ? model_refuse_part(spec, &part, error, "%s %s '%s' stands in line %d already",
                                    named->article, named->kind, text, line)
                : model_refuse_part(spec, &part, error,
                                    "%s '%s': the name is taken already, expected another",
                                    named->kind, text));
    }
done:
    names_clear(&names);
    return status;
}

enum masing_status seal_names(const struct masing_spec *spec, struct masing_error *error)
{
    const struct masing_structure_spec *structure = &spec->structure;
    const struct named kinds[] = {
        {"DOF", "a", "structure.dof_names", "", structure->dof_names,
         structure->dof_names ? structure->n_dofs : 0, sizeof *structure->dof_names, 0, true,
         false},
        /* results speak of a group by its name */
        {"joint", "a", "joints", ".name", spec->groups, spec->n_groups, sizeof *spec->groups, 0,
         false, false},
        {"joint", "a", "joints", ".name", spec->joints, spec->n_joints, sizeof *spec->joints,
         offsetof(struct masing_joint_spec, place), false, spec->n_groups > 0},
        {"load", "a", "loads", ".name", spec->loads, spec->n_loads, sizeof *spec->loads,
         offsetof(struct masing_load_spec, place), true, false},
        {"output", "an", "outputs", ".name", spec->outputs, spec->n_outputs,
         sizeof *spec->outputs, offsetof(struct masing_output_spec, place), false, false},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        NEED(check_named(spec, &kinds[k], error));
    }
    return MASING_OK;
}
