/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Segalman's four-parameter Iwan element: sliders in parallel whose reaches are distributed as
 * R phi^chi up to phi_max, with a group of its own, S, that slips there. The backbone is that
 * of infinitely many sliders in closed form; any finite number loses the dissipation of small
 * amplitudes.
 *
 * With w = u / phi_max and e = chi + 1
 *   B = K u [beta (1 + e) + e + 1 - w^e] / [(1 + beta)(1 + e)],
 *   B' = K [beta + 1 - w^e] / (1 + beta),
 * where 1 - w^e comes from a table that keeps all digits: every term is positive.
 */
#include <math.h>

#include "base/check.h"
#include "laws/laws.h"
#include "laws/masing/return_points.h"
#include "laws/masing/unit_power.h"
#include "laws/slip_limit.h"

struct parameters {
    struct slip_limit limit; /* F_S */
    double stiffness;        /* K_T */
    double chi, beta;
    double reach;                    /* phi_max, m */
    double density;                  /* R, N/m^(chi+2) */
    double last_group;               /* S, N/m */
    double mean_reach;               /* phi bar, m */
    double inverse_reach, secant[2]; /* B = u (secant[0] + secant[1] (1 - w^e)) */
    struct unit_power power;
};

static const struct masing_field fields[] = {
    SLIP_LIMIT_FIELDS(AT(limit)),
    MASING_REAL("stiffness", "N/m", MASING_POSITIVE, MASING_REQUIRED,
                "stiffness of the joint while it sticks, K_T", AT(stiffness)),
    MASING_REAL(
        "chi", "", MASING_BETWEEN_OPEN(MASING_OPEN_MINIMUM, -1.0, 0.0), MASING_REQUIRED,
        "exponent of the sliders' distribution: microslip dissipates as amplitude^(chi+3)",
        AT(chi)),
    MASING_REAL(
        "beta", "", MASING_NOT_NEGATIVE, MASING_REQUIRED,
        "share of the stiffness that remains until the whole joint slips, S / (K_T - S)",
        AT(beta)),
};

static const struct masing_constant constants[] = {
    SLIP_LIMIT_CONSTANT(AT(limit)),
    {"phi_max", "m", "displacement from which the whole joint slips", AT(reach)},
    {"R", "N/m^(chi+2)", "coefficient of the sliders' distribution, R phi^chi", AT(density)},
    {"S", "N/m", "stiffness of the sliders that slip at phi_max", AT(last_group)},
    {"phi_bar", "m",
     "mean reach of the sliders: a cycle of macroslip loses 4 F_S (u - phi_bar)",
     AT(mean_reach)},
};

/* beta + (chi + 1) / (chi + 2) */
static double shape(const struct parameters *p)
{
    return p->beta + (p->chi + 1.0) / (p->chi + 2.0);
}

static void fill_backbone(struct parameters *p)
{
    double e = p->chi + 1.0, all = 1.0 + p->beta;
    p->inverse_reach = 1.0 / p->reach;
    p->secant[1] = p->stiffness / (all * (1.0 + e));
    p->secant[0] = p->secant[1] * (p->beta * (1.0 + e) + e);
    unit_power_make(&p->power, e);
}

static enum masing_status check(void *parameters, struct masing_error *error)
{
    struct parameters *p = parameters;
    NEED(slip_limit_check(&p->limit, error));
    double limit = p->limit.resolved, h = shape(p);
    p->reach = limit * (1.0 + p->beta) / (p->stiffness * h);
    p->last_group = p->stiffness * p->beta / (1.0 + p->beta);
    p->mean_reach = p->reach * (p->beta + (p->chi + 1.0) / (p->chi + 3.0)) / h;
    /* without friction there are no sliders */
    p->density = limit > 0.0 ? limit * (p->chi + 1.0) / (pow(p->reach, p->chi + 2.0) * h) : 0.0;
    if (!isfinite(p->reach) || (p->reach == 0.0 && limit > 0.0)) {
        const struct law_number numbers[] = {{"stiffness", p->stiffness},
                                             {slip_limit_key(&p->limit), limit},
                                             {"chi", 1.0 + p->chi},
                                             {"beta", 1.0 + p->beta}};
        return masing_error_refuse(
            error, law_extreme(numbers, 4),
            "slip force / stiffness = %g / %g is out of range with chi = "
            "%g, beta = %g",
            limit, p->stiffness, p->chi, p->beta);
    }
    fill_backbone(p);
    return MASING_OK;
}

