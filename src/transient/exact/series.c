/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/exact/series.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/pi.h"

bool series_is_massless(const struct series *series, int axis)
{
    return series->flexible && series->parts->ports->is_massless[axis];
}

double series_phase(const struct stepper_parts *parts, double time)
{
    double turns = time * parts->omega / TWO_PI;
    return TWO_PI * (turns - floor(turns));
}

/* Terms below this are left out; a derivative below this part of its terms is none. */
static const double NEGLIGIBLE_TERM = 1e-19, DERIVATIVE_ROUNDING = 1e-13;
/* Velocities below this part of what they are the sum of are none, either. */
static const double SPEED_ROUNDING = 1e-12;
/* Fewest terms: where hardly anything is stiff, a constant force still accelerates. */
enum { FEWEST_ORDER = 6 };

/* What joints add to the stiffness at most: of those on DOFs without mass K (I + F K)^-1. */
static double bound_added(const struct series *series)
{
    double added = 0.0;
    for (int axis = 0; axis < series->n_axes; axis++) {
        double *column = series->column, size = series->axis_square[axis];
        if (!series_is_massless(series, axis)) {
            added += fabs(series->lines[axis].stiffness) * size;
            continue;
        }
        memset(column, 0, (size_t)series->n_axes * sizeof(double));
        column[axis] = 1.0;
        flexible_follow(series->flexible, column);
        for (int b = 0; b < series->n_axes; b++) {
            added += fabs(series->lines[b].stiffness * column[b]) *
                     sqrt(size * series->axis_square[b]);
        }
    }
    return added;
}

/* A bound of the matrix where velocities are measured in w times displacements, w^2 bounding
 * the stiffness. */
double series_rate(const struct series *series)
{
    const struct stepper_parts *parts = series->parts;
    double stiffness = 0.0, rate = series->damping_bound, load = parts->omega;
    for (int k = 0; k < series->n_modes; k++) {
        stiffness = fmax(stiffness, parts->modal->stiffness[k]);
    }
    for (int axis = 0; axis < series->n_axes; axis++) {
        rate += fabs(series->lines[axis].damping) * series->axis_square[axis];
    }
    for (int term = 0; term < series->n_terms; term++) {
        load = fmax(load, parts->omega * parts->forcing->harmonics[term]);
    }
    return fmax(rate + sqrt(stiffness + bound_added(series)), load);
}

/* Coefficient k of a mode's load, or of a port's displacement by loads. */
static double load_of(const struct series *series, size_t at, int k)
{
    const struct forcing *forcing = series->parts->forcing;
    size_t width = (size_t)(forcing->n_modes + forcing->n_ports);
    double sum = k == 0 ? forcing->constant[at] : 0.0;
    for (size_t term = 0; term < (size_t)series->n_terms; term++) {
        sum += series->cosines[term] * forcing->cosine[term * width + at] +
               series->sines[term] * forcing->sine[term * width + at];
    }
    return sum;
}

/* x and w of the axes on DOFs without mass: there coefficients k of what the modes and loads do
 * come in, without the joints' forces. */
static void follow_forces(struct series *series, int k)
{
    struct flexible *flexible = series->flexible;
    size_t n_axes = (size_t)series->n_axes;
    double *x = series->column, *w = series->force;
    for (size_t i = 0; i < n_axes; i++) {
        x[i] = series->terms_x[i * SERIES_ROOM + (size_t)k];
        w[i] = series->terms_w[i * SERIES_ROOM + (size_t)k];
        if (!series->parts->ports->is_massless[i]) {
            continue;
        }
        x[i] += series->loads[(size_t)k * n_axes + i];
        w[i] += (k + 1) / series->length * series->loads[((size_t)k + 1) * n_axes + i];
        for (size_t b = 0; k == 0 && b < n_axes; b++) {
            x[i] -= flexible->compliance[i * n_axes + b] * series->lines[b].level;
        }
    }
    flexible_follow(flexible, x);
    flexible_follow(flexible, w);
    for (size_t i = 0; i < n_axes; i++) {
        series->terms_x[i * SERIES_ROOM + (size_t)k] = x[i];
        series->terms_w[i * SERIES_ROOM + (size_t)k] = w[i];
    }
}

