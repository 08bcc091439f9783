/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two rough surfaces: every summit in contact slips by itself, the highest last. The backbone
 * is the integral over the summits (`exact`) or the exponential curve with the same stiffness,
 * slip force and slip displacement.
 *
 * A spring in parallel carries on where the surfaces slip. It belongs to the backbone, so that
 * the sum has no reach; slip is that of the surfaces alone, by their slip displacement.
 */
#include <math.h>
#include <stdio.h>

#include "base/check.h"
#include "laws/elastic_pair.h"
#include "laws/laws.h"
#include "laws/masing/rough_backbone.h"
#include "laws/masing/return_points.h"
#include "laws/slip_limit.h"
#include "linalg/bracket.h"

enum backbone_form { EXPONENTIAL, EXACT };

/*
 * Two rough surfaces pressed together, by their measurable topography (Greenwood and
 * Williamson 1966; Jamshidi and Koochakinejad 2021, eqs 1-33).
 */
struct rough_topography {
    struct masing_list height_std, summit_radius;
    double summit_density, area;
    struct elastic_pair bodies;
    double cutoff;     /* n, of the heights in standard deviations */
    double sigma;      /* combined height_std, m */
    double radius;     /* combined summit_radius, m */
    double separation; /* h, of the mean planes in standard deviations */
    double depth;      /* d = n - h */
    double distance;   /* y_c = h sigma, m */
    double ratio;      /* gamma, tangential to normal stiffness of a summit: 4 / (E* G*) */
    double share;      /* q */
    double reduction;  /* xi = q (n - h) */
};

struct parameters {
    struct slip_limit limit; /* Q_L */
    double given_stiffness, given_displacement;
    struct rough_topography topography;
    int form;
    double parallel_stiffness;
    double stiffness;           /* K_T, N/m */
    double slip_displacement;   /* x_L, m */
    double share;               /* q */
    double omega, upper, lower; /* Omega, Lambda_1 and Lambda_0 in N/m */
    struct rough_exponential exponential;
    struct rough_exact exact;
};

static const char *const forms[] = {"exponential", "exact", NULL};

static const struct masing_field fields[] = {
    MASING_REAL("stiffness", "N/m", MASING_POSITIVE, MASING_OPTIONAL,
                "tangent at the origin, K_T (or give topography)", AT(given_stiffness)),
    SLIP_LIMIT_FIELDS(AT(limit)),
    MASING_REAL("slip_displacement", "m", MASING_POSITIVE, MASING_OPTIONAL,
                "displacement at which the whole interface slips, x_L (or give topography)",
                AT(given_displacement)),
    MASING_NUMBERS("topography.height_std", "m", MASING_POSITIVE, MASING_OPTIONAL, 2,
                   "standard deviation of summit heights, combined or a pair of surfaces",
                   AT(topography.height_std)),
    MASING_NUMBERS("topography.summit_radius", "m", MASING_POSITIVE, MASING_OPTIONAL, 2,
                   "mean radius of summits, combined or a pair of surfaces",
                   AT(topography.summit_radius)),
    MASING_REAL("topography.summit_density", "1/m^2", MASING_POSITIVE, MASING_OPTIONAL,
                "number of summits per area", AT(topography.summit_density)),
    MASING_REAL("topography.area", "m^2", MASING_POSITIVE, MASING_OPTIONAL,
                "nominal area of the interface", AT(topography.area)),
    ELASTIC_PAIR_FIELDS("topography.", AT(topography.bodies)),
    MASING_REAL("topography.cutoff", "", MASING_BETWEEN_OPEN(MASING_OPEN_MINIMUM, 0.0, 6.0),
                MASING_DEFAULT(3.0), "greatest height of a summit in standard deviations",
                AT(topography.cutoff)),
    MASING_CHOICE("backbone", forms, EXPONENTIAL,
                  "exponential curve, or the integral over the summits (with topography)",
                  AT(form)),
    MASING_REAL("parallel_stiffness", "N/m", MASING_NOT_NEGATIVE, MASING_DEFAULT(0.0),
                "of a linear spring beside the interface", AT(parallel_stiffness)),
};

