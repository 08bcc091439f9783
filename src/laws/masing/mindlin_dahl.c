/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mindlin's contact written as a differential equation of Dahl's kind. In full, with the force
 * T_r at which the present branch began,
 *   dT/dx = sigma (1 - s (T - T_r) / (2 T_c))^(1/3),  sigma = 8 a / G*,
 * it is Mindlin's law with its memory. The simplified form, meant for control software, has
 * none: T_r = -s T* for ever, T* = B(loop_amplitude). It tends to the steady loop of that
 * amplitude; its force at other amplitudes is not Mindlin's, and may exceed T_c.
 *
 * With y = 1 - (s T + T*) / (2 T_c) the simplified form is dy/d|x| = -(sigma / (2 T_c))
 * y^(1/3), so that y^(2/3) falls linearly, by 1 / (2 delta_c) per metre, and stays at zero.
 */
#include <math.h>
#include <stdio.h>

#include "laws/laws.h"
#include "laws/masing/mindlin.h"
#include "laws/masing/return_points.h"

enum form { FULL, SIMPLIFIED };

struct parameters {
    struct mindlin_contact contact; /* first: its functions take these parameters */
    int form;
    double loop_amplitude; /* as given, NAN where not */
    double loop_force;     /* T*, N; NAN in the full form */
};

static const char *const forms[] = {"full", "simplified", NULL};

static const struct masing_field fields[] = {
    MINDLIN_FIELDS,
    MASING_CHOICE("form", forms, FULL,
                  "with the memory of where each branch began, or for one loop amplitude only",
                  AT(form)),
    MASING_REAL("loop_amplitude", "m", MASING_POSITIVE, MASING_OPTIONAL,
                "amplitude for which the simplified form is Mindlin's law in steady state",
                AT(loop_amplitude)),
};

static const struct masing_constant constants[] = {
    MINDLIN_CONSTANTS,
    {"loop_force", "N", "force at the loop amplitude, T*", AT(loop_force)},
};

static enum masing_status check(void *parameters, struct masing_error *error)
{
    struct parameters *p = parameters;
    bool is_simplified = p->form == SIMPLIFIED, has_amplitude = !isnan(p->loop_amplitude);
    if (is_simplified != has_amplitude) {
        return masing_error_refuse(error, is_simplified ? "form" : "loop_amplitude",
                                   is_simplified ? "'loop_amplitude' is missing, which the "
                                                   "simplified 'form' needs"
                                                 : "'loop_amplitude' belongs to the simplified "
                                                   "'form' only");
    }
    enum masing_status status = mindlin_check(&p->contact, error);
    p->loop_force = NAN;
    if (status == MASING_OK && is_simplified) {
        double slope;
        mindlin_backbone(&p->contact, p->loop_amplitude, &p->loop_force, &slope);
    }
    return status;
}

static void derive(const void *parameters, void *tangent)
{
    const struct parameters *p = parameters;
    struct parameters *d = tangent;
    mindlin_derive(&p->contact, &d->contact);
    if (p->form == SIMPLIFIED) {
        double force, slope;
        mindlin_backbone(&p->contact, p->loop_amplitude, &force, &slope);
        d->loop_force = mindlin_backbone_change(&p->contact, &d->contact, p->loop_amplitude) +
                        slope * d->loop_amplitude;
    }
}

static double limit_of(const struct parameters *p)
{
    return p->contact.limit.resolved;
}

static bool caution(const void *parameters, struct masing_warning *warning)
{
    const struct parameters *p = parameters;
    *warning = (struct masing_warning){
        "the simplified form holds for motions of amplitude %.4g m; beyond, its force rises to "
        "%.4g N, above the slip force of %.4g N",
        {p->loop_amplitude, 2.0 * limit_of(p) - p->loop_force, limit_of(p)}};
    return p->form == SIMPLIFIED && p->loop_force < limit_of(p);
}

