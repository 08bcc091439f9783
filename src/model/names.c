/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "model/seal.h"

enum { LONGEST = 63 };

static int compare(const void *a, const void *b)
{
    const struct names_entry *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order ? order : (left->index > right->index) - (left->index < right->index);
}

enum masing_status names_create(char *const *list, int n, struct names *names,
                                struct masing_error *error)
{
    names->n = 0;
    names->entries = memory_array((size_t)n, sizeof *names->entries);
    if (!names->entries) {
        return masing_error_set(error, MASING_NO_MEMORY, "out of memory");
    }
    for (int i = 0; i < n; i++) {
        names->entries[i].name = list[i];
        names->entries[i].index = i;
    }
    names->n = n;
    qsort(names->entries, (size_t)n, sizeof *names->entries, compare);
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
    int low = 0, high = names->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        int order = strcmp(names->entries[middle].name, name);
        if (order == 0) {
            return names->entries[middle].index;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
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
    size_t length = strlen(name);
    if (!length) {
        return "a name cannot be empty";
    }
    if (length > LONGEST) {
        return "a name has at most 63 bytes";
    }
    if (strcmp(name, "ground") == 0) {
        return "'ground' is the fixed frame's name";
    }
    if (name[0] == ' ' || name[length - 1] == ' ') {
        return "a name neither begins nor ends with a blank";
    }
    for (const char *p = name; *p; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7F || strchr(",;\"'$=", *p)) {
            return "a name has none of , ; \" ' $ = and no control characters";
        }
    }
    return NULL;
}

/* --- names of a specification ------------------------------------------------------------- */

/* Names of joints, loads, outputs and DOFs: columns, messages and options find each by its own.
 */

/* Things of one kind; texts [n], NULL where one has no name. */
struct named {
    const struct masing_spec *spec;
    const char *kind, *article, *section;
    const char *key; /* of the name in an entry of the section */
    int n;
    char **texts;
    struct masing_place *places; /* [n] */
    int *indices;                /* [n] in the section */
    bool is_optional;
    bool is_composed; /* of names that have been looked at */
    struct masing_error *error;
};

static struct model_part part_of(const struct named *named, int i)
{
    return model_part(named->places[i], "%s.%d%s", named->section, named->indices[i],
                      named->key);
}

static enum masing_status check_each(const struct named *named)
{
    for (int i = 0; i < named->n; i++) {
        const char *text = named->texts[i];
        struct model_part part = part_of(named, i);
        if (!named->is_optional && !text) {
            return model_refuse_part(named->spec, &part, named->error,
                                     "%s %d: no name, expected one", named->kind, i + 1);
        }
        const char *fault = text && !named->is_composed ? names_fault(text) : NULL;
        if (fault) {
            return model_refuse_part(named->spec, &part, named->error,
                                     "'%.60s' cannot name %s %s: %s", text, named->article,
                                     named->kind, fault);
        }
    }
    return MASING_OK;
}

static enum masing_status refuse_repeated(const struct named *named, int repeated, int first)
{
    struct model_part part = part_of(named, repeated);
    int line = named->places[first].line;
    if (line > 0) {
        return model_refuse_part(named->spec, &part, named->error,
                                 "%s %s '%s' stands in line %d already", named->article,
                                 named->kind, named->texts[repeated], line);
    }
    return model_refuse_part(named->spec, &part, named->error,
                             "%s '%s': the name is taken already, expected another",
                             named->kind, named->texts[repeated]);
}

static enum masing_status check_repeated(struct named *named)
{
    struct masing_error *error = named->error;
    enum masing_status status = MASING_OK;
    struct names names = {0};
    int n = 0, first = 0;
    for (int i = 0; i < named->n; i++) {
        if (named->texts[i]) {
            named->texts[n] = named->texts[i];
            named->places[n] = named->places[i];
            named->indices[n++] = named->indices[i];
        }
    }
    named->n = n;
    TRY(names_create(named->texts, n, &names, error));
    int repeated = names_repeated(&names, &first);
    TRY(repeated >= 0 ? refuse_repeated(named, repeated, first) : MASING_OK);
done:
    names_clear(&names);
    return status;
}

