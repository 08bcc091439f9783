/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { LONGEST = 63 };

static int compare(const void *a, const void *b)
{
    const struct names_entry *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order ? order : (left->index > right->index) - (left->index < right->index);
}

enum masing_status names_create(char *const *list, int n, struct names *names,
                                struct masing_error *error)
{
    names->n = 0;
    names->entries = memory_array((size_t)n, sizeof *names->entries);
    if (!names->entries) {
        return masing_error_set(error, MASING_NO_MEMORY, "out of memory");
    }
    for (int i = 0; i < n; i++) {
        names->entries[i].name = list[i];
        names->entries[i].index = i;
    }
    names->n = n;
    qsort(names->entries, (size_t)n, sizeof *names->entries, compare);
    return MASING_OK;
}

void names_clear(struct names *names)
{
    free(names->entries);
    names->entries = NULL;
    names->n = 0;
}

int names_find(const struct names *names, const char *name)
{
    int low = 0, high = names->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        int order = strcmp(names->entries[middle].name, name);
        if (order == 0) {
            return names->entries[middle].index;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return -1;
}

int names_repeated(const struct names *names, int *first)
{
    int earliest = -1;
    for (int i = 1; i < names->n; i++) {
        const struct names_entry *left = &names->entries[i - 1], *right = &names->entries[i];
        bool is_same = strcmp(left->name, right->name) == 0;
        if (is_same && (earliest < 0 || right->index < earliest)) {
            earliest = right->index;
            *first = left->index;
        }
    }
    return earliest;
}

const char *names_fault(const char *name)
{
    size_t length = strlen(name);
    if (!length) {
        return "a name cannot be empty";
    }
    if (length > LONGEST) {
        return "a name has at most 63 bytes";
    }
    if (strcmp(name, "ground") == 0) {
        return "'ground' is the fixed frame's name";
    }
    if (name[0] == ' ' || name[length - 1] == ' ') {
        return "a name neither begins nor ends with a blank";
    }
    for (const char *p = name; *p; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7F || strchr(",;\"'$=", *p)) {
            return "a name has none of , ; \" ' $ = and no control characters";
        }
    }
    return NULL;
}
