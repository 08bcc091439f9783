/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One explicit step of dz/dx = free + fade z, whose functions depend on the path alone: exact
 * where free / fade is constant, whatever the travel, and of fourth order else.
 */
#ifndef MASING_LAWS_EVOLUTION_LINEAR_STEP_H
#define MASING_LAWS_EVOLUTION_LINEAR_STEP_H

#include <math.h>
#include <stdbool.h>

#include "base/branchless_exp.h"
#include "masing/law.h"

#define SQRT5 2.236067977499789696409173668731276235440618359611525724270897245410520926

/* Lobatto's, which begin and end a step: as parts of it. */
enum { LINEAR_NODES = 4 };
static const double linear_nodes[LINEAR_NODES] = {0.0, 0.5 - 0.1 * SQRT5, 0.5 + 0.1 * SQRT5,
                                                  1.0};

/* Mean, and slope from the first moment about the middle, exact up to degree 5 and 4. */
static const double linear_means[LINEAR_NODES] = {1.0 / 12, 5.0 / 12, 5.0 / 12, 1.0 / 12};
static const double linear_slopes[LINEAR_NODES] = {-0.5, -0.5 * SQRT5, 0.5 * SQRT5, 0.5};

/* Over a step, of r = way free and l = -way fade: way = dx/dc of the step, c = 0 .. 1. */
struct linear_means {
    double r, l, dr, dl;
};

/* e^-L and the integrals I_0 .. I_3 of linear_step.c. */
struct linear_integrals {
    double left, i[4];
};

/*
 * z_end, e^-L, and dz_end = (1 - decay) dz + sum_i by_free_i d(way free)_i + by_fade_i d(way
 * fade)_i, see linear_by_free.
 */
struct linear_step {
    double z, decay, left;
    double by_r, by_l, bend;
};

/* Below this |L| the integrals by a series, beyond by e^-L: to rounding both. */
#define LINEAR_SERIES 0.5

/* sum_j (-L)^j / (j! (j + 4)), to rounding for |L| <= 1/2 */
static inline double linear_last_integral(double l)
{
    double q = l * l;
    double even =
        1.0 / 4 +
        q * (1.0 / 12 +
             q * (1.0 / 192 +
                  q * (1.0 / 7200 +
                       q * (1.0 / 483840 + q * (1.0 / 50803200 + q * (1.0 / 7664025600.0))))));
    double odd =
        -1.0 / 5 +
        q * (-1.0 / 42 +
             q * (-1.0 / 1080 + q * (-1.0 / 55440 + q * (-1.0 / 4717440 +
                                                         q * (-1.0 / 598752000 +
                                                              q * (-1.0 / 105859353600.0))))));
    return even + l * odd;
}

/* |L| <= LINEAR_SERIES: downwards, k I_{k-1} = e^-L + L I_k, and 1 - e^-L = L I_0 */
static inline struct linear_integrals linear_integrals_short(double l)
{
    struct linear_integrals a;
    double q = l * l, last = linear_last_integral(l);
    double left = (1.0 - q * q * last * (1.0 / 6)) / (1.0 + l + 0.5 * q + l * q * (1.0 / 6));
    a.left = left;
    a.i[3] = last;
    a.i[2] = (left + l * last) * (1.0 / 3);
    a.i[1] = (left + l * a.i[2]) * 0.5;
    a.i[0] = left + l * a.i[1];
    return a;
}

static inline struct linear_integrals linear_integrals_long(double l)
{
    struct linear_integrals a;
    /* beyond it e^-L is no double any more, and nothing beside what it stands with */
    double within = l < BRANCHLESS_EXP_RANGE ? l : BRANCHLESS_EXP_RANGE;
    within = within > -BRANCHLESS_EXP_RANGE ? within : -BRANCHLESS_EXP_RANGE;
    double left = branchless_exp(-within), per = 1.0 / l;
    a.left = left;
    a.i[0] = (1.0 - left) * per;
    a.i[1] = (a.i[0] - left) * per;
    a.i[2] = (2.0 * a.i[1] - left) * per;
    a.i[3] = (3.0 * a.i[2] - left) * per;
    return a;
}

/* A step from state z. */
static inline struct linear_step linear_step_of(const struct linear_means *m,
                                                const struct linear_integrals *a, double z)
{
    double commutator = m->l * m->dr - m->r * m->dl, bend = 0.5 * (a->i[1] - a->i[2]);
    return (struct linear_step){
        .z = z + (m->r - m->l * z) * a->i[0] + bend * commutator,
        .decay = m->l * a->i[0],
        .left = a->left,
        .by_r = a->i[0] - bend * m->dl,
        .by_l = bend * m->dr - a->left * z - a->i[1] * m->r -
                0.5 * (a->i[2] - a->i[3]) * commutator,
        .bend = bend,
    };
}

static inline double linear_by_free(const struct linear_step *step,
                                    const struct linear_means *m, int node)
{
    return linear_means[node] * step->by_r + linear_slopes[node] * step->bend * m->l;
}

static inline double linear_by_fade(const struct linear_step *step,
                                    const struct linear_means *m, int node)
{
    return linear_slopes[node] * step->bend * m->r - linear_means[node] * step->by_l;
}

/* Whether free / fade is the same at two points: then a step of any length is exact. */
static inline bool linear_is_same(double free, double fade, double other_free,
                                  double other_fade)
{
    static const double NOTHING = 1e-15;
    double product = fade * other_free;
    return fabs(free * other_fade - product) <= NOTHING * fabs(product);
}

/* From the numbers at the nodes of one step. */
void linear_step_take(const double way[LINEAR_NODES], const double free[LINEAR_NODES],
                      const double fade[LINEAR_NODES], double z, struct linear_means *means,
                      struct linear_step *step);

#endif
