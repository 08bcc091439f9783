/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stability/stability.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/eigen.h"
#include "stability/hill.h"
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
static const double REMOTE = 3.0;
/* Rounding of a multiplier; a motion that nothing holds has multipliers of 1, whose defective
 * pairs are known to its square root only. */
static const double ROUNDING = 1e-9, NEUTRAL = 1e-5;
/* How many times the first difference may be wrong. */
static const double FIRST = 4.0;
/* Errors above this part are not good enough while there is something to be done. */
static const double VAGUE = 0.02;
/* An undecided multiplier that is known so well lies on the circle. */
static const double MARGINAL = 1e-7;

struct stability {
    struct floquet *floquet; /* this, or */
    struct hill *hill;
    struct eigen_general *eigen;
    int n_rigid; /* rigid-body modes: twice as many multipliers may be 1 */
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
    while (n > MOST_MODES_AUTO && structure->omega[n - 1] > REMOTE * highest) {
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
    if (method == MASING_STABILITY_HILL) {
        TRY(hill_create(balance, &made->hill, error));
        capacity = 2 * balance->structure->n_modes;
    } else {
        TRY(floquet_create(balance, count_modes(balance, method),
                           method == MASING_STABILITY_AUTO ? MOST_STATES_AUTO : MOST_STATES,
                           &made->floquet, error));
        capacity = made->floquet->variation->capacity;
        TRY(eigen_general_create(capacity, false, &made->eigen, error));
    }
    made->result.real = memory_array((size_t)capacity, sizeof(double));
    made->result.imaginary = memory_array((size_t)capacity, sizeof(double));
    TRY_ALLOCATED(made->result.real && made->result.imaginary);
    *stability = made;
    made = NULL;
done:
    stability_destroy(made);
    return status;
}

void stability_destroy(struct stability *stability)
{
    if (stability) {
        floquet_destroy(stability->floquet);
        hill_destroy(stability->hill);
        eigen_general_destroy(stability->eigen);
        free(stability->result.real);
        free(stability->result.imaginary);
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
        if (most > 0 && hypot(result->real[i] - 1.0, result->imaginary[i]) < NEUTRAL) {
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
};

/*
 * Corners of laws are located within a small part of a step only, so that
 * two estimates agree by chance now and then: the error is a multiple of the first difference,
 * then the range of three. Where a slider rests at its limit the map has two one-sided
 * derivatives, and estimates go on to differ; a verdict needs all of them on one side.
 */
static void judge(struct stability_result *result, const struct estimates *estimates,
                  double first)
{
    int n = estimates->n < 3 ? estimates->n : 3;
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < n; i++) {
        low = fmin(low, estimates->last[i]);
        high = fmax(high, estimates->last[i]);
    }
    double range = n < 2 ? INFINITY : n < 3 ? first * (high - low) : high - low;
    result->error = range + ROUNDING;
    double margin = n < 3 ? result->error : 0.5 * result->error;
    result->verdict = high + margin < 1.0 ? 1 : low - margin > 1.0 ? 0 : -1;
}

static void add(struct stability *stability, struct estimates *estimates)
{
    struct stability_result *result = &stability->result;
    leave_out_neutral(result, 2 * stability->n_rigid);
    sort(result);
    result->largest = result->n > 0 ? hypot(result->real[0], result->imaginary[0]) : 0.0;
    estimates->last[estimates->n % 3] = result->largest;
    estimates->n++;
    judge(result, estimates, FIRST);
}

/* Not decided, or hardly known. */
static bool is_vague(const struct stability_result *result)
{
    return (result->verdict < 0 && !(result->error < MARGINAL)) ||
           result->error > VAGUE * fmax(1.0, result->largest);
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
    for (; n_steps <= MOST_STEPS && is_vague(result); n_steps *= 2) {
        status = solve_floquet(stability, balance, omega, n_steps);
        if (status < 0) {
            return status;
        }
        if (status == MASING_OK) {
            add(stability, &estimates);
        }
    }
    if (estimates.n == 2 && result->verdict < 0) { /* no others were to be had */
        judge(result, &estimates, 0.5 * FIRST);
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
    for (int level = 0; level < hill_levels(stability->hill) && is_vague(result); level++) {
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
