/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/reduce/basis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/memory.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "linalg/sparse.h"
#include "model/structure/modes.h"
#include "model/structure/sparse_structure.h"

/* Displacements under patterns are dependent where no more than this part of their energy is
 * left, and have no mass where their frequency is so many times that of the last mode. */
static const double DEPENDENT = 1e-10, MASSLESS = 1e6;
/* What modes leave of a DOF's flexibility is rounding below this part of it. */
static const double NOTHING_LEFT = 1e-9;
/* What the digits of a file may leave of a sum of stiffnesses that is zero. */
static const double ROUNDED = 1e-12;

struct making {
    const struct reduction_basis_request *request;
    struct reduction_basis *basis;
    struct component component;
    struct arena arena;
    double *residual; /* [component.n * n_residual] */
    double *squares;  /* [n_modes + n_residual] rad^2/s^2 */
};

void reduction_basis_clear(struct reduction_basis *basis)
{
    free(basis->kept);
    free(basis->shapes);
    free(basis->stiffness);
    free(basis->mass);
    *basis = (struct reduction_basis){.weak = basis->weak, .has_all = basis->has_all};
}

/* --- columns and rows --------------------------------------------------------------------- */

/* columns [n * width] of unit displacements of kept DOFs from number `first` on, zero else. */
static void put_units(const struct reduction_basis *basis, int first, int width,
                      double *columns)
{
    size_t n = (size_t)basis->n_dofs;
    memset(columns, 0, n * (size_t)width * sizeof *columns);
    for (int c = 0; c < width; c++) {
        columns[(size_t)c * n + (size_t)basis->kept[first + c]] = 1.0;
    }
}

/* some [component.n * width] = the component's rows of all [n_dofs * width], by a factor */
static void take_rows(const struct making *m, int width, double factor, const double *all,
                      double *some)
{
    size_t n = (size_t)m->component.n, n_all = (size_t)m->basis->n_dofs;
    for (size_t at = 0; at < n * (size_t)width; at++) {
        size_t row = (size_t)m->component.dofs[at % n];
        some[at] = factor * all[row + at / n * n_all];
    }
}

static void put_rows(const struct making *m, int width, const double *some, double *all)
{
    size_t n = (size_t)m->component.n, n_all = (size_t)m->basis->n_dofs;
    for (size_t at = 0; at < n * (size_t)width; at++) {
        all[(size_t)m->component.dofs[at % n] + at / n * n_all] = some[at];
    }
}

static int width_of(int first, int n)
{
    return n - first < COMPONENT_PANEL ? n - first : COMPONENT_PANEL;
}

/* One of them after the other is of unit energy, without what the ones before have of it. */
static int make_independent(struct making *m, int n_columns, double *columns, double *product)
{
    int n = m->component.n, count = 0;
    const struct masing_sparse *stiffness = &m->component.stiffness;
    for (int c = 0; c < n_columns; c++) {
        double *to = columns + (size_t)count * (size_t)n;
        memmove(to, columns + (size_t)c * (size_t)n, (size_t)n * sizeof *to);
        sparse_multiply(stiffness, 1, to, product);
        double energy = dense_dot(n, to, product), left = energy;
        for (int pass = 0; pass < 2; pass++) {
            for (int k = 0; k < count; k++) {
                const double *other = columns + (size_t)k * (size_t)n;
                double share = dense_dot(n, other, product);
                for (int i = 0; i < n; i++) {
                    to[i] -= share * other[i];
                }
            }
            sparse_multiply(stiffness, 1, to, product);
            left = dense_dot(n, to, product);
        }
        for (int i = 0; left > DEPENDENT * energy && i < n; i++) {
            to[i] /= sqrt(left);
        }
        count += left > DEPENDENT * energy && energy > 0.0;
    }
    return count;
}

