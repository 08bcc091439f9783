/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A spring whose force is a polynomial of the displacement without a constant term. */
#include <math.h>

#include "laws/laws.h"

struct parameters {
    struct masing_list coefficients;
};

static const struct masing_field fields[] = {
    MASING_NUMBERS(
        "coefficients", "N/m^p", MASING_ANY_NUMBER, MASING_REQUIRED, MASING_LIST_LENGTH,
        "k1, k2, k3, ...: of x, x^2, x^3, ...; each may be negative", AT(coefficients)),
};

static enum masing_status check(void *parameters, struct masing_error *error)
{
    const struct parameters *p = parameters;
    if (p->coefficients.count < 1) {
        return masing_error_refuse(error, "coefficients",
                                   "'coefficients' is empty; give k1, k2, ...");
    }
    return MASING_OK;
}

/* The linear term; far away the tangent has no limit, so that the origin stands for both. */
static double stiffness(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->coefficients.values[0];
}

static enum masing_restraint restraint(const void *parameters)
{
    const struct parameters *p = parameters;
    for (int k = 0; k < p->coefficients.count; k++) {
        if (p->coefficients.values[k] != 0.0) {
            return MASING_RESTRAINT_SPRING;
        }
    }
    return MASING_RESTRAINT_NONE;
}

/* Horner's scheme for f / x and its derivative. */
static void force(const void *parameters, int n, const struct masing_branch_point *at,
                  struct masing_rate *force)
{
    const struct parameters *p = parameters;
    for (int i = 0; i < n; i++) {
        double quotient = 0.0, slope = 0.0, x = at[i].x;
        for (int k = p->coefficients.count - 1; k >= 0; k--) {
            slope = slope * x + quotient;
            quotient = quotient * x + p->coefficients.values[k];
        }
        force[i] = (struct masing_rate){.value = quotient * x, .x = slope * x + quotient};
    }
}

static double force_change(const void *parameters, const void *tangent,
                           const struct masing_branch_point *at)
{
    const struct parameters *p = parameters, *d = tangent;
    double sum = 0.0;
    for (int k = p->coefficients.count - 1; k >= 0; k--) {
        sum = (sum + d->coefficients.values[k]) * at->x;
    }
    return sum;
}

const struct masing_law law_polynomial_spring = {
    .name = "polynomial_spring",
    .summary = "polynomial spring",
    .equation = "f = k1 x + k2 x^2 + k3 x^3 + ...",
    .source = "elementary",
    .example = "coefficients: [40000, 0, 1e9]",
    LAW_OF_ONE_AXIS(memoryless),
    .check = check,
    .stuck_stiffness = stiffness,
    .free_stiffness = stiffness,
    .restraint = restraint,
    .force = force,
    .force_change = force_change,
};
