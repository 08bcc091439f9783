/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stability/hill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "harmonic/basis/multiplication.h"
#include "linalg/eigen.h"
#include "model/joints.h"

/* Rows that a dense eigenvalue problem may have, and levels of resolution. */
enum { MOST_ROWS = 2000, LEVELS = 4, FEWEST_HARMONICS = 4 };

struct hill_level {
    struct basis *basis;         /* of p, with samples for the tangents */
    double *x, *v;               /* [n_samples] motion of one joint */
    double *fx, *fv;             /* [n_samples] its tangents */
    double *cosine, *sine;       /* [n_spectrum] */
    double *stiffness, *damping; /* [m * m] multiplication by the tangents, m coefficients */
};

struct hill {
    const struct masing_model *model;
    int n_levels;
    struct hill_level level[LEVELS];
    double *axes; /* [n_axes][n_modes] */
    struct eigen_general *eigen;
    double *matrix, *vectors; /* [rows^2] */
    double *real, *imaginary; /* [rows] */
    double *centre;           /* [rows] */
    int *order;               /* [rows] */
};

static enum masing_status refuse(const struct balance *balance, struct masing_error *error)
{
    const struct masing_model *model = balance->model;
    for (int j = 0; j < model->spec.n_joints; j++) {
        const struct joint *joint = &model->joints[j];
        if (joint->law->family->state_size(joint->law, joint->parameters) > 0 ||
            joint->n_axes > 1) {
            return masing_error_set(error, MASING_UNSUPPORTED,
                                    "Hill's matrix needs forces without memory, and joint %s "
                                    "(%s) has one: Floquet multipliers are found for any law",
                                    joint->name, joint->law->name);
        }
    }
    if (balance->structure->flexibility) {
        return masing_error_set(error, MASING_UNSUPPORTED,
                                "Hill's matrix with massless DOFs is not supported");
    }
    return MASING_OK;
}

static size_t rows_of(const struct balance *balance, int highest)
{
    return 2 * (size_t)balance->structure->n_modes * (size_t)(2 * highest + 1);
}

static enum masing_status create_level(int highest, struct hill_level *level,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int *list = memory_array((size_t)highest + 1, sizeof *list), n_samples = 64;
    TRY_ALLOCATED(list);
    for (int h = 0; h <= highest; h++) {
        list[h] = h;
    }
    while (n_samples < 16 * highest) {
        n_samples *= 2;
    }
    TRY(basis_create(list, highest + 1, n_samples, &level->basis, error));
    size_t n = (size_t)n_samples, n_c = (size_t)level->basis->n_coefficients;
    size_t n_spectrum = (size_t)level->basis->n_spectrum;
    level->x = memory_array(4 * n + 2 * n_spectrum + 2 * n_c * n_c, sizeof(double));
    TRY_ALLOCATED(level->x);
    level->v = level->x + n;
    level->fx = level->v + n;
    level->fv = level->fx + n;
    level->cosine = level->fv + n;
    level->sine = level->cosine + n_spectrum;
    level->stiffness = level->sine + n_spectrum;
    level->damping = level->stiffness + n_c * n_c;
done:
    free(list);
    return status;
}

enum masing_status hill_create(const struct balance *balance, struct hill **hill,
                               struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct hill *made = NULL;
    int highest = balance->basis->highest;
    TRY(refuse(balance, error));
    made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->model = balance->model;
    highest = highest < FEWEST_HARMONICS ? FEWEST_HARMONICS : highest;
    size_t rows = 0;
    for (; made->n_levels < LEVELS && rows_of(balance, highest) <= MOST_ROWS; highest *= 2) {
        TRY(create_level(highest, &made->level[made->n_levels], error));
        made->n_levels++;
        rows = rows_of(balance, highest);
    }
    if (made->n_levels < 2) {
        TRY(masing_error_set(error, MASING_UNSUPPORTED,
                             "Hill's matrix of %d modes and %d harmonics has %zu rows, more "
                             "than %d",
                             balance->structure->n_modes, highest, rows_of(balance, highest),
                             MOST_ROWS));
    }
    TRY(eigen_general_create((int)rows, true, &made->eigen, error));
    made->axes = memory_array((size_t)balance->n_axes * (size_t)balance->structure->n_modes,
                              sizeof(double));
    made->matrix = memory_array(rows * rows, sizeof(double));
    made->vectors = memory_array(rows * rows, sizeof(double));
    made->real = memory_array(3 * rows, sizeof(double));
    made->order = memory_array(rows, sizeof *made->order);
    TRY_ALLOCATED(made->axes && made->matrix && made->vectors && made->real && made->order);
    made->imaginary = made->real + rows;
    made->centre = made->imaginary + rows;
    axis_shapes(balance->model, balance->structure->n_modes, balance->structure->shapes,
                made->axes);
    *hill = made;
    made = NULL;
done:
    hill_destroy(made);
    return status;
}

