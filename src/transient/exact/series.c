/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/exact/series.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

/* Terms below this are left out; a derivative below this part of its terms is none. */
static const double NEGLIGIBLE_TERM = 1e-19, DERIVATIVE_ROUNDING = 1e-13;
/* Velocities below this part of what they are the sum of are none, either. */
static const double SPEED_ROUNDING = 1e-12;
/* Fewest terms: where hardly anything is stiff, a constant force still accelerates. */
enum { FEWEST_ORDER = 6 };

/* Largest row sum of the structure's damping. */
static double bound_damping(const struct modal_state *modal)
{
    size_t n = (size_t)modal->n_modes;
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        double sum = modal->matrix ? 0.0 : fabs(modal->damping[i]);
        for (size_t k = 0; modal->matrix && k < n; k++) {
            sum += fabs(modal->matrix[i * n + k]);
        }
        largest = fmax(largest, sum);
    }
    return largest;
}

static enum masing_status allocate(struct series *series, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena *arena = series->parts->arena;
    size_t n = (size_t)series->n_modes, n_axes = (size_t)series->n_axes;
    size_t n_terms = (size_t)series->n_terms;
    double **of_axes[] = {&series->axis_square, &series->force, &series->column,
                          &series->fastest, &series->farthest};
    for (size_t i = 0; i < sizeof of_axes / sizeof *of_axes; i++) {
        *of_axes[i] = arena_doubles(arena, n_axes);
    }
    series->q = arena_doubles(arena, SERIES_ROOM * n);
    series->v = arena_doubles(arena, SERIES_ROOM * n);
    series->x = arena_doubles(arena, SERIES_ROOM * n_axes);
    series->w = arena_doubles(arena, SERIES_ROOM * n_axes);
    series->loads = arena_doubles(arena, (SERIES_ROOM + 1) * n_axes);
    series->cosines = arena_doubles(arena, n_terms);
    series->sines = arena_doubles(arena, n_terms);
    series->damping = arena_doubles(arena, n);
    TRY_ALLOCATED(!arena->has_failed);
done:
    return status;
}

enum masing_status series_create(const struct stepper_parts *parts, struct series **created,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct series *series = arena_array(parts->arena, 1, sizeof *series);
    TRY_ALLOCATED(series);
    series->parts = parts;
    series->n_modes = parts->ports->n_modes;
    series->n_axes = parts->ports->n_axes;
    series->n_terms = parts->forcing->n_terms;
    TRY(flexible_create(parts, &series->flexible, error));
    TRY(allocate(series, error));
    series->damping_bound = bound_damping(parts->modal);
    for (int axis = 0; axis < series->n_axes; axis++) {
        for (int k = 0; k < series->n_modes; k++) {
            double shape = parts->ports->shapes[axis * series->n_modes + k];
            series->axis_square[axis] += shape * shape;
        }
    }
    *created = series;
done:
    return status;
}

void series_begin(struct series *series)
{
    memset(series->fastest, 0, (size_t)series->n_axes * sizeof(double));
    memset(series->farthest, 0, (size_t)series->n_axes * sizeof(double));
}

bool series_set(struct series *series, const struct masing_flow_line *lines)
{
    for (int axis = 0; axis < series->n_axes; axis++) {
        series->column[axis] = lines[axis].stiffness;
    }
    return !series->flexible || flexible_set(series->flexible, series->column);
}

/* What joints add to the stiffness at most: of those on DOFs without mass K (I + F K)^-1. */
static double bound_added(const struct series *series, const struct masing_flow_line *lines)
{
    double added = 0.0;
    for (int axis = 0; axis < series->n_axes; axis++) {
        double *column = series->column, size = series->axis_square[axis];
        if (!series->flexible || !series->parts->ports->is_massless[axis]) {
            added += fabs(lines[axis].stiffness) * size;
            continue;
        }
        memset(column, 0, (size_t)series->n_axes * sizeof(double));
        column[axis] = 1.0;
        flexible_follow(series->flexible, column);
        for (int b = 0; b < series->n_axes; b++) {
            added += fabs(lines[b].stiffness * column[b]) * sqrt(size * series->axis_square[b]);
        }
    }
    return added;
}

