/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stability/map_pattern.h"

#include <string.h>

#include "base/check.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "model/joints.h"
#include "transient/periodic/propagator.h"

/* Patterns that are kept, and how many times as many there may be until that is of no use. */
static const struct pattern_limits LIMITS = {.fewest = 2, .most = 64, .doubles = 1 << 20};
enum { MOST_ROUNDS = 9 };
/* The same of transfers. */
enum { FEWEST_TRANSFERS = 2, MOST_TRANSFERS = 256, MOST_DOUBLES = 1 << 20 };
/* Oscillators below this part of the lowest natural frequency do not come to rest. */
static const double SLOWEST = 1e-6;

static int most_transfers(size_t each)
{
    size_t n = each > 0 ? MOST_DOUBLES / each : MOST_TRANSFERS;
    return n < FEWEST_TRANSFERS ? FEWEST_TRANSFERS
           : n < MOST_TRANSFERS ? (int)n
                                : MOST_TRANSFERS;
}

static enum masing_status allocate(struct map_patterns *made, struct arena *arena,
                                   struct masing_error *error)
{
    size_t n = (size_t)made->n, n_axes = (size_t)made->n_axes,
           n_joints = (size_t)made->n_joints;
    NEED(pattern_table_create(made->modal, n_axes * (n_axes + n_joints), &LIMITS, arena,
                              &made->table, error));
    size_t n_kept = (size_t)made->table.n_kept;
    made->list = arena_array(arena, n_kept, sizeof *made->list);
    made->most_transfers = most_transfers(n * n);
    made->transfers = arena_doubles(arena, (size_t)made->most_transfers * n * n);
    made->transfer = arena_array(arena, n_kept * n_kept, sizeof *made->transfer);
    made->inverse = arena_doubles(arena, n_axes * n_axes);
    made->coupling = arena_doubles(arena, n_axes * (n_axes + n_joints));
    made->pivots = arena_array(arena, n_axes, sizeof *made->pivots);
    made->row = arena_doubles(arena, n);
    made->before = arena_doubles(arena, n);
    made->factors = arena_doubles(arena, 2 * n);
    made->scratch = arena_doubles(arena, 3 * n);
    for (size_t i = 0; i < n_kept && !arena->has_failed; i++) {
        made->list[i] =
            (struct map_pattern){.rest = arena_doubles(arena, n_joints * n),
                                 .seen = arena_doubles(arena, n_axes * n),
                                 .seen_sliders = arena_doubles(arena, n_axes * n_joints)};
    }
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

enum masing_status map_patterns_create(const struct masing_model *model, int n_modes,
                                       const double *damping, struct arena *arena,
                                       struct map_patterns **patterns,
                                       struct masing_error *error)
{
    size_t n_axes = (size_t)model->n_axes;
    struct map_patterns *made = arena_array(arena, 1, sizeof *made);
    NEED_ALLOCATED(made);
    *patterns = made;
    made->n_modes = n_modes;
    made->n = 2 * n_modes;
    made->n_axes = model->n_axes;
    made->n_joints = model->spec.n_joints;
    made->slowest = SLOWEST * model->structure->omega[0];
    made->flexibility = arena_doubles(arena, n_axes * n_axes);
    made->damping = arena_doubles(arena, n_axes);
    double *axes = arena_doubles(arena, n_axes * (size_t)n_modes);
    NEED_ALLOCATED(!arena->has_failed);
    memcpy(made->damping, damping, n_axes * sizeof(double));
    axis_shapes(model, n_modes, model->structure->shapes, axes);
    propagator_flexibility(model, n_modes, made->flexibility);
    NEED(modal_state_create(model->structure, n_modes, made->n_axes, axes, arena, &made->modal,
                            error));
    return allocate(made, arena, error);
}

void map_patterns_destroy(struct map_patterns *patterns)
{
    if (patterns) {
        pattern_table_clear(&patterns->table);
    }
}

/* (1 + K F)^-1 (K, L), column-major (G, H): f = G A q - H s. */
static enum masing_status couple(struct map_patterns *patterns, const double *key)
{
    size_t n_axes = (size_t)patterns->n_axes, n_joints = (size_t)patterns->n_joints;
    double *matrix = patterns->inverse, *coupling = patterns->coupling;
    for (size_t a = 0; a < n_axes; a++) {
        for (size_t b = 0; b < n_axes; b++) {
            double sum = a == b ? 1.0 : 0.0;
            for (size_t c = 0; c < n_axes; c++) {
                sum += key[a * n_axes + c] * patterns->flexibility[c * n_axes + b];
            }
            matrix[a + b * n_axes] = sum;
            coupling[a + b * n_axes] = key[a * n_axes + b];
        }
        for (size_t j = 0; j < n_joints; j++) {
            coupling[a + (n_axes + j) * n_axes] = key[n_axes * n_axes + a * n_joints + j];
        }
    }
    NEED(lu_factor((int)n_axes, matrix, patterns->pivots));
    lu_solve((int)n_axes, matrix, patterns->pivots, coupling, (int)(n_axes + n_joints));
    return MASING_OK;
}

/* Where the structure rests beside a displaced slider; false: nowhere. */
static bool set_rest(struct map_patterns *patterns, const struct pattern_basis *basis,
                     const struct map_pattern *pattern)
{
    size_t n = (size_t)patterns->n, n_axes = (size_t)patterns->n_axes;
    bool rests = true;
    for (size_t j = 0; j < (size_t)patterns->n_joints; j++) {
        const double *slider = patterns->coupling + (n_axes + j) * n_axes;
        dense_multiply_vector(patterns->n_modes, patterns->n_axes, false, patterns->modal->axes,
                              slider, patterns->row);
        rests = pattern_basis_rest(basis, patterns->row, 1.0, patterns->slowest,
                                   pattern->rest + j * n, patterns->scratch) &&
                rests;
    }
    return rests;
}

/* u = (A - F G A) q + F H s */
static void set_seen(struct map_patterns *patterns, const struct pattern_basis *basis,
                     const struct map_pattern *pattern)
{
    size_t n = (size_t)patterns->n, n_modes = n / 2, n_axes = (size_t)patterns->n_axes;
    size_t n_joints = (size_t)patterns->n_joints;
    for (size_t a = 0; a < n_axes; a++) {
        const double *flexibility = patterns->flexibility + a * n_axes;
        memset(patterns->row, 0, n * sizeof(double));
        for (size_t b = 0; b < n_axes; b++) {
            double factor = (a == b ? 1.0 : 0.0) - dense_dot(patterns->n_axes, flexibility,
                                                             patterns->coupling + b * n_axes);
            for (size_t k = 0; k < n_modes; k++) {
                patterns->row[k] += factor * patterns->modal->axes[b * n_modes + k];
            }
        }
        pattern_basis_row(basis, patterns->row, pattern->seen + a * n, patterns->scratch);
        for (size_t j = 0; j < n_joints; j++) {
            pattern->seen_sliders[a * n_joints + j] = dense_dot(
                patterns->n_axes, flexibility, patterns->coupling + (n_axes + j) * n_axes);
        }
    }
}

/* Transfers of the pattern that had a place are none any more. */
static void forget_transfers(struct map_patterns *patterns, int index)
{
    int n_kept = patterns->table.n_kept;
    for (int i = 0; i < n_kept; i++) {
        patterns->transfer[index * n_kept + i] = patterns->transfer[i * n_kept + index] = 0;
    }
}

static enum masing_status build(struct map_patterns *patterns, int index)
{
    struct pattern_table *table = &patterns->table;
    struct pattern_entry *entry = &table->kept[index];
    forget_transfers(patterns, index);
    NEED(table->n_new <= MOST_ROUNDS * (long)table->n_kept ? MASING_OK : MASING_UNSUPPORTED);
    NEED(couple(patterns, entry->key));
    NEED(pattern_basis_build_coupled(table->builder, patterns->coupling, patterns->damping,
                                     &entry->basis));
    set_seen(patterns, &entry->basis, &patterns->list[index]);
    return set_rest(patterns, &entry->basis, &patterns->list[index]) ? MASING_OK
                                                                     : MASING_UNSUPPORTED;
}

void map_patterns_begin(struct map_patterns *patterns)
{
    patterns->since = patterns->table.n_used;
}

enum masing_status map_patterns_find(struct map_patterns *patterns, const double *key,
                                     int *index)
{
    *index = pattern_table_find(&patterns->table, key, patterns->since);
    NEED(*index >= 0 ? MASING_OK : MASING_UNSUPPORTED);
    struct pattern_entry *entry = &patterns->table.kept[*index];
    if (entry->state == PATTERN_NEW) {
        entry->state = build(patterns, *index) == MASING_OK ? PATTERN_SOUND : PATTERN_REFUSED;
    }
    return entry->state == PATTERN_SOUND ? MASING_OK : MASING_UNSUPPORTED;
}

const double *map_patterns_transfer(struct map_patterns *patterns, int from, int to)
{
    size_t n = (size_t)patterns->n, n_kept = (size_t)patterns->table.n_kept;
    const struct pattern_entry *kept = patterns->table.kept;
    int *place = &patterns->transfer[(size_t)from * n_kept + (size_t)to];
    if (*place == 0) {
        if (patterns->n_transfers == patterns->most_transfers) {
            patterns->n_transfers = 0;
            memset(patterns->transfer, 0, n_kept * n_kept * sizeof *patterns->transfer);
        }
        *place = ++patterns->n_transfers;
        pattern_basis_transfer(&kept[from].basis, &kept[to].basis,
                               patterns->transfers + (size_t)(*place - 1) * n * n,
                               patterns->scratch);
    }
    return patterns->transfers + (size_t)(*place - 1) * n * n;
}

/* y += factor sum rest s */
static void add_rest(const struct map_patterns *patterns, const struct map_pattern *pattern,
                     double factor, double *y, const double *s)
{
    size_t n = (size_t)patterns->n;
    for (size_t j = 0; j < (size_t)patterns->n_joints; j++) {
        for (size_t i = 0; s[j] != 0.0 && i < n; i++) {
            y[i] += factor * s[j] * pattern->rest[j * n + i];
        }
    }
}

void map_patterns_advance(struct map_patterns *patterns, int index, double time, int n_columns,
                          double *y, const double *s)
{
    const struct map_pattern *pattern = &patterns->list[index];
    const struct pattern_basis *basis = &patterns->table.kept[index].basis;
    size_t n = (size_t)patterns->n, n_joints = (size_t)patterns->n_joints;
    pattern_basis_factors(basis, time, patterns->factors);
    for (size_t column = 0; column < (size_t)n_columns; column++) {
        double *to = y + column * n;
        const double *sliders = s + column * n_joints;
        memcpy(patterns->before, to, n * sizeof(double));
        add_rest(patterns, pattern, -1.0, patterns->before, sliders);
        pattern_basis_advance(basis, patterns->factors, patterns->before, to);
        add_rest(patterns, pattern, 1.0, to, sliders);
    }
}

double map_pattern_seen(const struct map_patterns *patterns, int index, int axis,
                        const double *y, const double *s)
{
    const struct map_pattern *pattern = &patterns->list[index];
    const double *row = pattern->seen_sliders + axis * patterns->n_joints;
    return dense_dot(patterns->n, pattern->seen + axis * patterns->n, y) +
           dense_dot(patterns->n_joints, row, s);
}
