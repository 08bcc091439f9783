/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dahl's friction. With w = 1 - s T / T_c the distance from the limit in the direction of
 * motion, dw/d|x| = -(sigma / T_c) |w|^alpha sgn w has a closed form for every exponent:
 *   w = w_0 exp(g),  g = log(1 - e l |w_0|^-e) / e,  e = 1 - alpha,  l = sigma |dx| / T_c.
 * For alpha < 1 the limit is reached after a finite travel.
 *
 * It costs some 6 times what jenkins does, see family.c.
 */
#include <math.h>

#include "laws/laws.h"
#include "laws/slip_limit.h"

struct parameters {
    double stiffness, exponent;
    struct slip_limit limit;
    double length; /* m */
};

static const struct masing_field fields[] = {
    MASING_REAL("stiffness", "N/m", MASING_POSITIVE, MASING_REQUIRED,
                "tangent at zero force, sigma", AT(stiffness)),
    SLIP_LIMIT_FIELDS(AT(limit)),
    MASING_REAL("exponent", "", MASING_BETWEEN_OPEN(MASING_OPEN_MINIMUM, 0.0, 10.0),
                MASING_DEFAULT(1.0),
                "alpha: shape of the transition to slip; 1: exponential in the travel",
                AT(exponent)),
};

static const struct masing_constant constants[] = {
    SLIP_LIMIT_CONSTANT(AT(limit)),
    {"length", "m", "displacement over which the force forgets, slip_force / stiffness",
     AT(length)},
};

static enum masing_status check(void *parameters, struct masing_error *error)
{
    struct parameters *p = parameters;
    return slip_limit_reach(&p->limit, p->stiffness, &p->length, error);
}

static void derive(const void *parameters, void *tangent)
{
    const struct parameters *p = parameters;
    struct parameters *d = tangent;
    slip_limit_derive(&p->limit, &d->limit);
    d->length = (d->limit.resolved - p->length * d->stiffness) / p->stiffness;
}

LAW_PARAMETER(stuck_stiffness, stiffness)

static double signed_power(double w, double exponent)
{
    return w != 0.0 ? copysign(pow(fabs(w), exponent), w) : 0.0;
}

static void rate(const void *parameters, const struct masing_branch_point *at,
                 struct masing_rate *rate)
{
    const struct parameters *p = parameters;
    double limit = p->limit.resolved, w = limit > 0.0 ? 1.0 - at->sign * at->z / limit : 0.0;
    *rate = (struct masing_rate){.value = p->stiffness * signed_power(w, p->exponent)};
    if (w != 0.0) {
        rate->z = -at->sign / p->length * p->exponent * pow(fabs(w), p->exponent - 1.0);
    }
}

static double rate_change(const void *parameters, const void *tangent,
                          const struct masing_branch_point *at)
{
    const struct parameters *p = parameters, *d = tangent;
    double limit = p->limit.resolved, w = limit > 0.0 ? 1.0 - at->sign * at->z / limit : 0.0;
    if (w == 0.0) {
        return 0.0;
    }
    double power = signed_power(w, p->exponent);
    double w_change = at->sign * at->z / (limit * limit) * d->limit.resolved;
    return d->stiffness * power +
           p->stiffness * power * (d->exponent * log(fabs(w)) + p->exponent * w_change / w);
}

/* What a leg begins with: w_0, |w_0|^-e / (T_c / sigma), sigma |w_0|^alpha sgn w_0, s T_c w_0.
 */
enum { LEG_W, LEG_R, LEG_RATE, LEG_DISTANCE };

/* The closed form at work: q = e l |w_0|^-e, r = l |w_0|^-e. */
struct passage {
    double w, e, r, q;
    bool saturates;
};

static struct passage passage_of(const struct parameters *p, const struct masing_leg *leg,
                                 double length)
{
    struct passage a = {.w = leg->numbers[LEG_W], .e = 1.0 - p->exponent};
    a.r = length * leg->numbers[LEG_R];
    a.q = a.e * a.r;
    a.saturates = a.w == 0.0 || a.q >= 1.0;
    return a;
}

static bool begin(const void *parameters, struct masing_leg *leg)
{
    const struct parameters *p = parameters;
    double limit = p->limit.resolved, w = limit > 0.0 ? 1.0 - leg->sign * leg->z / limit : 0.0;
    double power = p->exponent != 1.0 ? pow(fabs(w), p->exponent - 1.0) : 1.0;
    leg->numbers[LEG_W] = w;
    leg->numbers[LEG_R] = power / p->length;
    leg->numbers[LEG_RATE] = w != 0.0 ? p->stiffness * w * power : 0.0;
    leg->numbers[LEG_DISTANCE] = leg->sign * limit * w;
    return true;
}

