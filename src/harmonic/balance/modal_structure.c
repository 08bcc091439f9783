/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/balance/modal_balance.h"

#include <string.h>

#include "base/check.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

/* Dynamic stiffness of a mode alone, of a harmonic h, with the artificial damping. */
static double complex stiffness_of(const struct modal_balance *balance, int h, int mode)
{
    const struct structure *structure = balance->model->structure;
    double square = structure->omega[mode] * structure->omega[mode], q = h * balance->omega;
    if (h == 0) {
        return mode < structure->n_rigid ? balance->restraint : square;
    }
    double rate = structure->modal_damping[mode] - 2.0 * balance->zeta * balance->omega;
    return square - q * q + I * (structure->loss_factor * square + q * rate);
}

/* How damping couples two modes, 1/s. */
static double coupling(const struct modal_balance *balance, int h, int a, int b)
{
    const struct structure *structure = balance->model->structure;
    return balance->coupled && h > 0 && a != b
               ? structure->damping_matrix[(size_t)b * (size_t)balance->n_modes + (size_t)a]
               : 0.0;
}

/* Right-hand sides [n_modes * n] of the eliminated modes: axes, target mode, kept modes. */
static int fill_sides(struct modal_balance *balance, const struct modal_harmonic *at)
{
    size_t n = (size_t)balance->n_modes;
    int n_ports = balance->n_axes + 1, n_sides = n_ports + (balance->coupled ? at->n_kept : 0);
    for (int s = 0; s < n_sides; s++) {
        double complex *side = balance->sides + (size_t)s * n;
        for (size_t i = 0; i < n; i++) {
            side[i] =
                s < n_ports
                    ? balance->ports[(size_t)s * n + i]
                    : I * (at->harmonic * balance->omega *
                           coupling(balance, at->harmonic, (int)i, at->kept[s - n_ports]));
        }
        for (int e = 0; e < at->n_kept; e++) {
            side[at->kept[e]] = 0.0;
        }
    }
    return n_sides;
}

/* Factors of the dynamic stiffness of the eliminated modes, coupled by damping. */
static enum masing_status factor_coupled(struct modal_balance *balance,
                                         const struct modal_harmonic *at)
{
    int n = balance->n_modes, h = at->harmonic;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            balance->coupled[(size_t)j * (size_t)n + (size_t)i] =
                i == j ? stiffness_of(balance, h, i)
                       : I * (h * balance->omega * coupling(balance, h, i, j));
        }
    }
    for (int e = 0; e < at->n_kept; e++) {
        size_t mode = (size_t)at->kept[e];
        for (size_t i = 0; i < (size_t)n; i++) {
            balance->coupled[mode * (size_t)n + i] = balance->coupled[i * (size_t)n + mode] =
                i == mode;
        }
    }
    return lu_factor_complex(n, balance->coupled, balance->pivots);
}

/*
 * What the eliminated modes do: reach = D^-1 sides [n_modes * n_sides], zero in the kept modes.
 * With the sides' transpose before it that is what they do to axes, target and kept modes.
 */
static enum masing_status eliminate(struct modal_balance *balance,
                                    const struct modal_harmonic *at, int n_sides)
{
    size_t n = (size_t)balance->n_modes;
    memcpy(balance->reach, balance->sides, sizeof *balance->reach * n * (size_t)n_sides);
    if (at->n_kept == balance->n_modes) {
        return MASING_OK;
    }
    if (balance->coupled && at->harmonic > 0) {
        NEED(factor_coupled(balance, at));
        lu_solve_complex((int)n, balance->coupled, balance->pivots, balance->reach, n_sides);
        return MASING_OK;
    }
    for (size_t i = 0; i < n; i++) {
        double complex stiffness = stiffness_of(balance, at->harmonic, (int)i);
        for (size_t s = 0; s < (size_t)n_sides; s++) {
            double complex *entry = balance->reach + s * n + i;
            *entry = *entry != 0.0 ? *entry / stiffness : 0.0;
        }
    }
    return MASING_OK;
}

