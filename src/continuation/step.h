/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Length of the next step from how the last one went. */
#ifndef MASING_CONTINUATION_STEP_H
#define MASING_CONTINUATION_STEP_H

#include "continuation/continuation.h"

/* How the distance between predictor and solution grows with the step h. */
enum step_order {
    STEP_LINE,    /* h^2: straight line on a smooth curve */
    STEP_CORNER,  /* h^(3/2): straight line behind a corner */
    STEP_SECANT,  /* on a curve of many small corners: hardly */
    STEP_HERMITE, /* (h (h + h_before))^2 */
};

struct step_outcome {
    double length;        /* of the predictor */
    double length_before; /* of the step before */
    double error;         /* distance between predictor and solution */
    double turning;       /* rad */
    int iterations;
    enum step_order order;
};

struct step_control {
    double length; /* of the next step */
    bool is_held;  /* a step was rejected: do not grow at once */
    double before; /* the longest that was rejected since one as long was accepted */
};

/* Largest error that a step of this length is meant to have. */
double step_error_aim(const struct continuation_settings *settings, double length);

/* Factor on the length with which the error would be as aimed at. */
double step_error_factor(const struct step_outcome *outcome,
                         const struct continuation_settings *settings);

/* Whether a converged step is a step along the curve at all. */
bool step_is_credible(const struct step_outcome *outcome,
                      const struct continuation_settings *settings);

void step_accept(struct step_control *control, const struct continuation_settings *settings,
                 const struct step_outcome *outcome);
void step_reject(struct step_control *control, double factor);
void step_restart(struct step_control *control, const struct continuation_settings *settings,
                  double length);

#endif