static const struct masing_constant constants[] = {
    ELASTIC_PAIR_CONSTANTS(AT(topography.bodies)),
    {"h", "", "separation of the mean planes in standard deviations",
     AT(topography.separation)},
    {"y_c", "m", "distance of the mean planes, h height_std", AT(topography.distance)},
    {"xi", "", "stiffness relative to that of summits in full stick, q (cutoff - h)",
     AT(topography.reduction)},
    {"stiffness", "N/m", "tangent at the origin, K_T = gamma preload / height_std",
     AT(stiffness)},
    SLIP_LIMIT_CONSTANT(AT(limit)),
    {"slip_displacement", "m", "displacement at which the whole interface slips, x_L",
     AT(slip_displacement)},
    {"q", "", "slip_force / (stiffness slip_displacement)", AT(share)},
    {"Omega", "", "root of 1/Omega - 1/(e^Omega - 1) = q", AT(omega)},
    {"Lambda_0", "N/m", "stiffness / (e^Omega - 1)", AT(lower)},
    {"Lambda_1", "N/m", "stiffness / (1 - e^-Omega)", AT(upper)},
};

/* Whether anything of the topography is given. */
static bool topography_is_given(const struct rough_topography *t)
{
    return t->height_std.count > 0 || t->summit_radius.count > 0 ||
           t->bodies.youngs_modulus.count > 0 || t->bodies.poisson_ratio.count > 0 ||
           !isnan(t->summit_density) || !isnan(t->area);
}

static const char *missing_key(const struct rough_topography *t)
{
    return t->height_std.count == 0              ? "height_std"
           : t->summit_radius.count == 0         ? "summit_radius"
           : isnan(t->summit_density)            ? "summit_density"
           : isnan(t->area)                      ? "area"
           : t->bodies.youngs_modulus.count == 0 ? "youngs_modulus"
           : t->bodies.poisson_ratio.count == 0  ? "poisson_ratio"
                                                 : NULL;
}

/* C, N */
static double force_scale(const struct rough_topography *t)
{
    return 4.0 / 3.0 * t->bodies.plane_modulus * sqrt(t->radius) * t->summit_density * t->area *
           t->sigma * sqrt(t->sigma);
}

/*
 * The depth of a force relative to C, below the deepest that is permitted. The separation h
 * follows from the preload,
 *   F = (4/3) E* sqrt(R) eta A sigma^1.5 I_1.5(h) = C d^2.5 J_1.5(d),  d = n - h,
 * which is nearly a power of d. Newton's method in logarithms, in a bracket.
 */
static double solve_depth(double relative, double n, double deepest)
{
    enum { MAX_ITERATIONS = 100 };
    static const double LAST_DIGIT = 1e-16;
    struct rough_integral whole, half;
    rough_integrals(0.0, n, &whole, &half);
    /* J_1.5 is least at d = 0, so that this is above the root */
    double high = fmin(pow(relative / whole.value, 0.4), deepest);
    struct newton_bracket bracket = {0.0, high, high, false};
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        double d = bracket.x;
        rough_integrals(d, n, &whole, &half);
        double excess = 2.5 * log(d) + log(whole.value / relative);
        newton_bracket_next(&bracket, excess,
                            d * expm1(-excess * whole.value / (1.5 * half.value)));
        if (fabs(bracket.x - d) <= LAST_DIGIT * d) {
            break;
        }
    }
    return bracket.x;
}

static enum masing_status find_depth(struct rough_topography *t, double preload,
                                     struct masing_error *error)
{
    struct rough_integral whole, half;
    double scale = force_scale(t), deepest = 2.0 * t->cutoff;
    rough_integrals(deepest, t->cutoff, &whole, &half);
    double most = scale * whole.value * deepest * deepest * sqrt(deepest);
    if (!isfinite(most) || !(scale > 0.0)) {
        return masing_error_refuse(error, "topography",
                                   "the numbers of 'topography' are out of range");
    }
    if (preload > most) {
        return masing_error_refuse(
            error, "preload",
            "'preload' must be in [0, %g] N, not %g: above, no summit of "
            "'topography' would be left without contact",
            most, preload);
    }
    t->depth = preload > 0.0 ? solve_depth(preload / scale, t->cutoff, deepest) : 0.0;
    return MASING_OK;
}

