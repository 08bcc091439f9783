/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A turning shaft in a ring with clearance: where it is away from the middle by more than the
 * gap, the ring pushes back and rubs against the spin. Friction acts across the displacement,
 * so that it drives the shaft around the ring, backwards.
 *
 * With r = |(x, y)| and s = 1 - gap / r where that is positive, else 0, the force that resists
 * (x, y) is k s A (x, y), A = [1, -mu; mu, 1].
 */
#include <math.h>
#include <string.h>

#include "laws/laws.h"

enum { X, Y, AXES, BOTH = 3u };

struct parameters {
    double stiffness, gap, friction;
    unsigned axes; /* that are there, one bit each; 0: both */
};

static const struct masing_field fields[] = {
    MASING_REAL("stiffness", "N/m", MASING_NOT_NEGATIVE, MASING_REQUIRED,
                "k: normal force per depth", AT(stiffness)),
    MASING_REAL("gap", "m", MASING_NOT_NEGATIVE, MASING_DEFAULT(0.0),
                "clearance all around: distance from the middle at which they touch", AT(gap)),
    MASING_REAL("friction", "", MASING_ANY_NUMBER, MASING_DEFAULT(0.0),
                "mu: friction over normal force, against a spin from x to y; negative: against "
                "one from y to x",
                AT(friction)),
};

static void choose_axes(void *parameters, unsigned axes)
{
    ((struct parameters *)parameters)->axes = axes;
}

static enum masing_status check(void *parameters, struct masing_error *error)
{
    const struct parameters *p = parameters;
    if (p->axes && p->axes != BOTH) {
        return masing_error_refuse(error, "gap",
                                   "one of the axes x and y has no DOF, expected both; a gap "
                                   "along one is a unilateral_spring");
    }
    return MASING_OK;
}

/* The rotor's drive pays for what friction does; without contact it does nothing. */
static double energy_limit(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->friction * p->stiffness == 0.0 ? INFINITY : p->gap;
}

static enum masing_restraint restraint(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->stiffness != 0.0 ? MASING_RESTRAINT_SPRING : MASING_RESTRAINT_NONE;
}

/* What is 1 / r and s at a place. */
struct depth {
    double inverse, share;
};

static struct depth depth_at(const struct parameters *p, const double *x)
{
    struct depth depth = {0.0, p->gap == 0.0 ? 1.0 : 0.0};
    double r = hypot(x[X], x[Y]);
    if (r > p->gap) {
        depth.inverse = 1.0 / r;
        depth.share = (r - p->gap) / r;
    }
    return depth;
}

/* A x */
static void turn(double friction, const double *x, double *turned)
{
    turned[X] = x[X] - friction * x[Y];
    turned[Y] = x[Y] + friction * x[X];
}

/* Forces, and tangent[row][column] where it is wanted. */
static void force_at(const struct parameters *p, const double *x, double *f,
                     double tangent[AXES][AXES])
{
    struct depth depth = depth_at(p, x);
    double turned[AXES];
    turn(p->friction, x, turned);
    for (int a = 0; a < AXES; a++) {
        f[a] = p->stiffness * depth.share * turned[a];
    }
    /* d s / dx = gap x / r^3 */
    double rise = p->gap * depth.inverse * depth.inverse * depth.inverse;
    for (int c = 0; c < AXES && tangent; c++) {
        const double unit[AXES] = {c == X, c == Y};
        double column[AXES];
        turn(p->friction, unit, column);
        for (int a = 0; a < AXES; a++) {
            tangent[a][c] = p->stiffness * (depth.share * column[a] + rise * x[c] * turned[a]);
        }
    }
}

/* Change of the forces along a tangent of the parameters. */
static void change_at(const struct parameters *p, const struct parameters *d, const double *x,
                      double *change)
{
    struct depth depth = depth_at(p, x);
    double turned[AXES], across[AXES] = {-x[Y], x[X]};
    double factor = d->stiffness * depth.share - p->stiffness * depth.inverse * d->gap;
    turn(p->friction, x, turned);
    for (int a = 0; a < AXES; a++) {
        change[a] = factor * turned[a] + p->stiffness * depth.share * d->friction * across[a];
    }
}

