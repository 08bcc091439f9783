/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The elastic-Coulomb element: a spring in series with a slider that moves when the force
 * reaches its limit. Along a periodic path the slider is the play operator: it is dragged
 * along whenever |x - z| would exceed the reach F_s / k, so that stick and slip phases follow
 * from the turning points of the path alone.
 */
#include <math.h>

#include "base/pi.h"
#include "laws/laws.h"
#include "laws/masing/return_points.h"
#include "laws/slip_limit.h"

struct parameters {
    double stiffness;
    struct slip_limit limit;
    double reach; /* m */
};

static const struct masing_field fields[] = {
    MASING_REAL("stiffness", "N/m", MASING_POSITIVE, MASING_REQUIRED,
                "stiffness of the joint while it sticks", AT(stiffness)),
    SLIP_LIMIT_FIELDS(AT(limit)),
};

static const struct masing_constant constants[] = {
    SLIP_LIMIT_CONSTANT(AT(limit)),
    {"reach", "m", "displacement at which the joint first slips, slip_force / stiffness",
     AT(reach)},
};

static enum masing_status check(void *parameters, struct masing_error *error)
{
    struct parameters *p = parameters;
    return slip_limit_reach(&p->limit, p->stiffness, &p->reach, error);
}

static void derive(const void *parameters, void *tangent)
{
    const struct parameters *p = parameters;
    struct parameters *d = tangent;
    slip_limit_derive(&p->limit, &d->limit);
    d->reach = (d->limit.resolved - p->reach * d->stiffness) / p->stiffness;
}

/* Stuck means held by the spring, also where the preload happens to be zero. */
LAW_PARAMETER(stuck_stiffness, stiffness)

static void backbone(const void *parameters, double u, double *b, double *db)
{
    const struct parameters *p = parameters;
    bool slips = u >= p->reach;
    *b = slips ? p->limit.resolved : p->stiffness * u;
    *db = slips ? 0.0 : p->stiffness;
}

static double backbone_change(const void *parameters, const void *tangent, double u)
{
    const struct parameters *p = parameters, *d = tangent;
    return u >= p->reach ? d->limit.resolved : d->stiffness * u;
}

LAW_PARAMETER(reach, reach)

/* Stick phase in which f = force + k (x - x_e), by the turning point e that starts it. */
static struct masing_phase stick_from(const struct parameters *p,
                                      const struct masing_smooth_path *path, int extremum,
                                      double force)
{
    return (struct masing_phase){.tangent = p->stiffness,
                                 .level = force - p->stiffness * path->extrema[extremum].x,
                                 .extremum = extremum};
}

/* A constant path: reached along the virgin curve. */
static void add_rest(const struct parameters *p, const struct masing_smooth_path *path,
                     struct phase_list *list)
{
    double x = path->constant - path->origin, limit = p->limit.resolved;
    struct masing_phase phase = {.end = TWO_PI, .extremum = -1};
    if (fabs(x) < p->reach) {
        phase.tangent = p->stiffness;
        phase.level = -p->stiffness * path->origin;
    } else {
        phase.level = copysign(limit, x);
    }
    phase_list_add(list, &phase);
}

/* The range of motion fits between the limits: the slider is pushed there once and stays. */
static void add_stuck(const struct parameters *p, const struct masing_smooth_path *path,
                      int highest, int lowest, struct phase_list *list)
{
    double limit = p->limit.resolved;
    struct masing_phase phase = {
        .tangent = p->stiffness, .level = -p->stiffness * path->origin, .extremum = -1};
    if (path->origin < path->extrema[highest].x - p->reach) {
        phase = stick_from(p, path, highest, limit);
    } else if (path->origin > path->extrema[lowest].x + p->reach) {
        phase = stick_from(p, path, lowest, -limit);
    }
    phase.end = TWO_PI;
    phase_list_add(list, &phase);
}

/*
 * Stick and slip in turn, from the highest point, where the joint certainly arrives slipping.
 * While it sticks the slider allows displacements in [upper - 2 reach, upper].
 */
