/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A damper whose force is a polynomial of the velocity's size; where a coefficient is negative
 * it may put energy in. */
#include <math.h>

#include "laws/laws.h"

struct parameters {
    struct masing_list coefficients;
};

static const struct masing_field fields[] = {
    MASING_NUMBERS("coefficients", "N s^p/m^p", MASING_ANY_NUMBER, MASING_REQUIRED,
                   MASING_LIST_LENGTH,
                   "c1, c2, c3, ...: of v, v|v|, v|v|^2, ...; negative ones put energy in",
                   AT(coefficients)),
};

static enum masing_status check(void *parameters, struct masing_error *error)
{
    const struct parameters *p = parameters;
    if (p->coefficients.count < 1) {
        return masing_error_refuse(error, "coefficients",
                                   "'coefficients' is empty; give c1, c2, ...");
    }
    return MASING_OK;
}

static double energy_limit(const void *parameters)
{
    const struct parameters *p = parameters;
    bool is_passive = true;
    for (int k = 0; k < p->coefficients.count; k++) {
        is_passive = is_passive && p->coefficients.values[k] >= 0.0;
    }
    return is_passive ? INFINITY : 0.0;
}

/* Horner's scheme for f / v in |v| and its derivative. */
static void force(const void *parameters, int n, const struct masing_branch_point *at,
                  struct masing_rate *force)
{
    const struct parameters *p = parameters;
    for (int i = 0; i < n; i++) {
        double quotient = 0.0, slope = 0.0, speed = fabs(at[i].v);
        for (int k = p->coefficients.count - 1; k >= 0; k--) {
            slope = slope * speed + quotient;
            quotient = quotient * speed + p->coefficients.values[k];
        }
        force[i] =
            (struct masing_rate){.value = quotient * at[i].v, .v = slope * speed + quotient};
    }
}

static double force_change(const void *parameters, const void *tangent,
                           const struct masing_branch_point *at)
{
    const struct parameters *p = parameters, *d = tangent;
    double sum = 0.0, speed = fabs(at->v);
    for (int k = p->coefficients.count - 1; k >= 0; k--) {
        sum = sum * speed + d->coefficients.values[k];
    }
    return sum * at->v;
}

const struct masing_law law_polynomial_damper = {
    .name = "polynomial_damper",
    .summary = "polynomial damper",
    .equation = "f = c1 v + c2 v |v| + c3 v |v|^2 + ...",
    .source = "elementary",
    .example = "coefficients: [12, 0, 300]",
    LAW_OF_ONE_AXIS(memoryless),
    .needs_velocity = true,
    .may_create_energy = true,
    .gain_is_meant = true,
    .check = check,
    .energy_limit = energy_limit,
    /* No force without velocity. */
    .stuck_stiffness = masing_law_zero_stiffness,
    .free_stiffness = masing_law_zero_stiffness,
    .force = force,
    .force_change = force_change,
};
