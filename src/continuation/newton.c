/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "continuation/newton.h"

#include <math.h>

static const double LARGEST_CHORD = 1e-4;
/* Old factors serve again only if the residual fell at least by this. */
static const double CHORD_CONTRACTION = 0.2;
static const double STALLED_CONTRACTION = 0.9;
enum { MAX_STALLED = 2 };

void newton_reset(struct newton *newton, double tolerance)
{
    newton->tolerance = tolerance;
    newton->chord = LARGEST_CHORD;
    newton->quadratic = INFINITY;
}

void newton_set_chord(struct newton *newton, double chord)
{
    newton->chord = fmin(chord, LARGEST_CHORD);
}

void newton_begin(struct newton *newton)
{
    newton->residual = newton->residual_before = INFINITY;
    newton->correction = newton->correction_before = INFINITY;
    newton->evaluations = 0;
    newton->stalled = 0;
    newton->is_chord = false;
}

bool newton_correct(struct newton *newton, double correction)
{
    double before = newton->correction;
    newton->correction_before = before;
    newton->correction = correction;
    newton->residual_before = newton->residual;
    if (newton->evaluations < 2) {
        return true;
    }
    bool is_stalled = correction > STALLED_CONTRACTION * before;
    newton->stalled = is_stalled ? newton->stalled + 1 : 0;
    if (!newton->is_chord && before > 0.0 && !is_stalled) {
        newton->quadratic = correction / (before * before);
    }
    return newton->stalled < MAX_STALLED;
}

bool newton_wants_jacobian(const struct newton *newton)
{
    if (newton->evaluations == 0) {
        return true;
    }
    double correction = newton->correction;
    if (correction <= newton->chord) {
        return false;
    }
    /* the next correction, and the residual that belongs to it */
    double next = newton->quadratic * correction * correction;
    return next * newton->residual_before / correction > 0.3 * newton->tolerance;
}

bool newton_may_reuse(const struct newton *newton)
{
    return newton->residual <= CHORD_CONTRACTION * newton->residual_before;
}