/* Modes of the space of independent columns of unit energy: M v = mu K v. */
static enum masing_status find_residual(struct making *m, int n, const double *columns,
                                        struct masing_error *error)
{
    struct reduction_basis *basis = m->basis;
    int rows = m->component.n;
    size_t size = (size_t)rows * (size_t)n;
    double *product = arena_doubles(&m->arena, size), *wide = m->component.work;
    double *mass = arena_doubles(&m->arena, (size_t)n * (size_t)n);
    double *mu = arena_doubles(&m->arena, (size_t)n);
    m->residual = arena_doubles(&m->arena, size);
    NEED_ALLOCATED(!m->arena.has_failed);
    sparse_multiply_many(&m->component.mass, n, columns, product, wide);
    dense_multiply_transposed(n, n, rows, columns, product, mass);
    NEED(eigen_symmetric(n, true, mass, mu));
    dense_multiply(rows, n, n, columns, mass, product);
    double last = fmax(basis->last * basis->last, 1.0 / mu[n - 1]);
    for (int k = n; k-- > 0 && mu[k] * last * MASSLESS * MASSLESS > 1.0;) {
        double *to = m->residual + (size_t)basis->n_residual * (size_t)rows;
        for (int i = 0; i < rows; i++) {
            to[i] = product[(size_t)k * (size_t)rows + (size_t)i] / sqrt(mu[k]);
        }
        m->squares[basis->n_modes + basis->n_residual++] = 1.0 / mu[k];
    }
    return MASING_OK;
}

/* --- the columns -------------------------------------------------------------------------- */

/* Static displacements for unit displacements of the kept DOFs: -K_ii^-1 K_ik. */
static enum masing_status fill_constraints(struct making *m, struct masing_error *error)
{
    struct reduction_basis *basis = m->basis;
    struct component *c = &m->component;
    size_t n = (size_t)basis->n_dofs, size = n * COMPONENT_PANEL;
    double *product = arena_doubles(&m->arena, size), *wide = arena_doubles(&m->arena, 16 * n);
    double *forces = arena_doubles(&m->arena, (size_t)c->n * COMPONENT_PANEL);
    NEED_ALLOCATED(!m->arena.has_failed);
    for (int first = 0; first < basis->n_kept; first += COMPONENT_PANEL) {
        int width = width_of(first, basis->n_kept);
        double *columns = basis->shapes + (size_t)first * n;
        put_units(basis, first, width, columns);
        sparse_multiply_many(m->request->stiffness, width, columns, product, wide);
        take_rows(m, width, -1.0, product, forces);
        NEED(component_solve(c, c->n_rigid, width, forces, error));
        put_rows(m, width, forces, columns);
    }
    return MASING_OK;
}

/* Displacements for unit forces on the kept DOFs, less those of the modes. */
static enum masing_status fill_flexibility(struct making *m, struct masing_error *error)
{
    struct reduction_basis *basis = m->basis;
    struct component *c = &m->component;
    size_t n = (size_t)basis->n_dofs;
    for (int first = 0; first < basis->n_kept; first += COMPONENT_PANEL) {
        int width = width_of(first, basis->n_kept);
        double *columns = basis->shapes + (size_t)first * n;
        put_units(basis, first, width, columns);
        NEED(component_solve(c, c->modes.n, width, columns, error));
    }
    return MASING_OK;
}

/* What a DOF's flexibility is, with the modes: of scale for what they leave of it. */
static double modal_flexibility(const struct making *m, int dof)
{
    const struct sparse_modes *modes = &m->component.modes;
    double sum = 0.0;
    for (int k = m->component.n_rigid; k < modes->n; k++) {
        double shape = modes->shapes[(size_t)k * (size_t)m->component.n + (size_t)dof];
        sum += shape * shape / modes->omega_squared[k];
    }
    return sum;
}

