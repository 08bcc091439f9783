/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Valanis' law, full and reduced, for the state z = F - g, the distance of the force from what
 * it follows in full slip. With y = -L s z:
 *   full:    dF/dx = E_0 (1 + y) / (1 + kappa y),
 *   reduced: dF/dx = E_0 (1 + y)  (case II, g_2 = F).
 * y lies between -1 (full slip) and about 1 (after a reversal). Where g is straight, z has a
 * closed form, see `travel`; with a quadratic term the path is followed by an implicit rule.
 *
 * It costs some 90 times what jenkins does, see family.c.
 */
#include <math.h>

#include "base/check.h"
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

static const struct masing_field fields[] = {
    MASING_REAL("initial_stiffness", "N/m", MASING_POSITIVE, MASING_REQUIRED,
                "tangent after every reversal, E_0", AT(initial_stiffness)),
    MASING_REAL("slip_stiffness", "N/m", MASING_ANY_NUMBER, MASING_DEFAULT(0.0),
                "tangent in full slip, E_t; below initial_stiffness", AT(slip_stiffness)),
    MASING_REAL("stick_limit", "N", MASING_POSITIVE, MASING_REQUIRED,
                "force over which stick turns into slip, alpha_0", AT(stick_limit)),
    MASING_REAL("transition", "", MASING_BETWEEN_OPEN(MASING_OPEN_MAXIMUM, 0.0, 1.0),
                MASING_DEFAULT(0.0), "kappa: 0 gradual, towards 1 sudden", AT(transition)),
    MASING_REAL("quadratic_stiffness", "N/m^2", MASING_ANY_NUMBER, MASING_OPTIONAL,
                "E_t2: in full slip the force follows E_t x + E_t2 x |x|",
                AT(quadratic_stiffness)),
    MASING_REAL("negative_stiffness", "N/m", MASING_ANY_NUMBER, MASING_OPTIONAL,
                "E_t3: tangent in full slip at negative displacements, instead of E_t",
                AT(negative_stiffness)),
    MASING_CHOICE(
        "form", forms, FULL,
        "full, or reduced (linear in the force; transition plays no part but in lambda)",
        AT(form)),
};

static const struct masing_constant constants[] = {
    {"lambda", "1/N", "1 / (stick_limit (1 - transition slip_stiffness / initial_stiffness))",
     AT(lambda)},
    {"length", "m", "shortest displacement over which the force forgets", AT(length)},
};

/* A slip tangent must be below E_0. */
static enum masing_status check_below(const char *key, double value, double initial,
                                      struct masing_error *error)
{
    if (!isnan(value) && !(value < initial)) {
        return masing_error_refuse(error, key,
                                   "'%s' must be < 'initial_stiffness' = %g N/m, not %g", key,
                                   initial, value);
    }
    return MASING_OK;
}

