/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When no step down to the least one converged: other ways to the next point, each logged. */
#include <math.h>

#include "continuation/curve.h"

static const struct {
    const char *name;
    bool is_line, is_line_search, is_homotopy;
    double first, factor; /* lengths in parts of the last good step */
    int n_lengths;
} strategies[] = {
    {"line search", false, true, false, 1.0, 0.25, 5},
    {"straight predictor", true, false, false, 1.0, 0.25, 5},
    {"straight predictor and line search", true, true, false, 1.0, 0.25, 5},
    {"Newton homotopy", true, false, true, 0.5, 0.25, 4},
    {"jump over a singular point", true, true, false, 1.5, 1.5, 6},
};
enum { N_STRATEGIES = sizeof strategies / sizeof *strategies, MOST_IN_A_ROW = 5 };

enum masing_status curve_rescue(struct continuation *c, enum masing_status why)
{
    double lambda = c->here.u[c->n];
    curve_log(c, "at %.10g: no step down to %.3g converged (%s)", lambda, c->settings.step_min,
              masing_status_name(why));
    if (++c->rescues > MOST_IN_A_ROW) {
        curve_log(c, "at %.10g: other strategies helped %d times in a row only to get stuck",
                  lambda, MOST_IN_A_ROW);
        return why;
    }
    for (int i = 0; i < N_STRATEGIES; i++) {
        struct curve_attempt attempt = {.is_line = strategies[i].is_line,
                                        .is_line_search = strategies[i].is_line_search,
                                        .is_homotopy = strategies[i].is_homotopy};
        attempt.length = c->good_length * strategies[i].first;
        for (int j = 0; j < strategies[i].n_lengths; j++) {
            enum masing_status status = curve_attempt(c, &attempt);
            if (status <= 0) {
                curve_log(c, "at %.10g: %s with a step of %.3g %s", lambda, strategies[i].name,
                          attempt.length, status == MASING_OK ? "converged" : "failed");
                c->is_rescued = status == MASING_OK;
                return status;
            }
            attempt.length = fmax(attempt.length * strategies[i].factor, c->settings.step_min);
        }
        curve_log(c, "at %.10g: %s failed", lambda, strategies[i].name);
    }
    return why;
}
