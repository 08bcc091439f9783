/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/contact/surface.h"

#include <string.h>

#include "base/check.h"
#include "laws/contact/element.h"
#include "laws/contact/frame.h"

const char *const contact_surface_preload[] = {"preload", NULL};
const char *const contact_surface_gap[] = {"gap", NULL};

static bool is_given(double value)
{
    return !isnan(value);
}

static enum masing_status check_falling(struct contact_surface *s, struct masing_error *error)
{
    bool is_hyperbolic = is_given(s->friction_hyperbolic);
    bool is_exponential = is_given(s->friction_kinetic) || is_given(s->friction_decay);
    if (is_hyperbolic && is_exponential) {
        return masing_error_refuse(error, "friction",
                                   "friction has both 'hyperbolic_decay' and 'kinetic' or "
                                   "'decay', expected {static, kinetic, decay} or {static, "
                                   "hyperbolic_decay}");
    }
    if (!is_given(s->friction_static) ||
        (!is_hyperbolic && !(is_given(s->friction_kinetic) && is_given(s->friction_decay)))) {
        return masing_error_refuse(
            error, "friction",
            "friction is incomplete, expected a number, {static, kinetic, "
            "decay} or {static, hyperbolic_decay}");
    }
    s->mu_static = s->friction_static;
    s->mu_kinetic = is_hyperbolic ? 0.0 : s->friction_kinetic;
    s->decay = is_hyperbolic ? 0.0 : s->friction_decay;
    s->hyperbolic = is_hyperbolic ? s->friction_hyperbolic : 0.0;
    if (s->mu_kinetic > s->mu_static) {
        return masing_error_refuse(
            error, "friction.kinetic",
            "friction.kinetic: %g is above friction.static: %g, expected "
            "at most that",
            s->mu_kinetic, s->mu_static);
    }
    return MASING_OK;
}

static enum masing_status check_friction(struct contact_surface *s, struct masing_error *error)
{
    bool is_falling = is_given(s->friction_static) || is_given(s->friction_kinetic) ||
                      is_given(s->friction_decay) || is_given(s->friction_hyperbolic);
    if (is_falling && is_given(s->friction)) {
        return masing_error_refuse(
            error, "friction", "friction is given as a number and as a mapping, expected one");
    }
    if (is_falling) {
        return check_falling(s, error);
    }
    if (!is_given(s->friction)) {
        return masing_error_refuse(error, "friction", "missing key 'friction'");
    }
    s->mu_static = s->mu_kinetic = s->friction;
    s->decay = s->hyperbolic = 0.0;
    return MASING_OK;
}

/* The force at rest is what the surface has there, not the preload that differs from it by
 * rounding: a joint at rest resists nothing to the last bit. */
static void derive_rest(struct contact_surface *s)
{
    struct masing_contact_element element;
    struct contact_local local;
    contact_surface_element(s, &element);
    contact_local_set(&element, 0.0, 0.0, NULL, &local);
    s->force = local.force;
    s->slip_force = s->mu_static * s->force;
    s->reach = local.reach;
}

void contact_surface_choose_axes(void *parameters, unsigned axes)
{
    ((struct contact_surface *)parameters)->axes = axes;
}

enum masing_status contact_surface_check(void *parameters, struct masing_error *error)
{
    struct contact_surface *s = parameters;
    bool has_speed = is_given(s->per_speed_squared);
    NEED(check_friction(s, error));
    if (is_given(s->preload) ? is_given(s->gap) : !is_given(s->gap) && !has_speed) {
        return masing_error_refuse(error, "preload",
                                   is_given(s->gap)
                                       ? "preload and gap are both given, expected one of them"
                                       : "missing key 'preload' (or 'gap')");
    }
    if (is_given(s->gap) && has_speed && s->roughness > 0.0) {
        return masing_error_refuse(error, "preload_per_speed_squared",
                                   "a speed that closes the gap of a rough contact is not "
                                   "supported yet, expected roughness 0 or a preload");
    }
    double slopes[3], pressed = has_speed ? s->per_speed_squared * s->speed_squared : 0.0;
    s->force = is_given(s->gap) ? fmax(0.0, pressed - s->normal_stiffness * s->gap)
                                : (is_given(s->preload) ? s->preload : 0.0) + pressed;
    s->position = is_given(s->gap)
                      ? pressed / s->normal_stiffness - s->gap
                      : contact_position(s->force, s->normal_stiffness, s->roughness, slopes);
    derive_rest(s);
    return MASING_OK;
}

