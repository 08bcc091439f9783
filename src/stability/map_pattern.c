/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stability/map_pattern.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "linalg/lu.h"
#include "model/joints.h"
#include "transient/periodic/propagator.h"

/* Patterns and transfers that are kept, and how many doubles they may take. */
enum { MOST_PATTERNS = 64, MOST_TRANSFERS = 256, MOST_DOUBLES = 1 << 21, MOST_EMPTIED = 8 };
/* Eigenvectors nearer to each other than that (product of norms of their matrix and its
 * inverse) lose too many digits. */
static const double LARGEST_CONDITION = 1e6;
/* An eigenvalue below this part of the lowest natural frequency is 0. */
static const double SMALLEST_EIGENVALUE = 1e-6;

size_t map_patterns_key_size(const struct map_patterns *patterns)
{
    return (size_t)patterns->n_axes * (size_t)(patterns->n_axes + patterns->n_joints);
}

static int room(size_t each, int most)
{
    size_t n = each > 0 ? MOST_DOUBLES / 2 / each : (size_t)most;
    return n < 2 ? 2 : n < (size_t)most ? (int)n : most;
}

static void allocate(struct map_patterns *made, struct arena *arena)
{
    size_t n = (size_t)made->n, n_axes = (size_t)made->n_axes,
           n_joints = (size_t)made->n_joints;
    made->axes = arena_doubles(arena, n_axes * (size_t)made->n_modes);
    made->flexibility = arena_doubles(arena, n_axes * n_axes);
    made->damping = arena_doubles(arena, n_axes);
    made->most_patterns = room(2 * n * n, MOST_PATTERNS);
    made->most_transfers = room(n * n, MOST_TRANSFERS);
    size_t most = (size_t)made->most_patterns;
    made->list = arena_array(arena, most, sizeof *made->list);
    made->transfers = arena_doubles(arena, (size_t)made->most_transfers * n * n);
    made->transfer = arena_array(arena, most * most, sizeof *made->transfer);
    made->matrix = arena_doubles(arena, n * n);
    made->growth = arena_doubles(arena, n);
    made->turn = arena_doubles(arena, n);
    made->inverse = arena_doubles(arena, n_axes * n_axes);
    made->coupling = arena_doubles(arena, n_axes * (n_axes + n_joints));
    made->pivots = arena_array(arena, n + n_axes, sizeof *made->pivots);
    for (size_t i = 0; i < most && !arena->has_failed; i++) {
        made->list[i] =
            (struct map_pattern){.key = arena_doubles(arena, map_patterns_key_size(made)),
                                 .real = arena_doubles(arena, n),
                                 .imaginary = arena_doubles(arena, n),
                                 .vectors = arena_doubles(arena, n * n),
                                 .inverse = arena_doubles(arena, n * n),
                                 .rest = arena_doubles(arena, n_joints * n),
                                 .seen = arena_doubles(arena, n_axes * n),
                                 .seen_sliders = arena_doubles(arena, n_axes * n_joints)};
    }
}

enum masing_status map_patterns_create(const struct masing_model *model, int n_modes,
                                       const double *damping, struct arena *arena,
                                       struct map_patterns **patterns,
                                       struct masing_error *error)
{
    struct map_patterns *made = arena_array(arena, 1, sizeof *made);
    NEED_ALLOCATED(made);
    *patterns = made;
    made->model = model;
    made->n_modes = n_modes;
    made->n = 2 * n_modes;
    made->n_axes = model->n_axes;
    made->n_joints = model->spec.n_joints;
    allocate(made, arena);
    NEED_ALLOCATED(!arena->has_failed);
    memcpy(made->damping, damping, (size_t)made->n_axes * sizeof(double));
    axis_shapes(model, n_modes, model->structure->shapes, made->axes);
    propagator_flexibility(model, n_modes, made->flexibility);
    return eigen_general_create(made->n, true, &made->eigen, error);
}

void map_patterns_destroy(struct map_patterns *patterns)
{
    if (patterns) {
        eigen_general_destroy(patterns->eigen);
    }
}

/* (1 + K F)^-1 (K, L), [n_axes + n_joints][n_axes] column by column: f = G A q - H s. */
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

