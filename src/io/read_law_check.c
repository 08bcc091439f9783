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

static const struct tree_node *find_key(const struct tree_node *joint, const char *begin,
                                        size_t length)
{
    char key[MAX_KEY];
    if (length == 0 || length >= sizeof key) {
        return NULL;
    }
    memcpy(key, begin, length);
    key[length] = '\0';
    return find_dotted(joint, key);
}

/* The entry of the first 'key' or 'key: value' of a message that stands in the file. */
static const struct tree_node *find_quoted(const struct tree_node *joint, const char *message)
{
    const char *begin = strchr(message, '\'');
    while (begin) {
        const char *end = strchr(++begin, '\'');
        if (!end) {
            break;
        }
        const struct tree_node *found = find_key(joint, begin, strcspn(begin, "':"));
        if (found) {
            return found;
        }
        begin = strchr(end + 1, '\'');
    }
    return NULL;
}

/* These say where the joint is, not what it does, and are words as well. */
static bool is_parameter(const struct tree_node *node)
{
    static const char *const others[] = {"name",   "law",        "from",  "to",       "axis",
                                         "normal", "tangential", "pairs", "per_area", NULL};
    for (const char *const *other = others; *other; other++) {
        if (strcmp(*other, node->key) == 0) {
            return false;
        }
    }
    return true;
}

/* The same for a name in a formula; short ones are words as well. */
static const struct tree_node *find_word(const struct tree_node *joint, const char *message)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_.0123456789";
    enum { SHORTEST = 3 };
    for (const char *word = message; *word;) {
        size_t length = strspn(word, letters);
        const struct tree_node *found =
            length >= SHORTEST ? find_key(joint, word, length) : NULL;
        if (found && is_parameter(found)) {
            return found;
        }
        word += length;
        word += strcspn(word, letters);
    }
    return NULL;
}

static const struct tree_node *find_place(const struct tree_node *joint, const char *message)
{
    const struct tree_node *found = find_quoted(joint, message);
    found = found ? found : find_word(joint, message);
    return found ? found : joint;
}

/* A row can have these of its own. */
static bool is_of_row(const struct tree_node *joint, const struct tree_node *found)
{
    return found == joint || !strcmp(found->key, "preload") || !strcmp(found->key, "gap");
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
    if (joint->law->check(copy, &inner) != MASING_OK) {
        const struct tree_node *found = find_place(node, inner.message);
        bool is_row = row && is_of_row(node, found);
        TRY(masing_error_set(error, MASING_INVALID, "%s: joint '%s': %s",
                             is_row ? row : reader_place(reader, found, place), joint->name,
                             inner.message));
    }
done:
    free(copy);
    return status;
}
