/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/sparse_modes.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <arpack/arpack.h>
#undef I

#include "base/arena.h"
#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "linalg/sparse.h"

/* ARPACK keeps the state of an iteration in variables of its own: one at a time. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

enum { MORE_VECTORS = 20, MOST_RESTARTS = 300 };
/* Vectors and solves that look for modes that were missed; how far equal ones may differ. */
enum { N_TRIALS = 3, N_PASSES = 8 };
static const double SAME_MODE = 1e-6;
/* Of the sum of its terms' sizes: a square has less than half of its digits from there on. */
static const double CANCELLED = 1e-10;
/* What reading decimals leaves, and adding a few, of the root of the sum of the squares of all
 * terms: five times the largest rounding. Text of 14 digits leaves some 30 times as much. */
static const double READ = 4.0 * DBL_EPSILON;
/* ARPACK's word for a space that has no more vectors. */
enum { SPACE_ENDS = -9999 };

struct lanczos {
    const struct masing_sparse *mass;
    struct sparse_factor *factor;
    struct arena arena;
    int n, n_modes, n_vectors;
    double *start, *vectors, *work, *small; /* [n], [n * n_vectors], [3 n], [lsmall] */
    int n_small;
    a_int parameters[11], places[14];
};

/* Reproducible, with something of every motion in it. */
static void fill_start(int n, double *start)
{
    uint64_t state = 88172645463325252ULL;
    for (int i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        start[i] = (double)(state >> 11) / 9007199254740992.0 - 0.5;
    }
}

/* ido 1: M x stands ready; else it is formed. */
static enum masing_status apply(struct lanczos *l, int ido, struct masing_error *error)
{
    const double *from = l->work + l->places[0] - 1;
    double *to = l->work + l->places[1] - 1;
    if (ido == 2) {
        sparse_multiply(l->mass, 1, from, to);
        return MASING_OK;
    }
    if (ido == 1) {
        memcpy(to, l->work + l->places[2] - 1, (size_t)l->n * sizeof *to);
    } else {
        sparse_multiply(l->mass, 1, from, to);
    }
    return sparse_factor_solve(l->factor, 1, to, error);
}

static enum masing_status iterate(struct lanczos *l, double shift, double *values,
                                  struct masing_error *error)
{
    a_int ido = 0, info = 1;
    l->parameters[0] = 1;
    l->parameters[2] = MOST_RESTARTS;
    l->parameters[6] = 3;
    for (;;) {
        dsaupd_c(&ido, "G", l->n, "LM", l->n_modes, 0.0, l->start, l->n_vectors, l->vectors,
                 l->n, l->parameters, l->places, l->work, l->small, l->n_small, &info);
        if (ido != -1 && ido != 1 && ido != 2) {
            break;
        }
        NEED(apply(l, ido, error));
    }
    if (info == SPACE_ENDS && l->parameters[4] > l->n_modes &&
        l->parameters[4] < l->n_vectors) {
        l->n_vectors = (int)l->parameters[4]; /* a singular mass has motions without inertia */
        l->n_small = l->n_vectors * (l->n_vectors + 8);
        fill_start(l->n, l->start);
        return iterate(l, shift, values, error);
    }
    if (info != 0) {
        return masing_error_set(error, MASING_NOT_CONVERGED,
                                "the lowest %d modes were not found (ARPACK: %d)", l->n_modes,
                                (int)info);
    }
    a_int *chosen = arena_array(&l->arena, (size_t)l->n_vectors, sizeof *chosen);
    NEED_ALLOCATED(chosen);
    dseupd_c(1, "A", chosen, values, l->vectors, l->n, -shift, "G", l->n, "LM", l->n_modes, 0.0,
             l->start, l->n_vectors, l->vectors, l->n, l->parameters, l->places, l->work,
             l->small, l->n_small, &info);
    return info == 0 ? MASING_OK
                     : masing_error_set(error, MASING_NOT_CONVERGED,
                                        "the shapes of the lowest modes were not found "
                                        "(ARPACK: %d)",
                                        (int)info);
}

/*
 * One step of the subspace's own iteration, y = (K + shift M)^-1 M x, and the best modes of
 * that space: what rounding and a singular mass left in the shapes is gone, and they are
 * orthonormal.
 */
