/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers that all laws of contact share, as given and as used: their parameters begin with
 * them, so that these functions serve as theirs. */
#ifndef MASING_LAWS_CONTACT_SURFACE_H
#define MASING_LAWS_CONTACT_SURFACE_H

#include <math.h>

#include "masing/law.h"

struct contact_surface {
    unsigned axes; /* that are there, one bit each; 0: all */
    /* given; NAN where a key is absent */
    double normal_stiffness, tangential_stiffness;
    double friction, friction_static, friction_kinetic, friction_decay, friction_hyperbolic;
    double preload, gap, per_speed_squared, roughness;
    double speed_squared; /* rad^2/s^2, see masing_law.speed_offset */
    /* derived */
    double mu_static, mu_kinetic, decay, hyperbolic;
    double force;    /* N at zero displacement */
    double position; /* approach at zero displacement, m */
    double slip_force, reach;
};

/* Rows of a field table. */
#define CONTACT_SURFACE_FIELDS                                                                 \
    MASING_REAL("normal_stiffness", "N/m", MASING_POSITIVE, MASING_REQUIRED,                   \
                "k_N: normal force per approach of closed surfaces",                           \
                CONTACT_AT(normal_stiffness)),                                                 \
        MASING_REAL("tangential_stiffness", "N/m", MASING_POSITIVE, MASING_REQUIRED,           \
                    "k_T: friction force per displacement, stuck",                             \
                    CONTACT_AT(tangential_stiffness)),                                         \
        MASING_REAL("friction", "", MASING_NOT_NEGATIVE, MASING_OPTIONAL,                      \
                    "mu: Coulomb coefficient; or a mapping of the four below",                 \
                    CONTACT_AT(friction)),                                                     \
        MASING_REAL("friction.static", "", MASING_NOT_NEGATIVE, MASING_OPTIONAL,               \
                    "mu_0: at rest", CONTACT_AT(friction_static)),                             \
        MASING_REAL("friction.kinetic", "", MASING_NOT_NEGATIVE, MASING_OPTIONAL,              \
                    "mu_inf: at high speed", CONTACT_AT(friction_kinetic)),                    \
        MASING_REAL("friction.decay", "s/m", MASING_NOT_NEGATIVE, MASING_OPTIONAL,             \
                    "lambda: mu = mu_inf + (mu_0 - mu_inf) exp(-lambda |v|)",                  \
                    CONTACT_AT(friction_decay)),                                               \
        MASING_REAL("friction.hyperbolic_decay", "s/m", MASING_NOT_NEGATIVE, MASING_OPTIONAL,  \
                    "p: mu = mu_0 / (1 + p |v|)", CONTACT_AT(friction_hyperbolic)),            \
        MASING_REAL("preload", "N", MASING_NOT_NEGATIVE, CONTACT_REST(contact_surface_gap),    \
                    "N_0: normal force at zero displacement; this or a gap",                   \
                    CONTACT_AT(preload)),                                                      \
        MASING_REAL("gap", "m", MASING_NOT_NEGATIVE, CONTACT_REST(contact_surface_preload),    \
                    "approach at which the contact closes; this or a preload",                 \
                    CONTACT_AT(gap)),                                                          \
        MASING_REAL("preload_per_speed_squared", "N s^2", MASING_NOT_NEGATIVE, CONTACT_OWN,    \
                    "m r / (2 sin gamma) of a wedge: times the square of the shaft's speed, "  \
                    "beside the preload; it closes a gap",                                     \
                    CONTACT_AT(per_speed_squared)),                                            \
        MASING_REAL("roughness", "m", MASING_NOT_NEGATIVE, MASING_DEFAULT(0.0),                \
                    "R: height of the roughness, 0: none, a linear contact",                   \
                    CONTACT_AT(roughness))

#define CONTACT_AT(member) offsetof(struct contact_surface, member)

/* Of two fields that say how the surfaces stand at rest, one is given; each contact of many can
 * have its own. */
#define CONTACT_REST(other) MASING_OPTIONAL, .alternatives = other, .is_per_contact = true

#define CONTACT_OWN MASING_OPTIONAL, .is_per_contact = true

extern const char *const contact_surface_preload[], *const contact_surface_gap[];

void contact_surface_choose_axes(void *parameters, unsigned axes);

enum masing_status contact_surface_check(void *parameters, struct masing_error *error);

/* Changes of what is derived along changes of what is given. */
void contact_surface_derive(const void *parameters, void *tangent);

/* The element with all of the contact's stiffness and preload at its centre. */
void contact_surface_element(const struct contact_surface *surface,
                             struct masing_contact_element *element);

/* See masing_law.stiffness: of the joint's elements together. */
void contact_stiffness(const struct masing_contact *contact, int n_elements,
                       const void *parameters, const double *at, bool is_stuck,
                       double *tangent);

bool contact_surface_is_rate_dependent(const void *parameters);

/* Rough contacts stiffen while they are under load, so that nothing is known of their energy.
 */
double contact_surface_energy_limit(const void *parameters);

/* Only where the surfaces can approach each other does a mean force depend on the mean. */
enum masing_restraint contact_surface_restraint(const void *parameters);

/* Value of an event, positive where the joint slips. */
double contact_surface_slips(const struct masing_law *law, const void *parameters,
                             const struct masing_range *range);

/* What laws of a surface have in common, with tables and functions of these names. */
#define CONTACT_SURFACE_LAW                                                                    \
    .family = &masing_family_contact, .axis_names = axis_names, .needs_velocity = true,        \
    .can_smooth = true, .may_create_energy = true, MASING_TABLE(fields, fields),               \
    MASING_TABLE(constants, constants), .choose_axes = contact_surface_choose_axes,            \
    .is_rate_dependent = contact_surface_is_rate_dependent,                                    \
    .energy_limit = contact_surface_energy_limit, .stiffness = stiffness,                      \
    .speed_offset = CONTACT_AT(speed_squared), .restraint = contact_surface_restraint,         \
    .n_elements = n_elements, .element_place = element_place, MASING_TABLE(events, events),    \
    .contact = &contact

#endif
