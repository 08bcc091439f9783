/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `title`, `forces`, `start`, `solver:` and `integration:`. */
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "model_file/reader.h"

static enum masing_status read_title(struct reader *reader)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    const struct tree_node *node = tree_find(reader->tree->root, "title");
    const char *text;
    if (!node || tree_is_null(node)) {
        return MASING_OK;
    }
    TRY(reader_text(reader, node, "title", &text));
    free(reader->spec->title);
    reader->spec->title = memory_text(text);
    TRY_ALLOCATED(reader->spec->title);
done:
    return status;
}

static enum masing_status read_section(struct reader *reader, const char *key,
                                       const struct masing_field *fields, int n_fields,
                                       void *object)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    struct tree_node *section;
    const char **keys = NULL;
    TRY(reader_section(reader, key, &section));
    if (!section) {
        return MASING_OK;
    }
    keys = reader_field_keys(reader, fields, n_fields);
    TRY_ALLOCATED(keys);
    TRY(reader_keys(reader, section, keys, NULL));
    TRY(reader_fields(reader, section, fields, n_fields, object));
done:
    free(keys);
    return status;
}

enum masing_status read_settings(struct reader *reader)
{
    static const char *const forces[] = {"auto", "sampled", "exact", NULL};
    static const char *const starts[] = {"zero", "static", "previous", NULL};
    struct masing_spec *spec = reader->spec;
    struct tree_node *root = reader->tree->root;
    enum masing_status status = MASING_OK;
    int choice_of_forces = (int)spec->forces, choice_of_start = (int)spec->start;
    TRY(read_title(reader));
    TRY(reader_optional_choice(reader, root, "forces", forces, &choice_of_forces));
    TRY(reader_optional_choice(reader, root, "start", starts, &choice_of_start));
    spec->forces = (enum masing_forces_choice)choice_of_forces;
    spec->start = (enum masing_start_choice)choice_of_start;
    TRY(read_section(reader, "solver", masing_solver_fields, masing_n_solver_fields,
                     &spec->solver));
    TRY(read_section(reader, "integration", masing_integration_fields,
                     masing_n_integration_fields, &spec->integration));
done:
    return status;
}
