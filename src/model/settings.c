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
    {.name = "tolerance",
     .unit = "",
     .type = MASING_FIELD_REAL,
     .open_ends = MASING_OPEN_MINIMUM,
     .minimum = 0,
     .maximum = 1e-3,
     .fallback = 1e-10,
     .help = "largest residual of an accepted point, relative to the load",
     .offset = SOLVER(tolerance)},
    {.name = "step.initial",
     .unit = "",
     .type = MASING_FIELD_REAL,
     .open_ends = MASING_OPEN_MINIMUM,
     .minimum = 0,
     .maximum = 1,
     .fallback = 0.01,
     .help = "first step, in parts of the frequency range",
     .offset = SOLVER(step_initial)},
    {.name = "step.min",
     .unit = "",
     .type = MASING_FIELD_REAL,
     .open_ends = MASING_OPEN_MINIMUM,
     .minimum = 0,
     .maximum = 1,
     .fallback = 1e-9,
     .help = "step below which the curve is given up, in parts of the frequency range",
     .offset = SOLVER(step_min)},
    {.name = "step.max",
     .unit = "",
     .type = MASING_FIELD_REAL,
     .open_ends = MASING_OPEN_MINIMUM,
     .minimum = 0,
     .maximum = 1,
     .fallback = 0.15,
     .help = "longest step, in parts of the frequency range",
     .offset = SOLVER(step_max)},
    {.name = "max_points",
     .unit = "",
     .type = MASING_FIELD_INTEGER,
     .minimum = 2,
     .maximum = 1e7,
     .fallback = 20000,
     .help = "points after which a curve is given up",
     .offset = SOLVER(max_points)},
};
const int masing_n_solver_fields = sizeof masing_solver_fields / sizeof *masing_solver_fields;

const struct masing_field masing_integration_fields[] = {
    {.name = "method",
     .unit = "",
     .type = MASING_FIELD_CHOICE,
     .fallback = 0,
     .maximum = sizeof methods / sizeof *methods - 2,
     .choices = methods,
     .help = "newmark: average acceleration, joints by exact return mapping; hht: the same "
             "with numerical damping; accurate: differential equations to a tolerance, begun "
             "anew at every event of a joint; exact: joints that are linear between events, "
             "without any error of steps. Of ring-downs also, hht excepted",
     .offset = INTEGRATION(method)},
    {.name = "steady",
     .unit = "",
     .type = MASING_FIELD_CHOICE,
     .fallback = 0,
     .maximum = sizeof ways / sizeof *ways - 2,
     .choices = ways,
     .help = "how the periodic motion is found. marching: period after period; shooting: "
             "Newton's method on what a period does to the state",
     .offset = INTEGRATION(steady)},
    {.name = "steps_per_cycle",
     .unit = "",
     .type = MASING_FIELD_INTEGER,
     .minimum = 16,
     .maximum = 1e6,
     .fallback = 1024,
     .help = "time steps per period of the fundamental",
     .offset = INTEGRATION(steps_per_cycle)},
    {.name = "cycles",
     .unit = "",
     .type = MASING_FIELD_INTEGER,
     .minimum = 1,
     .maximum = 1e8,
     .fallback = 10000,
     .help = "periods at most until the motion is steady",
     .offset = INTEGRATION(cycles)},
    {.name = "tolerance",
     .unit = "",
     .type = MASING_FIELD_REAL,
     .open_ends = MASING_OPEN_BOTH,
     .minimum = 0,
     .maximum = 1,
     .fallback = 1e-7,
     .help = "distance from the periodic motion, relative, at which it counts as steady; with "
             "accurate not less than 100 times accuracy",
     .offset = INTEGRATION(tolerance)},
    {.name = "accuracy",
     .unit = "",
     .type = MASING_FIELD_REAL,
     .minimum = 1e-13,
     .maximum = 1e-3,
     .fallback = 1e-10,
     .help = "accurate: error of one step, relative to the motion",
     .offset = INTEGRATION(accuracy)},
    {.name = "alpha",
     .unit = "",
     .type = MASING_FIELD_REAL,
     .minimum = -1.0 / 3.0,
     .maximum = 0.0,
     .fallback = -0.05,
     .help = "hht: numerical damping of what has few steps per period; 0: none",
     .offset = INTEGRATION(alpha)},
    {.name = "modes",
     .unit = "",
     .type = MASING_FIELD_CHOICE,
     .fallback = 0,
     .maximum = sizeof mode_choices / sizeof *mode_choices - 2,
     .choices = mode_choices,
     .help =
         "of the structure, for integrate and compare. fewer: the lowest, and residual modes "
         "for the others, so many that joints and outputs respond alike to harmonic forces, "
         "within ten times the tolerance; auto: so where there are more than 64 and it is "
         "cheaper. Joints with more than 32 axes together keep all",
     .offset = INTEGRATION(modes)},
};
const int masing_n_integration_fields =
    sizeof masing_integration_fields / sizeof *masing_integration_fields;
