/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers that all laws of contact share, as given and as used. */
#ifndef MASING_LAWS_CONTACT_SURFACE_H
#define MASING_LAWS_CONTACT_SURFACE_H

#include "masing/law.h"

struct contact_surface {
    /* given; NAN where a key is absent */
    double normal_stiffness, tangential_stiffness;
    double friction, friction_static, friction_kinetic, friction_decay, friction_hyperbolic;
    double preload, gap, roughness;
    /* derived */
    double mu_static, mu_kinetic, decay, hyperbolic;
    double force;    /* N at zero displacement */
    double position; /* approach at zero displacement, m */
    double slip_force, reach;
};

/* Rows of a field table for a member of that type. */
#define CONTACT_SURFACE_FIELDS(type, member)                                                   \
    CONTACT_FIELD(type, member.normal_stiffness, "normal_stiffness", "N/m", true, NAN,         \
                  MASING_OPEN_MINIMUM, "k_N: normal force per approach of closed surfaces"),   \
        CONTACT_FIELD(type, member.tangential_stiffness, "tangential_stiffness", "N/m", true,  \
                      NAN, MASING_OPEN_MINIMUM,                                                \
                      "k_T: friction force per displacement, stuck"),                          \
        CONTACT_FIELD(type, member.friction, "friction", "", false, NAN, 0,                    \
                      "mu: Coulomb coefficient; or a mapping of the four below"),              \
        CONTACT_FIELD(type, member.friction_static, "friction.static", "", false, NAN, 0,      \
                      "mu_0: at rest"),                                                        \
        CONTACT_FIELD(type, member.friction_kinetic, "friction.kinetic", "", false, NAN, 0,    \
                      "mu_inf: at high speed"),                                                \
        CONTACT_FIELD(type, member.friction_decay, "friction.decay", "s/m", false, NAN, 0,     \
                      "lambda: mu = mu_inf + (mu_0 - mu_inf) exp(-lambda |v|)"),               \
        CONTACT_FIELD(type, member.friction_hyperbolic, "friction.hyperbolic_decay", "s/m",    \
                      false, NAN, 0, "p: mu = mu_0 / (1 + p |v|)"),                            \
        CONTACT_REST_FIELD(type, member.preload, "preload", "N", contact_surface_gap,          \
                           "N_0: normal force at zero displacement; this or a gap"),           \
        CONTACT_REST_FIELD(type, member.gap, "gap", "m", contact_surface_preload,              \
                           "approach at which the contact closes; this or a preload"),         \
        CONTACT_FIELD(type, member.roughness, "roughness", "m", false, 0.0, 0,                 \
                      "R: height of the roughness, 0: none, a linear contact")

#define CONTACT_FIELD(type_, member_, name_, unit_, required_, fallback_, open_, help_)        \
    {                                                                                          \
        .name = name_, .unit = unit_, .type = MASING_FIELD_REAL, .is_required = required_,     \
        .open_ends = open_, .minimum = 0.0, .maximum = INFINITY, .fallback = fallback_,        \
        .help = help_, .offset = offsetof(type_, member_)                                      \
    }

/* Of two fields that say how the surfaces stand at rest, one is given; each contact of many can
 * have its own. */
#define CONTACT_REST_FIELD(type_, member_, name_, unit_, other_, help_)                        \
    {                                                                                          \
        .name = name_, .unit = unit_, .type = MASING_FIELD_REAL, .minimum = 0.0,               \
        .maximum = INFINITY, .fallback = NAN, .help = help_, .alternatives = other_,           \
        .is_per_contact = true, .offset = offsetof(type_, member_)                             \
    }

extern const char *const contact_surface_preload[], *const contact_surface_gap[];

enum masing_status contact_surface_check(struct contact_surface *surface,
                                         struct masing_error *error);

/* Changes of what is derived along changes of what is given. */
void contact_surface_derive(const struct contact_surface *surface,
                            struct contact_surface *change);

/* The element with all of the contact's stiffness and preload at its centre. */
void contact_surface_element(const struct contact_surface *surface,
                             struct masing_contact_element *element);

bool contact_surface_is_rate_dependent(const struct contact_surface *surface);

/* Rough contacts stiffen while they are under load, so that nothing is known of their energy.
 */
double contact_surface_energy_limit(const struct contact_surface *surface);

#endif
