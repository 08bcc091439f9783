/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contact elements between two bodies: normal force with separation, friction in one or two
 * directions with a circular limit that follows the normal force (Voldrich 2009, section 2).
 */
#include <string.h>

#include "laws/contact/columns.h"
#include "laws/contact/frame.h"
#include "laws/contact/march.h"
#include "laws/contact/state.h"

static size_t state_size(const struct masing_law *law, const void *parameters)
{
    return ELEMENT_STATE_SIZE * (size_t)contact_count(law, parameters);
}

static void rest(const struct masing_law *law, const void *parameters, const double *origin,
                 double *state)
{
    struct contact_frame frame = contact_frame_of(law->contact->axes(parameters));
    struct element_state *states = (struct element_state *)(void *)state;
    for (int e = 0; e < contact_count(law, parameters); e++) {
        struct masing_contact_element element;
        double map[3][6], place[3] = {0.0, 0.0, 0.0};
        law->contact->element(parameters, NULL, e, &element);
        contact_frame_map(&frame, element.y, element.z, map);
        for (int i = 0; i < 3; i++) {
            for (int a = 0; a < frame.n_axes; a++) {
                place[i] += map[i][a] * origin[a];
            }
        }
        states[e] = (struct element_state){.u = place[0]};
        for (int a = 0; a < frame.n_tangential; a++) {
            states[e].slider[a] = states[e].v[a] = place[frame.direction[a]];
        }
    }
}

/* The axes as directions of a path of one sample: dx = 1, dv = 1 in turn. */
struct unit_step {
    double x[3], v[3];
    double dx[3 * 12], dv[3 * 12], df[3 * 12];
};

/* One element over one step, on its own axes u, v, w: f [3], tangents [3][6] of the joint. */
static void step_element(const struct contact_frame *frame, double map[3][6],
                         const struct masing_contact_element *element, const double *x,
                         const double *v, const struct element_state *from,
                         struct element_state *to, double *f, double *fx, double *fv)
{
    size_t n = (size_t)frame->n_axes, n_columns = 2 * n;
    double scratch[10 * 12];
    struct unit_step unit = {.x = {0.0}};
    for (size_t e = 0; e < 3; e++) {
        for (size_t a = 0; a < n; a++) {
            unit.x[e] += map[e][a] * x[a];
            unit.v[e] += v ? map[e][a] * v[a] : 0.0;
            unit.dx[e * n_columns + a] = map[e][a];
            unit.dv[e * n_columns + n + a] = map[e][a];
        }
    }
    struct contact_path path = {.n_samples = 1,
                                .n_axes = 3,
                                .normal = 0,
                                .n_tangential = frame->n_tangential,
                                .x = unit.x,
                                .v = v ? unit.v : NULL};
    for (int a = 0; a < frame->n_tangential; a++) {
        path.tangential[a] = frame->direction[a];
    }
    struct contact_sample start, end;
    element_restore(from, 0.0, element, v != NULL, &start);
    contact_sample_set(element, &path, 0, &end);
    contact_move(path.n_tangential, &start, true, &end);
    element_keep(&end, to);
    const struct contact_columns columns = {.element = element,
                                            .n = (int)n_columns,
                                            .dx = unit.dx,
                                            .dv = unit.dv,
                                            .df = unit.df,
                                            .scratch = scratch};
    double force[3] = {0.0, 0.0, 0.0};
    contact_forces_add(element, &path, &end, force);
    contact_columns_of_stretch(&path, &start, &end, &columns);
    for (size_t a = 0; a < n; a++) {
        for (size_t e = 0; e < 3; e++) {
            f[a] += map[e][a] * force[e];
            for (size_t b = 0; b < n; b++) {
                fx[a * n + b] += map[e][a] * unit.df[e * n_columns + b];
                fv[a * n + b] += map[e][a] * unit.df[e * n_columns + n + b];
            }
        }
    }
}

static enum masing_status step(const struct masing_law *law, const void *parameters,
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
        struct masing_contact_element element;
        double map[3][6];
        law->contact->element(parameters, NULL, e, &element);
        contact_frame_map(&frame, element.y, element.z, map);
        step_element(&frame, map, &element, x, v, &from[e], &to[e], f, fx, fv);
    }
    return MASING_OK;
}

const struct masing_family masing_family_contact = {
    .name = "contact",
    .summary = "normal force with separation, friction within a circle that follows it",
    .settling_periods = -1,
    .state_size = state_size,
    .workspace_size = contact_workspace_size,
    .rest = rest,
    .march = contact_march,
    .step = step,
};