static void derive(const void *parameters, void *tangent)
{
    const struct parameters *p = parameters;
    struct parameters *d = tangent;
    slip_limit_derive(&p->limit, &d->limit);
    double h = shape(p), e = p->chi + 1.0, beta = 1.0 + p->beta;
    double h_change = d->beta + d->chi / ((1.0 + e) * (1.0 + e));
    double g = p->beta + e / (e + 2.0);
    double g_change = d->beta + 2.0 * d->chi / ((e + 2.0) * (e + 2.0));
    d->reach = d->limit.resolved * beta / (p->stiffness * h) +
               p->reach * (d->beta / beta - d->stiffness / p->stiffness - h_change / h);
    d->last_group = d->stiffness * p->beta / beta + p->stiffness * d->beta / (beta * beta);
    d->mean_reach = (d->reach * g + p->reach * (g_change - g * h_change / h)) / h;
    if (p->limit.resolved > 0.0) {
        d->density = p->density *
                     (d->limit.resolved / p->limit.resolved + d->chi / e -
                      d->chi * log(p->reach) - (e + 1.0) * d->reach / p->reach - h_change / h);
    }
}

LAW_PARAMETER(stuck_stiffness, stiffness)

static void backbone(const void *parameters, double u, double *b, double *db)
{
    const struct parameters *p = parameters;
    if (u >= p->reach) {
        *b = p->limit.resolved;
        *db = 0.0;
        return;
    }
    double slipped = unit_power_complement(&p->power, u * p->inverse_reach);
    *b = u * (p->secant[0] + p->secant[1] * slipped);
    *db = p->stiffness * ((p->beta + slipped) / (1.0 + p->beta)); /* K_T itself at zero */
}

static double backbone_change(const void *parameters, const void *tangent, double u)
{
    const struct parameters *p = parameters, *d = tangent;
    if (u >= p->reach) {
        return d->limit.resolved;
    }
    if (u == 0.0) {
        return 0.0;
    }
    double e = p->chi + 1.0, beta = 1.0 + p->beta, logarithm = log(u / p->reach);
    double power = exp(e * logarithm), below = beta * (1.0 + e);
    double factor = (p->beta * (1.0 + e) + e - expm1(e * logarithm)) / below;
    double below_change = d->beta * (1.0 + e) + beta * d->chi;
    double above_change = below_change - power * (logarithm * d->chi - e * d->reach / p->reach);
    double factor_change = (above_change - factor * below_change) / below;
    return u * (d->stiffness * factor + p->stiffness * factor_change);
}

LAW_PARAMETER(reach, reach)

const struct masing_law law_iwan4 = {
    .name = "iwan4",
    .summary = "four-parameter Iwan element: sliders in parallel, from micro- to macroslip",
    .equation = "B(u) = K_T u - R u^(chi+2) / ((chi+1)(chi+2)) for u < phi_max, slip_force "
                "above\n"
                "phi_max = slip_force (1+beta) / (K_T (beta + (chi+1)/(chi+2)))",
    .source = "Segalman (2005); Lacayo, Deaner and Allen (2017), appendix A",
    .example = "slip_force: 10\nstiffness: 1\nchi: -0.5\nbeta: 5",
    LAW_OF_ONE_AXIS(masing),
    .is_monotone = true,
    SLIP_LIMIT_SPEED(AT(limit)),
    MASING_TABLE(constants, constants),
    .check = check,
    .derive = derive,
    .stuck_stiffness = stuck_stiffness,
    .free_stiffness = masing_law_zero_stiffness,
    .backbone = backbone,
    .backbone_change = backbone_change,
    .reach = reach,
    .settle = slip_events_settle,
    MASING_TABLE(events, slip_events),
};
