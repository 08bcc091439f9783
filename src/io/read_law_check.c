/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a law's own check refuses, at the key that it names. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "io/reader.h"

enum { MAX_KEY = 64 };

/* `topography.area` stands at `area` in `topography`, or else is missing there. */
static const struct tree_node *find_dotted(const struct tree_node *map, char *key)
{
    char *dot = strchr(key, '.');
    if (!dot) {
        return tree_find(map, key);
    }
    *dot = '\0';
    const struct tree_node *inner = tree_find(map, key);
    const struct tree_node *found = find_dotted(inner, dot + 1);
    return found ? found : inner;
}

/* The entry of the first 'key' of a message that stands in the file; else the joint. */
static const struct tree_node *find_place(const struct tree_node *joint, const char *message)
{
    for (const char *quote = strchr(message, '\''); quote; quote = strchr(quote, '\'')) {
        char key[MAX_KEY];
        const char *begin = quote + 1, *end = strchr(begin, '\'');
        if (!end) {
            break;
        }
        size_t length = (size_t)(end - begin);
        if (length > 0 && length < sizeof key) {
            memcpy(key, begin, length);
            key[length] = '\0';
            const struct tree_node *found = find_dotted(joint, key);
            if (found) {
                return found;
            }
        }
        quote = end + 1;
    }
    return joint;
}

enum masing_status read_law_check(struct reader *reader, const struct tree_node *node,
                                  const struct masing_joint_spec *joint)
{
    struct masing_error *error = reader->error, inner = {0};
    enum masing_status status = MASING_OK;
    /* a check derives constants and happens once: on the model, later, not on these */
    void *copy = memory_copy(joint->parameters, 1, joint->law->parameters_size);
    TRY_ALLOCATED(copy);
    if (joint->law->check(copy, &inner) != MASING_OK) {
        TRY(reader_fail(reader, find_place(node, inner.message), "joint '%s': %s", joint->name,
                        inner.message));
    }
done:
    free(copy);
    return status;
}
