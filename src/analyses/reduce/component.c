/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/reduce/component.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "linalg/sparse.h"
#include "model/structure/modes.h"
#include "model/structure/sparse_structure.h"

/* So few rows are solved as dense matrices; up to so many, where Lanczos's method does not find
 * as many modes as are asked for. */
enum { FEW_ROWS = 300, MOST_DENSE = 5000 };
/* Lanczos's method: modes at first, more where one was missed, and at most. */
enum { FIRST_MODES = 24, EXTRA_MODES = 12, MOST_MODES = 2000, N_ATTEMPTS = 3 };
/* A mode that has so little mass, relative to the one that has most, has none. */
static const double NO_MASS = 1e-14;
/* Modes are equal to this part of their squares. */
static const double EQUAL = 1e-6;
/* Part of the first elastic mode's square that static solutions shift by, where they have to.
 */
static const double SHIFT_SHARE = 1e-3;
/* Solutions are improved so often, down to this part of the forces. */
enum { MOST_PASSES = 12 };
static const double SOLVED = 1e-15;
/* Of forces that act on modes alone the others leave rounding. */
static const double NOTHING_LEFT = 1e-11;

/* --- the matrices ------------------------------------------------------------------------- */

/* Rows and columns of a matrix whose places [n] are not -1. */
static enum masing_status take_rows(const struct masing_sparse *from, const int *places, int n,
                                    struct masing_sparse *to, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t count = 0;
    struct sparse_entry *entries = memory_array((size_t)from->start[from->n], sizeof *entries);
    TRY_ALLOCATED(entries);
    for (int64_t j = 0; j < from->n; j++) {
        for (int64_t e = from->start[j]; places[j] >= 0 && e < from->start[j + 1]; e++) {
            int row = places[from->rows[e]];
            if (row >= 0) {
                entries[count++] = (struct sparse_entry){row, places[j], from->values[e]};
            }
        }
    }
    TRY(sparse_create(n, count, entries, to, error));
done:
    free(entries);
    return status;
}

enum masing_status component_create(const struct masing_sparse *stiffness,
                                    const struct masing_sparse *mass, const bool *is_held,
                                    struct component *component, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_all = (size_t)mass->n;
    int *places = memory_array(n_all, sizeof *places), n = 0;
    *component = (struct component){.dofs = memory_array(n_all, sizeof(int))};
    TRY_ALLOCATED(places && component->dofs);
    for (int i = 0; i < mass->n; i++) {
        bool is_in = !is_held || !is_held[i];
        places[i] = is_in ? n : -1;
        if (is_in) {
            component->dofs[n++] = i;
        }
    }
    component->n = n;
    TRY(take_rows(stiffness, places, n, &component->stiffness, error));
    TRY(take_rows(mass, places, n, &component->mass, error));
    size_t work = (16 + 2 * (size_t)COMPONENT_PANEL) * (size_t)n;
    TRY_ALLOCATED(component->work = memory_array(work, sizeof(double)));
done:
    free(places);
    return status;
}

void component_clear(struct component *component)
{
    free(component->dofs);
    free(component->inner);
    free(component->work);
    sparse_clear(&component->mass);
    sparse_clear(&component->stiffness);
    sparse_modes_clear(&component->modes);
    sparse_factor_destroy(component->factor);
    *component = (struct component){0};
}

/* --- modes -------------------------------------------------------------------------------- */

static enum masing_status factorise(struct component *c, double shift, int *weak,
                                    struct masing_error *error)
{
    sparse_factor_destroy(c->factor);
    c->factor = NULL;
    c->shift = shift;
    enum masing_status status =
        sparse_factor_create(&c->stiffness, &c->mass, shift, &c->factor, weak, error);
    *weak = status == MASING_SINGULAR ? c->dofs[*weak] : -1;
    return status;
}

