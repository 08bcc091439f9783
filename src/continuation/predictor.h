/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two points of the curve with unit tangents, and what lies between and beyond them: the cubic
 * Hermite polynomial by arc length, or the straight line.
 */
#ifndef MASING_CONTINUATION_PREDICTOR_H
#define MASING_CONTINUATION_PREDICTOR_H

/* All vectors [size]; from and to are lent. */
struct predictor_segment {
    int size;
    const double *from, *from_tangent;
    const double *to, *to_tangent;
    double length; /* arc length between the two */
};

/* Arc length between two points from chord and turning; also the turning angle in rad (may be
 * NULL). */
double predictor_length(int size, const double *metric, const double *from,
                        const double *from_tangent, const double *to, const double *to_tangent,
                        double *turning);

/* Point and derivative by arc length at `arc` from the first point; beyond the second the
 * polynomial is extrapolated. */
void predictor_hermite(const struct predictor_segment *segment, double arc, double *u,
                       double *derivative);

/* One component only: lambda crossing a bound. */
double predictor_hermite_component(const struct predictor_segment *segment, int component,
                                   double arc);

/* The straight line from a point. */
void predictor_line(int size, const double *from, const double *tangent, double arc, double *u);

#endif
