/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "analyses/mode/estimate.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/bracket.h"

/* Points of the response between two samples; where a branch turns, in its last piece. */
enum { PARTS = 6, TURNING_PARTS = 24, ITERATIONS = 20 };

/* Of the squared frequency, in parts of the mode's own. */
static const double LEAST_SQUARE = 1e-6, LARGEST_SQUARE = 1e4;

/* Square of |phi^H f| / (m a) at the square of the loads' frequency, and its derivative. */
static double drive(const struct mode_estimate *estimate, const double *numbers, double square,
                    double *slope_by_square)
{
    const struct masing_model *model = estimate->model;
    double complex force = 0.0, force_slope = 0.0;
    double omega = sqrt(square),
           size = numbers[ESTIMATE_MASS] * exp(numbers[ESTIMATE_LOG_AMPLITUDE]);
    for (int l = 0; l < model->spec.n_loads; l++) {
        double value[2], slope[2];
        const double *unit = numbers + ESTIMATE_FIRST_COMPLEX + 2 * l;
        load_amplitude(&model->loads[l], omega, value, slope);
        force += (unit[0] + I * unit[1]) * (value[0] + I * value[1]) / size;
        force_slope += (unit[0] + I * unit[1]) * (slope[0] + I * slope[1]) / size;
    }
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
    mode_estimate_interpolate(estimate, i, t, estimate->numbers);
    return -excess(estimate, estimate->numbers, lowest_excess(estimate, estimate->numbers));
}

/* Where the surplus changes its sign between sample i and the next. */
static double turning_part(struct mode_estimate *estimate, int i)
{
    double at_first = surplus_at(estimate, i, 0.0), at_second = surplus_at(estimate, i, 1.0);
    bool rises = at_first < 0.0;
    struct bracket bracket = rises ? bracket_of(0.0, at_first, 1.0, at_second)
                                   : bracket_of(1.0, at_second, 0.0, at_first);
    while (bracket_next(&bracket, 0.0)) {
        bracket_set(&bracket, surplus_at(estimate, i, bracket.x));
    }
    return bracket.end[1].x;
}

/* Frequency of the loads on one side. NAN: none. */
static double solve_frequency(const struct mode_estimate *estimate, const double *numbers,
                              int side)
{
    double inner = lowest_excess(estimate, numbers);
    double own = numbers[ESTIMATE_OMEGA] * numbers[ESTIMATE_OMEGA], outer = LEAST_SQUARE * own;
    double lowest = excess(estimate, numbers, inner);
    if (lowest > 0.0) {
        return lowest <= 1e-9 * own * own ? sqrt(inner) : NAN; /* the turn, by rounding */
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

static enum masing_status add_point(struct mode_estimate *estimate, const double *numbers,
                                    int side, int branch, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &estimate->model->spec;
    double omega = solve_frequency(estimate, numbers, side);
    if (!(omega >= fmin(spec->omega_from, spec->omega_to) &&
          omega <= fmax(spec->omega_from, spec->omega_to))) {
        return MASING_OK;
    }
    TRY_ALLOCATED(memory_grow((void **)&estimate->points, (size_t)estimate->n_points + 1,
                              &estimate->points_capacity, sizeof *estimate->points));
    double amplitude = exp(numbers[ESTIMATE_LOG_AMPLITUDE]);
    struct mode_estimate_point point = {
        .branch = branch,
        .mode = {amplitude, numbers[ESTIMATE_OMEGA] / TWO_PI, numbers[ESTIMATE_ZETA]},
        .omega = omega,
        .outputs = memory_array((size_t)spec->n_outputs, sizeof(double)),
    };
    TRY_ALLOCATED(point.outputs);
    for (int o = 0; o < spec->n_outputs; o++) {
        const double *output = numbers + ESTIMATE_FIRST_COMPLEX + 2 * (spec->n_loads + o);
        point.outputs[o] = amplitude * hypot(output[0], output[1]) *
                           pow(omega, (int)spec->outputs[o].quantity);
    }
    estimate->points[estimate->n_points++] = point;
done:
    return status;
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
    enum masing_status status = MASING_OK;
    bool before = surplus_at(estimate, i, 0.0) >= 0.0;
    bool behind = surplus_at(estimate, i, 1.0) >= 0.0;
    if (!before && !behind) {
        return MASING_OK;
    }
    double turn = before && behind ? 0.0 : turning_part(estimate, i);
    double from = before ? 0.0 : turn, to = behind ? 1.0 : turn;
    int n = before && behind ? PARTS : TURNING_PARTS;
    for (int k = 0; k <= n; k++) {
        int step = side < 0 ? k : n - k;
        bool is_shared = (step == n && behind && i + 2 < estimate->n_samples) ||
                         (step == n && !behind && side > 0); /* the turn itself, once */
        if (!is_shared) {
            mode_estimate_interpolate(estimate, i,
                                      from + (to - from) * spread(step, n, !before, !behind),
                                      estimate->numbers);
            TRY(add_point(estimate, estimate->numbers, side, branch, error));
        }
    }
done:
    return status;
}

enum masing_status mode_estimate_respond(struct mode_estimate *estimate,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = estimate->n_samples, branch = 0;
    for (int first = 0, last; first + 1 < n; first = last + 1, branch++) {
        /* pieces first..last hold an amplitude without interruption */
        for (last = first; last + 2 < n && surplus_at(estimate, last, 1.0) >= 0.0;) {
            last++;
        }
        for (int i = first; i <= last; i++) {
            TRY(add_piece(estimate, i, -1, branch, error));
        }
        for (int i = last; i >= first; i--) {
            TRY(add_piece(estimate, i, 1, branch, error));
        }
    }
    estimate->is_cut = n > 1 && surplus_at(estimate, n - 2, 1.0) >= 0.0;
done:
    return status;
}
