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
#include "model/cyclic.h"
#include "model/joints.h"
#include "stability/floquet.h"
#include "stability/phases.h"
#include "stability/whole_disk.h"

/* Steps per period: at least, and per period of the highest harmonic. */
enum { FEWEST_STEPS = 64, STEPS_PER_HARMONIC = 4, MOST_STEPS = 4096 };
/* Elements per period that Hill's equation is solved in. */
enum { MOST_ELEMENTS = 512 };
/* Limits of the automatic method, which has to be quick. */
enum {
    MOST_STATES_AUTO = 400,
    MOST_AXES_AUTO = 8,
    MOST_ELEMENTS_AUTO = 4,
    MOST_MODES_AUTO = 24,
    MOST_STATES = 4000
};
/* By its name: with 255 axes a point takes minutes, and the time grows with their cube. */
enum { MOST_AXES = 200 };
/* Modes beyond so many times the highest harmonic follow their forces without delay. */
static const double MODE_CUTOFF = 3.0;
/* Rounding of a multiplier; a motion that nothing holds has multipliers of 1, whose defective
 * pairs are known to its square root only. */
static const double MULTIPLIER_ROUNDING = 1e-9, NEUTRAL_DISTANCE = 1e-5;
/* How many times the first difference may be wrong. */
static const double FIRST_ERROR_FACTOR = 4.0;
/* Errors above this part are not good enough while there is something to be done. */
static const double VAGUE_ERROR = 0.02;
/* Smooth maps are found to this error, if it shrinks by this part at least each time. */
static const double SMOOTH_ERROR = 1e-6, SMOOTH_SHRINKAGE = 0.05;
/* Truncation of the motion may turn the verdict of a multiplier within so much of the circle.
 */
static const double NEAR_CIRCLE = 0.02;
/* Multipliers beyond this, surely, are far outside of the circle. */
static const double FAR_OUTSIDE = 2.0;
/* An undecided multiplier that is known so well lies on the circle. */
static const double MARGINAL_ERROR = 1e-7;

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
    joint->law->force(joint->parameters, 1, &at, &force);
    double stiffness = force.x;
    const struct masing_law *law = joint->law;
    bool is = stiffness >= 0.0 &&
              !(law->energy_limit && isfinite(law->energy_limit(joint->parameters)));
    for (double size = SMALLEST_TRIAL; is && size < LARGEST_TRIAL; size *= TRIAL_RATIO) {
        for (int i = 0; is && i < 4; i++) {
            at.x = i % 2 ? size : -size;
            at.v = i / 2 ? size : -size;
            joint->law->force(joint->parameters, 1, &at, &force);
            is = force.v >= 0.0 && fabs(force.x - stiffness) <= TANGENT_ROUNDING * stiffness;
        }
    }
    return is;
}

