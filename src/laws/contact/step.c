/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/contact/step.h"

#include <string.h>

#include "laws/contact/columns.h"
#include "laws/contact/frame.h"

/* One element over one step, on its own axes u, v, w. */
struct element_step {
    const struct contact_frame *frame;
    struct masing_contact_element element;
    double map[3][6];
    double x[3], v[3];
    struct contact_path path; /* of one sample, on x and v */
    struct contact_sample start, end;
};

static void place(struct element_step *step, const struct masing_law *law,
                  const void *parameters, const struct contact_frame *frame, int index)
{
    step->frame = frame;
    law->contact->element(parameters, NULL, index, &step->element);
    contact_frame_map(frame, step->element.y, step->element.z, step->map);
}

static void take(struct element_step *step, const double *x, const double *v,
                 const struct element_state *from, struct element_state *to)
{
    const struct contact_frame *frame = step->frame;
    contact_frame_apply(frame, step->map, 1, 1, x, step->x);
    if (v) {
        contact_frame_apply(frame, step->map, 1, 1, v, step->v);
    }
    step->path = (struct contact_path){.n_samples = 1,
                                       .n_axes = 3,
                                       .normal = 0,
                                       .n_tangential = frame->n_tangential,
                                       .x = step->x,
                                       .v = v ? step->v : NULL};
    for (int a = 0; a < frame->n_tangential; a++) {
        step->path.tangential[a] = frame->direction[a];
    }
    element_restore(from, 0.0, &step->element, v != NULL, &step->start);
    contact_sample_set(&step->element, &step->path, 0, &step->end);
    contact_move(step->path.n_tangential, &step->start, true, &step->end);
    element_keep(&step->end, to);
}

/* The joint's axes as directions: dx = 1, dv = 1 in turn. */
enum { N_UNITS = 2 * MASING_MAX_AXES };
struct units {
    double dx[3 * N_UNITS], dv[3 * N_UNITS], df[3 * N_UNITS];
    double scratch[CONTACT_COLUMNS_VECTORS * N_UNITS];
};

static void add_tangents(const struct element_step *step, double *fx, double *fv)
{
    size_t n = (size_t)step->frame->n_axes, n_columns = 2 * n;
    struct units units = {.dx = {0.0}};
    for (size_t e = 0; e < 3; e++) {
        for (size_t a = 0; a < n; a++) {
            units.dx[e * n_columns + a] = step->map[e][a];
            units.dv[e * n_columns + n + a] = step->map[e][a];
        }
    }
    const struct contact_columns columns = {.element = &step->element,
                                            .n = (int)n_columns,
                                            .dx = units.dx,
                                            .dv = units.dv,
                                            .df = units.df,
                                            .scratch = units.scratch};
    contact_columns_of_stretch(&step->path, &step->start, &step->end, &columns);
    for (size_t a = 0; a < n; a++) {
        for (size_t e = 0; e < 3; e++) {
            for (size_t b = 0; b < n; b++) {
                fx[a * n + b] += step->map[e][a] * units.df[e * n_columns + b];
                fv[a * n + b] += step->map[e][a] * units.df[e * n_columns + n + b];
            }
        }
    }
}

static void add_forces(struct element_step *step, double *f)
{
    double force[3] = {0.0, 0.0, 0.0};
    contact_forces_add(&step->element, &step->path, &step->end, force);
    contact_frame_add(step->frame, step->map, 1, 1, force, f);
}

enum masing_status contact_step(const struct masing_law *law, const void *parameters,
                                const double *x_old, const double *x, const double *v,
                                const double *state, double *next_state, double *f, double *fx,
                                double *fv)
{
    struct contact_frame frame = contact_frame_of(law->contact->axes(parameters));
    const struct element_state *from = (const struct element_state *)(const void *)state;
    struct element_state *to = (struct element_state *)(void *)next_state;
    size_t n = (size_t)frame.n_axes;
    (void)x_old; /* the state knows */
    if (masing_law_needs_velocity(law, parameters) && !v) {
        return MASING_INTERNAL;
    }
    memset(f, 0, sizeof(double) * n);
    memset(fx, 0, sizeof(double) * n * n);
    memset(fv, 0, sizeof(double) * n * n);
    for (int e = 0; e < contact_count(law, parameters); e++) {
        struct element_step step;
        place(&step, law, parameters, &frame, e);
        take(&step, x, v, &from[e], &to[e]);
        add_forces(&step, f);
        add_tangents(&step, fx, fv);
    }
    return MASING_OK;
}

