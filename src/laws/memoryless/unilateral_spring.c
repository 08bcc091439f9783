/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An elastic stop behind a gap, on one side or on both. */
#include <math.h>

#include "base/pi.h"
#include "laws/laws.h"

struct parameters {
    double stiffness, gap;
    bool two_sided;
};

static const struct masing_field fields[] = {
    MASING_REAL(
        "stiffness", "N/m", MASING_ANY_NUMBER, MASING_REQUIRED,
        "stiffness of the closed stop; negative: beside another stop, which softens from "
        "this gap on",
        AT(stiffness)),
    MASING_REAL("gap", "m", MASING_ANY_NUMBER, MASING_DEFAULT(0.0),
                "displacement beyond which the stop is closed; negative: closed at rest",
                AT(gap)),
    {.name = "two_sided",
     .unit = "",
     .type = MASING_FIELD_BOOLEAN,
     .minimum = 0.0,
     .maximum = 1.0,
     .fallback = 0.0,
     .help = "a second stop at displacements below -gap",
     .offset = AT(two_sided)},
};

static enum masing_status check(void *parameters, struct masing_error *error)
{
    const struct parameters *p = parameters;
    if (p->two_sided && p->gap < 0.0) {
        return masing_error_refuse(
            error, "gap", "'gap' must be >= 0 m where 'two_sided' is true, not %g", p->gap);
    }
    return MASING_OK;
}

/* Which stop is closed at x: 1, -1 (the second), or 0. Where two stops meet one is closed. */
static int closed_stop(const struct parameters *p, double x)
{
    if (x > p->gap || (p->two_sided && p->gap == 0.0 && x == 0.0)) {
        return 1;
    }
    return p->two_sided && x < -p->gap ? -1 : 0;
}

static int corners(const void *parameters, double *x)
{
    const struct parameters *p = parameters;
    x[0] = p->gap;
    x[1] = -p->gap;
    return p->two_sided ? 2 : 1;
}

/* With a gap of zero one side of the origin is stiff, which counts as stuck. */
static double stuck_stiffness(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->gap <= 0.0 ? p->stiffness : 0.0;
}

/* Without a gap on either side the stops are one linear spring. */
static double free_stiffness(const void *parameters)
{
    const struct parameters *p = parameters;
    bool is_always_closed = p->gap < 0.0 || (p->two_sided && p->gap == 0.0);
    return is_always_closed ? p->stiffness : 0.0;
}

/* Also an open gap: it closes where the mean goes far enough. */
static enum masing_restraint restraint(const void *parameters)
{
    const struct parameters *p = parameters;
    return p->stiffness != 0.0 ? MASING_RESTRAINT_SPRING : MASING_RESTRAINT_NONE;
}

static void force(const void *parameters, int n, const struct masing_branch_point *at,
                  struct masing_rate *force)
{
    const struct parameters *p = parameters;
    for (int i = 0; i < n; i++) {
        double x = at[i].x;
        int stop = closed_stop(p, x);
        force[i] =
            (struct masing_rate){.value = stop ? p->stiffness * (x - stop * p->gap) : 0.0,
                                 .x = stop ? p->stiffness : 0.0};
    }
}

/* max(0, x) with its corner rounded off, (x + sqrt(x^2 + s^2)) / 2, and its slope. */
static double rounded(double x, double s, double *slope)
{
    double root = hypot(x, s);
    double value = x > 0.0 ? 0.5 * (x + root) : 0.5 * s * s / (root - x);
    *slope = value / root;
    return value;
}

/* Both stops rounded off, with the slopes of each by its own way. */
static double rounded_opening(const struct parameters *p, double x, double smoothing,
                              double *slope, double *second)
{
    double opening = rounded(x - p->gap, smoothing, slope);
    *second = 0.0;
    if (p->two_sided) {
        opening -= rounded(-x - p->gap, smoothing, second);
    }
    return opening;
}

static void smooth_force(const void *parameters, double smoothing,
                         const struct masing_branch_point *at, struct masing_rate *force)
{
    const struct parameters *p = parameters;
    double slope, second, opening = rounded_opening(p, at->x, smoothing, &slope, &second);
    *force = (struct masing_rate){.value = p->stiffness * opening,
                                  .x = p->stiffness * (slope + second)};
}

static double smooth_force_change(const void *parameters, const void *tangent, double smoothing,
                                  const struct masing_branch_point *at)
{
    const struct parameters *p = parameters, *d = tangent;
    double slope, second, opening = rounded_opening(p, at->x, smoothing, &slope, &second);
    return d->stiffness * opening - p->stiffness * (slope - second) * d->gap;
}

static double force_change(const void *parameters, const void *tangent,
                           const struct masing_branch_point *at)
{
    const struct parameters *p = parameters, *d = tangent;
    int stop = closed_stop(p, at->x);
    return stop ? d->stiffness * (at->x - stop * p->gap) - p->stiffness * stop * d->gap : 0.0;
}

/* What the phases are made from. */
struct motion {
    const struct parameters *p, *change; /* change: NULL where none is computed */
    const struct masing_smooth_path *path;
    struct phase_list *list;
};

