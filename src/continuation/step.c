/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "continuation/curve.h"

#include <math.h>

static const double GROWTH = 1.6;
/* Behind a corner that short steps have found: back to half of the length before, as long as
 * the predictor is as good as exact. */
static const double RECOVERY = 6.0, RECOVERED = 0.5, AS_GOOD_AS_EXACT = 0.01;
static const double SHRINKAGE = 0.3;
static const double SAFETY = 0.9;
/* A corrector that goes further than this may have met the curve behind a resonance. */
static const double LARGEST_CORRECTION = 0.35;
static const double AIMED_CORRECTION = 0.1;
/* Errors of so many times what is aimed at are too large where they are to be small. */
static const double COARSE = 3.0;
/* Across many small corners a shorter step is not better in proportion. */
static const double AIMED_ON_SECANT = 0.3;
/* A correction of less than so many tolerances says nothing of the predictor: the tolerance is
 * one of residuals, and a point that meets it uncorrected leaves its error to the next. */
static const double AIMED_AT_LEAST = 100.0;
static const double AIMED_TURNING = 0.7;   /* rad */
static const double LARGEST_TURNING = 1.2; /* rad */
enum { MANY_ITERATIONS = 5 };

static double aim_at(const struct continuation_settings *settings, double part, double length)
{
    double least = AIMED_AT_LEAST * settings->tolerance;
    return fmin(settings->predictor_tolerance, fmax(part * length, least));
}

double step_error_aim(const struct continuation_settings *settings, double length)
{
    return aim_at(settings, AIMED_CORRECTION, length);
}

bool step_is_coarse(const struct step_outcome *outcome,
                    const struct continuation_settings *settings)
{
    return outcome->error > COARSE * step_error_aim(settings, outcome->length);
}

bool step_is_credible(const struct step_outcome *outcome,
                      const struct continuation_settings *settings)
{
    /* round-off and tolerance of the solution matter when the step is tiny */
    double noise = 10.0 * settings->tolerance;
    if (outcome->error > LARGEST_CORRECTION * outcome->length + noise) {
        return false;
    }
    return outcome->turning <= LARGEST_TURNING || outcome->length <= 10.0 * settings->step_min;
}

double step_error_factor(const struct step_outcome *outcome,
                         const struct continuation_settings *settings)
{
    double aim = outcome->order == STEP_SECANT
                     ? aim_at(settings, AIMED_ON_SECANT, outcome->length)
                     : step_error_aim(settings, outcome->length);
    double ratio = aim / fmax(outcome->error, 1e-6 * aim);
    if (outcome->order == STEP_LINE || outcome->order == STEP_SECANT) {
        return SAFETY * sqrt(ratio);
    }
    if (outcome->order == STEP_CORNER) {
        return cbrt(ratio * ratio);
    }
    /* solve h'(h' + h) = h (h + h_before) sqrt(ratio) for h' / h */
    double product = (1.0 + outcome->length_before / outcome->length) * sqrt(ratio);
    return SAFETY * 0.5 * (sqrt(1.0 + 4.0 * product) - 1.0);
}

static double growth(const struct step_control *control,
                     const struct continuation_settings *settings,
                     const struct step_outcome *outcome)
{
    bool is_recovering =
        settings->has_hidden_corners && outcome->length < RECOVERED * control->before &&
        outcome->error <= AS_GOOD_AS_EXACT * step_error_aim(settings, outcome->length);
    return is_recovering ? RECOVERY : control->is_held ? 1.0 : GROWTH;
}

void step_accept(struct step_control *control, const struct continuation_settings *settings,
                 const struct step_outcome *outcome)
{
    double factor = step_error_factor(outcome, settings);
    if (outcome->turning > 0.0) {
        factor = fmin(factor, AIMED_TURNING / outcome->turning);
    }
    if (outcome->iterations > MANY_ITERATIONS) {
        factor = fmin(factor, 0.7);
    }
    factor = fmin(factor, growth(control, settings, outcome));
    factor = fmax(factor, SHRINKAGE);
    control->is_held = false;
    control->before = outcome->length < RECOVERED * control->before ? control->before : 0.0;
    control->length = outcome->length * factor;
    control->length = fmin(control->length, settings->step_max);
    control->length = fmax(control->length, settings->step_min);
}

void step_reject(struct step_control *control, double factor)
{
    control->before = fmax(control->before, control->length);
    control->length *= fmin(0.9, fmax(SHRINKAGE, factor));
    control->is_held = true;
}

void step_restart(struct step_control *control, const struct continuation_settings *settings,
                  double length)
{
    control->length = fmax(settings->step_min, fmin(length, settings->step_max));
    control->is_held = false;
}