/* y of a force */
static double distance(const struct parameters *p, double sign, double force)
{
    return 1.0 - (sign * force + p->loop_force) / (2.0 * limit_of(p));
}

static double distance_change(const struct parameters *p, const struct parameters *d,
                              double sign, double force)
{
    double limit = limit_of(p);
    return ((sign * force + p->loop_force) * limit_of(d) / limit - d->loop_force) /
           (2.0 * limit);
}

static void rate(const void *parameters, const struct masing_branch_point *at,
                 struct masing_rate *rate)
{
    const struct parameters *p = parameters;
    *rate = (struct masing_rate){0};
    if (limit_of(p) > 0.0) {
        double root = cbrt(distance(p, at->sign, at->z));
        rate->value = p->contact.stiffness * root;
        if (root != 0.0) {
            rate->z = -at->sign * p->contact.stiffness / (6.0 * limit_of(p) * root * root);
        }
    }
}

static double rate_change(const void *parameters, const void *tangent,
                          const struct masing_branch_point *at)
{
    const struct parameters *p = parameters, *d = tangent;
    double root = limit_of(p) > 0.0 ? cbrt(distance(p, at->sign, at->z)) : 0.0;
    if (root == 0.0) {
        return 0.0;
    }
    return d->contact.stiffness * root +
           p->contact.stiffness * distance_change(p, d, at->sign, at->z) / (3.0 * root * root);
}

enum { LEG_SIDE, LEG_ROOT }; /* sgn y and |y|^(1/3) */

static bool begin(const void *parameters, struct masing_leg *leg)
{
    double y = 0.0;
    if (limit_of(parameters) > 0.0) {
        y = distance(parameters, leg->sign, leg->z);
    }
    leg->numbers[LEG_SIDE] = copysign(1.0, y);
    leg->numbers[LEG_ROOT] = cbrt(fabs(y));
    return true;
}

/* |y|^(1/3) before and after a travel; `after` is zero at the limit. */
struct passage {
    double sign, side, before, after, loss; /* loss of |y|^(2/3) */
};

static struct passage passage_of(const struct parameters *p, const struct masing_leg *leg,
                                 double length)
{
    struct passage a = {leg->sign, .side = leg->numbers[LEG_SIDE],
                        .before = leg->numbers[LEG_ROOT]};
    a.loss = 0.5 * length / p->contact.reach;
    a.after = sqrt(fmax(a.before * a.before - a.loss, 0.0));
    return a;
}

static void travel(const void *parameters, const struct masing_leg *leg, double length,
                   struct masing_travel *end)
{
    const struct parameters *p = parameters;
    double limit = limit_of(p);
    struct passage a = passage_of(p, leg, length);
    if (a.after == 0.0) {
        double z = limit > 0.0 ? a.sign * (2.0 * limit - p->loop_force) : 0.0;
        *end = (struct masing_travel){.z = z, .faded = 1.0};
        return;
    }
    /* before^3 - after^3 by their squares' difference: small travels keep their digits */
    double squares = a.before * a.before + a.before * a.after + a.after * a.after;
    double fall = a.loss / (a.before + a.after);
    end->z = leg->z + a.sign * a.side * 2.0 * limit * fall * squares;
    end->rate = p->contact.stiffness * a.side * a.after;
    end->kept = a.after / a.before;
    end->faded = fall / a.before;
}

static double travel_change(const void *parameters, const void *tangent,
                            const struct masing_leg *leg, double length)
{
    const struct parameters *p = parameters, *d = tangent;
    double limit = limit_of(p), at_limit = 2.0 * limit_of(d) - d->loop_force;
    if (limit == 0.0) {
        return leg->sign * at_limit;
    }
    struct passage a = passage_of(p, leg, length);
    if (a.after == 0.0) {
        return a.sign * at_limit;
    }
    double loss_change = -a.loss * d->contact.reach / p->contact.reach;
    double y_change = a.after / a.before * distance_change(p, d, a.sign, leg->z) -
                      1.5 * a.side * a.after * loss_change;
    double y = a.side * a.after * a.after * a.after;
    return a.sign * (at_limit - 2.0 * (limit_of(d) * y + limit * y_change));
}

