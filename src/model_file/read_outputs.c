/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `outputs:` what is looked at, and `peak:` which of it decides. */
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/suggest.h"
#include "model_file/reader_mesh.h"

/* The displacement of one DOF or of a node set, named by the node. */
static enum masing_status read_dof(struct reader *reader, const struct tree_node *node,
                                   struct masing_output_spec *output)
{
    return reader_displacement(reader, node, node->key ? node->key : "outputs", false,
                               &output->combination);
}

/* An output without a name has that of its DOF, TIP.z of a node set. */
static enum masing_status name_by_dof(struct reader *reader, const struct tree_node *dof,
                                      char **name)
{
    struct masing_error *error = reader->error;
    const struct tree_node *set = tree_find(dof, "set");
    const struct tree_node *direction = tree_find(dof, "direction");
    const char *text;
    if (!set) {
        return reader_text_copy(reader, dof, "outputs", name);
    }
    NEED(reader_text(reader, set, "set", &text));
    bool is_word = direction && direction->kind == TREE_SCALAR;
    NEED_ALLOCATED(*name = memory_format("%s%s%s", text, is_word ? "." : "",
                                         is_word ? direction->text : ""));
    return MASING_OK;
}

static enum masing_status read_combination(struct reader *reader, struct tree_node *map,
                                           const struct tree_node *name,
                                           struct masing_output_spec *output)
{
    struct tree_node *weights = tree_find(map, "weights"), *dof = tree_find(map, "dof");
    const struct tree_node *from = tree_find(map, "from"), *to = tree_find(map, "to");
    if ((weights != NULL) + (dof != NULL) + (from || to) > 1) {
        return reader_fail(reader, map,
                           "output: expected one of 'from' and 'to', 'weights', 'dof'");
    }
    if (weights) {
        return reader_weights(reader, weights, WEIGHTS_OF_SUM, &output->combination);
    }
    if (from || to) {
        return reader_from_to(reader, map, &output->combination);
    }
    return read_dof(reader, dof ? dof : name, output);
}

static const char *const quantities[] = {"displacement", "velocity", "acceleration",
                                         "transmissibility", NULL};
static const char *const frames[] = {"relative", "absolute", NULL};

#define OUTPUT(member) offsetof(struct masing_output_spec, member)

/* Those without a reader make up the combination. */
static const struct reader_key output_keys[] = {
    KEY("name", OUTPUT(name), KEY_TEXT),
    {.name = "dof"},
    {.name = "from"},
    {.name = "to"},
    {.name = "weights"},
    KEY("quantity", OUTPUT(quantity), KEY_CHOICE, .has_default = true, .choices = quantities),
    KEY("frame", OUTPUT(is_absolute), KEY_SWITCH, .choices = frames),
    {0},
};

enum masing_status read_output(struct reader *reader, struct tree_node *node, void *object)
{
    struct masing_output_spec *output = object;
    struct tree_node *name = tree_find(node, "name");
    output->place = node->place;
    NEED(reader_fold_set(reader, node));
    if (node->kind != TREE_MAPPING) {
        NEED(reader_text_copy(reader, node, "outputs", &output->name));
        return read_dof(reader, node, output);
    }
    NEED(reader_section(reader, node, output_keys, 0, output));
    if (!name) {
        NEED(reader_required(reader, node, tree_find(node, "dof") ? "dof" : "name", &name));
        NEED(name_by_dof(reader, name, &output->name));
    }
    return read_combination(reader, node, name, output);
}

enum masing_status expand_outputs(struct reader *reader, struct tree_node *node)
{
    struct masing_error *error = reader->error;
    const struct masing_structure_spec *structure = &reader->spec->structure;
    if (node->kind != TREE_SCALAR || strcmp(node->text, "all") != 0) {
        return MASING_OK;
    }
    node->kind = TREE_SEQUENCE;
    for (int i = 0; i < structure->n_dofs; i++) {
        struct tree_node *member = tree_append(reader->tree, node, TREE_SCALAR);
        NEED_ALLOCATED(member);
        member->place = node->place;
        const char *name = structure->dof_names[i];
        NEED_ALLOCATED(member->text = arena_text(&reader->tree->arena, name, strlen(name)));
    }
    return MASING_OK;
}

/* --- peak --------------------------------------------------------------------------------- */

/* The first output decides unless `peak:` names another. */
static enum masing_status read_peak_output(struct reader *reader, struct tree_node *node,
                                           void *object)
{
    struct masing_spec *spec = object;
    char hint[100];
    const char *name;
    if (!node) {
        return spec->n_outputs ? reader_default(reader, tree_find(reader->tree->root, "peak"),
                                                "output", spec->outputs[0].name)
                               : MASING_OK;
    }
    NEED(reader_text(reader, node, "output", &name));
    struct masing_suggestion suggestion = masing_suggest_begin(name);
    for (int i = 0; i < spec->n_outputs; i++) {
        if (strcmp(spec->outputs[i].name, name) == 0) {
            spec->peak_output = i;
            return MASING_OK;
        }
        masing_suggest_consider(&suggestion, spec->outputs[i].name);
    }
    return reader_fail(reader, node, "output: '%.60s' is not among the outputs%s", name,
                       masing_suggest_text(&suggestion, hint, sizeof hint));
}

static const char *const measures[] = {"max", "amp", "h1", NULL};

const struct reader_key peak_keys[] = {
    {.name = "output", .has_default = true, .read = read_peak_output},
    KEY("measure", offsetof(struct masing_spec, peak_measure), KEY_CHOICE, .has_default = true,
        .choices = measures),
    {0},
};
