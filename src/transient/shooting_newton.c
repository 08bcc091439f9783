/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The equations of a Newton step of shooting, (I - map) update = residual, without the motions
 * that they leave open: a body that no joint holds, sliders that slip together with what they
 * act on. */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/lu.h"
#include "transient/shooting_parts.h"

/* Directions that a period changes by less than this part are neutral. */
static const double NEUTRAL = 1e-7;
/* keeps pivots from being exactly zero */
static const double TINY = 1e-13;
/* Of the axes, those that a neutral direction moves by this part of the one it moves most. */
static const double MOVED = 1e-6;
enum { MOST_NEUTRAL = 16, BALANCING_SWEEPS = 3, INVERSE_ITERATIONS = 3 };

/* What the period changed of each coordinate of the map. */
static void fill_residual(struct shooting *shooting)
{
    const struct variation *variation = shooting->variation;
    const size_t *start = shooting->integrator->joints->state_start;
    int n = variation->n_modes;
    double *residual = shooting->residual;
    for (int k = 0; k < n; k++) {
        residual[k] = shooting->q1[k] - shooting->q0[k];
        residual[n + k] = shooting->v1[k] - shooting->v0[k];
    }
    for (int a = 0; a < variation->n_axes; a++) {
        residual[2 * n + a] = shooting->f1[a] - shooting->f0[a];
    }
    for (int m = 0; m < variation->n_memories; m++) {
        size_t at = start[variation->memories[m].joint] + variation->memories[m].entry;
        residual[2 * n + variation->n_axes + m] = shooting->joints1[at] - shooting->joints0[at];
    }
}

static void fill_matrix(struct shooting *shooting)
{
    size_t n = (size_t)shooting->variation->n;
    for (size_t i = 0; i < n * n; i++) {
        shooting->matrix[i] = -shooting->variation->map[i];
    }
    for (size_t i = 0; i < n; i++) {
        shooting->matrix[i * (n + 1)] += 1.0 + TINY;
    }
}

/* Of each row what it takes from displacements that no joint sees. */
static void drop_free_columns(const struct shooting *shooting, double *matrix)
{
    const struct rigid_body *rigid = &shooting->rigid;
    size_t n = (size_t)shooting->variation->n, n_rigid = (size_t)rigid->n;
    double *row = shooting->scratch;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n_rigid; k++) {
            row[k] = matrix[k * n + i];
        }
        rigid_body_keep_seen(rigid, row);
        for (size_t k = 0; k < n_rigid; k++) {
            matrix[k * n + i] = row[k];
        }
    }
}

/*
 * Displacements z that no joint sees are arbitrary: nothing depends on them. Because z' + d z
 * and what damping adds of the rest follow from the loads alone, z' is periodic where z and the
 * rest are. So z stays as it is, in place of the equations for z'; those for z decide about z'.
 */
static void hold_free(struct shooting *shooting)
{
    const struct rigid_body *rigid = &shooting->rigid;
    size_t n = (size_t)shooting->variation->n, n_modes = (size_t)shooting->variation->n_modes;
    size_t n_rigid = (size_t)rigid->n;
    if (rigid->n_seen == rigid->n) {
        return;
    }
    drop_free_columns(shooting, shooting->matrix);
    for (size_t j = 0; j < n; j++) {
        rigid_body_keep_seen(rigid, shooting->matrix + j * n + n_modes);
    }
    rigid_body_keep_seen(rigid, shooting->residual + n_modes);
    for (int i = 0; i < rigid->n - rigid->n_seen; i++) {
        const double *vector = rigid->free + (size_t)i * n_rigid;
        for (size_t k = 0; k < n_rigid; k++) {
            for (size_t j = 0; j < n_rigid; j++) {
                shooting->matrix[j * n + n_modes + k] +=
                    shooting->integrator->omega * vector[k] * vector[j];
            }
        }
    }
}

/* Row and column of a coordinate in a unit that is so many times larger. */
static void rescale(struct shooting *shooting, size_t i, double factor)
{
    size_t n = (size_t)shooting->variation->n;
    for (size_t j = 0; j < n; j++) {
        shooting->matrix[j * n + i] /= factor;
        shooting->matrix[i * n + j] *= factor;
    }
    shooting->residual[i] /= factor;
    shooting->scale[i] *= factor;
}

/* The unit of a coordinate that makes its row as large as its column (Osborne 1960). */
static double balancing_factor(const struct shooting *shooting, size_t i)
{
    size_t n = (size_t)shooting->variation->n;
    double row = 0.0, column = 0.0;
    for (size_t j = 0; j < n; j++) {
        double of_row = shooting->matrix[j * n + i], of_column = shooting->matrix[i * n + j];
        row += j == i ? 0.0 : of_row * of_row;
        column += j == i ? 0.0 : of_column * of_column;
    }
    double ratio = row > 0.0 && column > 0.0 ? sqrt(row / column) : row > 0.0 ? row : 1.0;
    return isfinite(ratio) ? sqrt(ratio) : 1.0;
}

/* Displacements and velocities in the units of steady.h, forces and memories in those that they
 * act with: singular values mean something then. */
static void scale(struct shooting *shooting)
{
    const struct variation *variation = shooting->variation;
    const double *stiffness = shooting->integrator->newmark->stiffness;
    double omega = shooting->integrator->omega;
    size_t n = (size_t)variation->n, n_modes = (size_t)variation->n_modes;
    for (size_t i = 0; i < n; i++) {
        shooting->scale[i] = 1.0;
    }
    for (size_t k = 0; k < n_modes; k++) {
        rescale(shooting, k, 1.0 / sqrt(fmax(stiffness[k], omega * omega)));
    }
    for (int sweep = 0; sweep < BALANCING_SWEEPS; sweep++) {
        for (size_t i = 2 * n_modes; i < n; i++) {
            rescale(shooting, i, balancing_factor(shooting, i));
        }
    }
}

