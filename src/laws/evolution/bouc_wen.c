/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bouc-Wen. The rate has a kink where z changes sign. With w = s z and y = w / z_max a leg is
 *   dy/dtau = 1 - y^n,  tau = a |dx| / z_max,      behind the kink (w > 0),
 *   dy/dtau = 1 - rho |y|^n,  rho = (gamma - beta) / (gamma + beta),  before it,
 * which is the flow of power_map.h to z = 0 and on, in units of its own on either side. Where
 * gamma < -beta / 2 its table ends, and where beta < 0 (rho > 1) z can run away before the
 * kink; there the path is followed by an implicit rule.
 *
 * It costs some 8 times what jenkins does, see family.c.
 */
#include <math.h>
#include <stdio.h>

#include "laws/evolution/power_map.h"
#include "laws/laws.h"

struct parameters {
    double linear_stiffness, hysteretic_stiffness, a, beta, gamma, n;
    double z_max, length; /* m */
    double before;        /* m, unit of z before the kink; INFINITY: dz/dx is constant there */
    bool has_map;
    struct power_map map;
};

static const struct masing_field fields[] = {
    MASING_REAL("linear_stiffness", "N/m", MASING_ANY_NUMBER, MASING_DEFAULT(0.0),
                "spring beside the hysteresis, k_l", AT(linear_stiffness)),
    MASING_REAL("hysteretic_stiffness", "N/m", MASING_POSITIVE, MASING_REQUIRED,
                "factor of the hysteretic displacement, k_h", AT(hysteretic_stiffness)),
    MASING_REAL("a", "", MASING_POSITIVE, MASING_DEFAULT(1.0), "rate of z at z = 0", AT(a)),
    MASING_REAL("beta", "1/m^n", MASING_ANY_NUMBER, MASING_REQUIRED,
                "part of the rate that depends on the direction (B of Jamshidi)", AT(beta)),
    MASING_REAL("gamma", "1/m^n", MASING_ANY_NUMBER, MASING_REQUIRED,
                "part that does not (C of Jamshidi); beta + gamma > 0", AT(gamma)),
    MASING_REAL("n", "", MASING_BETWEEN(1.0, INFINITY), MASING_DEFAULT(1.0),
                "sharpness of the transition to slip", AT(n)),
};

static const struct masing_constant constants[] = {
    {"z_max", "m", "limit of the hysteretic displacement, (a / (beta + gamma))^(1/n)",
     AT(z_max)},
    {"length", "m", "shortest displacement over which z forgets", AT(length)},
};

/* (gamma - beta) / (gamma + beta) where the table ends, gamma = -beta / 2. */
static const double LOWEST_RATIO = -3.0;

static enum masing_status check(void *parameters, struct masing_error *error)
{
    struct parameters *p = parameters;
    double sum = p->beta + p->gamma, difference = p->gamma - p->beta;
    if (!(sum > 0.0)) {
        return masing_error_refuse(error, "beta",
                                   "'beta' + 'gamma' must be > 0, not %g + %g = %g", p->beta,
                                   p->gamma, sum);
    }
    p->z_max = pow(p->a / sum, 1.0 / p->n);
    p->length = 1.0 / (p->n * fmax(sum, fabs(difference)) * pow(p->z_max, p->n - 1.0));
    if (!(p->z_max > 0.0 && isfinite(p->z_max) && p->length > 0.0 && isfinite(p->length))) {
        const struct law_number numbers[] = {{"beta", sum}, {"a", p->a}, {"n", p->n}};
        return masing_error_refuse(error, law_extreme(numbers, 3),
                                   "the limit (a / (beta + gamma))^(1/n) = (%g / %g)^(1/%g) is "
                                   "out of range",
                                   p->a, sum, p->n);
    }
    p->before = p->z_max * pow(sum / fabs(difference), 1.0 / p->n);
    p->has_map = difference <= sum && difference >= LOWEST_RATIO * sum;
    if (p->has_map) {
        power_map_make(&p->map, p->n);
    }
    return MASING_OK;
}

/* length only sets the size of steps; it counts as a constant. */
static void derive(const void *parameters, void *tangent)
{
    const struct parameters *p = parameters;
    struct parameters *d = tangent;
    double sum = p->beta + p->gamma, ratio = p->a / sum;
    double ratio_change = (d->a - ratio * (d->beta + d->gamma)) / sum;
    d->z_max = p->z_max * (ratio_change / ratio / p->n - d->n * log(ratio) / (p->n * p->n));
}

