/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dv_s is carried along the path as the slider is: it stays while the contact sticks, follows
 * from the sample alone when it opens, closes or slips on a line, and turns with the direction
 * of slip in the plane. The forces follow sample by sample.
 */
#include "laws/contact/columns.h"

#include <math.h>
#include <string.h>

struct carrier {
    const struct contact_path *path;
    const struct contact_columns *columns;
    double *slider[2];            /* [n] dv_s */
    double *reach, *reach_before; /* [n] */
    double *approach, *approach_before;
    double *travel[2], *travel_before[2]; /* [n] dv */
};

static struct carrier carrier_of(const struct contact_path *path,
                                 const struct contact_columns *columns)
{
    size_t n = (size_t)columns->n;
    double *at = columns->scratch;
    return (struct carrier){.path = path,
                            .columns = columns,
                            .slider = {at, at + n},
                            .reach = at + 2 * n,
                            .reach_before = at + 3 * n,
                            .approach = at + 4 * n,
                            .approach_before = at + 5 * n,
                            .travel = {at + 6 * n, at + 7 * n},
                            .travel_before = {at + 8 * n, at + 9 * n}};
}

static void swap(double **a, double **b)
{
    double *kept = *a;
    *a = *b;
    *b = kept;
}

/* Row of one axis at a sample; NULL where the axis is held. */
static const double *row_of(const struct carrier *c, const double *array, int sample, int axis)
{
    if (!array || axis < 0) {
        return NULL;
    }
    size_t n_axes = (size_t)c->path->n_axes, n = (size_t)c->columns->n;
    return array + ((size_t)sample * n_axes + (size_t)axis) * n;
}

static void copy_row(const double *row, size_t n, double *out)
{
    if (row) {
        memcpy(out, row, sizeof *out * n);
    } else {
        memset(out, 0, sizeof *out * n);
    }
}

static int tangential(const struct contact_path *path, int a)
{
    return a < path->n_tangential ? path->tangential[a] : -1;
}

/* What the constants change by themselves at a sample, along change k. */
static struct contact_change change_at(const struct carrier *c,
                                       const struct contact_sample *sample, size_t k)
{
    struct contact_change change;
    contact_local_change(c->columns->element, &c->columns->change[k], c->path->smoothing,
                         sample->u, c->path->v ? sample->velocity : NULL, &change);
    return change;
}

/* Approach, travel and reach of the next sample; what was there becomes `before`. */
static void load(struct carrier *c, const struct contact_sample *sample, int index)
{
    const struct contact_columns *columns = c->columns;
    size_t n = (size_t)columns->n;
    swap(&c->reach, &c->reach_before);
    swap(&c->approach, &c->approach_before);
    copy_row(row_of(c, columns->dx, index, c->path->normal), n, c->approach);
    for (int a = 0; a < 2; a++) {
        swap(&c->travel[a], &c->travel_before[a]);
        copy_row(row_of(c, columns->dx, index, tangential(c->path, a)), n, c->travel[a]);
    }
    for (size_t k = 0; k < n && columns->change; k++) {
        c->approach[k] += columns->change[k].position;
    }
    for (size_t k = 0; k < n; k++) {
        c->reach[k] = sample->local.reach_c * c->approach[k];
    }
    for (int a = 0; a < 2 && sample->local.reach_w != 0.0; a++) {
        const double *row = row_of(c, columns->dv, index, tangential(c->path, a));
        double factor = sample->local.reach_w * sample->local.heading[a];
        for (size_t k = 0; row && k < n; k++) {
            c->reach[k] += factor * row[k];
        }
    }
    for (size_t k = 0; k < n && columns->change; k++) {
        c->reach[k] += change_at(c, sample, k).reach;
    }
}

static void open_up(struct carrier *c)
{
    for (int a = 0; a < 2; a++) {
        memcpy(c->slider[a], c->travel[a], sizeof(double) * (size_t)c->columns->n);
    }
}

/* r = elastic displacement from the moment of closing: dr = by_travel d(rest) + by_reach dd */
static void close_gap(struct carrier *c, const struct contact_sample *from,
                      const struct contact_sample *to)
{
    size_t n = (size_t)c->columns->n;
    const struct contact_slip *slip = &to->slip;
    double part = to->closing_part, c0 = from->local.c, c1 = to->local.c;
    double square = (c0 - c1) * (c0 - c1);
    double way[2] = {to->v[0] - from->v[0], to->v[1] - from->v[1]};
    for (size_t k = 0; k < n; k++) {
        double ds = (c0 * c->approach[k] - c1 * c->approach_before[k]) / square;
        double rest[2];
        for (int a = 0; a < 2; a++) {
            rest[a] = (1.0 - part) * (c->travel[a][k] - c->travel_before[a][k]) - ds * way[a];
        }
        for (int a = 0; a < 2; a++) {
            c->slider[a][k] = c->travel[a][k] - slip->by_travel[a][0] * rest[0] -
                              slip->by_travel[a][1] * rest[1] - slip->by_reach[a] * c->reach[k];
        }
    }
}

