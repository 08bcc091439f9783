/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/response/linear_peak.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/bracket.h"
#include "linalg/lu.h"
#include "model/joints.h"

enum { N_SCAN = 48, N_GOLDEN = 60 };

/* Peak over the response at the ends of the range from which on it is called unbounded. */
static const double UNBOUNDED = 1e10;

struct linear_response {
    const struct balance *balance;
    struct memory_pool pool;       /* of all arrays */
    struct compliance *compliance; /* at harmonic 1 */
    double *stiffness;             /* [n_axes * n_axes] of the joints as springs */
    int (*rows)[2];  /* [n_axes] which rows of a column its joint reaches, [from, to) */
    double *damping; /* [n_axes] and dashpots, N s/m */
    double omega;
    double complex *matrix, *axes;
    double complex *force; /* [n_in] of the loads */
    int *pivots;
};

static double complex entry(const struct linear_response *response, int out, int in)
{
    size_t at = (size_t)in * (size_t)response->balance->n_out + (size_t)out;
    return response->compliance->real[at] + I * response->compliance->imaginary[at];
}

/* Column b of H (K + i omega C) at one port, without the identity. */
static double complex spring(const struct linear_response *response, int out, int b)
{
    size_t n = (size_t)response->balance->n_axes;
    double complex sum = entry(response, out, b) * I * response->omega * response->damping[b];
    for (int a = response->rows[b][0]; a < response->rows[b][1]; a++) {
        double stiffness = response->stiffness[(size_t)b * n + (size_t)a];
        sum += stiffness != 0.0 ? entry(response, out, a) * stiffness : 0.0;
    }
    return sum;
}

static void fill_loads(struct linear_response *response, double omega)
{
    const struct balance *balance = response->balance;
    const struct masing_model *model = balance->model;
    for (int l = 0; l < model->spec.n_loads; l++) {
        const struct load *load = &model->loads[l];
        double value[2] = {0.0, 0.0}, slope[2];
        if (load->harmonic == 1) {
            load_amplitude(load, omega, value, slope);
        }
        double complex amplitude = value[0] + I * value[1];
        response->force[balance->load_column[l]] = amplitude;
        if (load->imaginary) {
            response->force[balance->load_column[l] + 1] = I * amplitude;
        }
    }
}

static double complex loaded(const struct linear_response *response, int out)
{
    double complex sum = 0.0;
    int n_in = response->balance->n_in - (response->balance->is_static ? 1 : 0);
    for (int in = response->balance->n_axes; in < n_in; in++) {
        sum += entry(response, out, in) * response->force[in];
    }
    return sum;
}

/* |output| with the joints as springs: w = (1 + H K)^-1 H f, x = H f - H K w. */
static double response_size(struct linear_response *response, double omega)
{
    const struct balance *balance = response->balance;
    int n = balance->n_axes;
    if (compliance_evaluate(response->compliance, omega, false) != MASING_OK) {
        return INFINITY;
    }
    fill_loads(response, omega);
    response->omega = omega;
    for (int a = 0; a < n; a++) {
        response->axes[a] = loaded(response, a);
        for (int b = 0; b < n; b++) {
            response->matrix[(size_t)b * (size_t)n + (size_t)a] =
                (a == b ? 1.0 : 0.0) + spring(response, a, b);
        }
    }
    if (n > 0) {
        if (lu_factor_complex(n, response->matrix, response->pivots) != MASING_OK) {
            return INFINITY;
        }
        lu_solve_complex(n, response->matrix, response->pivots, response->axes, 1);
    }
    double complex x = loaded(response, n);
    for (int b = 0; b < n; b++) {
        x -= spring(response, n, b) * response->axes[b];
    }
    double size = cabs(x);
    enum masing_quantity quantity =
        balance->model->spec.outputs[balance->model->spec.peak_output].quantity;
    return isfinite(size) ? size * pow(omega, (double)(int)quantity) : INFINITY;
}

