/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/structure/structure_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/shared_array.h"
#include "linalg/sparse.h"

enum { MOST_MATRICES = 4, MOST_RESULTS = 4 };

struct kept_matrix {
    char *file, *part;
    struct stat state; /* of the file when it was read */
    struct masing_sparse matrix;
    struct structure_labels labels;
};

struct kept_result {
    struct structure_key key;
    double *values, *shared;
    size_t count;
};

/* Objects stay where they are: others hold what is in them. */
struct kept_object {
    struct structure_object object;
    struct stat *states; /* [n_files] when it was read */
    struct kept_object *next;
};

struct structure_cache {
    pthread_mutex_t working, holding; /* by what is made; of the number of holders */
    int n_holders;
    int n_matrices, n_results; /* so far, more than are kept */
    struct kept_matrix matrices[MOST_MATRICES];
    struct kept_result results[MOST_RESULTS];
    struct kept_object *objects; /* the newest first */
};

struct structure_cache *structure_cache_create(void)
{
    struct structure_cache *cache = memory_array(1, sizeof *cache);
    if (cache) {
        cache->n_holders = 1;
        pthread_mutex_init(&cache->working, NULL);
        pthread_mutex_init(&cache->holding, NULL);
    }
    return cache;
}

struct structure_cache *structure_cache_hold(struct structure_cache *cache)
{
    if (cache) {
        pthread_mutex_lock(&cache->holding);
        cache->n_holders++;
        pthread_mutex_unlock(&cache->holding);
    }
    return cache;
}

static void clear_matrix(struct kept_matrix *kept)
{
    free(kept->file);
    free(kept->part);
    free(kept->labels.values);
    sparse_clear(&kept->matrix);
    *kept = (struct kept_matrix){0};
}

static void clear_result(struct kept_result *kept)
{
    free(kept->values);
    shared_array_release(kept->shared);
    *kept = (struct kept_result){0};
}

static void clear_objects(struct kept_object *kept)
{
    while (kept) {
        struct kept_object *next = kept->next;
        kept->object.destroy(kept->object.object);
        free(kept->states);
        free(kept);
        kept = next;
    }
}

void structure_cache_release(struct structure_cache *cache)
{
    if (!cache) {
        return;
    }
    pthread_mutex_lock(&cache->holding);
    int left = --cache->n_holders;
    pthread_mutex_unlock(&cache->holding);
    if (left > 0) {
        return;
    }
    for (int i = 0; i < MOST_MATRICES; i++) {
        clear_matrix(&cache->matrices[i]);
    }
    for (int i = 0; i < MOST_RESULTS; i++) {
        clear_result(&cache->results[i]);
    }
    clear_objects(cache->objects);
    pthread_mutex_destroy(&cache->working);
    pthread_mutex_destroy(&cache->holding);
    free(cache);
}

void structure_cache_lock(struct structure_cache *cache)
{
    if (cache) {
        pthread_mutex_lock(&cache->working);
    }
}

void structure_cache_unlock(struct structure_cache *cache)
{
    if (cache) {
        pthread_mutex_unlock(&cache->working);
    }
}

/* ---- matrices ---- */

static bool is_unchanged(const struct stat *before, const struct stat *now)
{
    return before->st_dev == now->st_dev && before->st_ino == now->st_ino &&
           before->st_size == now->st_size && before->st_mtim.tv_sec == now->st_mtim.tv_sec &&
           before->st_mtim.tv_nsec == now->st_mtim.tv_nsec;
}

static bool copy_labels(const struct structure_labels *from, struct structure_labels *to)
{
    *to = (struct structure_labels){.n = from->n};
    to->values = from->n ? memory_copy(from->values, from->n, sizeof *from->values) : NULL;
    return to->values || !from->n;
}

bool structure_cache_find_matrix(struct structure_cache *cache, const char *file,
                                 const char *part, struct masing_sparse *matrix,
                                 struct structure_labels *labels)
{
    struct stat state;
    for (int i = 0; cache && i < MOST_MATRICES; i++) {
        struct kept_matrix *kept = &cache->matrices[i];
        if (kept->file && strcmp(kept->file, file) == 0 && strcmp(kept->part, part) == 0 &&
            stat(file, &state) == 0 && is_unchanged(&kept->state, &state)) {
            return (!labels || copy_labels(&kept->labels, labels)) &&
                   sparse_share(&kept->matrix, matrix);
        }
    }
    return false;
}