/* Coefficients k of the joints' motions; their forces. */
static void expand_joints(struct series *series, int k)
{
    const struct ports *ports = series->parts->ports;
    size_t n = (size_t)series->n_modes;
    const double *q = series->terms_q + (size_t)k * n, *v = series->terms_v + (size_t)k * n;
    for (int axis = 0; axis < series->n_axes; axis++) {
        const double *shape = ports->shapes + (size_t)axis * n;
        double x = 0.0, w = 0.0, size = 0.0, reach = 0.0;
        for (size_t i = 0; i < n; i++) {
            x += shape[i] * q[i];
            w += shape[i] * v[i];
            size += fabs(shape[i] * v[i]);
            reach += fabs(shape[i] * q[i]);
        }
        series->terms_x[axis * SERIES_ROOM + k] = x;
        series->terms_w[axis * SERIES_ROOM + k] = w;
        series->fastest[axis] = fmax(series->fastest[axis], size);
        series->farthest[axis] = fmax(series->farthest[axis], reach);
        if (ports->is_massless[axis]) {
            series->speed = fmax(series->speed, size);
            series->reach = fmax(series->reach, reach);
        }
    }
    if (series->flexible) {
        follow_forces(series, k);
    }
    for (int axis = 0; axis < series->n_axes; axis++) {
        series->force[axis] =
            series->lines[axis].stiffness * series->terms_x[axis * SERIES_ROOM + k] +
            series->lines[axis].damping * series->terms_w[axis * SERIES_ROOM + k] +
            (k == 0 ? series->lines[axis].level : 0.0);
    }
}

/* Coefficients k + 1 of the state from those k. */
static void expand_state(struct series *series, int k)
{
    const struct stepper_parts *parts = series->parts;
    size_t n = (size_t)series->n_modes;
    double factor = series->length / (k + 1);
    const double *q = series->terms_q + (size_t)k * n, *v = series->terms_v + (size_t)k * n;
    modal_state_damping(parts->modal, v, series->damping);
    for (size_t i = 0; i < n; i++) {
        double a =
            load_of(series, i, k) - (series->damping[i] + parts->modal->stiffness[i] * q[i]);
        for (size_t axis = 0; axis < (size_t)series->n_axes; axis++) {
            a -= parts->ports->shapes[axis * n + i] * series->force[axis];
        }
        series->terms_q[((size_t)k + 1) * n + i] = factor * v[i];
        series->terms_v[((size_t)k + 1) * n + i] = factor * a;
    }
}

/* cos' = -w sin, sin' = w cos */
static void advance_loads(struct series *series, int k)
{
    for (int term = 0; term < series->n_terms; term++) {
        double factor = series->parts->omega * series->parts->forcing->harmonics[term] *
                        series->length / (k + 1);
        double cosine = series->cosines[term];
        series->cosines[term] = -factor * series->sines[term];
        series->sines[term] = factor * cosine;
    }
}

/* cos and sin of the loads' harmonics at the beginning. */
static void begin_loads(struct series *series)
{
    for (int term = 0; term < series->n_terms; term++) {
        double angle =
            series->parts->forcing->harmonics[term] * series_phase(series->parts, series->time);
        series->cosines[term] = cos(angle);
        series->sines[term] = sin(angle);
    }
}

/* What they do to joints on DOFs without mass, one coefficient more than of the motion. */
static void expand_loads(struct series *series)
{
    size_t n_axes = (size_t)series->n_axes;
    series->speed = series->reach = 0.0;
    begin_loads(series);
    for (int k = 0; k <= series->order + 1; k++) {
        for (size_t axis = 0; axis < n_axes; axis++) {
            double sum = load_of(series, (size_t)series->n_modes + axis, k);
            series->loads[(size_t)k * n_axes + axis] = sum;
            series->speed = fmax(series->speed, k / series->length * fabs(sum));
            series->reach = fmax(series->reach, fabs(sum));
        }
        advance_loads(series, k);
    }
}

