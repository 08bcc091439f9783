/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Valanis' law, full and reduced, for the state z = F - g, the distance of the force from what
 * it follows in full slip. With y = -L s z:
 *   full:    dF/dx = E_0 (1 + y) / (1 + kappa y),
 *   reduced: dF/dx = E_0 (1 + y)  (case II, g_2 = F).
 * y lies between -1 (full slip) and about 1 (after a reversal). Where g is straight, z is a
 * map of the travel, see `travel`; with a quadratic term the path is followed by an implicit
 * rule.
 *
 * It costs some 8 times what jenkins does, see family.c.
 */
#include <math.h>

#include "base/check.h"
#include "laws/evolution/omega_map.h"
#include "laws/laws.h"

enum form { FULL, REDUCED };

struct parameters {
    double initial_stiffness, slip_stiffness, stick_limit, transition;
    double quadratic_stiffness, negative_stiffness;
    int form;
    double lambda; /* 1/N */
    double length; /* m */
    struct omega_map omega;
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
    if (p->form == FULL && p->transition > 0.0) {
        omega_map_make(&p->omega);
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
 *   D + v (exp(D) - 1) + m = 0,  v = c_1 q / c_0,  m = b l / c_0.
 */
struct passage {
    double kappa, slope, b, c0, c1, q, v;
    double d, grown; /* D and exp(D) - 1 */
    double below;    /* 1 + v exp(D) */
};

/*
 * Halley's method. The tangent at D = 0 and the asymptote of large travels leave the root on
 * the same side, below where the function is convex (v > 0), so that the nearer one begins.
 */
static void solve(struct passage *s, double m)
{
    enum { MAX_ITERATIONS = 60 };
    static const double LAST_CHANGE = 1e-5; /* its cube is below rounding */
    double near = -m / (1.0 + s->v), far = s->v - m, change = 1.0;
    s->d = s->v > 0.0 ? fmin(near, far) : fmax(near, far);
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        double grown = expm1(s->d), bend = s->v * (1.0 + grown), slope = 1.0 + bend;
        double step = (s->d + s->v * grown + m) / slope;
        change = -step / (1.0 - 0.5 * step * bend / slope);
        s->d += change;
        s->grown =
            grown + (1.0 + grown) * change * (1.0 + change * (0.5 + change * (1.0 / 6.0)));
        if (!(fabs(change) > LAST_CHANGE * fmin(1.0, fabs(s->d)))) {
            break;
        }
    }
    s->below = 1.0 + s->v * (1.0 + s->grown);
}

/* V of a leg from which the table serves: s = V + log V has its digits, and is in the table. */
static const double SMALLEST_BEND = 1e-3, LARGEST_BEND = 2.9;

/*
 * With V = v exp(D): V + log V = v + log v - m, so that one function serves all legs. Small
 * travels need the digits of D, which is -m - (V - v): a step of Newton's method brings them.
 */
static void look_up(const struct omega_map *omega, struct passage *s, double m, double start)
{
    static const double LONG = 0.5; /* exp(D) - 1 has its digits */
    double bend = omega_map_value(omega, start - m);
    s->d = s->v - m - bend;
    s->grown = bend / s->v - 1.0;
    if (m < LONG) {
        double grown = expm1(s->d);
        double change = -(s->d + s->v * grown + m) / (1.0 + s->v * (1.0 + grown));
        s->d += change;
        s->grown = grown + (1.0 + grown) * change;
    }
    s->below = 1.0 + s->v * (1.0 + s->grown);
}

enum {
    LEG_B,
    LEG_Q,
    LEG_C0,
    LEG_V,
    LEG_START
}; /* the last: v + log v, NAN: not in the table */

/* Where a leg begins. */
static struct passage start_of(const struct parameters *p, const struct masing_leg *leg)
{
    double initial = p->initial_stiffness, kappa = p->form == FULL ? p->transition : 0.0;
    double slope = straight_slope(p, p, leg->half), below = initial - kappa * slope;
    struct passage s = {
        .kappa = kappa, .slope = slope, .b = p->lambda * below, .c1 = kappa / below};
    s.c0 = initial * (1.0 - kappa) / below;
    s.q = initial - slope - s.b * leg->sign * leg->z;
    s.v = s.c1 * s.q / s.c0;
    return s;
}

/* Not with a quadratic term, and not beyond the pole of the rate. */
static bool begin(const void *parameters, struct masing_leg *leg)
{
    const struct parameters *p = parameters;
    const struct passage s = start_of(p, leg);
    leg->numbers[LEG_B] = s.b;
    leg->numbers[LEG_Q] = s.q;
    leg->numbers[LEG_C0] = s.c0;
    leg->numbers[LEG_V] = s.v;
    bool has_table = s.v > SMALLEST_BEND && s.v < LARGEST_BEND;
    leg->numbers[LEG_START] = has_table ? s.v + log(s.v) : NAN;
    return isnan(p->quadratic_stiffness) && s.v > -1.0;
}

/* |z| in full slip, on the half where it is larger. */
static double limit(const void *parameters)
{
    const struct parameters *p = parameters;
    double largest = 0.0;
    for (double half = -1.0; half <= 1.0; half += 2.0) {
        const struct masing_leg leg = {.sign = 1.0, .half = half};
        const struct passage s = start_of(p, &leg);
        largest = fmax(largest, s.q / s.b);
    }
    return largest;
}

static void travel(const void *parameters, const struct masing_leg *leg, double length,
                   struct masing_travel *end)
{
    double b = leg->numbers[LEG_B], q = leg->numbers[LEG_Q], c0 = leg->numbers[LEG_C0];
    double start = leg->numbers[LEG_START], m = b * length / c0;
    struct passage s = {.v = leg->numbers[LEG_V]};
    if (isnan(start)) {
        solve(&s, m);
    } else {
        look_up(&((const struct parameters *)parameters)->omega, &s, m, start);
    }
    end->z = leg->z - leg->sign * q * s.grown / b;
    end->rate = q * (1.0 + s.grown) / (c0 * s.below);
    end->kept = (1.0 + s.v) * (1.0 + s.grown) / s.below;
    end->faded = -s.grown / s.below;
}

static double travel_change(const void *parameters, const void *tangent,
                            const struct masing_leg *leg, double length)
{
    const struct parameters *p = parameters, *d = tangent;
    struct passage s = start_of(p, leg);
    solve(&s, s.b * length / s.c0);
    double initial = p->initial_stiffness, initial_d = d->initial_stiffness;
    double kappa_d = p->form == FULL ? d->transition : 0.0;
    double slope_d = straight_slope(p, d, leg->half);
    double below = initial - s.kappa * s.slope;
    double below_d = initial_d - kappa_d * s.slope - s.kappa * slope_d;
    double b_d = d->lambda * below + p->lambda * below_d;
    double c0_d = (initial_d * (1.0 - s.kappa) - initial * kappa_d - s.c0 * below_d) / below;
    double c1_d = (kappa_d - s.c1 * below_d) / below;
    double q_d = initial_d - slope_d - b_d * leg->sign * leg->z;
    double d_d =
        -(c0_d * s.d + (c1_d * s.q + s.c1 * q_d) * s.grown + b_d * length) / (s.c0 * s.below);
    double grown_d = (1.0 + s.grown) * d_d;
    return -leg->sign * (q_d * s.grown + s.q * grown_d - s.q * s.grown * b_d / s.b) / s.b;
}

static void force(const void *parameters, const struct masing_branch_point *at,
                  const struct masing_rate *rate, struct masing_rate *force)
{
    (void)rate;
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
    .begin = begin,
    .travel = travel,
    .travel_change = travel_change,
    .limit = limit,
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