static enum masing_status polish(const struct masing_sparse *stiffness,
                                 const struct masing_sparse *mass, struct sparse_factor *factor,
                                 struct sparse_modes *modes, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena scratch = {0};
    int n_dofs = mass->n, n = modes->n;
    size_t all = (size_t)n_dofs * (size_t)n, square = (size_t)n * (size_t)n;
    double *y = arena_doubles(&scratch, all), *a = arena_doubles(&scratch, square);
    double *b = arena_doubles(&scratch, square), *values = arena_doubles(&scratch, (size_t)n);
    double *product = modes->momenta;
    TRY_ALLOCATED(!scratch.has_failed);
    for (size_t k = 0; k < (size_t)n; k++) { /* one by one: the solver keeps one column */
        double *column = y + k * (size_t)n_dofs;
        sparse_multiply(mass, 1, modes->shapes + k * (size_t)n_dofs, column);
        TRY(sparse_factor_solve(factor, 1, column, error));
    }
    sparse_multiply(mass, n, y, product);
    dense_multiply_transposed(n, n, n_dofs, y, product, b);
    memcpy(modes->shapes, y, all * sizeof *y);
    sparse_multiply(stiffness, n, y, product);
    dense_multiply_transposed(n, n, n_dofs, y, product, a);
    TRY(eigen_symmetric_generalised(n, true, a, b, values));
    dense_multiply(n_dofs, n, n, y, a, modes->shapes);
    sparse_multiply(mass, n, modes->shapes, modes->momenta);
    memcpy(modes->omega_squared, values, (size_t)n * sizeof *values);
done:
    arena_clear(&scratch);
    return status;
}

/* Whether forms [n * n] have more than what reading explains. spreads [n] */
static bool has_more(int n, const double *forms, const double *spreads)
{
    bool has = false;
    for (int i = 0; i < n * n; i++) {
        has = has || fabs(forms[i]) > READ * sqrt(spreads[i % n] * spreads[i / n]);
    }
    return has;
}

static void find_spreads(const struct masing_sparse *stiffness, int n, const double *shapes,
                         double *spreads)
{
    for (int k = 0; k < n; k++) {
        spreads[k] = sparse_spread(stiffness, shapes + (size_t)k * (size_t)stiffness->n);
    }
}

/* columns [n_dofs * n] become columns * turn */
static void turn_columns(int n_dofs, int n, const double *turn, double *before, double *columns)
{
    memcpy(before, columns, (size_t)n_dofs * (size_t)n * sizeof *before);
    dense_multiply(n_dofs, n, n, before, turn, columns);
}

enum masing_status sparse_modes_settle(const struct masing_sparse *stiffness,
                                       struct sparse_modes *modes, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena scratch = {0};
    int n = 0, n_dofs = stiffness->n;
    while (n < modes->n &&
           fabs(modes->omega_squared[n]) <=
               CANCELLED *
                   sparse_gross(stiffness, modes->shapes + (size_t)n * (size_t)n_dofs)) {
        n++;
    }
    double *before = arena_doubles(&scratch, (size_t)n_dofs * (size_t)n);
    double *forms = arena_doubles(&scratch, (size_t)n * (size_t)n);
    double *spreads = arena_doubles(&scratch, (size_t)n);
    TRY_ALLOCATED(!scratch.has_failed);
    TRY(sparse_forms(stiffness, n, modes->shapes, forms, error));
    find_spreads(stiffness, n, modes->shapes, spreads);
    if (!has_more(n, forms, spreads)) {
        memset(modes->omega_squared, 0, (size_t)n * sizeof *modes->omega_squared);
        goto done;
    }
    TRY(eigen_symmetric(n, true, forms, modes->omega_squared));
    turn_columns(n_dofs, n, forms, before, modes->shapes);
    if (modes->momenta) {
        turn_columns(n_dofs, n, forms, before, modes->momenta);
    }
    find_spreads(stiffness, n, modes->shapes, spreads);
    for (int k = 0; k < n; k++) {
        double square = modes->omega_squared[k];
        modes->omega_squared[k] = fabs(square) <= READ * spreads[k] ? 0.0 : square;
    }
done:
    arena_clear(&scratch);
    return status;
}

