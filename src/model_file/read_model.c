/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All sections of a model file, in the order in which they need each other. */
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "model_file/reader.h"

enum { FORMAT_VERSION = 1 };

const char *const read_model_keys[] = {
    "masing",      "title",        "parameters", "structure",      "joints",    "loads",
    "load_factor", "static_loads", "frequency",  "frequency_unit", "harmonics", "samples",
    "outputs",     "peak",         "forces",     "start",          "solver",    "integration",
    "mode",        "ringdown",     NULL,
};

const char *const read_structure_keys[] = {
    "loads", "static_loads", "outputs", "peak", "mode", "ringdown", NULL,
};

bool read_is_model_key(const char *key)
{
    for (const char *const *known = read_model_keys; *known; known++) {
        if (strcmp(*known, key) == 0) {
            return true;
        }
    }
    return false;
}

static enum masing_status check_version(struct reader *reader)
{
    enum masing_status status = MASING_OK;
    struct tree_node *root = reader->tree->root, *node = tree_find(root, "masing");
    double version;
    TRY(reader_mapping(reader, root));
    if (!node) {
        TRY(reader_fail(reader, root,
                        "missing key 'masing', the version of the format; begin a model with "
                        "'masing: %d'",
                        FORMAT_VERSION));
    }
    TRY(reader_number(reader, node, "masing", &version));
    if (version != FORMAT_VERSION) {
        TRY(reader_fail(reader, node, "masing: expected version %d of the format, found %g",
                        FORMAT_VERSION, version));
    }
done:
    return status;
}

/* The structure and what acts on it, is asked of it or sits on it. */
static enum masing_status read_with_structure(struct reader *reader)
{
    enum masing_status status = MASING_OK;
    TRY(read_structure(reader));
    TRY(read_joints(reader));
    TRY(read_loads(reader));
    TRY(read_static_loads(reader));
    TRY(read_outputs(reader));
    TRY(read_nonlinear_mode(reader));
    TRY(read_ringdown(reader));
done:
    return status;
}

enum masing_status read_model(struct reader *reader)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    struct tree_node *root = reader->tree->root, *required;
    reader->spec->file = memory_text(reader->file);
    TRY_ALLOCATED(reader->spec->file);
    TRY(check_version(reader));
    TRY(reader_keys(reader, root, read_model_keys, NULL));
    TRY(read_parameters(reader));
    TRY(read_settings(reader));
    TRY(read_range(reader));
    if (reader->needs_joints_only) {
        TRY(reader_required(reader, root, "joints", &required));
        TRY(tree_find(root, "structure") ? read_with_structure(reader) : read_joints(reader));
        goto done;
    }
    TRY(read_with_structure(reader));
    TRY(reader_required(reader, root, "frequency", &required));
    TRY(reader_required(reader, root, "outputs", &required));
done:
    return status;
}