void series_prepare(struct series *series, double time, double rate, double length)
{
    double term = 1.0;
    series->time = time;
    series->length = length;
    series->order = 0;
    while (series->order < SERIES_MOST_ORDER &&
           (series->order < FEWEST_ORDER || term > NEGLIGIBLE_TERM)) {
        series->order++;
        term *= rate * length / series->order;
    }
}

void series_expand(struct series *series, const double *q, const double *v)
{
    size_t size = (size_t)series->n_modes * sizeof(double);
    memcpy(series->terms_q, q, size);
    memcpy(series->terms_v, v, size);
    if (series->flexible) {
        expand_loads(series);
    }
    begin_loads(series);
    for (int k = 0; k < series->order; k++) {
        expand_joints(series, k);
        expand_state(series, k);
        advance_loads(series, k);
    }
    expand_joints(series, series->order);
    for (int axis = 0; axis < series->n_axes; axis++) {
        if (series_is_massless(series, axis)) {
            series->fastest[axis] = fmax(series->fastest[axis], series->speed);
            series->farthest[axis] = fmax(series->farthest[axis], series->reach);
        }
    }
}

void series_state(const struct series *series, double part, double *q, double *v)
{
    size_t n = (size_t)series->n_modes;
    for (size_t i = 0; i < n; i++) {
        double sum_q = 0.0, sum_v = 0.0;
        for (size_t k = (size_t)series->order + 1; k-- > 0;) {
            sum_q = sum_q * part + series->terms_q[k * n + i];
            sum_v = sum_v * part + series->terms_v[k * n + i];
        }
        q[i] = sum_q;
        v[i] = sum_v;
    }
}

void series_axis(const struct series *series, int axis, double part, double *x, double *w)
{
    const double *of_x = series->terms_x + (size_t)axis * SERIES_ROOM;
    const double *of_w = series->terms_w + (size_t)axis * SERIES_ROOM;
    *x = *w = 0.0;
    for (int k = series->order; k >= 0; k--) {
        *x = *x * part + of_x[k];
        *w = *w * part + of_w[k];
    }
}

double series_heading(const struct series *series, int axis)
{
    const double *w = series->terms_w + (size_t)axis * SERIES_ROOM;
    for (int k = 0; k <= series->order; k++) {
        if (fabs(w[k]) > SPEED_ROUNDING * series->speed) {
            return copysign(1.0, w[k]);
        }
    }
    return 0.0;
}

double series_direction(const struct series *series, int axis, double part)
{
    double terms[SERIES_ROOM];
    memcpy(terms, series->terms_w + (size_t)axis * SERIES_ROOM, sizeof terms);
    for (int degree = series->order; degree > 0; degree--) {
        double sum = 0.0, size = 0.0;
        for (int k = 0; k < degree; k++) { /* differentiate */
            terms[k] = (k + 1) * terms[k + 1];
        }
        for (int k = degree - 1; k >= 0; k--) {
            sum = sum * part + terms[k];
            size = size * part + fabs(terms[k]);
        }
        if (fabs(sum) > DERIVATIVE_ROUNDING * size) {
            return copysign(1.0, sum);
        }
    }
    return 0.0;
}

/* Gauss and Legendre's rule of 8 nodes: powers are products of two series over at most the time
 * that one is good for, whose terms from the 16th on are below 1e-9 of the first; the rule
 * leaves less than 1e-8 of those. */
enum { HALF_NODES = 4 };
static const double NODES[HALF_NODES] = {0.18343464249564980494, 0.52553240991632898582,
                                         0.79666647741362673959, 0.96028985649753623168};
static const double WEIGHTS[HALF_NODES] = {0.36268378337836198297, 0.31370664587788728734,
                                           0.22238103445337447054, 0.10122853629037625915};

