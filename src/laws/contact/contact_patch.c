/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A rectangle of contact elements between two nodes (Voldrich 2009, section 2.3). */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "laws/contact/element.h"
#include "laws/contact/frame.h"
#include "laws/contact/patch_preload.h"
#include "laws/contact/surface.h"
#include "laws/laws.h"

enum { ALL_AXES = 63u, MAX_ELEMENTS = 1024 };

/* An element's own part of what is derived. */
struct patch_element {
    double position, preload;
};

struct contact_patch_parameters {
    struct contact_surface surface; /* of the whole patch */
    struct masing_list size, elements, moment;
    unsigned axes; /* x, y, z, rx, ry, rz; 0: all */
    int n_y, n_z;
    struct patch_pose pose;
    double largest, smallest; /* preload of an element, N */
    double area;              /* of one element, m^2 */
    struct patch_element own[MAX_ELEMENTS];
};

static const struct masing_field fields[] = {
    CONTACT_SURFACE_FIELDS(struct contact_patch_parameters, surface),
    MASING_NUMBERS("size", "m", MASING_POSITIVE, MASING_REQUIRED, 2, "h, b: extent in y and z",
                   offsetof(struct contact_patch_parameters, size)),
    MASING_NUMBERS("elements", "", MASING_BETWEEN(1.0, MAX_ELEMENTS), MASING_REQUIRED, 2,
                   "n, m: numbers of elements in y and z, at most 1024 in all",
                   offsetof(struct contact_patch_parameters, elements)),
    MASING_NUMBERS("preload_moment", "N m", MASING_ANY_NUMBER, MASING_DEFAULT(0.0), 2,
                   "M_y, M_z: moments of the preload about the centre; none: 0, 0",
                   offsetof(struct contact_patch_parameters, moment)),
};

static const struct masing_constant constants[] = {
    {"largest_preload", "N", "on one element",
     offsetof(struct contact_patch_parameters, largest)},
    {"smallest_preload", "N", "on one element; 0: it is open",
     offsetof(struct contact_patch_parameters, smallest)},
    {"slip_force", "N", "mu N_0: friction of the whole patch at rest",
     offsetof(struct contact_patch_parameters, surface.slip_force)},
};

static const char *const axis_names[] = {"x", "y", "z", "rx", "ry", "rz"};

static void choose_axes(void *parameters, unsigned axes)
{
    ((struct contact_patch_parameters *)parameters)->axes = axes;
}

static unsigned axes_of(const void *parameters)
{
    unsigned axes = ((const struct contact_patch_parameters *)parameters)->axes;
    return axes ? axes : ALL_AXES;
}

static int n_elements(const void *parameters)
{
    const struct contact_patch_parameters *p = parameters;
    return p->n_y * p->n_z;
}

/* Element index: z runs fastest. */
static double middle(int index, int n)
{
    return (index - 0.5 * (n - 1)) / n;
}

/* Everything but position and preload; `of` holds the numbers or their changes. */
static void share_surface(const struct contact_patch_parameters *p,
                          const struct contact_patch_parameters *of, int index,
                          struct masing_contact_element *element)
{
    int n = p->n_y * p->n_z;
    contact_surface_element(&of->surface, element);
    element->normal_stiffness /= n;
    element->tangential_stiffness /= n;
    element->y = of->size.values[0] * middle(index / p->n_z, p->n_y);
    element->z = of->size.values[1] * middle(index % p->n_z, p->n_z);
}

static void element(const void *parameters, const void *tangent, int index,
                    struct masing_contact_element *element)
{
    const struct contact_patch_parameters *p = parameters, *of = tangent ? tangent : parameters;
    share_surface(p, of, index, element);
    element->position = of->own[index].position;
    element->preload = of->own[index].preload;
}

static bool is_whole(double value)
{
    return value == floor(value);
}