static const struct masing_evolution evolution = {
    .rate = rate,
    .rate_change = rate_change,
    .begin = begin,
    .travel = travel,
    .travel_change = travel_change,
    .length = mindlin_reach,
};

/* The simplified form has no state of slip. */
static double slip_onset(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->form == FULL ? mindlin_slip_onset(&p->contact) : (double)INFINITY;
}

/* The law as the two engines take it; neither gives a structured derivative. */
static const struct masing_law full = {.name = "mindlin_dahl",
                                       .family = &masing_family_masing,
                                       .n_axes = 1,
                                       .parameters_size = sizeof(struct parameters),
                                       .backbone = mindlin_backbone,
                                       .backbone_change = mindlin_backbone_change,
                                       .reach = mindlin_reach,
                                       .slip_onset = slip_onset};

static const struct masing_law simplified = {.name = "mindlin_dahl",
                                             .family = &masing_family_evolution,
                                             .n_axes = 1,
                                             .parameters_size = sizeof(struct parameters),
                                             .evolution = &evolution};

static const struct masing_law *form_of(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->form == SIMPLIFIED ? &simplified : &full;
}

static size_t workspace_size(const struct masing_law *law, int n_samples, int n_directions,
                             int n_parameters)
{
    (void)law;
    size_t of_full = full.family->workspace_size(&full, n_samples, n_directions, n_parameters);
    size_t of_simplified =
        simplified.family->workspace_size(&simplified, n_samples, n_directions, n_parameters);
    return of_full > of_simplified ? of_full : of_simplified;
}

static const struct masing_family either = {
    .name = "masing or evolution",
    .summary = "by its form: memory of the points where the motion turned, or one state",
    .settling_periods = -1,
    .workspace_size = workspace_size,
};

static double stuck_stiffness(const void *parameters)
{
    const struct parameters *p = parameters;
    double stiffness = p->contact.stiffness;
    bool is_simplified = p->form == SIMPLIFIED && limit_of(p) > 0.0;
    return is_simplified ? stiffness * cbrt(distance(p, 1.0, 0.0)) : stiffness;
}

/* The state of the simplified form fades; the full form keeps its reversals. */
static enum masing_restraint restraint(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->form == FULL ? MASING_RESTRAINT_START : MASING_RESTRAINT_NONE;
}

const struct masing_law law_mindlin_dahl = {
    .name = "mindlin_dahl",
    .summary = "Mindlin's contact as a differential equation, in full or for one amplitude",
    .equation = "full: df/dx = stiffness (1 - s (f - f_r)/(2 slip_force))^(1/3) from a "
                "reversal f_r on,\n"
                "df/dx = stiffness (1 - s f/slip_force)^(1/3) before, s = sgn(v)\n"
                "simplified: f_r = -s B(loop_amplitude), B that of `mindlin`",
    .source = "Peyret et al. (2017), eqs 19-21, corrected",
    .example = "youngs_modulus: 210e9\npoisson_ratio: 0.3\nradius: 0.01\nfriction: 0.3\n"
               "preload: 50\nform: simplified\nloop_amplitude: 6e-7",
    .family = &either,
    .form = form_of,
    .n_axes = 1,
    .parameters_size = sizeof(struct parameters),
    SLIP_LIMIT_SPEED(offsetof(struct mindlin_contact, limit)),
    MASING_TABLE(fields, fields),
    MASING_TABLE(constants, constants),
    .check = check,
    .derive = derive,
    .caution = caution,
    .stuck_stiffness = stuck_stiffness,
    .free_stiffness = masing_law_zero_stiffness,
    .restraint = restraint,
    .reach = mindlin_reach,
    .slip_onset = slip_onset,
    .settle = slip_events_settle,
    MASING_TABLE(events, slip_events),
};