void hill_destroy(struct hill *hill)
{
    if (!hill) {
        return;
    }
    for (int l = 0; l < LEVELS; l++) {
        basis_destroy(hill->level[l].basis);
        free(hill->level[l].x);
    }
    eigen_general_destroy(hill->eigen);
    free(hill->axes);
    free(hill->matrix);
    free(hill->vectors);
    free(hill->real);
    free(hill->order);
    free(hill);
}

int hill_levels(const struct hill *hill)
{
    return hill->n_levels;
}

/* Motion of a joint at the samples of the level. */
static void sample(const struct hill_level *level, const struct joint_response *response,
                   double omega)
{
    const struct basis *basis = response->basis;
    for (int i = 0; i < level->basis->n_samples; i++) {
        level->x[i] = level->v[i] = 0.0;
        for (int k = 0; k < basis->n_harmonics; k++) {
            int h = basis->harmonics[k];
            const double *c = response->x + basis->position[k];
            double angle =
                TWO_PI * (double)(h * i % level->basis->n_samples) / level->basis->n_samples;
            level->x[i] += c[0] * cos(angle) + (h > 0 ? c[1] * sin(angle) : 0.0);
            level->v[i] += h > 0 ? omega * h * (c[1] * cos(angle) - c[0] * sin(angle)) : 0.0;
        }
    }
}

/* Multiplication by the joint's tangents along its motion. */
static void multiply_by_tangents(const struct hill_level *level, const struct joint *joint,
                                 const struct joint_response *response, double omega)
{
    struct basis *basis = level->basis;
    size_t square = (size_t)basis->n_coefficients * (size_t)basis->n_coefficients;
    sample(level, response, omega);
    for (int i = 0; i < basis->n_samples; i++) {
        double force;
        joint->law->force(joint->parameters, level->x[i], level->v[i], &force, &level->fx[i],
                          &level->fv[i]);
    }
    memset(level->stiffness, 0, 2 * square * sizeof(double));
    basis_spectrum(basis, level->fx, level->cosine, level->sine);
    multiplication_add(basis, level->cosine, level->sine, level->stiffness);
    basis_spectrum(basis, level->fv, level->cosine, level->sine);
    multiplication_add(basis, level->cosine, level->sine, level->damping);
}

/* One joint's part of the lower half: -(T_x + T_v A) and -T_v between all modes, where A
 * differentiates p: (a, b) -> Omega h (b, -a). */
static void add_joint(const struct hill *hill, const struct hill_level *level, int axis,
                      double omega, size_t rows)
{
    size_t n = (size_t)hill->model->structure->n_modes;
    size_t m = (size_t)level->basis->n_coefficients;
    const double *shape = hill->axes + (size_t)axis * n;
    for (size_t j = 0; j < n; j++) {
        for (size_t c = 0; c < m; c++) {
            /* column c of T_v A is column `other` of T_v times a factor */
            double h = (double)((c + 1) / 2) * omega;
            size_t other = c == 0 ? 0 : c % 2 == 1 ? c + 1 : c - 1;
            double factor = c == 0 ? 0.0 : c % 2 == 1 ? -h : h;
            double *by_p = hill->matrix + (j * m + c) * rows + n * m;
            double *by_rate = by_p + n * m * rows;
            const double *t_x = level->stiffness + c * m, *t_v = level->damping + c * m;
            const double *t_a = level->damping + other * m;
            for (size_t i = 0; i < n; i++) {
                double weight = shape[i] * shape[j];
                for (size_t r = 0; r < m; r++) {
                    by_p[i * m + r] -= weight * (t_x[r] + factor * t_a[r]);
                    by_rate[i * m + r] -= weight * t_v[r];
                }
            }
        }
    }
}

static double damping_of(const struct structure *structure, size_t i, size_t j)
{
    if (structure->damping_matrix) {
        return structure->damping_matrix[i + j * (size_t)structure->n_modes];
    }
    return i == j ? structure->modal_damping[i] : 0.0;
}

/* The structure's part: rate of p, -(A^2 + D A + omega_k^2) p - (2 A + D) rate. */
static void add_structure(const struct hill *hill, const struct hill_level *level, double omega,
                          size_t rows)
{
    const struct structure *structure = hill->model->structure;
    size_t n = (size_t)structure->n_modes, m = (size_t)level->basis->n_coefficients;
    for (size_t j = 0; j < n; j++) {
        for (size_t c = 0; c < m; c++) {
            double h = (double)((c + 1) / 2) * omega, square = structure->omega[j];
            size_t other = c == 0 ? 0 : c % 2 == 1 ? c + 1 : c - 1;
            double factor = c == 0 ? 0.0 : c % 2 == 1 ? -h : h;
            double *by_p = hill->matrix + (j * m + c) * rows + n * m;
            double *by_rate = by_p + n * m * rows;
            by_rate[(j * m + c) - n * m] = 1.0;
            by_p[j * m + c] -= square * square - h * h;
            by_rate[j * m + other] -= 2.0 * factor;
            for (size_t i = 0; i < n; i++) {
                double damping = damping_of(structure, i, j);
                by_p[i * m + other] -= damping * factor;
                by_rate[i * m + c] -= damping;
            }
        }
    }
}

