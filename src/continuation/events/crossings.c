/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "continuation/events/crossings.h"

#include <math.h>

#include "linalg/bracket.h"

/* Zeros of lambda' within the segment: a quadratic in x = arc / length. */
static int turning_points(const struct predictor_segment *s, double x[2])
{
    int n = s->size - 1;
    double difference = (s->to[n] - s->from[n]) / s->length;
    double slope_0 = s->from_tangent[n];
    double slope_1 = s->to_tangent[n];
    double a = 3.0 * (slope_0 + slope_1 - 2.0 * difference);
    double b = 2.0 * (3.0 * difference - 2.0 * slope_0 - slope_1);
    double discriminant = b * b - 4.0 * a * slope_0;
    if (discriminant < 0.0) {
        return 0;
    }
    double q = -0.5 * (b + copysign(sqrt(discriminant), b));
    double roots[2] = {q / a, slope_0 / q};
    int count = 0;
    for (int i = 0; i < 2; i++) {
        if (roots[i] > 0.0 && roots[i] < 1.0) {
            x[count++] = roots[i];
        }
    }
    if (count == 2 && x[0] > x[1]) {
        double swap = x[0];
        x[0] = x[1];
        x[1] = swap;
    }
    return count;
}

static void enter_piece(struct crossings *c)
{
    double from = c->lambda[c->piece];
    bool is_rising = c->lambda[c->piece + 1] > from;
    int i = 0;
    if (is_rising) {
        while (i < c->n_values && c->values[i] <= from) {
            i++;
        }
    } else {
        i = c->n_values - 1;
        while (i >= 0 && c->values[i] >= from) {
            i--;
        }
    }
    c->index = i;
}

void crossings_begin(struct crossings *c, const struct predictor_segment *segment,
                     const double *values, int n_values)
{
    *c = (struct crossings){.segment = segment, .values = values, .n_values = n_values};
    int n = segment->size - 1;
    double x[2];
    int n_turning = turning_points(segment, x);
    c->arc[0] = 0.0;
    c->lambda[0] = segment->from[n];
    for (int i = 0; i < n_turning; i++) {
        c->arc[i + 1] = x[i] * segment->length;
        c->lambda[i + 1] = predictor_hermite_component(segment, n, c->arc[i + 1]);
    }
    c->n_breaks = n_turning + 2;
    c->arc[c->n_breaks - 1] = segment->length;
    c->lambda[c->n_breaks - 1] = segment->to[n];
    enter_piece(c);
}

/* Arc where the monotonic piece under way takes a value. */
static double arc_at(const struct crossings *c, double value)
{
    double low = c->arc[c->piece];
    double high = c->arc[c->piece + 1];
    if (value == c->lambda[c->piece + 1]) {
        return high;
    }
    struct bracket bracket =
        bracket_of(low, c->lambda[c->piece] - value, high, c->lambda[c->piece + 1] - value);
    while (bracket_next(&bracket, 0.0)) {
        double lambda =
            predictor_hermite_component(c->segment, c->segment->size - 1, bracket.x);
        bracket_set(&bracket, lambda - value);
    }
    return bracket_root(&bracket);
}

bool crossings_next(struct crossings *c, double *arc, double *value)
{
    while (c->piece + 1 < c->n_breaks) {
        double to = c->lambda[c->piece + 1];
        bool is_rising = to > c->lambda[c->piece];
        int i = c->index;
        if (i >= 0 && i < c->n_values &&
            (is_rising ? c->values[i] <= to : c->values[i] >= to)) {
            *value = c->values[i];
            *arc = arc_at(c, *value);
            c->index += is_rising ? 1 : -1;
            return true;
        }
        if (++c->piece + 1 < c->n_breaks) {
            enter_piece(c);
        }
    }
    return false;
}