/* Power at a part of the series, times a weight in seconds. */
static void add_power(struct series *series, double part, double weight, struct work *total)
{
    const struct stepper_parts *parts = series->parts;
    double phase =
        series_phase(series->parts, series->time) + parts->omega * part * series->length;
    double *force = series->power_force;
    series_state(series, part, series->power_q, series->power_v);
    modal_state_damping(parts->modal, series->power_v, series->power_damping);
    forcing_at(parts->forcing, phase, force);
    for (int k = 0; k < series->n_modes; k++) {
        total->loads += weight * force[k] * series->power_v[k];
        total->damping += weight * series->power_damping[k] * series->power_v[k];
    }
    if (parts->ports->flexibility) {
        forcing_derivative(parts->forcing, parts->omega, phase, 1, force);
    }
    for (int axis = 0; axis < series->n_axes; axis++) {
        const struct masing_flow_line *line = &series->lines[axis];
        double x, w;
        series_axis(series, axis, part, &x, &w);
        double f = line->stiffness * x + line->damping * w + line->level;
        total->joints += weight * f * w;
        if (parts->ports->flexibility) {
            total->loads += weight * f * force[series->n_modes + axis];
        }
    }
}

void series_add_work(struct series *series, double part, struct work *work)
{
    double half = 0.5 * part;
    for (int i = 0; i < HALF_NODES; i++) {
        double weight = half * series->length * WEIGHTS[i];
        add_power(series, half * (1.0 - NODES[i]), weight, work);
        add_power(series, half * (1.0 + NODES[i]), weight, work);
    }
}

static enum masing_status allocate(struct series *series, struct masing_error *error)
{
    const struct stepper_parts *parts = series->parts;
    struct arena *arena = parts->arena;
    size_t n = (size_t)series->n_modes, n_axes = (size_t)series->n_axes;
    double **of_modes[] = {&series->damping, &series->power_q, &series->power_v,
                           &series->power_damping};
    double **of_axes[] = {&series->force, &series->column, &series->axis_square,
                          &series->fastest, &series->farthest};
    for (size_t i = 0; i < sizeof of_modes / sizeof *of_modes; i++) {
        *of_modes[i] = arena_doubles(arena, n);
    }
    for (size_t i = 0; i < sizeof of_axes / sizeof *of_axes; i++) {
        *of_axes[i] = arena_doubles(arena, n_axes);
    }
    series->power_force = arena_doubles(arena, n + (size_t)parts->ports->n_ports);
    series->terms_q = arena_doubles(arena, SERIES_ROOM * n);
    series->terms_v = arena_doubles(arena, SERIES_ROOM * n);
    series->terms_x = arena_doubles(arena, SERIES_ROOM * n_axes);
    series->terms_w = arena_doubles(arena, SERIES_ROOM * n_axes);
    series->loads = arena_doubles(arena, (SERIES_ROOM + 1) * n_axes);
    series->cosines = arena_doubles(arena, (size_t)series->n_terms);
    series->sines = arena_doubles(arena, (size_t)series->n_terms);
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

/* The largest row sum of the structure's damping. */
static double bound_damping(const struct modal_state *modal)
{
    double largest = 0.0;
    for (int i = 0; i < modal->n_modes; i++) {
        double sum = modal->matrix ? 0.0 : fabs(modal->damping[i]);
        for (int k = 0; modal->matrix && k < modal->n_modes; k++) {
            sum += fabs(modal->matrix[i * modal->n_modes + k]);
        }
        largest = fmax(largest, sum);
    }
    return largest;
}

enum masing_status series_create(const struct stepper_parts *parts, struct flexible *flexible,
                                 const struct masing_flow_line *lines, struct series **created,
                                 struct masing_error *error)
{
    const struct ports *ports = parts->ports;
    struct series *series = *created = arena_array(parts->arena, 1, sizeof *series);
    NEED_ALLOCATED(series);
    *series = (struct series){.parts = parts,
                              .flexible = flexible,
                              .lines = lines,
                              .n_modes = ports->n_modes,
                              .n_axes = ports->n_axes,
                              .n_terms = parts->forcing->n_terms,
                              .damping_bound = bound_damping(parts->modal)};
    NEED(allocate(series, error));
    for (int axis = 0; axis < series->n_axes; axis++) {
        const double *shape = ports->shapes + (size_t)axis * (size_t)series->n_modes;
        for (int k = 0; k < series->n_modes; k++) {
            series->axis_square[axis] += shape[k] * shape[k];
        }
    }
    return MASING_OK;
}