static double energy_limit(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->gamma <= p->beta && p->gamma >= -p->beta ? INFINITY : 0.0;
}

static bool caution(const void *parameters, struct masing_warning *warning)
{
    const struct parameters *p = parameters;
    *warning = (struct masing_warning){
        "gamma = %g is outside [-beta, beta] = [%g, %g]: the law may create energy",
        {p->gamma, -p->beta, p->beta}};
    return !(energy_limit(p) > 0.0);
}

static double stuck_stiffness(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->linear_stiffness + p->hysteretic_stiffness * p->a;
}

LAW_PARAMETER(free_stiffness, linear_stiffness)

/* |z|^n on its own side of zero; n = 1 goes on as a straight line beyond it. */
static double power_of(const struct parameters *p, double side, double z)
{
    if (p->n == 1.0) {
        return side * z;
    }
    return p->n == 2.0 ? z * z : pow(fabs(z), p->n);
}

/* beta sgn(s z) + gamma */
static double resistance(const struct parameters *p, const struct masing_branch_point *at)
{
    return at->sign * at->side * p->beta + p->gamma;
}

static void rate(const void *parameters, const struct masing_branch_point *at,
                 struct masing_rate *rate)
{
    const struct parameters *p = parameters;
    double factor = resistance(p, at), power = power_of(p, at->side, at->z);
    *rate = (struct masing_rate){.value = p->a - factor * power};
    if (p->n == 1.0) {
        rate->z = -factor * at->side;
    } else if (at->z != 0.0) {
        rate->z = -factor * p->n * power / at->z;
    }
}

static double rate_change(const void *parameters, const void *tangent,
                          const struct masing_branch_point *at)
{
    const struct parameters *p = parameters, *d = tangent;
    double power = power_of(p, at->side, at->z);
    double sum = d->a - resistance(d, at) * power;
    if (at->z != 0.0) {
        sum -= resistance(p, at) * power * log(fabs(at->z)) * d->n;
    }
    return sum;
}

static double lag(const void *parameters, const struct masing_branch_point *at)
{
    const struct parameters *p = parameters;
    return resistance(p, at) * power_of(p, at->side, at->z);
}

LAW_PARAMETER(elastic_rate, a)
LAW_PARAMETER(limit, z_max)

/* dz/dx and its lag where a leg begins, over a; tau there, on its side of the kink; the way to
 * the kink; the side of the limit. */
enum { LEG_E, LEG_Q, LEG_TAU, LEG_KINK, LEG_SIDE };

/* Before the kink, where the limit is one to come from: z may stand on it, not behind it. */
static bool begin_before(const struct parameters *p, struct masing_leg *leg, double w)
{
    bool has_limit = p->gamma > p->beta;
    struct power_place place = {.e = 1.0};
    leg->numbers[LEG_KINK] = -w / p->a;
    if (p->before < INFINITY) {
        double tau = power_map_tau(&p->map, -w / p->before, has_limit, &place);
        leg->numbers[LEG_TAU] = tau;
        leg->numbers[LEG_KINK] = tau * p->before / p->a;
    }
    leg->numbers[LEG_E] = place.e;
    leg->numbers[LEG_Q] = place.q;
    leg->numbers[LEG_SIDE] = has_limit ? 1.0 : 0.0;
    return place.e >= 0.0 && place.q >= POWER_LOWEST;
}

static bool begin(const void *parameters, struct masing_leg *leg)
{
    const struct parameters *p = parameters;
    struct power_place place;
    double w = leg->sign * leg->z;
    if (!p->has_map) {
        return false;
    }
    if (w < 0.0) {
        return begin_before(p, leg, w);
    }
    leg->numbers[LEG_KINK] = 0.0;
    leg->numbers[LEG_TAU] = power_map_tau(&p->map, w / p->z_max, true, &place);
    leg->numbers[LEG_E] = place.e;
    leg->numbers[LEG_Q] = place.q;
    leg->numbers[LEG_SIDE] = place.e < 0.0 ? -1.0 : 1.0;
    return place.q <= POWER_HIGHEST;
}

