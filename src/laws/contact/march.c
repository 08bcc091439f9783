/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A joint of contact elements along a whole path. */
#include "laws/contact/march.h"

#include <math.h>
#include <string.h>

#include "laws/contact/columns.h"
#include "laws/contact/frame.h"
#include "laws/contact/state.h"

static bool may_rotate(const struct masing_law *law)
{
    return law->n_axes > 3;
}

static size_t in_doubles(size_t bytes)
{
    return (bytes + sizeof(double) - 1) / sizeof(double);
}

/* Places in the workspace. */
struct room {
    struct contact_sample *samples;
    double *scratch;                       /* [3 n_samples] */
    double *columns;                       /* scratch of the columns */
    struct masing_contact_element *change; /* [n_parameters] */
    double *x, *v, *f;                     /* [n_samples][3] of an element, with rotations */
    double *dx, *dv, *df;                  /* [n_samples][3][n_directions] */
    double *dxp, *dvp, *dfp;               /* [n_samples][3][n_parameters] */
    double *origin;                        /* [2][n_parameters] */
};

static size_t lay_out(const struct masing_law *law, int n_samples, int n_directions,
                      int n_parameters, double *at, struct room *room)
{
    size_t n = (size_t)n_samples, d = (size_t)n_directions, p = (size_t)n_parameters;
    size_t size = 0, rotating = may_rotate(law) ? 3 * n : 0;
    size_t samples = in_doubles(n * sizeof(struct contact_sample));
    size_t changes = p * in_doubles(sizeof(struct masing_contact_element));
    size_t columns =
        contact_columns_scratch(n_directions > n_parameters ? n_directions : n_parameters);
    size_t sizes[] = {samples,      3 * n,        columns,      changes,      rotating,
                      rotating,     rotating,     rotating * d, rotating * d, rotating * d,
                      rotating * p, rotating * p, rotating * p, 2 * p};
    double *places[sizeof sizes / sizeof *sizes];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        places[i] = at ? at + size : NULL;
        size += sizes[i];
    }
    *room = (struct room){.samples = (struct contact_sample *)(void *)places[0],
                          .scratch = places[1],
                          .columns = places[2],
                          .change = (struct masing_contact_element *)(void *)places[3],
                          .x = places[4],
                          .v = places[5],
                          .f = places[6],
                          .dx = places[7],
                          .dv = places[8],
                          .df = places[9],
                          .dxp = places[10],
                          .dvp = places[11],
                          .dfp = places[12],
                          .origin = places[13]};
    return size;
}

size_t contact_workspace_size(const struct masing_law *law, int n_samples, int n_directions,
                              int n_parameters)
{
    struct room room;
    return lay_out(law, n_samples, n_directions, n_parameters, NULL, &room);
}

/* One element of a joint that moves along a path. */
struct element_march {
    const struct masing_law *law;
    const void *parameters;
    const struct masing_path *path;
    const struct contact_frame *frame;
    const struct room *room;
    struct masing_contact_element element;
    double map[3][6], map_change[3][6];
    struct contact_path own;
    double origin[2];
    struct element_state *state; /* NULL: none was given */
    struct masing_forces *forces;
    struct contact_cycle cycle;
    struct contact_sample start; /* open paths */
    int index;
};

static void place_element(struct element_march *m)
{
    const struct masing_path *path = m->path;
    const struct contact_frame *frame = m->frame;
    const struct room *room = m->room;
    size_t n = (size_t)path->n_samples;
    m->law->contact->element(m->parameters, NULL, m->index, &m->element);
    contact_frame_map(frame, m->element.y, m->element.z, m->map);
    const double *x = path->x, *v = path->v;
    if (frame->has_rotations) {
        contact_frame_apply(frame, m->map, n, 1, path->x, room->x);
        x = room->x;
        if (path->v) {
            contact_frame_apply(frame, m->map, n, 1, path->v, room->v);
            v = room->v;
        }
    }
    m->own = contact_frame_path(frame, path->n_samples, x, v);
    m->own.smoothing = path->smoothing;
    double origin[3] = {0.0, 0.0, 0.0};
    for (int e = 0; path->origin && e < 3; e++) {
        for (int a = 0; a < frame->n_axes; a++) {
            origin[e] += m->map[e][a] * path->origin[a];
        }
    }
    const struct element_state *carried =
        (const struct element_state *)(const void *)path->origin_state;
    for (int a = 0; a < frame->n_tangential; a++) {
        m->origin[a] = carried ? carried[m->index].slider[a] : origin[frame->direction[a]];
    }
}