/* Directions are taken so many at a time, to need no memory but this. */
enum { PORTION = 24 };
struct portion {
    double axes[MASING_MAX_AXES * PORTION];
    double dx[3 * PORTION], dv[3 * PORTION], df[3 * PORTION];
    double state[ELEMENT_STATE_SIZE * PORTION];
    double scratch[CONTACT_COLUMNS_VECTORS * PORTION];
};

/* Columns of a wide array [n_rows][n]. */
struct window {
    size_t first, count, n;
};

static void gather(const struct window *window, size_t n_rows, const double *wide, double *rows)
{
    for (size_t r = 0; r < n_rows; r++) {
        memcpy(rows + r * window->count, wide + r * window->n + window->first,
               sizeof(double) * window->count);
    }
}

static void scatter(const struct window *window, size_t n_rows, const double *rows,
                    double *wide)
{
    for (size_t r = 0; r < n_rows; r++) {
        memcpy(wide + r * window->n + window->first, rows + r * window->count,
               sizeof(double) * window->count);
    }
}

/* Of the joint's directions to those of the element; NULL where there are none. */
static const double *map_directions(struct element_step *step, const struct window *window,
                                    const double *wide, double *axes, double *out)
{
    if (!wide) {
        return NULL;
    }
    gather(window, (size_t)step->frame->n_axes, wide, axes);
    contact_frame_apply(step->frame, step->map, 1, window->count, axes, out);
    return out;
}

/* dstate: rows of the element */
static void change_portion(struct element_step *step, const struct window *window,
                           const struct masing_step_change *change, double *dstate)
{
    size_t n_axes = (size_t)step->frame->n_axes;
    struct portion p;
    memset(p.df, 0, sizeof p.df);
    gather(window, ELEMENT_STATE_SIZE, dstate, p.state);
    const struct contact_columns columns = {
        .element = &step->element,
        .n = (int)window->count,
        .dx = map_directions(step, window, change->dx, p.axes, p.dx),
        .dv = map_directions(step, window, change->dv, p.axes, p.dv),
        .state = p.state,
        .df = p.df,
        .scratch = p.scratch};
    contact_columns_of_stretch(&step->path, &step->start, &step->end, &columns);
    scatter(window, ELEMENT_STATE_SIZE, p.state, dstate);
    gather(window, n_axes, change->df, p.axes);
    contact_frame_add(step->frame, step->map, 1, window->count, p.df, p.axes);
    scatter(window, n_axes, p.axes, change->df);
}

enum masing_status contact_step_change(const struct masing_law *law, const void *parameters,
                                       const double *x, const double *v, const double *state,
                                       double *next_state,
                                       const struct masing_step_change *change)
{
    struct contact_frame frame = contact_frame_of(law->contact->axes(parameters));
    const struct element_state *from = (const struct element_state *)(const void *)state;
    struct element_state *to = (struct element_state *)(void *)next_state;
    size_t n = (size_t)change->n;
    if (masing_law_needs_velocity(law, parameters) && (!v || !change->dv)) {
        return MASING_INTERNAL;
    }
    memset(change->df, 0, sizeof(double) * n * (size_t)frame.n_axes);
    for (int e = 0; e < contact_count(law, parameters); e++) {
        struct element_step step;
        place(&step, law, parameters, &frame, e);
        take(&step, x, v, &from[e], &to[e]);
        for (size_t first = 0; first < n; first += PORTION) {
            struct window window = {first, n - first < PORTION ? n - first : PORTION, n};
            change_portion(&step, &window, change,
                           change->dstate + (size_t)e * ELEMENT_STATE_SIZE * n);
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

void contact_state_moved(const struct masing_law *law, const void *parameters, int n,
                         const double *dx, const double *dv, double *dstate)
{
    struct contact_frame frame = contact_frame_of(law->contact->axes(parameters));
    size_t columns = (size_t)n;
    for (int e = 0; e < contact_count(law, parameters); e++) {
        struct element_step step;
        double *rows = dstate + (size_t)e * ELEMENT_STATE_SIZE * columns;
        double *v = rows + ELEMENT_STATE_V * columns;
        double *velocity = rows + ELEMENT_STATE_VELOCITY * columns;
        place(&step, law, parameters, &frame, e);
        put_row(&frame, step.map, CONTACT_X, columns, dx, rows + ELEMENT_STATE_U * columns);
        for (size_t a = 0; a < 2; a++) {
            bool is_there = a < (size_t)frame.n_tangential;
            int axis = frame.direction[a];
            put_row(&frame, step.map, axis, columns, is_there ? dx : NULL, v + a * columns);
            put_row(&frame, step.map, axis, columns, is_there ? dv : NULL,
                    velocity + a * columns);
        }
    }
}
