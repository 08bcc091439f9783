/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

/* Terms below this are left out; a derivative below this part of its terms is none. */
static const double NEGLIGIBLE = 1e-19, ROUND_OFF = 1e-13;
/* Fewest terms: where hardly anything is stiff, a constant force still accelerates. */
enum { FEWEST_ORDER = 6 };

/* Largest row sum of the structure's damping. */
static double bound_damping(const struct newmark *newmark)
{
    size_t n = (size_t)newmark->n_modes;
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        double sum = newmark->matrix ? 0.0 : fabs(newmark->damping[i]);
        for (size_t k = 0; newmark->matrix && k < n; k++) {
            sum += fabs(newmark->matrix[i * n + k]);
        }
        largest = fmax(largest, sum);
    }
    return largest;
}

static enum masing_status allocate(struct series *series, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)series->n_modes, n_axes = (size_t)series->n_axes;
    size_t n_terms = (size_t)series->n_terms;
    struct {
        double **vector;
        size_t size;
    } vectors[] = {{&series->axis_square, n_axes},
                   {&series->q, SERIES_ROOM * n},
                   {&series->v, SERIES_ROOM * n},
                   {&series->x, SERIES_ROOM * n_axes},
                   {&series->w, SERIES_ROOM * n_axes},
                   {&series->cosines, n_terms},
                   {&series->sines, n_terms},
                   {&series->damping, n},
                   {&series->force, n_axes}};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i].vector = memory_array(vectors[i].size, sizeof(double));
        TRY_ALLOCATED(*vectors[i].vector);
    }
done:
    return status;
}

enum masing_status series_create(const struct flow_solver_parts *parts, struct series **created,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct series *series = memory_array(1, sizeof *series);
    TRY_ALLOCATED(series);
    series->parts = parts;
    series->n_modes = parts->ports->n_modes;
    series->n_axes = parts->ports->n_axes;
    series->n_terms = parts->forcing->n_terms;
    TRY(allocate(series, error));
    series->damping_bound = bound_damping(parts->newmark);
    for (int axis = 0; axis < series->n_axes; axis++) {
        for (int k = 0; k < series->n_modes; k++) {
            double shape = parts->ports->shapes[axis * series->n_modes + k];
            series->axis_square[axis] += shape * shape;
        }
    }
done:
    if (status != MASING_OK) {
        series_destroy(series);
        series = NULL;
    }
    *created = series;
    return status;
}

void series_destroy(struct series *series)
{
    if (series) {
        double *owned[] = {series->axis_square, series->q,       series->v,
                           series->x,           series->w,       series->cosines,
                           series->sines,       series->damping, series->force};
        for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
            free(owned[i]);
        }
        free(series);
    }
}

/* A bound of the matrix where velocities are measured in w times displacements, w^2 bounding
 * the stiffness. */
double series_rate(const struct series *series, const struct masing_flow_line *lines)
{
    const struct flow_solver_parts *parts = series->parts;
    double stiffness = 0.0, added = 0.0, rate = series->damping_bound, load = parts->omega;
    for (int k = 0; k < series->n_modes; k++) {
        stiffness = fmax(stiffness, parts->newmark->stiffness[k]);
    }
    for (int axis = 0; axis < series->n_axes; axis++) {
        added += fabs(lines[axis].stiffness) * series->axis_square[axis];
        rate += fabs(lines[axis].damping) * series->axis_square[axis];
    }
    for (int term = 0; term < series->n_terms; term++) {
        load = fmax(load, parts->omega * parts->forcing->harmonics[term]);
    }
    return fmax(rate + sqrt(stiffness + added), load);
}

static int order_for(double size)
{
    double term = 1.0;
    int order = 0;
    while (order < SERIES_MOST_ORDER && (order < FEWEST_ORDER || term > NEGLIGIBLE)) {
        order++;
        term *= size / order;
    }
    return order;
}

/* Coefficients k of the joints' motions; their forces. */
static void expand_joints(struct series *series, const struct masing_flow_line *lines, int k)
{
    const struct ports *ports = series->parts->ports;
    size_t n = (size_t)series->n_modes;
    const double *q = series->q + (size_t)k * n, *v = series->v + (size_t)k * n;
    for (int axis = 0; axis < series->n_axes; axis++) {
        const double *shape = ports->shapes + (size_t)axis * n;
        double x = 0.0, w = 0.0;
        for (size_t i = 0; i < n; i++) {
            x += shape[i] * q[i];
            w += shape[i] * v[i];
        }
        series->x[axis * SERIES_ROOM + k] = x;
        series->w[axis * SERIES_ROOM + k] = w;
        series->force[axis] = lines[axis].stiffness * x + lines[axis].damping * w +
                              (k == 0 ? lines[axis].level : 0.0);
    }
}

/* Coefficients k + 1 of the state from those k. */
static void expand_state(struct series *series, int k)
{
    const struct flow_solver_parts *parts = series->parts;
    const struct forcing *forcing = parts->forcing;
    size_t n = (size_t)series->n_modes, width = n + (size_t)forcing->n_ports;
    double factor = series->length / (k + 1);
    const double *q = series->q + (size_t)k * n, *v = series->v + (size_t)k * n;
    newmark_damping(parts->newmark, v, series->damping);
    for (size_t i = 0; i < n; i++) {
        double a = k == 0 ? forcing->constant[i] : 0.0;
        for (size_t term = 0; term < (size_t)series->n_terms; term++) {
            a += series->cosines[term] * forcing->cosine[term * width + i] +
                 series->sines[term] * forcing->sine[term * width + i];
        }
        a -= series->damping[i] + parts->newmark->stiffness[i] * q[i];
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

void series_expand(struct series *series, const struct masing_flow_line *lines, double rate,
                   double phase, const double *q, const double *v, double length)
{
    size_t size = (size_t)series->n_modes * sizeof(double);
    series->length = length;
    series->order = order_for(rate * length);
    memcpy(series->q, q, size);
    memcpy(series->v, v, size);
    for (int term = 0; term < series->n_terms; term++) {
        double angle = series->parts->forcing->harmonics[term] * phase;
        series->cosines[term] = cos(angle);
        series->sines[term] = sin(angle);
    }
    for (int k = 0; k < series->order; k++) {
        expand_joints(series, lines, k);
        expand_state(series, k);
        advance_loads(series, k);
    }
    expand_joints(series, lines, series->order);
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
        if (fabs(sum) > ROUND_OFF * size) {
            return copysign(1.0, sum);
        }
    }
    return 0.0;
}