/* The elastic part: of an energy, so that it is symmetric. */
static void stiffness(const void *parameters, const double *at, bool is_stuck, double *tangent)
{
    struct parameters elastic = *(const struct parameters *)parameters;
    double f[AXES], rows[AXES][AXES];
    (void)is_stuck;
    elastic.friction = 0.0;
    force_at(&elastic, at, f, rows);
    memcpy(tangent, rows, sizeof rows);
}

/* ---- the engine: as of laws without memory, in a plane ---- */

static size_t workspace_size(const struct masing_law *law, int n_samples, int n_directions,
                             int n_parameters)
{
    (void)law;
    (void)n_samples;
    (void)n_directions;
    (void)n_parameters;
    return 0;
}

/* df[a] = sum of tangent[a][c] dx[c], for n directions */
static void differentiate(const double tangent[AXES][AXES], size_t n, const double *restrict dx,
                          double *restrict df)
{
    for (size_t a = 0; a < AXES; a++) {
        for (size_t d = 0; d < n; d++) {
            df[a * n + d] = tangent[a][X] * dx[d] + tangent[a][Y] * dx[n + d];
        }
    }
}

/* Of a path as smooth as its samples tell: the extremum of the parabola about sample `at`. */
static double refined(const struct masing_path *path, int at)
{
    double square[3];
    int n = path->n_samples;
    for (int k = 0; k < 3; k++) {
        const double *x = path->x + (size_t)((at + n + k - 1) % n) * AXES;
        square[k] = x[X] * x[X] + x[Y] * x[Y];
    }
    double bend = square[0] - 2.0 * square[1] + square[2], slope = square[2] - square[0];
    double size = bend != 0.0 ? square[1] - slope * slope / (8.0 * bend) : square[1];
    return sqrt(fmax(0.0, fabs(slope) <= 2.0 * fabs(bend) ? size : square[1]));
}

/* How far the path goes and how near it comes, beyond the gap, in parts of both. */
static void put_margins(const struct parameters *p, const struct masing_path *path,
                        struct masing_forces *forces)
{
    int farthest = 0, nearest = 0;
    double most = -1.0, least = INFINITY;
    for (int i = 0; i < path->n_samples; i++) {
        double r = hypot(path->x[i * AXES + X], path->x[i * AXES + Y]);
        farthest = r > most ? i : farthest;
        nearest = r < least ? i : nearest;
        most = fmax(most, r);
        least = fmin(least, r);
    }
    most = refined(path, farthest);
    least = refined(path, nearest);
    double scale = p->gap + most;
    forces->slip_margin = scale > 0.0 ? (most - p->gap) / scale : -1.0;
    forces->nearest_margin = scale > 0.0 ? (least - p->gap) / scale : -1.0;
}

static enum masing_status march(const struct masing_law *law, const void *parameters,
                                const struct masing_path *path, double *state,
                                struct masing_forces *forces, struct masing_tangents *tangents,
                                double *workspace)
{
    (void)law;
    (void)state;
    (void)tangents;
    (void)workspace;
    size_t n = (size_t)path->n_directions, n_p = (size_t)path->n_parameters;
    for (size_t i = 0; i < (size_t)path->n_samples; i++) {
        const double *x = path->x + i * AXES;
        double tangent[AXES][AXES], change[AXES];
        force_at(parameters, x, forces->f + i * AXES, tangent);
        if (n > 0) {
            differentiate((const double(*)[AXES])tangent, n, path->dx + i * AXES * n,
                          forces->df + i * AXES * n);
        }
        for (size_t k = 0; k < n_p; k++) {
            change_at(parameters, path->dp[k], x, change);
            forces->dfp[(i * AXES + X) * n_p + k] = change[X];
            forces->dfp[(i * AXES + Y) * n_p + k] = change[Y];
        }
    }
    forces->slip_share = forces->slip_distance = NAN;
    if (path->is_periodic) {
        put_margins(parameters, path, forces);
    }
    return MASING_OK;
}