static void slip_on_line(struct carrier *c, const struct contact_sample *to)
{
    double sign = to->slip.by_reach[0];
    for (size_t k = 0; k < (size_t)c->columns->n; k++) {
        c->slider[0][k] = c->travel[0][k] - sign * c->reach[k];
    }
}

static void slip_in_plane(struct carrier *c, const struct contact_sample *to)
{
    const struct contact_slip *s = &to->slip;
    for (size_t k = 0; k < (size_t)c->columns->n; k++) {
        double start[2], way[2];
        for (int a = 0; a < 2; a++) {
            start[a] = c->travel_before[a][k] - c->slider[a][k];
            way[a] = c->travel[a][k] - c->travel_before[a][k];
        }
        for (int a = 0; a < 2; a++) {
            double r = s->by_start[a][0] * start[0] + s->by_start[a][1] * start[1] +
                       s->by_travel[a][0] * way[0] + s->by_travel[a][1] * way[1] +
                       s->by_reach_start[a] * c->reach_before[k] + s->by_reach[a] * c->reach[k];
            c->slider[a][k] = c->travel[a][k] - r;
        }
    }
}

/* From the sample before to sample `to`, which is loaded. */
static void carry(struct carrier *c, const struct contact_sample *from,
                  const struct contact_sample *to)
{
    switch (to->kind) {
    case CONTACT_STICK:
        break;
    case CONTACT_OPEN:
        open_up(c);
        break;
    case CONTACT_CLOSING:
        close_gap(c, from, to);
        break;
    case CONTACT_SLIP:
        if (c->path->n_tangential == 1) {
            slip_on_line(c, to);
        } else {
            slip_in_plane(c, to);
        }
        break;
    }
}

/* Forces at a sample, and what the constants change by themselves. */
static void emit(const struct carrier *c, const struct contact_sample *sample, int index)
{
    const struct contact_columns *columns = c->columns;
    const struct contact_path *path = c->path;
    const struct contact_local *local = &sample->local;
    size_t n = (size_t)columns->n;
    double *rows = columns->df + (size_t)index * (size_t)path->n_axes * n;
    double *normal = path->normal >= 0 ? rows + (size_t)path->normal * n : NULL;
    for (size_t k = 0; normal && k < n; k++) {
        normal[k] += local->force_c * c->approach[k];
    }
    for (int a = 0; !local->is_open && a < path->n_tangential; a++) {
        double *df = rows + (size_t)path->tangential[a] * n;
        double stiffening = local->stiffness_c * (sample->v[a] - sample->slider[a]);
        for (size_t k = 0; k < n; k++) {
            df[k] += local->stiffness * (c->travel[a][k] - c->slider[a][k]) +
                     stiffening * c->approach[k];
        }
    }
    for (size_t k = 0; k < n && columns->change; k++) {
        struct contact_change change = change_at(c, sample, k);
        if (normal) {
            normal[k] += change.force - columns->change[k].preload;
        }
        for (int a = 0; a < path->n_tangential; a++) {
            rows[(size_t)path->tangential[a] * n + k] +=
                change.stiffness * (sample->v[a] - sample->slider[a]);
        }
    }
}

/* The slider rests where at most two samples pushed it. */
static void start_stuck(struct carrier *c, const double origin[2],
                        const struct contact_sample *samples, const struct contact_stuck *stuck)
{
    size_t n = (size_t)c->columns->n;
    double by_v[2][2][2], by_reach[2][2], by_origin[2][2];
    contact_stuck_differentiate(c->path->n_tangential, samples, origin, stuck, by_v, by_reach,
                                by_origin);
    for (int a = 0; a < 2; a++) {
        const double *o = c->columns->origin;
        for (size_t d = 0; d < n; d++) {
            c->slider[a][d] = o ? by_origin[a][0] * o[d] + by_origin[a][1] * o[n + d] : 0.0;
        }
    }
    for (int k = 0; k < stuck->n_active; k++) {
        load(c, &samples[stuck->active[k]], stuck->active[k]);
        for (int a = 0; a < 2; a++) {
            for (size_t d = 0; d < n; d++) {
                c->slider[a][d] += by_v[k][a][0] * c->travel[0][d] +
                                   by_v[k][a][1] * c->travel[1][d] +
                                   by_reach[k][a] * c->reach[d];
            }
        }
    }
}