/* A bound of the matrix where velocities are measured in w times displacements, w^2 bounding
 * the stiffness. */
double series_rate(const struct series *series, const struct masing_flow_line *lines)
{
    const struct stepper_parts *parts = series->parts;
    double stiffness = 0.0, rate = series->damping_bound, load = parts->omega;
    for (int k = 0; k < series->n_modes; k++) {
        stiffness = fmax(stiffness, parts->modal->stiffness[k]);
    }
    for (int axis = 0; axis < series->n_axes; axis++) {
        rate += fabs(lines[axis].damping) * series->axis_square[axis];
    }
    for (int term = 0; term < series->n_terms; term++) {
        load = fmax(load, parts->omega * parts->forcing->harmonics[term]);
    }
    return fmax(rate + sqrt(stiffness + bound_added(series, lines)), load);
}

static int order_for(double size)
{
    double term = 1.0;
    int order = 0;
    while (order < SERIES_MOST_ORDER && (order < FEWEST_ORDER || term > NEGLIGIBLE_TERM)) {
        order++;
        term *= size / order;
    }
    return order;
}

/* x and w of the axes on DOFs without mass: there coefficients k of what the modes and loads do
 * come in, without the joints' forces. */
static void follow_forces(struct series *series, const struct masing_flow_line *lines, int k)
{
    struct flexible *flexible = series->flexible;
    size_t n_axes = (size_t)series->n_axes;
    double *x = series->column, *w = series->force;
    for (size_t i = 0; i < n_axes; i++) {
        x[i] = series->x[i * SERIES_ROOM + (size_t)k];
        w[i] = series->w[i * SERIES_ROOM + (size_t)k];
        if (!series->parts->ports->is_massless[i]) {
            continue;
        }
        x[i] += series->loads[(size_t)k * n_axes + i];
        w[i] += (k + 1) / series->length * series->loads[((size_t)k + 1) * n_axes + i];
        for (size_t b = 0; k == 0 && b < n_axes; b++) {
            x[i] -= flexible->compliance[i * n_axes + b] * lines[b].level;
        }
    }
    flexible_follow(flexible, x);
    flexible_follow(flexible, w);
    for (size_t i = 0; i < n_axes; i++) {
        series->x[i * SERIES_ROOM + (size_t)k] = x[i];
        series->w[i * SERIES_ROOM + (size_t)k] = w[i];
    }
}

/* Coefficients k of the joints' motions; their forces. */
static void expand_joints(struct series *series, const struct masing_flow_line *lines, int k)
{
    const struct ports *ports = series->parts->ports;
    size_t n = (size_t)series->n_modes;
    const double *q = series->q + (size_t)k * n, *v = series->v + (size_t)k * n;
    for (int axis = 0; axis < series->n_axes; axis++) {
        const double *shape = ports->shapes + (size_t)axis * n;
        double x = 0.0, w = 0.0, size = 0.0, reach = 0.0;
        for (size_t i = 0; i < n; i++) {
            x += shape[i] * q[i];
            w += shape[i] * v[i];
            size += fabs(shape[i] * v[i]);
            reach += fabs(shape[i] * q[i]);
        }
        series->x[axis * SERIES_ROOM + k] = x;
        series->w[axis * SERIES_ROOM + k] = w;
        series->fastest[axis] = fmax(series->fastest[axis], size);
        series->farthest[axis] = fmax(series->farthest[axis], reach);
        if (ports->is_massless[axis]) {
            series->speed = fmax(series->speed, size);
            series->reach = fmax(series->reach, reach);
        }
    }
    if (series->flexible) {
        follow_forces(series, lines, k);
    }
    for (int axis = 0; axis < series->n_axes; axis++) {
        series->force[axis] = lines[axis].stiffness * series->x[axis * SERIES_ROOM + k] +
                              lines[axis].damping * series->w[axis * SERIES_ROOM + k] +
                              (k == 0 ? lines[axis].level : 0.0);
    }
}

