/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/pattern/free_modes.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/eigen.h"

/* Fewest modes for which this costs less than dense matrices, and those per mode of the rest.
 */
enum { FEWEST_MODES = 16, MODES_PER_REST = 8 };

/* The same of springs, whose number counts squared. */
static int most_springs(const struct modal_state *modal)
{
    return (int)sqrt(0.5 * modal->n_modes);
}

/* D of two of the last modes. */
static double damping_of(const struct free_modes *modes, size_t i, size_t j)
{
    size_t n = (size_t)modes->modal->n_modes, first = (size_t)modes->modal->n_uncoupled;
    return modes->modal->matrix[(first + i) * n + first + j];
}

/* x^T (2 l + D) x = 1 */
static void normalise(const struct free_modes *modes, double complex value, double complex *x)
{
    size_t n = (size_t)modes->n_rest;
    double complex product = 0.0;
    for (size_t i = 0; i < n; i++) {
        product += 2.0 * value * x[i] * x[i];
        for (size_t j = 0; j < n; j++) {
            product += x[i] * damping_of(modes, i, j) * x[j];
        }
    }
    for (size_t i = 0; i < n; i++) {
        x[i] /= csqrt(product);
    }
}

/* The rates of (omega q, q'), [2 n_rest * 2 n_rest] */
static void fill_rates(const struct free_modes *modes, double *matrix)
{
    size_t n = (size_t)modes->n_rest, first = (size_t)modes->modal->n_uncoupled;
    for (size_t j = 0; j < n; j++) {
        double omega = sqrt(modes->modal->stiffness[first + j]);
        matrix[j * 2 * n + n + j] = -omega;
        matrix[(n + j) * 2 * n + j] = omega;
        for (size_t i = 0; i < n; i++) {
            matrix[(n + j) * 2 * n + n + i] = -damping_of(modes, i, j);
        }
    }
}

/* Keep those that are complex. */
static int keep_complex(struct free_modes *modes, const double *real, const double *imaginary,
                        const double *vectors)
{
    size_t n = (size_t)modes->n_rest, first = (size_t)modes->modal->n_uncoupled, found = 0;
    for (size_t column = 0; column < 2 * n; column++) {
        const double *re = vectors + column * 2 * n, *im = re + 2 * n;
        const double complex value = CMPLX(real[column], imaginary[column]);
        double complex *x = modes->rest + found * n;
        if (!(cimag(value) > 0.0)) {
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            x[i] = CMPLX(re[i], im[i]) / sqrt(modes->modal->stiffness[first + i]);
        }
        normalise(modes, value, x);
        modes->poles[first + found++] = value;
    }
    return (int)found;
}

/* Those of the modes whose damping is a matrix. */
static enum masing_status find_rest(struct free_modes *modes, struct masing_error *error)
{
    size_t rows = 2 * (size_t)modes->n_rest;
    struct eigen_general *eigen = NULL;
    struct arena arena = {0};
    double *real = arena_doubles(&arena, rows), *imaginary = arena_doubles(&arena, rows);
    double *matrix = arena_doubles(&arena, rows * rows);
    double *vectors = arena_doubles(&arena, rows * rows);
    enum masing_status status = MASING_OK;
    TRY_ALLOCATED(!arena.has_failed);
    TRY(eigen_general_create((int)rows, true, &eigen, error));
    fill_rates(modes, matrix);
    modes->are_known =
        eigen_general_solve(eigen, (int)rows, matrix, real, imaginary, vectors) == MASING_OK &&
        keep_complex(modes, real, imaginary, vectors) == modes->n_rest;
done:
    eigen_general_destroy(eigen);
    arena_clear(&arena);
    return status;
}