static enum masing_status check(void *parameters, struct masing_error *error)
{
    struct parameters *p = parameters;
    double initial = p->initial_stiffness;
    NEED(check_below("slip_stiffness", p->slip_stiffness, initial, error));
    NEED(check_below("negative_stiffness", p->negative_stiffness, initial, error));
    if (!isnan(p->quadratic_stiffness) && !isnan(p->negative_stiffness)) {
        return masing_error_refuse(error, "quadratic_stiffness",
                                   "'quadratic_stiffness' and 'negative_stiffness' are both "
                                   "given; give one of them at most");
    }
    p->lambda = 1.0 / (p->stick_limit * (1.0 - p->transition * p->slip_stiffness / initial));
    double sharpness = p->form == FULL ? 1.0 - p->transition : 1.0;
    p->length = sharpness / (initial * p->lambda);
    if (!(p->length > 0.0 && isfinite(p->length) && isfinite(p->lambda))) {
        const struct law_number numbers[] = {{"stick_limit", p->stick_limit},
                                             {"initial_stiffness", initial}};
        return masing_error_refuse(error, law_extreme(numbers, 2),
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

/* Slope of g where it is straight; `of` holds the numbers or their changes. */
static double straight_slope(const struct parameters *p, const struct parameters *of,
                             double half)
{
    bool is_other = half < 0.0 && !isnan(p->negative_stiffness);
    return is_other ? of->negative_stiffness : of->slip_stiffness;
}

/* What the force follows in full slip, and its slope. */
static double target(const struct parameters *p, double half, double x, double *slope)
{
    if (!isnan(p->quadratic_stiffness)) {
        *slope = p->slip_stiffness + 2.0 * p->quadratic_stiffness * fabs(x);
        return (p->slip_stiffness + p->quadratic_stiffness * fabs(x)) * x;
    }
    *slope = straight_slope(p, p, half);
    return *slope * x;
}

static double target_change(const struct parameters *p, const struct parameters *d, double half,
                            double x)
{
    if (!isnan(p->quadratic_stiffness)) {
        return (d->slip_stiffness + d->quadratic_stiffness * fabs(x)) * x;
    }
    return straight_slope(p, d, half) * x;
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

LAW_PARAMETER(stuck_stiffness, initial_stiffness)
LAW_PARAMETER(free_stiffness, slip_stiffness)

static enum masing_restraint restraint(const void *parameters)
{
    const struct parameters *p = parameters;
    bool is_curved = !isnan(p->quadratic_stiffness) && p->quadratic_stiffness != 0.0;
    bool is_bent = !isnan(p->negative_stiffness) && p->negative_stiffness != 0.0;
    bool is_spring = p->slip_stiffness != 0.0 || is_curved || is_bent;
    return is_spring ? MASING_RESTRAINT_SPRING : MASING_RESTRAINT_NONE;
}

static void rate(const void *parameters, const struct masing_branch_point *at,
                 struct masing_rate *rate)
{
    const struct parameters *p = parameters;
    double slope, y = -p->lambda * at->sign * at->z;
    double kappa = p->form == FULL ? p->transition : 0.0, below = 1.0 + kappa * y;
    target(p, at->half, at->x, &slope);
    if (!(below > 0.0)) { /* not a state that any motion leads to */
        *rate = (struct masing_rate){.value = NAN};
        return;
    }
    *rate = (struct masing_rate){.value = p->initial_stiffness * (1.0 + y) / below - slope,
                                 .z = -p->initial_stiffness * (1.0 - kappa) / (below * below) *
                                      p->lambda * at->sign};
    if (!isnan(p->quadratic_stiffness)) {
        rate->x = -2.0 * p->quadratic_stiffness * at->half;
    }
}

static double rate_change(const void *parameters, const void *tangent,
                          const struct masing_branch_point *at)
{
    const struct parameters *p = parameters, *d = tangent;
    double distance = -at->sign * at->z, y = p->lambda * distance;
    double kappa = p->form == FULL ? p->transition : 0.0, below = 1.0 + kappa * y;
    double kappa_change = p->form == FULL ? d->transition : 0.0;
    double slope_change = straight_slope(p, d, at->half);
    if (!isnan(p->quadratic_stiffness)) { /* then there is no negative_stiffness */
        slope_change += 2.0 * d->quadratic_stiffness * fabs(at->x);
    }
    return d->initial_stiffness * (1.0 + y) / below +
           p->initial_stiffness *
               ((1.0 - kappa) * d->lambda * distance - (1.0 + y) * y * kappa_change) /
               (below * below) -
           slope_change;
}

/*
 * With w = s z, l = |dx|, E the slope of g and
 *   q = a - b w,  a = E_0 - E,  b = L (E_0 - kappa E),
 * the rate separates: (c_0 / q + c_1) dq = -b dl with c_0 = E_0 (1 - kappa) / (E_0 - kappa E),
 * c_1 = kappa / (E_0 - kappa E). q_end = q exp(D) where
 *   c_0 D + c_1 q (exp(D) - 1) + b l = 0.
 */
struct passage {
    double sign, kappa, slope, length;
    double a, b, c0, c1, q;
    double d, grown;  /* D and exp(D) - 1 */
    double decreased; /* q - q_end */
    double divisor;   /* c_0 + c_1 q_end */
};

/* Newton's method: the function is convex for q > 0 and concave for q < 0, where one step leads
 * to the side from which it converges. */
static bool solve(struct passage *s)
{
    enum { MAX_ITERATIONS = 200 };
    static const double LAST_DIGIT = 4e-16;
    double bl = s->b * s->length;
    s->d = 0.0;
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        double value = s->c0 * s->d + s->c1 * s->q * expm1(s->d) + bl;
        double change = value / (s->c0 + s->c1 * s->q * exp(s->d));
        s->d -= change;
        if (fabs(change) <= LAST_DIGIT * fabs(s->d)) {
            break;
        }
    }
    s->grown = expm1(s->d);
    s->decreased = -s->q * s->grown;
    s->divisor = s->c0 + s->c1 * (s->q - s->decreased);
    return isfinite(s->decreased);
}

static bool pass(const struct parameters *p, const struct masing_branch_point *at, double dx,
                 struct passage *s)
{
    double initial = p->initial_stiffness;
    if (!isnan(p->quadratic_stiffness)) {
        return false;
    }
    s->sign = at->sign;
    s->kappa = p->form == FULL ? p->transition : 0.0;
    s->slope = straight_slope(p, p, at->half);
    s->length = fabs(dx);
    s->a = initial - s->slope;
    s->b = p->lambda * (initial - s->kappa * s->slope);
    s->c0 = initial * (1.0 - s->kappa) / (initial - s->kappa * s->slope);
    s->c1 = s->kappa / (initial - s->kappa * s->slope);
    s->q = s->a - s->b * s->sign * at->z;
    return s->c0 + s->c1 * s->q > 0.0 && solve(s);
}

static bool travel(const void *parameters, const struct masing_branch_point *at, double dx,
                   struct masing_rate *end, double *decay)
{
    struct passage s;
    if (!pass(parameters, at, dx, &s)) {
        return false;
    }
    *end = (struct masing_rate){.value = at->z + s.sign * s.decreased / s.b,
                                .x = (s.q - s.decreased) / s.divisor};
    *decay = -s.c0 * s.grown / s.divisor;
    end->z = 1.0 - *decay;
    return true;
}

static double travel_change(const void *parameters, const void *tangent,
                            const struct masing_branch_point *at, double dx)
{
    const struct parameters *p = parameters, *d = tangent;
    struct passage s;
    if (!pass(p, at, dx, &s)) {
        return 0.0;
    }
    double initial = p->initial_stiffness, initial_d = d->initial_stiffness;
    double kappa_d = p->form == FULL ? d->transition : 0.0;
    double slope_d = straight_slope(p, d, at->half);
    double below = initial - s.kappa * s.slope;
    double below_d = initial_d - kappa_d * s.slope - s.kappa * slope_d;
    double b_d = d->lambda * below + p->lambda * below_d;
    double c0_d = (initial_d * (1.0 - s.kappa) - initial * kappa_d - s.c0 * below_d) / below;
    double c1_d = (kappa_d - s.c1 * below_d) / below;
    double q_d = initial_d - slope_d - b_d * s.sign * at->z;
    double d_d =
        -(c0_d * s.d + (c1_d * s.q + s.c1 * q_d) * s.grown + b_d * s.length) / s.divisor;
    double decreased_d = -q_d * s.grown - s.q * exp(s.d) * d_d;
    return s.sign * (decreased_d - s.decreased * b_d / s.b) / s.b;
}

static void force(const void *parameters, const struct masing_branch_point *at,
                  struct masing_rate *force)
{
    double slope, followed = target(parameters, at->x, at->x, &slope);
    *force = (struct masing_rate){.value = followed + at->z, .x = slope, .z = 1.0};
}

static double force_change(const void *parameters, const void *tangent,
                           const struct masing_branch_point *at)
{
    return target_change(parameters, tangent, at->x, at->x);
}

LAW_PARAMETER(length, length)

static const struct masing_evolution evolution = {
    .rate = rate,
    .rate_change = rate_change,
    .force = force,
    .force_change = force_change,
    .travel = travel,
    .travel_change = travel_change,
    .has_kink_at_origin = true,
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
    LAW_OF_ONE_AXIS(evolution),
    .may_create_energy = true,
    MASING_TABLE(constants, constants),
    .check = check,
    .derive = derive,
    .energy_limit = energy_limit,
    .stuck_stiffness = stuck_stiffness,
    .free_stiffness = free_stiffness,
    .restraint = restraint,
    .evolution = &evolution,
};