/* Fill the derived numbers by a preload in N; all NAN where nothing is given. */
static enum masing_status topography_check(struct rough_topography *t, double preload,
                                           struct masing_error *error)
{
    struct rough_integral whole, half;
    t->sigma = elastic_pair_height(&t->height_std);
    t->radius = elastic_pair_radius(&t->summit_radius);
    elastic_pair_check(&t->bodies);
    t->separation = t->depth = t->distance = t->ratio = t->share = t->reduction = NAN;
    if (!topography_is_given(t)) {
        return MASING_OK;
    }
    const char *missing = missing_key(t);
    if (missing) {
        char key[64];
        snprintf(key, sizeof key, "topography.%s", missing);
        return masing_error_refuse(error, key, "'%s' is missing", key);
    }
    NEED(find_depth(t, preload, error));
    rough_integrals(t->depth, t->cutoff, &whole, &half);
    t->separation = t->cutoff - t->depth;
    t->distance = t->separation * t->sigma;
    t->ratio = 4.0 / (t->bodies.plane_modulus * t->bodies.shear_compliance);
    t->share = whole.value / (1.5 * half.value);
    t->reduction = t->share * t->depth;
    return MASING_OK;
}

/* dd from that of the logarithm of F / C */
static double depth_change(const struct rough_topography *t, const struct rough_topography *d,
                           const struct rough_integral *whole, double preload,
                           double preload_change)
{
    if (preload == 0.0) {
        return 0.0; /* unbounded, and without effect: all forces are zero */
    }
    double scale_change = d->bodies.plane_modulus / t->bodies.plane_modulus +
                          0.5 * d->radius / t->radius + d->summit_density / t->summit_density +
                          d->area / t->area + 1.5 * d->sigma / t->sigma;
    return (preload_change / preload - scale_change - whole->by_n / whole->value * d->cutoff) /
           (2.5 / t->depth + whole->by_d / whole->value);
}

/* Their changes; the root by the theorem on implicit functions. */
static void topography_derive(const struct rough_topography *t, double preload,
                              double preload_change, struct rough_topography *d)
{
    struct rough_integral whole, half;
    if (!topography_is_given(t)) {
        return;
    }
    rough_integrals(t->depth, t->cutoff, &whole, &half);
    elastic_pair_derive(&t->bodies, &d->bodies);
    d->sigma = elastic_pair_height_change(&t->height_std, &d->height_std);
    d->radius = elastic_pair_radius_change(&t->summit_radius, &d->summit_radius);
    d->depth = depth_change(t, d, &whole, preload, preload_change);
    d->separation = d->cutoff - d->depth;
    d->distance = d->separation * t->sigma + t->separation * d->sigma;
    d->ratio = -t->ratio * (d->bodies.plane_modulus / t->bodies.plane_modulus +
                            d->bodies.shear_compliance / t->bodies.shear_compliance);
    d->share = t->share * ((whole.by_d * d->depth + whole.by_n * d->cutoff) / whole.value -
                           (half.by_d * d->depth + half.by_n * d->cutoff) / half.value);
    d->reduction = d->share * t->depth + t->share * d->depth;
}

/* Exactly one way of giving the interface. */
static enum masing_status check_keys(const struct parameters *p, struct masing_error *error)
{
    bool has_stiffness = !isnan(p->given_stiffness);
    bool has_displacement = !isnan(p->given_displacement);
    bool has_topography = topography_is_given(&p->topography);
    const char *given = has_stiffness                 ? "stiffness"
                        : has_displacement            ? "slip_displacement"
                        : !isnan(p->limit.slip_force) ? "slip_force"
                                                      : NULL;
    if (has_topography && given) {
        return masing_error_refuse(
            error, given,
            "'%s' is given beside 'topography', which determines it from "
            "'friction' and 'preload'",
            given);
    }
    if (!has_topography && !(has_stiffness && has_displacement)) {
        return masing_error_refuse(error, given ? given : "slip_force",
                                   "'%s' is missing; give 'stiffness', 'slip_force' and "
                                   "'slip_displacement', or 'topography' with 'friction' and "
                                   "'preload'",
                                   has_stiffness ? "slip_displacement" : "stiffness");
    }
    if (!has_topography && p->form == EXACT) {
        return masing_error_refuse(
            error, "backbone", "'backbone: exact' needs 'topography', whose summits it sums");
    }
    return MASING_OK;
}

