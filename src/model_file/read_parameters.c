/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `parameters:` names for numbers, each computed from those above it. */
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "model_file/reader.h"

enum { MAX_PARAMETERS = 1000 };

static enum masing_status read_one(struct reader *reader, struct tree_node *node)
{
    struct tree_node at_key = *node;
    at_key.place = node->key_place;
    if (!expression_is_name(node->key)) {
        return reader_fail(reader, &at_key,
                           "'%.60s': a parameter's name is a letter or _, then letters, digits "
                           "and _ (at most 63)",
                           node->key);
    }
    if (read_is_model_key(node->key)) {
        return reader_fail(reader, &at_key,
                           "'%.60s' is a key of the model and cannot be a parameter's name",
                           node->key);
    }
    struct parameter *parameter = &reader->parameters[reader->n_parameters];
    enum masing_status status = reader_number(reader, node, node->key, &parameter->value);
    if (status == MASING_OK) {
        parameter->name = node->key;
        reader->n_parameters++;
    }
    return status;
}

enum masing_status read_parameters(struct reader *reader)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    struct tree_node *section = tree_find(reader->tree->root, "parameters");
    if (!section || tree_is_null(section)) {
        return MASING_OK;
    }
    TRY(reader_open_mapping(reader, section));
    if (section->count > MAX_PARAMETERS) {
        TRY(reader_fail(reader, section, "parameters: more than %d", MAX_PARAMETERS));
    }
    reader->parameters = memory_array((size_t)section->count, sizeof *reader->parameters);
    TRY_ALLOCATED(reader->parameters);
    for (struct tree_node *node = section->first; node; node = node->next) {
        TRY(read_one(reader, node));
    }
done:
    return status;
}
