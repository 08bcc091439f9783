/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/pattern/pattern_basis.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "linalg/lu.h"
#include "linalg/svd.h"
#include "transient/pattern/free_modes.h"
#include "transient/oscillator.h"

/* An oscillator's directions nearer to others than that (product of the norms of its columns
 * there and of its rows back) lose too many digits. */
static const double LARGEST_CONDITION = 1e4;
/* Rounding of the eigenvalues' real parts, of their size. */
static const double DAMPING_ROUNDING = 1e-12;
/* That of a matrix of damping, of its largest number. */
static const double MATRIX_ROUNDING = 1e-14;
/* Eigenvectors less orthogonal than this are found from dense matrices. */
static const double LARGEST_SKEWNESS = 1e-11;
/* A basis of n modes from dense matrices costs about as much as n^2 / this many series, one
 * from the modes without joints as n, with two springs; their number counts squared. */
enum { SQUARED_MODES_PER_SERIES = 64 };

struct pattern_builder {
    const struct modal_state *modal; /* lent */
    struct arena arena;
    struct svd svd;
    struct eigen_general *eigen;
    double *omega, *scale;    /* [n] frequencies; of displacements, in which u = scale q */
    double *real, *imaginary; /* [2 n] eigenvalues */
    double *matrix, *vectors; /* [2 n * 2 n] */
    int *single, *pivots;     /* [2 n] real eigenvalues, ascending */
    const struct pattern_basis *basis; /* under way */
    const double *k, *c;               /* [n_axes] likewise; k is NULL with */
    const double *coupling;            /* [n_axes * n_axes] between axes, else NULL */
    double *springs, *pull;            /* [n_axes] */
    struct free_modes free;
    double complex *x; /* [n] a mode */
};

enum masing_status pattern_builder_create(const struct modal_state *modal,
                                          struct pattern_builder **builder,
                                          struct masing_error *error)
{
    size_t n = (size_t)modal->n_modes;
    struct pattern_builder *made = *builder = memory_array(1, sizeof *made);
    NEED_ALLOCATED(made);
    made->modal = modal;
    made->omega = arena_doubles(&made->arena, n);
    made->scale = arena_doubles(&made->arena, n);
    made->real = arena_doubles(&made->arena, 2 * n);
    made->imaginary = arena_doubles(&made->arena, 2 * n);
    made->matrix = arena_doubles(&made->arena, 4 * n * n);
    made->vectors = arena_doubles(&made->arena, 4 * n * n);
    made->single = arena_array(&made->arena, 2 * n, sizeof(int));
    made->pivots = arena_array(&made->arena, 2 * n, sizeof(int));
    made->springs = arena_doubles(&made->arena, (size_t)modal->n_axes);
    made->pull = arena_doubles(&made->arena, (size_t)modal->n_axes);
    made->x = arena_array(&made->arena, n, sizeof(double complex));
    NEED_ALLOCATED(!made->arena.has_failed);
    for (size_t i = 0; i < n; i++) {
        made->omega[i] = sqrt(modal->stiffness[i]);
    }
    NEED(svd_create(modal->n_modes + modal->n_axes, modal->n_modes, &made->svd, error));
    NEED(eigen_general_create(2 * modal->n_modes, true, &made->eigen, error));
    return free_modes_create(modal, &made->arena, &made->free, error);
}

long pattern_builder_cost(const struct pattern_builder *builder)
{
    long n = builder->modal->n_modes, dense = n * n / SQUARED_MODES_PER_SERIES;
    long n_axes = builder->modal->n_axes, added = n * (4 + n_axes * n_axes) / 8;
    return builder->free.are_known && added < dense ? added : dense;
}

void pattern_builder_destroy(struct pattern_builder *builder)
{
    if (builder) {
        eigen_general_destroy(builder->eigen);
        svd_clear(&builder->svd);
        arena_clear(&builder->arena);
        free(builder);
    }
}

