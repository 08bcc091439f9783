/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/mode/mode.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/bracket.h"
#include "linalg/dense.h"
#include "model/output.h"

/* ---- samples of the mode ---- */

enum masing_status mode_estimate_create(const struct masing_model *model,
                                        struct mode_estimate *estimate,
                                        struct masing_error *error)
{
    const struct masing_spec *spec = &model->spec;
    estimate->model = model;
    estimate->next_mode_hz = NAN;
    /* the first shape is kept behind the numbers of the first sample */
    estimate->n_numbers = ESTIMATE_FIRST_COMPLEX + 2 * (spec->n_loads + spec->n_outputs) +
                          2 * model->structure->n_modes;
    estimate->numbers = arena_doubles(&estimate->arena, (size_t)estimate->n_numbers);
    NEED_ALLOCATED(estimate->numbers);
    return MASING_OK;
}

void mode_estimate_clear(struct mode_estimate *estimate)
{
    free(estimate->points);
    free(estimate->samples);
    arena_clear(&estimate->arena);
}

static const double *sample_at(const struct mode_estimate *estimate, int i)
{
    return estimate->samples + (size_t)i * (size_t)estimate->n_numbers;
}

static int shape_offset(const struct mode_estimate *estimate)
{
    const struct masing_spec *spec = &estimate->model->spec;
    return ESTIMATE_FIRST_COMPLEX + 2 * (spec->n_loads + spec->n_outputs);
}

/* The first harmonic of modal coordinate k is the real part of this times e^(i Omega t). */
static double complex coordinate(const struct modal_balance *balance, int k)
{
    int first = balance->basis->harmonics[0] == 0;
    const double *p =
        balance->p + (size_t)balance->basis->position[first] * (size_t)balance->n_modes;
    return p[k] - I * p[balance->n_modes + k];
}

static void store(double *target, double complex value)
{
    target[0] = creal(value);
    target[1] = cimag(value);
}

/* phi^H f of each load for a force of 1, outputs, and the shape itself. */
static void project(const struct mode_estimate *estimate, const struct mode_curve *curve,
                    double *row)
{
    const struct modal_balance *balance = curve->balance;
    const struct masing_model *model = estimate->model;
    int n_dofs = model->structure->n_dofs;
    double *complexes = row + ESTIMATE_FIRST_COMPLEX, a = balance->amplitude;
    for (int l = 0; l < model->spec.n_loads; l++, complexes += 2) {
        const struct load *load = &model->loads[l];
        double complex force = 0.0;
        for (int k = 0; k < balance->n_modes && load->harmonic == 1; k++) {
            const double *shape = balance->shapes + (size_t)k * (size_t)n_dofs;
            double complex sum = dense_dot(n_dofs, shape, load->real);
            sum += load->imaginary ? I * dense_dot(n_dofs, shape, load->imaginary) : 0.0;
            force += conj(coordinate(balance, k) / a) * sum;
        }
        store(complexes, force);
    }
    for (int o = 0; o < model->spec.n_outputs; o++, complexes += 2) {
        const double *pattern = curve->outputs + (size_t)o * (size_t)balance->n_modes;
        double complex output = 0.0;
        for (int k = 0; k < balance->n_modes; k++) {
            output += pattern[k] * coordinate(balance, k) / a;
        }
        store(complexes, output);
    }
    for (int k = 0; k < balance->n_modes; k++, complexes += 2) {
        store(complexes, coordinate(balance, k) / a);
    }
}

/* 1 - MAC */
static double difference_of_shapes(const double *a, const double *b, int n_modes)
{
    double complex product = 0.0;
    for (int k = 0; k < n_modes; k++) {
        product += conj(a[2 * k] + I * a[2 * k + 1]) * (b[2 * k] + I * b[2 * k + 1]);
    }
    double size = cabs(product);
    return 1.0 - size * size / (dense_dot(2 * n_modes, a, a) * dense_dot(2 * n_modes, b, b));
}