/* The place after so long a way, with its unit and its tau. */
static double place_at(const struct parameters *p, const struct masing_leg *leg, double length,
                       double *tau, struct power_place *place)
{
    double to_kink = leg->numbers[LEG_KINK], from_kink = length - to_kink;
    int side = (int)leg->numbers[LEG_SIDE];
    if (from_kink >= 0.0) {
        *tau = (to_kink > 0.0 ? 0.0 : leg->numbers[LEG_TAU]) + from_kink * p->a / p->z_max;
        power_map_place(&p->map, *tau, to_kink > 0.0 ? 1 : side, place);
        return p->z_max;
    }
    if (p->before < INFINITY) {
        *tau = leg->numbers[LEG_TAU] - length * p->a / p->before;
        power_map_place(&p->map, fmax(*tau, 0.0), side, place);
        return -p->before;
    }
    *tau = -from_kink * p->a;
    *place = (struct power_place){.y = *tau, .e = 1.0};
    return -1.0;
}

static void travel(const void *parameters, const struct masing_leg *leg, double length,
                   struct masing_travel *end)
{
    static const double HALF = 0.5;
    const struct parameters *p = parameters;
    struct power_place place;
    double tau, unit = place_at(p, leg, length, &tau, &place);
    double e = leg->numbers[LEG_E], q = leg->numbers[LEG_Q];
    end->z = leg->sign * unit * place.y;
    end->rate = p->a * place.e;
    end->lag = p->a * place.q;
    end->kept = place.e / e;
    end->faded = (q < HALF ? place.q - q : e - place.e) / e;
    if (e == 0.0) { /* at the limit, to which the flow leads or from which it comes */
        double rest = -p->n * length * p->a / unit;
        end->kept = exp(rest);
        end->faded = -expm1(rest);
    }
}

/* What z has lagged behind a |dx| since the kink, or has yet to until it. */
static double lagged(const struct parameters *p, const struct masing_leg *leg, double length)
{
    struct power_place place;
    double tau, unit = place_at(p, leg, length, &tau, &place);
    bool is_linear = unit < 0.0 && !(p->before < INFINITY);
    return is_linear ? 0.0 : unit * power_map_lag(&p->map, tau, &place);
}

static double shift(const void *parameters, const struct masing_leg *leg, double length)
{
    const struct parameters *p = parameters;
    if (leg->numbers[LEG_E] == 0.0) { /* at the limit z stays */
        return -leg->sign * p->a * length;
    }
    return leg->sign * (lagged(parameters, leg, 0.0) - lagged(parameters, leg, length));
}

static void force(const void *parameters, const struct masing_branch_point *at,
                  const struct masing_rate *rate, struct masing_rate *force)
{
    const struct parameters *p = parameters;
    (void)rate;
    *force = (struct masing_rate){
        .value = p->linear_stiffness * at->x + p->hysteretic_stiffness * at->z,
        .x = p->linear_stiffness,
        .z = p->hysteretic_stiffness,
    };
}

static double force_change(const void *parameters, const void *tangent,
                           const struct masing_branch_point *at)
{
    const struct parameters *d = tangent;
    (void)parameters;
    return d->linear_stiffness * at->x + d->hysteretic_stiffness * at->z;
}

static double kink(const void *parameters)
{
    (void)parameters;
    return 0.0;
}

LAW_PARAMETER(length, length)

static const struct masing_evolution evolution = {
    .rate = rate,
    .rate_change = rate_change,
    .lag = lag,
    .elastic_rate = elastic_rate,
    .force = force,
    .force_change = force_change,
    .begin = begin,
    .travel = travel,
    .shift = shift,
    .limit = limit,
    .kink = kink,
    .length = length,
};

const struct masing_law law_bouc_wen = {
    .name = "bouc_wen",
    .summary = "Bouc-Wen hysteresis beside a linear spring",
    .equation = "f = linear_stiffness x + hysteretic_stiffness z\n"
                "dz/dx = a - (beta sgn(v z) + gamma) |z|^n",
    .example = "linear_stiffness: 1e4\n"
               "hysteretic_stiffness: 1e6\n"
               "a: 1\n"
               "beta: 4e4\n"
               "gamma: 1e4\n"
               "n: 1",
    .source = "Bouc (1967); Wen (1976); Jamshidi & Koochakinejad (2021), eq. 44",
    LAW_OF_ONE_AXIS(evolution),
    .may_create_energy = true,
    MASING_TABLE(constants, constants),
    .check = check,
    .derive = derive,
    .caution = caution,
    .energy_limit = energy_limit,
    .stuck_stiffness = stuck_stiffness,
    .free_stiffness = free_stiffness,
    .evolution = &evolution,
};
