/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "continuation/curve.h"

#include <math.h>

#include "continuation/metric.h"

double predictor_length(int size, const double *metric, const double *from,
                        const double *from_tangent, const double *to, const double *to_tangent,
                        double *turning)
{
    double chord = metric_distance(size, metric, from, to);
    double cosine = metric_dot(size, metric, from_tangent, to_tangent);
    double angle = acos(fmax(-1.0, fmin(1.0, cosine)));
    if (turning) {
        *turning = angle;
    }
    /* a circular arc is longer than its chord by angle^2 / 24, to fourth order */
    return chord * (1.0 + fmin(angle * angle, 1.0) / 24.0);
}

/* Hermite basis at x in units of the length; derivative weights for the same four terms. */
struct basis {
    double from_tangent, to_tangent, difference;
};

static struct basis values(double x, double length)
{
    return (struct basis){.from_tangent = x * (1.0 - x) * (1.0 - x) * length,
                          .to_tangent = x * x * (x - 1.0) * length,
                          .difference = x * x * (3.0 - 2.0 * x)};
}

static struct basis slopes(double x, double length)
{
    return (struct basis){.from_tangent = (1.0 - x) * (1.0 - 3.0 * x),
                          .to_tangent = x * (3.0 * x - 2.0),
                          .difference = 6.0 * x * (1.0 - x) / length};
}

void predictor_hermite(const struct predictor_segment *segment, double arc, double *u,
                       double *derivative)
{
    double x = arc / segment->length;
    struct basis value = values(x, segment->length);
    struct basis slope = slopes(x, segment->length);
    for (int i = 0; i < segment->size; i++) {
        double difference = segment->to[i] - segment->from[i];
        u[i] = segment->from[i] + value.difference * difference +
               value.from_tangent * segment->from_tangent[i] +
               value.to_tangent * segment->to_tangent[i];
        derivative[i] = slope.difference * difference +
                        slope.from_tangent * segment->from_tangent[i] +
                        slope.to_tangent * segment->to_tangent[i];
    }
}

double predictor_hermite_component(const struct predictor_segment *segment, int component,
                                   double arc)
{
    struct basis value = values(arc / segment->length, segment->length);
    int i = component;
    return segment->from[i] + value.difference * (segment->to[i] - segment->from[i]) +
           value.from_tangent * segment->from_tangent[i] +
           value.to_tangent * segment->to_tangent[i];
}

void predictor_line(int size, const double *from, const double *tangent, double arc, double *u)
{
    for (int i = 0; i < size; i++) {
        u[i] = from[i] + arc * tangent[i];
    }
}