/* All modes of small matrices: M v = mu (K + shift M) v, of which those without mass go. */
static enum masing_status find_all(struct component *c, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena scratch = {0};
    size_t n = (size_t)c->n, square = n * n;
    double *a = arena_doubles(&scratch, square), *b = arena_doubles(&scratch, square);
    double *mu = arena_doubles(&scratch, n);
    struct sparse_modes *modes = &c->modes;
    modes->omega_squared = memory_array(n, sizeof(double));
    modes->shapes = memory_array(square, sizeof(double));
    modes->momenta = memory_array(square, sizeof(double));
    TRY_ALLOCATED(!scratch.has_failed && modes->omega_squared && modes->shapes &&
                  modes->momenta);
    sparse_expand(&c->mass, a);
    sparse_expand(&c->stiffness, b);
    for (size_t i = 0; i < square; i++) {
        b[i] += c->shift * a[i];
    }
    TRY(eigen_symmetric_generalised(c->n, true, a, b, mu));
    for (size_t k = n; k-- > 0 && mu[k] > NO_MASS * mu[n - 1];) {
        double *shape = modes->shapes + (size_t)modes->n * n;
        double *momentum = modes->momenta + (size_t)modes->n * n;
        double scale = 1.0 / sqrt(mu[k]);
        for (size_t i = 0; i < n; i++) {
            shape[i] = scale * a[k * n + i];
        }
        sparse_multiply(&c->stiffness, 1, shape, momentum);
        modes->omega_squared[modes->n++] = dense_dot(c->n, shape, momentum);
        sparse_multiply(&c->mass, 1, shape, momentum);
    }
done:
    arena_clear(&scratch);
    return status;
}

static bool is_enough(const struct component *c, const struct mode_choice *choice)
{
    double last = c->modes.omega_squared[c->modes.n - 1];
    return c->modes.n >= choice->least && last > choice->up_to * choice->up_to;
}

/* Modes of large matrices, none missed; all of them where more than half are asked for. */
static enum masing_status find_lowest(struct component *c, const struct mode_choice *choice,
                                      struct masing_error *error)
{
    int most = c->n / 2 < MOST_MODES ? c->n / 2 : MOST_MODES;
    int n = choice->least > FIRST_MODES - 2 ? choice->least + 2 : FIRST_MODES;
    bool is_missed = true;
    for (int attempt = 0; attempt < N_ATTEMPTS;) {
        n = n < most ? n : most;
        sparse_modes_clear(&c->modes);
        NEED(sparse_modes_create(&c->stiffness, &c->mass, c->shift, c->factor, n, &c->modes,
                                 error));
        if (!is_enough(c, choice) && n < most) {
            n *= 2;
            continue;
        }
        if (!is_enough(c, choice) && c->n <= MOST_DENSE) {
            sparse_modes_clear(&c->modes);
            return find_all(c, error);
        }
        NEED(sparse_modes_find_missed(&c->stiffness, &c->mass, c->shift, c->factor, &c->modes,
                                      &is_missed, error));
        if (!is_missed) {
            return MASING_OK;
        }
        n += EXTRA_MODES;
        attempt++;
    }
    return masing_error_set(error, MASING_NOT_CONVERGED,
                            "modes of the structure below its mode %d were missed", c->modes.n);
}

static double gross_stiffness(const void *context, int mode)
{
    const struct component *c = context;
    return sparse_gross(&c->stiffness, c->modes.shapes + (size_t)mode * (size_t)c->n);
}

/* Those that were not asked for go, but for one that is equal to the last. */
static void cut(struct component *c, const struct mode_choice *choice)
{
    const double *squares = c->modes.omega_squared;
    double up_to = choice->up_to * choice->up_to;
    int n = choice->least < c->modes.n ? choice->least : c->modes.n;
    while (n < c->modes.n && squares[n] <= up_to) {
        n++;
    }
    n = n < choice->most ? n : choice->most;
    n = n > c->n_rigid ? n : c->n_rigid;
    while (n < choice->most && n > c->n_rigid && n < c->modes.n &&
           squares[n] <= (1.0 + EQUAL) * squares[n - 1]) {
        n++;
    }
    c->modes.n = n;
}

int component_most_modes(int n)
{
    return n <= MOST_DENSE ? n : MOST_MODES;
}