/* The rates of (omega q, q'). */
static void fill_matrix(struct map_patterns *patterns)
{
    const struct structure *structure = patterns->model->structure;
    size_t n = (size_t)patterns->n, n_modes = n / 2, n_axes = (size_t)patterns->n_axes;
    memset(patterns->matrix, 0, n * n * sizeof(double));
    for (size_t k = 0; k < n_modes; k++) {
        double omega = structure->omega[k];
        double *by_q = patterns->matrix + k * n, *by_v = patterns->matrix + (n_modes + k) * n;
        by_v[k] = omega;
        by_q[n_modes + k] = -omega;
        by_v[n_modes + k] -= structure->damping_matrix ? 0.0 : structure->modal_damping[k];
        for (size_t i = 0; structure->damping_matrix && i < n_modes; i++) {
            by_v[n_modes + i] -= structure->damping_matrix[i + k * (size_t)structure->n_modes];
        }
        for (size_t a = 0; a < n_axes; a++) {
            double force = 0.0, rate = patterns->damping[a] * patterns->axes[a * n_modes + k];
            for (size_t b = 0; b < n_axes; b++) {
                force += patterns->coupling[a + b * n_axes] * patterns->axes[b * n_modes + k];
            }
            for (size_t i = 0; i < n_modes; i++) {
                double shape = patterns->axes[a * n_modes + i];
                by_q[n_modes + i] -= shape * force / omega;
                by_v[n_modes + i] -= shape * rate;
            }
        }
    }
}

/* The eigenbasis and its inverse. */
static enum masing_status solve(struct map_patterns *patterns, struct map_pattern *pattern)
{
    size_t n = (size_t)patterns->n;
    double size = 0.0, inverse_size = 0.0;
    double least = SMALLEST_EIGENVALUE * patterns->model->structure->omega[0];
    NEED(eigen_general_solve(patterns->eigen, patterns->n, patterns->matrix, pattern->real,
                             pattern->imaginary, pattern->vectors));
    memcpy(patterns->matrix, pattern->vectors, n * n * sizeof(double));
    NEED(lu_factor(patterns->n, patterns->matrix, patterns->pivots));
    memset(pattern->inverse, 0, n * n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        pattern->inverse[i * (n + 1)] = 1.0;
    }
    lu_solve(patterns->n, patterns->matrix, patterns->pivots, pattern->inverse, patterns->n);
    for (size_t i = 0; i < n * n; i++) {
        size += pattern->vectors[i] * pattern->vectors[i];
        inverse_size += pattern->inverse[i] * pattern->inverse[i];
    }
    bool is_sound = sqrt(size * inverse_size) < LARGEST_CONDITION * (double)n;
    for (size_t i = 0; i < n; i++) {
        is_sound = is_sound && hypot(pattern->real[i], pattern->imaginary[i]) > least;
    }
    return is_sound ? MASING_OK : MASING_UNSUPPORTED;
}

/* Where the structure rests beside a displaced slider: 0 = Lambda y + W (0, A^T H). */
static void set_rest(struct map_patterns *patterns, const struct map_pattern *pattern)
{
    size_t n = (size_t)patterns->n, n_modes = n / 2, n_axes = (size_t)patterns->n_axes;
    memset(pattern->rest, 0, (size_t)patterns->n_joints * n * sizeof(double));
    for (size_t j = 0; j < (size_t)patterns->n_joints; j++) {
        double *rest = pattern->rest + j * n;
        for (size_t k = 0; k < n_modes; k++) {
            double force = 0.0;
            for (size_t a = 0; a < n_axes; a++) {
                force += patterns->coupling[a + (n_axes + j) * n_axes] *
                         patterns->axes[a * n_modes + k];
            }
            for (size_t i = 0; force != 0.0 && i < n; i++) {
                rest[i] -= pattern->inverse[i + (n_modes + k) * n] * force;
            }
        }
        for (size_t i = 0; i < n; i++) {
            double a = pattern->real[i], b = pattern->imaginary[i], first = rest[i];
            double square = a * a + b * b;
            rest[i] = (a * first - (b != 0.0 ? b * rest[i + 1] : 0.0)) / square;
            if (b != 0.0) { /* the pair's second has -b and follows */
                rest[i + 1] = (b * first + a * rest[i + 1]) / square;
                i++;
            }
        }
    }
}