enum masing_status mode_estimate_gather(void *context, const struct mode_curve *curve,
                                        const struct masing_mode_point *point, bool is_corner,
                                        struct masing_error *error)
{
    struct mode_estimate *estimate = context;
    int n_modes = curve->balance->n_modes, shape = shape_offset(estimate);
    double log_amplitude = log(point->amplitude);
    if (estimate->n_samples > 0 &&
        !(log_amplitude >
          sample_at(estimate, estimate->n_samples - 1)[ESTIMATE_LOG_AMPLITUDE])) {
        return MASING_OK; /* behind a fold of the amplitude nothing interpolates */
    }
    NEED_ALLOCATED(memory_grow((void **)&estimate->samples, (size_t)estimate->n_samples + 1,
                               &estimate->capacity,
                               (size_t)estimate->n_numbers * sizeof *estimate->samples));
    double *row = estimate->samples + (size_t)estimate->n_samples * (size_t)estimate->n_numbers;
    row[ESTIMATE_LOG_AMPLITUDE] = log_amplitude;
    row[ESTIMATE_IS_CORNER] = is_corner;
    row[ESTIMATE_OMEGA] = curve->balance->omega;
    row[ESTIMATE_ZETA] = curve->balance->zeta;
    /* sums of |p_h|^2: of the first harmonic, of all others, of all with h^2 as a factor */
    double first = 0.0, others = 0.0, rates = 0.0;
    for (int k = 0; k < curve->balance->basis->n_harmonics; k++) {
        int h = curve->balance->basis->harmonics[k];
        const double *p = curve->balance->p + curve->balance->basis->position[k] * n_modes;
        for (int i = 0; i < 2 * n_modes && h > 0; i++) {
            *(h == 1 ? &first : &others) += p[i] * p[i];
            rates += h * h * p[i] * p[i];
        }
    }
    row[ESTIMATE_OVERTONES] = sqrt(others / first);
    row[ESTIMATE_LOSS] = row[ESTIMATE_ZETA] * rates / first;
    project(estimate, curve, row);
    row[ESTIMATE_MASS] = dense_dot(2 * n_modes, row + shape, row + shape);
    row[ESTIMATE_SHAPE_CHANGE] = difference_of_shapes(
        estimate->n_samples > 0 ? sample_at(estimate, 0) + shape : row + shape, row + shape,
        n_modes);
    const struct modal_balance *balance = curve->balance;
    double nearest = estimate->n_samples++ == 0 ? INFINITY : 0.0; /* other mode, by the ratio */
    estimate->stuck_hz = balance->omega_stuck / TWO_PI;
    for (int k = 0; k < balance->n_modes; k++) {
        double omega = sqrt(fmax(balance->omega_squared[k], 0.0));
        double distance = fabs(log(omega / balance->omega_stuck));
        if (k != balance->target && distance < nearest) {
            nearest = distance;
            estimate->next_mode_hz = omega / TWO_PI;
        }
    }
    return MASING_OK;
}

/* Slope of number c at sample i by the parabola through it and its neighbours. */
static double slope_at(const struct mode_estimate *estimate, int i, int c)
{
    int last = estimate->n_samples - 1;
    const double *here = sample_at(estimate, i);
    const double *left = sample_at(estimate, i > 0 ? i - 1 : 0);
    const double *right = sample_at(estimate, i < last ? i + 1 : last);
    double before = here[ESTIMATE_LOG_AMPLITUDE] - left[ESTIMATE_LOG_AMPLITUDE];
    double after = right[ESTIMATE_LOG_AMPLITUDE] - here[ESTIMATE_LOG_AMPLITUDE];
    double incoming = before > 0.0 ? (here[c] - left[c]) / before : 0.0;
    double outgoing = after > 0.0 ? (right[c] - here[c]) / after : 0.0;
    return before > 0.0 && after > 0.0
               ? (incoming * after + outgoing * before) / (before + after)
               : incoming + outgoing;
}