/* Without friction q means nothing and nothing resists. */
static enum masing_status check_share(const struct parameters *p, struct masing_error *error)
{
    bool is_frictionless = p->limit.resolved == 0.0 && isnan(p->limit.slip_force);
    if (!is_frictionless && !(p->share > 0.0 && p->share < 1.0)) {
        return masing_error_refuse(
            error, slip_limit_key(&p->limit),
            "q = 'slip_force' / ('stiffness' * 'slip_displacement') = %g / "
            "(%g * %g) = %g must be in (0, 1)",
            p->limit.resolved, p->stiffness, p->slip_displacement, p->share);
    }
    return MASING_OK;
}

/* K_T, x_L and q from what is given. */
static void resolve(struct parameters *p)
{
    const struct rough_topography *t = &p->topography;
    p->stiffness = p->given_stiffness;
    p->slip_displacement = p->given_displacement;
    if (topography_is_given(t)) {
        p->stiffness = t->ratio * p->limit.pressed / t->sigma;
        p->slip_displacement = p->limit.friction * t->sigma / (t->ratio * t->share);
        p->share = t->share;
    } else {
        p->share = p->limit.resolved / (p->stiffness * p->slip_displacement);
    }
}

static enum masing_status check(void *parameters, struct masing_error *error)
{
    struct parameters *p = parameters;
    NEED(check_keys(p, error));
    NEED(slip_limit_check(&p->limit, error));
    NEED(topography_check(&p->topography, p->limit.pressed, error));
    resolve(p);
    p->omega = p->upper = p->lower = NAN;
    NEED(check_share(p, error));
    if (!(p->share > 0.0)) {
        return MASING_OK;
    }
    p->exponential = rough_exponential_of(p->share);
    p->omega = p->exponential.omega;
    if (p->omega != 0.0) { /* else both are unbounded, and the curve is a parabola */
        p->lower = p->stiffness / expm1(p->omega);
        p->upper = -p->stiffness / expm1(-p->omega);
    }
    if (p->form == EXACT) {
        rough_exact_fill(&p->exact, p->topography.depth, p->topography.cutoff);
    }
    return MASING_OK;
}

static void derive_exponential(const struct parameters *p, struct parameters *d)
{
    if (!(p->share > 0.0)) {
        return;
    }
    d->omega = d->share * rough_exponential_by_q(&p->exponential);
    if (p->omega != 0.0) {
        double ratio = p->upper / p->stiffness;
        d->upper = ratio * d->stiffness - p->upper * ratio * exp(-p->omega) * d->omega;
        d->lower = d->upper - d->stiffness;
    }
}

static void derive(const void *parameters, void *tangent)
{
    const struct parameters *p = parameters;
    struct parameters *d = tangent;
    const struct rough_topography *t = &p->topography, *dt = &d->topography;
    slip_limit_derive(&p->limit, &d->limit);
    topography_derive(t, p->limit.pressed, d->limit.pressed, &d->topography);
    d->stiffness = d->given_stiffness;
    d->slip_displacement = d->given_displacement;
    if (topography_is_given(t)) {
        d->stiffness = t->ratio * d->limit.pressed / t->sigma +
                       p->stiffness * (dt->ratio / t->ratio - dt->sigma / t->sigma);
        d->slip_displacement =
            d->limit.friction * t->sigma / (t->ratio * t->share) +
            p->slip_displacement *
                (dt->sigma / t->sigma - dt->ratio / t->ratio - dt->share / t->share);
        d->share = dt->share;
    } else {
        d->share = d->limit.resolved / (p->stiffness * p->slip_displacement) -
                   p->share * (d->stiffness / p->stiffness +
                               d->slip_displacement / p->slip_displacement);
    }
    derive_exponential(p, d);
}

static bool caution(const void *parameters, struct masing_warning *warning)
{
    const struct parameters *p = parameters;
    *warning = (struct masing_warning){
        "q = slip_force / (stiffness slip_displacement) = %.3g is 1/2 or more: the backbone "
        "bends most just before slip, as no rough surface does",
        {p->share}};
    return p->share >= 0.5;
}

