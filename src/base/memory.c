/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *memory_array(size_t count, size_t size)
{
    return calloc(count ? count : 1, size ? size : 1);
}

void *memory_uncleared(size_t count, size_t size)
{
    size_t width = size ? size : 1;
    return count <= SIZE_MAX / width ? malloc(count ? count * width : 1) : NULL;
}

bool memory_grow(void **array, size_t needed, size_t *capacity, size_t size)
{
    enum { LEAST = 64 };
    if (needed <= *capacity) {
        return true;
    }
    size_t twice = *capacity < LEAST / 2 ? LEAST : 2 * *capacity;
    size_t wanted = needed > twice ? needed : twice, width = size ? size : 1;
    void *larger = wanted <= SIZE_MAX / width ? realloc(*array, wanted * width) : NULL;
    if (larger) {
        *array = larger;
        *capacity = wanted;
    }
    return larger != NULL;
}

void *memory_copy(const void *source, size_t count, size_t size)
{
    void *copy = source ? memory_array(count, size) : NULL;
    if (copy && count && size) {
        memcpy(copy, source, count * size);
    }
    return copy;
}

char *memory_text(const char *text)
{
    return text ? memory_copy(text, strlen(text) + 1, 1) : NULL;
}

void memory_free_texts(char **texts, int n)
{
    for (int i = 0; texts && i < n; i++) {
        free(texts[i]);
    }
    free(texts);
}

char *memory_format(const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : memory_array((size_t)length + 1, 1);
    if (text) {
        vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    va_end(arguments);
    return text;
}