static enum masing_status check_layout(struct contact_patch_parameters *p,
                                       struct masing_error *error)
{
    if (p->size.count != 2) {
        return masing_error_refuse(error, "size", "size has %d number%s, expected [h, b]",
                                   p->size.count, p->size.count == 1 ? "" : "s");
    }
    if (p->elements.count != 2 || !is_whole(p->elements.values[0]) ||
        !is_whole(p->elements.values[1])) {
        return masing_error_refuse(error, "elements",
                                   "elements are not two whole numbers, expected [n, m]");
    }
    if (p->elements.values[0] * p->elements.values[1] > MAX_ELEMENTS) {
        return masing_error_refuse(error, "elements",
                                   "elements: %g x %g are %g, expected at most %d in all",
                                   p->elements.values[0], p->elements.values[1],
                                   p->elements.values[0] * p->elements.values[1], MAX_ELEMENTS);
    }
    if (p->moment.count == 1) {
        return masing_error_refuse(error, "preload_moment",
                                   "preload_moment has 1 number, expected [M_y, M_z]");
    }
    p->n_y = (int)p->elements.values[0];
    p->n_z = (int)p->elements.values[1];
    p->area = p->size.values[0] * p->size.values[1] / (p->n_y * p->n_z);
    return MASING_OK;
}

static struct patch_load load_of(const struct contact_patch_parameters *p)
{
    return (struct patch_load){p->surface.force, p->moment.values[0], p->moment.values[1]};
}

/* The resultant must lie between the outermost elements, which can only push. */
static enum masing_status check_moment(const struct contact_patch_parameters *p, double moment,
                                       double half, const char *name, char along,
                                       struct masing_error *error)
{
    double force = p->surface.force, limit = force * half;
    if (fabs(moment) < limit || moment == 0.0) {
        return MASING_OK;
    }
    if (!(half > 0.0)) {
        return masing_error_refuse(error, "preload_moment",
                                   "no static equilibrium: 'preload_moment' has %s = %g N m, "
                                   "which a single row of elements cannot carry, expected 0",
                                   name, moment);
    }
    return masing_error_refuse(
        error, "preload_moment",
        "no static equilibrium: 'preload_moment' has %s = %g N m, which "
        "with a preload of %g N acts beyond the outermost elements, %g m "
        "from the centre along %c, expected a preload above %.4g N or a "
        "smaller moment",
        name, moment, force, half, along, fabs(moment) / half);
}

static enum masing_status spread_preload(struct contact_patch_parameters *p,
                                         struct masing_error *error)
{
    struct masing_contact_element elements[MAX_ELEMENTS];
    struct patch_load load = load_of(p);
    int n = p->n_y * p->n_z;
    for (int i = 0; i < n; i++) {
        share_surface(p, p, i, &elements[i]);
    }
    bool is_found = true;
    if (load.force > 0.0) {
        is_found = patch_preload_find(n, &load, elements, &p->pose);
    }
    p->largest = 0.0;
    p->smallest = INFINITY;
    for (int i = 0; i < n; i++) {
        struct contact_local local;
        elements[i].position = load.force > 0.0 ? elements[i].position : p->surface.position;
        contact_local_set(&elements[i], 0.0, 0.0, NULL, &local);
        p->own[i].position = elements[i].position;
        p->own[i].preload = local.force; /* to the last bit, as in derive_rest */
        p->largest = fmax(p->largest, p->own[i].preload);
        p->smallest = fmin(p->smallest, p->own[i].preload);
    }
    return is_found ? MASING_OK
                    : masing_error_refuse(error, "preload_moment",
                                          "no static equilibrium of the preload was found");
}

static enum masing_status check(void *parameters, struct masing_error *error)
{
    struct contact_patch_parameters *p = parameters;
    enum masing_status status = contact_surface_check(&p->surface, error);
    if (status == MASING_OK) {
        status = check_layout(p, error);
    }
    if (status == MASING_OK) {
        double half = p->size.values[1] * middle(p->n_z - 1, p->n_z);
        status = check_moment(p, p->moment.values[0], half, "M_y", 'z', error);
    }
    if (status == MASING_OK) {
        double half = p->size.values[0] * middle(p->n_y - 1, p->n_y);
        status = check_moment(p, p->moment.values[1], half, "M_z", 'y', error);
    }
    return status == MASING_OK ? spread_preload(p, error) : status;
}

static void derive(const void *parameters, void *tangent)
{
    const struct contact_patch_parameters *p = parameters;
    struct contact_patch_parameters *change = tangent;
    struct masing_contact_element elements[MAX_ELEMENTS], changes[MAX_ELEMENTS];
    int n = n_elements(p);
    contact_surface_derive(&p->surface, &change->surface);
    for (int i = 0; i < n; i++) {
        element(p, NULL, i, &elements[i]);
        share_surface(p, change, i, &changes[i]);
    }
    if (p->surface.force > 0.0) {
        struct patch_load load = load_of(change);
        patch_preload_differentiate(n, elements, &p->pose, &load, changes);
    }
    change->largest = -INFINITY;
    for (int i = 0; i < n; i++) {
        bool is_loaded = p->surface.force > 0.0;
        change->own[i].position = is_loaded ? changes[i].position : change->surface.position;
        change->own[i].preload = is_loaded ? changes[i].preload : 0.0;
        if (p->own[i].preload == p->largest) {
            change->largest = fmax(change->largest, change->own[i].preload);
        }
        if (p->own[i].preload == p->smallest) {
            change->smallest = change->own[i].preload;
        }
    }
}

