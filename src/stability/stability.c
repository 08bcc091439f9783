/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stability/stability.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "harmonic/basis/basis.h"
#include "linalg/eigen.h"
#include "model/joints.h"
#include "stability/floquet.h"

/* Steps per period: at least, and per period of the highest harmonic. */
enum { FEWEST_STEPS = 64, STEPS_PER_HARMONIC = 4, MOST_STEPS = 4096 };
/* Limits of the automatic method, which has to be quick. */
enum {
    MOST_STATES_AUTO = 400,
    MOST_AXES_AUTO = 8,
    MOST_ELEMENTS_AUTO = 4,
    MOST_MODES_AUTO = 24,
    MOST_STATES = 4000
};
/* Modes beyond so many times the highest harmonic follow their forces without delay. */
static const double MODE_CUTOFF = 3.0;
/* Rounding of a multiplier; a motion that nothing holds has multipliers of 1, whose defective
 * pairs are known to its square root only. */
static const double MULTIPLIER_ROUNDING = 1e-9, NEUTRAL_DISTANCE = 1e-5;
/* How many times the first difference may be wrong. */
static const double FIRST_ERROR_FACTOR = 4.0;
/* Errors above this part are not good enough while there is something to be done. */
static const double VAGUE_ERROR = 0.02;
/* Multipliers beyond this, surely, are far outside of the circle. */
static const double FAR_OUTSIDE = 2.0;
/* An undecided multiplier that is known so well lies on the circle. */
static const double MARGINAL_ERROR = 1e-7;

/* Hill's matrix: a small motion about a periodic solution is e^(s t) p(t) with p periodic, and
 * p's Fourier coefficients obey a quadratic eigenproblem in s. Only where the joints' forces
 * are smooth functions of displacement and velocity: memory would make s appear in
 * exponentials. */

/* Rows that a dense eigenvalue problem may have. p is resolved ever finer: level 0 keeps as
 * many harmonics as the balance, each further one twice as many. */
enum { HILL_MOST_ROWS = 2000, HILL_LEVELS = 4, HILL_FEWEST_HARMONICS = 4 };

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
    struct hill_level level[HILL_LEVELS];
    double *axes; /* [n_axes][n_modes] */
    struct eigen_general *eigen;
    double *matrix, *vectors; /* [rows^2] */
    double *real, *imaginary; /* [rows] */
    double *centre;           /* [rows] */
    int *order;               /* [rows] */
};