/* Mean harmonic of p, 0 where it is centred: |sum k |p_k|^2| / sum |p_k|^2. */
static double centre_of(const struct hill *hill, size_t rows, size_t m, int index)
{
    bool is_pair = hill->imaginary[index] != 0.0;
    int first = is_pair && hill->imaginary[index] < 0.0 ? index - 1 : index;
    const double *re = hill->vectors + (size_t)first * rows;
    const double *im = is_pair ? re + rows : NULL;
    double sum = 0.0, weighted = 0.0;
    for (size_t i = 0; i < rows / 2; i += m) {
        sum += re[i] * re[i] + (im ? im[i] * im[i] : 0.0);
        for (size_t c = 1; c + 1 < m; c += 2) {
            /* p_+-h = (a -+ i b) / 2 with complex a, b */
            double a_re = re[i + c], b_re = re[i + c + 1];
            double a_im = im ? im[i + c] : 0.0, b_im = im ? im[i + c + 1] : 0.0;
            double plus =
                0.25 * ((a_re + b_im) * (a_re + b_im) + (a_im - b_re) * (a_im - b_re));
            double minus =
                0.25 * ((a_re - b_im) * (a_re - b_im) + (a_im + b_re) * (a_im + b_re));
            double h = (double)((c + 1) / 2);
            sum += plus + minus;
            weighted += h * (plus - minus);
        }
    }
    return sum > 0.0 ? fabs(weighted) / sum : INFINITY;
}

/* Exponents that differ by less, in multiples of Omega, are the same. */
static const double SAME_EXPONENT = 1e-4;

/* Whether two exponents are the same but for a multiple of i Omega. */
static bool is_same(const struct hill *hill, int i, int j, double omega)
{
    double turns = (hill->imaginary[i] - hill->imaginary[j]) / omega;
    return fabs(turns) > 0.5 && fabs(turns - round(turns)) < SAME_EXPONENT &&
           fabs(hill->real[i] - hill->real[j]) < SAME_EXPONENT * omega;
}

/* The n_wanted best centred, each once; returns how many there are. */
static int choose(struct hill *hill, int rows, int n_wanted, double omega, double *real,
                  double *imaginary)
{
    int n = 0;
    for (int i = 1; i < rows; i++) {
        int moved = hill->order[i], k = i;
        while (k > 0 && hill->centre[hill->order[k - 1]] > hill->centre[moved]) {
            hill->order[k] = hill->order[k - 1];
            k--;
        }
        hill->order[k] = moved;
    }
    for (int i = 0; i < rows && n < n_wanted; i++) {
        int at = hill->order[i];
        bool is_known = false;
        for (int k = 0; k < n && !is_known; k++) {
            is_known = is_same(hill, at, hill->order[k], omega);
        }
        if (is_known) {
            continue;
        }
        hill->order[n] = at; /* entries before i are no longer needed */
        double size = exp(hill->real[at] * TWO_PI / omega);
        real[n] = size * cos(hill->imaginary[at] * TWO_PI / omega);
        imaginary[n++] = size * sin(hill->imaginary[at] * TWO_PI / omega);
    }
    return n;
}

enum masing_status hill_evaluate(struct hill *hill, const struct balance *balance, double omega,
                                 int level_index, double *real, double *imaginary, int *n_found)
{
    struct hill_level *level = &hill->level[level_index];
    size_t n = (size_t)hill->model->structure->n_modes;
    size_t m = (size_t)level->basis->n_coefficients, rows = 2 * n * m;
    memset(hill->matrix, 0, rows * rows * sizeof(double));
    add_structure(hill, level, omega, rows);
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = &hill->model->joints[j];
        multiply_by_tangents(level, joint, balance->joints[j], omega);
        add_joint(hill, level, joint->first_axis, omega, rows);
    }
    enum masing_status status = eigen_general_solve(hill->eigen, (int)rows, hill->matrix,
                                                    hill->real, hill->imaginary, hill->vectors);
    if (status != MASING_OK) {
        return status;
    }
    for (int i = 0; i < (int)rows; i++) {
        hill->order[i] = i;
        hill->centre[i] = centre_of(hill, rows, m, i);
    }
    *n_found = choose(hill, (int)rows, 2 * (int)n, omega, real, imaginary);
    return MASING_OK;
}
