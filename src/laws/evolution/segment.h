/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A segment: a monotone piece of a path inside one sample step. It depends on four neighbouring
 * samples (stencil): the two that bound the step and one on either side.
 */
#ifndef MASING_LAWS_EVOLUTION_SEGMENT_H
#define MASING_LAWS_EVOLUTION_SEGMENT_H

#include "laws/turning.h"
#include "masing/law.h"

/* What an evolution law remembers between two steps. */
struct evolution_state {
    double x, origin, v; /* where it was, where x is measured from, its velocity */
    double z;
};

/* Where nothing moves the direction does not matter: rates are multiplied by v. */
static inline double state_direction(double v)
{
    return v < 0.0 ? -1.0 : 1.0;
}

/* The force at a state, x from the origin; without a function of the law it is the state. */
static inline void state_force(const struct masing_law *law, const void *parameters, double x,
                               double v, double z, struct masing_rate *force)
{
    *force = (struct masing_rate){.value = z, .z = 1.0};
    if (law->evolution->force) {
        const struct masing_branch_point at = {
            .sign = state_direction(v), .x = x, .v = v, .z = z};
        law->evolution->force(parameters, &at, force);
    }
}

/* Whether a segment is followed along the law's maps; those of laws with a lag do not say what
 * a period needs to know of each sample step. */
static inline bool segment_has_map(const struct masing_law *law, const struct masing_path *path)
{
    const struct masing_evolution *evolution = law->evolution;
    return evolution->begin && (path->n_parameters == 0 || evolution->travel_change) &&
           !(path->is_periodic && evolution->lag);
}

enum { STENCIL = MASING_TURNING_WEIGHTS };

/* Joints of the family as differential equations, flow.c. */
extern const struct masing_flow flow_evolution;

/*
 * Straight: displacement and velocity change in proportion from one point to the other; all
 * that a rate-independent law needs. Curved: both follow the cubic through the stencil.
 */
struct segment {
    bool is_curved;
    double x_from, x_to, v_from, v_to; /* both ends; x measured from the origin */
    double x[STENCIL], v[STENCIL];     /* curved: samples */
    double start, end;                 /* curved: fractions of the step */
};

/*
 * What a segment does to the state: dz_end = (1 - decay) dz + sum_m gx[m] dx[m] + gv[m] dv[m],
 * by the samples of the stencil. A straight segment's derivatives are those by its two ends, in
 * place of samples 1 and 2; a curved segment's are those between held ends.
 */
struct segment_effect {
    double decay;
    double gx[STENCIL], gv[STENCIL];
    double by_start, by_end; /* curved: of one segment, dz by its fractions of the step */
    /* with a lag: the same for y = z - E x, and the change of y itself */
    double slow[STENCIL], shift;
};

/*
 * Follow a segment from state *z.
 * @param longest travel of an implicit step, see segment_step_length
 * @param effect receives the derivative; only `decay` unless with_gradient
 * @param change [path->n_parameters] dz of the segment by the parameters on entry and exit;
 * NULL: none are computed
 */
enum masing_status segment_follow(const struct masing_law *law, const void *parameters,
                                  const struct segment *segment, const struct masing_path *path,
                                  double *z, double longest, bool with_gradient,
                                  struct segment_effect *effect, double *change);

/*
 * Length of implicit steps for a path whose samples are at most `travel` apart: halved as often
 * as the law's length requires, so that it hardly ever jumps when a path varies.
 */
double segment_step_length(const struct masing_law *law, const void *parameters, double travel);

/* effect of a segment followed by another one of the same stencil, in place of the first */
void segment_effect_append(struct segment_effect *first, const struct segment_effect *second,
                           bool with_gradient);

#endif