void contact_surface_derive(const void *parameters, void *tangent)
{
    const struct contact_surface *s = parameters;
    struct contact_surface *change = tangent;
    if (is_given(s->friction)) {
        change->mu_static = change->mu_kinetic = change->friction;
    } else {
        change->mu_static = change->friction_static;
        change->mu_kinetic = change->friction_kinetic;
        change->decay = change->friction_decay;
        change->hyperbolic = change->friction_hyperbolic;
    }
    bool has_speed = is_given(s->per_speed_squared);
    double pressed = has_speed ? s->per_speed_squared * s->speed_squared : 0.0;
    double pressing = has_speed ? change->per_speed_squared * s->speed_squared +
                                      s->per_speed_squared * change->speed_squared
                                : 0.0;
    if (is_given(s->gap)) {
        double k = s->normal_stiffness, dk = change->normal_stiffness;
        change->position = (pressing - pressed / k * dk) / k - change->gap;
        change->force = s->position > 0.0 ? pressing - dk * s->gap - k * change->gap : 0.0;
    } else {
        double slopes[3];
        contact_position(s->force, s->normal_stiffness, s->roughness, slopes);
        change->force = change->preload + pressing;
        change->position = slopes[0] * change->force + slopes[1] * change->normal_stiffness +
                           slopes[2] * change->roughness;
    }
    struct masing_contact_element element, along;
    struct contact_local local;
    struct contact_change by_itself;
    contact_surface_element(s, &element);
    contact_surface_element(change, &along);
    contact_local_set(&element, 0.0, 0.0, NULL, &local);
    contact_local_change(&element, &along, 0.0, 0.0, NULL, &by_itself);
    change->slip_force = change->mu_static * s->force + s->mu_static * change->force;
    change->reach = by_itself.reach + local.reach_c * change->position;
}

void contact_surface_element(const struct contact_surface *s,
                             struct masing_contact_element *element)
{
    *element = (struct masing_contact_element){.normal_stiffness = s->normal_stiffness,
                                               .tangential_stiffness = s->tangential_stiffness,
                                               .preload = s->force,
                                               .position = s->position,
                                               .roughness = s->roughness,
                                               .friction_static = s->mu_static,
                                               .friction_kinetic = s->mu_kinetic,
                                               .decay = s->decay,
                                               .hyperbolic_decay = s->hyperbolic};
}

void contact_stiffness(const struct masing_contact *contact, int n_elements,
                       const void *parameters, const double *at, bool is_stuck, double *tangent)
{
    struct contact_frame frame = contact_frame_of(contact->axes(parameters));
    size_t n = (size_t)frame.n_axes;
    memset(tangent, 0, sizeof *tangent * n * n);
    for (int i = 0; i < n_elements; i++) {
        struct masing_contact_element element;
        struct contact_local local;
        double map[3][6], u = 0.0;
        contact->element(parameters, NULL, i, &element);
        contact_frame_map(&frame, element.y, element.z, map);
        for (size_t a = 0; a < n; a++) {
            u += map[CONTACT_X][a] * at[a];
        }
        contact_local_set(&element, 0.0, u, NULL, &local);
        double along = is_stuck && !local.is_open ? local.stiffness : 0.0;
        const double stiff[3] = {local.force_c, along, along};
        for (size_t k = 0; k < 3 * n * n; k++) {
            size_t row = k / 3 / n, column = k / 3 % n, d = k % 3;
            tangent[row * n + column] += map[d][row] * stiff[d] * map[d][column];
        }
    }
}

bool contact_surface_is_rate_dependent(const void *parameters)
{
    const struct contact_surface *s = parameters;
    return s->hyperbolic > 0.0 || (s->decay > 0.0 && s->mu_static > s->mu_kinetic);
}

double contact_surface_energy_limit(const void *parameters)
{
    return ((const struct contact_surface *)parameters)->roughness > 0.0 ? 0.0 : INFINITY;
}

enum masing_restraint contact_surface_restraint(const void *parameters)
{
    const unsigned normal = 1u << CONTACT_X | 1u << CONTACT_RY | 1u << CONTACT_RZ;
    unsigned axes = ((const struct contact_surface *)parameters)->axes;
    return !axes || axes & normal ? MASING_RESTRAINT_SPRING : MASING_RESTRAINT_START;
}

double contact_surface_slips(const struct masing_law *law, const void *parameters,
                             const struct masing_range *range)
{
    (void)law;
    (void)parameters;
    return range[0].slip_margin;
}
