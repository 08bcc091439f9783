/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a law's own check refuses, at the key of the field that it names. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "io/reader.h"

/* `topography.area` stands at `area` in `topography`, or else is missing there. */
static const struct tree_node *find_dotted(const struct tree_node *map, const char *key)
{
    char first[MASING_PART_LENGTH];
    size_t length = strcspn(key, ".");
    memcpy(first, key, length);
    first[length] = '\0';
    const struct tree_node *found = tree_find(map, first);
    const struct tree_node *inner =
        found && key[length] ? find_dotted(found, key + length + 1) : NULL;
    return inner ? inner : found;
}

/* Where a field stands, or else what gives the same in another way, or else the joint. */
static const struct tree_node *find_field(const struct tree_node *joint,
                                          const struct masing_law *law, const char *key,
                                          const struct masing_field **field)
{
    int index = masing_field_find(law->fields, law->n_fields, key);
    *field = index >= 0 ? &law->fields[index] : NULL;
    const struct tree_node *found = find_dotted(joint, key);
    const char *const *other = *field ? (*field)->alternatives : NULL;
    while (!found && other && *other) {
        found = find_dotted(joint, *other++);
    }
    return found ? found : joint;
}

enum masing_status read_law_check(struct reader *reader, const struct tree_node *node,
                                  const struct masing_joint_spec *joint, const char *row)
{
    struct masing_error *error = reader->error, inner = {0};
    enum masing_status status = MASING_OK;
    char place[READER_PLACE];
    /* a check derives constants and happens once: on the model, later, not on these */
    void *copy = memory_copy(joint->parameters, 1, joint->law->parameters_size);
    TRY_ALLOCATED(copy);
    if (masing_law_check(joint->law, copy, &inner) != MASING_OK) {
        const struct masing_field *field;
        const struct tree_node *found = find_field(node, joint->law, inner.part, &field);
        bool is_of_row = row && (found == node || (field && field->is_per_contact));
        TRY(masing_error_set(error, MASING_INVALID, "%s: joint '%s': %s",
                             is_of_row ? row : reader_place(reader, found, place), joint->name,
                             inner.message));
    }
done:
    free(copy);
    return status;
}
