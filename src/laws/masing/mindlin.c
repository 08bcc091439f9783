/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spheres pressed together by a constant force and moved tangentially: a ring of slip grows
 * inwards from the edge of the contact (Cattaneo 1938; Mindlin 1949; equations as in Peyret et
 * al. 2017, 6-9).
 */
#include "laws/masing/mindlin.h"

#include "base/check.h"
#include "laws/laws.h"
#include "laws/masing/return_points.h"

static const struct masing_field fields[] = {MINDLIN_FIELDS};

static const struct masing_constant constants[] = {MINDLIN_CONSTANTS};

static enum masing_status missing(struct masing_error *error, const char *key,
                                  const char *beside)
{
    return masing_error_refuse(error, beside,
                               "'%s' is missing; give 'slip_force' and 'slip_displacement', or "
                               "'youngs_modulus', 'poisson_ratio', 'radius', 'friction' and "
                               "'preload'",
                               key);
}

static enum masing_status check_keys(const struct mindlin_contact *c,
                                     struct masing_error *error)
{
    bool has_modulus = c->bodies.youngs_modulus.count > 0;
    bool has_ratio = c->bodies.poisson_ratio.count > 0, has_radius = c->radius.count > 0;
    bool has_displacement = !isnan(c->slip_displacement);
    if (!has_modulus && !has_ratio && !has_radius) {
        return has_displacement ? MASING_OK : missing(error, "slip_displacement", "slip_force");
    }
    const char *beside = has_modulus ? "youngs_modulus"
                         : has_ratio ? "poisson_ratio"
                                     : "radius";
    if (has_displacement || !isnan(c->limit.slip_force)) {
        const char *given = has_displacement ? "slip_displacement" : "slip_force";
        return masing_error_refuse(
            error, given,
            "'%s' is given beside '%s'; the bodies with 'friction' and 'preload' determine it",
            given, beside);
    }
    if (!has_modulus || !has_ratio || !has_radius) {
        return missing(error,
                       !has_modulus ? "youngs_modulus"
                       : !has_ratio ? "poisson_ratio"
                                    : "radius",
                       beside);
    }
    return MASING_OK;
}

static void derive_contact(struct mindlin_contact *c)
{
    double force = c->limit.resolved;
    elastic_pair_check(&c->bodies);
    c->contact_radius = NAN;
    if (c->radius.count == 0) {
        c->reach = c->slip_displacement;
        c->stiffness = 1.5 * force / c->reach;
        return;
    }
    double volume = 0.75 * c->limit.pressed * elastic_pair_radius(&c->radius);
    c->contact_radius = cbrt(volume / c->bodies.plane_modulus);
    c->stiffness = 8.0 * c->contact_radius / c->bodies.shear_compliance;
    c->reach = c->stiffness > 0.0 ? 1.5 * force / c->stiffness : 0.0;
}

enum masing_status mindlin_check(void *parameters, struct masing_error *error)
{
    struct mindlin_contact *contact = parameters;
    NEED(check_keys(contact, error));
    NEED(slip_limit_check(&contact->limit, error));
    derive_contact(contact);
    double force = contact->limit.resolved;
    if (!isfinite(contact->reach) || !isfinite(contact->stiffness) ||
        (contact->reach == 0.0 && force > 0.0)) {
        const bool has_bodies = contact->radius.count > 0;
        const struct law_number numbers[] = {
            {slip_limit_key(&contact->limit), force},
            {"slip_displacement", contact->slip_displacement},
            {"youngs_modulus", has_bodies ? contact->bodies.plane_modulus : NAN},
            {"radius", elastic_pair_radius(&contact->radius)}};
        return masing_error_refuse(
            error, law_extreme(numbers, 4),
            "a slip force of %g N with a slip displacement of %g m is out "
            "of range",
            force, contact->reach);
    }
    return MASING_OK;
}

