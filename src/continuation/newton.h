/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a Newton iteration has shown so far, and what follows from it: whether the next residual
 * should bring its Jacobian, whether old factors do, whether to go on.
 *
 * Policy "modified at the end": the Jacobian is evaluated together with the residual while the
 * last correction is above `chord` and the next residual is not expected to be within the
 * tolerance; after that the residual only verifies, and old factors do for what is left.
 */
#ifndef MASING_CONTINUATION_NEWTON_H
#define MASING_CONTINUATION_NEWTON_H

#include <stdbool.h>

struct newton {
    double tolerance;
    double chord;     /* corrections below this are left to old factors */
    double quadratic; /* correction / correction before^2, kept from solve to solve */

    /* of the solve under way */
    double residual, residual_before;
    double correction, correction_before;
    int evaluations;
    int stalled;   /* corrections in a row that hardly shrank */
    bool is_chord; /* the factors in use are older than the last residual */
};

void newton_reset(struct newton *newton, double tolerance);
void newton_set_chord(struct newton *newton, double chord);
void newton_begin(struct newton *newton);

/* A correction was made; false where going on is a waste. */
bool newton_correct(struct newton *newton, double correction);

/* Whether the residual that comes next should bring its Jacobian. */
bool newton_wants_jacobian(const struct newton *newton);

/* Whether the last correction's factors serve for the next one, too. */
bool newton_may_reuse(const struct newton *newton);

#endif
