/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of joints, loads, outputs and DOFs: columns, messages and options find each by its own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "model/names.h"
#include "model/seal.h"

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
