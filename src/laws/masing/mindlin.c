/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mindlin's contact of spheres under a constant normal force, with its memory of loops. */
#include "laws/laws.h"
#include "laws/masing/mindlin_contact.h"
#include "laws/masing/slip_events.h"

static const struct masing_field fields[] = {MINDLIN_CONTACT_FIELDS(0)};

static const struct masing_constant constants[] = {MINDLIN_CONTACT_CONSTANTS(0)};

static enum masing_status check(void *parameters, struct masing_error *error)
{
    return mindlin_contact_check(parameters, error);
}

static void derive(const void *parameters, void *tangent)
{
    mindlin_contact_derive(parameters, tangent);
}

static double stuck_stiffness(const void *parameters)
{
    const struct mindlin_contact *p = parameters;
    return p->stiffness;
}

static void backbone(const void *parameters, double u, double *b, double *db)
{
    mindlin_contact_backbone(parameters, u, b, db);
}

static double backbone_change(const void *parameters, const void *tangent, double u)
{
    return mindlin_contact_change(parameters, tangent, u);
}

static double reach(const void *parameters)
{
    const struct mindlin_contact *p = parameters;
    return p->reach;
}

static double slip_onset(const void *parameters)
{
    return mindlin_contact_onset(parameters);
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
    .n_axes = 1,
    .parameters_size = sizeof(struct mindlin_contact),
    MASING_TABLE(fields, fields),
    MASING_TABLE(constants, constants),
    .check = check,
    .derive = derive,
    .stuck_stiffness = stuck_stiffness,
    .free_stiffness = masing_law_zero_stiffness,
    .backbone = backbone,
    .backbone_change = backbone_change,
    .reach = reach,
    .slip_onset = slip_onset,
    .settle = slip_events_settle,
    MASING_TABLE(events, slip_events),
};