/* flexible [n_dofs * n_kept] R becomes R R_kk^-1, the kept DOFs its coordinates: 1 at each. */
static enum masing_status make_coordinates(struct making *m, struct masing_error *error)
{
    struct reduction_basis *basis = m->basis;
    size_t n = (size_t)basis->n_dofs, n_kept = (size_t)basis->n_kept;
    double *own = arena_doubles(&m->arena, n_kept * n_kept);
    double *turned = arena_doubles(&m->arena, n_kept * n);
    double *diagonal = arena_doubles(&m->arena, n_kept);
    NEED_ALLOCATED(!m->arena.has_failed);
    for (size_t at = 0; at < n_kept * n_kept; at++) {
        size_t i = at % n_kept, j = at / n_kept;
        own[at] = 0.5 * (basis->shapes[(size_t)basis->kept[i] + j * n] +
                         basis->shapes[(size_t)basis->kept[j] + i * n]);
    }
    basis->weak = -1;
    for (size_t i = 0; i < n_kept && basis->weak < 0; i++) {
        bool is_left =
            own[i * (n_kept + 1)] > NOTHING_LEFT * modal_flexibility(m, basis->kept[i]);
        basis->weak = is_left ? -1 : (int)i;
    }
    if (basis->weak < 0) {
        basis->weak = cholesky_weak_row((int)n_kept, own, NOTHING_LEFT, diagonal);
    }
    if (basis->weak >= 0) {
        basis->weak = basis->kept[basis->weak];
        basis->has_all = true;
        return MASING_SINGULAR;
    }
    for (size_t at = 0; at < n_kept * n; at++) {
        turned[at] = basis->shapes[at / n_kept + at % n_kept * n];
    }
    cholesky_solve((int)n_kept, own, turned, (int)n);
    for (size_t at = 0; at < n_kept * n; at++) {
        basis->shapes[at / n_kept + at % n_kept * n] = turned[at];
    }
    return MASING_OK;
}

/* Exactly one coordinate at each kept DOF. */
static void clean_rows(struct reduction_basis *basis)
{
    for (int k = 0; k < basis->n_kept; k++) {
        for (int j = 0; j < basis->n; j++) {
            basis->shapes[(size_t)basis->kept[k] + (size_t)j * (size_t)basis->n_dofs] = j == k;
        }
    }
}

/* columns [n_dofs * n_columns] less what the kept DOFs' columns have of them: zero at these. */
static enum masing_status subtract_kept(struct making *m, int n_columns, double *columns,
                                        struct masing_error *error)
{
    const struct reduction_basis *basis = m->basis;
    double *at_kept =
        arena_doubles(&m->arena, (size_t)n_columns * (size_t)basis->n_kept); /* negative */
    NEED_ALLOCATED(at_kept);
    for (int j = 0; j < n_columns; j++) {
        for (int k = 0; k < basis->n_kept; k++) {
            at_kept[j + k * n_columns] =
                -columns[(size_t)basis->kept[k] + (size_t)j * (size_t)basis->n_dofs];
        }
    }
    dense_add_outer(basis->n_dofs, n_columns, basis->n_kept, basis->shapes, at_kept, columns);
    return MASING_OK;
}

/* The columns of kept DOFs and, behind them, of modes. */
static enum masing_status fill_columns(struct making *m, struct masing_error *error)
{
    struct reduction_basis *basis = m->basis;
    double *modes = basis->shapes + (size_t)basis->n_kept * (size_t)basis->n_dofs;
    put_rows(m, basis->n_modes, m->component.modes.shapes, modes);
    if (!m->request->is_free) {
        return fill_constraints(m, error);
    }
    NEED(fill_flexibility(m, error));
    NEED(basis->n_kept > 0 ? make_coordinates(m, error) : MASING_OK);
    return subtract_kept(m, basis->n_modes, modes, error);
}

/* --- displacements under patterns --------------------------------------------------------- */

static double energy_of(const struct making *m, const double *x, double *product)
{
    sparse_multiply(&m->component.stiffness, 1, x, product);
    return dense_dot(m->component.n, x, product);
}

