/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The generalized Valanis law: dF/dx = E_1 + s (P(x, v) - E_2 F), with one set of constants or
 * one for each direction of motion. P is a sum of terms c x^p e^(a x), each alone or times v,
 * |v|, sgn v, v^2 or v^3. In full slip the force follows P / E_2. Any P has to be served; the
 * rate is linear in F.
 *
 * It costs some 11 times what jenkins does, see family.c.
 */
#include <math.h>
#include <stdio.h>

#include "base/check.h"
#include "laws/laws.h"
#include "linalg/bracket.h"

enum { MAX_TERMS = 8 };
enum velocity_form { NONE, LINEAR, ABS, SIGN, SQUARE, CUBE };

struct term {
    double coefficient, rate;
    int power, velocity;
};

struct terms {
    int count;
    struct term items[MAX_TERMS];
};

struct branch {
    double e1, e2;
    struct terms terms;
};

struct parameters {
    struct branch common, given_loading, given_unloading;
    struct branch loading, unloading; /* resolved */
    double length;                    /* m */
};

static const char *const velocity_forms[] = {"none",   "linear", "abs", "sign",
                                             "square", "cube",   NULL};

static const struct masing_field term_fields[] = {
    MASING_REAL("coefficient", "N/m^(1+power)", MASING_ANY_NUMBER, MASING_REQUIRED,
                "factor; times s/m for each power of v", offsetof(struct term, coefficient)),
    MASING_INTEGER("power", "", MASING_BETWEEN(0.0, 20.0), MASING_DEFAULT(0.0), "power of x",
                   offsetof(struct term, power)),
    MASING_CHOICE("velocity", velocity_forms, NONE, "factor 1, v, |v|, sgn v, v^2 or v^3",
                  offsetof(struct term, velocity)),
    MASING_REAL("rate", "1/m", MASING_ANY_NUMBER, MASING_DEFAULT(0.0), "a: factor e^(a x)",
                offsetof(struct term, rate)),
};

static const struct masing_records term_records = {
    MASING_TABLE(fields, term_fields),
    .max_count = MAX_TERMS,
    .record_size = sizeof(struct term),
    .first_offset = offsetof(struct terms, items),
};

#define TERMS(key, member, help_text)                                                          \
    {                                                                                          \
        .name = key, .unit = "", .type = MASING_FIELD_RECORDS, .minimum = -INFINITY,           \
        .maximum = INFINITY, .fallback = NAN, .records = &term_records, .help = help_text,     \
        .offset = AT(member)                                                                   \
    }

static const struct masing_field fields[] = {
    MASING_REAL("e1", "N/m", MASING_POSITIVE, MASING_OPTIONAL, "tangent at zero force, E_1",
                AT(common.e1)),
    MASING_REAL("e2", "1/m", MASING_POSITIVE, MASING_OPTIONAL,
                "rate at which the force forgets, E_2", AT(common.e2)),
    TERMS("terms", common.terms,
          "terms of P: coefficient x^power e^(rate x) times a form of v"),
    MASING_REAL("loading.e1", "N/m", MASING_POSITIVE, MASING_OPTIONAL,
                "for v > 0, instead of e1", AT(given_loading.e1)),
    MASING_REAL("loading.e2", "1/m", MASING_POSITIVE, MASING_OPTIONAL,
                "for v > 0, instead of e2", AT(given_loading.e2)),
    TERMS("loading.terms", given_loading.terms, "for v > 0, instead of terms"),
    MASING_REAL("unloading.e1", "N/m", MASING_POSITIVE, MASING_OPTIONAL,
                "for v <= 0, instead of e1", AT(given_unloading.e1)),
    MASING_REAL("unloading.e2", "1/m", MASING_POSITIVE, MASING_OPTIONAL,
                "for v <= 0, instead of e2", AT(given_unloading.e2)),
    TERMS("unloading.terms", given_unloading.terms, "for v <= 0, instead of terms"),
};

static const struct masing_constant constants[] = {
    {"length", "m", "shortest displacement over which the force forgets, 1 / e2", AT(length)},
};

