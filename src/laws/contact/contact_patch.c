/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A rectangle of contact elements between two nodes (Voldrich 2009, section 2.3). */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/check.h"
#include "laws/contact/element.h"
#include "laws/contact/frame.h"
#include "laws/contact/surface.h"
#include "laws/laws.h"
#include "linalg/lu.h"

enum { ALL_AXES = 63u, MAX_ELEMENTS = 1024 };

/* An element's own part of what is derived. */
struct patch_element {
    double position, preload;
};

struct parameters {
    struct contact_surface surface; /* of the whole patch; first: its functions are the law's */
    struct masing_list size, elements, moment;
    int n_y, n_z;
    double pose[3];           /* a, phi_y, phi_z of find_preload */
    double largest, smallest; /* preload of an element, N */
    double area;              /* of one element, m^2 */
    struct patch_element own[MAX_ELEMENTS];
};

static const struct masing_field fields[] = {
    CONTACT_SURFACE_FIELDS,
    MASING_NUMBERS("size", "m", MASING_POSITIVE, MASING_REQUIRED, 2, "h, b: extent in y and z",
                   AT(size)),
    MASING_NUMBERS("elements", "", MASING_BETWEEN(1.0, MAX_ELEMENTS), MASING_REQUIRED, 2,
                   "n, m: numbers of elements in y and z, at most 1024 in all", AT(elements)),
    MASING_NUMBERS("preload_moment", "N m", MASING_ANY_NUMBER, MASING_DEFAULT(0.0), 2,
                   "M_y, M_z: moments of the preload about the centre; none: 0, 0", AT(moment)),
};

static const struct masing_constant constants[] = {
    {"largest_preload", "N", "on one element", AT(largest)},
    {"smallest_preload", "N", "on one element; 0: it is open", AT(smallest)},
    {"slip_force", "N", "mu N_0: friction of the whole patch at rest", CONTACT_AT(slip_force)},
};

static const char *const axis_names[] = {"x", "y", "z", "rx", "ry", "rz"};

static unsigned axes_of(const void *parameters)
{
    unsigned axes = ((const struct contact_surface *)parameters)->axes;
    return axes ? axes : ALL_AXES;
}

static int n_elements(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->n_y * p->n_z;
}

/* Element index: z runs fastest. */
static double middle(int index, int n)
{
    return (index - 0.5 * (n - 1)) / n;
}

/* Everything but position and preload; `of` holds the numbers or their changes. */
static void share_surface(const struct parameters *p, const struct parameters *of, int index,
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
    const struct parameters *p = parameters, *of = tangent ? tangent : parameters;
    share_surface(p, of, index, element);
    element->position = of->own[index].position;
    element->preload = of->own[index].preload;
}

static bool is_whole(double value)
{
    return value == floor(value);
}

static enum masing_status check_layout(struct parameters *p, struct masing_error *error)
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

/*
 * How a preload force and moments spread over the elements of a patch between two rigid faces:
 *   sum N_i = F, sum z_i N_i = M_y, -sum y_i N_i = M_z,  N_i = N(a + z_i phi_y - y_i phi_z),
 * elements that would pull being open (Voldrich 2009, section 2.3). The equilibrium is where a
 * convex function is smallest, the elastic energy less the work of the loads: Newton's method
 * with a line search on its slope arrives wherever there is one.
 */
enum { MAX_ITERATIONS = 200, MAX_HALVINGS = 60 };
/* Residual relative to the loads that ends the iteration, and one that suffices where further
 * iterations bring no progress. */
static const double PRECISE = 1e-14, STAGNANT = 1e-10;
/* Stiffness added to the tangent, of the largest: it restrains what no closed element does. */
static const double REGULARIZATION = 1e-12;

