/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of large structures is kept from model to model of one document: the matrices of its
 * files, and what they were condensed to. Shared by threads; it lives as long as somebody holds
 * it.
 */
#ifndef MASING_MODEL_STRUCTURE_CACHE_H
#define MASING_MODEL_STRUCTURE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/sparse.h"
#include "masing/status.h"

struct structure_cache;

/* Held once; NULL: there is no memory. */
struct structure_cache *structure_cache_create(void);
struct structure_cache *structure_cache_hold(struct structure_cache *cache);
void structure_cache_release(struct structure_cache *cache); /* NULL is fine */

/*
 * Only one thread at a time between these two: another one that wants the same waits and finds
 * it. NULL is fine.
 */
void structure_cache_lock(struct structure_cache *cache);
void structure_cache_unlock(struct structure_cache *cache);

/* What stands beside a matrix: the nodes of its rows. */
struct structure_labels {
    size_t n;
    int *values; /* [n], owned */
};

/* The matrix of a file as it is now, shared, and a copy of what stands beside it (may be NULL);
 * false where it is not known or there is no memory. @p part: which of the file's matrices. To
 * be called under the lock, as all below. */
bool structure_cache_find_matrix(struct structure_cache *cache, const char *file,
                                 const char *part, struct masing_sparse *matrix,
                                 struct structure_labels *labels);
/* The matrix is shared from then on. Without memory nothing is kept. */
void structure_cache_keep_matrix(struct structure_cache *cache, const char *file,
                                 const char *part, struct masing_sparse *matrix,
                                 const struct structure_labels *labels);

/* What else was read of files, whatever it is. */
struct structure_object {
    void *object;
    void (*destroy)(void *object);
    int n_files;
    char **files; /* [n_files] that it was made of, part of the object; the first names it */
};

/* That of a file, of the kind that @p destroy tells, if all its files are as they were; it
 * lives as long as the cache. */
void *structure_cache_find_object(struct structure_cache *cache, const char *file,
                                  void (*destroy)(void *object));
/* True: it belongs to the cache from now on. */
bool structure_cache_keep_object(struct structure_cache *cache,
                                 const struct structure_object *object);

/* Of a structure, what was made of what has this key: doubles, and many more of them in a
 * shared array (base/shared_array.h). The newest few are kept. */
struct structure_key {
    uint64_t words[2];
};
void structure_key_add(struct structure_key *key, const void *bytes, size_t size);

/* A copy, and what is shared, held for the caller; NULL where it is not known. */
double *structure_cache_find(struct structure_cache *cache, const struct structure_key *key,
                             double **shared);
void structure_cache_keep(struct structure_cache *cache, const struct structure_key *key,
                          const double *values, size_t count, double *shared);

#endif