static bool is_contraction(const struct masing_model *model)
{
    bool is = !model->spec.structure.is_active;
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
    struct whole_disk *whole; /* of one sector: all that follows is of it */
    int n_sectors;
    struct eigen_general
        *shaped; /* with vectors, and what it takes: [capacity]^2, [capacity] */
    double *vectors, *of_real, *of_imaginary;
    struct floquet *floquet; /* this, or */
    struct hill *hill;
    struct phases *phases; /* before floquet, where it is to be had */
    struct eigen_general *eigen;
    int n_rigid; /* rigid-body modes: twice as many multipliers may be 1 */
    bool is_contraction;
    struct stability_result result, truncated; /* truncated: without the last harmonics */
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

static enum masing_status refuse_structure(const struct balance *balance,
                                           enum masing_stability_method method,
                                           struct masing_error *error)
{
    NEED(speed_refuse(balance->model, "stability is", error));
    const struct cyclic *cyclic = balance->model->cyclic;
    int n_sectors = cyclic ? cyclic->n_sectors : 1;
    long n_axes = (long)n_sectors * balance->n_axes;
    const char *of_disk = cyclic ? " of the whole disk" : "";
    if (balance->structure->loss_factor != 0.0) {
        return masing_error_set(
            error, MASING_UNSUPPORTED,
            "structural damping (a loss factor) has no causal form in time");
    }
    const struct masing_model *model = balance->model;
    int n_elements = 0;
    for (int j = 0; j < model->spec.n_joints; j++) {
        const struct joint *joint = &model->joints[j];
        n_elements += joint->law->n_elements ? joint->law->n_elements(joint->parameters) : 0;
    }
    if (method == MASING_STABILITY_FLOQUET && n_axes > MOST_AXES) {
        return masing_error_set(error, MASING_UNSUPPORTED,
                                "%ld joint axes%s would take hours: Floquet multipliers are "
                                "found for at most %d",
                                n_axes, of_disk, MOST_AXES);
    }
    long n_dofs = (long)n_sectors * balance->structure->n_dofs;
    if (cyclic && n_dofs > MOST_STATES / 2) {
        return masing_error_set(error, MASING_UNSUPPORTED,
                                "the whole disk has %ld DOFs: multipliers are found for at "
                                "most %d",
                                n_dofs, MOST_STATES / 2);
    }
    n_elements *= n_sectors;
    bool has_many_axes = n_axes > MOST_AXES_AUTO;
    return method != MASING_STABILITY_AUTO ||
                   (!has_many_axes && n_elements <= MOST_ELEMENTS_AUTO)
               ? MASING_OK
               : masing_error_set(error, MASING_UNSUPPORTED,
                                  "%ld %s%s would take long: ask for it by name",
                                  has_many_axes ? n_axes : n_elements,
                                  has_many_axes ? "joint axes" : "contact elements", of_disk);
}

static enum masing_status create_shapes(struct stability *stability, int capacity,
                                        struct masing_error *error)
{
    size_t n = (size_t)capacity;
    NEED(eigen_general_create(capacity, true, &stability->shaped, error));
    stability->vectors = arena_doubles(&stability->arena, n * n);
    stability->of_real = arena_doubles(&stability->arena, n);
    stability->of_imaginary = arena_doubles(&stability->arena, n);
    NEED_ALLOCATED(!stability->arena.has_failed);
    return MASING_OK;
}

enum masing_status stability_create(const struct balance *balance,
                                    enum masing_stability_method method,
                                    struct stability **stability, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int capacity = 0, capacity_phases = 0;
    struct stability *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    TRY(refuse_structure(balance, method, error));
    if (balance->model->cyclic) {
        TRY(whole_disk_create(balance, &made->whole, error));
        made->n_sectors = balance->model->cyclic->n_sectors;
        balance = made->whole->balance;
    }
    made->n_rigid = balance->structure->n_rigid;
    made->is_contraction = is_contraction(balance->model);
    if (method == MASING_STABILITY_HILL) {
        TRY(hill_create(balance, &made->arena, &made->hill, error));
        capacity = 2 * balance->structure->n_modes;
    } else {
        bool is_auto = method == MASING_STABILITY_AUTO;
        int n_modes = count_modes(balance, method);
        TRY(floquet_create(balance, n_modes, is_auto ? MOST_STATES_AUTO : MOST_STATES,
                           &made->arena, &made->floquet, error));
        TRY(phases_create(balance, n_modes, is_auto && made->is_contraction, &made->arena,
                          &made->phases, error));
        capacity = made->floquet->variation->capacity;
        capacity_phases = made->phases ? phases_capacity(made->phases) : 0;
    }
    TRY(eigen_general_create(capacity, false, &made->eigen, error));
    TRY(made->whole ? create_shapes(made, capacity, error) : MASING_OK);
    capacity = capacity > capacity_phases ? capacity : capacity_phases;
    struct stability_result *results[] = {&made->result, &made->truncated};
    for (int i = 0; i < 2; i++) {
        results[i]->real = arena_doubles(&made->arena, (size_t)capacity);
        results[i]->imaginary = arena_doubles(&made->arena, (size_t)capacity);
    }
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
        eigen_general_destroy(stability->eigen);
        eigen_general_destroy(stability->shaped);
        whole_disk_destroy(stability->whole);
        phases_destroy(stability->phases);
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
    double least, most; /* between which the largest modulus is, rather surely */
};

/* Where both may be off by so much. */
static int verdict_of(const struct estimates *estimates, double error)
{
    return estimates->most + error < 1.0 ? 1 : estimates->least - error > 1.0 ? 0 : -1;
}

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
    estimates->most = high + margin;
    result->verdict = verdict_of(estimates, 0.0);
}

static void arrange(struct stability_result *result, int n_rigid)
{
    leave_out_neutral(result, 2 * n_rigid);
    sort(result);
    result->largest = result->n > 0 ? hypot(result->real[0], result->imaginary[0]) : 0.0;
}

