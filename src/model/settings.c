/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `solver:` and `integration:` of the model file. */
#include <math.h>
#include <stddef.h>

#include "masing/model.h"

static const char *const methods[] = {"newmark", "accurate", "hht", "exact", NULL};
static const char *const mode_choices[] = {"auto", "fewer", "all", NULL};
static const char *const ways[] = {"marching", "shooting", NULL};

#define SOLVER(member) offsetof(struct masing_solver_settings, member)
#define INTEGRATION(member) offsetof(struct masing_integration_settings, member)

const struct masing_field masing_solver_fields[] = {
    MASING_REAL("tolerance", "", MASING_BETWEEN_OPEN(MASING_OPEN_MINIMUM, 0, 1e-3),
                MASING_DEFAULT(1e-10),
                "largest residual of an accepted point, relative to the load",
                SOLVER(tolerance)),
    MASING_REAL("step.initial", "", MASING_BETWEEN_OPEN(MASING_OPEN_MINIMUM, 0, 1),
                MASING_DEFAULT(0.01), "first step, in parts of the frequency range",
                SOLVER(step_initial)),
    MASING_REAL("step.min", "", MASING_BETWEEN_OPEN(MASING_OPEN_MINIMUM, 0, 1),
                MASING_DEFAULT(1e-9),
                "step below which the curve is given up, in parts of the frequency range",
                SOLVER(step_min)),
    MASING_REAL("step.max", "", MASING_BETWEEN_OPEN(MASING_OPEN_MINIMUM, 0, 1),
                MASING_DEFAULT(0.15), "longest step, in parts of the frequency range",
                SOLVER(step_max)),
    MASING_INTEGER("max_points", "", MASING_BETWEEN(2, 1e7), MASING_DEFAULT(20000),
                   "points after which a curve is given up", SOLVER(max_points)),
};
const int masing_n_solver_fields = sizeof masing_solver_fields / sizeof *masing_solver_fields;

const struct masing_field masing_integration_fields[] = {
    MASING_CHOICE(
        "method", methods, 0,
        "newmark: average acceleration, joints by exact return mapping; hht: the same "
        "with numerical damping; accurate: differential equations to a tolerance, begun "
        "anew at every event of a joint; exact: joints that are linear between events, "
        "without any error of steps. Of ring-downs also, hht excepted",
        INTEGRATION(method)),
    MASING_CHOICE("steady", ways, 0,
                  "how the periodic motion is found. marching: period after period; shooting: "
                  "Newton's method on what a period does to the state",
                  INTEGRATION(steady)),
    MASING_INTEGER("steps_per_cycle", "", MASING_BETWEEN(16, 1e6), MASING_DEFAULT(1024),
                   "time steps per period of the fundamental", INTEGRATION(steps_per_cycle)),
    MASING_INTEGER("cycles", "", MASING_BETWEEN(1, 1e8), MASING_DEFAULT(10000),
                   "periods at most until the motion is steady", INTEGRATION(cycles)),
    MASING_REAL(
        "tolerance", "", MASING_BETWEEN_OPEN(MASING_OPEN_BOTH, 0, 1), MASING_DEFAULT(1e-7),
        "distance from the periodic motion, relative, at which it counts as steady; with "
        "accurate not less than 100 times accuracy",
        INTEGRATION(tolerance)),
    MASING_REAL("accuracy", "", MASING_BETWEEN(1e-13, 1e-3), MASING_DEFAULT(1e-10),
                "accurate: error of one step, relative to the motion", INTEGRATION(accuracy)),
    MASING_REAL("alpha", "", MASING_BETWEEN(-1.0 / 3.0, 0.0), MASING_DEFAULT(-0.05),
                "hht: numerical damping of what has few steps per period; 0: none",
                INTEGRATION(alpha)),
    MASING_CHOICE(
        "modes", mode_choices, 0,
        "of the structure, for integrate and compare. fewer: the lowest, and residual modes "
        "for the others, so many that joints and outputs respond alike to harmonic forces, "
        "within ten times the tolerance; auto: so where there are more than 64 and it is "
        "cheaper. Joints with more than 32 axes together keep all",
        INTEGRATION(modes)),
};
const int masing_n_integration_fields =
    sizeof masing_integration_fields / sizeof *masing_integration_fields;