enum masing_status pattern_basis_create(int n_modes, struct arena *arena,
                                        struct pattern_basis *basis, struct masing_error *error)
{
    size_t n = (size_t)n_modes;
    *basis = (struct pattern_basis){.n = n_modes,
                                    .coupled = arena_array(arena, n, sizeof(int)),
                                    .square = arena_doubles(arena, n),
                                    .damping = arena_doubles(arena, n),
                                    .from = arena_doubles(arena, 4 * n * n),
                                    .to = arena_doubles(arena, 4 * n * n)};
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

static double shape_of(const struct pattern_builder *builder, int axis, int i)
{
    const struct modal_state *modal = builder->modal;
    return modal->axes[axis * modal->n_modes + builder->basis->coupled[i]];
}

/* Whether damping of the structure, in a matrix, is there in a mode; rounding is not. */
static bool is_damped(const struct modal_state *modal, int mode)
{
    double largest = 0.0, here = 0.0;
    for (int i = modal->n_uncoupled; i < modal->n_modes; i++) {
        largest = fmax(largest, fabs(modal->matrix[i * (modal->n_modes + 1)]));
        here = fmax(here, fabs(modal->matrix[mode * modal->n_modes + i]));
    }
    return here > MATRIX_ROUNDING * largest;
}

/* The stiffness that joints add to a mode, or what it is at most; 0: they do not see it. */
static double stiffness_of(const struct pattern_builder *builder, int mode)
{
    const struct modal_state *modal = builder->modal;
    double sum = 0.0;
    for (int a = 0; a < modal->n_axes; a++) {
        double shape = modal->axes[a * modal->n_modes + mode];
        sum += builder->k ? builder->k[a] * shape * shape : 0.0;
        for (int b = 0; builder->coupling && b < modal->n_axes; b++) {
            double other = modal->axes[b * modal->n_modes + mode];
            sum += fabs(builder->coupling[a + b * modal->n_axes]) *
                   fmax(shape * shape, other * other);
        }
    }
    return sum;
}

/* The modes that forces of joints or damping mix, and a size of each one's frequency. */
static void find_coupled(struct pattern_builder *builder, struct pattern_basis *basis)
{
    const struct modal_state *modal = builder->modal;
    basis->n_coupled = 0;
    for (int i = 0; i < modal->n_modes; i++) {
        double stiffness = stiffness_of(builder, i), damping = 0.0;
        for (int axis = 0; axis < modal->n_axes; axis++) {
            double shape = modal->axes[axis * modal->n_modes + i];
            damping += fabs(builder->c[axis]) * shape * shape;
        }
        basis->square[i] = modal->stiffness[i];
        basis->damping[i] = modal->damping[i];
        if (stiffness > 0.0 || damping > 0.0 ||
            (i >= modal->n_uncoupled && is_damped(modal, i))) {
            builder->scale[basis->n_coupled] =
                sqrt(modal->stiffness[i] + stiffness) + damping + fabs(modal->damping[i]);
            basis->coupled[basis->n_coupled++] = i;
        }
    }
}

/* All modes that are mixed have the same damping, and joints none: the damping of any mix. */
static bool has_real_modes(const struct pattern_builder *builder)
{
    const struct modal_state *modal = builder->modal;
    const struct pattern_basis *basis = builder->basis;
    bool is_so = builder->k && dense_is_zero((size_t)modal->n_axes, builder->c);
    for (int i = 0; i < basis->n_coupled; i++) {
        int mode = basis->coupled[i];
        is_so = is_so && mode < modal->n_uncoupled &&
                modal->damping[mode] == modal->damping[basis->coupled[0]];
    }
    return is_so;
}

/* Natural frequencies are the singular values of (omega; sqrt(k) A), which keeps low ones. */
static enum masing_status find_real_modes(struct pattern_builder *builder,
                                          struct pattern_basis *basis)
{
    const struct modal_state *modal = builder->modal;
    size_t m = (size_t)basis->n_coupled, n_rows = (size_t)builder->svd.n_rows;
    memset(builder->svd.matrix, 0, n_rows * m * sizeof(double));
    for (size_t i = 0; i < m; i++) {
        double *column = builder->svd.matrix + i * n_rows;
        column[i] = builder->omega[basis->coupled[i]];
        for (int axis = 0; axis < modal->n_axes; axis++) {
            column[modal->n_modes + axis] =
                sqrt(builder->k[axis]) * shape_of(builder, axis, (int)i);
        }
    }
    NEED(svd_factor(basis->n_coupled, &builder->svd));
    memcpy(basis->to, builder->svd.vt, m * m * sizeof(double));
    for (size_t i = 0; i < m; i++) {
        double omega = builder->svd.values[i];
        basis->square[basis->coupled[i]] = omega * omega;
        for (size_t j = 0; j < m; j++) {
            basis->from[i * m + j] = basis->to[j * m + i];
        }
    }
    return MASING_OK;
}

/* D of two modes that are mixed. */
static double damping_of(const struct pattern_builder *builder, int i, int j)
{
    const struct modal_state *modal = builder->modal;
    int a = builder->basis->coupled[i], b = builder->basis->coupled[j];
    double sum = a == b ? modal->damping[a] : 0.0;
    if (a >= modal->n_uncoupled && b >= modal->n_uncoupled) {
        sum = modal->matrix[a * modal->n_modes + b];
    }
    for (int axis = 0; axis < modal->n_axes; axis++) {
        sum += builder->c[axis] * shape_of(builder, axis, i) * shape_of(builder, axis, j);
    }
    return sum;
}

/* Forces on a mode that is mixed, per displacement of each axis. */
static void pull_mode(struct pattern_builder *builder, int i)
{
    int n_axes = builder->modal->n_axes;
    for (int b = 0; b < n_axes; b++) {
        builder->pull[b] = builder->k ? builder->k[b] * shape_of(builder, b, i) : 0.0;
        for (int a = 0; builder->coupling && a < n_axes; a++) {
            builder->pull[b] += builder->coupling[a + b * n_axes] * shape_of(builder, a, i);
        }
    }
}

/* The rates of (scale q, q'). */
static void fill_rates(struct pattern_builder *builder)
{
    size_t m = (size_t)builder->basis->n_coupled, rows = 2 * m;
    double *by_u = builder->matrix, *by_v = by_u + m * rows;
    memset(builder->matrix, 0, rows * rows * sizeof(double));
    for (size_t i = 0; i < m; i++) {
        pull_mode(builder, (int)i);
        by_v[i * rows + i] = builder->scale[i];
        for (size_t j = 0; j < m; j++) {
            double sum = 0.0;
            for (int axis = 0; axis < builder->modal->n_axes; axis++) {
                sum += builder->pull[axis] * shape_of(builder, axis, (int)j);
            }
            by_u[j * rows + m + i] = -sum / builder->scale[j];
            by_v[j * rows + m + i] = -damping_of(builder, (int)i, (int)j);
        }
        by_u[i * rows + m + i] -=
            builder->modal->stiffness[builder->basis->coupled[i]] / builder->scale[i];
    }
}

/* Oscillator i whose p and p' weight a x + b y and e x + f y. */
static void set_oscillator(struct pattern_basis *basis, int i, const double *x, const double *y,
                           const double weights[4])
{
    size_t rows = 2 * (size_t)basis->n_coupled;
    double *by_p = basis->from + (size_t)i * rows;
    double *by_v = by_p + (size_t)basis->n_coupled * rows;
    for (size_t k = 0; k < rows; k++) {
        by_p[k] = weights[0] * x[k] + weights[1] * y[k];
        by_v[k] = weights[2] * x[k] + weights[3] * y[k];
    }
}

/* x e^(l t), x = re + i im, l = s + i w: re a + im b with p = a and p' = s a + w b. How many;
 * -1: one is too nearly real. */
static int set_pairs(struct pattern_builder *builder, struct pattern_basis *basis)
{
    size_t rows = 2 * (size_t)basis->n_coupled;
    int n = 0;
    for (size_t column = 0; column < rows; column++) {
        double s = builder->real[column], w = builder->imaginary[column];
        const double *re = builder->vectors + column * rows;
        if (w > 0.0) {
            int mode = basis->coupled[n];
            if (fabs(s) > LARGEST_CONDITION * w) {
                return -1;
            }
            set_oscillator(basis, n++, re, re + rows, (double[]){1.0, -s / w, 0.0, 1.0 / w});
            basis->square[mode] = s * s + w * w;
            basis->damping[mode] = -2.0 * s;
        }
    }
    return n;
}

/* Real ones, x e^(l t) and y e^(m t), two by two far from each other: x a + y b with p = a + b
 * and p' = l a + m b. */
static bool set_singles(struct pattern_builder *builder, struct pattern_basis *basis, int first)
{
    size_t rows = 2 * (size_t)basis->n_coupled, n = 0;
    const double *real = builder->real;
    for (size_t column = 0; column < rows; column++) {
        size_t at = n;
        if (builder->imaginary[column] != 0.0) {
            continue;
        }
        for (; at > 0 && real[builder->single[at - 1]] > real[column]; at--) {
            builder->single[at] = builder->single[at - 1];
        }
        builder->single[at] = (int)column;
        n++;
    }
    for (size_t i = 0; i < n / 2; i++) {
        size_t a = (size_t)builder->single[i], b = (size_t)builder->single[n / 2 + i];
        double gap = real[b] - real[a];
        if (!(gap * LARGEST_CONDITION > fabs(real[a]))) {
            return false;
        }
        set_oscillator(basis, first + (int)i, builder->vectors + a * rows,
                       builder->vectors + b * rows,
                       (double[]){real[b] / gap, -real[a] / gap, -1.0 / gap, 1.0 / gap});
        basis->square[basis->coupled[first + (int)i]] = real[a] * real[b];
        basis->damping[basis->coupled[first + (int)i]] = -(real[a] + real[b]);
    }
    return true;
}

/* Norm of every stride-th of n numbers. */
static double norm_of(size_t n, size_t stride, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i * stride] * x[i * stride];
    }
    return sqrt(sum);
}