/* Once round from sample `first`, whose slider is in place and which is loaded. */
static void go_round(struct carrier *c, const struct contact_sample *samples, int first,
                     bool emits)
{
    int n = c->path->n_samples;
    for (int i = 1; i <= n; i++) {
        int to = (first + i) % n, from = (first + i - 1) % n;
        load(c, &samples[to], to);
        carry(c, &samples[from], &samples[to]);
        if (emits) {
            emit(c, &samples[to], to);
        }
    }
}

/* dv_s at sample 0 solves dz = transport dz + what comes of dz = 0. */
static void start_plane(struct carrier *c, const struct contact_sample *samples,
                        const struct contact_cycle *cycle)
{
    size_t n = (size_t)c->columns->n;
    memset(c->slider[0], 0, sizeof(double) * n);
    memset(c->slider[1], 0, sizeof(double) * n);
    load(c, &samples[0], 0);
    go_round(c, samples, 0, false);
    for (size_t k = 0; k < n; k++) {
        const double f[2] = {c->slider[0][k], c->slider[1][k]};
        double x[2];
        contact_close_period(cycle->transport, f, x);
        c->slider[0][k] = x[0];
        c->slider[1][k] = x[1];
    }
}

void contact_columns_of_cycle(const struct contact_path *path, const double origin[2],
                              const struct contact_sample *samples,
                              const struct contact_cycle *cycle,
                              const struct contact_columns *columns)
{
    struct carrier c = carrier_of(path, columns);
    int first = 0;
    if (cycle->is_stuck) {
        start_stuck(&c, origin, samples, &cycle->stuck);
    } else if (cycle->known >= 0) {
        /* the sample before is loaded, and its slider does not matter */
        int n = path->n_samples;
        first = cycle->known;
        int before = (first + n - 1) % n;
        memset(c.slider[1], 0, sizeof(double) * (size_t)columns->n);
        load(&c, &samples[before], before);
        load(&c, &samples[first], first);
        carry(&c, &samples[before], &samples[first]);
    } else {
        start_plane(&c, samples, cycle);
    }
    load(&c, &samples[first], first);
    go_round(&c, samples, first, true);
}

/* Before the first sample: nothing changes but the constants and, where it varies, the state.
 */
static void start_open_path(struct carrier *c, const struct contact_sample *start)
{
    const struct contact_columns *columns = c->columns;
    const struct contact_local *local = &start->local;
    size_t n = (size_t)columns->n;
    const double *state = columns->state;
    memset(columns->scratch, 0, sizeof(double) * CONTACT_COLUMNS_VECTORS * n);
    for (size_t k = 0; k < n && state; k++) {
        const double *velocity = state + ELEMENT_STATE_VELOCITY * n + k;
        c->approach[k] = state[ELEMENT_STATE_U * n + k];
        c->reach[k] = local->reach_c * c->approach[k] +
                      local->reach_w *
                          (local->heading[0] * velocity[0] + local->heading[1] * velocity[n]);
    }
    for (size_t a = 0; a < 2 && state; a++) {
        memcpy(c->slider[a], state + (ELEMENT_STATE_SLIDER + a) * n, sizeof(double) * n);
        memcpy(c->travel[a], state + (ELEMENT_STATE_V + a) * n, sizeof(double) * n);
    }
    for (size_t k = 0; k < n && columns->change; k++) {
        c->approach[k] += columns->change[k].position;
        c->reach[k] +=
            local->reach_c * columns->change[k].position + change_at(c, start, k).reach;
    }
}

static void end_open_path(const struct carrier *c)
{
    const struct contact_columns *columns = c->columns;
    size_t n = (size_t)columns->n;
    int last = c->path->n_samples - 1;
    double *state = columns->state;
    copy_row(row_of(c, columns->dx, last, c->path->normal), n, state + ELEMENT_STATE_U * n);
    for (int a = 0; a < 2; a++) {
        int axis = tangential(c->path, a);
        size_t row = (size_t)a * n;
        memcpy(state + ELEMENT_STATE_SLIDER * n + row, c->slider[a], sizeof(double) * n);
        copy_row(row_of(c, columns->dx, last, axis), n, state + ELEMENT_STATE_V * n + row);
        copy_row(row_of(c, columns->dv, last, axis), n,
                 state + ELEMENT_STATE_VELOCITY * n + row);
    }
}

void contact_columns_of_open_path(const struct contact_path *path,
                                  const struct contact_sample *start,
                                  const struct contact_sample *samples,
                                  const struct contact_columns *columns)
{
    struct carrier c = carrier_of(path, columns);
    start_open_path(&c, start);
    for (int i = 0; i < path->n_samples; i++) {
        load(&c, &samples[i], i);
        carry(&c, i == 0 ? start : &samples[i - 1], &samples[i]);
        emit(&c, &samples[i], i);
    }
    if (columns->state) {
        end_open_path(&c);
    }
}