/* Numbers [n_numbers], the shape excepted, at the part t of the way from sample i to the next:
 * by cubics; from a corner, where its side alone gives the slope, by parabolas. */
static void interpolate(const struct mode_estimate *estimate, int i, double t, double *numbers)
{
    const double *a = sample_at(estimate, i), *b = sample_at(estimate, i + 1);
    double width = b[ESTIMATE_LOG_AMPLITUDE] - a[ESTIMATE_LOG_AMPLITUDE];
    for (int c = 0; c < shape_offset(estimate); c++) {
        double slope_a = width * slope_at(estimate, i, c);
        double slope_b = width * slope_at(estimate, i + 1, c);
        double rise = b[c] - a[c];
        if (a[ESTIMATE_IS_CORNER] != 0.0) {
            slope_a = b[ESTIMATE_IS_CORNER] != 0.0 ? rise : 2.0 * rise - slope_b;
        }
        if (b[ESTIMATE_IS_CORNER] != 0.0) {
            slope_b = 2.0 * rise - slope_a;
        }
        numbers[c] = a[c] + t * (slope_a + t * (3.0 * rise - 2.0 * slope_a - slope_b +
                                                t * (slope_a + slope_b - 2.0 * rise)));
    }
}

void mode_estimate_describe(struct mode_estimate *estimate, double amplitude, double *overtones,
                            double *shape_change)
{
    int i = 0;
    while (i + 2 < estimate->n_samples &&
           sample_at(estimate, i + 1)[ESTIMATE_LOG_AMPLITUDE] < log(amplitude)) {
        i++;
    }
    *overtones = sample_at(estimate, i)[ESTIMATE_OVERTONES];
    *shape_change = sample_at(estimate, i)[ESTIMATE_SHAPE_CHANGE];
}

/* ---- points of the response ---- */

/* Points of the response between two samples; where a branch turns, in its last piece. */
enum { POINTS_OF_PIECE = 6, POINTS_OF_TURN = 24, ITERATIONS = 20 };

/* Excess at a turn that is rounding, in parts of the mode's stiffness squared. */
static const double TURN_ROUNDING = 1e-9;

/* Of the squared frequency, in parts of the mode's own. */
static const double LEAST_SQUARE = 1e-6, LARGEST_SQUARE = 1e4;

/* phi^H f / (m a) at the loads' frequency, and its derivative. */
static double complex modal_force(const struct mode_estimate *estimate, const double *numbers,
                                  double omega, double complex *force_slope)
{
    const struct masing_model *model = estimate->model;
    double complex force = 0.0;
    double size = numbers[ESTIMATE_MASS] * exp(numbers[ESTIMATE_LOG_AMPLITUDE]);
    *force_slope = 0.0;
    for (int l = 0; l < model->spec.n_loads; l++) {
        double value[2], slope[2];
        const double *unit = numbers + ESTIMATE_FIRST_COMPLEX + 2 * l;
        load_amplitude(&model->loads[l], omega, value, slope);
        force += (unit[0] + I * unit[1]) * (value[0] + I * value[1]) / size;
        *force_slope += (unit[0] + I * unit[1]) * (slope[0] + I * slope[1]) / size;
    }
    return force;
}

/* Square of its modulus at the square of the loads' frequency, and its derivative. */
static double drive(const struct mode_estimate *estimate, const double *numbers, double square,
                    double *slope_by_square)
{
    double complex force_slope;
    double omega = sqrt(square);
    double complex force = modal_force(estimate, numbers, omega, &force_slope);
    *slope_by_square = creal(conj(force) * force_slope) / omega;
    return creal(force * conj(force));
}

/* |omega^2 - Omega^2 + 2 i zeta omega Omega|^2 - drive, of the square of Omega. */
static double excess(const struct mode_estimate *estimate, const double *numbers, double square)
{
    double own = numbers[ESTIMATE_OMEGA] * numbers[ESTIMATE_OMEGA],
           zeta = numbers[ESTIMATE_LOSS], unused;
    return (own - square) * (own - square) + 4.0 * zeta * zeta * own * square -
           drive(estimate, numbers, square, &unused);
}