/* How an element's approach follows from the pose: 1, z, -y; constant: 0 for changes of it. */
static void arms_of(const struct masing_contact_element *element, double constant,
                    double arms[3])
{
    arms[0] = constant;
    arms[1] = element->z;
    arms[2] = -element->y;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

struct balance_of_patch {
    double residual[3], stiffness[9];
    double gross[3]; /* sizes of what the residuals are sums of */
};

/* Also the approaches that follow from the pose. */
static void evaluate(int n, const double load[3], struct masing_contact_element *elements,
                     const double pose[3], struct balance_of_patch *at)
{
    memset(at, 0, sizeof *at);
    for (int a = 0; a < 3; a++) {
        at->residual[a] = -load[a];
        at->gross[a] = fabs(load[a]);
    }
    for (int i = 0; i < n; i++) {
        struct contact_local local;
        double arms[3];
        arms_of(&elements[i], 1.0, arms);
        elements[i].position = dot(arms, pose);
        contact_local_set(&elements[i], 0.0, 0.0, NULL, &local);
        for (int a = 0; a < 3; a++) {
            at->residual[a] += arms[a] * local.force;
            at->gross[a] += fabs(arms[a] * local.force);
            for (int b = 0; b < 3; b++) {
                at->stiffness[a + 3 * b] += arms[a] * arms[b] * local.force_c;
            }
        }
    }
}

static double error_of(const struct balance_of_patch *at)
{
    double error = 0.0;
    for (int a = 0; a < 3; a++) {
        error = fmax(error, at->gross[a] > 0.0 ? fabs(at->residual[a]) / at->gross[a] : 0.0);
    }
    return error;
}

/* Newton's direction; a little stiffness of its own holds what nothing else does. Force and
 * moments come on one scale by lengths, 1 and the largest arms (1 where all elements lie on a
 * line). */
static bool direction_of(int n, const struct masing_contact_element *elements,
                         const struct balance_of_patch *at, double step[3])
{
    double matrix[9], stiffest = n * elements[0].normal_stiffness;
    double scales[3] = {1.0, 0.0, 0.0};
    int pivots[3];
    for (int i = 0; i < n; i++) {
        scales[1] = fmax(scales[1], fabs(elements[i].z));
        scales[2] = fmax(scales[2], fabs(elements[i].y));
    }
    memcpy(matrix, at->stiffness, sizeof matrix);
    for (int a = 0; a < 3; a++) {
        double scale = scales[a] > 0.0 ? scales[a] : 1.0;
        matrix[4 * a] += REGULARIZATION * stiffest * scale * scale;
        step[a] = -at->residual[a];
    }
    if (lu_factor(3, matrix, pivots) != MASING_OK) {
        return false;
    }
    lu_solve(3, matrix, pivots, step, 1);
    return isfinite(step[0] + step[1] + step[2]);
}

/* The energy falls along the direction; go as far as it does not rise much at the end. */
static void go(int n, const double load[3], struct masing_contact_element *elements,
               const double step[3], double pose[3], struct balance_of_patch *at)
{
    double start = dot(at->residual, step), part = 1.0, trial[3];
    for (int i = 0; i < MAX_HALVINGS; i++, part *= 0.5) {
        for (int a = 0; a < 3; a++) {
            trial[a] = pose[a] + part * step[a];
        }
        evaluate(n, load, elements, trial, at);
        if (dot(at->residual, step) <= 0.5 * fabs(start)) {
            break;
        }
    }
    memcpy(pose, trial, sizeof trial);
}

/*
 * Places y, z and stiffnesses of the elements [n] are given; their positions are filled. All
 * elements pressed alike is where to start. False: no equilibrium was found.
 */
static bool find_preload(int n, const double load[3], struct masing_contact_element *elements,
                         double pose[3])
{
    struct balance_of_patch at;
    double slopes[3], step[3];
    pose[0] = contact_position(load[0] / n, elements[0].normal_stiffness, elements[0].roughness,
                               slopes);
    pose[1] = pose[2] = 0.0;
    evaluate(n, load, elements, pose, &at);
    double error = error_of(&at), before = INFINITY;
    for (int i = 0; i < MAX_ITERATIONS && error > PRECISE; i++) {
        if (!direction_of(n, elements, &at, step) ||
            (error <= STAGNANT && error >= 0.5 * before)) {
            break;
        }
        go(n, load, elements, step, pose, &at);
        before = error;
        error = error_of(&at);
    }
    return error <= STAGNANT;
}

/*
 * Changes of position and preload of each element along a change of the load and of the
 * elements (whose stiffness, roughness and places are given in changes [n]):
 * stiffness dq = change of the loads - what the elements change at a fixed pose.
 */
static void differentiate_preload(int n, struct masing_contact_element *elements,
                                  const double pose[3], const double load_change[3],
                                  struct masing_contact_element *changes)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    struct balance_of_patch at;
    struct contact_local local;
    double arms[3], dq[3];
    evaluate(n, none, elements, pose, &at);
    for (int a = 0; a < 3; a++) {
        at.residual[a] = -load_change[a];
    }
    for (int i = 0; i < n; i++) {
        struct contact_change change;
        double arms_change[3];
        arms_of(&elements[i], 1.0, arms);
        arms_of(&changes[i], 0.0, arms_change);
        contact_local_set(&elements[i], 0.0, 0.0, NULL, &local);
        contact_local_change(&elements[i], &changes[i], 0.0, 0.0, NULL, &change);
        changes[i].position = arms_change[1] * pose[1] + arms_change[2] * pose[2];
        changes[i].preload = change.force + local.force_c * changes[i].position;
        for (int a = 0; a < 3; a++) {
            at.residual[a] += arms[a] * changes[i].preload + arms_change[a] * local.force;
        }
    }
    if (!direction_of(n, elements, &at, dq)) {
        memset(dq, 0, sizeof dq);
    }
    for (int i = 0; i < n; i++) {
        arms_of(&elements[i], 1.0, arms);
        contact_local_set(&elements[i], 0.0, 0.0, NULL, &local);
        changes[i].position += dot(arms, dq);
        changes[i].preload += local.force_c * dot(arms, dq);
    }
}