/* The way back; whether it keeps the digits. */
static enum masing_status invert(struct pattern_builder *builder, struct pattern_basis *basis)
{
    size_t rows = 2 * (size_t)basis->n_coupled;
    memcpy(builder->matrix, basis->from, rows * rows * sizeof(double));
    NEED(lu_factor((int)rows, builder->matrix, builder->pivots));
    memset(basis->to, 0, rows * rows * sizeof(double));
    for (size_t i = 0; i < rows; i++) {
        basis->to[i * (rows + 1)] = 1.0;
    }
    lu_solve((int)rows, builder->matrix, builder->pivots, basis->to, (int)rows);
    for (size_t i = 0; i < rows; i++) {
        double condition =
            norm_of(rows, 1, basis->from + i * rows) * norm_of(rows, rows, basis->to + i);
        NEED(condition < LARGEST_CONDITION ? MASING_OK : MASING_UNSUPPORTED);
    }
    return MASING_OK;
}

/* Of (scale q, q') until here. */
static void unscale(const struct pattern_builder *builder, struct pattern_basis *basis)
{
    size_t m = (size_t)basis->n_coupled, rows = 2 * m;
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < m; k++) {
            basis->from[i * rows + k] /= builder->scale[k];
            basis->to[k * rows + i] *= builder->scale[k];
        }
    }
}