/* Square of the frequency between the two sides, where the excess is lowest. */
static double lowest_excess(const struct mode_estimate *estimate, const double *numbers)
{
    double own = numbers[ESTIMATE_OMEGA] * numbers[ESTIMATE_OMEGA],
           zeta = numbers[ESTIMATE_LOSS];
    double centre = own * (1.0 - 2.0 * zeta * zeta), slope;
    double square = fmax(centre, LEAST_SQUARE * own);
    for (int k = 0; k < ITERATIONS; k++) {
        drive(estimate, numbers, square, &slope);
        square = fmin(fmax(centre + 0.5 * slope, LEAST_SQUARE * own), LARGEST_SQUARE * own);
    }
    return square;
}

/* Below zero the loads cannot hold the amplitude. */
static double surplus_at(struct mode_estimate *estimate, int i, double t)
{
    interpolate(estimate, i, t, estimate->numbers);
    return -excess(estimate, estimate->numbers, lowest_excess(estimate, estimate->numbers));
}

/* Frequency of the loads on one side. NAN: none. */
static double solve_frequency(const struct mode_estimate *estimate, const double *numbers,
                              int side)
{
    double inner = lowest_excess(estimate, numbers);
    double own = numbers[ESTIMATE_OMEGA] * numbers[ESTIMATE_OMEGA], outer = LEAST_SQUARE * own;
    double lowest = excess(estimate, numbers, inner);
    if (lowest > 0.0) {
        return lowest <= TURN_ROUNDING * own * own ? sqrt(inner)
                                                   : NAN; /* the turn, by rounding */
    }
    if (side > 0) {
        for (outer = 2.0 * inner;
             excess(estimate, numbers, outer) < 0.0 && outer < LARGEST_SQUARE * own;) {
            outer *= 2.0;
        }
    }
    double at_outer = excess(estimate, numbers, outer);
    if (at_outer < 0.0) {
        return NAN;
    }
    struct bracket bracket = bracket_of(inner, lowest, outer, at_outer);
    while (bracket_next(&bracket, 0.0)) {
        bracket_set(&bracket, excess(estimate, numbers, bracket.x));
    }
    return sqrt(bracket_root(&bracket));
}

/*
 * First harmonic of an output. The mode moves by a phi, turned by the phase of its motion to
 * the loads; the base that a load moves is beside it.
 */
static double output_at(const struct mode_estimate *estimate, const double *numbers,
                        double omega, int o)
{
    const struct masing_model *model = estimate->model;
    const double *shape = numbers + ESTIMATE_FIRST_COMPLEX + 2 * (model->spec.n_loads + o);
    double own = numbers[ESTIMATE_OMEGA], amplitude = exp(numbers[ESTIMATE_LOG_AMPLITUDE]);
    double complex slope, base = 0.0;
    double complex turn =
        modal_force(estimate, numbers, omega, &slope) /
        (own * own - omega * omega + 2.0 * I * numbers[ESTIMATE_LOSS] * own * omega);
    for (int l = 0; l < model->spec.n_loads; l++) {
        double motion[2];
        if (model->loads[l].harmonic == 1 && output_base_motion(model, o, l, omega, motion)) {
            base += motion[0] - I * motion[1];
        }
    }
    double complex sum = shape[0] + I * shape[1];
    if (base != 0.0) { /* |turn| is 1, but for rounding */
        sum += base * cabs(turn) / (amplitude * turn);
    }
    return amplitude * cabs(sum) * output_scale(model, o) *
           pow(omega, output_order(&model->spec.outputs[o]));
}