static void add_alternating(const struct parameters *p, const struct masing_smooth_path *path,
                            int highest, struct phase_list *list)
{
    double limit = p->limit.resolved, width = 2.0 * p->reach;
    double upper = path->extrema[highest].x, from = path->extrema[highest].angle;
    struct masing_phase stick = stick_from(p, path, highest, limit);
    stick.start = from;
    for (int i = highest + 1; i <= highest + path->n_extrema; i++) {
        int extremum = i % path->n_extrema;
        double x = path->extrema[extremum].x, to = phase_list_angle(path, i);
        bool slips_up = x > upper, slips_down = x < upper - width;
        stick.end = to;
        if (slips_up || slips_down) {
            double level = slips_up ? upper : upper - width;
            double force = slips_up ? limit : -limit;
            stick.end = path->root(path->context, from, to, level);
            phase_list_add(list, &stick);
            struct masing_phase slip = {.start = fmax(stick.end, stick.start),
                                        .end = to,
                                        .level = force,
                                        .extremum = -1,
                                        .is_slip = true};
            phase_list_add(list, &slip);
            upper = slips_up ? x : x + width;
            stick = stick_from(p, path, extremum, force);
            stick.start = stick.end = to;
        }
        from = to;
    }
    phase_list_add(list, &stick); /* ends exactly at its limit: no slip phase */
}

/* What a phase becomes with the parameters: the force at its turning point is a limit. */
static void change(const struct parameters *p, const struct parameters *d,
                   const struct masing_smooth_path *path, struct masing_phase *phase)
{
    if (phase->tangent == 0.0) {
        bool has_limit = p->limit.resolved > 0.0; /* else the sign of slip is unknown here */
        phase->level_change = has_limit ? copysign(d->limit.resolved, phase->level) : 0.0;
        return;
    }
    phase->tangent_change = d->stiffness;
    if (phase->extremum < 0) {
        phase->level_change = -d->stiffness * path->origin;
        return;
    }
    double x = path->extrema[phase->extremum].x;
    double limit_change = copysign(d->limit.resolved, phase->level + p->stiffness * x);
    phase->level_change = limit_change - d->stiffness * x;
}

static int phases(const void *parameters, const void *tangent,
                  const struct masing_smooth_path *path, struct masing_phase *phases,
                  int max_phases)
{
    const struct parameters *p = parameters;
    struct phase_list list = {.phases = phases, .max = max_phases};
    if (path->n_extrema == 0) {
        add_rest(p, path, &list);
        if (tangent) {
            change(p, tangent, path, &list.phases[0]);
        }
        return phase_list_count(&list);
    }
    int highest = 0, lowest = 0;
    for (int i = 1; i < path->n_extrema; i++) {
        highest = path->extrema[i].x > path->extrema[highest].x ? i : highest;
        lowest = path->extrema[i].x < path->extrema[lowest].x ? i : lowest;
    }
    double range = path->extrema[highest].x - path->extrema[lowest].x;
    if (p->reach == 0.0) {
        struct masing_phase slip = {.end = TWO_PI, .extremum = -1, .is_slip = true};
        phase_list_add(&list, &slip);
    } else if (range <= 2.0 * p->reach) {
        add_stuck(p, path, highest, lowest, &list);
    } else {
        add_alternating(p, path, highest, &list);
    }
    for (int i = 0; tangent && i < list.n; i++) {
        change(p, tangent, path, &list.phases[i]);
    }
    return phase_list_count(&list);
}

const struct masing_law law_jenkins = {
    .name = "jenkins",
    .summary = "elastic-Coulomb element: spring in series with a friction slider",
    .equation = "f = stiffness (x - z), |f| <= slip_force, the slider z moves only to keep it\n"
                "backbone B(u) = min(stiffness u, slip_force)",
    .source = "Jenkin (1922); Iwan (1966); Voldrich (2009), section 2",
    .example = "stiffness: 40000\nfriction: 0.5\npreload: 30",
    LAW_OF_ONE_AXIS(masing),
    .is_monotone = true,
    SLIP_LIMIT_SPEED(AT(limit)),
    .is_piecewise_linear = true,
    MASING_TABLE(constants, constants),
    .check = check,
    .stuck_stiffness = stuck_stiffness,
    .free_stiffness = masing_law_zero_stiffness,
    .derive = derive,
    .backbone = backbone,
    .backbone_change = backbone_change,
    .reach = reach,
    .phases = phases,
    .settle = slip_events_settle,
    MASING_TABLE(events, slip_events),
};