static enum masing_status find_complex_modes(struct pattern_builder *builder,
                                             struct pattern_basis *basis)
{
    fill_rates(builder);
    NEED(eigen_general_solve(builder->eigen, 2 * basis->n_coupled, builder->matrix,
                             builder->real, builder->imaginary, builder->vectors));
    int n_pairs = set_pairs(builder, basis);
    bool is_sound = n_pairs >= 0 && set_singles(builder, basis, n_pairs);
    NEED(is_sound ? MASING_OK : MASING_UNSUPPORTED);
    NEED(invert(builder, basis));
    unscale(builder, basis);
    return MASING_OK;
}

/* ---- by the modes without joints ---- */

/* An oscillator whose p is Re g and p' is Re l g, where q = Re x g, and
 * i Im(l) g = x^T ((l + D) q + q'). Whether it keeps the digits. */
static bool set_added(struct pattern_builder *builder, struct pattern_basis *basis, int k)
{
    size_t m = (size_t)basis->n_coupled, rows = 2 * m;
    size_t n_single = m - (size_t)builder->free.n_rest;
    double complex *x = builder->x;
    const double complex value = free_modes_get(&builder->free, basis->coupled, k, x);
    double s = creal(value), w = cimag(value), *re = builder->vectors, *im = re + rows;
    double *to = basis->to + k, norm = 0.0;
    for (size_t i = 0; i < m; i++) {
        double complex by_v = x[i] / (I * w), by_q = value * by_v;
        norm += creal(x[i]) * creal(x[i]) + cimag(x[i]) * cimag(x[i]);
        re[i] = creal(x[i]);
        im[i] = cimag(x[i]);
        re[m + i] = creal(value * x[i]);
        im[m + i] = cimag(value * x[i]);
        for (size_t j = i < n_single ? i : n_single; j < (i < n_single ? i + 1 : m); j++) {
            by_q += damping_of(builder, (int)i, (int)j) * x[j] / (I * w);
        }
        to[i * rows] = creal(by_q);
        to[i * rows + m] = creal(value * by_q);
        to[(m + i) * rows] = creal(by_v);
        to[(m + i) * rows + m] = creal(value * by_v);
    }
    set_oscillator(basis, k, re, im, (double[]){1.0, -s / w, 0.0, 1.0 / w});
    basis->square[basis->coupled[k]] = s * s + w * w;
    basis->damping[basis->coupled[k]] = -2.0 * s;
    return norm * hypot(s, w) < LARGEST_CONDITION * w;
}