static enum masing_status add_point(struct mode_estimate *estimate, const double *numbers,
                                    int side, int branch, struct masing_error *error)
{
    const struct masing_spec *spec = &estimate->model->spec;
    double omega = solve_frequency(estimate, numbers, side);
    if (!(omega >= fmin(spec->omega_from, spec->omega_to) &&
          omega <= fmax(spec->omega_from, spec->omega_to))) {
        return MASING_OK;
    }
    NEED_ALLOCATED(memory_grow((void **)&estimate->points, (size_t)estimate->n_points + 1,
                               &estimate->points_capacity, sizeof *estimate->points));
    double amplitude = exp(numbers[ESTIMATE_LOG_AMPLITUDE]);
    struct mode_estimate_point point = {
        .branch = branch,
        .mode = {amplitude, numbers[ESTIMATE_OMEGA] / TWO_PI, numbers[ESTIMATE_ZETA]},
        .omega = omega,
        .outputs = arena_doubles(&estimate->arena, (size_t)spec->n_outputs),
    };
    NEED_ALLOCATED(point.outputs);
    for (int o = 0; o < spec->n_outputs; o++) {
        point.outputs[o] = output_at(estimate, numbers, omega, o);
    }
    estimate->points[estimate->n_points++] = point;
    return MASING_OK;
}

/* Part of the way number k of n between the ends, close together at ends that turn. */
static double spread(int k, int n, bool turns_before, bool turns_behind)
{
    double t = (double)k / n;
    if (turns_before && turns_behind) {
        return t * t * (3.0 - 2.0 * t);
    }
    return turns_before ? t * t : turns_behind ? 1.0 - (1.0 - t) * (1.0 - t) : t;
}

/* Both sides of the piece between sample i and the next, upwards or downwards in amplitude.
 * An end of a piece is left to the piece behind it, the last one of the branch excepted. */
static enum masing_status add_piece(struct mode_estimate *estimate, int i, int side, int branch,
                                    struct masing_error *error)
{
    double at_first = surplus_at(estimate, i, 0.0), at_second = surplus_at(estimate, i, 1.0);
    bool before = at_first >= 0.0, behind = at_second >= 0.0;
    if (!before && !behind) {
        return MASING_OK;
    }
    struct bracket turn = before ? bracket_of(1.0, at_second, 0.0, at_first)
                                 : bracket_of(0.0, at_first, 1.0, at_second);
    while (before != behind && bracket_next(&turn, 0.0)) {
        bracket_set(&turn, surplus_at(estimate, i, turn.x));
    }
    double from = before ? 0.0 : turn.end[1].x, to = behind ? 1.0 : turn.end[1].x;
    int n = before && behind ? POINTS_OF_PIECE : POINTS_OF_TURN;
    for (int k = 0; k <= n; k++) {
        int step = side < 0 ? k : n - k;
        bool is_shared = (step == n && behind && i + 2 < estimate->n_samples) ||
                         (step == n && !behind && side > 0); /* the turn itself, once */
        if (!is_shared) {
            interpolate(estimate, i, from + (to - from) * spread(step, n, !before, !behind),
                        estimate->numbers);
            NEED(add_point(estimate, estimate->numbers, side, branch, error));
        }
    }
    return MASING_OK;
}

enum masing_status mode_estimate_respond(struct mode_estimate *estimate,
                                         struct masing_error *error)
{
    int n = estimate->n_samples, branch = 0;
    for (int first = 0, last; first + 1 < n; first = last + 1, branch++) {
        /* pieces first..last hold an amplitude without interruption */
        for (last = first; last + 2 < n && surplus_at(estimate, last, 1.0) >= 0.0;) {
            last++;
        }
        for (int i = first; i <= last; i++) {
            NEED(add_piece(estimate, i, -1, branch, error));
        }
        for (int i = last; i >= first; i--) {
            NEED(add_piece(estimate, i, 1, branch, error));
        }
    }
    estimate->is_cut = n > 1 && surplus_at(estimate, n - 2, 1.0) >= 0.0;
    return MASING_OK;
}
