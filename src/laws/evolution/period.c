/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/evolution/period.h"

#include <math.h>

#include "base/check.h"
#include "linalg/bracket.h"

/* Errors of the state over its size: one that needs no better, and one of which Newton's
 * quadratic convergence leaves nothing. */
static const double CONVERGED_CHANGE = 1e-14, LAST_NEWTON_CHANGE = 1e-8;

/* Newton's next guess; halving instead where that leaves what is known. The map contracts, so
 * that z lies below the fixed point where it grows in a period. */
static double next_guess(struct newton_bracket *bracket, double z, double growth, double decay)
{
    if (!(decay > 0.0)) {
        return z + growth / decay; /* a law that does not contract has no such order */
    }
    bracket->x = z;
    newton_bracket_next(bracket, growth, growth / decay);
    return bracket->x;
}

enum masing_status period_close(period_follow follow, void *context, bool is_linear,
                                double limit, double *guess)
{
    enum { MAX_ITERATIONS = 60 };
    static const double ROOM = 1.0 + 1e-6; /* a state at its limit has numbers around it */
    struct newton_bracket bracket = {-ROOM * limit, ROOM * limit, 0.0, true};
    double z = guess && fabs(*guess) <= limit ? *guess : 0.0;
    bool is_last = false;
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        struct period_end end;
        NEED(follow(context, z, is_last, &end));
        if (!isfinite(end.z)) {
            return MASING_NOT_FINITE;
        }
        double growth = fabs(end.growth), newton = z + end.growth / end.decay;
        double tolerance = fabs(end.decay) * end.size;
        bool is_found = is_last || (!is_linear && growth <= CONVERGED_CHANGE * tolerance);
        if (!is_found && end.decay == 0.0) {
            return MASING_SINGULAR;
        }
        z = is_found ? z : next_guess(&bracket, z, end.growth, end.decay);
        /* a halving is no last step; but all that is left may be rounding */
        is_found = is_found || (!is_linear && growth <= end.round_off && z != newton);
        if (is_found) {
            if (guess) {
                *guess = end.z;
            }
            return MASING_OK;
        }
        is_last = is_linear || growth <= end.round_off ||
                  (growth <= LAST_NEWTON_CHANGE * tolerance && z == newton);
    }
    return MASING_NOT_CONVERGED;
}

void period_close_change(double decay, double *dz, size_t n)
{
    for (size_t d = 0; d < n; d++) {
        dz[d] = decay != 0.0 ? dz[d] / decay : 0.0;
    }
}