/* Of free modes: those that the kept DOFs' columns make up are gone. */
static enum masing_status leave_kept(struct making *m, int width, double *panel,
                                     double *product, struct masing_error *error)
{
    double before[COMPONENT_PANEL];
    size_t n = (size_t)m->component.n;
    for (int c = 0; c < width; c++) {
        before[c] = energy_of(m, panel + (size_t)c * n, product);
    }
    NEED(subtract_kept(m, width, panel, error));
    for (int c = 0; c < width; c++) {
        double *column = panel + (size_t)c * n;
        if (energy_of(m, column, product) <= DEPENDENT * before[c]) {
            memset(column, 0, n * sizeof *column);
        }
    }
    return MASING_OK;
}

static enum masing_status take_patterns(struct making *m, struct masing_error *error)
{
    const struct reduction_basis_request *request = m->request;
    struct component *c = &m->component;
    size_t n = (size_t)c->n, n_dofs = (size_t)m->basis->n_dofs;
    double *columns = arena_doubles(&m->arena, n * (size_t)request->n_patterns);
    double *product = arena_doubles(&m->arena, n);
    NEED_ALLOCATED(!m->arena.has_failed);
    for (int first = 0; first < request->n_patterns; first += COMPONENT_PANEL) {
        int width = width_of(first, request->n_patterns);
        double *panel = columns + (size_t)first * n;
        take_rows(m, width, 1.0, request->patterns + (size_t)first * n_dofs, panel);
        NEED(component_solve(c, c->modes.n, width, panel, error));
        NEED(request->is_free ? leave_kept(m, width, panel, product, error) : MASING_OK);
    }
    int count = make_independent(m, request->n_patterns, columns, product);
    return count > 0 ? find_residual(m, count, columns, error) : MASING_OK;
}

/* Their columns behind those of the modes. */
static enum masing_status add_patterns(struct making *m, struct masing_error *error)
{
    struct reduction_basis *basis = m->basis;
    NEED(m->request->n_patterns > 0 && m->component.n > 0 ? take_patterns(m, error)
                                                          : MASING_OK);
    double *columns =
        basis->shapes + (size_t)(basis->n_kept + basis->n_modes) * (size_t)basis->n_dofs;
    put_rows(m, basis->n_residual, m->residual, columns);
    basis->n = basis->n_kept + basis->n_modes + basis->n_residual;
    return MASING_OK;
}

/* --- the matrices ------------------------------------------------------------------------- */

enum masing_status reduction_basis_project(const struct reduction_basis *basis,
                                           const struct masing_sparse *matrix, double *product,
                                           struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena scratch = {0};
    size_t n = (size_t)basis->n, n_dofs = (size_t)basis->n_dofs;
    double *panel = arena_doubles(&scratch, n_dofs * COMPONENT_PANEL);
    double *wide = arena_doubles(&scratch, 16 * n_dofs);
    TRY_ALLOCATED(!scratch.has_failed);
    for (int first = 0; first < basis->n; first += COMPONENT_PANEL) {
        int width = width_of(first, basis->n);
        sparse_multiply_many(matrix, width, basis->shapes + (size_t)first * n_dofs, panel,
                             wide);
        dense_multiply_transposed(basis->n, width, basis->n_dofs, basis->shapes, panel,
                                  product + (size_t)first * n);
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < j; i++) {
            product[i + j * n] = product[j + i * n] =
                0.5 * (product[i + j * n] + product[j + i * n]);
        }
    }
done:
    arena_clear(&scratch);
    return status;
}

/* What is known of a fixed interface: modes are apart from kept DOFs and from each other. */
static void clean_matrices(const struct making *m)
{
    struct reduction_basis *basis = m->basis;
    size_t n = (size_t)basis->n, n_kept = (size_t)basis->n_kept;
    for (size_t j = n_kept; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            bool is_own = i == j;
            basis->stiffness[i + j * n] = basis->stiffness[j + i * n] =
                is_own ? m->squares[j - n_kept] : 0.0;
            if (i >= n_kept) {
                basis->mass[i + j * n] = is_own;
            }
        }
    }
}

/* --- motions of a rigid body -------------------------------------------------------------- */