/* Whether the way back leads back: eigenvectors nearly alike are no longer orthogonal. */
static bool leads_back(struct pattern_builder *builder)
{
    const struct pattern_basis *basis = builder->basis;
    size_t m = (size_t)basis->n_coupled, rows = 2 * m;
    double *p = builder->matrix, *state = p + rows, *back = state + rows, worst = 0.0;
    for (size_t i = 0; i < m; i++) {
        p[i] = 1.0 / sqrt(basis->square[basis->coupled[i]]);
        p[m + i] = 1.0;
    }
    dense_multiply_vector((int)rows, (int)rows, false, basis->from, p, state);
    dense_multiply_vector((int)rows, (int)rows, false, basis->to, state, back);
    for (size_t i = 0; i < rows; i++) {
        worst = fmax(worst, fabs(back[i] - p[i]) / p[i]);
    }
    return worst < LARGEST_SKEWNESS;
}

/* By the modes without joints, where few springs are added to many. */
static enum masing_status add_springs(struct pattern_builder *builder,
                                      struct pattern_basis *basis)
{
    bool is_sound = builder->k && dense_is_zero((size_t)builder->modal->n_axes, builder->c);
    NEED(is_sound ? MASING_OK : MASING_UNSUPPORTED);
    NEED(free_modes_add(&builder->free, builder->k, basis->n_coupled, basis->coupled));
    for (int k = 0; is_sound && k < basis->n_coupled; k++) {
        is_sound = set_added(builder, basis, k);
    }
    return is_sound && leads_back(builder) ? MASING_OK : MASING_UNSUPPORTED;
}

/* A bound of the largest singular value of a [m * m]: the row sums of a^T a. */
static double bound_norm(int m, const double *a, double *square)
{
    size_t rows = (size_t)m;
    double largest = 0.0;
    dense_multiply_transposed(m, m, m, a, a, square);
    for (size_t i = 0; i < rows; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < rows; k++) {
            sum += fabs(square[i * rows + k]);
        }
        largest = fmax(largest, sum);
    }
    return sqrt(largest);
}

/* How fast the modes that are mixed are at most. */
static void bound_speed(struct pattern_builder *builder, struct pattern_basis *basis)
{
    size_t m = (size_t)basis->n_coupled, size = m * sizeof(double);
    for (int part = 0; part < 2; part++) {
        for (size_t i = 0; i < m; i++) {
            const double *column = basis->from + ((size_t)part * m + i) * 2 * m + m;
            double w = part == 0 ? sqrt(basis->square[basis->coupled[i]]) : 1.0;
            double *to = builder->matrix + i * m;
            memcpy(to, column, size);
            for (size_t k = 0; part == 0 && k < m; k++) {
                to[k] /= w;
            }
        }
        *(part == 0 ? &basis->by_p : &basis->by_v) =
            bound_norm((int)m, builder->matrix, builder->vectors);
    }
    if (!isfinite(basis->by_p + basis->by_v)) {
        basis->by_p = basis->by_v = INFINITY;
    }
}

