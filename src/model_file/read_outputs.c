/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `outputs:` what is looked at, and `peak:` which of it decides. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/suggest.h"
#include "model_file/reader.h"

static enum masing_status read_name(struct reader *reader, const struct tree_node *node,
                                    struct masing_output_spec *output)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    const char *text;
    TRY(reader_text(reader, node, "outputs", &text));
    output->name = memory_text(text);
    TRY_ALLOCATED(output->name);
done:
    return status;
}

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

static enum masing_status read_mapping(struct reader *reader, struct tree_node *map,
                                       struct masing_output_spec *output)
{
    static const char *const keys[] = {"name",    "dof",      "from", "to",
                                       "weights", "quantity", NULL};
    static const char *const quantities[] = {"displacement", "velocity", "acceleration", NULL};
    enum masing_status status = MASING_OK;
    struct tree_node *name = tree_find(map, "name");
    int quantity = MASING_DISPLACEMENT;
    TRY(reader_keys(reader, map, keys, NULL));
    if (!name) {
        TRY(reader_required(reader, map, tree_find(map, "dof") ? "dof" : "name", &name));
    }
    TRY(read_name(reader, name, output));
    TRY(read_combination(reader, map, name, output));
    TRY(reader_optional_choice(reader, map, "quantity", quantities, &quantity));
    output->quantity = (enum masing_quantity)quantity;
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
    TRY(read_name(reader, node, output));
    TRY(read_dof(reader, node, output));
done:
    return status;
}

static int find_output(const struct masing_spec *spec, const char *name)
{
    for (int i = 0; i < spec->n_outputs; i++) {
        if (strcmp(spec->outputs[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static enum masing_status read_list(struct reader *reader, const struct tree_node *list)
{
    enum { MAX_OUTPUTS = 10000 };
    struct masing_spec *spec = reader->spec;
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

static enum masing_status read_peak_output(struct reader *reader, const struct tree_node *node)
{
    struct masing_spec *spec = reader->spec;
    char hint[100];
    const char *name;
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

/* The first output decides unless `peak:` names another. */
static enum masing_status fill_peak(struct reader *reader, struct tree_node *peak)
{
    const struct masing_spec *spec = reader->spec;
    if (!spec->n_outputs || tree_find(peak, "output")) {
        return MASING_OK;
    }
    return reader_default(reader, peak, "output", spec->outputs[0].name);
}

static enum masing_status read_peak(struct reader *reader, struct tree_node *peak)
{
    static const char *const keys[] = {"output", "measure", NULL};
    static const char *const measures[] = {"max", "amp", "h1", NULL};
    enum masing_status status = MASING_OK;
    int measure = MASING_MEASURE_MAX;
    const struct tree_node *output = tree_find(peak, "output");
    TRY(reader_keys(reader, peak, keys, NULL));
    TRY(output ? read_peak_output(reader, output) : fill_peak(reader, peak));
    TRY(reader_optional_choice(reader, peak, "measure", measures, &measure));
    reader->spec->peak_measure = (enum masing_measure)measure;
done:
    return status;
}

enum masing_status read_outputs(struct reader *reader)
{
    enum masing_status status = MASING_OK;
    const struct tree_node *list = tree_find(reader->tree->root, "outputs");
    struct tree_node *peak;
    TRY(list ? read_list(reader, list) : MASING_OK);
    TRY(reader_section(reader, "peak", &peak));
    TRY(peak ? read_peak(reader, peak) : MASING_OK);
done:
    return status;
}