static enum masing_status refuse_hill(const struct balance *balance, struct masing_error *error)
{
    const struct masing_model *model = balance->model;
    for (int j = 0; j < model->spec.n_joints; j++) {
        const struct joint *joint = &model->joints[j];
        if (masing_law_state_size(joint->law, joint->parameters) > 0 || joint->n_axes > 1) {
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

static enum masing_status create_level(int highest, struct arena *arena,
                                       struct hill_level *level, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int *list = arena_array(arena, (size_t)highest + 1, sizeof *list), n_samples = 64;
    TRY_ALLOCATED(list);
    for (int h = 0; h <= highest; h++) {
        list[h] = h;
    }
    while (n_samples < 16 * highest) {
        n_samples *= 2;
    }
    TRY(basis_create(list, highest + 1, n_samples, &level->basis, error));
    size_t n = (size_t)n_samples, n_c = (size_t)level->basis->n_coefficients;
    level->x = arena_doubles(arena, n);
    level->v = arena_doubles(arena, n);
    level->fx = arena_doubles(arena, n);
    level->fv = arena_doubles(arena, n);
    level->cosine = arena_doubles(arena, (size_t)level->basis->n_spectrum);
    level->sine = arena_doubles(arena, (size_t)level->basis->n_spectrum);
    level->stiffness = arena_doubles(arena, n_c * n_c);
    level->damping = arena_doubles(arena, n_c * n_c);
    TRY_ALLOCATED(!arena->has_failed);
done:
    return status;
}

/* MASING_UNSUPPORTED for joints with memory, massless DOFs, or where the matrix is too large;
 * hill_clear follows also then. */
static enum masing_status hill_create(const struct balance *balance, struct arena *arena,
                                      struct hill **hill, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n_modes = balance->structure->n_modes, highest = balance->basis->highest;
    TRY(refuse_hill(balance, error));
    struct hill *made = *hill = arena_array(arena, 1, sizeof *made);
    TRY_ALLOCATED(made);
    made->model = balance->model;
    highest = highest < HILL_FEWEST_HARMONICS ? HILL_FEWEST_HARMONICS : highest;
    size_t rows = 0;
    for (; made->n_levels < HILL_LEVELS && rows_of(balance, highest) <= HILL_MOST_ROWS;
         highest *= 2) {
        TRY(create_level(highest, arena, &made->level[made->n_levels], error));
        made->n_levels++;
        rows = rows_of(balance, highest);
    }
    if (made->n_levels < 2) {
        TRY(masing_error_set(error, MASING_UNSUPPORTED,
                             "Hill's matrix of %d modes and %d harmonics has %zu rows, more "
                             "than %d",
                             n_modes, highest, rows_of(balance, highest), HILL_MOST_ROWS));
    }
    TRY(eigen_general_create((int)rows, true, &made->eigen, error));
    made->axes = arena_doubles(arena, (size_t)balance->n_axes * (size_t)n_modes);
    made->matrix = arena_doubles(arena, rows * rows);
    made->vectors = arena_doubles(arena, rows * rows);
    made->real = arena_doubles(arena, rows);
    made->imaginary = arena_doubles(arena, rows);
    made->centre = arena_doubles(arena, rows);
    made->order = arena_array(arena, rows, sizeof *made->order);
    TRY_ALLOCATED(!arena->has_failed);
    axis_shapes(balance->model, n_modes, balance->structure->shapes, made->axes);
done:
    return status;
}

static void hill_clear(struct hill *hill)
{
    for (int l = 0; hill && l < HILL_LEVELS; l++) {
        basis_destroy(hill->level[l].basis);
    }
    if (hill) {
        eigen_general_destroy(hill->eigen);
    }
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
        const struct masing_branch_point at = {.x = level->x[i], .v = level->v[i]};
        struct masing_rate force;
        joint->law->force(joint->parameters, &at, &force);
        level->fx[i] = force.x;
        level->fv[i] = force.v;
    }
    memset(level->stiffness, 0, square * sizeof(double));
    memset(level->damping, 0, square * sizeof(double));
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

/* Multipliers e^(s T), up to 2 n_modes, at a solution that the balance is settled at: of all
 * eigenvalues those whose p is centred best. */
static enum masing_status hill_evaluate(struct hill *hill, const struct balance *balance,
                                        double omega, int level_index, double *real,
                                        double *imaginary, int *n_found)
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

/*
 * Where small motions lose energy whatever the motion is. Beside linear springs and dampers,
 * play operators in parallel (Masing's rules with a backbone that is concave, e.g. Jenkins,
 * Iwan 1966) store 1/2 k (dx - dz)^2 of a small motion and never give it back when they slip
 * (dz = dx): the map of a period contracts the energy, and no multiplier lies outside the unit
 * circle. One that was computed there tells how large its error is.
 */

/* Displacements, in parts of which a backbone is looked at, m, and velocities, m/s. */
static const double SMALLEST_TRIAL = 1e-12, LARGEST_TRIAL = 1e3, TRIAL_RATIO = 1.5;
/* A tangent that grows by no more than this part does not grow. */
static const double TANGENT_ROUNDING = 1e-9;

static bool is_concave(const struct joint *joint)
{
    double force, before = INFINITY, slope = 0.0;
    bool is = joint->law->backbone != NULL;
    for (double u = SMALLEST_TRIAL; is && u < LARGEST_TRIAL; u *= TRIAL_RATIO) {
        joint->law->backbone(joint->parameters, u, &force, &slope);
        is = slope >= 0.0 && slope <= before * (1.0 + TANGENT_ROUNDING);
        before = slope;
    }
    return is;
}

/* A constant stiffness, and a damping that no velocity makes negative. */
static bool is_spring_and_damper(const struct joint *joint)
{
    struct masing_branch_point at = {0};
    struct masing_rate force;
    joint->law->force(joint->parameters, &at, &force);
    double stiffness = force.x;
    bool is = stiffness >= 0.0;
    for (double size = SMALLEST_TRIAL; is && size < LARGEST_TRIAL; size *= TRIAL_RATIO) {
        for (int i = 0; is && i < 4; i++) {
            at.x = i % 2 ? size : -size;
            at.v = i / 2 ? size : -size;
            joint->law->force(joint->parameters, &at, &force);
            is = force.v >= 0.0 && fabs(force.x - stiffness) <= TANGENT_ROUNDING * stiffness;
        }
    }
    return is;
}

static bool is_contraction(const struct masing_model *model)
{
    bool is = true;
    for (int j = 0; j < model->spec.n_joints && is; j++) {
        const struct joint *joint = &model->joints[j];
        const struct masing_family *family = joint->law->family;
        is = family == &masing_family_masing       ? is_concave(joint)
             : family == &masing_family_memoryless ? is_spring_and_damper(joint)
                                                   : false;
    }
    return is;
}

struct stability {
    struct arena arena;
    struct floquet *floquet; /* this, or */
    struct hill *hill;
    struct eigen_general *eigen;
    int n_rigid; /* rigid-body modes: twice as many multipliers may be 1 */
    bool is_contraction;
    struct stability_result result;
};

/* In order of frequency; all of them where they are few. */
static int count_modes(const struct balance *balance, enum masing_stability_method method)
{
    const struct structure *structure = balance->structure;
    const struct masing_spec *spec = &balance->model->spec;
    double highest = balance->basis->highest * fmax(spec->omega_from, spec->omega_to);
    int n = structure->n_modes;
    if (method == MASING_STABILITY_FLOQUET) {
        return n;
    }
    while (n > MOST_MODES_AUTO && structure->omega[n - 1] > MODE_CUTOFF * highest) {
        n--;
    }
    return n;
}

static int count_elements(const struct masing_model *model)
{
    int n = 0;
    for (int j = 0; j < model->spec.n_joints; j++) {
        const struct joint *joint = &model->joints[j];
        n += joint->law->n_elements ? joint->law->n_elements(joint->parameters) : 0;
    }
    return n;
}

static enum masing_status refuse_structure(const struct balance *balance,
                                           enum masing_stability_method method,
                                           struct masing_error *error)
{
    if (balance->structure->loss_factor != 0.0) {
        return masing_error_set(
            error, MASING_UNSUPPORTED,
            "structural damping (a loss factor) has no causal form in time");
    }
    if (method == MASING_STABILITY_AUTO && balance->n_axes > MOST_AXES_AUTO) {
        return masing_error_set(error, MASING_UNSUPPORTED,
                                "%d joint axes would take long: ask for it by name",
                                balance->n_axes);
    }
    int n_elements = count_elements(balance->model);
    if (method == MASING_STABILITY_AUTO && n_elements > MOST_ELEMENTS_AUTO) {
        return masing_error_set(error, MASING_UNSUPPORTED,
                                "%d contact elements would take long: ask for it by name",
                                n_elements);
    }
    return MASING_OK;
}

enum masing_status stability_create(const struct balance *balance,
                                    enum masing_stability_method method,
                                    struct stability **stability, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int capacity = 0;
    struct stability *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    TRY(refuse_structure(balance, method, error));
    made->n_rigid = balance->structure->n_rigid;
    made->is_contraction = is_contraction(balance->model);
    if (method == MASING_STABILITY_HILL) {
        TRY(hill_create(balance, &made->arena, &made->hill, error));
        capacity = 2 * balance->structure->n_modes;
    } else {
        TRY(floquet_create(balance, count_modes(balance, method),
                           method == MASING_STABILITY_AUTO ? MOST_STATES_AUTO : MOST_STATES,
                           &made->arena, &made->floquet, error));
        capacity = made->floquet->variation->capacity;
        TRY(eigen_general_create(capacity, false, &made->eigen, error));
    }
    made->result.real = arena_doubles(&made->arena, (size_t)capacity);
    made->result.imaginary = arena_doubles(&made->arena, (size_t)capacity);
    TRY_ALLOCATED(!made->arena.has_failed);
    *stability = made;
    made = NULL;
done:
    stability_destroy(made);
    return status;
}

void stability_destroy(struct stability *stability)
{
    if (stability) {
        hill_clear(stability->hill);
        eigen_general_destroy(stability->eigen);
        arena_clear(&stability->arena);
        free(stability);
    }
}

static void sort(struct stability_result *result)
{
    for (int i = 1; i < result->n; i++) {
        double real = result->real[i], imaginary = result->imaginary[i];
        double size = hypot(real, imaginary);
        int k = i;
        while (k > 0 && hypot(result->real[k - 1], result->imaginary[k - 1]) < size) {
            result->real[k] = result->real[k - 1];
            result->imaginary[k] = result->imaginary[k - 1];
            k--;
        }
        result->real[k] = real;
        result->imaginary[k] = imaginary;
    }
}

/* Rigid-body motions that nothing holds are neither stable nor unstable. */
static void leave_out_neutral(struct stability_result *result, int most)
{
    int n = 0;
    for (int i = 0; i < result->n; i++) {
        if (most > 0 && hypot(result->real[i] - 1.0, result->imaginary[i]) < NEUTRAL_DISTANCE) {
            most--;
            continue;
        }
        result->real[n] = result->real[i];
        result->imaginary[n++] = result->imaginary[i];
    }
    result->n = n;
}

/* Estimates of the largest modulus, ever finer; the last ones are kept. */
struct estimates {
    double last[3];
    int n;
    double least; /* the largest modulus is hardly less than that */
};

/*
 * Corners of laws are located within a small part of a step only, so that
 * two estimates agree by chance now and then: the error is a multiple of the first difference,
 * then the range of three. Where a slider rests at its limit the map has two one-sided
 * derivatives, and estimates go on to differ; a verdict needs all of them on one side. Where
 * motions part quickly, estimates differ by a factor: outside of the circle logarithms count.
 */
static void judge(struct stability_result *result, struct estimates *estimates, double first)
{
    int n = estimates->n < 3 ? estimates->n : 3;
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < n; i++) {
        low = fmin(low, estimates->last[i]);
        high = fmax(high, estimates->last[i]);
    }
    double range = n < 2 ? INFINITY : n < 3 ? first * (high - low) : high - low;
    result->error = range + MULTIPLIER_ROUNDING;
    double margin = n < 3 ? result->error : 0.5 * result->error;
    estimates->least = low - margin;
    if (low > 1.0 && n > 1) {
        double parts = pow(low / high, n < 3 ? first : 0.5);
        estimates->least = fmax(low - margin, low * parts - MULTIPLIER_ROUNDING);
    }
    result->verdict = high + margin < 1.0 ? 1 : estimates->least > 1.0 ? 0 : -1;
}

static void add(struct stability *stability, struct estimates *estimates)
{
    struct stability_result *result = &stability->result;
    leave_out_neutral(result, 2 * stability->n_rigid);
    sort(result);
    result->largest = result->n > 0 ? hypot(result->real[0], result->imaginary[0]) : 0.0;
    estimates->last[estimates->n % 3] = result->largest;
    estimates->n++;
    judge(result, estimates, FIRST_ERROR_FACTOR);
}

/* Not decided, or hardly known; how large a multiplier far outside of the circle is changes
 * nothing, and where motions part quickly it takes many steps to find. */
static bool is_vague(const struct stability_result *result, const struct estimates *estimates)
{
    if (result->verdict == 0 && estimates->least > FAR_OUTSIDE) {
        return false;
    }
    return (result->verdict < 0 && !(result->error < MARGINAL_ERROR)) ||
           result->error > VAGUE_ERROR * fmax(1.0, result->largest);
}

static enum masing_status solve_floquet(struct stability *stability,
                                        const struct balance *balance, double omega,
                                        int n_steps)
{
    const struct variation *variation = stability->floquet->variation;
    enum masing_status status = floquet_evaluate(stability->floquet, balance, omega, n_steps);
    stability->result.n = variation->n;
    stability->result.n_steps = n_steps;
    return status == MASING_OK
               ? eigen_general_solve(stability->eigen, variation->n, variation->map,
                                     stability->result.real, stability->result.imaginary, NULL)
               : status;
}

/* A multiplier outside the circle that cannot be there: by so much at least the map is wrong,
 * by truncation of the motion or of what joints remember. The error is a range. */
static void cover_truncation(struct stability_result *result)
{
    if (result->largest > 1.0) {
        result->error = fmax(result->error, 2.0 * (result->largest - 1.0));
        result->verdict = -1;
    }
}

/* Twice as many steps until the error of the largest multiplier is small enough. */
static enum masing_status evaluate_floquet(struct stability *stability,
                                           const struct balance *balance, double omega)
{
    struct stability_result *result = &stability->result;
    struct estimates estimates = {.n = 0};
    int n_steps = FEWEST_STEPS;
    enum masing_status status = MASING_OK;
    while (n_steps < STEPS_PER_HARMONIC * balance->basis->highest) {
        n_steps *= 2;
    }
    result->verdict = -1;
    result->error = INFINITY;
    for (; n_steps <= MOST_STEPS && is_vague(result, &estimates); n_steps *= 2) {
        status = solve_floquet(stability, balance, omega, n_steps);
        if (status < 0) {
            return status;
        }
        if (status == MASING_OK) {
            add(stability, &estimates);
        }
    }
    if (estimates.n == 2 && result->verdict < 0) { /* no others were to be had */
        judge(result, &estimates, 0.5 * FIRST_ERROR_FACTOR);
    }
    if (stability->is_contraction) {
        cover_truncation(result);
    }
    return estimates.n > 0 ? MASING_OK : status;
}

/* More harmonics of the small motion until the error of the largest multiplier is small. */
static enum masing_status evaluate_hill(struct stability *stability,
                                        const struct balance *balance, double omega)
{
    struct stability_result *result = &stability->result;
    struct estimates estimates = {.n = 0};
    enum masing_status status = MASING_OK;
    result->verdict = -1;
    result->error = INFINITY;
    for (int level = 0; level < stability->hill->n_levels && is_vague(result, &estimates);
         level++) {
        status = hill_evaluate(stability->hill, balance, omega, level, result->real,
                               result->imaginary, &result->n);
        if (status != MASING_OK) {
            break;
        }
        add(stability, &estimates);
    }
    return status;
}

enum masing_status stability_evaluate(struct stability *stability,
                                      const struct balance *balance, double omega,
                                      const struct stability_result **result)
{
    *result = &stability->result;
    return stability->hill ? evaluate_hill(stability, balance, omega)
                           : evaluate_floquet(stability, balance, omega);
}
