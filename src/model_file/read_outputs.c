/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `outputs:` what is looked at, and `peak:` which of it decides. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/suggest.h"
#include "model_file/reader.h"

/* The displacement of one DOF, named by the node. */
static enum masing_status read_dof(struct reader *reader, const struct tree_node *node,
                                   struct masing_output_spec *output)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    struct masing_term term = {0, 1.0};
    TRY(reader_dof(reader, node, node->key ? node->key : "outputs", false, &term.dof));
    output->combination.terms = memory_copy(&term, 1, sizeof term);
    TRY_ALLOCATED(output->combination.terms);
    output->combination.n_terms = 1;
done:
    return status;
}

static enum masing_status read_combination(struct reader *reader, struct tree_node *map,
                                           const struct tree_node *name,
                                           struct masing_output_spec *output)
{
    const struct tree_node *weights = tree_find(map, "weights"), *dof = tree_find(map, "dof");
    const struct tree_node *from = tree_find(map, "from"), *to = tree_find(map, "to");
    if ((weights != NULL) + (dof != NULL) + (from || to) > 1) {
        return reader_fail(reader, map,
                           "output: expected one of 'from' and 'to', 'weights', 'dof'");
    }
    if (weights) {
        return reader_weights(reader, weights, &output->combination);
    }
    if (from || to) {
        return reader_from_to(reader, map, &output->combination);
    }
    return read_dof(reader, dof ? dof : name, output);
}

static const char *const quantities[] = {"displacement", "velocity", "acceleration", NULL};

#define OUTPUT(member) offsetof(struct masing_output_spec, member)

/* Those without a reader make up the combination. */
static const struct reader_key output_keys[] = {
    {.name = "name", .kind = KEY_TEXT, .offset = OUTPUT(name)},
    {.name = "dof"},
    {.name = "from"},
    {.name = "to"},
    {.name = "weights"},
    {.name = "quantity",
     .kind = KEY_CHOICE,
     .has_default = true,
     .choices = quantities,
     .offset = OUTPUT(quantity)},
    {0},
};

static enum masing_status read_mapping(struct reader *reader, struct tree_node *map,
                                       struct masing_output_spec *output)
{
    enum masing_status status = MASING_OK;
    struct tree_node *name = tree_find(map, "name");
    TRY(reader_section(reader, map, output_keys, 0, output));
    if (!name) {
        TRY(reader_required(reader, map, tree_find(map, "dof") ? "dof" : "name", &name));
        TRY(reader_text_copy(reader, name, "outputs", &output->name));
    }
    TRY(read_combination(reader, map, name, output));
done:
    return status;
}

static enum masing_status read_output(struct reader *reader, struct tree_node *node,
                                      struct masing_output_spec *output)
{
    enum masing_status status = MASING_OK;
    output->place = node->place;
    if (node->kind == TREE_MAPPING) {
        return read_mapping(reader, node, output);
    }
    TRY(reader_text_copy(reader, node, "outputs", &output->name));
    TRY(read_dof(reader, node, output));
done:
    return status;
}

enum masing_status read_outputs(struct reader *reader, struct tree_node *list, void *object)
{
    enum { MAX_OUTPUTS = 10000 };
    struct masing_spec *spec = object;
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    TRY(reader_sequence(reader, list));
    if (list->count < 1 || list->count > MAX_OUTPUTS) {
        TRY(reader_fail(reader, list, "outputs: expected 1 to %d, found %d", MAX_OUTPUTS,
                        list->count));
    }
    spec->outputs = memory_array((size_t)list->count, sizeof *spec->outputs);
    TRY_ALLOCATED(spec->outputs);
    for (struct tree_node *node = list->first; node; node = node->next) {
        TRY(read_output(reader, node, &spec->outputs[spec->n_outputs++]));
    }
done:
    return status;
}

/* --- peak --------------------------------------------------------------------------------- */

static int find_output(const struct masing_spec *spec, const char *name)
{
    for (int i = 0; i < spec->n_outputs; i++) {
        if (strcmp(spec->outputs[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* The first output decides unless `peak:` names another. */
static enum masing_status default_output(struct reader *reader)
{
    struct tree_node *peak = tree_find(reader->tree->root, "peak");
    const struct masing_spec *spec = reader->spec;
    return spec->n_outputs ? reader_default(reader, peak, "output", spec->outputs[0].name)
                           : MASING_OK;
}

static enum masing_status read_peak_output(struct reader *reader, struct tree_node *node,
                                           void *object)
{
    struct masing_spec *spec = object;
    char hint[100];
    const char *name;
    if (!node) {
        return default_output(reader);
    }
    enum masing_status status = reader_text(reader, node, "output", &name);
    if (status != MASING_OK) {
        return status;
    }
    int index = find_output(spec, name);
    if (index >= 0) {
        spec->peak_output = index;
        return MASING_OK;
    }
    struct masing_suggestion suggestion = masing_suggest_begin(name);
    for (int i = 0; i < spec->n_outputs; i++) {
        masing_suggest_consider(&suggestion, spec->outputs[i].name);
    }
    return reader_fail(reader, node, "output: '%.60s' is not among the outputs%s", name,
                       masing_suggest_text(&suggestion, hint, sizeof hint));
}

static const char *const measures[] = {"max", "amp", "h1", NULL};

const struct reader_key peak_keys[] = {
    {.name = "output", .has_default = true, .read = read_peak_output},
    {.name = "measure",
     .kind = KEY_CHOICE,
     .has_default = true,
     .choices = measures,
     .offset = offsetof(struct masing_spec, peak_measure)},
    {0},
};