static enum masing_status follow(struct element_march *m)
{
    struct contact_sample *samples = m->room->samples;
    int n = m->path->n_samples;
    contact_samples_set(&m->element, &m->own, samples);
    if (m->path->is_periodic) {
        enum masing_status status =
            contact_cycle_find(&m->own, m->origin, m->state ? m->state->slider : NULL, samples,
                               m->room->scratch, &m->cycle);
        if (status == MASING_OK && m->state) {
            element_keep(&samples[0], m->state);
        }
        return status;
    }
    element_restore(m->state, m->own.smoothing, &m->element, m->path->v != NULL, &m->start);
    for (int i = 0; i < n; i++) {
        contact_move(m->own.n_tangential, i == 0 ? &m->start : &samples[i - 1],
                     m->path->n_directions > 0 || m->path->n_parameters > 0, &samples[i]);
    }
    element_keep(&samples[n - 1], m->state);
    return MASING_OK;
}

static void add_columns(struct element_march *m, struct contact_columns *columns)
{
    columns->element = &m->element;
    columns->scratch = m->room->columns;
    if (m->path->is_periodic) {
        contact_columns_of_cycle(&m->own, m->origin, m->room->samples, &m->cycle, columns,
                                 m->room->scratch);
    } else {
        contact_columns_of_stretch(&m->own, &m->start, m->room->samples, columns);
    }
}

static void add_directions(struct element_march *m)
{
    const struct masing_path *path = m->path;
    const struct room *room = m->room;
    size_t n = (size_t)path->n_samples, d = (size_t)path->n_directions;
    struct contact_columns columns = {
        .n = path->n_directions, .dx = path->dx, .dv = path->dv, .df = m->forces->df};
    if (!m->frame->has_rotations) {
        add_columns(m, &columns);
        return;
    }
    contact_frame_apply(m->frame, m->map, n, d, path->dx, room->dx);
    columns.dx = room->dx;
    if (path->dv) {
        contact_frame_apply(m->frame, m->map, n, d, path->dv, room->dv);
        columns.dv = room->dv;
    }
    memset(room->df, 0, sizeof(double) * n * 3 * d);
    columns.df = room->df;
    add_columns(m, &columns);
    contact_frame_add(m->frame, m->map, n, d, room->df, m->forces->df);
}

/* The element's place moves with the patch's size: dx = dG x, df = G^T df + dG^T f. */
static void move_element(struct element_march *m, const double *in, double *out)
{
    size_t p = (size_t)m->path->n_parameters, n_axes = (size_t)m->frame->n_axes;
    for (size_t i = 0; i < (size_t)m->path->n_samples; i++) {
        for (size_t k = 0; k < p; k++) {
            double map[3][6];
            contact_frame_map_change(m->frame, m->room->change[k].y, m->room->change[k].z, map);
            for (size_t e = 0; e < 3; e++) {
                double sum = 0.0;
                for (size_t a = 0; a < n_axes; a++) {
                    sum += map[e][a] * in[i * n_axes + a];
                }
                out[(i * 3 + e) * p + k] = sum;
            }
        }
    }
}

/* Where its slider stands moves with it. */
static void move_origin(struct element_march *m)
{
    size_t p = (size_t)m->path->n_parameters;
    memset(m->room->origin, 0, sizeof(double) * 2 * p);
    for (size_t k = 0; k < p && m->path->origin && !m->path->origin_state; k++) {
        double map[3][6];
        contact_frame_map_change(m->frame, m->room->change[k].y, m->room->change[k].z, map);
        for (int i = 0; i < m->frame->n_tangential; i++) {
            for (int a = 0; a < m->frame->n_axes; a++) {
                m->room->origin[(size_t)i * p + k] +=
                    map[m->frame->direction[i]][a] * m->path->origin[a];
            }
        }
    }
}

static void add_moved_forces(struct element_march *m)
{
    size_t p = (size_t)m->path->n_parameters, n_axes = (size_t)m->frame->n_axes;
    for (size_t i = 0; i < (size_t)m->path->n_samples; i++) {
        for (size_t k = 0; k < p; k++) {
            double map[3][6];
            contact_frame_map_change(m->frame, m->room->change[k].y, m->room->change[k].z, map);
            for (size_t a = 0; a < n_axes; a++) {
                for (size_t e = 0; e < 3; e++) {
                    m->forces->dfp[(i * n_axes + a) * p + k] +=
                        map[e][a] * m->room->f[i * 3 + e];
                }
            }
        }
    }
}

