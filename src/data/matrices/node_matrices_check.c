/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether matrices can be stiffness and mass: only what is decided safely. */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "data/matrices/node_matrices.h"

/* The mass of a translation may be so small a part of its terms' sizes; a stiffness matrix
 * without supports has rounding there. */
static const double LEAST_MASS = 1e-9;
/* How far an entry may pass the mean of its diagonals: files have few digits. */
static const double EXCESS = 1e-5;
/* (rad/s)^2: no DOF of a structure is so slow by itself, whatever the units. */
static const double SLOWEST = 1e-6;
/* What counts as an entry beside empty diagonals, in parts of the largest one. */
static const double NOISE = 1e-12;

static double diagonal(const struct masing_sparse *sparse, int64_t j)
{
    int64_t first = sparse->start[j];
    return first < sparse->start[j + 1] && sparse->rows[first] == j ? sparse->values[first]
                                                                    : 0.0;
}

static double largest_diagonal(const struct masing_sparse *sparse)
{
    double largest = 0.0;
    for (int64_t j = 0; j < sparse->n; j++) {
        largest = fmax(largest, diagonal(sparse, j));
    }
    return largest;
}

static enum masing_status check_diagonal(const struct node_matrices *matrices,
                                         const struct masing_sparse *sparse, const char *file,
                                         const char *what, struct masing_error *error)
{
    for (int64_t j = 0; j < sparse->n; j++) {
        char text[NODE_DOF_TEXT];
        if (diagonal(sparse, j) < 0.0) {
            return masing_error_set(error, MASING_INVALID,
                                    "%.400s: DOF %s has the %s %g, expected none that is "
                                    "negative on the diagonal",
                                    file, node_dof_text(matrices->dofs[j], text), what,
                                    diagonal(sparse, j));
        }
    }
    return MASING_OK;
}

static bool are_equal(const struct masing_sparse *a, const struct masing_sparse *b)
{
    size_t count = (size_t)a->start[a->n];
    return a->start[a->n] == b->start[b->n] &&
           !memcmp(a->rows, b->rows, count * sizeof *a->rows) &&
           !memcmp(a->values, b->values, count * sizeof *a->values);
}

static enum masing_status check_equal(const struct node_matrices *matrices,
                                      const char *stiffness_file, const char *mass_file,
                                      struct masing_error *error)
{
    return are_equal(&matrices->stiffness, &matrices->mass)
               ? masing_error_set(error, MASING_INVALID,
                                  "%.400s: the mass is the same matrix as the stiffness "
                                  "(%.300s)",
                                  mass_file, stiffness_file)
               : MASING_OK;
}

/* The mass that moves in one direction, and the sizes of what it is the sum of. */
static enum masing_status check_translation(const struct node_matrices *matrices,
                                            const char *file, int direction,
                                            struct masing_error *error)
{
    const struct masing_sparse *mass = &matrices->mass;
    double sum = 0.0, size = 0.0;
    for (int64_t j = 0; j < mass->n; j++) {
        for (int64_t e = mass->start[j];
             matrices->dofs[j].direction == direction && e < mass->start[j + 1]; e++) {
            if (matrices->dofs[mass->rows[e]].direction == direction) {
                double value = (mass->rows[e] == j ? 1.0 : 2.0) * mass->values[e];
                sum += value;
                size += fabs(value);
            }
        }
    }
    return size <= NOISE * largest_diagonal(mass) || sum > LEAST_MASS * size
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID,
                                  "%.400s: the mass does not resist a translation along %c: "
                                  "this looks like a stiffness; were the files swapped?",
                                  file, "xyz"[direction - 1]);
}

