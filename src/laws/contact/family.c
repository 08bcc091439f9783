/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contact elements between two bodies: normal force with separation, friction in one or two
 * directions with a circular limit that follows the normal force (Voldrich 2009, section 2).
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "laws/contact/columns.h"
#include "laws/contact/frame.h"

static void rest(const struct masing_law *law, const void *parameters, const double *origin,
                 double *state)
{
    struct contact_frame frame = contact_frame_of(law->contact->axes(parameters));
    struct element_state *states = (struct element_state *)(void *)state;
    for (int e = 0; e < contact_count(law, parameters); e++) {
        struct masing_contact_element element;
        double map[3][6], place[3];
        law->contact->element(parameters, NULL, e, &element);
        contact_frame_map(&frame, element.y, element.z, map);
        contact_frame_apply(&frame, map, 1, 1, origin, place);
        states[e] = (struct element_state){.u = place[0]};
        for (int a = 0; a < frame.n_tangential; a++) {
            states[e].slider[a] = states[e].v[a] = place[frame.direction[a]];
        }
    }
}

static bool may_rotate(const struct masing_law *law)
{
    return law->n_axes > 3;
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
    double *origin;                        /* [4][n_parameters] of x, y, z and nothing */
};

static size_t lay_out(const struct masing_law *law, int n_samples, int n_directions,
                      int n_parameters, double *at, struct room *room)
{
    size_t n = (size_t)n_samples, d = (size_t)n_directions, p = (size_t)n_parameters;
    size_t rotating = may_rotate(law) ? 3 * n : 0, z = sizeof(double);
    struct memory_room rest = {at, 0};
    room->samples = memory_take(&rest, n, sizeof *room->samples);
    room->scratch = memory_take(&rest, 3 * n, z);
    room->columns = memory_take(&rest, CONTACT_COLUMNS_VECTORS * (d > p ? d : p), z);
    room->change = memory_take(&rest, p, sizeof *room->change);
    room->x = memory_take(&rest, rotating, z);
    room->v = memory_take(&rest, rotating, z);
    room->f = memory_take(&rest, rotating, z);
    room->dx = memory_take(&rest, rotating * d, z);
    room->dv = memory_take(&rest, rotating * d, z);
    room->df = memory_take(&rest, rotating * d, z);
    room->dxp = memory_take(&rest, rotating * p, z);
    room->dvp = memory_take(&rest, rotating * p, z);
    room->dfp = memory_take(&rest, rotating * p, z);
    room->origin = memory_take(&rest, 4 * p, z);
    return rest.size;
}

static size_t workspace_size(const struct masing_law *law, int n_samples, int n_directions,
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
    double map[3][6];
    struct contact_path own;
    double origin[2];
    struct element_state *state; /* NULL: none was given */
    double *dstate;              /* open paths: [ELEMENT_STATE_SIZE][n_directions], or NULL */
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
    if (path->origin) {
        contact_frame_apply(frame, m->map, 1, 1, path->origin, origin);
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
    for (int i = 0; i < n; i++) {
        contact_sample_set(&m->element, &m->own, i, &samples[i]);
    }
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
        contact_columns_of_cycle(&m->own, m->origin, m->room->samples, &m->cycle, columns);
    } else {
        contact_columns_of_open_path(&m->own, &m->start, m->room->samples, columns);
    }
}