/* Room for @p n; texts and what belongs to them is filled in by the caller. */
static enum masing_status begin(struct named *named, int n)
{
    struct masing_error *error = named->error;
    enum masing_status status = MASING_OK;
    named->n = n;
    named->texts = memory_array((size_t)n, sizeof *named->texts);
    named->places = memory_array((size_t)n, sizeof *named->places);
    named->indices = memory_array((size_t)n, sizeof *named->indices);
    TRY_ALLOCATED(named->texts && named->places && named->indices);
    for (int i = 0; i < n; i++) {
        named->indices[i] = i;
    }
done:
    return status;
}

static enum masing_status end(struct named *named, enum masing_status status)
{
    status = status ? status : check_each(named);
    status = status ? status : check_repeated(named);
    free(named->texts);
    free(named->places);
    free(named->indices);
    return status;
}

static enum masing_status check_joints(const struct masing_spec *spec,
                                       struct masing_error *error)
{
    struct named named = {.spec = spec,
                          .kind = "joint",
                          .article = "a",
                          .section = "joints",
                          .key = ".name",
                          .is_composed = spec->n_groups > 0,
                          .error = error};
    enum masing_status status = begin(&named, spec->n_joints);
    for (int j = 0; status == MASING_OK && j < spec->n_joints; j++) {
        named.texts[j] = spec->joints[j].name;
        named.places[j] = spec->joints[j].place;
    }
    return end(&named, status);
}

/* Results speak of a group by its name. */
static enum masing_status check_groups(const struct masing_spec *spec,
                                       struct masing_error *error)
{
    struct named named = {.spec = spec,
                          .kind = "joint",
                          .article = "a",
                          .section = "joints",
                          .key = ".name",
                          .error = error};
    enum masing_status status = begin(&named, spec->n_groups);
    for (int g = 0; status == MASING_OK && g < spec->n_groups; g++) {
        const struct masing_joint_group *group = &spec->groups[g];
        bool is_inside = group->first >= 0 && group->first < spec->n_joints;
        named.texts[g] = group->name;
        named.indices[g] = group->first;
        named.places[g] =
            is_inside ? spec->joints[group->first].place : (struct masing_place){0};
    }
    return end(&named, status);
}

static enum masing_status check_loads(const struct masing_spec *spec,
                                      struct masing_error *error)
{
    struct named named = {.spec = spec,
                          .kind = "load",
                          .article = "a",
                          .section = "loads",
                          .key = ".name",
                          .is_optional = true,
                          .error = error};
    enum masing_status status = begin(&named, spec->n_loads);
    for (int i = 0; status == MASING_OK && i < spec->n_loads; i++) {
        named.texts[i] = spec->loads[i].name;
        named.places[i] = spec->loads[i].place;
    }
    return end(&named, status);
}

static enum masing_status check_outputs(const struct masing_spec *spec,
                                        struct masing_error *error)
{
    struct named named = {.spec = spec,
                          .kind = "output",
                          .article = "an",
                          .section = "outputs",
                          .key = ".name",
                          .error = error};
    enum masing_status status = begin(&named, spec->n_outputs);
    for (int i = 0; status == MASING_OK && i < spec->n_outputs; i++) {
        named.texts[i] = spec->outputs[i].name;
        named.places[i] = spec->outputs[i].place;
    }
    return end(&named, status);
}

static enum masing_status check_dofs(const struct masing_spec *spec, struct masing_error *error)
{
    const struct masing_structure_spec *structure = &spec->structure;
    struct named named = {.spec = spec,
                          .kind = "DOF",
                          .article = "a",
                          .section = "structure.dof_names",
                          .key = "",
                          .is_optional = true,
                          .error = error};
    enum masing_status status = begin(&named, structure->dof_names ? structure->n_dofs : 0);
    for (int i = 0; status == MASING_OK && i < named.n; i++) {
        named.texts[i] = structure->dof_names[i];
        named.places[i] = (struct masing_place){0};
    }
    return end(&named, status);
}

enum masing_status seal_names(const struct masing_spec *spec, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY(check_dofs(spec, error));
    TRY(spec->n_groups > 0 ? check_groups(spec, error) : MASING_OK);
    TRY(check_joints(spec, error));
    TRY(check_loads(spec, error));
    TRY(check_outputs(spec, error));
done:
    return status;
}
