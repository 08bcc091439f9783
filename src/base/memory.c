/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *memory_array(size_t count, size_t size)
{
    return calloc(count ? count : 1, size ? size : 1);
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