/* Coefficients k + 1 of the state from those k. */
static void expand_state(struct series *series, int k)
{
    const struct stepper_parts *parts = series->parts;
    const struct forcing *forcing = parts->forcing;
    size_t n = (size_t)series->n_modes, width = n + (size_t)forcing->n_ports;
    double factor = series->length / (k + 1);
    const double *q = series->q + (size_t)k * n, *v = series->v + (size_t)k * n;
    modal_state_damping(parts->modal, v, series->damping);
    for (size_t i = 0; i < n; i++) {
        double a = k == 0 ? forcing->constant[i] : 0.0;
        for (size_t term = 0; term < (size_t)series->n_terms; term++) {
            a += series->cosines[term] * forcing->cosine[term * width + i] +
                 series->sines[term] * forcing->sine[term * width + i];
        }
        a -= series->damping[i] + parts->modal->stiffness[i] * q[i];
        for (size_t axis = 0; axis < (size_t)series->n_axes; axis++) {
            a -= parts->ports->shapes[axis * n + i] * series->force[axis];
        }
        series->q[((size_t)k + 1) * n + i] = factor * v[i];
        series->v[((size_t)k + 1) * n + i] = factor * a;
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

static void begin_loads(struct series *series, double phase)
{
    for (int term = 0; term < series->n_terms; term++) {
        double angle = series->parts->forcing->harmonics[term] * phase;
        series->cosines[term] = cos(angle);
        series->sines[term] = sin(angle);
    }
}

/* What they do to joints on DOFs without mass, one coefficient more than of the motion. */
static void expand_loads(struct series *series, double phase)
{
    const struct forcing *forcing = series->parts->forcing;
    size_t n = (size_t)series->n_modes, width = n + (size_t)forcing->n_ports;
    series->speed = series->reach = 0.0;
    begin_loads(series, phase);
    for (int k = 0; k <= series->order + 1; k++) {
        for (size_t axis = 0; axis < (size_t)series->n_axes; axis++) {
            double sum = k == 0 ? forcing->constant[n + axis] : 0.0;
            for (size_t term = 0; term < (size_t)series->n_terms; term++) {
                sum += series->cosines[term] * forcing->cosine[term * width + n + axis] +
                       series->sines[term] * forcing->sine[term * width + n + axis];
            }
            series->loads[(size_t)k * (size_t)series->n_axes + axis] = sum;
            series->speed = fmax(series->speed, k / series->length * fabs(sum));
            series->reach = fmax(series->reach, fabs(sum));
        }
        advance_loads(series, k);
    }
}

void series_expand(struct series *series, const struct masing_flow_line *lines, double rate,
                   double phase, const double *q, const double *v, double length)
{
    size_t size = (size_t)series->n_modes * sizeof(double);
    series->length = length;
    series->order = order_for(rate * length);
    memcpy(series->q, q, size);
    memcpy(series->v, v, size);
    if (series->flexible) {
        expand_loads(series, phase);
    }
    begin_loads(series, phase);
    for (int k = 0; k < series->order; k++) {
        expand_joints(series, lines, k);
        expand_state(series, k);
        advance_loads(series, k);
    }
    expand_joints(series, lines, series->order);
    for (int axis = 0; axis < series->n_axes && series->flexible; axis++) {
        if (series->parts->ports->is_massless[axis]) {
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
            sum_q = sum_q * part + series->q[k * n + i];
            sum_v = sum_v * part + series->v[k * n + i];
        }
        q[i] = sum_q;
        v[i] = sum_v;
    }
}

void series_axis(const struct series *series, int axis, double part, double *x, double *w)
{
    const double *terms_x = series->x + (size_t)axis * SERIES_ROOM;
    const double *terms_w = series->w + (size_t)axis * SERIES_ROOM;
    *x = *w = 0.0;
    for (int k = series->order; k >= 0; k--) {
        *x = *x * part + terms_x[k];
        *w = *w * part + terms_w[k];
    }
}

double series_heading(const struct series *series, int axis)
{
    const double *w = series->w + (size_t)axis * SERIES_ROOM;
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
    memcpy(terms, series->w + (size_t)axis * SERIES_ROOM, sizeof terms);
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