static enum masing_status step(const struct masing_step *step)
{
    double tangent[AXES][AXES];
    force_at(step->parameters, step->x, step->f, tangent);
    if (step->n > 0) {
        differentiate((const double(*)[AXES])tangent, (size_t)step->n, step->dx, step->df);
    }
    return MASING_OK;
}

/* An interval lies inside the gap, regime -1, or outside it, 1. On the edge the motion decides.
 */
static void enter(const struct masing_flow_point *at, double *z)
{
    const struct parameters *p = at->parameters;
    double r = hypot(at->x[X], at->x[Y]);
    double rate = at->x[X] * at->v[X] + at->x[Y] * at->v[Y];
    (void)z;
    at->regime[0] = r > p->gap || (r == p->gap && rate > 0.0) ? 1.0 : -1.0;
}

static enum masing_status rate(const struct masing_flow_point *at, double *f, double *dz)
{
    (void)dz;
    force_at(at->parameters, at->x, f, NULL);
    return MASING_OK;
}

/* Without a gap there is no corner. */
static void monitors(const struct masing_flow_point *at, double *monitors)
{
    const struct parameters *p = at->parameters;
    double depth = hypot(at->x[X], at->x[Y]) - p->gap;
    monitors[0] = p->gap > 0.0 ? at->regime[0] * depth : 1.0;
}

static void leave(const struct masing_flow_point *at)
{
    (void)at; /* nothing is remembered */
}

static const struct masing_flow flow = {
    .size = {.n_monitors = 1, .n_regime = 1},
    .enter = enter,
    .rate = rate,
    .monitors = monitors,
    .leave = leave,
};

static const struct masing_family plane = {
    .name = "plane",
    .summary = "force as a function of two displacements at the same time",
    .workspace_size = workspace_size,
    .march = march,
    .step = step,
    .flow = &flow,
};

/* ---- events ---- */

static double touches(const struct masing_law *law, const void *parameters,
                      const struct masing_range *range)
{
    (void)law;
    return ((const struct parameters *)parameters)->gap > 0.0 ? range[0].slip_margin : 1.0;
}

/* On a circle both happen at once; the other event is enough then. */
static double touches_all_the_time(const struct masing_law *law, const void *parameters,
                                   const struct masing_range *range)
{
    (void)law;
    static const double CIRCLE = 1e-6; /* differences of the radius that are none */
    const struct parameters *p = parameters;
    bool is_circle = range[0].slip_margin - range[0].nearest_margin <= CIRCLE;
    return p->gap == 0.0 ? 1.0 : is_circle ? -1.0 : range[0].nearest_margin;
}

static const struct masing_law_event events[] = {
    {MASING_EVENT_CONTACT, MASING_EVENT_LIFT_OFF, touches, false},
    {MASING_EVENT_FULL_CONTACT, MASING_EVENT_LIFT_OFF, touches_all_the_time, false},
};

static const char *const axis_names[] = {"x", "y"};

const struct masing_law law_annular_contact = {
    .name = "annular_contact",
    .summary = "turning shaft in a ring with clearance (rub)",
    .equation = "r = sqrt(x^2 + y^2), N = stiffness max(0, r - gap)\n"
                "f_x = N (x - friction y) / r\n"
                "f_y = N (y + friction x) / r",
    .source = "Jeffcott rotor with rub, e.g. Choy and Padovan (1987)",
    .example = "stiffness: 2e6\ngap: 2e-4\nfriction: 0.1",
    .family = &plane,
    .n_axes = AXES,
    .axis_names = axis_names,
    .may_create_energy = true,
    .gain_is_meant = true,
    .parameters_size = sizeof(struct parameters),
    MASING_TABLE(fields, fields),
    .check = check,
    .choose_axes = choose_axes,
    .energy_limit = energy_limit,
    .stiffness = stiffness,
    .restraint = restraint,
    MASING_TABLE(events, events),
};