/* B of the surfaces alone and its slope. */
static double surfaces(const struct parameters *p, double u, double *slope)
{
    double w = u / p->slip_displacement, share, force = p->limit.resolved;
    if (force == 0.0 || u >= p->slip_displacement) {
        *slope = 0.0;
        return force;
    }
    if (p->form == EXACT) {
        share = rough_exact_value(&p->exact, w, slope);
        *slope *= force / p->slip_displacement;
        return force * share;
    }
    share = rough_exponential_value(&p->exponential, w, slope);
    *slope *= p->stiffness;
    return p->stiffness * p->slip_displacement * share;
}

static double stuck_stiffness(const void *parameters)
{
    const struct parameters *p = parameters;
    double slope = p->stiffness;
    if (p->limit.resolved > 0.0) {
        surfaces(p, 0.0, &slope);
    }
    return slope + p->parallel_stiffness;
}

LAW_PARAMETER(free_stiffness, parallel_stiffness)

static void backbone(const void *parameters, double u, double *b, double *db)
{
    const struct parameters *p = parameters;
    *b = surfaces(p, u, db) + p->parallel_stiffness * u;
    *db += p->parallel_stiffness;
}

static double surfaces_change(const struct parameters *p, const struct parameters *d, double u)
{
    double x_l = p->slip_displacement, w = u / x_l, slope;
    if (p->limit.resolved == 0.0 || u >= x_l) {
        return d->limit.resolved;
    }
    double w_change = -w * d->slip_displacement / x_l;
    if (p->form == EXACT) {
        double share = rough_exact_value(&p->exact, w, &slope);
        double share_change =
            rough_exact_change(&p->exact, d->topography.depth, d->topography.cutoff, w);
        return d->limit.resolved * share +
               p->limit.resolved * (slope * w_change + share_change);
    }
    double share = rough_exponential_value(&p->exponential, w, &slope);
    double share_change =
        slope * w_change + rough_exponential_by_omega(&p->exponential, w) * d->omega;
    return (d->stiffness * x_l + p->stiffness * d->slip_displacement) * share +
           p->stiffness * x_l * share_change;
}

static double backbone_change(const void *parameters, const void *tangent, double u)
{
    const struct parameters *p = parameters, *d = tangent;
    return surfaces_change(p, d, u) + d->parallel_stiffness * u;
}

static double slip_onset(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->limit.resolved > 0.0 ? p->slip_displacement : 0.0;
}

/* The origin of the surfaces is that of the spring, too, which does not move. */
static double settle(const struct masing_law *law, const void *parameters,
                     const struct masing_range *range)
{
    const struct parameters *p = parameters;
    bool has_spring = p->parallel_stiffness > 0.0;
    return has_spring ? range->origin : slip_events_settle(law, parameters, range);
}

const struct masing_law law_rough_interface = {
    .name = "rough_interface",
    .summary = "two rough surfaces, from measured topography or three numbers",
    .equation = "B(u) = K_T x_L [(1 - e^(-Omega w))/Omega - w e^-Omega] / (1 - e^-Omega), "
                "w = min(u/x_L, 1)\n"
                "1/Omega - 1/(e^Omega - 1) = q = slip_force / (K_T x_L)\n"
                "exact: B(u) = slip_force [1 - I(h + (cutoff - h) w) / I(h)], I(h) = integral "
                "from h to cutoff of (t - h)^1.5 phi(t) dt",
    .source = "Greenwood and Williamson (1966); Jamshidi and Koochakinejad (2021), eqs 1-33",
    .example =
        "topography: {height_std: 5e-7, summit_radius: 1.5e-4, summit_density: 5e8,\n  area: "
        "5e-4, youngs_modulus: 200e9, poisson_ratio: 0.3}\nfriction: 0.3\npreload: 50",
    LAW_OF_ONE_AXIS(masing),
    .is_monotone = true,
    SLIP_LIMIT_SPEED(AT(limit)),
    MASING_TABLE(constants, constants),
    .check = check,
    .derive = derive,
    .caution = caution,
    .stuck_stiffness = stuck_stiffness,
    .free_stiffness = free_stiffness,
    .backbone = backbone,
    .backbone_change = backbone_change,
    .reach = law_endless, /* by the spring, or to first order in it where there is none */
    .slip_onset = slip_onset,
    .settle = settle,
    MASING_TABLE(events, slip_events),
};
