/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The regime is an array of the elements' stretches, with their constants. */
#include "laws/contact/flow.h"

#include <math.h>
#include <string.h>

#include "laws/contact/frame.h"
#include "laws/contact/state.h"
#include "laws/contact/stretch.h"

enum { STRETCH_SIZE = (sizeof(struct element_stretch) + sizeof(double) - 1) / sizeof(double) };

static void size(const struct masing_law *law, const void *parameters,
                 struct masing_flow_size *size)
{
    struct contact_frame frame = contact_frame_of(law->contact->axes(parameters));
    int n = contact_count(law, parameters);
    *size = (struct masing_flow_size){
        .n_states = frame.n_tangential == 2 ? 2 * n : 0,
        .n_guards = STRETCH_GUARDS * n,
        .n_regime = STRETCH_SIZE * n,
        .guards_by_acceleration = masing_law_needs_velocity(law, parameters),
        .state_size = 1.0,
    };
}

/* All elements of a joint at a point, one after the other. */
struct walk {
    struct contact_frame frame;
    const struct masing_flow_point *point;
    struct element_point at;
};

static double along(const double row[6], int n, const double *axes)
{
    double sum = 0.0;
    for (int a = 0; a < n; a++) {
        sum += row[a] * axes[a];
    }
    return sum;
}

/* How far the element may move. */
static void find_spans(struct walk *walk, const struct element_stretch *stretch)
{
    for (int a = 0; a < walk->frame.n_axes; a++) {
        double size = walk->point->size[a];
        walk->at.u_span += fabs(stretch->map[CONTACT_X][a]) * size;
        for (int t = 0; t < walk->frame.n_tangential; t++) {
            walk->at.v_span += fabs(stretch->map[walk->frame.direction[t]][a]) * size;
        }
    }
}

static void place(struct walk *walk, const struct element_stretch *stretch)
{
    const struct masing_flow_point *point = walk->point;
    int n_axes = walk->frame.n_axes;
    walk->at = (struct element_point){
        .n = stretch->has_friction ? walk->frame.n_tangential : 0,
        .u = along(stretch->map[CONTACT_X], n_axes, point->x),
        .u_rate = along(stretch->map[CONTACT_X], n_axes, point->v),
    };
    for (int a = 0; a < walk->frame.n_tangential; a++) {
        const double *row = stretch->map[walk->frame.direction[a]];
        walk->at.v[a] = along(row, n_axes, point->x);
        walk->at.velocity[a] = along(row, n_axes, point->v);
        walk->at.acceleration[a] = point->a ? along(row, n_axes, point->a) : 0.0;
    }
    if (point->size) {
        find_spans(walk, stretch);
    }
}

static struct element_stretch *stretches_of(double *regime, int element)
{
    return (struct element_stretch *)(void *)(regime + (size_t)element * STRETCH_SIZE);
}

static const struct element_stretch *stretch_of(const double *regime, int element)
{
    return (const struct element_stretch *)(const void *)(regime +
                                                          (size_t)element * STRETCH_SIZE);
}

static struct walk begin_walk(const struct masing_law *law, const void *parameters,
                              const struct masing_flow_point *point)
{
    return (struct walk){.frame = contact_frame_of(law->contact->axes(parameters)),
                         .point = point};
}

/* States of an element; NULL but in the plane. */
static const double *states_of(const struct walk *walk, int element)
{
    return walk->frame.n_tangential == 2 ? walk->point->z + 2 * element : NULL;
}

static bool has_ended(const int *ended)
{
    bool any = false;
    for (int g = 0; g < STRETCH_GUARDS; g++) {
        any = any || ended[g];
    }
    return any;
}

static void enter(const struct masing_law *law, const void *parameters,
                  const struct masing_flow_point *point, const int *ended, double *state,
                  double *regime, double *z)
{
    struct walk walk = begin_walk(law, parameters, point);
    struct element_state *states = (struct element_state *)(void *)state;
    for (int i = 0; i < contact_count(law, parameters); i++) {
        struct element_stretch *stretch = stretches_of(regime, i);
        const int *fired = ended ? ended + (size_t)i * STRETCH_GUARDS : NULL;
        double *e = walk.frame.n_tangential == 2 ? z + 2 * i : NULL;
        if (!fired) {
            law->contact->element(parameters, NULL, i, &stretch->element);
            stretch->has_friction = contact_has_friction(&stretch->element);
            contact_frame_map(&walk.frame, stretch->element.y, stretch->element.z,
                              stretch->map);
            place(&walk, stretch);
            element_stretch_begin(stretch, &walk.at, &states[i], e);
        } else if (has_ended(fired)) {
            place(&walk, stretch);
            element_stretch_next(stretch, &walk.at, fired, &states[i], e);
        }
    }
}

static enum masing_status rate(const struct masing_law *law, const void *parameters,
                               const double *state, const double *regime,
                               const struct masing_flow_point *point, double *f, double *dz)
{
    struct walk walk = begin_walk(law, parameters, point);
    const struct element_state *states = (const struct element_state *)(const void *)state;
    bool is_plane = walk.frame.n_tangential == 2;
    double sum = 0.0;
    memset(f, 0, (size_t)walk.frame.n_axes * sizeof(double));
    for (int i = 0; i < contact_count(law, parameters); i++) {
        const struct element_stretch *stretch = stretch_of(regime, i);
        double forces[3];
        place(&walk, stretch);
        element_stretch_rate(stretch, &walk.at, &states[i], states_of(&walk, i), forces,
                             is_plane ? dz + 2 * i : NULL);
        forces[0] -= stretch->element.preload;
        for (int a = 0; a < walk.frame.n_axes; a++) {
            f[a] += stretch->map[CONTACT_X][a] * forces[0];
            for (int t = 0; t < walk.frame.n_tangential; t++) {
                f[a] += stretch->map[walk.frame.direction[t]][a] * forces[1 + t];
            }
        }
        sum += forces[0] + forces[1] + forces[2] + (is_plane ? dz[2 * i] + dz[2 * i + 1] : 0.0);
    }
    return isfinite(sum) ? MASING_OK : MASING_NOT_FINITE;
}

static void guards(const struct masing_law *law, const void *parameters, const double *state,
                   const double *regime, const struct masing_flow_point *point, double *guards)
{
    struct walk walk = begin_walk(law, parameters, point);
    const struct element_state *states = (const struct element_state *)(const void *)state;
    for (int i = 0; i < contact_count(law, parameters); i++) {
        const struct element_stretch *stretch = stretch_of(regime, i);
        place(&walk, stretch);
        element_stretch_guards(stretch, &walk.at, &states[i], states_of(&walk, i),
                               guards + (size_t)i * STRETCH_GUARDS);
    }
}

static enum masing_status leave(const struct masing_law *law, const void *parameters,
                                const double *regime, const struct masing_flow_point *point,
                                double *state)
{
    struct walk walk = begin_walk(law, parameters, point);
    struct element_state *states = (struct element_state *)(void *)state;
    for (int i = 0; i < contact_count(law, parameters); i++) {
        const struct element_stretch *stretch = stretch_of(regime, i);
        place(&walk, stretch);
        element_stretch_leave(stretch, &walk.at, states_of(&walk, i), &states[i]);
    }
    return MASING_OK;
}

const struct masing_flow masing_flow_of_contact = {
    .size = size,
    .enter = enter,
    .rate = rate,
    .guards = guards,
    .leave = leave,
};