/* F, M_y and M_z */
static void load_of(const struct parameters *p, double load[3])
{
    load[0] = p->surface.force;
    load[1] = p->moment.values[0];
    load[2] = p->moment.values[1];
}

/* The resultant must lie between the outermost elements, which can only push. */
static enum masing_status check_moment(const struct parameters *p, double moment, double half,
                                       const char *name, char along, struct masing_error *error)
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

static enum masing_status spread_preload(struct parameters *p, struct masing_error *error)
{
    struct masing_contact_element elements[MAX_ELEMENTS] = {0};
    double load[3];
    int n = p->n_y * p->n_z;
    load_of(p, load);
    for (int i = 0; i < n; i++) {
        share_surface(p, p, i, &elements[i]);
    }
    bool is_found = !(load[0] > 0.0) || find_preload(n, load, elements, p->pose);
    p->largest = 0.0;
    p->smallest = INFINITY;
    for (int i = 0; i < n; i++) {
        struct contact_local local;
        elements[i].position = load[0] > 0.0 ? elements[i].position : p->surface.position;
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
    struct parameters *p = parameters;
    NEED(contact_surface_check(&p->surface, error));
    NEED(check_layout(p, error));
    double half_z = p->size.values[1] * middle(p->n_z - 1, p->n_z);
    double half_y = p->size.values[0] * middle(p->n_y - 1, p->n_y);
    NEED(check_moment(p, p->moment.values[0], half_z, "M_y", 'z', error));
    NEED(check_moment(p, p->moment.values[1], half_y, "M_z", 'y', error));
    return spread_preload(p, error);
}

static void derive(const void *parameters, void *tangent)
{
    const struct parameters *p = parameters;
    struct parameters *change = tangent;
    struct masing_contact_element elements[MAX_ELEMENTS], changes[MAX_ELEMENTS];
    int n = n_elements(p);
    contact_surface_derive(&p->surface, &change->surface);
    for (int i = 0; i < n; i++) {
        element(p, NULL, i, &elements[i]);
        share_surface(p, change, i, &changes[i]);
    }
    if (p->surface.force > 0.0) {
        double load[3];
        load_of(change, load);
        differentiate_preload(n, elements, p->pose, load, changes);
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

static void element_place(const void *parameters, int index, double position[2], double *area)
{
    const struct parameters *p = parameters;
    struct masing_contact_element e;
    element(p, NULL, index, &e);
    position[0] = e.y;
    position[1] = e.z;
    *area = p->area;
}

static const struct masing_law_event events[] = {
    {MASING_EVENT_SLIP_ONSET, MASING_EVENT_STICK, contact_surface_slips, true}};

static const struct masing_contact contact = {.axes = axes_of, .element = element};

static void stiffness(const void *parameters, const double *at, bool is_stuck, double *tangent)
{
    contact_stiffness(&contact, n_elements(parameters), parameters, at, is_stuck, tangent);
}

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
    CONTACT_SURFACE_LAW,
    .n_axes = 6,
    .parameters_size = sizeof(struct parameters),
    .check = check,
    .derive = derive,
};