static enum masing_status find_basis(struct pattern_builder *builder, const double *k,
                                     const double *coupling, const double *c,
                                     struct pattern_basis *basis)
{
    builder->basis = basis;
    builder->k = k;
    builder->coupling = coupling;
    builder->c = c;
    find_coupled(builder, basis);
    basis->is_real = has_real_modes(builder);
    bool is_found =
        basis->n_coupled == 0 || (!basis->is_real && add_springs(builder, basis) == MASING_OK);
    return is_found         ? MASING_OK
           : basis->is_real ? find_real_modes(builder, basis)
                            : find_complex_modes(builder, basis);
}

enum masing_status pattern_basis_build(struct pattern_builder *builder, const double *k,
                                       const double *c, struct pattern_basis *basis)
{
    for (int axis = 0; axis < builder->modal->n_axes; axis++) {
        NEED(k[axis] >= 0.0 && c[axis] >= 0.0 ? MASING_OK : MASING_UNSUPPORTED);
    }
    NEED(find_basis(builder, k, NULL, c, basis));
    for (int i = 0; i < basis->n; i++) {
        double rounding = DAMPING_ROUNDING * sqrt(fabs(basis->square[i]));
        bool is_sound = basis->square[i] >= 0.0 && basis->damping[i] >= -rounding;
        NEED(is_sound ? MASING_OK : MASING_UNSUPPORTED);
        basis->damping[i] = fmax(basis->damping[i], 0.0);
    }
    if (!basis->is_real) {
        bound_speed(builder, basis);
    }
    return MASING_OK;
}

enum masing_status pattern_basis_build_coupled(struct pattern_builder *builder, const double *k,
                                               const double *c, struct pattern_basis *basis)
{
    size_t n_axes = (size_t)builder->modal->n_axes;
    bool are_springs = true;
    for (size_t at = 0; at < n_axes * n_axes; at++) {
        bool is_own = at % (n_axes + 1) == 0;
        are_springs = are_springs && (is_own ? k[at] >= 0.0 : k[at] == 0.0);
        if (is_own) {
            builder->springs[at / (n_axes + 1)] = k[at];
        }
    }
    basis->by_p = basis->by_v = INFINITY;
    return find_basis(builder, are_springs ? builder->springs : NULL, are_springs ? NULL : k, c,
                      basis);
}

/* y = matrix x or its transposed, of the modes that are mixed; of the others they are equal. */
static void multiply(const struct pattern_basis *basis, const double *matrix, bool transposed,
                     const double *x, double *y, double *scratch)
{
    size_t n = (size_t)basis->n, m = (size_t)basis->n_coupled;
    double *in = scratch, *out = scratch + 2 * m;
    memmove(y, x, 2 * n * sizeof(double));
    for (size_t i = 0; i < m; i++) {
        in[i] = x[basis->coupled[i]];
        in[m + i] = x[n + (size_t)basis->coupled[i]];
    }
    int rows = basis->is_real ? (int)m : 2 * (int)m;
    for (int column = 0; column < 2 * (int)m; column += rows) {
        dense_multiply_vector(rows, rows, transposed, matrix, in + column, out + column);
    }
    for (size_t i = 0; i < m; i++) {
        y[basis->coupled[i]] = out[i];
        y[n + (size_t)basis->coupled[i]] = out[m + i];
    }
}

void pattern_basis_enter(const struct pattern_basis *basis, const double *state, double *p,
                         double *scratch)
{
    multiply(basis, basis->to, false, state, p, scratch);
}

void pattern_basis_leave(const struct pattern_basis *basis, const double *p, double *state,
                         double *scratch)
{
    multiply(basis, basis->from, false, p, state, scratch);
}

void pattern_basis_row(const struct pattern_basis *basis, const double *of_state, double *of_p,
                       double *scratch)
{
    multiply(basis, basis->from, true, of_state, of_p, scratch);
}

