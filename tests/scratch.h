/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder of its own for each test program that writes files, and their contents as text. */
#ifndef MASING_TESTS_SCRATCH_H
#define MASING_TESTS_SCRATCH_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SCRATCH_PATH = 512 };

/* Make the folder; @p folder ends without a slash. */
static inline void scratch_make(char folder[SCRATCH_PATH])
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, SCRATCH_PATH, "%s/masing-test-XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(folder)) {
        perror(folder);
        exit(99); /* meson: a hard error */
    }
}

/* Bytes of a file with a zero after them, NULL where it cannot be read; free it. */
static inline char *scratch_read(const char *file, size_t *length)
{
    FILE *stream = fopen(file, "rb");
    if (!stream) {
        return NULL;
    }
    size_t capacity = 1 << 16, count = 0, got;
    char *text = malloc(capacity);
    while (text && (got = fread(text + count, 1, capacity - 1 - count, stream)) > 0) {
        count += got;
        if (count == capacity - 1) {
            capacity *= 2;
            char *larger = realloc(text, capacity);
            if (!larger) {
                free(text);
            }
            text = larger;
        }
    }
    fclose(stream);
    if (text) {
        text[count] = '\0';
    }
    if (length) {
        *length = count;
    }
    return text;
}

#endif