static struct masing_phase phase_of(const struct motion *motion, int stop, double start,
                                    double end)
{
    const struct parameters *p = motion->p, *d = motion->change;
    struct masing_phase phase = {.start = start,
                                 .end = end,
                                 .tangent = stop ? p->stiffness : 0.0,
                                 .level = -stop * p->stiffness * p->gap,
                                 .extremum = -1};
    if (d) {
        phase.tangent_change = stop ? d->stiffness : 0.0;
        phase.level_change = -stop * (d->stiffness * p->gap + p->stiffness * d->gap);
    }
    return phase;
}

/* Follow the path from one extremum to the next, closing a phase at each stop it passes. */
static void add_run(const struct motion *motion, int index, double *start, int *stop)
{
    const struct parameters *p = motion->p;
    const struct masing_smooth_path *path = motion->path;
    double from = phase_list_angle(path, index), to = phase_list_angle(path, index + 1);
    int last = closed_stop(p, path->extrema[(index + 1) % path->n_extrema].x);
    while (*stop != last) {
        int next = *stop < last ? *stop + 1 : *stop - 1;
        next = p->gap == 0.0 && p->two_sided ? last : next; /* nothing between the stops */
        double level = *stop + next > 0 ? p->gap : -p->gap;
        from = path->root(path->context, from, to, level);
        struct masing_phase phase = phase_of(motion, *stop, *start, from);
        phase_list_add(motion->list, &phase);
        *start = from > *start ? from : *start;
        *stop = next;
    }
}

static int phases(const void *parameters, const void *tangent,
                  const struct masing_smooth_path *path, struct masing_phase *phases,
                  int max_phases)
{
    const struct parameters *p = parameters;
    struct phase_list list = {.phases = phases, .max = max_phases};
    struct motion motion = {p, tangent, path, &list};
    bool is_moving = path->n_extrema > 0;
    double start = is_moving ? path->extrema[0].angle : 0.0, end = start + TWO_PI;
    int stop = closed_stop(p, is_moving ? path->extrema[0].x : path->constant);
    for (int i = 0; i < path->n_extrema; i++) {
        add_run(&motion, i, &start, &stop);
    }
    struct masing_phase phase = phase_of(&motion, stop, start, end);
    phase_list_add(&list, &phase);
    return phase_list_count(&list);
}

/* Distances are measured in lengths of the motion and the gap. */
static double relative(const struct parameters *p, const struct masing_range *range,
                       double distance)
{
    double scale = fabs(p->gap) + fabs(range->maximum) + fabs(range->minimum);
    return scale > 0.0 ? distance / scale : 0.0;
}

static double largest_above_gap(const struct masing_law *law, const void *parameters,
                                const struct masing_range *range)
{
    (void)law;
    const struct parameters *p = parameters;
    return relative(p, range, range->maximum - p->gap);
}

static double smallest_above_gap(const struct masing_law *law, const void *parameters,
                                 const struct masing_range *range)
{
    (void)law;
    const struct parameters *p = parameters;
    return relative(p, range, range->minimum - p->gap);
}

/*
 * The second stop. Where motion is symmetric both stops close at once; the first one's event
 * is enough then.
 */
static double smallest_below_gap(const struct masing_law *law, const void *parameters,
                                 const struct masing_range *range)
{
    (void)law;
    static const double CENTRED = 1e-6; /* offset that is no offset, of the motion */
    const struct parameters *p = parameters;
    double length = range->maximum - range->minimum;
    if (!p->two_sided || fabs(range->maximum + range->minimum) <= CENTRED * length) {
        return -1.0;
    }
    return relative(p, range, -p->gap - range->minimum);
}

static double largest_below_gap(const struct masing_law *law, const void *parameters,
                                const struct masing_range *range)
{
    (void)law;
    const struct parameters *p = parameters;
    return p->two_sided ? relative(p, range, -p->gap - range->maximum) : -1.0;
}

static const struct masing_law_event events[] = {
    {MASING_EVENT_CONTACT, MASING_EVENT_LIFT_OFF, largest_above_gap, false},
    {MASING_EVENT_FULL_CONTACT, MASING_EVENT_LIFT_OFF, smallest_above_gap, false},
    {MASING_EVENT_CONTACT, MASING_EVENT_LIFT_OFF, smallest_below_gap, false},
    {MASING_EVENT_FULL_CONTACT, MASING_EVENT_LIFT_OFF, largest_below_gap, false},
};

const struct masing_law law_unilateral_spring = {
    .name = "unilateral_spring",
    .summary = "elastic stop behind a gap, on one or both sides",
    .equation = "f = stiffness max(0, x - gap)\n"
                "two_sided: f = stiffness [max(0, x - gap) + min(0, x + gap)]",
    .source = "elementary",
    .example = "stiffness: 1e6\ngap: 1e-4",
    LAW_OF_ONE_AXIS(memoryless),
    .is_piecewise_linear = true,
    .check = check,
    .stuck_stiffness = stuck_stiffness,
    .corners = corners,
    .free_stiffness = free_stiffness,
    .restraint = restraint,
    .force = force,
    .can_smooth = true,
    .smooth_force = smooth_force,
    .smooth_force_change = smooth_force_change,
    .force_change = force_change,
    .phases = phases,
    MASING_TABLE(events, events),
};
