/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/diagonal_update.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/lu.h"

enum { MOST_SWEEPS = 50 };
/* Steps below this part of the distance are the last: errors shrink by the cube. */
static const double LAST_STEP = 1e-8;
/* Eigenvalues begin within this part of the way to the next pole. */
static const double FIRST_STEP = 0.6;
/* A pole is a better centre where it is nearer by this part (of squares). */
static const double MUCH_NEARER = 0.25;

enum masing_status diagonal_update_create(int n, int rank, struct arena *arena,
                                          struct diagonal_update *update,
                                          struct masing_error *error)
{
    size_t size = (size_t)n, wide = (size_t)rank;
    *update = (struct diagonal_update){
        .n = n,
        .rank = rank,
        .poles = arena_array(arena, size, sizeof(double complex)),
        .rows = arena_array(arena, size * wide, sizeof(double complex)),
        .centre = arena_array(arena, size, sizeof(int)),
        .shift = arena_array(arena, size, sizeof(double complex)),
        .is_found = arena_array(arena, size, sizeof(bool)),
        .small = arena_array(arena, wide * (3 * wide + 1), sizeof(double complex)),
        .pivots = arena_array(arena, wide, sizeof(int))};
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

double complex diagonal_update_value(const struct diagonal_update *update, int k)
{
    return update->poles[update->centre[k]] + update->shift[k];
}

/* Numbers are far from the ends of the range. */
static double complex inverse(double complex x)
{
    double a = creal(x), b = cimag(x), square = a * a + b * b;
    return CMPLX(a / square, -b / square);
}

/* What lies around an eigenvalue but for its centre. */
struct surroundings {
    double complex by_poles, by_values; /* sums of inverse distances */
    int nearest;
};

/* G = I + sum h h^T / (l - p) but for the centre's, and its derivative */
static struct surroundings look_around(struct diagonal_update *update, int k, double complex *g,
                                       double complex *slope)
{
    size_t rank = (size_t)update->rank;
    struct surroundings around = {.nearest = update->centre[k]};
    const double complex shift = update->shift[k], pole = update->poles[around.nearest];
    double least = MUCH_NEARER * (creal(shift) * creal(shift) + cimag(shift) * cimag(shift));
    memset(slope, 0, rank * rank * sizeof *slope);
    for (size_t i = 0; i < rank * rank; i++) {
        g[i] = i % (rank + 1) == 0 ? 1.0 : 0.0;
    }
    for (int j = 0; j < update->n; j++) {
        const double complex *h = update->rows + (size_t)j * rank, other = update->poles[j];
        const double complex gap = pole - other + shift;
        const double complex far = inverse(pole - conj(other) + shift);
        double square = creal(gap) * creal(gap) + cimag(gap) * cimag(gap);
        bool is_centre = j == update->centre[k];
        const double complex near = is_centre ? 0.0 : inverse(gap);
        if (!is_centre && square < least) {
            least = square;
            around.nearest = j;
        }
        around.by_poles += near + far;
        for (size_t a = 0; a < rank; a++) {
            for (size_t b = 0; b <= a; b++) {
                const double complex by_near = h[a] * h[b] * near;
                const double complex by_far = conj(h[a] * h[b]) * far;
                g[b * rank + a] += by_near + by_far;
                slope[b * rank + a] -= by_near * near + by_far * far;
            }
        }
    }
    for (size_t at = 0; at < rank * rank; at++) {
        size_t a = at % rank, b = at / rank;
        g[at] = a < b ? g[a * rank + b] : g[at];
        slope[at] = a < b ? slope[a * rank + b] : slope[at];
    }
    return around;
}

/* Sum of inverse distances from the other eigenvalues, and from all conjugate ones. */
static double complex sum_values(const struct diagonal_update *update, int k)
{
    const double complex shift = update->shift[k], pole = update->poles[update->centre[k]];
    double complex sum = 0.0;
    for (int j = 0; j < update->n; j++) {
        const double complex other = update->poles[update->centre[j]], off = update->shift[j];
        sum += j == k ? 0.0 : inverse(pole - other + (shift - off));
        sum += inverse(pole - conj(other) + (shift - conj(off)));
    }
    return sum;
}

/* The centre's h and what is left of it: G^-1 h. */
static enum masing_status solve_small(struct diagonal_update *update, int k,
                                      struct surroundings *around)
{
    size_t rank = (size_t)update->rank;
    double complex *g = update->small, *slope = g + rank * rank, *z = slope + rank * rank;
    *around = look_around(update, k, g, slope);
    if (around->nearest != update->centre[k]) {
        update->shift[k] += update->poles[update->centre[k]] - update->poles[around->nearest];
        update->centre[k] = around->nearest;
        *around = look_around(update, k, g, slope);
    }
    memcpy(z, update->rows + (size_t)update->centre[k] * rank, rank * sizeof *z);
    memcpy(z + rank, slope, rank * rank * sizeof *z);
    NEED(lu_factor_complex(update->rank, g, update->pivots));
    lu_solve_complex(update->rank, g, update->pivots, z, update->rank + 1);
    return MASING_OK;
}

/* shift + h^T G^-1 h = 0 by Newton's method with the other eigenvalues divided out. */
static enum masing_status improve(struct diagonal_update *update, int k, double *step_size)
{
    size_t rank = (size_t)update->rank;
    const double complex *slope = update->small + rank * rank, *z = slope + rank * rank;
    struct surroundings around;
    NEED(solve_small(update, k, &around));
    const double complex *h = update->rows + (size_t)update->centre[k] * rank;
    double complex value = update->shift[k], rate = 1.0, trace = 0.0;
    for (size_t a = 0; a < rank; a++) {
        value += h[a] * z[a];
        trace += z[rank + a * (rank + 1)];
        for (size_t b = 0; b < rank; b++) {
            rate -= z[a] * slope[b * rank + a] * z[b];
        }
    }
    if (value != 0.0) {
        double complex step =
            value / (rate + value * (trace + around.by_poles - sum_values(update, k)));
        update->shift[k] -= step;
        *step_size = cabs(step) / cabs(update->shift[k]);
        return isfinite(*step_size) ? MASING_OK : MASING_UNSUPPORTED;
    }
    *step_size = 0.0;
    return MASING_OK;
}

/* Distance to the next larger imaginary part of a pole; of the largest, how far all that is
 * added may move it. */
static double room_above(const struct diagonal_update *update, int k)
{
    double w = cimag(update->poles[k]), next = INFINITY, added = 0.0;
    size_t rank = (size_t)update->rank;
    for (size_t j = 0; j < (size_t)update->n; j++) {
        double other = cimag(update->poles[j]);
        next = other > w ? fmin(next, other) : next;
        for (size_t a = 0; a < rank; a++) {
            double size = cabs(update->rows[j * rank + a]);
            added += 2.0 * other * size * size;
        }
    }
    return isfinite(next) ? next - w : sqrt(w * w + added) - w;
}

/* What is added to each pole alone, if that is not beyond the next. */
static enum masing_status begin(struct diagonal_update *update)
{
    size_t rank = (size_t)update->rank;
    for (int k = 0; k < update->n; k++) {
        const double complex *h = update->rows + (size_t)k * rank;
        double complex shift = 0.0;
        for (size_t a = 0; a < rank; a++) {
            shift -= h[a] * h[a];
        }
        double most = FIRST_STEP * room_above(update, k), size = cabs(shift);
        NEED(size > 0.0 ? MASING_OK : MASING_UNSUPPORTED);
        update->centre[k] = k;
        update->is_found[k] = false;
        update->shift[k] = size > most ? I * most : shift;
    }
    return MASING_OK;
}

enum masing_status diagonal_update_solve(struct diagonal_update *update)
{
    bool goes_on = true;
    NEED(begin(update));
    for (int sweep = 0; goes_on && sweep < MOST_SWEEPS; sweep++) {
        goes_on = false;
        for (int k = 0; k < update->n; k++) {
            double step = 0.0;
            if (!update->is_found[k]) {
                NEED(improve(update, k, &step));
                update->is_found[k] = step <= LAST_STEP;
                goes_on = goes_on || step > LAST_STEP;
            }
        }
    }
    for (int k = 0; k < update->n; k++) {
        goes_on = goes_on || !(cimag(diagonal_update_value(update, k)) > 0.0);
    }
    return goes_on ? MASING_UNSUPPORTED : MASING_OK;
}

double complex diagonal_update_vector(struct diagonal_update *update, int k, double complex *y,
                                      double complex *z)
{
    size_t rank = (size_t)update->rank;
    const double complex *weights = update->small + 2 * rank * rank;
    struct surroundings around;
    double complex sum = 0.0;
    if (solve_small(update, k, &around) != MASING_OK) {
        return 0.0;
    }
    const double complex shift = update->shift[k], pole = update->poles[update->centre[k]];
    for (int j = 0; j < update->n; j++) {
        const double complex *h = update->rows + (size_t)j * rank, other = update->poles[j];
        double complex near = 0.0, far = 0.0;
        for (size_t a = 0; a < rank; a++) {
            near += h[a] * weights[a];
            far += conj(h[a]) * weights[a];
        }
        y[j] = j == update->centre[k] ? -1.0 : near * inverse(pole - other + shift);
        z[j] = far * inverse(pole - conj(other) + shift);
        sum += y[j] * y[j] + z[j] * z[j];
    }
    return sum;
}