static bool is_given(const struct branch *branch)
{
    return !isnan(branch->e1) || !isnan(branch->e2) || branch->terms.count > 0;
}

static enum masing_status check_branch(const struct branch *branch, const char *prefix,
                                       struct masing_error *error)
{
    if (isnan(branch->e1) || isnan(branch->e2)) {
        char key[32];
        snprintf(key, sizeof key, "%s%s", prefix, isnan(branch->e1) ? "e1" : "e2");
        return masing_error_refuse(error, key, "'%s' is missing", key);
    }
    return MASING_OK;
}

static enum masing_status check(void *parameters, struct masing_error *error)
{
    struct parameters *p = parameters;
    bool has_loading = is_given(&p->given_loading),
         has_unloading = is_given(&p->given_unloading);
    if (is_given(&p->common) && (has_loading || has_unloading)) {
        return masing_error_refuse(
            error, has_loading ? "loading" : "unloading",
            "'%s' stands beside 'e1', 'e2' or 'terms'; give either these "
            "or both 'loading' and 'unloading'",
            has_loading ? "loading" : "unloading");
    }
    bool is_split = has_loading || has_unloading;
    p->loading = is_split ? p->given_loading : p->common;
    p->unloading = is_split ? p->given_unloading : p->common;
    NEED(check_branch(&p->loading, is_split ? "loading." : "", error));
    NEED(check_branch(&p->unloading, is_split ? "unloading." : "", error));
    p->length = 1.0 / fmax(p->loading.e2, p->unloading.e2);
    return MASING_OK;
}

/* length only sets the size of steps; it counts as a constant. */
static void derive(const void *parameters, void *tangent)
{
    const struct parameters *p = parameters;
    struct parameters *d = tangent;
    bool is_split = is_given(&p->given_loading);
    d->loading = is_split ? d->given_loading : d->common;
    d->unloading = is_split ? d->given_unloading : d->common;
}

static double power_of(double x, int power)
{
    double product = 1.0;
    for (int i = 0; i < power; i++) {
        product *= x;
    }
    return product;
}

/* Form of v for motion in direction sign; |v| is smooth on each branch. */
static double form_of(const struct term *term, double sign, double v, double *by_v)
{
    switch (term->velocity) {
    case LINEAR:
        *by_v = 1.0;
        return v;
    case ABS:
        *by_v = sign;
        return sign * v;
    case SQUARE:
        *by_v = 2.0 * v;
        return v * v;
    case CUBE:
        *by_v = 3.0 * v * v;
        return v * v * v;
    default:
        *by_v = 0.0;
        return term->velocity == SIGN ? sign : 1.0;
    }
}

/* P and its derivatives by x and v. */
static struct masing_rate sum_terms(const struct terms *terms, double sign, double x, double v)
{
    struct masing_rate sum = {0};
    for (int i = 0; i < terms->count; i++) {
        const struct term *term = &terms->items[i];
        double by_v, form = form_of(term, sign, v, &by_v);
        double factor = term->coefficient * (term->rate != 0.0 ? exp(term->rate * x) : 1.0);
        double value = factor * power_of(x, term->power);
        sum.value += value * form;
        sum.v += value * by_v;
        sum.x += term->rate * value * form;
        if (term->power > 0) {
            sum.x += factor * term->power * power_of(x, term->power - 1) * form;
        }
    }
    return sum;
}

static double sum_terms_change(const struct terms *terms, const struct terms *change,
                               double sign, double x, double v)
{
    double sum = 0.0;
    for (int i = 0; i < terms->count; i++) {
        const struct term *term = &terms->items[i], *d = &change->items[i];
        double by_v, form = form_of(term, sign, v, &by_v);
        sum += (d->coefficient + term->coefficient * d->rate * x) * exp(term->rate * x) *
               power_of(x, term->power) * form;
    }
    return sum;
}

static const struct branch *branch_of(const struct parameters *p, double sign)
{
    return sign > 0.0 ? &p->loading : &p->unloading;
}

