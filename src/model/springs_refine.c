/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Natural frequencies with joints as springs, and with the inertia of modes that are not there.
 * At the square s of a frequency, R(s) = sum_t (w(s))^t R_t, w = (shift + s) / scale, and
 *   (diag(omega^2) + B k w) q = s q,  w + R(s) k w = B^T q,
 * B being the axes in modal coordinates. The axes' displacements are sought as X c: tested with
 * their forces V = k X the second equation is small,
 *   (V^T X + V^T R(s) V) c = V^T B^T q,
 * and each mode an eigenvalue of a matrix of all modes that depends on it. X holds the
 * displacements in all modes with R at rest; what these leave of the second equation in a mode,
 * solved with R at rest, is added until the frequency changes no more. Its error is the square
 * of that of the displacements.
 */
#include "model/springs.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "linalg/symmetric.h"
#include "model/structure/modes.h"

/* Of the series at a natural frequency at most; a square's change that is none; what is new of
 * a force. */
static const double LEFT_OUT = 1e-3, SETTLED = 1e-10, NEW = 1e-10;
/* Additions to the basis, and steps of a mode between them. */
enum { MOST_PASSES = 4, MOST_STEPS = 20 };

struct search {
    const struct springs *springs;
    struct arena arena;
    size_t n_axes, n_modes, n_dofs, n_terms, most, m; /* m: of the basis, of at most so many */
    size_t n_rigid;                                   /* the first modes, which stay */
    double *basis, *forces;                           /* X, V [n_axes * most], V orthonormal */
    double *modal;                                    /* V^T B^T [n_modes][most] */
    double *own;                                      /* V^T X [most][most] */
    double *terms;                                    /* V^T R_t V [n_terms][most][most] */
    double *matrix, *slope;   /* of the small equation and of its slope by s [m * m] */
    double *solution, *force; /* c of all modes, [m * n_modes], and modal forces */
    double *stiffness, *mass; /* [n_modes * n_modes] */
    double *left;             /* [n_axes * n_modes] of the second equation, mode by mode */
    double *weights;          /* [n_modes][most] c of each mode */
    double *loads, *motion;   /* [n_dofs * n_modes] scratch */
    double *product, *y;      /* [n_axes * n_modes] scratch */
    int *pivots;
};

static enum masing_status prepare(struct search *s, struct masing_error *error)
{
    const struct structure *structure = s->springs->structure;
    struct arena *arena = &s->arena;
    s->n_axes = (size_t)s->springs->n_axes;
    s->n_modes = (size_t)structure->n_modes;
    s->n_dofs = (size_t)structure->n_dofs;
    s->n_terms = (size_t)structure->n_far;
    s->most = (MOST_PASSES + 1) * s->n_modes;
    s->most = s->most < s->n_axes ? s->most : s->n_axes;
    size_t columns = s->n_axes * s->n_modes, square = s->most * s->most;
    s->basis = arena_doubles(arena, s->n_axes * s->most);
    s->forces = arena_doubles(arena, s->n_axes * s->most);
    s->modal = arena_doubles(arena, s->n_modes * s->most);
    s->own = arena_doubles(arena, square);
    s->terms = arena_doubles(arena, s->n_terms * square);
    s->matrix = arena_doubles(arena, square);
    s->slope = arena_doubles(arena, square);
    s->solution = arena_doubles(arena, s->most * s->n_modes);
    s->force = arena_doubles(arena, s->most);
    s->stiffness = arena_doubles(arena, s->n_modes * s->n_modes);
    s->mass = arena_doubles(arena, s->n_modes * s->n_modes);
    s->left = arena_doubles(arena, columns);
    s->weights = arena_doubles(arena, s->n_modes * s->most);
    s->loads = arena_doubles(arena, springs_rows(s->springs) * s->n_modes);
    s->motion = arena_doubles(arena, springs_rows(s->springs) * s->n_modes);
    s->product = arena_doubles(arena, columns);
    s->y = arena_doubles(arena, columns);
    s->pivots = arena_array(arena, s->most, sizeof *s->pivots);
    NEED_ALLOCATED(!arena->has_failed);
    for (size_t k = 0; k < s->n_modes; k++) {
        s->mass[k * (s->n_modes + 1)] = 1.0;
    }
    return MASING_OK;
}

/* --- the basis ---------------------------------------------------------------------------- */

