/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Allocation with overflow checks. Only `create` functions allocate; evaluation never does. */
#ifndef MASING_BASE_MEMORY_H
#define MASING_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed array; NULL when it does not fit. A count of 0 gives a pointer that can be freed. */
void *memory_array(size_t count, size_t size);

/* The same, for what is written before it is read. */
void *memory_uncleared(size_t count, size_t size);

/* Doubles that hold so many items: workspaces are arrays of doubles. */
static inline size_t memory_doubles(size_t count, size_t size)
{
    return (count * size + sizeof(double) - 1) / sizeof(double);
}

/* The next part of a larger array, of which `rest` is what is left; NULL for a count of 0. */
static inline double *memory_part(double **rest, size_t count)
{
    double *part = *rest;
    *rest += count;
    return count > 0 ? part : NULL;
}

/* What is taken of a workspace, which may yet have to be made: NULL, the size alone counts. */
struct memory_room {
    double *workspace;
    size_t size; /* doubles so far */
};

/* Room for so many items of a size; NULL where the workspace is. */
static inline void *memory_take(struct memory_room *room, size_t count, size_t size)
{
    void *part = room->workspace ? room->workspace + room->size : NULL;
    room->size += memory_doubles(count, size);
    return part;
}

/* Make room for `needed` items of an array, at least twice as many as before where it has to
 * grow; false, and nothing changed, when there is no memory. The array comes from malloc or is
 * NULL. */
bool memory_grow(void **array, size_t needed, size_t *capacity, size_t size);

/* Copies owned by the caller; NULL for NULL or when there is no memory. */
void *memory_copy(const void *source, size_t count, size_t size);
char *memory_text(const char *text);

/* Texts and the array that holds them; NULL is fine. */
void memory_free_texts(char **texts, int n);

/* printf into new memory; NULL when there is none. */
char *memory_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