/* a^T b without conjugation */
static double complex dot(int n, const double complex *a, const double complex *b)
{
    double complex sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* What the eliminated modes do between two sides; 0 where a kept mode is coupled to none. */
static double complex between(const struct modal_balance *balance, int n_sides, int a, int b)
{
    size_t n = (size_t)balance->n_modes;
    return a < n_sides && b < n_sides ? dot(balance->n_modes, balance->sides + (size_t)a * n,
                                            balance->reach + (size_t)b * n)
                                      : 0.0;
}

/* Enter a complex number in a matrix of real ones, of n_rows and n_columns a side. */
static void enter(double *matrix, int n_sides, int n_rows, int n_columns, int row, int column,
                  double complex value)
{
    size_t rows = (size_t)(n_sides * n_rows);
    double *cosine = matrix + (size_t)column * rows + row;
    *cosine = creal(value);
    if (n_sides > 1) {
        double *sine = matrix + (size_t)(n_columns + column) * rows + row;
        cosine[n_rows] = -cimag(value);
        sine[0] = cimag(value);
        sine[n_rows] = creal(value);
    }
}

/* A row's place among the sides: an axis, a kept mode, the target mode. */
static int side_of(const struct modal_balance *balance, const struct modal_harmonic *at,
                   int row)
{
    int n_own = at->n - at->n_kept, n_axes = balance->n_axes;
    return row < n_own ? row : row < at->n ? n_axes + 1 + row - n_own : n_axes;
}

static bool is_kept_row(const struct modal_harmonic *at, int row)
{
    return row >= at->n - at->n_kept && row < at->n;
}

/* Row of an unknown: x - A^T p, of a kept mode: D p + A g, of the target mode: its p. */
static double complex unknown_entry(const struct modal_balance *balance,
                                    const struct modal_harmonic *at, int n_sides, int row,
                                    int column)
{
    int n_own = at->n - at->n_kept, side = side_of(balance, at, row), h = at->harmonic;
    if (column < n_own) {
        return row == column;
    }
    int mode = at->kept[column - n_own];
    double complex far = between(balance, n_sides, side, balance->n_axes + 1 + column - n_own);
    if (!is_kept_row(at, row)) {
        double complex entry = modal_port(balance, side)[mode] - far;
        return row < n_own ? -entry : entry;
    }
    int other = at->kept[row - n_own];
    return (row == column ? stiffness_of(balance, h, mode)
                          : I * (h * balance->omega * coupling(balance, h, other, mode))) -
           far;
}

static double complex joint_entry(const struct modal_balance *balance,
                                  const struct modal_harmonic *at, int n_sides, int row,
                                  int axis)
{
    int n_own = at->n - at->n_kept;
    double complex far = between(balance, n_sides, side_of(balance, at, row), axis);
    return row < n_own   ? far
           : row < at->n ? modal_port(balance, axis)[at->kept[row - n_own]] - far
                         : -far;
}

static void fill_matrices(struct modal_balance *balance, struct modal_harmonic *at, int n_sides)
{
    int sides = at->harmonic > 0 ? 2 : 1;
    for (int row = 0; row < at->n_rows; row++) {
        for (int column = 0; column < at->n; column++) {
            enter(at->linear, sides, at->n_rows, at->n, row, column,
                  unknown_entry(balance, at, n_sides, row, column));
        }
        for (int axis = 0; axis < balance->n_axes; axis++) {
            enter(at->joint, sides, at->n_rows, balance->n_axes, row, axis,
                  joint_entry(balance, at, n_sides, row, axis));
        }
        if (at->harmonic == 0) {
            at->constant[row] = 0.0;
            const double *force = balance->static_force;
            if (is_kept_row(at, row)) {
                at->constant[row] = -force[at->kept[row - at->n + at->n_kept]];
                continue;
            }
            const double complex *reach =
                balance->reach + (size_t)row * (size_t)balance->n_modes;
            for (int i = 0; i < balance->n_modes; i++) {
                at->constant[row] -= creal(reach[i]) * force[i];
            }
        }
    }
}

/* The complex amplitude of an array with the coefficients of a side so far apart. */
static double complex amplitude_of(const struct modal_harmonic *at, const double *values,
                                   int stride)
{
    return values[0] - (at->harmonic > 0 ? I * values[stride] : 0.0);
}

/* Modal coordinates of all modes at the solution, [n_modes]. */
static void recover(struct modal_balance *balance, int k, int n_sides, double complex *modal)
{
    const struct modal_harmonic *at = &balance->harmonics[k];
    int n = balance->n_modes, n_own = at->n - at->n_kept;
    const double *force =
        balance->force + (size_t)balance->basis->position[k] * (size_t)balance->n_axes;
    for (int i = 0; i < n; i++) {
        modal[i] = at->harmonic == 0 && balance->static_force[i] != 0.0
                       ? balance->static_force[i] / stiffness_of(balance, 0, i)
                       : 0.0;
    }
    for (int s = 0; s < n_sides; s++) {
        double complex size = 0.0;
        if (s < balance->n_axes) {
            size = amplitude_of(at, force + s, balance->n_axes);
        } else if (s > balance->n_axes) {
            size = amplitude_of(at, balance->z + at->first + n_own + s - balance->n_axes - 1,
                                at->n);
        }
        const double complex *reach = balance->reach + (size_t)s * (size_t)n;
        for (int i = 0; i < n && size != 0.0; i++) {
            modal[i] -= reach[i] * size;
        }
    }
    for (int e = 0; e < at->n_kept; e++) {
        modal[at->kept[e]] = amplitude_of(at, balance->z + at->first + n_own + e, at->n);
    }
}

/* The rows' change where modal forces [n_modes] are added to what the modes resist with. */
static void fill_effect(const struct modal_balance *balance, const struct modal_harmonic *at,
                        int n_sides, const double complex *force, double *column)
{
    int n = balance->n_modes, n_own = at->n - at->n_kept;
    for (int row = 0; row < at->n_rows; row++) {
        int side = side_of(balance, at, row);
        double complex far =
            side < n_sides ? dot(n, balance->reach + (size_t)side * (size_t)n, force) : 0.0;
        double complex value = row < n_own ? far : -far;
        if (is_kept_row(at, row)) {
            value += force[at->kept[row - n_own]];
        }
        column[at->first_row + row] = creal(value);
        if (at->harmonic > 0) {
            column[at->first_row + at->n_rows + row] = -cimag(value);
        }
    }
}

/* Columns of omega and zeta, without the joints. */
static void fill_columns(struct modal_balance *balance, const struct modal_harmonic *at,
                         int n_sides)
{
    const struct structure *structure = balance->model->structure;
    double h = at->harmonic, omega = balance->omega;
    for (int i = 0; i < balance->n_modes; i++) {
        double rate = structure->modal_damping[i] - 4.0 * balance->zeta * omega;
        balance->effect[i] = (-2.0 * h * h * omega + I * (h * rate)) * balance->modal[i];
        for (int j = 0; balance->coupled && j < balance->n_modes; j++) {
            balance->effect[i] +=
                I * (h * coupling(balance, at->harmonic, i, j)) * balance->modal[j];
        }
    }
    fill_effect(balance, at, n_sides, balance->effect, balance->by_omega);
    for (int i = 0; i < balance->n_modes; i++) {
        balance->effect[i] = -2.0 * I * (h * omega * omega) * balance->modal[i];
    }
    fill_effect(balance, at, n_sides, balance->effect, balance->by_zeta);
}

/* The motion [n_coefficients * n_modes] from one harmonic's modal coordinates. */
static void keep_motion(struct modal_balance *balance, int k)
{
    int n = balance->n_modes;
    double *motion = balance->motion + (size_t)balance->basis->position[k] * (size_t)n;
    for (int i = 0; i < n; i++) {
        motion[i] = creal(balance->modal[i]);
        if (basis_sides(balance->basis, k) > 1) {
            motion[n + i] = -cimag(balance->modal[i]);
        }
    }
}

enum masing_status modal_structure_evaluate(struct modal_balance *balance, bool with_derivative)
{
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        struct modal_harmonic *at = &balance->harmonics[k];
        int n_sides = fill_sides(balance, at);
        NEED(eliminate(balance, at, n_sides));
        fill_matrices(balance, at, n_sides);
        recover(balance, k, n_sides, balance->modal);
        keep_motion(balance, k);
        if (with_derivative) {
            fill_columns(balance, at, n_sides);
        }
    }
    dense_multiply_transposed(balance->n_modes, balance->n_coefficients, balance->n_modes,
                              balance->stuck, balance->motion, balance->p);
    return MASING_OK;
}

double modal_structure_loss(const struct modal_balance *balance, int h, const double *p)
{
    const struct structure *structure = balance->model->structure;
    double loss = 0.0, q = h * balance->omega;
    for (int i = 0; i < balance->n_modes; i++) {
        double square = structure->omega[i] * structure->omega[i];
        double force =
            (q * structure->modal_damping[i] + structure->loss_factor * square) * p[i];
        for (int j = 0; balance->coupled && j < balance->n_modes; j++) {
            force += q * coupling(balance, h, i, j) * p[j];
        }
        loss += force * p[i];
    }
    return loss;
}