double pattern_basis_squared_speed(const struct pattern_basis *basis, const double *p,
                                   double least, double *scratch)
{
    size_t n = (size_t)basis->n, m = (size_t)basis->n_coupled;
    double *mixed = scratch, *v = scratch + 2 * m, potential = 0.0, kinetic = 0.0;
    double sum = dense_dot((int)n, p + n, p + n);
    for (size_t i = 0; i < m; i++) {
        size_t mode = (size_t)basis->coupled[i];
        mixed[i] = p[mode];
        mixed[m + i] = p[n + mode];
        potential += basis->square[mode] * p[mode] * p[mode];
        kinetic += p[n + mode] * p[n + mode];
    }
    if (basis->is_real) { /* shapes are orthogonal */
        return sum;
    }
    double most = basis->by_p * sqrt(potential) + basis->by_v * sqrt(kinetic);
    if (sum - kinetic + most * most <= least) {
        return least;
    }
    dense_multiply_vector_part((int)m, 2 * (int)m, false, basis->from + m, 2 * (int)m, mixed,
                               v);
    return sum - kinetic + dense_dot((int)m, v, v);
}

void pattern_basis_factors(const struct pattern_basis *basis, double time, double *factors)
{
    size_t n = (size_t)basis->n;
    for (size_t i = 0; i < n; i++) {
        const struct oscillator_step step =
            oscillator_step(basis->square[i], basis->damping[i], time);
        for (size_t k = 0; k < 4; k++) {
            factors[k * n + i] = step.free[k];
        }
    }
}

/* x of n oscillators from x and v before, by two factors each. */
static void combine(size_t n, const double *restrict a, const double *restrict x,
                    const double *restrict b, const double *restrict v, double *restrict after)
{
    for (size_t i = 0; i < n; i++) {
        after[i] = a[i] * x[i] + b[i] * v[i];
    }
}

void pattern_basis_advance(const struct pattern_basis *basis, const double *factors,
                           const double *p, double *after)
{
    size_t n = (size_t)basis->n;
    combine(n, factors, p, factors + n, p + n, after);
    combine(n, factors + 2 * n, p, factors + 3 * n, p + n, after + n);
}

bool pattern_basis_rest(const struct pattern_basis *basis, const double *force, double factor,
                        double slow, double *rest, double *scratch)
{
    size_t n = (size_t)basis->n;
    double *b = scratch + 4 * n;
    bool rests = true;
    memset(rest, 0, n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        rest[n + i] = factor * force[i];
    }
    pattern_basis_enter(basis, rest, b, scratch);
    double largest = dense_max_norm(n, b + n);
    for (size_t i = 0; i < n; i++) {
        double push = b[n + i] + basis->damping[i] * b[i];
        bool is_pushed = pattern_basis_is_driven(fabs(push), largest);
        rests = rests && (!is_pushed || fabs(basis->square[i]) > slow * slow);
        rest[i] = is_pushed ? push / basis->square[i] : 0.0;
        rest[n + i] = -b[i];
    }
    return rests;
}

/* Both parts of all modes: the matrices are those of the state. */
static bool mixes_all(const struct pattern_basis *basis)
{
    return basis->n_coupled == basis->n && !basis->is_real;
}

void pattern_basis_transfer(const struct pattern_basis *from, const struct pattern_basis *to,
                            double *transfer, double *scratch)
{
    size_t rows = 2 * (size_t)from->n;
    if (mixes_all(from) && mixes_all(to)) {
        dense_multiply((int)rows, (int)rows, (int)rows, to->to, from->from, transfer);
        return;
    }
    memset(transfer, 0, rows * rows * sizeof(double));
    for (size_t i = 0; i < rows; i++) {
        double *column = transfer + i * rows;
        column[i] = 1.0;
        pattern_basis_leave(from, column, column, scratch);
        pattern_basis_enter(to, column, column, scratch);
    }
}

void pattern_basis_map(const struct pattern_basis *basis, double time, double *map,
                       double *scratch)
{
    size_t rows = 2 * (size_t)basis->n;
    double *factors = scratch, *p = factors + 2 * rows, *after = p + rows, *rest = after + rows;
    pattern_basis_factors(basis, time, factors);
    memset(map, 0, rows * rows * sizeof(double));
    for (size_t i = 0; i < rows; i++) {
        double *column = map + i * rows;
        column[i] = 1.0;
        pattern_basis_enter(basis, column, p, rest);
        pattern_basis_advance(basis, factors, p, after);
        pattern_basis_leave(basis, after, column, rest);
    }
}