static void add_parameters(struct element_march *m)
{
    const struct masing_path *path = m->path;
    const struct room *room = m->room;
    size_t n = (size_t)path->n_samples, p = (size_t)path->n_parameters;
    for (size_t k = 0; k < p; k++) {
        m->law->contact->element(m->parameters, path->dp[k], m->index, &room->change[k]);
    }
    struct contact_columns columns = {
        .n = path->n_parameters, .change = room->change, .df = m->forces->dfp};
    if (!m->frame->has_rotations) {
        add_columns(m, &columns);
        return;
    }
    move_element(m, path->x, room->dxp);
    move_origin(m);
    columns.dx = room->dxp;
    columns.origin = room->origin;
    if (path->v) {
        move_element(m, path->v, room->dvp);
        columns.dv = room->dvp;
    }
    memset(room->dfp, 0, sizeof(double) * n * 3 * p);
    columns.df = room->dfp;
    add_columns(m, &columns);
    contact_frame_add(m->frame, m->map, n, p, room->dfp, m->forces->dfp);
    add_moved_forces(m);
}

static void add_forces(struct element_march *m)
{
    size_t n = (size_t)m->path->n_samples;
    if (!m->frame->has_rotations) {
        contact_forces_add(&m->element, &m->own, m->room->samples, m->forces->f);
        return;
    }
    memset(m->room->f, 0, sizeof(double) * n * 3);
    contact_forces_add(&m->element, &m->own, m->room->samples, m->room->f);
    contact_frame_add(m->frame, m->map, n, 1, m->room->f, m->forces->f);
}

/* Work of the element's forces over the path, J, where there are velocities. */
static double work(const struct element_march *m)
{
    double sum = 0.0;
    for (int i = 0; m->path->v && i < m->path->n_samples; i++) {
        const struct contact_sample *sample = &m->room->samples[i];
        double normal = sample->local.force - m->element.preload;
        if (m->own.normal >= 0) {
            sum += normal * m->own.v[i * m->own.n_axes + m->own.normal];
        }
        for (int a = 0; a < m->own.n_tangential; a++) {
            sum += sample->local.stiffness * (sample->v[a] - sample->slider[a]) *
                   sample->velocity[a];
        }
    }
    return sum * m->path->time_step;
}

static void add_shares(const struct element_march *m)
{
    struct masing_forces *forces = m->forces;
    int n = m->path->n_samples, n_slip = 0, n_open = 0;
    double slid = 0.0;
    for (int i = 0; i < n; i++) {
        slid += contact_slid(&m->room->samples[(i + n - 1) % n], &m->room->samples[i]);
        n_slip += m->room->samples[i].is_slip;
        n_open += m->room->samples[i].local.is_open;
    }
    double slip = (double)n_slip / n, open = (double)n_open / n;
    double part = 1.0 / contact_count(m->law, m->parameters);
    forces->slip_share += part * slip;
    forces->open_share += part * open;
    forces->slip_distance += part * (m->path->is_periodic ? slid : (double)NAN);
    forces->slip_margin =
        fmax(forces->slip_margin, contact_slip_margin(&m->own, m->origin, m->room->samples));
    if (forces->elements) {
        forces->elements[m->index] =
            (struct masing_element){.open = open, .slip = slip, .loss = work(m)};
    }
}

static void clear(const struct masing_path *path, struct masing_forces *forces)
{
    size_t rows = (size_t)path->n_samples * (size_t)path->n_axes;
    memset(forces->f, 0, sizeof(double) * rows);
    if (path->n_directions > 0) {
        memset(forces->df, 0, sizeof(double) * rows * (size_t)path->n_directions);
    }
    if (path->n_parameters > 0) {
        memset(forces->dfp, 0, sizeof(double) * rows * (size_t)path->n_parameters);
    }
    forces->slip_share = forces->open_share = forces->slip_distance = 0.0;
    forces->slip_margin = -1.0;
}

enum masing_status contact_march(const struct masing_law *law, const void *parameters,
                                 const struct masing_path *path, double *state,
                                 struct masing_forces *forces, struct masing_tangents *tangents,
                                 double *workspace)
{
    enum masing_status status = MASING_OK;
    struct contact_frame frame = contact_frame_of(law->contact->axes(parameters));
    struct room room;
    if (tangents || frame.n_axes != path->n_axes ||
        (masing_law_needs_velocity(law, parameters) && !path->v)) {
        return MASING_INTERNAL;
    }
    lay_out(law, path->n_samples, path->n_directions, path->n_parameters, workspace, &room);
    clear(path, forces);
    struct element_state *states = (struct element_state *)(void *)state;
    for (int e = 0; e < contact_count(law, parameters) && status == MASING_OK; e++) {
        struct element_march m = {.law = law,
                                  .parameters = parameters,
                                  .path = path,
                                  .frame = &frame,
                                  .room = &room,
                                  .state = states ? states + e : NULL,
                                  .forces = forces,
                                  .index = e};
        place_element(&m);
        status = follow(&m);
        if (status == MASING_OK) {
            add_forces(&m);
            add_shares(&m);
            if (path->n_directions > 0) {
                add_directions(&m);
            }
            if (path->n_parameters > 0) {
                add_parameters(&m);
            }
        }
    }
    return status;
}