enum { AT_A_TIME = 64 };

/* A term at few points, and its derivatives by x and v, loop by loop. */
static void add_term(const struct term *term, double sign, int n, const double *restrict x,
                     const double *restrict v, double *restrict free, double *restrict free_x,
                     double *restrict free_v)
{
    double value[AT_A_TIME], lower[AT_A_TIME];
    double power = term->power, rate = term->rate, one_form = term->velocity == SIGN ? sign : 1;
    bool has_velocity = term->velocity != NONE && term->velocity != SIGN;
    for (int i = 0; i < n; i++) {
        value[i] = term->coefficient;
        lower[i] = 0.0;
    }
    for (int i = 0; rate != 0.0 && i < n; i++) {
        value[i] *= exp(rate * x[i]);
    }
    for (int k = 0; k < term->power; k++) {
        for (int i = 0; i < n; i++) {
            lower[i] = value[i];
            value[i] *= x[i];
        }
    }
    for (int i = 0; !has_velocity && i < n; i++) {
        free[i] += sign * one_form * value[i];
        free_x[i] += sign * one_form * (rate * value[i] + power * lower[i]);
    }
    for (int i = 0; has_velocity && i < n; i++) {
        double by_v, form = form_of(term, sign, v[i], &by_v);
        free[i] += sign * form * value[i];
        free_x[i] += sign * form * (rate * value[i] + power * lower[i]);
        free_v[i] += sign * by_v * value[i];
    }
}

static void linear(const void *parameters, double sign, int n, const double *x, const double *v,
                   const struct masing_linear_rates *rates)
{
    const struct branch *own = branch_of(parameters, sign);
    double e1 = own->e1, fade = -sign * own->e2;
    for (int i = 0; i < n; i++) {
        rates->free[i] = e1;
        rates->free_x[i] = rates->free_v[i] = rates->fade_v[i] = 0.0;
        rates->fade[i] = fade;
    }
    for (int t = 0; t < own->terms.count; t++) {
        for (int i = 0; i < n; i += AT_A_TIME) {
            int few = n - i < AT_A_TIME ? n - i : AT_A_TIME;
            add_term(&own->terms.items[t], sign, few, x + i, v + i, rates->free + i,
                     rates->free_x + i, rates->free_v + i);
        }
    }
}

static void rate(const void *parameters, const struct masing_branch_point *at,
                 struct masing_rate *rate)
{
    const struct branch *own = branch_of(parameters, at->sign);
    struct masing_rate sum = sum_terms(&own->terms, at->sign, at->x, at->v);
    *rate = (struct masing_rate){.value = own->e1 + at->sign * (sum.value - own->e2 * at->z),
                                 .x = at->sign * sum.x,
                                 .v = at->sign * sum.v,
                                 .z = -at->sign * own->e2};
}

static double rate_change(const void *parameters, const void *tangent,
                          const struct masing_branch_point *at)
{
    const struct branch *own = branch_of(parameters, at->sign),
                        *d = branch_of(tangent, at->sign);
    return d->e1 +
           at->sign * (sum_terms_change(&own->terms, &d->terms, at->sign, at->x, at->v) -
                       d->e2 * at->z);
}

/* E_1 - (dP/dx) / E_2 on one branch: while it is positive the branch dissipates. */
static double margin(const struct branch *branch, double sign, double x)
{
    return branch->e1 - sum_terms(&branch->terms, sign, x, 0.0).x / branch->e2;
}

static double smallest_margin(const struct parameters *p, double x)
{
    return fmin(fmin(margin(&p->loading, 1.0, x), margin(&p->loading, 1.0, -x)),
                fmin(margin(&p->unloading, -1.0, x), margin(&p->unloading, -1.0, -x)));
}

static bool depends_on_speed(const struct terms *terms)
{
    for (int i = 0; i < terms->count; i++) {
        if (terms->items[i].velocity != NONE && terms->items[i].velocity != SIGN) {
            return true;
        }
    }
    return false;
}

/* First |x| at which the margin vanishes, from tiny to huge; separate branches and terms with
 * v have no such limit that holds for all motions. */