enum masing_status sparse_modes_create(const struct masing_sparse *stiffness,
                                       const struct masing_sparse *mass, double shift,
                                       struct sparse_factor *factor, int n,
                                       struct sparse_modes *modes, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_dofs = (size_t)mass->n, most = 2 * (size_t)n + MORE_VECTORS;
    struct lanczos l = {.mass = mass, .factor = factor, .n = mass->n, .n_modes = n};
    l.n_vectors = (int)(most < n_dofs ? most : n_dofs);
    l.n_small = l.n_vectors * (l.n_vectors + 8);
    *modes = (struct sparse_modes){.n = n};
    modes->omega_squared = memory_array((size_t)n, sizeof(double));
    modes->shapes = memory_array(n_dofs * (size_t)n, sizeof(double));
    l.start = arena_doubles(&l.arena, n_dofs);
    l.vectors = arena_doubles(&l.arena, n_dofs * (size_t)l.n_vectors);
    l.work = arena_doubles(&l.arena, 3 * n_dofs);
    l.small = arena_doubles(&l.arena, (size_t)l.n_small);
    TRY_ALLOCATED(modes->omega_squared && modes->shapes && !l.arena.has_failed);
    fill_start(mass->n, l.start);
    pthread_mutex_lock(&one_at_a_time);
    status = iterate(&l, shift, modes->omega_squared, error);
    pthread_mutex_unlock(&one_at_a_time);
    TRY(status);
    memcpy(modes->shapes, l.vectors, n_dofs * (size_t)n * sizeof(double));
    arena_clear(&l.arena);
    TRY_ALLOCATED(modes->momenta = memory_array(n_dofs * (size_t)n, sizeof(double)));
    TRY(polish(stiffness, mass, factor, modes, error));
    TRY(sparse_modes_settle(stiffness, modes, error));
done:
    arena_clear(&l.arena);
    if (status != MASING_OK) {
        sparse_modes_clear(modes);
    }
    return status;
}

void sparse_modes_clear(struct sparse_modes *modes)
{
    free(modes->omega_squared);
    free(modes->shapes);
    free(modes->momenta);
    *modes = (struct sparse_modes){0};
}

void sparse_modes_deflate(const struct sparse_modes *modes, int n_dofs, int n_columns,
                          int n_passes, double *columns, double *scratch)
{
    int n_all = n_columns * modes->n;
    for (int pass = 0; pass < n_passes && modes->n > 0; pass++) {
        dense_multiply_transposed(n_columns, modes->n, n_dofs, columns, modes->momenta,
                                  scratch);
        for (int i = 0; i < n_all; i++) {
            scratch[i] = -scratch[i];
        }
        dense_add_outer(n_dofs, n_columns, modes->n, modes->shapes, scratch, columns);
    }
}

/* Columns of x [n * N_TRIALS], the largest entry of each 1, become those of y. */
static void scale_trials(int n, const double *y, double *x)
{
    for (int t = 0; t < N_TRIALS; t++) {
        const double *from = y + (size_t)t * (size_t)n;
        double *to = x + (size_t)t * (size_t)n, size = dense_max_norm((size_t)n, from);
        for (int i = 0; i < n; i++) {
            to[i] = size > 0.0 ? from[i] / size : 0.0;
        }
    }
}

/* Of what the modes leave of some vectors, repeated solves keep the lowest mode: none may lie
 * below the last that was found. */
enum masing_status sparse_modes_find_missed(const struct masing_sparse *stiffness,
                                            const struct masing_sparse *mass, double shift,
                                            struct sparse_factor *factor,
                                            const struct sparse_modes *modes, bool *is_missed,
                                            struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena scratch = {0};
    int n = mass->n;
    size_t size = (size_t)n * N_TRIALS;
    double *x = arena_doubles(&scratch, size), *y = arena_doubles(&scratch, size);
    double *inner = arena_doubles(&scratch, (size_t)modes->n * N_TRIALS);
    TRY_ALLOCATED(!scratch.has_failed);
    *is_missed = false;
    for (size_t i = 0; i < size; i++) {
        x[i] = sin(1.0 + 12.9898 * (double)(i % 9973) + 4.1414 * (double)(i / 9973));
    }
    for (int pass = 0; pass < N_PASSES; pass++) {
        sparse_multiply(mass, N_TRIALS, x, y);
        TRY(sparse_factor_solve(factor, N_TRIALS, y, error));
        sparse_modes_deflate(modes, n, N_TRIALS, 2, y, inner);
        scale_trials(n, y, x);
    }
    double last = modes->omega_squared[modes->n - 1] + shift;
    sparse_multiply(mass, N_TRIALS, x, y);
    for (int t = 0; t < N_TRIALS; t++) {
        double *own = x + (size_t)t * (size_t)n, *momentum = y + (size_t)t * (size_t)n;
        double m = dense_dot(n, own, momentum);
        sparse_multiply(stiffness, 1, own, momentum);
        double k = dense_dot(n, own, momentum) + shift * m;
        *is_missed = *is_missed || k < (1.0 - SAME_MODE) * last * m;
    }
done:
    arena_clear(&scratch);
    return status;
}