static void add(struct stability *stability, struct estimates *estimates)
{
    struct stability_result *result = &stability->result;
    arrange(result, stability->n_rigid);
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

/* The map of a period by so many steps, of the motion of the first n_kept coefficients. */
static enum masing_status find_map(struct stability *stability, const struct balance *balance,
                                   double omega, int n_steps, int n_kept, int *n, double **map)
{
    const struct variation *variation = stability->hill ? NULL : stability->floquet->variation;
    enum masing_status status =
        stability->hill ? hill_evaluate(stability->hill, balance, omega, n_steps, n_kept)
                        : floquet_evaluate(stability->floquet, balance, omega, n_steps, n_kept);
    *map = variation ? variation->map : hill_map(stability->hill);
    *n = variation ? variation->n : 2 * balance->structure->n_modes;
    return status;
}

/* Its multipliers. */
static enum masing_status solve(struct stability *stability, const struct balance *balance,
                                double omega, int n_steps, int n_kept,
                                struct stability_result *result)
{
    double *map;
    enum masing_status status =
        find_map(stability, balance, omega, n_steps, n_kept, &result->n, &map);
    result->n_steps = n_steps;
    return status == MASING_OK ? eigen_general_solve(stability->eigen, result->n, map,
                                                     result->real, result->imaginary, NULL)
                               : status;
}

/*
 * Near the circle, what the last harmonics do to the largest multiplier counts as what those do
 * that the motion lacks.
 */
static void cover_last_harmonics(struct stability *stability, const struct balance *balance,
                                 double omega, const struct estimates *estimates)
{
    struct stability_result *result = &stability->result, *truncated = &stability->truncated;
    int n_kept = basis_count_first(balance->basis);
    if (n_kept == 0 || result->verdict < 0 || fabs(result->largest - 1.0) > NEAR_CIRCLE ||
        solve(stability, balance, omega, result->n_steps, n_kept, truncated) != MASING_OK) {
        return;
    }
    arrange(truncated, stability->n_rigid);
    double error = fabs(truncated->largest - result->largest);
    result->error += error;
    result->verdict = verdict_of(estimates, error);
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

/* The multipliers from the changes of state that the balance knows, where they are within the
 * circle by more than what truncation of the motion does: others are looked at step by step. */
static bool is_surely_stable(struct stability *stability, double omega)
{
    struct stability_result *result = &stability->result;
    struct phases_result found = {.real = result->real, .imaginary = result->imaginary};
    if (!stability->phases || phases_evaluate(stability->phases, omega, &found) != MASING_OK) {
        return false;
    }
    result->n = found.n;
    result->n_steps = found.n_changes;
    arrange(result, stability->n_rigid);
    result->error = found.error + MULTIPLIER_ROUNDING;
    result->verdict = 1;
    return result->largest + result->error < 1.0;
}

/* Twice as many steps until the error of the largest multiplier is small enough. */
enum masing_status stability_evaluate(struct stability *stability,
                                      const struct balance *balance, double omega,
                                      const struct stability_result **found)
{
    struct stability_result *result = &stability->result;
    struct estimates estimates = {.n = 0};
    enum masing_status status = MASING_OK;
    bool is_hill = stability->hill != NULL, is_smooth = is_hill;
    int highest = balance->basis->highest;
    int n_steps =
        is_hill ? hill_fewest_elements(stability->hill, highest, omega) : FEWEST_STEPS;
    int most_steps = is_hill ? MOST_ELEMENTS : MOST_STEPS;
    while (!is_hill && n_steps < STEPS_PER_HARMONIC * highest) {
        n_steps *= 2;
    }
    *found = result;
    if (stability->whole) {
        NEED(whole_disk_settle(stability->whole, balance, omega));
        balance = stability->whole->balance;
    }
    if (is_surely_stable(stability, omega)) {
        return MASING_OK;
    }
    result->verdict = -1;
    result->error = INFINITY;
    for (double limit = VAGUE_ERROR;
         n_steps <= most_steps && (is_vague(result, &estimates) || result->error > limit);
         n_steps *= 2) {
        double before = result->error;
        status = solve(stability, balance, omega, n_steps, balance->n_coefficients, result);
        if (status < 0) {
            return status;
        }
        if (is_smooth && estimates.n == 2) { /* the last two are enough */
            estimates.last[0] = estimates.last[1];
            estimates.n = 1;
        }
        if (status == MASING_OK) {
            add(stability, &estimates);
        }
        is_smooth = is_smooth && !(result->error > SMOOTH_SHRINKAGE * before);
        limit = is_smooth ? SMOOTH_ERROR * fmax(1.0, result->largest) : INFINITY;
    }
    if (estimates.n == 2 && result->verdict < 0) { /* no others were to be had */
        judge(result, &estimates, 0.5 * FIRST_ERROR_FACTOR);
    }
    if (stability->is_contraction) {
        cover_truncation(result);
    } else {
        cover_last_harmonics(stability, balance, omega, &estimates);
    }
    return estimates.n > 0 ? MASING_OK : status;
}

int stability_diameter(struct stability *stability, double omega)
{
    const struct stability_result *result = &stability->result;
    int n, n_modes, largest = -1;
    double *map, distance = INFINITY;
    if (!stability->whole || result->n == 0) {
        return -1;
    }
    const struct balance *balance = stability->whole->balance;
    double *real = stability->of_real, *imaginary = stability->of_imaginary;
    int n_steps = result->n_steps; /* or changes of state */
    n_steps = stability->hill || n_steps > FEWEST_STEPS ? n_steps : FEWEST_STEPS;
    if (find_map(stability, balance, omega, n_steps, balance->n_coefficients, &n, &map) !=
            MASING_OK ||
        eigen_general_solve(stability->shaped, n, map, real, imaginary, stability->vectors) !=
            MASING_OK) {
        return -1;
    }
    for (int i = 0; i < n; i++) {
        double off =
            hypot(real[i] - result->real[0], fabs(imaginary[i]) - fabs(result->imaginary[0]));
        if (off < distance && imaginary[i] >= 0.0) { /* a pair: its first column */
            distance = off;
            largest = i;
        }
    }
    if (largest < 0) {
        return -1;
    }
    n_modes =
        stability->hill ? balance->structure->n_modes : stability->floquet->variation->n_modes;
    const double *vector = stability->vectors + (size_t)largest * (size_t)n;
    memset(real, 0, (size_t)n * sizeof *real); /* the imaginary part of what is real */
    return whole_disk_diameter(stability->whole, stability->n_sectors, n_modes, omega, vector,
                               imaginary[largest] > 0.0 ? vector + n : real);
}
