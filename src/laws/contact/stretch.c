/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/contact/stretch.h"

#include <math.h>
#include <string.h>

/* Within this part of the limit the slider counts as slipping, see slip.c. */
static const double AT_LIMIT = 1e-12;
/* Guards of less than these parts of their size are at zero; a speed of less than this part of
 * the fastest is none. */
static const double ZERO = 1e-13, ROUND_OFF = 4e-16, AT_REST = 1e-7;
/* Less than any displacement or speed, where there is no size yet, m or m/s. */
static const double NOTHING = 1e-20;
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

static bool is_signed(const struct element_stretch *s, const struct element_point *p)
{
    return p->n == 1 && s->kind == STRETCH_SLIP;
}

/* The speed that friction depends on; in one direction it goes on smoothly below zero. */
static void set_local(const struct element_stretch *s, const struct element_point *p,
                      struct contact_local *local)
{
    double speed = !s->is_rate_dependent ? 0.0
                   : is_signed(s, p)     ? dot(s->heading, p->velocity)
                                         : hypot(p->velocity[0], p->velocity[1]);
    contact_local_continue(&s->element, s->piece, s->element.position + p->u, speed, local);
}

static double speed_rate(const struct element_stretch *s, const struct element_point *p)
{
    double speed = hypot(p->velocity[0], p->velocity[1]);
    if (is_signed(s, p)) {
        return dot(s->heading, p->acceleration);
    }
    return speed > 0.0 ? dot(p->velocity, p->acceleration) / speed
                       : hypot(p->acceleration[0], p->acceleration[1]);
}