static bool is_rate_dependent(const void *parameters)
{
    return contact_surface_is_rate_dependent(
        &((const struct contact_patch_parameters *)parameters)->surface);
}

static double energy_limit(const void *parameters)
{
    return contact_surface_energy_limit(
        &((const struct contact_patch_parameters *)parameters)->surface);
}

static void stiffness(const void *parameters, bool is_stuck, double *tangent)
{
    struct contact_frame frame = contact_frame_of(axes_of(parameters));
    size_t n = (size_t)frame.n_axes;
    memset(tangent, 0, sizeof *tangent * n * n);
    for (int i = 0; i < n_elements(parameters); i++) {
        struct masing_contact_element e;
        struct contact_local local;
        double map[3][6];
        element(parameters, NULL, i, &e);
        contact_local_set(&e, 0.0, 0.0, NULL, &local);
        contact_frame_map(&frame, e.y, e.z, map);
        double along = is_stuck && !local.is_open ? local.stiffness : 0.0;
        const double stiff[3] = {local.force_c, along, along};
        for (size_t k = 0; k < 3 * n * n; k++) {
            size_t row = k / 3 / n, column = k / 3 % n, d = k % 3;
            tangent[row * n + column] += map[d][row] * stiff[d] * map[d][column];
        }
    }
}

/* Only where the faces can approach each other does a mean force depend on the mean. */
static enum masing_restraint restraint(const void *parameters)
{
    const unsigned normal = 1u << CONTACT_X | 1u << CONTACT_RY | 1u << CONTACT_RZ;
    return axes_of(parameters) & normal ? MASING_RESTRAINT_SPRING : MASING_RESTRAINT_START;
}

static void element_place(const void *parameters, int index, double position[2], double *area)
{
    const struct contact_patch_parameters *p = parameters;
    struct masing_contact_element e;
    element(p, NULL, index, &e);
    position[0] = e.y;
    position[1] = e.z;
    *area = p->area;
}

static double slip_onset(const struct masing_law *law, const void *parameters,
                         const struct masing_range *range)
{
    (void)law;
    (void)parameters;
    return range[0].slip_margin;
}

static const struct masing_law_event events[] = {
    {MASING_EVENT_SLIP_ONSET, MASING_EVENT_STICK, slip_onset, true}};

static const struct masing_contact contact = {.axes = axes_of, .element = element};

const struct masing_law law_contact_patch = {
    .name = "contact_patch",
    .summary = "rectangle of contact elements between two nodes of up to six DOFs",
    .equation = "n x m elements, each a contact with k_N/nm, k_T/nm at y_i, z_i:\n"
                "  u_i = x + z_i ry - y_i rz, v_i = y - z_i rx, w_i = z + y_i rx\n"
                "  F = sum F_i, M = sum r_i x F_i\n"
                "  preloads: sum N_i = N_0, sum z_i N_i = M_y, -sum y_i N_i = M_z, N_i >= 0",
    .source = "Voldrich 2009, eqs 6-8",
    .example = "normal_stiffness: 40000\ntangential_stiffness: 40000\nfriction: 0.5\n"
               "preload: 50\npreload_moment: [1, 0]\nsize: [0.1, 0.1]\nelements: [4, 4]",
    .family = &masing_family_contact,
    .n_axes = 6,
    .axis_names = axis_names,
    .needs_velocity = true,
    .can_smooth = true,
    .may_create_energy = true,
    .parameters_size = sizeof(struct contact_patch_parameters),
    MASING_TABLE(fields, fields),
    MASING_TABLE(constants, constants),
    .check = check,
    .derive = derive,
    .choose_axes = choose_axes,
    .is_rate_dependent = is_rate_dependent,
    .energy_limit = energy_limit,
    .stiffness = stiffness,
    .restraint = restraint,
    .n_elements = n_elements,
    .element_place = element_place,
    MASING_TABLE(events, events),
    .contact = &contact,
};