static void add_directions(struct element_march *m)
{
    const struct masing_path *path = m->path;
    const struct room *room = m->room;
    size_t n = (size_t)path->n_samples, d = (size_t)path->n_directions;
    struct contact_columns columns = {
        .n = path->n_directions,
        .dx = path->dx,
        .dv = path->dv,
        .state = m->dstate,
        .df = m->forces->df,
    };
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

/* out [n][3][n_parameters] of parameter k = dG in [n][n_axes] */
static void move_element(const struct element_march *m, double map[3][6], size_t k, size_t n,
                         const double *in, double *out)
{
    size_t p = (size_t)m->path->n_parameters, n_axes = (size_t)m->frame->n_axes;
    for (size_t i = 0; i < n; i++) {
        for (size_t e = 0; e < 3; e++) {
            double sum = 0.0;
            for (size_t a = 0; a < n_axes; a++) {
                sum += map[e][a] * in[i * n_axes + a];
            }
            out[(i * 3 + e) * p + k] = sum;
        }
    }
}

/* The element's place moves with the patch's size: dx = dG x, df = G^T df + dG^T f. */
static void add_moved(struct element_march *m, struct contact_columns *columns)
{
    const struct masing_path *path = m->path;
    const struct room *room = m->room;
    size_t n = (size_t)path->n_samples, p = (size_t)path->n_parameters;
    double map[3][6];
    memset(room->origin, 0, sizeof(double) * 4 * p);
    memset(room->dfp, 0, sizeof(double) * n * 3 * p);
    for (size_t k = 0; k < p; k++) {
        contact_frame_map_change(m->frame, room->change[k].y, room->change[k].z, map);
        move_element(m, map, k, n, path->x, room->dxp);
        if (path->v) {
            move_element(m, map, k, n, path->v, room->dvp);
        }
        if (path->origin && !path->origin_state) {
            move_element(m, map, k, 1, path->origin, room->origin);
        }
    }
    columns->dx = room->dxp;
    columns->dv = path->v ? room->dvp : NULL;
    columns->origin = room->origin + (size_t)m->frame->direction[0] * p;
    columns->df = room->dfp;
    add_columns(m, columns);
    contact_frame_add(m->frame, m->map, n, p, room->dfp, m->forces->dfp);
    for (size_t k = 0; k < p; k++) {
        contact_frame_map_change(m->frame, room->change[k].y, room->change[k].z, map);
        for (size_t row = 0; row < n * (size_t)m->frame->n_axes; row++) {
            size_t i = row / (size_t)m->frame->n_axes, a = row % (size_t)m->frame->n_axes;
            for (size_t e = 0; e < 3; e++) {
                m->forces->dfp[row * p + k] += map[e][a] * room->f[i * 3 + e];
            }
        }
    }
}

static void add_parameters(struct element_march *m)
{
    const struct masing_path *path = m->path;
    struct masing_contact_element *change = m->room->change;
    struct contact_columns columns = {
        .n = path->n_parameters, .change = change, .df = m->forces->dfp};
    for (int k = 0; k < path->n_parameters; k++) {
        m->law->contact->element(m->parameters, path->dp[k], m->index, &change[k]);
    }
    if (m->frame->has_rotations) {
        add_moved(m, &columns);
    } else {
        add_columns(m, &columns);
    }
}

static void add_path_forces(struct element_march *m)
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
static double work_of(const struct element_march *m)
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
            (struct masing_element){.open = open, .slip = slip, .loss = work_of(m)};
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

static enum masing_status march(const struct masing_law *law, const void *parameters,
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
    int n = path->n_elements > 0 ? path->n_elements : contact_count(law, parameters);
    int first = path->first_element;
    for (int e = first; e < first + n && status == MASING_OK; e++) {
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
            add_path_forces(&m);
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

/* Directions of a step are taken so many at a time, to need no memory but this. */
enum { PORTION = 24 };
struct portion {
    double columns[CONTACT_COLUMNS_VECTORS * PORTION], state[ELEMENT_STATE_SIZE * PORTION];
    double joint_dx[MASING_MAX_AXES * PORTION], joint_dv[MASING_MAX_AXES * PORTION];
    double joint_df[MASING_MAX_AXES * PORTION];
    double x[3], v[3], f[3], dx[3 * PORTION], dv[3 * PORTION], df[3 * PORTION];
    struct contact_sample sample;
};

/* Columns of a wide array [n_rows][n]. */
struct window {
    size_t first, count, n;
};

/* NULL where there are none. */
static const double *gather(const struct window *window, size_t n_rows, const double *wide,
                            double *rows)
{
    for (size_t r = 0; wide && r < n_rows; r++) {
        memcpy(rows + r * window->count, wide + r * window->n + window->first,
               sizeof(double) * window->count);
    }
    return wide ? rows : NULL;
}

static void scatter(const struct window *window, size_t n_rows, const double *rows,
                    double *wide)
{
    for (size_t r = 0; r < n_rows; r++) {
        memcpy(wide + r * window->n + window->first, rows + r * window->count,
               sizeof(double) * window->count);
    }
}

/* dstate: rows of the element, or NULL */
static void change_portion(struct element_march *m, const struct window *window,
                           const struct masing_step *step, double *dstate,
                           struct portion *portion)
{
    const struct masing_path *whole = m->path;
    struct masing_path path = *whole;
    size_t n_axes = (size_t)path.n_axes;
    path.n_directions = (int)window->count;
    path.dx = gather(window, n_axes, step->dx, portion->joint_dx);
    path.dv = gather(window, n_axes, step->dv, portion->joint_dv);
    gather(window, n_axes, step->df, portion->joint_df);
    m->dstate =
        gather(window, ELEMENT_STATE_SIZE, dstate, portion->state) ? portion->state : NULL;
    m->path = &path;
    add_directions(m);
    m->path = whole;
    scatter(window, n_axes, portion->joint_df, step->df);
    if (dstate) {
        scatter(window, ELEMENT_STATE_SIZE, portion->state, dstate);
    }
}

/* A path of one sample. */
static enum masing_status step(const struct masing_step *step)
{
    const struct masing_law *law = step->law;
    const struct contact_frame frame = contact_frame_of(law->contact->axes(step->parameters));
    const struct element_state *from = (const struct element_state *)(const void *)step->state;
    struct element_state *to = (struct element_state *)(void *)step->next_state;
    struct portion portion;
    const struct room room = {.samples = &portion.sample,
                              .columns = portion.columns,
                              .x = portion.x,
                              .v = portion.v,
                              .f = portion.f,
                              .dx = portion.dx,
                              .dv = portion.dv,
                              .df = portion.df};
    const struct masing_path path = {.n_samples = 1,
                                     .n_axes = frame.n_axes,
                                     .n_directions = step->n,
                                     .x = step->x,
                                     .v = step->v};
    struct masing_forces forces = {.f = step->f, .df = portion.joint_df};
    size_t n = (size_t)step->n;
    if (masing_law_needs_velocity(law, step->parameters) &&
        (!step->v || (n > 0 && !step->dv))) {
        return MASING_INTERNAL;
    }
    memset(step->f, 0, sizeof(double) * (size_t)frame.n_axes);
    if (n > 0) {
        memset(step->df, 0, sizeof(double) * n * (size_t)frame.n_axes);
    }
    for (int e = 0; e < contact_count(law, step->parameters); e++) {
        to[e] = from[e];
        struct element_march m = {.law = law,
                                  .parameters = step->parameters,
                                  .path = &path,
                                  .frame = &frame,
                                  .room = &room,
                                  .state = &to[e],
                                  .forces = &forces,
                                  .index = e};
        place_element(&m);
        follow(&m);
        add_path_forces(&m);
        for (size_t first = 0; first < n; first += PORTION) {
            struct window window = {first, n - first < PORTION ? n - first : PORTION, n};
            double *dstate =
                step->dstate ? step->dstate + (size_t)e * ELEMENT_STATE_SIZE * n : NULL;
            change_portion(&m, &window, step, dstate, &portion);
        }
    }
    return MASING_OK;
}

/* row [n] = map row of axis e times directions [n_axes][n]; zero where there are none */
static void put_row(const struct contact_frame *frame, double map[3][6], int e, size_t n,
                    const double *directions, double *row)
{
    memset(row, 0, sizeof(double) * n);
    for (size_t a = 0; directions && a < (size_t)frame->n_axes; a++) {
        for (size_t k = 0; map[e][a] != 0.0 && k < n; k++) {
            row[k] += map[e][a] * directions[a * n + k];
        }
    }
}

static void state_moved(const struct masing_law *law, const void *parameters, int n,
                        const double *dx, const double *dv, double *dstate)
{
    struct contact_frame frame = contact_frame_of(law->contact->axes(parameters));
    size_t columns = (size_t)n;
    for (int e = 0; e < contact_count(law, parameters); e++) {
        struct masing_contact_element element;
        double map[3][6];
        double *rows = dstate + (size_t)e * ELEMENT_STATE_SIZE * columns;
        double *v = rows + ELEMENT_STATE_V * columns;
        double *velocity = rows + ELEMENT_STATE_VELOCITY * columns;
        law->contact->element(parameters, NULL, e, &element);
        contact_frame_map(&frame, element.y, element.z, map);
        put_row(&frame, map, CONTACT_X, columns, dx, rows + ELEMENT_STATE_U * columns);
        for (size_t a = 0; a < 2; a++) {
            bool is_there = a < (size_t)frame.n_tangential;
            int axis = frame.direction[a];
            put_row(&frame, map, axis, columns, is_there ? dx : NULL, v + a * columns);
            put_row(&frame, map, axis, columns, is_there ? dv : NULL, velocity + a * columns);
        }
    }
}

const struct masing_family masing_family_contact = {
    .name = "contact",
    .summary = "normal force with separation, friction within a circle that follows it",
    .settling_periods = -1,
    .n_state = ELEMENT_STATE_SIZE,
    .workspace_size = workspace_size,
    .rest = rest,
    .march = march,
    .step = step,
    .state_moved = state_moved,
    .flow = &flow_contact,
    .has_parts = true,
};
