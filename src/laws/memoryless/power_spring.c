/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A spring whose force is a power of the displacement, on both sides or, as between bodies
 * that touch (Hertz), on one. */
#include <math.h>

#include "laws/laws.h"

struct parameters {
    double coefficient, exponent;
    bool one_sided;
};

static const struct masing_field fields[] = {
    MASING_REAL("coefficient", "N/m^p", MASING_ANY_NUMBER, MASING_REQUIRED,
                "force at unit displacement; softening if negative", AT(coefficient)),
    MASING_REAL("exponent", "", MASING_BETWEEN(1.0, INFINITY), MASING_REQUIRED,
                "p, e.g. 1.5 for a sphere on a plane", AT(exponent)),
    {.name = "one_sided",
     .unit = "",
     .type = MASING_FIELD_BOOLEAN,
     .minimum = 0.0,
     .maximum = 1.0,
     .fallback = 0.0,
     .help = "no force at negative displacements",
     .offset = AT(one_sided)},
};

/* At the origin; one side that is stiff there counts as stuck. */
static double stuck_stiffness(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->exponent == 1.0 ? p->coefficient : 0.0;
}

/* Far away the tangent has no limit but where the force is linear. */
static double free_stiffness(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->one_sided ? 0.0 : stuck_stiffness(p);
}

static enum masing_restraint restraint(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->coefficient != 0.0 ? MASING_RESTRAINT_SPRING : MASING_RESTRAINT_NONE;
}

/* At the origin the force of an odd power is smooth, of others it is not, or hardly. */
static int corners(const void *parameters, double *x)
{
    const struct parameters *p = parameters;
    x[0] = 0.0;
    return p->one_sided || fmod(p->exponent, 2.0) != 1.0 ? 1 : 0;
}

static bool is_free(const struct parameters *p, double x)
{
    return p->one_sided && x < 0.0;
}

static void force(const void *parameters, int n, const struct masing_branch_point *at,
                  struct masing_rate *force)
{
    const struct parameters *p = parameters;
    for (int i = 0; i < n; i++) {
        bool acts = !is_free(p, at[i].x);
        double secant = acts ? p->coefficient * pow(fabs(at[i].x), p->exponent - 1.0) : 0.0;
        force[i] = (struct masing_rate){.value = secant * at[i].x, .x = p->exponent * secant};
    }
}

static double force_change(const void *parameters, const void *tangent,
                           const struct masing_branch_point *at)
{
    const struct parameters *p = parameters, *d = tangent;
    double size = fabs(at->x);
    if (size == 0.0 || is_free(p, at->x)) {
        return 0.0;
    }
    double unit = copysign(pow(size, p->exponent), at->x);
    return unit * (d->coefficient + p->coefficient * log(size) * d->exponent);
}

/* Of one side: displacements are measured in those of the motion. */
static double relative(const struct parameters *p, const struct masing_range *range, double x)
{
    double scale = fabs(range->maximum) + fabs(range->minimum);
    return !p->one_sided ? -1.0 : scale > 0.0 ? x / scale : 0.0;
}

static double largest(const struct masing_law *law, const void *parameters,
                      const struct masing_range *range)
{
    (void)law;
    return relative(parameters, range, range->maximum);
}

static double smallest(const struct masing_law *law, const void *parameters,
                       const struct masing_range *range)
{
    (void)law;
    return relative(parameters, range, range->minimum);
}

static const struct masing_law_event events[] = {
    {MASING_EVENT_CONTACT, MASING_EVENT_LIFT_OFF, largest, false},
    {MASING_EVENT_FULL_CONTACT, MASING_EVENT_LIFT_OFF, smallest, false},
};

const struct masing_law law_power_spring = {
    .name = "power_spring",
    .summary = "spring with a power of the displacement, on one or both sides",
    .equation = "f = coefficient sgn(x) |x|^exponent\n"
                "one_sided: f = coefficient max(0, x)^exponent",
    .source = "Hertz (1881) for exponent 1.5 on one side",
    .example = "coefficient: 1e9\nexponent: 1.5",
    LAW_OF_ONE_AXIS(memoryless),
    .stuck_stiffness = stuck_stiffness,
    .corners = corners,
    .free_stiffness = free_stiffness,
    .restraint = restraint,
    .force = force,
    .force_change = force_change,
    MASING_TABLE(events, events),
};
