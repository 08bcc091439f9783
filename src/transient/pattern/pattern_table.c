/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/pattern/pattern_table.h"

#include <string.h>

#include "base/check.h"

/* Matrices of a basis to and from its oscillators. */
static int room(size_t n_modes, const struct pattern_limits *limits)
{
    size_t n = limits->doubles / (8 * n_modes * n_modes + 1);
    return n < (size_t)limits->fewest ? limits->fewest
           : n < (size_t)limits->most ? (int)n
                                      : limits->most;
}

enum masing_status pattern_table_create(const struct modal_state *modal, size_t key_size,
                                        const struct pattern_limits *limits,
                                        struct arena *arena, struct pattern_table *table,
                                        struct masing_error *error)
{
    *table = (struct pattern_table){.key_size = key_size,
                                    .n_kept = room((size_t)modal->n_modes, limits)};
    table->kept = arena_array(arena, (size_t)table->n_kept, sizeof *table->kept);
    NEED_ALLOCATED(table->kept);
    for (int i = 0; i < table->n_kept; i++) {
        table->kept[i].key = arena_doubles(arena, key_size);
        NEED(pattern_basis_create(modal->n_modes, arena, &table->kept[i].basis, error));
    }
    return pattern_builder_create(modal, &table->builder, error);
}

void pattern_table_clear(struct pattern_table *table)
{
    pattern_builder_destroy(table->builder);
    table->builder = NULL;
}

int pattern_table_find(struct pattern_table *table, const double *key, long since)
{
    size_t bytes = table->key_size * sizeof *key;
    int oldest = 0;
    for (int i = 0; i < table->n_kept; i++) {
        struct pattern_entry *kept = &table->kept[i];
        if (kept->last_used > 0 && memcmp(kept->key, key, bytes) == 0) {
            kept->last_used = ++table->n_used;
            return i;
        }
        oldest = kept->last_used < table->kept[oldest].last_used ? i : oldest;
    }
    struct pattern_entry *made = &table->kept[oldest];
    if (made->last_used > since) {
        return -1;
    }
    memcpy(made->key, key, bytes);
    made->state = PATTERN_NEW;
    made->last_used = ++table->n_used;
    table->n_new++;
    return oldest;
}
