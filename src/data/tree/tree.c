/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/tree/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

size_t tree_array_count(const struct tree_array *array)
{
    size_t count = 1;
    for (int i = 0; i < array->rank; i++) {
        count *= array->sizes[i];
    }
    return count;
}

size_t tree_array_item(const struct tree_array *array)
{
    static const size_t sizes[] = {[TREE_REAL] = sizeof(double),
                                   [TREE_INTEGER] = sizeof(int),
                                   [TREE_COMPLEX] = 2 * sizeof(double),
                                   [TREE_TEXT] = sizeof(const char *)};
    return sizes[array->type];
}

enum masing_status tree_array_values(const struct tree_array *array, const void **values,
                                     void **own, struct masing_error *error)
{
    static const double nothing;
    *own = NULL;
    *values = array->values ? array->values : &nothing;
    if (!array->values && tree_array_count(array) > 0) {
        *own = memory_array(tree_array_count(array), tree_array_item(array));
        NEED_ALLOCATED(*own);
        array->fill(array, *own);
        *values = *own;
    }
    return MASING_OK;
}

static bool is_taken(const char *const *names, int n, const char *name)
{
    bool is_there = false;
    for (int i = 0; i < n && !is_there; i++) {
        is_there = strcmp(names[i], name) == 0;
    }
    return is_there;
}

enum masing_status tree_names(const struct tree_array *arrays, int n, tree_name_rule *rule,
                              size_t longest, struct arena *arena, const char ***names,
                              struct masing_error *error)
{
    enum { ENDING = 16 };
    const char **made = arena_array(arena, (size_t)n, sizeof *made);
    NEED_ALLOCATED(made);
    for (int i = 0; i < n; i++) {
        size_t length = strlen(arrays[i].name), room = length + ENDING;
        /* room for a letter that the rule puts in front, and for the number */
        char *name = arena_allocate(arena, room);
        NEED_ALLOCATED(name);
        memcpy(name, arrays[i].name, length + 1);
        rule(name);
        length = strlen(name);
        name[length < longest ? length : longest] = '\0';
        length = strlen(name);
        for (int k = 2; is_taken(made, i, name); k++) {
            char number[ENDING];
            size_t more = (size_t)snprintf(number, sizeof number, "_%d", k);
            size_t at = length + more <= longest ? length : longest - more;
            memcpy(name + at, number, more + 1);
        }
        made[i] = name;
    }
    *names = made;
    return MASING_OK;
}

int tree_digits(int n_groups)
{
    int digits = 4;
    for (int most = 10000; n_groups > most && digits < 9; most *= 10) {
        digits++;
    }
    return digits;
}
