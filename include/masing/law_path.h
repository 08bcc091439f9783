/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * Motions as laws take them, and what they return: samples of a path with forces and
 * derivatives, or a smooth path with phases in closed form. Part of "masing/law.h".
 */
#ifndef MASING_LAW_PATH_H
#define MASING_LAW_PATH_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Axes that a law has at most. */
enum { MASING_MAX_AXES = 6 };

/**
 * Motion as a law takes it: samples of one period (`is_periodic`: sample n_samples is sample 0
 * again) or of an open path. Arrays are row-major in the order given.
 */
struct masing_path {
    int n_samples;
    int n_axes;
    int n_directions; /**< 0: forces only */
    bool is_periodic;
    double time_step;     /**< s between samples; 0 where the law is rate independent */
    const double *x;      /**< [n_samples][n_axes] relative displacement, m */
    const double *v;      /**< [n_samples][n_axes] velocity, m/s; NULL if the law needs none */
    const double *dx;     /**< [n_samples][n_axes][n_directions] */
    const double *dv;     /**< [n_samples][n_axes][n_directions]; NULL if the law needs none */
    const double *origin; /**< [n_axes] where sliders stand before the motion, m */
    /** Periodic paths of contacts, or NULL: [state_size] a state whose sliders stand there, in
     * place of origin (elements of one joint move apart). */
    const double *origin_state;
    /** 0: the exact law; else laws that can_smooth round their transitions off over about
     * this length, m, on the way to a solution (a homotopy that ends at 0). Without derivatives
     * by parameters. */
    double smoothing;
    int n_parameters; /**< 0: no derivative with respect to parameters */
    /** [n_parameters] tangents of the parameter struct, see masing_law_tangent. */
    const void *const *dp;
};

/** One contact element over a period; what is neither open nor slip is stick. */
struct masing_element {
    double open, slip; /**< shares of the period, 0..1 */
    double loss;       /**< J per period; only where the path has velocities */
};

/** What comes back from a march. */
struct masing_forces {
    double *f;         /**< [n_samples][n_axes], N */
    double *df;        /**< [n_samples][n_axes][n_directions]; untouched if n_directions is 0 */
    double *dfp;       /**< [n_samples][n_axes][n_parameters] at a held path; untouched if 0 */
    double slip_share; /**< share of the samples in slip, 0..1; NAN where the law has no slip */
    double open_share; /**< share of the samples at which a contact is open; laws that can open,
                            see masing_law_can_open, alone write it */
    /** Periodic paths of laws of several axes: largest share of the slip limit, were the slider
     * to stay at the origin, less one (one less its inverse where that is positive). */
    double slip_margin;
    /** Periodic paths: way of the slider over its surface in one period, m, the mean of the
     * elements where there are several; NAN, or left alone, where the law has no slider. */
    double slip_distance;
    struct masing_element *elements; /**< [n_elements of the law] or NULL: none are returned */
};

/** Number of samples that a turning point may be interpolated from. */
enum { MASING_TURNING_WEIGHTS = 4 };

/**
 * Memory of a single-axis law in structured form: the turning point that a branch starts from.
 * Its displacement is x_r = sum_m weights[m] x[sample - 1 + m], indices periodic: 0, 1, 0, 0
 * for a sample itself, or, where the point lies inside the step from `sample` to the next, the
 * values of the cubic's Lagrange polynomials there. (Three points would not do: the parabola
 * changes when two neighbouring samples are equal, and the force would jump with it.)
 * The weights may be held while differentiating, because the slope is zero at the point.
 */
struct masing_turning {
    int sample;
    double weights[MASING_TURNING_WEIGHTS];
    int parent;     /**< branch on which this turning point lies, -1: the virgin curve; always
                         below the own index */
    double tangent; /**< tangent df/dx of the parent branch at this point */
};

/**
 * Derivative of the force in structured form, for a path of one axis:
 *   df[i] = fx[i] (dx[i] - dx(r)) + fv[i] dv[i] + df(r),  r = branch[i],
 *   df(r) = tangent_r (dx(r) - dx(parent_r)) + df(parent_r),
 * where a branch -1 has dx(r) = df(r) = 0.
 */
struct masing_tangents {
    double *fx;                      /**< [n_samples] */
    double *fv;                      /**< [n_samples]; zero for rate-independent laws */
    int *branch;                     /**< [n_samples] index into turnings, or -1 */
    struct masing_turning *turnings; /**< [max_turnings]; n_samples always suffice */
    int max_turnings;
    int n_turnings;
};

/** A turning point of a smooth periodic path. */
struct masing_extremum {
    double angle; /**< rad in [0, 2 pi) */
    double x;     /**< m */
};

/**
 * A smooth periodic path of one axis, for laws that have their phases in closed form. The law
 * calls for values and roots; the representation of the path is hidden.
 */
struct masing_smooth_path {
    const void *context;
    double (*value)(const void *context, double angle);
    /** The angle in [from, to] at which x = level; x is monotone there and encloses level. */
    double (*root)(const void *context, double from, double to, double level);
    int n_extrema; /**< 0 for a constant path, else even; maxima and minima alternate */
    const struct masing_extremum *extrema; /**< by ascending angle */
    double constant;                       /**< x where n_extrema is 0 */
    double origin;                         /**< where the slider stands before the motion */
};

/**
 * A phase of a piecewise-linear force: f = tangent x + level for angles in [start, end].
 * The level belongs to the turning point @p extremum (-1: to none, it is a constant):
 * d(level) = -tangent dx(extremum).
 */
struct masing_phase {
    double start, end; /**< rad; end > start, end - start <= 2 pi; phases cover one period, each
                            starts where the one before ends, the first in [0, 2 pi) */
    double tangent;    /**< N/m */
    double level;      /**< N */
    int extremum;
    bool is_slip;
    /** The same by a parameter at a held path, where a tangent was given: d(f) by the parameter
     * is tangent_change x + level_change. */
    double tangent_change, level_change;
};

/** Largest and smallest displacement of one period, and where the slider started. */
struct masing_range {
    double maximum, minimum, origin;
    double slip_margin; /**< of the first axis: as masing_forces has it for the joint */
};

#ifdef __cplusplus
}
#endif
#endif