static double energy_limit(const void *parameters)
{
    enum { N_STEPS = 1200 }; /* hundredths of a decade, 1e-6 to 1e6 lengths */
    const struct parameters *p = parameters;
    if (is_given(&p->given_loading) || depends_on_speed(&p->loading.terms)) {
        return 0.0;
    }
    double low = 0.0, at_low = smallest_margin(p, low);
    for (int i = -N_STEPS / 2; i < N_STEPS / 2; i++) {
        double high = p->length * pow(10.0, 0.01 * i), at_high = smallest_margin(p, high);
        if (!(at_high > 0.0)) {
            struct bracket bracket = bracket_of(low, at_low, high, at_high);
            while (at_low > 0.0 && bracket_next(&bracket, 0.0)) {
                bracket_set(&bracket, smallest_margin(p, bracket.x));
            }
            return at_low > 0.0 ? bracket_root(&bracket) : low;
        }
        low = high;
        at_low = at_high;
    }
    return INFINITY;
}

/* The sentence contains the limit where it is known. */
static bool caution(const void *parameters, struct masing_warning *warning)
{
    const struct parameters *p = parameters;
    if (is_given(&p->given_loading)) {
        warning->pattern = "with separate loading and unloading the law may create energy";
    } else if (depends_on_speed(&p->loading.terms)) {
        warning->pattern = "terms with v or |v| may create energy";
    } else {
        *warning =
            (struct masing_warning){"dP/dx / e2 = %g N/m is not below e1 = %g N/m at the "
                                    "origin: the law creates energy",
                                    {p->loading.e1 - smallest_margin(p, 0.0), p->loading.e1}};
    }
    return !(energy_limit(parameters) > 0.0);
}

static double stuck_stiffness(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->loading.e1 + sum_terms(&p->loading.terms, 1.0, 0.0, 0.0).value;
}

static double free_stiffness(const void *parameters)
{
    const struct parameters *p = parameters;
    return sum_terms(&p->loading.terms, 1.0, 0.0, 0.0).x / p->loading.e2;
}

static bool depends_on_place(const struct terms *terms)
{
    for (int i = 0; i < terms->count; i++) {
        const struct term *term = &terms->items[i];
        if (term->coefficient != 0.0 && (term->power > 0 || term->rate != 0.0)) {
            return true;
        }
    }
    return false;
}

static enum masing_restraint restraint(const void *parameters)
{
    const struct parameters *p = parameters;
    bool is_spring =
        depends_on_place(&p->loading.terms) || depends_on_place(&p->unloading.terms);
    return is_spring ? MASING_RESTRAINT_SPRING : MASING_RESTRAINT_NONE;
}

LAW_PARAMETER(length, length)

static const struct masing_evolution evolution = {
    .rate = rate,
    .rate_change = rate_change,
    .linear = linear,
    .length = length,
};

const struct masing_law law_generalized_valanis = {
    .name = "generalized_valanis",
    .summary = "Valanis' law with any terms of displacement and velocity",
    .equation = "df/dx = e1 + s (P(x, v) - e2 f), s = sgn(v)\n"
                "P = sum of coefficient x^power e^(rate x) {1, v, |v|, sgn v, v^2, v^3}\n"
                "loading, unloading: constants and terms of their own for v > 0 and v <= 0",
    .example = "e1: 10\n"
               "e2: 20\n"
               "terms:\n"
               "  - {coefficient: 30, power: 1}\n"
               "  - {coefficient: 1400, power: 2, velocity: sign}",
    .source = "Jalali et al. (2022), eqs 7-8",
    LAW_OF_ONE_AXIS(evolution),
    .needs_velocity = true,
    .may_create_energy = true,
    MASING_TABLE(constants, constants),
    .check = check,
    .derive = derive,
    .caution = caution,
    .energy_limit = energy_limit,
    .stuck_stiffness = stuck_stiffness,
    .free_stiffness = free_stiffness,
    .restraint = restraint,
    .evolution = &evolution,
};
