/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/evolution/period.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "laws/evolution/expand.h"
#include "linalg/bracket.h"

/* Errors of the state over its size: one that needs no better, and one of which Newton's
 * quadratic convergence leaves nothing. */
static const double EXACT = 1e-14, NEARLY = 1e-8;

/* Once around: *z becomes the state after one period from *z at sample 0. */
static enum masing_status go_round(struct sequence *sequence, double *z, bool with_gradient)
{
    enum masing_status status = MASING_OK;
    int n = sequence->path->n_samples;
    for (int k = 1; k <= n && status == MASING_OK; k++) {
        status = sequence_step(sequence, k % n, z, with_gradient);
    }
    return status;
}

/* Nothing moves: the joint was brought here from rest, as on a virgin curve. */
static enum masing_status stand_still(struct sequence *sequence, bool with_gradient)
{
    const struct masing_path *path = sequence->path;
    enum masing_status status = MASING_OK;
    for (int i = 0; i < path->n_samples && status == MASING_OK; i++) {
        struct leg leg = {.x_to = path->x[i] - sequence->origin};
        sequence->z[i] = 0.0;
        double *change = sequence->changes + (size_t)i * (size_t)path->n_parameters;
        memset(change, 0, sizeof(double) * (size_t)path->n_parameters);
        double longest = leg_step(sequence->law, sequence->parameters, fabs(leg.x_to));
        status = leg_follow(sequence->law, sequence->parameters, &leg, path, &sequence->z[i],
                            longest, with_gradient, &sequence->effects[i],
                            with_gradient ? change : NULL);
        sequence->effects[i].gx[1] = 0.0;
        sequence->effects[i].decay = 1.0; /* each sample is brought here by itself */
    }
    return status;
}

static double largest_state(const struct sequence *sequence)
{
    double largest = 0.0;
    for (int i = 0; i < sequence->path->n_samples; i++) {
        largest = fmax(largest, fabs(sequence->z[i]));
    }
    return largest;
}

/* Newton's next guess; halving instead where that leaves what is known. The map contracts, so
 * that z lies below the fixed point where it grows in a period. */
static double next_guess(struct bracket *bracket, double z, double growth, double decay)
{
    if (!(decay > 0.0)) {
        return z + growth / decay; /* a law that does not contract has no such order */
    }
    bracket->x = z;
    bracket_set(bracket, growth);
    bracket_newton(bracket, growth / decay);
    return bracket->x;
}

/* Growth of the slow part of the state; the rest follows the displacement, which comes back. */
static double slow_growth(const struct sequence *sequence, double *round_off)
{
    double sum = 0.0, size = 0.0;
    for (int i = 0; i < sequence->path->n_samples; i++) {
        sum += sequence->effects[i].shift;
        size += fabs(sequence->effects[i].shift);
    }
    *round_off = 8.0 * DBL_EPSILON * size;
    return sum;
}

enum masing_status period_follow(struct sequence *sequence, double *guess, bool with_gradient)
{
    enum { MAX_ITERATIONS = 60 };
    struct bracket bracket = bracket_of(-INFINITY, 1.0, INFINITY, -1.0);
    double z = guess && isfinite(*guess) ? *guess : 0.0;
    bool is_last = false;
    if (sequence->n_turnings == 0) {
        return stand_still(sequence, with_gradient);
    }
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        double end = z;
        enum masing_status status = go_round(sequence, &end, with_gradient);
        if (status != MASING_OK || !isfinite(end)) {
            return status != MASING_OK ? status : MASING_NOT_FINITE;
        }
        double growth = end - z, decay = expand_decay(sequence), size = largest_state(sequence);
        double round_off = sequence->path->n_samples * DBL_EPSILON * size;
        if (sequence->law->evolution->lag) {
            growth = slow_growth(sequence, &round_off);
        }
        if (is_last || fabs(growth) <= EXACT * fabs(decay) * size) {
            if (guess) {
                *guess = end;
            }
            return MASING_OK;
        }
        if (decay == 0.0) {
            return MASING_SINGULAR;
        }
        is_last = fabs(growth) <= NEARLY * fabs(decay) * size || fabs(growth) <= round_off;
        z = next_guess(&bracket, z, growth, decay);
    }
    return MASING_NOT_CONVERGED;
}