/* One more displacement, if its force is new. */
static void add_vector(struct search *s, const double *x)
{
    int n = (int)s->n_axes, m = (int)s->m;
    double *to = s->basis + s->m * s->n_axes, *v = s->forces + s->m * s->n_axes;
    if (s->m == s->most) {
        return;
    }
    springs_forces(s->springs, 1, x, v);
    double before = sqrt(dense_dot(n, v, v));
    if (!(before > 0.0)) {
        return;
    }
    memcpy(to, x, s->n_axes * sizeof *x);
    for (size_t i = 0; i < s->n_axes; i++) {
        to[i] /= before;
        v[i] /= before;
    }
    for (int pass = 0; pass < 2 && m > 0; pass++) { /* again for what rounding left */
        dense_multiply_vector(n, m, true, s->forces, v, s->force);
        for (int i = 0; i < m; i++) {
            s->force[i] = -s->force[i];
        }
        dense_add_parts(n, 1, m, s->forces, n, s->force, m, v, n);
        dense_add_parts(n, 1, m, s->basis, n, s->force, m, to, n);
    }
    double after = sqrt(dense_dot(n, v, v));
    for (size_t i = 0; i < s->n_axes && after > NEW; i++) {
        to[i] /= after;
    }
    if (after > NEW) {
        springs_forces(s->springs, 1, to, v);
        s->m++;
    }
}

/* What the new columns of the basis, from one on, add to the small matrices. */
static void project(struct search *s, size_t from)
{
    int n = (int)s->n_axes, m = (int)s->m, n_modes = (int)s->n_modes, most = (int)s->most;
    for (size_t first = from; first < s->m; first += s->n_modes) {
        int width = (int)(s->m - first < s->n_modes ? s->m - first : s->n_modes);
        const double *v = s->forces + first * s->n_axes;
        for (size_t t = 0; t <= s->n_terms; t++) {
            double *to = t < s->n_terms ? s->terms + t * s->most * s->most : s->own;
            const double *y = s->basis + first * s->n_axes;
            if (t < s->n_terms) {
                const struct structure *structure = s->springs->structure;
                springs_deform(s->springs, structure->far + t * symmetric_size(s->n_dofs),
                               width, v, s->loads, s->motion);
                springs_displacements(s->springs, width, s->motion, s->y);
                y = s->y;
            }
            for (int c = 0; c < width; c++) {
                dense_multiply_vector(n, m, true, s->forces, y + (size_t)c * s->n_axes,
                                      to + (first + (size_t)c) * s->most);
            }
        }
        for (int k = 0; k < n_modes; k++) {
            dense_multiply_vector(n, width, true, v, s->springs->modal + (size_t)k * s->n_axes,
                                  s->modal + (size_t)k * s->most + first);
        }
    }
    for (size_t t = 0; t <= s->n_terms; t++) { /* symmetric */
        double *to = t < s->n_terms ? s->terms + t * s->most * s->most : s->own;
        for (int j = 0; j < m; j++) {
            for (int i = (int)from > j ? (int)from : j + 1; i < m; i++) {
                to[i + j * most] = to[j + i * most];
            }
        }
    }
}

/* --- a mode ------------------------------------------------------------------------------- */

/* Terms of the series at the square of a frequency, and the small equation's matrices. */
static void fill_small(struct search *s, double square)
{
    const struct structure *structure = s->springs->structure;
    double w = square / structure->far_scale;
    double power = 1.0, before = 0.0;
    memset(s->slope, 0, s->m * s->m * sizeof *s->slope);
    for (size_t j = 0; j < s->m; j++) {
        memcpy(s->matrix + j * s->m, s->own + j * s->most, s->m * sizeof *s->matrix);
    }
    for (size_t t = 0; t < s->n_terms; t++, before = power, power *= w) {
        const double *term = s->terms + t * s->most * s->most;
        double slope = (double)t * before / structure->far_scale;
        for (size_t j = 0; j < s->m; j++) {
            for (size_t i = 0; i < s->m; i++) {
                s->matrix[i + j * s->m] += power * term[i + j * s->most];
                s->slope[i + j * s->m] += slope * term[i + j * s->most];
            }
        }
    }
}

/* The k-th square where the series stands at another; its slope by that, and the mode's
 * solution [m] of the small equation. */
static enum masing_status solve_at(struct search *s, size_t k, double square, double *found,
                                   double *slope, double *solution, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = s->springs->structure;
    int m = (int)s->m, n = (int)s->n_modes, most = (int)s->most;
    struct modes modes = {0};
    fill_small(s, square);
    TRY(m > 0 ? lu_factor(m, s->matrix, s->pivots) : MASING_OK);
    for (size_t j = 0; j < s->n_modes; j++) {
        memcpy(s->solution + j * s->m, s->modal + j * s->most, s->m * sizeof *s->solution);
    }
    if (m > 0) {
        lu_solve(m, s->matrix, s->pivots, s->solution, n);
    }
    for (size_t j = 0; j < s->n_modes; j++) {
        dense_multiply_vector_part(m, n, true, s->modal, most, s->solution + j * s->m,
                                   s->stiffness + j * s->n_modes);
        s->stiffness[j * (s->n_modes + 1)] += structure->omega[j] * structure->omega[j];
    }
    for (size_t j = 0; j < s->n_modes; j++) {
        for (size_t i = 0; i < j; i++) {
            double *a = &s->stiffness[i + j * s->n_modes],
                   *b = &s->stiffness[j + i * s->n_modes];
            *a = *b = 0.5 * (*a + *b);
        }
    }
    TRY(modes_create(n, s->mass, s->stiffness, structure->shift, true, &modes, error));
    *found = modes.omega_squared[k];
    dense_multiply_vector(m, n, false, s->solution, modes.shapes + k * s->n_modes, solution);
    dense_multiply_vector(m, m, false, s->slope, solution, s->force);
    *slope = -dense_dot(m, solution, s->force);
    /* what the mode asks of the axes */
    dense_multiply_vector((int)s->n_axes, n, false, s->springs->modal,
                          modes.shapes + k * s->n_modes, s->left + k * s->n_axes);
done:
    modes_clear(&modes);
    return status;
}