/* u = (A - F G A) q + F H s */
static void set_seen(struct map_patterns *patterns, const struct map_pattern *pattern)
{
    const struct structure *structure = patterns->model->structure;
    size_t n = (size_t)patterns->n, n_modes = n / 2, n_axes = (size_t)patterns->n_axes;
    size_t n_joints = (size_t)patterns->n_joints;
    memset(pattern->seen, 0, n_axes * n * sizeof(double));
    memset(pattern->seen_sliders, 0, n_axes * n_joints * sizeof(double));
    for (size_t a = 0; a < n_axes; a++) {
        for (size_t b = 0; b < n_axes; b++) {
            double factor = a == b ? 1.0 : 0.0;
            for (size_t c = 0; c < n_axes; c++) {
                factor -=
                    patterns->flexibility[a * n_axes + c] * patterns->coupling[c + b * n_axes];
            }
            for (size_t k = 0; factor != 0.0 && k < n_modes; k++) {
                double by_q = factor * patterns->axes[b * n_modes + k] / structure->omega[k];
                for (size_t i = 0; i < n; i++) {
                    pattern->seen[a * n + i] += by_q * pattern->vectors[k + i * n];
                }
            }
            for (size_t j = 0; j < n_joints; j++) {
                pattern->seen_sliders[a * n_joints + j] +=
                    patterns->flexibility[a * n_axes + b] *
                    patterns->coupling[b + (n_axes + j) * n_axes];
            }
        }
    }
}

enum masing_status map_patterns_find(struct map_patterns *patterns, const double *key,
                                     int *index)
{
    size_t bytes = map_patterns_key_size(patterns) * sizeof *key;
    for (int i = 0; i < patterns->n_patterns; i++) {
        if (memcmp(patterns->list[i].key, key, bytes) == 0) {
            *index = i;
            return patterns->list[i].real[0] < INFINITY ? MASING_OK : MASING_UNSUPPORTED;
        }
    }
    if (patterns->n_patterns == patterns->most_patterns) {
        return MASING_UNSUPPORTED;
    }
    struct map_pattern *pattern = &patterns->list[ *index = patterns->n_patterns++];
    memcpy(pattern->key, key, bytes);
    enum masing_status status = couple(patterns, key);
    if (status == MASING_OK) {
        fill_matrix(patterns);
        status = solve(patterns, pattern);
    }
    if (status == MASING_OK) {
        set_rest(patterns, pattern);
        set_seen(patterns, pattern);
        return MASING_OK;
    }
    pattern->real[0] = INFINITY; /* not to be tried again */
    return MASING_UNSUPPORTED;
}

bool map_patterns_empty(struct map_patterns *patterns)
{
    size_t most = (size_t)patterns->most_patterns;
    patterns->n_patterns = patterns->n_transfers = 0;
    memset(patterns->transfer, 0, most * most * sizeof *patterns->transfer);
    return patterns->n_emptied++ < MOST_EMPTIED;
}

const double *map_patterns_transfer(struct map_patterns *patterns, int from, int to)
{
    size_t n = (size_t)patterns->n, most = (size_t)patterns->most_patterns;
    int *place = &patterns->transfer[(size_t)from * most + (size_t)to];
    if (*place == 0) {
        if (patterns->n_transfers == patterns->most_transfers) {
            patterns->n_transfers = 0;
            memset(patterns->transfer, 0, most * most * sizeof *patterns->transfer);
        }
        *place = ++patterns->n_transfers;
        dense_multiply(patterns->n, patterns->n, patterns->n, patterns->list[to].inverse,
                       patterns->list[from].vectors,
                       patterns->transfers + (size_t)(*place - 1) * n * n);
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
    size_t n = (size_t)patterns->n, n_joints = (size_t)patterns->n_joints;
    double *growth = patterns->growth, *turn = patterns->turn;
    for (size_t i = 0; i < n; i += pattern->imaginary[i] != 0.0 ? 2 : 1) {
        double size = exp(pattern->real[i] * time), phase = pattern->imaginary[i] * time;
        growth[i] = phase != 0.0 ? size * cos(phase) : size;
        turn[i] = phase != 0.0 ? size * sin(phase) : 0.0;
    }
    for (size_t column = 0; column < (size_t)n_columns; column++) {
        double *to = y + column * n;
        const double *sliders = s + column * n_joints;
        add_rest(patterns, pattern, -1.0, to, sliders);
        for (size_t i = 0; i < n; i++) {
            double first = to[i];
            to[i] *= growth[i];
            if (pattern->imaginary[i] != 0.0) {
                to[i] += turn[i] * to[i + 1];
                to[i + 1] = growth[i] * to[i + 1] - turn[i] * first;
                i++;
            }
        }
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