static double reach_rate(const struct element_stretch *s, const struct element_point *p,
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
static void direction(const struct element_stretch *s, const struct element_point *p,
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

/* The guards at this point, without their slack. */
static void find_guards(const struct element_stretch *s, const struct element_point *p,
                        const struct element_state *state, const double *e,
                        struct contact_local *local, double guards[STRETCH_GUARDS])
{
    double c = s->element.position + p->u, r[2], unit[2];
    guards[STRETCH_GAP] = s->kind == STRETCH_OPEN ? -c : c;
    guards[STRETCH_LIMIT] = guards[STRETCH_CREST] = guards[STRETCH_TURN] = 1.0;
    guards[STRETCH_NEAREST] = 1.0;
    if (s->kind == STRETCH_OPEN) {
        return;
    }
    set_local(s, p, local);
    if (s->piece != CONTACT_LINEAR) {
        double above = c - s->element.roughness;
        guards[STRETCH_CREST] = s->piece == CONTACT_FLAT ? above : -above;
    }
    if (s->kind == STRETCH_SLIP) {
        direction(s, p, e, unit);
        guards[STRETCH_LIMIT] = dot(p->velocity, unit) - reach_rate(s, p, local);
        if (s->is_rate_dependent) {
            guards[STRETCH_TURN] = dot(p->velocity, s->heading);
        }
    } else if (p->n > 0) {
        elastic(p, state, r);
        guards[STRETCH_LIMIT] = local->reach - hypot(r[0], r[1]);
        if (guards[STRETCH_LIMIT] < NEAR_LIMIT * s->largest) {
            unit_along(r, p->velocity, 0.0, unit);
            guards[STRETCH_NEAREST] =
                s->approach * (dot(p->velocity, unit) - reach_rate(s, p, local));
        }
    }
}

/* What begins at zero, but for round-off, is given what it takes to be positive: it ends the
 * stretch where it goes the wrong way, however little, and not by chance. */
static void give_slack(struct element_stretch *s, const struct element_point *p,
                       const struct element_state *state, const double *e)
{
    struct contact_local local = {0};
    double guards[STRETCH_GUARDS], speed = hypot(p->velocity[0], p->velocity[1]);
    find_guards(s, p, state, e, &local, guards);
    double slip_rate = speed + fabs(local.reach_c * p->u_rate);
    double slip =
        s->kind == STRETCH_SLIP ? slip_rate : fmax(s->largest, hypot(p->v[0], p->v[1]));
    double size = fabs(s->element.position) + fabs(p->u);
    const double zero[STRETCH_GUARDS] = {ROUND_OFF * size, ZERO * slip, ROUND_OFF * size,
                                         ROUND_OFF * s->fastest, ZERO * slip_rate};
    for (int g = 0; g < STRETCH_GUARDS; g++) {
        s->slack[g] = guards[g] > zero[g] ? 0.0 : zero[g] + 2.0 * fabs(guards[g]) + NOTHING;
    }
}

/* Slip or stick at the limit, which tells the direction. */
static void begin_at_limit(struct element_stretch *s, const struct element_point *p,
                           const double unit[2], struct element_state *state, double *e)
{
    struct contact_local local;
    s->kind = STRETCH_SLIP;
    set_local(s, p, &local);
    double slip_rate = dot(p->velocity, unit) - reach_rate(s, p, &local);
    s->kind = slip_rate > 0.0 ? STRETCH_SLIP : STRETCH_STICK;
    s->side = unit[0] < 0.0 ? -1.0 : 1.0;
    if (p->n == 2) {
        memcpy(e, unit, 2 * sizeof(double));
    }
    put_slider(p, fmax(local.reach, 0.0), unit, state);
}

static void set_heading(struct element_stretch *s, const struct element_point *p)
{
    double speed = hypot(p->velocity[0], p->velocity[1]);
    unit_along(p->velocity, p->acceleration, AT_REST * s->fastest, s->heading);
    s->fastest = fmax(s->fastest, speed);
}

static void remember_sizes(struct element_stretch *s, const struct element_point *p,
                           const struct contact_local *local)
{
    s->farthest = fmax(fmax(s->farthest, p->v_span), hypot(p->v[0], p->v[1]));
    s->largest = fmax(fmax(s->largest, local->reach_c * p->u_span), local->reach);
}

void element_stretch_begin(struct element_stretch *s, const struct element_point *p,
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
    s->kind = STRETCH_STICK;
    /* the reach where it has its preload */
    contact_local_set(&s->element, 0.0, fabs(s->element.position) - s->element.position, NULL,
                      &local);
    s->largest = s->farthest = s->fastest = 0.0;
    remember_sizes(s, p, &local);
    set_heading(s, p);
    if (!(c > 0.0 || (c == 0.0 && p->u_rate > 0.0))) {
        s->kind = STRETCH_OPEN;
    } else if (p->n > 0) {
        set_local(s, p, &local);
        remember_sizes(s, p, &local);
        elastic(p, state, r);
        if (hypot(r[0], r[1]) >= local.reach * (1.0 - AT_LIMIT)) {
            unit_along(r, p->velocity, 0.0, unit);
            begin_at_limit(s, p, unit, state, e);
        }
    }
    give_slack(s, p, state, e);
}

/* The rest of a stretch that ended at the limit or has just closed. */
static void pass_limit(struct element_stretch *s, const struct element_point *p,
                       bool has_closed, struct element_state *state, double *e)
{
    double r[2] = {0.0, 0.0}, unit[2];
    if (s->kind == STRETCH_SLIP) {
        s->kind = STRETCH_STICK;
        return;
    }
    if (!has_closed) {
        elastic(p, state, r);
    }
    unit_along(r, p->velocity, 0.0, unit);
    begin_at_limit(s, p, unit, state, e);
}

/* What it sticks by has passed the limit for a moment. */
static bool is_beyond(const struct element_stretch *s, const struct element_point *p,
                      const struct element_state *state, const struct contact_local *local)
{
    double r[2];
    elastic(p, state, r);
    return s->kind == STRETCH_STICK && hypot(r[0], r[1]) >= local->reach;
}

void element_stretch_next(struct element_stretch *s, const struct element_point *p,
                          const int *ended, struct element_state *state, double *e)
{
    struct contact_local local;
    bool has_closed = ended[STRETCH_GAP] && s->kind == STRETCH_OPEN;
    if (ended[STRETCH_GAP] && !has_closed) {
        s->kind = STRETCH_OPEN;
        give_slack(s, p, state, e);
        return;
    }
    if (has_closed) {
        s->kind = STRETCH_STICK;
        s->piece = s->piece == CONTACT_LINEAR ? CONTACT_LINEAR : CONTACT_ROUGH;
    } else if (ended[STRETCH_CREST]) {
        s->piece = s->piece == CONTACT_ROUGH ? CONTACT_FLAT : CONTACT_ROUGH;
    }
    set_local(s, p, &local);
    remember_sizes(s, p, &local);
    if (ended[STRETCH_TURN] || s->kind != STRETCH_SLIP) {
        set_heading(s, p);
    }
    if (p->n > 0 && (has_closed || ended[STRETCH_LIMIT] || is_beyond(s, p, state, &local))) {
        pass_limit(s, p, has_closed, state, e);
    } else if (ended[STRETCH_NEAREST]) {
        s->approach = -s->approach;
    }
    give_slack(s, p, state, e);
}

void element_stretch_rate(const struct element_stretch *s, const struct element_point *p,
                          const struct element_state *state, const double *e, double *forces,
                          double *e_rate)
{
    struct contact_local local;
    double r[2] = {0.0, 0.0}, unit[2];
    forces[0] = forces[1] = forces[2] = 0.0;
    if (e_rate) {
        e_rate[0] = e_rate[1] = 0.0;
    }
    if (s->kind == STRETCH_OPEN) {
        return;
    }
    set_local(s, p, &local);
    if (s->kind == STRETCH_STICK) {
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

void element_stretch_guards(const struct element_stretch *s, const struct element_point *p,
                            const struct element_state *state, const double *e,
                            double guards[STRETCH_GUARDS])
{
    struct contact_local local;
    find_guards(s, p, state, e, &local, guards);
    for (int g = 0; g < STRETCH_GUARDS; g++) {
        guards[g] += s->slack[g];
    }
}

void element_stretch_leave(const struct element_stretch *s, const struct element_point *p,
                           const double *e, struct element_state *state)
{
    static const double nowhere[2] = {0.0, 0.0};
    if (s->kind == STRETCH_OPEN || !s->has_friction) {
        put_slider(p, 0.0, nowhere, state);
    } else if (s->kind == STRETCH_SLIP) {
        struct contact_local local;
        double unit[2];
        set_local(s, p, &local);
        direction(s, p, e, unit);
        put_slider(p, fmax(local.reach, 0.0), unit, state);
    }
    state->u = p->u;
    memcpy(state->v, p->v, sizeof state->v);
    memcpy(state->velocity, p->velocity, sizeof state->velocity);
}