/* The k-th square by Newton's method, with its solution. */
static enum masing_status find_square(struct search *s, size_t k, double reach, double *square,
                                      struct masing_error *error)
{
    double found, slope, change = INFINITY, *solution = s->weights + k * s->most;
    for (int step = 0; change > SETTLED * fabs(*square) && step < MOST_STEPS; step++) {
        NEED(solve_at(s, k, *square, &found, &slope, solution, error));
        double next = *square + (found - *square) / (1.0 - slope);
        next = fmin(next, reach);
        change = fabs(next - *square);
        *square = next;
    }
    return MASING_OK;
}

/* What the basis leaves of the equations of the modes that were found is solved with R at rest
 * and added. */
static void correct(struct search *s, size_t n_found, const double *squares)
{
    const struct structure *structure = s->springs->structure;
    int n = (int)s->n_axes, m = (int)s->m, n_k = (int)(n_found - s->n_rigid);
    size_t columns = s->n_axes * (size_t)n_k;
    const double *weights = s->weights + s->n_rigid * s->most;
    double *left = s->left + s->n_rigid * s->n_axes;
    dense_multiply_parts(n, n_k, m, s->basis, n, weights, (int)s->most, s->product, n);
    for (size_t i = 0; i < columns; i++) {
        left[i] -= s->product[i];
    }
    dense_multiply_parts(n, n_k, m, s->forces, n, weights, (int)s->most, s->product, n);
    for (size_t t = 0; t < s->n_terms; t++) {
        springs_deform(s->springs, structure->far + t * symmetric_size(s->n_dofs), n_k,
                       s->product, s->loads, s->motion);
        springs_displacements(s->springs, n_k, s->motion, s->y);
        for (size_t i = 0; i < columns; i++) {
            left[i] -= s->y[i];
        }
        for (size_t k = 0; k < (size_t)n_k; k++) { /* the next power */
            double w = squares[s->n_rigid + k] / structure->far_scale;
            for (size_t i = 0; i < s->n_axes; i++) {
                s->product[k * s->n_axes + i] *= w;
            }
        }
    }
    springs_yield(s->springs, n_k, left);
    for (size_t k = 0; k < (size_t)n_k; k++) {
        add_vector(s, left + k * s->n_axes);
    }
}

/* All squares that the series reaches with the basis as it is; change: the largest. */
static enum masing_status find_squares(struct search *s, double reach, double *squares,
                                       size_t *n_found, double *change,
                                       struct masing_error *error)
{
    *change = 0.0;
    *n_found = s->n_rigid;
    for (size_t k = s->n_rigid; k < s->n_modes && squares[k] <= reach; k++) {
        double before = squares[k];
        NEED(find_square(s, k, reach, &squares[k], error));
        *change = fmax(*change, fabs(squares[k] - before) / fmax(fabs(squares[k]), DBL_MIN));
        *n_found = k + 1;
    }
    return MASING_OK;
}

enum masing_status springs_refine(const struct springs *springs, int n_rigid, double *squares,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = springs->structure;
    struct search s = {.springs = springs, .n_rigid = (size_t)n_rigid};
    double shift = structure->far_shift, change = INFINITY;
    double last = pow(structure->omega[structure->n_modes - 1], 2) + shift;
    double reach = pow(LEFT_OUT, 1.0 / structure->n_far) * last - shift;
    size_t n_found = 0;
    TRY(prepare(&s, error));
    memcpy(s.left, springs->modal, s.n_axes * s.n_modes * sizeof *s.left);
    springs_yield(springs, structure->n_modes, s.left);
    for (size_t k = 0; k < s.n_modes; k++) {
        add_vector(&s, s.left + k * s.n_axes);
    }
    if (s.m == 0) {
        goto done; /* nothing holds: the modes as they are */
    }
    project(&s, 0);
    for (int pass = 0; change > SETTLED && pass <= MOST_PASSES; pass++) {
        TRY(find_squares(&s, reach, squares, &n_found, &change, error));
        size_t from = s.m;
        if (change <= SETTLED || pass == MOST_PASSES || n_found == s.n_rigid) {
            break;
        }
        correct(&s, n_found, squares);
        if (s.m == from) {
            break;
        }
        project(&s, from);
    }
done:
    arena_clear(&s.arena);
    return status;
}