enum masing_status component_find_modes(struct component *c, const struct mode_choice *choice,
                                        int *weak, struct masing_error *error)
{
    int n_nearly;
    *weak = -1;
    if (c->n == 0) {
        return MASING_OK;
    }
    NEED(factorise(c, sparse_structure_shift(&c->stiffness, &c->mass), weak, error));
    NEED(c->n <= FEW_ROWS ? find_all(c, error) : find_lowest(c, choice, error));
    c->n_rigid =
        modes_count_rigid(c->modes.n, c->modes.omega_squared, gross_stiffness, c, &n_nearly);
    memset(c->modes.omega_squared, 0, (size_t)c->n_rigid * sizeof(double));
    /* static displacements need no shift where nothing can move, and else a small one */
    double first =
        c->n_rigid < c->modes.n ? c->modes.omega_squared[c->n_rigid] : c->shift / SHIFT_SHARE;
    cut(c, choice);
    size_t room = (size_t)c->modes.n * COMPONENT_PANEL;
    NEED_ALLOCATED(c->inner = memory_array(room, sizeof(double)));
    if (c->n_rigid == 0) {
        enum masing_status status = factorise(c, 0.0, weak, error);
        if (status != MASING_SINGULAR) {
            return status;
        }
    }
    return factorise(c, SHIFT_SHARE * first, weak, error);
}

/* --- static displacements ----------------------------------------------------------------- */

/* forces [n * n_columns] less what acts on modes: M phi phi^T f */
static void project_forces(const struct component *c, int n_modes, int n_columns,
                           double *forces)
{
    int n_all = n_modes * n_columns;
    double before[COMPONENT_PANEL];
    size_t n = (size_t)c->n;
    for (int k = 0; k < n_columns; k++) {
        before[k] = dense_max_norm(n, forces + (size_t)k * n);
    }
    if (n_modes > 0) {
        dense_multiply_transposed(n_columns, n_modes, c->n, forces, c->modes.shapes, c->inner);
        for (int i = 0; i < n_all; i++) {
            c->inner[i] = -c->inner[i];
        }
        dense_add_outer(c->n, n_columns, n_modes, c->modes.momenta, c->inner, forces);
    }
    for (int k = 0; k < n_columns; k++) {
        double *column = forces + (size_t)k * n;
        if (dense_max_norm(n, column) <= NOTHING_LEFT * before[k]) {
            memset(column, 0, n * sizeof *column);
        }
    }
}

enum masing_status component_solve(struct component *c, int n_without, int n_columns,
                                   double *forces, struct masing_error *error)
{
    size_t size = (size_t)c->n * (size_t)n_columns;
    if (size == 0) {
        return MASING_OK;
    }
    double *wide = c->work, *rest = c->work + 16 * (size_t)c->n;
    double *step = rest + (size_t)COMPONENT_PANEL * (size_t)c->n;
    struct sparse_modes without = c->modes;
    without.n = n_without > c->n_rigid ? n_without : c->n_rigid;
    project_forces(c, without.n, n_columns, forces);
    memcpy(rest, forces, size * sizeof *rest);
    double scale = dense_max_norm(size, forces), before = INFINITY;
    double *x = forces; /* the forces are kept as what is left of them */
    memset(x, 0, size * sizeof *x);
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        double left = dense_max_norm(size, rest);
        if (left <= SOLVED * scale || left > 0.5 * before) {
            break;
        }
        before = left;
        memcpy(step, rest, size * sizeof *step);
        NEED(sparse_factor_solve(c->factor, n_columns, step, error));
        sparse_modes_deflate(&without, c->n, n_columns, 2, step, c->inner);
        for (size_t i = 0; i < size; i++) {
            x[i] += step[i];
        }
        sparse_multiply_many(&c->stiffness, n_columns, step, step, wide); /* in its place */
        for (size_t i = 0; i < size; i++) {
            rest[i] -= step[i];
        }
        project_forces(c, without.n, n_columns, rest);
    }
    return MASING_OK;
}