/* -log(1 - q) / q and its derivative, smooth through q = 0. */
static double quotient(double q)
{
    static const double SERIES = 1e-8; /* q^2/3 is below rounding */
    return fabs(q) > SERIES ? -log1p(-q) / q : 1.0 + 0.5 * q;
}

static double quotient_slope(double q)
{
    static const double SERIES = 1e-3; /* the series below is exact to rounding */
    if (fabs(q) > SERIES) {
        return (1.0 / (1.0 - q) - quotient(q)) / q;
    }
    return 0.5 + q * (2.0 / 3.0 + q * (0.75 + q * (0.8 + q * (5.0 / 6.0 + q * 6.0 / 7.0))));
}

/* At the limit, where w = 0 or l is long enough: there it stays; a change decays, or not. */
static void travel_at_limit(const struct parameters *p, const struct masing_leg *leg,
                            double length, struct masing_travel *end)
{
    *end = (struct masing_travel){.z = leg->sign * p->limit.resolved, .faded = 1.0};
    if (leg->numbers[LEG_W] == 0.0 && p->exponent >= 1.0 && p->limit.resolved > 0.0) {
        double rest = p->exponent > 1.0 ? 0.0 : -length / p->length;
        end->kept = exp(rest);
        end->faded = -expm1(rest);
    }
}

/*
 * With 1 + grown = exp(g): w = w_0 (1 + grown), and |w|^-e = |w_0|^-e / (1 - q), so that rate
 * and change fall by (1 + grown) / (1 - q).
 */
static void travel(const void *parameters, const struct masing_leg *leg, double length,
                   struct masing_travel *end)
{
    const struct parameters *p = parameters;
    struct passage a = passage_of(p, leg, length);
    if (a.saturates) {
        travel_at_limit(p, leg, length, end);
        return;
    }
    double grown = expm1(-a.r * quotient(a.q)), left = 1.0 - a.q;
    end->z = leg->z - leg->numbers[LEG_DISTANCE] * grown;
    end->kept = (1.0 + grown) / left;
    end->faded = -(a.q + grown) / left;
    end->rate = leg->numbers[LEG_RATE] * end->kept;
}

static double travel_change(const void *parameters, const void *tangent,
                            const struct masing_leg *leg, double length)
{
    const struct parameters *p = parameters, *d = tangent;
    double limit = p->limit.resolved;
    if (limit == 0.0) {
        return leg->sign * d->limit.resolved;
    }
    struct passage a = passage_of(p, leg, length);
    if (a.saturates) {
        bool stays = a.w == 0.0 && p->exponent > 1.0;
        return stays ? 0.0 : leg->sign * d->limit.resolved;
    }
    double g = -a.r * quotient(a.q), e_change = -d->exponent;
    double w_change = leg->sign * leg->z / (limit * limit) * d->limit.resolved;
    double r_change =
        -a.r * (d->length / p->length + e_change * log(fabs(a.w)) + a.e * w_change / a.w);
    double q_change = e_change * a.r + a.e * r_change;
    double g_change = -r_change * quotient(a.q) - a.r * quotient_slope(a.q) * q_change;
    return -leg->sign * (d->limit.resolved * expm1(g) + limit * a.w * exp(g) * g_change);
}

LAW_PARAMETER(length, length)
LAW_PARAMETER(limit_force, limit.resolved)

static const struct masing_evolution evolution = {
    .rate = rate,
    .rate_change = rate_change,
    .begin = begin,
    .travel = travel,
    .travel_change = travel_change,
    .limit = limit_force,
    .length = length,
};

const struct masing_law law_dahl = {
    .name = "dahl",
    .summary = "Dahl's friction: the tangent falls with the distance from the limit",
    .equation = "df/dx = stiffness |1 - s f / slip_force|^exponent sgn(1 - s f / slip_force), "
                "s = sgn(v)",
    .example = "stiffness: 1e6\n"
               "slip_force: 20\n"
               "exponent: 1.5",
    .source = "Dahl (1968); Peyret et al. (2017)",
    LAW_OF_ONE_AXIS(evolution),
    SLIP_LIMIT_SPEED(AT(limit)),
    MASING_TABLE(constants, constants),
    .check = check,
    .derive = derive,
    .stuck_stiffness = stuck_stiffness,
    .free_stiffness = masing_law_zero_stiffness,
    .evolution = &evolution,
};