struct shapes {
    const struct masing_sparse *stiffness;
    const struct reduction_basis *basis;
    const double *modes; /* [n * n] of the coordinates */
    double *motion;      /* [n_dofs] */
};

/* What cancels in the energy of a mode: that of the full matrix, whose rounding it is. */
static double full_gross(const void *context, int mode)
{
    const struct shapes *shapes = context;
    const struct reduction_basis *basis = shapes->basis;
    dense_multiply_vector(basis->n_dofs, basis->n, false, basis->shapes,
                          shapes->modes + (size_t)mode * (size_t)basis->n, shapes->motion);
    return sparse_gross(shapes->stiffness, shapes->motion);
}

/* Modes [n * n] of the coordinates, ascending, M v = mu (K + shift M) v, and their squares [n];
 * a, b [n * n], scratch. */
static enum masing_status find_coordinate_modes(const struct reduction_basis *basis,
                                                double shift, double *a, double *b,
                                                double *modes, double *squares)
{
    size_t n = (size_t)basis->n, square = n * n;
    memcpy(a, basis->mass, square * sizeof *a);
    for (size_t i = 0; i < square; i++) {
        b[i] = basis->stiffness[i] + shift * a[i];
    }
    NEED(eigen_symmetric_generalised(basis->n, true, a, b, squares));
    for (size_t i = 0; i < n / 2; i++) {
        double mu = squares[i];
        squares[i] = squares[n - 1 - i];
        squares[n - 1 - i] = mu;
    }
    for (size_t k = 0; k < n; k++) {
        double mu = squares[k];
        squares[k] = mu > 0.0 ? 1.0 / mu - shift : INFINITY;
        for (size_t i = 0; i < n; i++) {
            modes[i + k * n] = a[i + (n - 1 - k) * n] / sqrt(fmax(mu, 1e-300));
        }
    }
    return MASING_OK;
}

/*
 * Where the others follow a kept DOF without resistance its stiffness is what rounding leaves
 * of a sum: none.
 */
static enum masing_status clean_loose_rows(struct making *m, struct masing_error *error)
{
    struct reduction_basis *basis = m->basis;
    size_t n = (size_t)basis->n, n_kept = (size_t)basis->n_kept;
    double *gross = arena_doubles(&m->arena, n_kept);
    NEED_ALLOCATED(gross);
    for (size_t k = 0; k < n_kept; k++) {
        gross[k] =
            sparse_gross(m->request->stiffness, basis->shapes + k * (size_t)basis->n_dofs);
    }
    for (size_t i = 0; i < n_kept; i++) {
        bool is_loose = true;
        for (size_t j = 0; j < n && is_loose; j++) {
            is_loose = fabs(basis->stiffness[i + j * n]) <=
                       (j < n_kept ? ROUNDED * sqrt(gross[i] * gross[j]) : 0.0);
        }
        for (size_t j = 0; j < n && is_loose; j++) {
            basis->stiffness[i + j * n] = basis->stiffness[j + i * n] = 0.0;
        }
    }
    return MASING_OK;
}

/*
 * Numbers of a file have so many digits: a rigid-body motion has a little energy in the full
 * matrix, which is rounding there and would be more than rounding in the small one. It is taken
 * away: K - omega^2 (M q) (M q)^T.
 */