void mindlin_derive(const void *parameters, void *tangent)
{
    const struct mindlin_contact *c = parameters;
    struct mindlin_contact *d = tangent;
    double force = c->limit.resolved;
    slip_limit_derive(&c->limit, &d->limit);
    elastic_pair_derive(&c->bodies, &d->bodies);
    if (c->radius.count == 0) {
        d->reach = d->slip_displacement;
        d->stiffness = (1.5 * d->limit.resolved - c->stiffness * d->reach) / c->reach;
        return;
    }
    if (c->limit.pressed == 0.0) {
        return; /* no contact: B = T_c for every u > 0 */
    }
    double radius = elastic_pair_radius(&c->radius);
    double radius_change = elastic_pair_radius_change(&c->radius, &d->radius);
    d->contact_radius = c->contact_radius / 3.0 *
                        (d->limit.pressed / c->limit.pressed + radius_change / radius -
                         d->bodies.plane_modulus / c->bodies.plane_modulus);
    d->stiffness = (8.0 * d->contact_radius - c->stiffness * d->bodies.shear_compliance) /
                   c->bodies.shear_compliance;
    d->reach =
        (1.5 * d->limit.resolved - 1.5 * force * d->stiffness / c->stiffness) / c->stiffness;
}

/* Stuck means held by the bodies' elasticity, also where the preload happens to be zero. */
static double stuck_stiffness(const void *parameters)
{
    return ((const struct mindlin_contact *)parameters)->stiffness;
}

/* 1 - (1 - w)^1.5 = w (1 + r + r^2) / (1 + r) with r = sqrt(1 - w): nothing cancels. */
void mindlin_backbone(const void *parameters, double u, double *b, double *db)
{
    const struct mindlin_contact *c = parameters;
    if (u >= c->reach) {
        *b = c->limit.resolved;
        *db = 0.0;
        return;
    }
    double w = u / c->reach, r = sqrt(1.0 - w);
    *b = c->limit.resolved * w * (1.0 + r + r * r) / (1.0 + r);
    *db = c->stiffness * r;
}

double mindlin_backbone_change(const void *parameters, const void *tangent, double u)
{
    const struct mindlin_contact *c = parameters, *d = tangent;
    if (u >= c->reach) {
        return d->limit.resolved;
    }
    double w = u / c->reach, r = sqrt(1.0 - w);
    double share = w * (1.0 + r + r * r) / (1.0 + r);
    return d->limit.resolved * share - 1.5 * c->limit.resolved * r * w * d->reach / c->reach;
}

double mindlin_reach(const void *parameters)
{
    return ((const struct mindlin_contact *)parameters)->reach;
}

double mindlin_slip_onset(const void *parameters)
{
    const struct mindlin_contact *c = parameters;
    return c->limit.resolved > 0.0 ? c->reach : 0.0;
}

const struct masing_law law_mindlin = {
    .name = "mindlin",
    .summary = "tangential contact of spheres: slip grows inwards from the edge",
    .equation = "B(u) = slip_force [1 - (1 - min(u/delta_c, 1))^(3/2)]\n"
                "a = (3 preload radius / (4 E*))^(1/3), delta_c = 3 slip_force G* / (16 a)",
    .source = "Cattaneo (1938); Mindlin (1949); Peyret et al. (2017), eqs 6-9",
    .example =
        "youngs_modulus: 210e9\npoisson_ratio: 0.3\nradius: 0.01\nfriction: 0.3\npreload: 50",
    .family = &masing_family_masing,
    .is_monotone = true,
    .n_axes = 1,
    .parameters_size = sizeof(struct mindlin_contact),
    SLIP_LIMIT_SPEED(offsetof(struct mindlin_contact, limit)),
    MASING_TABLE(fields, fields),
    MASING_TABLE(constants, constants),
    .check = mindlin_check,
    .derive = mindlin_derive,
    .stuck_stiffness = stuck_stiffness,
    .free_stiffness = masing_law_zero_stiffness,
    .backbone = mindlin_backbone,
    .backbone_change = mindlin_backbone_change,
    .reach = mindlin_reach,
    .slip_onset = mindlin_slip_onset,
    .settle = slip_events_settle,
    MASING_TABLE(events, slip_events),
};