static int compare_numbers(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

/* Frequencies at which to look: evenly over the range, and the natural frequencies in it. */
static int list_candidates(const struct balance *balance, enum balance_joints joints,
                           double *list)
{
    const struct masing_spec *spec = &balance->model->spec;
    const struct structure *structure = balance->structure;
    const double *natural =
        joints == BALANCE_STUCK ? structure->omega_stuck : structure->omega_free;
    double low = fmin(spec->omega_from, spec->omega_to);
    double high = fmax(spec->omega_from, spec->omega_to);
    int n = 0;
    for (int i = 0; i < N_SCAN; i++) {
        list[n++] = low + (high - low) * i / (N_SCAN - 1);
    }
    for (int j = 0; j < structure->n_modes; j++) {
        if (natural[j] > low && natural[j] < high) {
            list[n++] = natural[j];
        }
    }
    qsort(list, (size_t)n, sizeof *list, compare_numbers);
    return n;
}

/* Golden section between the neighbours of the best candidate. */
static void refine(struct linear_response *response, double low, double high,
                   struct linear_peak *peak)
{
    struct golden_section section = golden_section_of(low, peak->omega, -peak->size, high);
    for (int i = 0;
         i < N_GOLDEN && isfinite(section.value) && golden_section_next(&section, 1e-10 * high);
         i++) {
        golden_section_set(&section, -response_size(response, section.x));
    }
    peak->omega = section.best;
    peak->size = -section.value;
}

/* Slope of the force with the velocity at rest; with the joint free, no more than what is left
 * of it at any speed. */
static double joint_damping(const struct joint *joint, enum balance_joints joints)
{
    static const double fast = 1e9;
    double f, fx, at_rest, at_speed;
    if (!joint->law->force) {
        return 0.0;
    }
    joint->law->force(joint->parameters, 0.0, 0.0, &f, &fx, &at_rest);
    joint->law->force(joint->parameters, 0.0, fast, &f, &fx, &at_speed);
    return joints == BALANCE_STUCK ? at_rest : fmin(at_rest, at_speed);
}

static enum masing_status create(const struct balance *balance,
                                 struct linear_response *response, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &balance->model->spec;
    const int one = 1;
    size_t n = (size_t)balance->n_axes, n_in = (size_t)balance->n_in;
    response->balance = balance;
    response->stiffness = memory_pool_array(&response->pool, n * n, sizeof(double));
    response->rows = memory_pool_array(&response->pool, n, sizeof *response->rows);
    response->damping = memory_pool_array(&response->pool, n, sizeof(double));
    response->matrix = memory_pool_array(&response->pool, n * n, sizeof(double complex));
    response->axes = memory_pool_array(&response->pool, n, sizeof(double complex));
    response->force = memory_pool_array(&response->pool, n_in, sizeof(double complex));
    response->pivots = memory_pool_array(&response->pool, n, sizeof(int));
    TRY_ALLOCATED(!response->pool.has_failed);
    struct compliance_settings settings = {
        .n_in = balance->n_in,
        .n_out = balance->n_out,
        .in = balance->in_patterns,
        .out = balance->out_patterns,
        .n_harmonics = 1,
        .harmonics = &one,
        .omega_max = fmax(spec->omega_from, spec->omega_to),
    };
    TRY(compliance_create(balance->structure, &settings, &response->compliance, error));
done:
    return status;
}

static void set_joints(struct linear_response *response, enum balance_joints joints)
{
    const struct balance *balance = response->balance;
    joint_stiffness_matrix(&balance->model->spec, joints == BALANCE_STUCK, balance->n_axes,
                           response->stiffness);
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = &balance->model->joints[j];
        for (int a = 0; a < joint->n_axes; a++) {
            int axis = joint->first_axis + a;
            response->rows[axis][0] = joint->first_axis;
            response->rows[axis][1] = joint->first_axis + joint->n_axes;
            response->damping[axis] = joint_damping(joint, joints);
        }
    }
}

static void find(struct linear_response *response, enum balance_joints joints, double *list,
                 struct linear_peak *peak)
{
    int n = list_candidates(response->balance, joints, list), best = 0;
    set_joints(response, joints);
    peak->size = -1.0;
    for (int i = 0; i < n; i++) {
        double size = response_size(response, list[i]);
        if (size > peak->size) {
            *peak = (struct linear_peak){list[i], size};
            best = i;
        }
    }
    double floor = fmin(response_size(response, list[0]), response_size(response, list[n - 1]));
    refine(response, list[best > 0 ? best - 1 : 0], list[best < n - 1 ? best + 1 : n - 1],
           peak);
    if (peak->size > UNBOUNDED * floor) {
        peak->size = INFINITY; /* an undamped pole, met but for rounding */
    }
}

enum masing_status linear_peaks_find(const struct balance *balance, struct linear_peak *stuck,
                                     struct linear_peak *slipping, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct linear_response response = {0};
    double *list = memory_pool_array(
        &response.pool, N_SCAN + (size_t)balance->structure->n_modes, sizeof *list);
    TRY(create(balance, &response, error));
    find(&response, BALANCE_STUCK, list, stuck);
    find(&response, BALANCE_FREE, list, slipping);
done:
    compliance_destroy(response.compliance);
    memory_pool_clear(&response.pool);
    return status;
}
