/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/packing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void fail(struct packing *packing, enum masing_status status)
{
    packing->status = packing->status ? packing->status : status;
}

/* So many bytes that are taken next; NULL where there are not as many. */
static const char *take(struct packing *packing, size_t size)
{
    if (packing->status != MASING_OK || size > packing->n - packing->at) {
        fail(packing, MASING_INVALID);
        return NULL;
    }
    packing->at += size;
    return packing->bytes + packing->at - size;
}

void packing_bytes(struct packing *packing, void *value, size_t size)
{
    if (packing->is_taking) {
        const char *bytes = take(packing, size);
        if (bytes && size > 0) {
            memcpy(value, bytes, size);
        } else if (size > 0) {
            memset(value, 0, size);
        }
        return;
    }
    if (packing->status == MASING_OK &&
        !memory_grow((void **)&packing->bytes, packing->n + size, &packing->capacity, 1)) {
        fail(packing, MASING_NO_MEMORY);
    }
    if (packing->status == MASING_OK && size > 0) {
        memcpy(packing->bytes + packing->n, value, size);
        packing->n += size;
    }
}

void packing_string(struct packing *packing, char *buffer, size_t size)
{
    size_t length = strlen(buffer);
    PACK(packing, length);
    if (packing->is_taking && length >= size) {
        fail(packing, MASING_INVALID);
        length = 0;
    }
    packing_bytes(packing, buffer, length);
    buffer[length] = '\0';
}

/* What length says that there is no text. */
static const size_t NO_TEXT = (size_t)-1;

void packing_text(struct packing *packing, char **text)
{
    size_t length = !packing->is_taking && *text ? strlen(*text) + 1 : NO_TEXT;
    PACK(packing, length);
    if (!packing->is_taking) {
        packing_bytes(packing, *text, *text ? length : 0);
        return;
    }
    const char *bytes = length != NO_TEXT ? take(packing, length) : NULL;
    *text = bytes && length > 0 && bytes[length - 1] == '\0' ? memory_text(bytes) : NULL;
    if (bytes && !*text) {
        fail(packing,
             length > 0 && bytes[length - 1] == '\0' ? MASING_NO_MEMORY : MASING_INVALID);
    }
}

void packing_word(struct packing *packing, const char **word, const char *const *words)
{
    char text[64] = "";
    if (!packing->is_taking && *word && strlen(*word) < sizeof text) {
        strcpy(text, *word);
    }
    packing_string(packing, text, sizeof text);
    if (packing->is_taking) {
        *word = NULL;
        for (int i = 0; words[i] && !*word; i++) {
            *word = strcmp(words[i], text) == 0 ? words[i] : NULL;
        }
    }
}

int packing_count(struct packing *packing, int count, size_t size)
{
    PACK(packing, count);
    if (packing->is_taking &&
        (count < 0 || (size > 0 && (size_t)count > (packing->n - packing->at) / size))) {
        fail(packing, MASING_INVALID);
        count = 0;
    }
    return packing->is_taking && packing->status != MASING_OK ? 0 : count;
}

void packing_array(struct packing *packing, void **array, int count, size_t size)
{
    if (packing->is_taking) {
        *array = memory_array((size_t)count, size);
        if (!*array) {
            fail(packing, MASING_NO_MEMORY);
            return;
        }
    }
    packing_bytes(packing, *array, (size_t)count * size);
}

void packing_part(struct packing *packing, struct packing *part)
{
    size_t n = part->n;
    fail(packing, packing->is_taking ? MASING_OK : part->status);
    PACK(packing, n);
    if (!packing->is_taking) {
        packing_bytes(packing, part->bytes, n);
        return;
    }
    const char *bytes = take(packing, n);
    *part = (struct packing){.is_taking = true};
    if (bytes) { /* memory also for none: NULL means that there is none left */
        part->bytes = n > 0 ? memory_copy(bytes, n, 1) : memory_array(1, 1);
    }
    part->n = part->bytes ? n : 0;
    if (bytes && !part->bytes) {
        fail(packing, MASING_NO_MEMORY);
    }
}

/* Cells of a text have more than a number. */
void packing_row(struct packing *packing, struct masing_cell *cells, int n_columns)
{
    for (int c = 0; c < n_columns; c++) {
        struct masing_cell *cell = &cells[c];
        unsigned char is_more = !packing->is_taking && (cell->text || cell->values ||
                                                        cell->events || cell->joint != 0);
        PACK(packing, is_more);
        if (packing->is_taking) {
            *cell = (struct masing_cell){0};
        }
        PACK(packing, cell->number);
        if (!is_more) {
            continue;
        }
        size_t length = !packing->is_taking && cell->text ? strlen(cell->text) + 1 : NO_TEXT;
        size_t n_bytes = !packing->is_taking && cell->values
                             ? (size_t)cell->number * sizeof *cell->values
                             : NO_TEXT;
        PACK(packing, cell->events);
        PACK(packing, cell->joint);
        PACK(packing, length);
        PACK(packing, n_bytes);
        if (packing->is_taking) {
            cell->text = length != NO_TEXT ? take(packing, length) : NULL;
        } else if (cell->text) {
            packing_bytes(packing, (void *)cell->text, length);
        }
        if (packing->is_taking) {
            /* copied by whoever keeps them: they lie anywhere in the bytes */
            bool is_whole = n_bytes == NO_TEXT ||
                            (double)n_bytes == cell->number * (double)sizeof *cell->values;
            fail(packing, is_whole ? MASING_OK : MASING_INVALID);
            cell->values = is_whole && n_bytes != NO_TEXT
                               ? (const double *)(const void *)take(packing, n_bytes)
                               : NULL;
        } else if (cell->values) {
            packing_bytes(packing, (void *)cell->values, n_bytes);
        }
    }
}

enum masing_status packing_end(const struct packing *packing, struct masing_error *error)
{
    switch (packing->status) {
    case MASING_OK:
        return MASING_OK;
    case MASING_NO_MEMORY:
        return masing_error_set(error, MASING_NO_MEMORY, "out of memory");
    default:
        return masing_error_set(error, MASING_INVALID,
                                "the log holds something else than this program puts there");
    }
}

void packing_clear(struct packing *packing)
{
    free(packing->bytes);
    *packing = (struct packing){0};
}
