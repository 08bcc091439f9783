/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers and texts one behind the other as bytes. One and the same walk puts them there and
 * takes them out again, exactly:
 *
 *     static void walk(struct packing *packing, struct point *point)
 *     {
 *         PACK(packing, point->hertz);
 *         packing_text(packing, &point->name);
 *     }
 *
 * The bytes are those of this machine and of this version of the program.
 */
#ifndef MASING_BASE_PACKING_H
#define MASING_BASE_PACKING_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/status.h"
#include "masing/table.h"

/* Zero-initialised is empty, to be filled. */
struct packing {
    char *bytes; /* owned */
    size_t n, capacity;
    size_t at;                 /* of the byte that is taken next */
    bool is_taking;            /* else it is filled */
    enum masing_status status; /* the first failure: no memory, or nothing left to take */
};

/* Put a value, or take it: what cannot be taken becomes zero. */
void packing_bytes(struct packing *packing, void *value, size_t size);
#define PACK(packing, value) packing_bytes(packing, &(value), sizeof(value))

/* A text of a buffer, or an owned one, which may be NULL: one that is taken is new. */
void packing_string(struct packing *packing, char *buffer, size_t size);
void packing_text(struct packing *packing, char **text);
/* A text that lasts: taken, it is the same one of a list that ends with NULL, or NULL. */
void packing_word(struct packing *packing, const char **word, const char *const *words);

/* A number of items of that size that are to follow, at least so many; 0 where so many cannot
 * follow. */
int packing_count(struct packing *packing, int count, size_t size);

/* An owned array of so many items, all their bytes; taken, it is new. */
void packing_array(struct packing *packing, void **array, int count, size_t size);

/* All of another one, which is taken apart by itself. */
void packing_part(struct packing *packing, struct packing *part);

/* The cells of a row; texts that are taken lie in the packing. */
void packing_row(struct packing *packing, struct masing_cell *cells, int n_columns);

/* Its failure as a sentence; MASING_INVALID where what was taken was not what was put. */
enum masing_status packing_end(const struct packing *packing, struct masing_error *error);

void packing_clear(struct packing *packing);

#endif