static enum masing_status clean_rigid(struct making *m, struct masing_error *error)
{
    struct reduction_basis *basis = m->basis;
    const struct masing_sparse *stiffness = m->request->stiffness;
    size_t n = (size_t)basis->n, square = n * n;
    double *a = arena_doubles(&m->arena, square), *b = arena_doubles(&m->arena, square);
    double *modes = arena_doubles(&m->arena, square), *squares = arena_doubles(&m->arena, n);
    struct shapes shapes = {stiffness, basis, modes,
                            arena_doubles(&m->arena, (size_t)basis->n_dofs)};
    int n_nearly;
    NEED_ALLOCATED(!m->arena.has_failed);
    double shift = sparse_structure_shift(stiffness, m->request->mass);
    enum masing_status status = find_coordinate_modes(basis, shift, a, b, modes, squares);
    NEED_ALLOCATED(status != MASING_NO_MEMORY);
    if (status != MASING_OK) {
        return MASING_OK; /* an unstable structure, which is refused with its model */
    }
    basis->n_rigid = modes_count_rigid(basis->n, squares, full_gross, &shapes, &n_nearly);
    for (int k = 0; k < basis->n_rigid; k++) {
        double *momentum = a;
        dense_multiply_vector(basis->n, basis->n, false, basis->mass, modes + (size_t)k * n,
                              momentum);
        for (size_t at = 0; at < square; at++) {
            basis->stiffness[at] -= squares[k] * momentum[at % n] * momentum[at / n];
        }
    }
    return MASING_OK;
}

/* --- all of it ---------------------------------------------------------------------------- */

static void note_movable(struct making *m)
{
    struct reduction_basis *basis = m->basis;
    basis->n_movable = m->request->is_free ? 0 : m->component.n_rigid;
    if (basis->n_movable > 0) {
        int most = dense_largest(m->component.n, m->component.modes.shapes);
        basis->movable_dof = m->component.dofs[most];
    }
}

static enum masing_status make_matrices(struct making *m, struct masing_error *error)
{
    const struct reduction_basis_request *request = m->request;
    struct reduction_basis *basis = m->basis;
    size_t square = (size_t)basis->n * (size_t)basis->n;
    basis->stiffness = memory_array(square, sizeof(double));
    basis->mass = memory_array(square, sizeof(double));
    NEED_ALLOCATED(basis->stiffness && basis->mass);
    NEED(reduction_basis_project(basis, request->stiffness, basis->stiffness, error));
    NEED(reduction_basis_project(basis, request->mass, basis->mass, error));
    if (!request->is_free) {
        clean_matrices(m);
        NEED(clean_loose_rows(m, error));
    }
    return clean_rigid(m, error);
}

static enum masing_status make(struct making *m, struct masing_error *error)
{
    const struct reduction_basis_request *request = m->request;
    struct reduction_basis *basis = m->basis;
    const bool *held = request->is_free ? NULL : request->is_kept;
    NEED(component_create(request->stiffness, request->mass, held, &m->component, error));
    NEED(component_find_modes(&m->component, &request->choice, &basis->weak, error));
    const struct sparse_modes *modes = &m->component.modes;
    basis->n_modes = modes->n;
    basis->last = modes->n > 0 ? sqrt(fmax(modes->omega_squared[modes->n - 1], 0.0)) : 0.0;
    note_movable(m);
    m->squares = arena_doubles(&m->arena, (size_t)(modes->n + request->n_patterns));
    NEED_ALLOCATED(m->squares);
    memcpy(m->squares, modes->omega_squared, (size_t)modes->n * sizeof *m->squares);
    size_t most = (size_t)(basis->n_kept + basis->n_modes + request->n_patterns);
    basis->shapes = memory_array((size_t)basis->n_dofs * most, sizeof(double));
    NEED_ALLOCATED(basis->shapes);
    NEED(fill_columns(m, error));
    NEED(add_patterns(m, error));
    clean_rows(basis);
    return make_matrices(m, error);
}
enum masing_status reduction_basis_create(const struct reduction_basis_request *request,
                                          struct reduction_basis *basis,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct making m = {.request = request, .basis = basis};
    int n = request->mass->n;
    *basis = (struct reduction_basis){.n_dofs = n, .weak = -1, .movable_dof = -1};
    TRY_ALLOCATED(basis->kept = memory_array((size_t)n, sizeof *basis->kept));
    for (int i = 0; i < n; i++) {
        if (request->is_kept[i]) {
            basis->kept[basis->n_kept++] = i;
        }
    }
    TRY(make(&m, error));
done:
    component_clear(&m.component);
    arena_clear(&m.arena);
    return status;
}
