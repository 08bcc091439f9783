/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A contact with a linear normal stiffness k_N and friction in one direction. While it is
 * closed, c = position + u > 0, its slider stays between two bounds, v - d and v + d with the
 * reach d = mu k_N c / k_T: it rests, or one of them pushes it along. While the contact is open
 * the slider follows v.
 */
#include <math.h>

#include "base/check.h"
#include "base/pi.h"
#include "laws/contact/element.h"
#include "stability/changes.h"

enum { NORMAL = 1, MOST_DIRECTIONS = 7 };

/* The lower bound pushes the slider up, the upper one down. */
enum state { PUSHED_UP, PUSHED_DOWN, AT_REST, OPEN };

struct motion {
    struct changes *changes;
    int joint;
    struct masing_contact_element element;
    bool has_normal, has_slider;
    int tangential;                               /* axis */
    double ratio;                                 /* d by c */
    struct trigonometric_path *normal, *bound[2]; /* u; v -+ ratio u */
    enum state state;
    double since, slider;
};

static struct masing_contact_element element_of(const struct joint *joint)
{
    struct masing_contact_element element;
    joint->law->contact->element(joint->parameters, NULL, 0, &element);
    return element;
}

bool contact_changes_are_known(const struct joint *joint)
{
    const struct masing_law *law = joint->law;
    if (!law->contact || joint->n_axes > CHANGE_AXES || !law->n_elements ||
        law->n_elements(joint->parameters) != 1) {
        return false;
    }
    unsigned axes = law->contact->axes(joint->parameters);
    struct masing_contact_element element = element_of(joint);
    bool has_normal = axes & NORMAL;
    return axes <= MOST_DIRECTIONS && joint->n_axes - has_normal <= 1 &&
           element.roughness == 0.0 && element.y == 0.0 && element.z == 0.0 &&
           !contact_is_rate_dependent(&element);
}

static double value(const struct trigonometric_path *path, double angle)
{
    return path->smooth.value(path->smooth.context, angle);
}

/* What the constant part of the reach adds to a bound. */
static double offset(const struct motion *motion, int side)
{
    return (side == PUSHED_UP ? -motion->ratio : motion->ratio) * motion->element.position;
}

static double bound(const struct motion *motion, int side, double angle)
{
    return value(motion->bound[side], angle) + offset(motion, side);
}

static double slope(const struct trigonometric_path *path, double angle)
{
    double values[4];
    trigonometric_path_evaluate(path, angle, values);
    return values[1];
}

static struct change_force force_of(const struct motion *motion, enum state state)
{
    const struct masing_contact_element *element = &motion->element;
    struct change_force force = {0};
    double limit = motion->ratio * element->tangential_stiffness; /* mu k_N */
    int t = motion->tangential;
    if (state != OPEN && motion->has_normal) {
        force.k[0][0] = element->normal_stiffness;
    }
    if (state == AT_REST && motion->has_slider) {
        force.k[t][t] = force.l[t] = element->tangential_stiffness;
    } else if (state != OPEN && motion->has_slider && motion->has_normal) {
        force.k[t][0] = state == PUSHED_UP ? limit : -limit;
    }
    return force;
}

/* A slider comes to rest where the bound that pushed it is, or where v is as the contact
 * closes: there the motion changes the time at which it does. */
static void come_to_rest(struct motion *motion, struct change *change)
{
    double angle = change->angle, by_normal = motion->state == PUSHED_UP ? -1.0 : 1.0;
    by_normal *= motion->ratio;
    motion->slider = bound(motion, motion->state == PUSHED_UP ? PUSHED_UP : PUSHED_DOWN, angle);
    if (motion->state == OPEN) {
        double v = 0.5 * (slope(motion->bound[0], angle) + slope(motion->bound[1], angle));
        by_normal = -v / slope(motion->normal, angle);
    }
    change->comes_to_rest = true;
    change->rest[0] = by_normal;
    change->rest[motion->tangential] = 1.0;
}

static enum masing_status enter(struct motion *motion, double angle, enum state state)
{
    struct change change = {
        .angle = angle, .joint = motion->joint, .force = force_of(motion, state)};
    if (motion->has_slider && state == AT_REST) {
        come_to_rest(motion, &change);
    }
    bool was_pushed = motion->state == PUSHED_UP || motion->state == PUSHED_DOWN;
    bool is_short =
        was_pushed && state == AT_REST && changes_slip_is_short(angle - motion->since);
    motion->state = state;
    motion->since = angle;
    return is_short ? MASING_UNSUPPORTED : changes_add(motion->changes, &change);
}

/* The state that a closing contact enters, its reach growing from zero. */
static enum state closing(const struct motion *motion, double angle)
{
    return !motion->has_slider                              ? AT_REST
           : slope(motion->bound[PUSHED_UP], angle) > 0.0   ? PUSHED_UP
           : slope(motion->bound[PUSHED_DOWN], angle) < 0.0 ? PUSHED_DOWN
                                                            : AT_REST;
}

/* Whether a bound moves the way it pushes, up or down. */
static bool pushes(const struct motion *motion, int side, double from, double to)
{
    double way = bound(motion, side, to) - bound(motion, side, from);
    return side == PUSHED_UP ? way > 0.0 : way < 0.0;
}

/* From one angle to another, between which no path turns and the contact neither opens nor
 * closes. */