enum masing_status free_modes_create(const struct modal_state *modal, struct arena *arena,
                                     struct free_modes *modes, struct masing_error *error)
{
    size_t n = (size_t)modal->n_modes;
    int most = most_springs(modal), most_rest = modal->n_modes / MODES_PER_REST;
    *modes = (struct free_modes){.modal = modal, .n_rest = modal->n_modes - modal->n_uncoupled};
    if (modal->n_modes < FEWEST_MODES || modal->n_axes == 0 || modes->n_rest > most_rest) {
        return MASING_OK;
    }
    size_t n_rest = (size_t)modes->n_rest;
    modes->poles = arena_array(arena, n, sizeof(double complex));
    modes->single = arena_array(arena, n, sizeof(double complex));
    modes->rest = arena_array(arena, n_rest * n_rest, sizeof(double complex));
    modes->near = arena_array(arena, n, sizeof(double complex));
    modes->far = arena_array(arena, n, sizeof(double complex));
    NEED_ALLOCATED(!arena->has_failed);
    NEED(diagonal_update_create(modal->n_modes, most < modal->n_axes ? most : modal->n_axes,
                                arena, &modes->update, error));
    for (int i = 0; i < modal->n_uncoupled; i++) {
        double half = 0.5 * modal->damping[i], omega = sqrt(modal->stiffness[i]);
        double w = sqrt((omega - half) * (omega + half)); /* NAN is refused later */
        modes->poles[i] = CMPLX(-half, w);
        modes->single[i] = 1.0 / csqrt(2.0 * I * w);
    }
    modes->are_known = true;
    return n_rest > 0 ? find_rest(modes, error) : MASING_OK;
}

/* Displacement of an axis in a mode. */
static double complex shape_of(const struct free_modes *modes, size_t axis, size_t mode)
{
    const struct modal_state *modal = modes->modal;
    size_t first = (size_t)modal->n_uncoupled, n_rest = (size_t)modes->n_rest;
    const double *shape = modal->axes + axis * (size_t)modal->n_modes;
    double complex sum = mode < first ? shape[mode] * modes->single[mode] : 0.0;
    for (size_t i = 0; mode >= first && i < n_rest; i++) {
        sum += shape[first + i] * modes->rest[(mode - first) * n_rest + i];
    }
    return sum;
}

enum masing_status free_modes_add(struct free_modes *modes, const double *k, int n_moved,
                                  const int *moved)
{
    const struct modal_state *modal = modes->modal;
    struct diagonal_update *update = &modes->update;
    int first_rest = n_moved - modes->n_rest, rank = 0;
    for (int axis = 0; axis < modal->n_axes; axis++) {
        rank += k[axis] > 0.0;
    }
    if (!modes->are_known || rank > most_springs(modal) || n_moved < FEWEST_MODES ||
        first_rest < 0 || (modes->n_rest > 0 && moved[first_rest] != modal->n_uncoupled)) {
        return MASING_UNSUPPORTED;
    }
    update->n = n_moved;
    update->rank = rank;
    double complex *h = update->rows; /* they add -(h, conj h)^2, h = sqrt(k) A x */
    for (int j = 0; j < n_moved; j++) {
        update->poles[j] = modes->poles[moved[j]];
        for (int axis = 0; axis < modal->n_axes; axis++) {
            if (k[axis] > 0.0) {
                *h++ = sqrt(k[axis]) * shape_of(modes, (size_t)axis, (size_t)moved[j]);
            }
        }
    }
    return diagonal_update_solve(update);
}

double complex free_modes_get(struct free_modes *modes, const int *moved, int i,
                              double complex *x)
{
    size_t n_rest = (size_t)modes->n_rest, n_single = (size_t)modes->update.n - n_rest;
    const double complex *near = modes->near, *far = modes->far, *mode = modes->rest;
    double complex square = diagonal_update_vector(&modes->update, i, modes->near, modes->far);
    const double complex value = diagonal_update_value(&modes->update, i);
    const double complex factor = csqrt(2.0 * I * cimag(value) / square);
    memset(x + n_single, 0, n_rest * sizeof *x);
    for (size_t j = 0; j < n_single; j++) {
        const double complex size = modes->single[moved[j]];
        x[j] = factor * (size * near[j] + conj(size) * far[j]);
    }
    for (size_t j = n_single; j < n_single + n_rest; j++, mode += n_rest) {
        for (size_t k = 0; k < n_rest; k++) {
            x[n_single + k] += factor * (mode[k] * near[j] + conj(mode[k]) * far[j]);
        }
    }
    return value;
}
