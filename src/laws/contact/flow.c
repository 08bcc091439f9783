/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A contact element between two events, at which everything is smooth: it is open, sticks or
 * slips. What it sticks by is v - v_s, with v_s at rest. What it slips by is the reach d times
 * a direction e: one of two in one direction, which stays, and in the plane a vector that turns
 * towards the motion, e' = (v' - (v' . e) e)/d, see motion.c. The slider then moves by
 * v' . e - d' along e; slip ends where this falls to zero. As force and stiffness are
 * continuous there, so are accelerations, and either side agrees on which one comes next.
 */
#include <math.h>
#include <string.h>

#include "laws/contact/element.h"
#include "laws/contact/frame.h"

enum {
    INTERVAL_GAP,
    INTERVAL_LIMIT,
    INTERVAL_CREST,
    INTERVAL_TURN,
    INTERVAL_NEAREST, /* where what it sticks by is nearest to the limit, which it may have
                         passed between two steps */
    INTERVAL_MONITORS
};
enum interval_kind { INTERVAL_OPEN, INTERVAL_STICK, INTERVAL_SLIP };

struct element_interval {
    struct masing_contact_element element;
    double map[3][6]; /* see frame.h */
    enum interval_kind kind;
    enum contact_piece piece;
    bool has_friction, is_rate_dependent;
    double side;       /* slip in one direction: +-1 */
    double approach;   /* sticking near the limit: 1 towards it, -1 away from it */
    double heading[2]; /* of the motion when friction began to depend on it */
    /* reach, displacement and speed at the beginnings of intervals so far */
    double largest, farthest, fastest;
    double slack[INTERVAL_MONITORS]; /* what monitors that began at zero have more */
};

/* Where an element is, on its own axes. */
struct element_point {
    int n; /* tangential directions; 0 where there is no friction */
    double u, u_rate;
    double v[2], velocity[2], acceleration[2];
    double u_span, v_span; /* how far it may move, roughly; 0: not known */
};

/* Monitors of less than these parts of their size are at zero; a speed of less than this part
 * of the fastest is none. */
static const double ZERO = 1e-13, ROUND_OFF = 4e-16, AT_REST = 1e-7;
/* Less than any displacement or speed, where there is no size yet, m or m/s. */
static const double LEAST_SIZE = 1e-20;
/* Of the largest reach: so near to the limit what it sticks by is watched. */
static const double NEAR_LIMIT = 0.3;
/* e turns at infinite speed where the reach vanishes, and so is the direction of the motion
 * there. It is followed as if the reach were not less than this part of sqrt(d A), d being the
 * largest and A the displacement: the force is off by the square of this part of its largest,
 * while the reach is so small. */
static const double LAG = 3e-5;

static double dot(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

static bool is_signed(const struct element_interval *s, const struct element_point *p)
{
    return p->n == 1 && s->kind == INTERVAL_SLIP;
}

/* The speed that friction depends on; in one direction it goes on smoothly below zero. */
static void set_local(const struct element_interval *s, const struct element_point *p,
                      struct contact_local *local)
{
    double speed = !s->is_rate_dependent ? 0.0
                   : is_signed(s, p)     ? dot(s->heading, p->velocity)
                                         : hypot(p->velocity[0], p->velocity[1]);
    contact_local_continue(&s->element, s->piece, s->element.position + p->u, speed, local);
}

static double speed_rate(const struct element_interval *s, const struct element_point *p)
{
    double speed = hypot(p->velocity[0], p->velocity[1]);
    if (is_signed(s, p)) {
        return dot(s->heading, p->acceleration);
    }
    return speed > 0.0 ? dot(p->velocity, p->acceleration) / speed
                       : hypot(p->acceleration[0], p->acceleration[1]);
}

static double reach_rate(const struct element_interval *s, const struct element_point *p,
                         const struct contact_local *local)
{
    double rate = local->reach_c * p->u_rate;
    return s->is_rate_dependent ? rate + local->reach_w * speed_rate(s, p) : rate;
}

/* Unit vector along a; along b, or else anything, where a vanishes. */
static void unit_along(const double a[2], const double b[2], double smallest, double unit[2])
{
    double size = hypot(a[0], a[1]), other = hypot(b[0], b[1]);
    bool is_first = size > smallest;
    for (int i = 0; i < 2; i++) {
        unit[i] = is_first ? a[i] / size : other > 0.0 ? b[i] / other : i == 0;
    }
}

static void elastic(const struct element_point *p, const struct element_state *state,
                    double r[2])
{
    for (int a = 0; a < 2; a++) {
        r[a] = a < p->n ? p->v[a] - state->slider[a] : 0.0;
    }
}

/* Direction of the slip. */
static void direction(const struct element_interval *s, const struct element_point *p,
                      const double *e, double unit[2])
{
    unit[0] = s->side;
    unit[1] = 0.0;
    if (p->n == 2) {
        double size = hypot(e[0], e[1]);
        unit[0] = e[0] / size;
        unit[1] = e[1] / size;
    }
}

static void put_slider(const struct element_point *p, double reach, const double unit[2],
                       struct element_state *state)
{
    for (int a = 0; a < 2; a++) {
        state->slider[a] = p->v[a] - reach * unit[a];
    }
}

/* The monitors at this point, without their slack. */
static void find_monitors(const struct element_interval *s, const struct element_point *p,
                          const struct element_state *state, const double *e,
                          struct contact_local *local, double monitors[INTERVAL_MONITORS])
{
    double c = s->element.position + p->u, r[2], unit[2];
    monitors[INTERVAL_GAP] = s->kind == INTERVAL_OPEN ? -c : c;
    monitors[INTERVAL_LIMIT] = monitors[INTERVAL_CREST] = monitors[INTERVAL_TURN] = 1.0;
    monitors[INTERVAL_NEAREST] = 1.0;
    if (s->kind == INTERVAL_OPEN) {
        return;
    }
    set_local(s, p, local);
    if (s->piece != CONTACT_LINEAR) {
        double above = c - s->element.roughness;
        monitors[INTERVAL_CREST] = s->piece == CONTACT_FLAT ? above : -above;
    }
    if (s->kind == INTERVAL_SLIP) {
        direction(s, p, e, unit);
        monitors[INTERVAL_LIMIT] = dot(p->velocity, unit) - reach_rate(s, p, local);
        if (s->is_rate_dependent) {
            monitors[INTERVAL_TURN] = dot(p->velocity, s->heading);
        }
    } else if (p->n > 0) {
        elastic(p, state, r);
        monitors[INTERVAL_LIMIT] = local->reach - hypot(r[0], r[1]);
        if (monitors[INTERVAL_LIMIT] < NEAR_LIMIT * s->largest) {
            unit_along(r, p->velocity, 0.0, unit);
            monitors[INTERVAL_NEAREST] =
                s->approach * (dot(p->velocity, unit) - reach_rate(s, p, local));
        }
    }
}

/* What begins at zero, but for round-off, is given what it takes to be positive: it ends the
 * interval where it goes the wrong way, however little, and not by chance. */
static void give_slack(struct element_interval *s, const struct element_point *p,
                       const struct element_state *state, const double *e)
{
    struct contact_local local = {0};
    double monitors[INTERVAL_MONITORS], speed = hypot(p->velocity[0], p->velocity[1]);
    find_monitors(s, p, state, e, &local, monitors);
    double slip_rate = speed + fabs(local.reach_c * p->u_rate);
    double slip =
        s->kind == INTERVAL_SLIP ? slip_rate : fmax(s->largest, hypot(p->v[0], p->v[1]));
    double size = fabs(s->element.position) + fabs(p->u);
    const double zero[INTERVAL_MONITORS] = {ROUND_OFF * size, ZERO * slip, ROUND_OFF * size,
                                            ROUND_OFF * s->fastest, ZERO * slip_rate};
    for (int g = 0; g < INTERVAL_MONITORS; g++) {
        s->slack[g] =
            monitors[g] > zero[g] ? 0.0 : zero[g] + 2.0 * fabs(monitors[g]) + LEAST_SIZE;
    }
}

/* Slip or stick at the limit, which gives the direction. */
static void begin_at_limit(struct element_interval *s, const struct element_point *p,
                           const double unit[2], struct element_state *state, double *e)
{
    struct contact_local local;
    s->kind = INTERVAL_SLIP;
    set_local(s, p, &local);
    double slip_rate = dot(p->velocity, unit) - reach_rate(s, p, &local);
    s->kind = slip_rate > 0.0 ? INTERVAL_SLIP : INTERVAL_STICK;
    s->side = unit[0] < 0.0 ? -1.0 : 1.0;
    if (p->n == 2) {
        memcpy(e, unit, 2 * sizeof(double));
    }
    put_slider(p, fmax(local.reach, 0.0), unit, state);
}

static void set_heading(struct element_interval *s, const struct element_point *p)
{
    double speed = hypot(p->velocity[0], p->velocity[1]);
    unit_along(p->velocity, p->acceleration, AT_REST * s->fastest, s->heading);
    s->fastest = fmax(s->fastest, speed);
}

static void remember_sizes(struct element_interval *s, const struct element_point *p,
                           const struct contact_local *local)
{
    s->farthest = fmax(fmax(s->farthest, p->v_span), hypot(p->v[0], p->v[1]));
    s->largest = fmax(fmax(s->largest, local->reach_c * p->u_span), local->reach);
}

/* Begin the first interval; state is that of the point, and e [2] receives the direction of
 * slip in the plane. */
static void element_interval_begin(struct element_interval *s, const struct element_point *p,
                                   struct element_state *state, double *e)
{
    double c = s->element.position + p->u, roughness = s->element.roughness, r[2], unit[2];
    struct contact_local local;
    bool is_above = c > roughness || (c == roughness && p->u_rate > 0.0);
    s->is_rate_dependent = contact_is_rate_dependent(&s->element);
    s->piece = !(roughness > 0.0) ? CONTACT_LINEAR : is_above ? CONTACT_FLAT : CONTACT_ROUGH;
    s->side = s->approach = 1.0;
    if (e) {
        e[0] = 1.0;
        e[1] = 0.0;
    }
    s->kind = INTERVAL_STICK;
    /* the reach where it has its preload */
    contact_local_set(&s->element, 0.0, fabs(s->element.position) - s->element.position, NULL,
                      &local);
    s->largest = s->farthest = s->fastest = 0.0;
    remember_sizes(s, p, &local);
    set_heading(s, p);
    if (!(c > 0.0 || (c == 0.0 && p->u_rate > 0.0))) {
        s->kind = INTERVAL_OPEN;
    } else if (p->n > 0) {
        set_local(s, p, &local);
        remember_sizes(s, p, &local);
        elastic(p, state, r);
        if (hypot(r[0], r[1]) >= local.reach * (1.0 - CONTACT_AT_LIMIT)) {
            unit_along(r, p->velocity, 0.0, unit);
            begin_at_limit(s, p, unit, state, e);
        }
    }
    give_slack(s, p, state, e);
}

/* Begin the next one after monitors ended one. */
static void element_interval_next(struct element_interval *s, const struct element_point *p,
                                  const int *ended, struct element_state *state, double *e)
{
    struct contact_local local;
    double r[2] = {0.0, 0.0}, unit[2];
    bool has_closed = ended[INTERVAL_GAP] && s->kind == INTERVAL_OPEN;
    if (ended[INTERVAL_GAP] && !has_closed) {
        s->kind = INTERVAL_OPEN;
        give_slack(s, p, state, e);
        return;
    }
    if (has_closed) {
        s->kind = INTERVAL_STICK;
        s->piece = s->piece == CONTACT_LINEAR ? CONTACT_LINEAR : CONTACT_ROUGH;
    } else if (ended[INTERVAL_CREST]) {
        s->piece = s->piece == CONTACT_ROUGH ? CONTACT_FLAT : CONTACT_ROUGH;
    }
    set_local(s, p, &local);
    remember_sizes(s, p, &local);
    if (ended[INTERVAL_TURN] || s->kind != INTERVAL_SLIP) {
        set_heading(s, p);
    }
    if (!has_closed) {
        elastic(p, state, r);
    }
    /* or what it sticks by has passed the limit for a moment */
    bool is_at_limit = has_closed || ended[INTERVAL_LIMIT] ||
                       (s->kind == INTERVAL_STICK && hypot(r[0], r[1]) >= local.reach);
    if (p->n > 0 && is_at_limit && s->kind == INTERVAL_SLIP) {
        s->kind = INTERVAL_STICK;
    } else if (p->n > 0 && is_at_limit) {
        unit_along(r, p->velocity, 0.0, unit);
        begin_at_limit(s, p, unit, state, e);
    } else if (ended[INTERVAL_NEAREST]) {
        s->approach = -s->approach;
    }
    give_slack(s, p, state, e);
}

/* Forces [1 + n] without the preload taken off, and the rate of e [2], which is NULL but in the
 * plane. */
static void element_interval_rate(const struct element_interval *s,
                                  const struct element_point *p,
                                  const struct element_state *state, const double *e,
                                  double *forces, double *e_rate)
{
    struct contact_local local;
    double r[2] = {0.0, 0.0}, unit[2];
    forces[0] = forces[1] = forces[2] = 0.0;
    if (e_rate) {
        e_rate[0] = e_rate[1] = 0.0;
    }
    if (s->kind == INTERVAL_OPEN) {
        return;
    }
    set_local(s, p, &local);
    if (s->kind == INTERVAL_STICK) {
        elastic(p, state, r);
    } else {
        direction(s, p, e, unit);
        double travel = fmax(s->farthest, hypot(p->v[0], p->v[1]));
        double along = dot(p->velocity, unit);
        double reach = fmax(local.reach, LAG * sqrt(s->largest * travel));
        for (int a = 0; a < p->n; a++) {
            r[a] = local.reach * unit[a];
            if (e_rate && reach > 0.0) {
                e_rate[a] = (p->velocity[a] - along * unit[a]) / reach;
            }
        }
    }
    forces[0] = local.force;
    for (int a = 0; a < p->n; a++) {
        forces[1 + a] = local.stiffness * r[a];
    }
}

/* The regime is an array of the elements' intervals, with their constants. */
enum {
    INTERVAL_SIZE = (sizeof(struct element_interval) + sizeof(double) - 1) / sizeof(double)
};

static void measure(const struct masing_law *law, const void *parameters,
                    struct masing_flow_size *size)
{
    struct contact_frame frame = contact_frame_of(law->contact->axes(parameters));
    int n = contact_count(law, parameters);
    *size = (struct masing_flow_size){
        .n_states = frame.n_tangential == 2 ? 2 * n : 0,
        .n_monitors = INTERVAL_MONITORS * n,
        .n_regime = INTERVAL_SIZE * n,
        .monitors_by_acceleration = masing_law_needs_velocity(law, parameters),
        .state_size = 1.0,
    };
}

static double along(const double row[6], int n, const double *axes)
{
    double sum = 0.0;
    for (int a = 0; a < n; a++) {
        sum += row[a] * axes[a];
    }
    return sum;
}

/* All elements of a joint at a point, one after the other. */
struct walk {
    const struct masing_flow_point *joint;
    struct contact_frame frame;
    bool is_plane;
    int index, n;
    struct element_interval *interval;
    struct element_state *state;
    struct element_point at;
};

static struct walk begin_walk(const struct masing_flow_point *at)
{
    struct contact_frame frame = contact_frame_of(at->law->contact->axes(at->parameters));
    return (struct walk){.joint = at,
                         .frame = frame,
                         .is_plane = frame.n_tangential == 2,
                         .index = -1,
                         .n = contact_count(at->law, at->parameters)};
}

/* Where the element is, and how far it may move. */
static void place(struct walk *walk)
{
    const struct masing_flow_point *joint = walk->joint;
    const struct contact_frame *frame = &walk->frame;
    const struct element_interval *interval = walk->interval;
    const double *normal = interval->map[CONTACT_X];
    walk->at = (struct element_point){
        .n = interval->has_friction ? frame->n_tangential : 0,
        .u = along(normal, frame->n_axes, joint->x),
        .u_rate = along(normal, frame->n_axes, joint->v),
    };
    for (int t = 0; t < frame->n_tangential; t++) {
        const double *row = interval->map[frame->direction[t]];
        walk->at.v[t] = along(row, frame->n_axes, joint->x);
        walk->at.velocity[t] = along(row, frame->n_axes, joint->v);
        walk->at.acceleration[t] = joint->a ? along(row, frame->n_axes, joint->a) : 0.0;
    }
    for (int a = 0; joint->size && a < frame->n_axes; a++) {
        walk->at.u_span += fabs(normal[a]) * joint->size[a];
        for (int t = 0; t < frame->n_tangential; t++) {
            walk->at.v_span += fabs(interval->map[frame->direction[t]][a]) * joint->size[a];
        }
    }
}

/* On to the next element; false: there is none. */
static bool next(struct walk *walk)
{
    size_t index = (size_t)++walk->index;
    walk->interval =
        (struct element_interval *)(void *)(walk->joint->regime + index * INTERVAL_SIZE);
    walk->state = (struct element_state *)(void *)walk->joint->state + index;
    return walk->index < walk->n;
}

/* The same, and where it is, in intervals that have begun. */
static bool next_placed(struct walk *walk)
{
    bool is_there = next(walk);
    if (is_there) {
        place(walk);
    }
    return is_there;
}

/* States of the element; NULL but in the plane. */
static const double *states_of(const struct walk *walk)
{
    return walk->is_plane ? walk->joint->z + 2 * walk->index : NULL;
}

static bool has_ended(const int *ended)
{
    bool any = false;
    for (int g = 0; g < INTERVAL_MONITORS; g++) {
        any = any || ended[g];
    }
    return any;
}

static void enter(const struct masing_flow_point *at, double *z)
{
    struct walk walk = begin_walk(at);
    while (next(&walk)) {
        struct element_interval *interval = walk.interval;
        const int *fired = at->ended ? at->ended + walk.index * INTERVAL_MONITORS : NULL;
        double *e = walk.is_plane ? z + 2 * walk.index : NULL;
        if (!fired) {
            at->law->contact->element(at->parameters, NULL, walk.index, &interval->element);
            interval->has_friction = contact_has_friction(&interval->element);
            contact_frame_map(&walk.frame, interval->element.y, interval->element.z,
                              interval->map);
            place(&walk);
            element_interval_begin(interval, &walk.at, walk.state, e);
        } else if (has_ended(fired)) {
            place(&walk);
            element_interval_next(interval, &walk.at, fired, walk.state, e);
        }
    }
}

static enum masing_status rate(const struct masing_flow_point *at, double *f, double *dz)
{
    struct walk walk = begin_walk(at);
    double sum = 0.0;
    memset(f, 0, (size_t)walk.frame.n_axes * sizeof(double));
    while (next_placed(&walk)) {
        const struct element_interval *interval = walk.interval;
        double forces[3], *e_rate = walk.is_plane ? dz + 2 * walk.index : NULL;
        element_interval_rate(interval, &walk.at, walk.state, states_of(&walk), forces, e_rate);
        forces[0] -= interval->element.preload;
        for (int a = 0; a < walk.frame.n_axes; a++) {
            f[a] += interval->map[CONTACT_X][a] * forces[0];
            for (int t = 0; t < walk.frame.n_tangential; t++) {
                f[a] += interval->map[walk.frame.direction[t]][a] * forces[1 + t];
            }
        }
        sum += forces[0] + forces[1] + forces[2] + (e_rate ? e_rate[0] + e_rate[1] : 0.0);
    }
    return isfinite(sum) ? MASING_OK : MASING_NOT_FINITE;
}

static void monitors(const struct masing_flow_point *at, double *monitors)
{
    struct walk walk = begin_walk(at);
    while (next_placed(&walk)) {
        double *own = monitors + walk.index * INTERVAL_MONITORS;
        struct contact_local local;
        find_monitors(walk.interval, &walk.at, walk.state, states_of(&walk), &local, own);
        for (int g = 0; g < INTERVAL_MONITORS; g++) {
            own[g] += walk.interval->slack[g];
        }
    }
}

static void leave(const struct masing_flow_point *at)
{
    static const double nowhere[2] = {0.0, 0.0};
    struct walk walk = begin_walk(at);
    while (next_placed(&walk)) {
        const struct element_interval *interval = walk.interval;
        struct element_state *state = walk.state;
        if (interval->kind == INTERVAL_OPEN || !interval->has_friction) {
            put_slider(&walk.at, 0.0, nowhere, state);
        } else if (interval->kind == INTERVAL_SLIP) {
            struct contact_local local;
            double unit[2];
            set_local(interval, &walk.at, &local);
            direction(interval, &walk.at, states_of(&walk), unit);
            put_slider(&walk.at, fmax(local.reach, 0.0), unit, state);
        }
        state->u = walk.at.u;
        memcpy(state->v, walk.at.v, sizeof state->v);
        memcpy(state->velocity, walk.at.velocity, sizeof state->velocity);
    }
}

const struct masing_flow flow_contact = {
    .measure = measure,
    .enter = enter,
    .rate = rate,
    .monitors = monitors,
    .leave = leave,
};