static enum masing_status go(struct motion *motion, double from, double to)
{
    bool is_closed = !motion->has_normal ||
                     value(motion->normal, 0.5 * (from + to)) + motion->element.position > 0.0;
    if (is_closed != (motion->state != OPEN)) {
        NEED(enter(motion, from, is_closed ? closing(motion, from) : OPEN));
    }
    if (!is_closed || !motion->has_slider) {
        return MASING_OK;
    }
    if (motion->state != AT_REST && !pushes(motion, (int)motion->state, from, to)) {
        NEED(enter(motion, from, AT_REST));
    }
    for (int side = 0; side < 2 && motion->state == AT_REST; side++) {
        double beyond = bound(motion, side, to) - motion->slider;
        if (pushes(motion, side, from, to) && (side == PUSHED_UP ? beyond : -beyond) > 0.0) {
            const struct masing_smooth_path *path = &motion->bound[side]->smooth;
            double level = motion->slider - offset(motion, side);
            NEED(enter(motion, path->root(path->context, from, to, level), (enum state)side));
        }
    }
    return MASING_OK;
}

static int add_angle(double *angles, int n, double angle)
{
    int k = n;
    for (angle = fmod(angle, TWO_PI); k > 0 && angles[k - 1] > angle; k--) {
        angles[k] = angles[k - 1];
    }
    angles[k] = angle;
    return n + 1;
}

/* Angles [0, 2 pi) between which nothing turns, opens or closes, in order; their number. */
static int list_angles(const struct motion *motion, double *angles)
{
    const struct trigonometric_path *path = motion->normal;
    double level = -motion->element.position;
    int n = 0;
    for (int side = 0; motion->has_slider && side < 2; side++) {
        for (int k = 0; k < motion->bound[side]->n_extrema; k++) {
            n = add_angle(angles, n, motion->bound[side]->extrema[k].angle);
        }
    }
    for (int k = 0; motion->has_normal && k < path->n_extrema; k++) {
        bool is_last = k + 1 == path->n_extrema;
        const struct masing_extremum *one = &path->extrema[k],
                                     *next = &path->extrema[is_last ? 0 : k + 1];
        n = add_angle(angles, n, one->angle);
        if ((one->x > level) != (next->x > level)) {
            double end = next->angle + (is_last ? TWO_PI : 0.0);
            n = add_angle(angles, n,
                          path->smooth.root(path->smooth.context, one->angle, end, level));
        }
    }
    return n;
}

/* Largest (sign 1) or smallest value, and where. */
static double extreme(const struct trigonometric_path *path, double sign, double *angle)
{
    double best = path->smooth.constant;
    *angle = 0.0;
    for (int k = 0; k < path->n_extrema; k++) {
        if (k == 0 || sign * path->extrema[k].x > sign * best) {
            best = path->extrema[k].x;
            *angle = path->extrema[k].angle;
        }
    }
    return best;
}

static void set(struct motion *motion, enum change_motion which)
{
    struct changes *changes = motion->changes;
    const struct joint_response *response = changes->balance->joints[motion->joint];
    const struct joint *joint = response->joint;
    size_t n_c = (size_t)changes->balance->n_coefficients;
    motion->element = element_of(joint);
    const struct masing_contact_element *element = &motion->element;
    motion->normal = changes->path[0];
    motion->bound[0] = changes->path[1];
    motion->bound[1] = changes->path[2];
    motion->has_normal = joint->law->contact->axes(joint->parameters) & NORMAL;
    motion->tangential = motion->has_normal ? 1 : 0;
    motion->has_slider = joint->n_axes > motion->tangential && element->friction_static > 0.0;
    motion->ratio =
        element->friction_static * element->normal_stiffness / element->tangential_stiffness;
    const double *const x[] = {response->x, response->x + (joint->n_axes - 1) * (int)n_c};
    if (motion->has_normal) {
        changes_set_path(changes, which, motion->normal, 1, (const double[]){1.0}, x);
    }
    for (int side = 0; side < 2 && motion->has_slider; side++) {
        double by_normal = side == PUSHED_UP ? -motion->ratio : motion->ratio;
        const double weight[] = {motion->has_normal ? by_normal : 0.0, 1.0};
        changes_set_path(changes, which, motion->bound[side], 2, weight, x);
    }
}

/* Where the state is known: an open contact, or a slider that comes to rest at the top of the
 * lower bound, than which it is nowhere higher. False: nothing changes. */
static bool begin(struct motion *motion, double *from)
{
    double position = motion->element.position, unused;
    double least = position, most = position;
    motion->since = -INFINITY;
    if (motion->has_normal) {
        least += extreme(motion->normal, -1.0, from);
        most += extreme(motion->normal, 1.0, &unused);
    }
    if (least <= 0.0) {
        motion->state = OPEN;
        return most > 0.0;
    }
    motion->state = AT_REST;
    if (motion->has_slider &&
        extreme(motion->bound[PUSHED_UP], 1.0, from) + offset(motion, PUSHED_UP) >
            extreme(motion->bound[PUSHED_DOWN], -1.0, &unused) + offset(motion, PUSHED_DOWN)) {
        motion->state = PUSHED_UP;
        return true;
    }
    return false;
}

enum masing_status contact_changes_add(struct changes *changes, int joint,
                                       enum change_motion which)
{
    struct motion motion = {.changes = changes, .joint = joint};
    double from = 0.0, *angles = changes->angles;
    set(&motion, which);
    if (!begin(&motion, &from)) { /* a slider that rests all the time is where it is */
        changes->constant[joint] = force_of(&motion, motion.state);
        changes->constant[joint].l[0] = changes->constant[joint].l[1] = 0.0;
        return MASING_OK;
    }
    int n = list_angles(&motion, angles), first = 0;
    while (first < n && angles[first] < from) {
        first++;
    }
    for (int i = first; i < first + n; i++) {
        double start = angles[i % n] + (i < n ? 0.0 : TWO_PI);
        double end = angles[(i + 1) % n] + (i + 1 < n ? 0.0 : TWO_PI);
        NEED(end > start ? go(&motion, start, end) : MASING_OK);
    }
    return MASING_OK;
}
