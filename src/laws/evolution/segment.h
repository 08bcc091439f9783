/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A segment: a monotone piece of a path inside one sample step. It depends on four neighbouring
 * samples (stencil): the two that bound the step and one on either side.
 */
#ifndef MASING_LAWS_EVOLUTION_SEGMENT_H
#define MASING_LAWS_EVOLUTION_SEGMENT_H

#include "laws/evolution/linear_step.h"
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

/* The force at a state, x from the origin; without a function of the law it is the state. The
 * rate there, where it is known. */
static inline void state_force(const struct masing_law *law, const void *parameters, double x,
                               double v, double z, const struct masing_rate *rate,
                               struct masing_rate *force)
{
    *force = (struct masing_rate){.value = z, .z = 1.0};
    if (law->evolution->force) {
        const struct masing_branch_point at = {
            .sign = state_direction(v), .x = x, .v = v, .z = z};
        law->evolution->force(parameters, &at, rate, force);
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

/* What the path changes the state by: by the samples of the stencil; of a straight segment, by
 * its two ends in place of samples 1 and 2. */
struct segment_gradient {
    double x[STENCIL], v[STENCIL];
    double start, end; /* curved: of one segment, by its fractions of the step */
};

/*
 * What a segment does to the state: dz_end = (1 - decay) dz + by_path d(path). From any state,
 * where that was asked for:
 *   z_end = offset + (1 - decay) z,  dz_end = (1 - decay) dz + (by_path + z by_state) d(path).
 */
struct segment_effect {
    double decay, offset;
    struct segment_gradient by_path, by_state;
    /* with a lag: by x for y = z - E x, and the change of y itself */
    double slow[STENCIL], shift;
};

/* What is asked for beside the state: nothing, its derivative, or, of laws that are linear in
 * the state, that from any state; then the state that is given is zero. */
enum segment_derivative { SEGMENT_STATE, SEGMENT_DERIVATIVE, SEGMENT_ANY_STATE };

/*
 * Follow a segment from state *z.
 * @param longest travel of an implicit step, see segment_step_length
 * @param effect receives the derivative; with SEGMENT_STATE only what does not depend on the
 * path
 * @param change [path->n_parameters] dz of the segment by the parameters on entry and exit;
 * NULL: none are computed
 */
enum masing_status segment_follow(const struct masing_law *law, const void *parameters,
                                  const struct segment *segment, const struct masing_path *path,
                                  double *z, double longest, enum segment_derivative derivative,
                                  struct segment_effect *effect, double *change);

/*
 * Length of implicit steps for a path whose samples are at most `travel` apart: halved as often
 * as the law's length requires, so that it hardly ever jumps when a path varies.
 */
double segment_step_length(const struct masing_law *law, const void *parameters, double travel);

/* The samples' distance is halved so often at most; more would be waste, rules are exact deep
 * in slip. */
enum { SEGMENT_MAX_HALVINGS = 6 };

/* How many steps of a length a travel is. */
int segment_pieces(double travel, double longest);

/* Laws that are linear in their state: travel after which nothing may be left of it. */
double segment_memory(const struct masing_law *law, const void *parameters);

/* effect of a segment followed by another one of the same stencil, in place of the first */
void segment_effect_append(struct segment_effect *first, const struct segment_effect *second,
                           enum segment_derivative derivative);

/* What was asked for from any state, from this one; returns the state at the end. */
double segment_effect_settle(struct segment_effect *effect, double z, bool with_gradient);

#endif