void structure_cache_keep_matrix(struct structure_cache *cache, const char *file,
                                 const char *part, struct masing_sparse *matrix,
                                 const struct structure_labels *labels)
{
    struct kept_matrix kept = {0};
    if (!cache || stat(file, &kept.state) != 0) {
        return;
    }
    kept.file = memory_text(file);
    kept.part = memory_text(part);
    bool is_good = kept.file && kept.part && sparse_share(matrix, &kept.matrix) &&
                   (!labels || copy_labels(labels, &kept.labels));
    if (!is_good) {
        clear_matrix(&kept);
        return;
    }
    struct kept_matrix *place = &cache->matrices[cache->n_matrices++ % MOST_MATRICES];
    clear_matrix(place);
    *place = kept;
}

/* ---- objects ---- */

static bool are_unchanged(const struct kept_object *kept)
{
    struct stat state;
    for (int i = 0; i < kept->object.n_files; i++) {
        if (stat(kept->object.files[i], &state) != 0 ||
            !is_unchanged(&kept->states[i], &state)) {
            return false;
        }
    }
    return true;
}

void *structure_cache_find_object(struct structure_cache *cache, const char *file,
                                  void (*destroy)(void *object))
{
    for (struct kept_object *kept = cache ? cache->objects : NULL; kept; kept = kept->next) {
        if (kept->object.destroy == destroy && strcmp(kept->object.files[0], file) == 0 &&
            are_unchanged(kept)) {
            return kept->object.object;
        }
    }
    return NULL;
}

bool structure_cache_keep_object(struct structure_cache *cache,
                                 const struct structure_object *object)
{
    struct kept_object *kept = cache ? memory_array(1, sizeof *kept) : NULL;
    struct stat *states = kept ? memory_array((size_t)object->n_files, sizeof *states) : NULL;
    if (!states) {
        free(kept);
        return false;
    }
    for (int i = 0; i < object->n_files; i++) {
        stat(object->files[i], &states[i]); /* what is gone is not found again */
    }
    *kept = (struct kept_object){*object, states, cache->objects};
    cache->objects = kept;
    return true;
}

/* ---- results ---- */

/* Fowler, Noll and Vo's hash, in two widths of what is taken at a time. */
void structure_key_add(struct structure_key *key, const void *bytes, size_t size)
{
    static const uint64_t prime = 1099511628211u;
    const unsigned char *byte = bytes;
    uint64_t first = key->words[0] ? key->words[0] : 14695981039346656037u;
    uint64_t second = key->words[1] ? key->words[1] : 88172645463325252u;
    for (size_t i = 0; i < size; i++) {
        first = (first ^ byte[i]) * prime;
        second = (second + byte[i]) * 6364136223846793005u + 1442695040888963407u;
        second ^= second >> 29;
    }
    *key = (struct structure_key){{first, second}};
}

double *structure_cache_find(struct structure_cache *cache, const struct structure_key *key,
                             double **shared)
{
    for (int i = 0; cache && i < MOST_RESULTS; i++) {
        const struct kept_result *kept = &cache->results[i];
        if (kept->values && memcmp(&kept->key, key, sizeof *key) == 0) {
            double *values = memory_copy(kept->values, kept->count, sizeof *kept->values);
            *shared = values ? shared_array_hold(kept->shared) : NULL;
            return values;
        }
    }
    return NULL;
}

void structure_cache_keep(struct structure_cache *cache, const struct structure_key *key,
                          const double *values, size_t count, double *shared)
{
    double *copy = cache ? memory_copy(values, count, sizeof *values) : NULL;
    if (copy) {
        struct kept_result *place = &cache->results[cache->n_results++ % MOST_RESULTS];
        clear_result(place);
        *place = (struct kept_result){*key, copy, shared_array_hold(shared), count};
    }
}
