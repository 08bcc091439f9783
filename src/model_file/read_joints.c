/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `joints:` a law, an axis, and the law's own numbers. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/suggest.h"
#include "model_file/joint_axes.h"

static enum masing_status fail_law(struct reader *reader, const struct tree_node *node,
                                   const char *name)
{
    char hint[100], list[400] = "";
    struct masing_suggestion suggestion = masing_suggest_begin(name);
    for (const struct masing_law *const *law = masing_laws(); *law; law++) {
        masing_suggest_consider(&suggestion, (*law)->name);
        strncat(list, list[0] ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, (*law)->name, sizeof list - strlen(list) - 1);
    }
    return reader_fail(reader, node, "unknown law '%.60s'%s; there are %s", name,
                       masing_suggest_text(&suggestion, hint, sizeof hint), list);
}

const struct masing_law *reader_law_of(const struct tree_node *node)
{
    const struct tree_node *name = tree_find(node, "law");
    return name && name->kind == TREE_SCALAR ? masing_law_find(name->text) : NULL;
}

static enum masing_status find_law(struct reader *reader, struct tree_node *node,
                                   const struct masing_law **law)
{
    enum masing_status status = MASING_OK;
    struct tree_node *entry;
    const char *name;
    TRY(reader_mapping(reader, node));
    TRY(reader_required(reader, node, "law", &entry));
    TRY(reader_text(reader, entry, "law", &name));
    *law = masing_law_find(name);
    if (!*law) {
        TRY(fail_law(reader, entry, name));
    }
done:
    return status;
}

/* The law's own keys behind those that say where the joint acts; owned by the caller. */
static const char **list_keys(struct reader *reader, const struct masing_law *law)
{
    const char *const *axes = joint_axes_keys(joint_form(law));
    const char **fields = reader_field_keys(reader, law->fields, law->n_fields);
    size_t n = 0, n_axes = 0;
    while (fields && fields[n]) {
        n++;
    }
    while (axes[n_axes]) {
        n_axes++;
    }
    const char **keys = memory_array(n_axes + n + 1, sizeof *keys);
    if (fields && keys) {
        memcpy(keys, axes, n_axes * sizeof *keys);
        memcpy(keys + n_axes, fields, n * sizeof *keys);
    }
    if (!fields) {
        free(keys);
        keys = NULL;
    }
    free(fields);
    return keys;
}

static enum masing_status read_parameters_of(struct reader *reader, struct tree_node *node,
                                             struct masing_joint_spec *joint)
{
    static const char *const common[] = {"name", "law", NULL};
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    const struct masing_law *law = joint->law;
    const char **keys = list_keys(reader, law);
    TRY_ALLOCATED(keys);
    TRY(reader_keys(reader, node, common, keys));
    joint->parameters = memory_array(1, law->parameters_size);
    TRY_ALLOCATED(joint->parameters);
    TRY(reader_fields(reader, node, law->fields, law->n_fields, joint->parameters));
done:
    free(keys);
    return status;
}

static enum masing_status read_name(struct reader *reader, struct tree_node *node,
                                    struct masing_joint_spec *joint)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    struct tree_node *name;
    const char *text;
    TRY(reader_required(reader, node, "name", &name));
    TRY(reader_text(reader, name, "name", &text));
    joint->name = memory_text(text);
    TRY_ALLOCATED(joint->name);
done:
    return status;
}

static enum masing_status add_group(struct reader *reader, const char *name, int first)
{
    struct masing_spec *spec = reader->spec;
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    struct masing_joint_group *group = &spec->groups[spec->n_groups++];
    *group = (struct masing_joint_group){.first = first, .n_joints = spec->n_joints - first};
    group->name = memory_text(name);
    TRY_ALLOCATED(group->name);
done:
    return status;
}

/* One joint, or as many as its `pairs`. */
static enum masing_status read_joint(struct reader *reader, struct tree_node *node)
{
    struct masing_spec *spec = reader->spec;
    enum masing_status status = MASING_OK;
    int index = spec->n_joints++;
    struct masing_joint_spec *joint = &spec->joints[index];
    joint->place = node->place;
    TRY(find_law(reader, node, &joint->law));
    TRY(read_parameters_of(reader, node, joint));
    TRY(read_name(reader, node, joint));
    const char *name = tree_find(node, "name")->text;
    if (tree_find(node, "pairs")) {
        TRY(read_pairs(reader, node, index));
    } else {
        TRY(read_axes(reader, node, joint));
    }
    TRY(spec->groups ? add_group(reader, name, index) : MASING_OK);
done:
    return status;
}

enum masing_status read_joints(struct reader *reader)
{
    struct masing_spec *spec = reader->spec;
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    struct tree_node *list = tree_find(reader->tree->root, "joints");
    bool has_pairs = false;
    if (!list || tree_is_null(list)) {
        return MASING_OK;
    }
    TRY(reader_sequence(reader, list));
    if (list->count > JOINT_LIMIT) {
        TRY(reader_fail(reader, list, "joints: more than %d", JOINT_LIMIT));
    }
    for (const struct tree_node *node = list->first; node; node = node->next) {
        has_pairs = has_pairs || tree_find(node, "pairs");
    }
    spec->joints = memory_array((size_t)list->count, sizeof *spec->joints);
    TRY_ALLOCATED(spec->joints);
    if (has_pairs) {
        spec->groups = memory_array((size_t)list->count, sizeof *spec->groups);
        TRY_ALLOCATED(spec->groups);
    }
    for (struct tree_node *node = list->first; node; node = node->next) {
        TRY(read_joint(reader, node));
    }
done:
    return status;
}
