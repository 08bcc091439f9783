/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Valanis' law, full and reduced. With y = L s (g - F):
 *   full:    dF/dx = E_0 (1 + y) / (1 + kappa y),
 *   reduced: dF/dx = E_0 (1 + y)  (case II, g_2 = F).
 * y lies between -1 (full slip) and about 1 (after a reversal). The full form is nonlinear in
 * the force, so that the path is followed by an implicit rule.
 *
 * Some 60 times the cost of jenkins per sample: the steady state is a fixed point, for which a
 * period is gone round two to five times, and each sample step solves three implicit equations.
 */
#include <math.h>

#include "laws/laws.h"

enum form { FULL, REDUCED };

struct parameters {
    double initial_stiffness, slip_stiffness, stick_limit, transition;
    double quadratic_stiffness, negative_stiffness;
    int form;
    double lambda; /* 1/N */
    double length; /* m */
};

static const char *const forms[] = {"full", "reduced", NULL};

#define REAL(member, unit_text, required, range_open, low, high, otherwise, help_text)         \
    {                                                                                          \
        .name = #member, .unit = unit_text, .type = MASING_FIELD_REAL,                         \
        .is_required = required, .open_ends = range_open, .minimum = low, .maximum = high,     \
        .fallback = otherwise, .help = help_text,                                              \
        .offset = offsetof(struct parameters, member)                                          \
    }

static const struct masing_field fields[] = {
    REAL(initial_stiffness, "N/m", true, MASING_OPEN_MINIMUM, 0.0, INFINITY, NAN,
         "tangent after every reversal, E_0"),
    REAL(slip_stiffness, "N/m", false, 0, -INFINITY, INFINITY, 0.0,
         "tangent in full slip, E_t; below initial_stiffness"),
    REAL(stick_limit, "N", true, MASING_OPEN_MINIMUM, 0.0, INFINITY, NAN,
         "force over which stick turns into slip, alpha_0"),
    REAL(transition, "", false, MASING_OPEN_MAXIMUM, 0.0, 1.0, 0.0,
         "kappa: 0 gradual, towards 1 sudden"),
    REAL(quadratic_stiffness, "N/m^2", false, 0, -INFINITY, INFINITY, NAN,
         "E_t2: in full slip the force follows E_t x + E_t2 x |x|"),
    REAL(negative_stiffness, "N/m", false, 0, -INFINITY, INFINITY, NAN,
         "E_t3: tangent in full slip at negative displacements, instead of E_t"),
    {.name = "form",
     .unit = "",
     .type = MASING_FIELD_CHOICE,
     .minimum = 0.0,
     .maximum = REDUCED,
     .fallback = FULL,
     .choices = forms,
     .help = "full, or reduced (linear in the force; transition plays no part but in lambda)",
     .offset = offsetof(struct parameters, form)},
};

static const struct masing_constant constants[] = {
    {"lambda", "1/N", "1 / (stick_limit (1 - transition slip_stiffness / initial_stiffness))",
     offsetof(struct parameters, lambda)},
    {"length", "m", "shortest displacement over which the force forgets",
     offsetof(struct parameters, length)},
};

/* A slip tangent must be below E_0. */
static enum masing_status check_below(const char *key, double value, double initial,
                                      struct masing_error *error)
{
    if (!isnan(value) && !(value < initial)) {
        return masing_error_set(error, MASING_INVALID,
                                "'%s' must be < 'initial_stiffness' = %g N/m, not %g", key,
                                initial, value);
    }
    return MASING_OK;
}

static enum masing_status check(void *parameters, struct masing_error *error)
{
    struct parameters *p = parameters;
    double initial = p->initial_stiffness;
    enum masing_status status =
        check_below("slip_stiffness", p->slip_stiffness, initial, error);
    if (status == MASING_OK) {
        status = check_below("negative_stiffness", p->negative_stiffness, initial, error);
    }
    if (status != MASING_OK) {
        return status;
    }
    if (!isnan(p->quadratic_stiffness) && !isnan(p->negative_stiffness)) {
        return masing_error_set(error, MASING_INVALID,
                                "'quadratic_stiffness' and 'negative_stiffness' are both "
                                "given; give one of them at most");
    }
    p->lambda = 1.0 / (p->stick_limit * (1.0 - p->transition * p->slip_stiffness / initial));
    double sharpness = p->form == FULL ? 1.0 - p->transition : 1.0;
    p->length = sharpness / (initial * p->lambda);
    if (!(p->length > 0.0 && isfinite(p->length) && isfinite(p->lambda))) {
        return masing_error_set(error, MASING_INVALID,
                                "stick_limit / initial_stiffness = %g / %g is out of range",
                                p->stick_limit, initial);
    }
    return MASING_OK;
}

/* length only sets the size of steps; it counts as a constant. */
static void derive(const void *parameters, void *tangent)
{
    const struct parameters *p = parameters;
    struct parameters *d = tangent;
    double ratio = p->slip_stiffness / p->initial_stiffness;
    double ratio_change =
        (d->slip_stiffness - ratio * d->initial_stiffness) / p->initial_stiffness;
    double inverse_change =
        d->stick_limit * (1.0 - p->transition * ratio) -
        p->stick_limit * (d->transition * ratio + p->transition * ratio_change);
    d->lambda = -p->lambda * p->lambda * inverse_change;
}

