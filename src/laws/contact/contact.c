/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A point contact: one normal and one or two tangential axes (Voldrich 2009, section 2.2). */
#include <math.h>
#include <stddef.h>

#include "laws/contact/surface.h"
#include "laws/laws.h"

enum { ALL_AXES = 7u };

static const struct masing_field fields[] = {
    CONTACT_SURFACE_FIELDS,
};

static const struct masing_constant constants[] = {
    {"approach", "m", "u_0 at zero displacement; negative: a gap", CONTACT_AT(position)},
    {"slip_force", "N", "mu N_0: friction at rest before the normal force changes",
     CONTACT_AT(slip_force)},
    {"reach", "m", "mu N_0/k: elastic displacement at which it slips", CONTACT_AT(reach)},
};

static const char *const axis_names[] = {"normal", "tangential", "tangential_2"};

static unsigned axes_of(const void *parameters)
{
    unsigned axes = ((const struct contact_surface *)parameters)->axes;
    return axes ? axes : ALL_AXES;
}

static int n_elements(const void *parameters)
{
    (void)parameters;
    return 1;
}

static void element_place(const void *parameters, int element, double position[2], double *area)
{
    (void)parameters;
    (void)element;
    position[0] = position[1] = *area = 0.0;
}

static void element(const void *parameters, const void *tangent, int index,
                    struct masing_contact_element *element)
{
    (void)index;
    contact_surface_element(tangent ? tangent : parameters, element);
}

/* How far the surfaces part at the least, or come together at the most, in parts of the path
 * and of the approach at rest. */
static double scale(const struct contact_surface *p, const struct masing_range *range)
{
    return fabs(p->position) + range->maximum - range->minimum;
}

static double parting(const struct masing_law *law, const void *parameters,
                      const struct masing_range *range)
{
    (void)law;
    const struct contact_surface *p = parameters;
    double size = scale(p, range);
    return size > 0.0 ? -(p->position + range->minimum) / size : -1.0;
}

static double meeting(const struct masing_law *law, const void *parameters,
                      const struct masing_range *range)
{
    (void)law;
    const struct contact_surface *p = parameters;
    double size = scale(p, range);
    return size > 0.0 ? (p->position + range->maximum) / size : 1.0;
}

static const struct masing_law_event events[] = {
    {MASING_EVENT_SLIP_ONSET, MASING_EVENT_STICK, contact_surface_slips, true},
    {MASING_EVENT_LIFT_OFF, MASING_EVENT_FULL_CONTACT, parting, false},
    {MASING_EVENT_CONTACT, MASING_EVENT_SEPARATION, meeting, false},
};

static const struct masing_contact contact = {.axes = axes_of, .element = element};

static void stiffness(const void *parameters, const double *at, bool is_stuck, double *tangent)
{
    contact_stiffness(&contact, 1, parameters, at, is_stuck, tangent);
}

const struct masing_law law_contact = {
    .name = "contact",
    .summary = "contact with normal motion: friction in one or two directions, separation",
    .equation = "normal: N(u) - N_0, N = k_N max(0, u_0 + u), or, with u* = (u_0 + u)/R,\n"
                "  N/(k_N R) = u*^3 - u*^4/2 up to u* = 1, u* - 1/2 above\n"
                "tangential: T = k (v - v_s), k = k_T, or k_T (3 u*^2 - 2 u*^3) up to u* = 1;\n"
                "  |v - v_s| <= mu N/k as a vector, v_s moving as little as needed;\n"
                "  open: v_s = v, T = 0",
    .source = "Voldrich 2009, eqs 1-5",
    .example = "normal_stiffness: 40000\ntangential_stiffness: 40000\nfriction: 0.5\n"
               "preload: 30\nroughness: 0.001",
    CONTACT_SURFACE_LAW,
    .n_axes = 3,
    .parameters_size = sizeof(struct contact_surface),
    .check = contact_surface_check,
    .derive = contact_surface_derive,
};