/* M_ij^2 <= M_ii M_jj of a mass that is positive semidefinite. */
static enum masing_status check_pairs(const struct node_matrices *matrices, const char *file,
                                      struct masing_error *error)
{
    const struct masing_sparse *mass = &matrices->mass;
    double noise = NOISE * largest_diagonal(mass);
    for (int64_t j = 0; j < mass->n; j++) {
        for (int64_t e = mass->start[j]; e < mass->start[j + 1]; e++) {
            int64_t i = mass->rows[e];
            double a = diagonal(mass, i), b = diagonal(mass, j);
            double most = a > 0.0 && b > 0.0 ? sqrt(a) * sqrt(b) : 0.0;
            char row[NODE_DOF_TEXT], column[NODE_DOF_TEXT];
            if (i != j && fabs(mass->values[e]) > most * (1.0 + EXCESS) + noise) {
                return masing_error_set(
                    error, MASING_INVALID,
                    "%.400s: the mass of DOFs %s and %s in common (%g) is more than their own "
                    "(%g and %g) permit: a mass is positive semidefinite",
                    file, node_dof_text(matrices->dofs[i], row),
                    node_dof_text(matrices->dofs[j], column), mass->values[e], a, b);
            }
        }
    }
    return MASING_OK;
}

/* Hybrid elements and ties have Lagrange multipliers: nothing on the diagonal, but elsewhere.
 */
static enum masing_status check_multipliers(const struct node_matrices *matrices,
                                            const char *file, struct masing_error *error)
{
    const struct masing_sparse *stiffness = &matrices->stiffness;
    double noise = NOISE * largest_diagonal(stiffness);
    for (int64_t j = 0; j < stiffness->n; j++) {
        for (int64_t e = stiffness->start[j]; e < stiffness->start[j + 1]; e++) {
            int64_t i = stiffness->rows[e];
            int64_t empty = diagonal(stiffness, i) == 0.0 ? i : j;
            char text[NODE_DOF_TEXT];
            if (i != j && fabs(stiffness->values[e]) > noise &&
                diagonal(stiffness, empty) == 0.0) {
                return masing_error_set(
                    error, MASING_INVALID,
                    "%.400s: DOF %s has no stiffness of its own but shares some with others: "
                    "a multiplier of a constraint (hybrid elements, ties, contact), which is "
                    "not supported",
                    file, node_dof_text(matrices->dofs[empty], text));
            }
        }
    }
    return MASING_OK;
}

static enum masing_status check_speed(const struct node_matrices *matrices,
                                      const char *stiffness_file, const char *mass_file,
                                      struct masing_error *error)
{
    double fastest = 0.0;
    for (int j = 0; j < matrices->n; j++) {
        double mass = diagonal(&matrices->mass, j);
        double stiffness = diagonal(&matrices->stiffness, j);
        fastest = fmax(fastest, mass > 0.0 ? stiffness / mass : 0.0);
    }
    return fastest > SLOWEST
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID,
                                  "%.400s, %.300s: no DOF swings faster than %.2g rad/s on its "
                                  "own stiffness: were stiffness and mass swapped?",
                                  stiffness_file, mass_file, sqrt(fmax(fastest, 0.0)));
}

enum masing_status node_matrices_check(const struct node_matrices *matrices,
                                       const char *stiffness_file, const char *mass_file,
                                       struct masing_error *error)
{
    NEED(check_diagonal(matrices, &matrices->stiffness, stiffness_file, "stiffness", error));
    NEED(check_diagonal(matrices, &matrices->mass, mass_file, "mass", error));
    if (largest_diagonal(&matrices->mass) == 0.0) {
        return masing_error_set(error, MASING_INVALID, "%.400s: the mass is zero at every DOF",
                                mass_file);
    }
    NEED(check_equal(matrices, stiffness_file, mass_file, error));
    for (int direction = 1; direction <= 3; direction++) {
        NEED(check_translation(matrices, mass_file, direction, error));
    }
    NEED(check_speed(matrices, stiffness_file, mass_file, error));
    NEED(check_multipliers(matrices, stiffness_file, error));
    return check_pairs(matrices, mass_file, error);
}