/* What the force follows in full slip, and its slope. */
static double target(const struct parameters *p, double half, double x, double *slope)
{
    if (!isnan(p->quadratic_stiffness)) {
        *slope = p->slip_stiffness + 2.0 * p->quadratic_stiffness * fabs(x);
        return (p->slip_stiffness + p->quadratic_stiffness * fabs(x)) * x;
    }
    bool is_other = half < 0.0 && !isnan(p->negative_stiffness);
    *slope = is_other ? p->negative_stiffness : p->slip_stiffness;
    return *slope * x;
}

static double target_change(const struct parameters *p, const struct parameters *d, double half,
                            double x)
{
    if (!isnan(p->quadratic_stiffness)) {
        return (d->slip_stiffness + d->quadratic_stiffness * fabs(x)) * x;
    }
    bool is_other = half < 0.0 && !isnan(p->negative_stiffness);
    return (is_other ? d->negative_stiffness : d->slip_stiffness) * x;
}

/* In full slip the force must not rise faster than after a reversal (dg/dx < E_0). */
static double energy_limit(const void *parameters)
{
    const struct parameters *p = parameters;
    if (isnan(p->quadratic_stiffness) || p->quadratic_stiffness <= 0.0) {
        return INFINITY;
    }
    return (p->initial_stiffness - p->slip_stiffness) / (2.0 * p->quadratic_stiffness);
}

static double stuck_stiffness(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->initial_stiffness;
}

static double free_stiffness(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->slip_stiffness;
}

static enum masing_hold hold(const void *parameters)
{
    const struct parameters *p = parameters;
    bool is_curved = !isnan(p->quadratic_stiffness) && p->quadratic_stiffness != 0.0;
    bool is_bent = !isnan(p->negative_stiffness) && p->negative_stiffness != 0.0;
    bool is_spring = p->slip_stiffness != 0.0 || is_curved || is_bent;
    return is_spring ? MASING_HOLD_SPRING : MASING_HOLD_NONE;
}

static void rate(const void *parameters, struct masing_branch branch, double x, double v,
                 double z, struct masing_rate *rate)
{
    double sign = branch.sign;
    const struct parameters *p = parameters;
    double slope, y = p->lambda * sign * (target(p, branch.half, x, &slope) - z);
    double kappa = p->form == FULL ? p->transition : 0.0, below = 1.0 + kappa * y;
    (void)v;
    if (!(below > 0.0)) { /* not a state that any motion leads to */
        *rate = (struct masing_rate){.value = NAN};
        return;
    }
    double by_y = p->initial_stiffness * (1.0 - kappa) / (below * below) * p->lambda * sign;
    *rate = (struct masing_rate){
        .value = p->initial_stiffness * (1.0 + y) / below, .x = by_y * slope, .z = -by_y};
}

static double rate_change(const void *parameters, const void *tangent,
                          struct masing_branch branch, double x, double v, double z)
{
    double sign = branch.sign;
    const struct parameters *p = parameters, *d = tangent;
    double slope, distance = sign * (target(p, branch.half, x, &slope) - z),
                  y = p->lambda * distance;
    bool is_full = p->form == FULL;
    double kappa = is_full ? p->transition : 0.0, below = 1.0 + kappa * y;
    double y_change =
        d->lambda * distance + p->lambda * sign * target_change(p, d, branch.half, x);
    double kappa_change = is_full ? d->transition : 0.0;
    (void)v;
    return d->initial_stiffness * (1.0 + y) / below +
           p->initial_stiffness * ((1.0 - kappa) * y_change - (1.0 + y) * y * kappa_change) /
               (below * below);
}

static double middle(const void *parameters, double x)
{
    double slope;
    return target(parameters, x, x, &slope);
}

static double length(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->length;
}

static const struct masing_evolution evolution = {
    .rate = rate,
    .rate_change = rate_change,
    .has_kink_at_origin = true,
    .middle = middle,
    .length = length,
};

const struct masing_law law_valanis = {
    .name = "valanis",
    .summary = "Valanis' endochronic law with stick, micro-slip and slip with a slope",
    .equation = "df/dx = E0 [1 + L s (g - f)] / [1 + kappa L s (g - f)], s = sgn(v), "
                "reduced: the numerator alone\n"
                "g = Et x, or Et x + Et2 x |x|, or Et x for x > 0 and Et3 x otherwise",
    .example = "initial_stiffness: 3000\n"
               "slip_stiffness: 100\n"
               "stick_limit: 1\n"
               "transition: 0.1",
    .source = "Valanis (1971); Gaul & Lenz (1997); Jalali et al. (2022), eq. 2",
    .family = &masing_family_evolution,
    .n_axes = 1,
    .may_create_energy = true,
    .parameters_size = sizeof(struct parameters),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .constants = constants,
    .n_constants = sizeof constants / sizeof *constants,
    .check = check,
    .derive = derive,
    .energy_limit = energy_limit,
    .stuck_stiffness = stuck_stiffness,
    .free_stiffness = free_stiffness,
    .hold = hold,
    .evolution = &evolution,
};