static double normalise(size_t n, double *vector)
{
    double size = sqrt(dense_dot((int)n, vector, vector));
    for (size_t i = 0; i < n; i++) {
        vector[i] /= size;
    }
    return size;
}

/* The smallest singular value, its vectors in left and right, by inverse iteration. */
static double smallest_singular(const struct shooting *shooting)
{
    int n = shooting->variation->n;
    double *left = shooting->left, *right = shooting->right, size = 0.0;
    for (int i = 0; i < n; i++) {
        right[i] = 1.0 + 0.3 * sin(1.0 + i); /* along nothing in particular */
    }
    for (int i = 0; i < INVERSE_ITERATIONS; i++) {
        memcpy(left, right, (size_t)n * sizeof(double));
        lu_solve_transposed(n, shooting->factor, shooting->pivots, left, 1);
        normalise((size_t)n, left);
        memcpy(right, left, (size_t)n * sizeof(double));
        lu_solve(n, shooting->factor, shooting->pivots, right, 1);
        size = normalise((size_t)n, right);
    }
    return 1.0 / size;
}

/* The axes that the neutral direction moves. */
static void mark_axes(struct shooting *shooting)
{
    const struct ports *ports = shooting->integrator->ports;
    double largest = 0.0, *moved = shooting->change;
    for (int a = 0; a < ports->n_axes; a++) {
        const double *row = ports->shapes + (size_t)a * (size_t)ports->n_modes;
        moved[a] = 0.0;
        for (int k = 0; k < shooting->variation->n_modes; k++) {
            moved[a] += row[k] * shooting->scale[k] * shooting->right[k];
        }
        largest = fmax(largest, fabs(moved[a]));
    }
    for (int a = 0; a < ports->n_axes; a++) {
        shooting->is_neutral[a] = shooting->is_neutral[a] || fabs(moved[a]) > MOVED * largest;
    }
}

/* No step along the direction; what the residual has of it no step can mend. */
static void deflate(struct shooting *shooting)
{
    size_t n = (size_t)shooting->variation->n;
    double part = dense_dot((int)n, shooting->left, shooting->residual);
    for (size_t i = 0; i < n; i++) {
        shooting->residual[i] -= part * shooting->left[i];
    }
    shooting->open += part * part;
    dense_add_outer((int)n, (int)n, 1, shooting->left, shooting->right, shooting->matrix);
    mark_axes(shooting);
    shooting->n_neutral++;
}

static enum masing_status factorise(struct shooting *shooting)
{
    size_t n = (size_t)shooting->variation->n;
    memcpy(shooting->factor, shooting->matrix, n * n * sizeof(double));
    return lu_factor((int)n, shooting->factor, shooting->pivots);
}

/* Where all joints that hold a body slip nothing may decide where it stands: the smallest step
 * of those that lead to a periodic motion. */
static enum masing_status solve(struct shooting *shooting)
{
    size_t n = (size_t)shooting->variation->n;
    int most = shooting->rigid.n_seen > 0 ? MOST_NEUTRAL : 0;
    shooting->n_neutral = 0;
    shooting->open = 0.0;
    memset(shooting->is_neutral, 0, (size_t)shooting->variation->n_axes * sizeof(bool));
    enum masing_status status = factorise(shooting);
    while (status == MASING_OK && shooting->n_neutral < most &&
           smallest_singular(shooting) < NEUTRAL) {
        deflate(shooting);
        status = factorise(shooting);
    }
    if (status == MASING_OK) {
        lu_solve((int)n, shooting->factor, shooting->pivots, shooting->residual, 1);
        for (size_t i = 0; i < n; i++) {
            shooting->residual[i] *= shooting->scale[i];
        }
    }
    return status;
}

/* The step of all modes; those that the map leaves out go on from where the period ended. */
static void fill_step(struct shooting *shooting)
{
    size_t n = (size_t)shooting->variation->n_modes;
    size_t n_modes = (size_t)shooting->integrator->ports->n_modes;
    memcpy(shooting->dq, shooting->residual, n * sizeof(double));
    memcpy(shooting->dv, shooting->residual + n, n * sizeof(double));
    for (size_t k = n; k < n_modes; k++) {
        shooting->dq[k] = shooting->q1[k] - shooting->q0[k];
        shooting->dv[k] = shooting->v1[k] - shooting->v0[k];
    }
}

enum masing_status shooting_solve(struct shooting *shooting)
{
    fill_residual(shooting);
    fill_matrix(shooting);
    hold_free(shooting);
    scale(shooting);
    enum masing_status status = solve(shooting);
    if (status == MASING_OK) {
        fill_step(shooting);
    }
    return status;
}

double shooting_largest_multiplier(struct shooting *shooting)
{
    const struct variation *variation = shooting->variation;
    double largest = 0.0, *real = shooting->real, *imaginary = shooting->imaginary;
    if (shooting->rigid.n_seen < shooting->rigid.n) {
        drop_free_columns(shooting, variation->map);
    }
    if (eigen_general_solve(shooting->eigen, variation->n, variation->map, real, imaginary,
                            NULL) != MASING_OK) {
        return NAN;
    }
    for (int i = 0; i < variation->n; i++) {
        bool is_neutral = shooting->rigid.n > 0 && hypot(real[i] - 1.0, imaginary[i]) < NEUTRAL;
        largest = is_neutral ? largest : fmax(largest, hypot(real[i], imaginary[i]));
    }
    return largest;
}
