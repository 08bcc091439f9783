/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/loop/march.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"

/* Axes of a contact, see masing_contact. */
enum { AXIS_NORMAL, AXIS_Y, AXIS_Z };

static const double HALF_TURN = 180.0, RADIANS = PI / 180.0;

/* Cosine and sine, exact at quarter turns. */
static void direction(double degrees, double *cosine, double *sine)
{
    double quarters = degrees / 90.0;
    double rest = quarters - round(quarters);
    int turns = (int)(fmod(round(quarters), 4.0) + 4.0) % 4;
    double c = cos(90.0 * rest * RADIANS), s = sin(90.0 * rest * RADIANS);
    const double cosines[] = {c, -s, -c, s}, sines[] = {s, c, -s, -c};
    *cosine = cosines[turns];
    *sine = sines[turns];
}

/* Index among the axes that are there, -1: it is fixed. */
static int axis_index(unsigned axes, int axis)
{
    int index = 0;
    for (int a = 0; a < axis; a++) {
        index += (axes >> a & 1u) != 0;
    }
    return axes >> axis & 1u ? index : -1;
}

static enum masing_status choose_plane(const struct masing_law *law, unsigned axes,
                                       const struct masing_loop_path *path,
                                       struct loop_plane *plane, struct masing_error *error)
{
    int y = axis_index(axes, AXIS_Y), z = axis_index(axes, AXIS_Z);
    int only = y >= 0 ? y : z;
    if (only < 0) {
        return masing_error_set(error, MASING_INVALID,
                                "the joint has no tangential direction to be moved in");
    }
    if (y >= 0 && z >= 0) {
        double cosine, sine;
        direction(path->is_circle ? 0.0 : path->degrees, &cosine, &sine);
        plane->first[y] = cosine;
        plane->first[z] = sine;
        plane->second[z] = path->is_circle ? 1.0 : 0.0;
        return MASING_OK;
    }
    if (path->is_circle || fmod(path->degrees, HALF_TURN) != 0.0) {
        return masing_error_set(error, MASING_INVALID,
                                "the path leaves the only tangential direction that the joint "
                                "has, '%s', expected line:0 or line:180",
                                law->axis_names[y >= 0 ? AXIS_Y : AXIS_Z]);
    }
    plane->first[only] = fmod(path->degrees, 2.0 * HALF_TURN) == 0.0 ? 1.0 : -1.0;
    return MASING_OK;
}

static enum masing_status choose_motion(const struct masing_law *law, const void *parameters,
                                        const struct masing_loop_path *path,
                                        struct loop_plane *plane, struct masing_error *error)
{
    static const struct masing_loop_path along = {.degrees = 0.0};
    *plane = (struct loop_plane){.n_axes = 1, .is_circle = path && path->is_circle};
    if (law->contact) {
        unsigned axes = law->contact->axes(parameters);
        plane->n_axes = 0;
        for (int a = 0; a < MASING_MAX_AXES; a++) {
            plane->n_axes += (axes >> a & 1u) != 0;
        }
        return choose_plane(law, axes, path ? path : &along, plane, error);
    }
    if (law->n_axes != 1) {
        return masing_error_set(error, MASING_UNSUPPORTED,
                                "loops of law '%s', which has several axes and is no contact, "
                                "are not supported",
                                law->name);
    }
    if (path) {
        return masing_error_set(error, MASING_INVALID,
                                "a path in the tangential plane belongs to contacts; law '%s' "
                                "has one axis",
                                law->name);
    }
    plane->first[0] = 1.0;
    return MASING_OK;
}

static const double origin[MASING_MAX_AXES];

enum masing_status loop_march_create(const struct masing_law *law, const void *parameters,
                                     const struct masing_loop_path *path,
                                     struct loop_march *march, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    *march = (struct loop_march){.law = law, .parameters = parameters};
    TRY(choose_motion(law, parameters, path, &march->plane, error));
    march->state_size = law->family->state_size(law, parameters);
    march->state = memory_array(3 * march->state_size, sizeof(double));
    TRY_ALLOCATED(march->state);
    march->found = march->state + march->state_size;
    march->scratch = march->found + march->state_size;
done:
    return status;
}

void loop_march_clear(struct loop_march *march)
{
    free(march->samples);
    free(march->state);
}

enum masing_status loop_march_reserve(struct loop_march *march, int n_samples,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_law *law = march->law;
    double **const plain[] = {&march->x, &march->v, &march->f, &march->steady};
    double **const circle[] = {&march->x2, &march->v2, &march->f2, &march->steady2};
    double **const joint[] = {&march->joint_x, &march->joint_v, &march->joint_f};
    size_t n = (size_t)n_samples + 1, n_axes = (size_t)march->plane.n_axes;
    size_t n_circle = march->plane.is_circle ? n : 0, n_joint = n_axes > 1 ? n * n_axes : 0;
    size_t n_workspace = law->family->workspace_size(law, n_samples + 1, 0, 0);
    if (n_samples <= march->capacity) {
        return MASING_OK;
    }
    free(march->samples);
    march->samples =
        memory_array(4 * n + 4 * n_circle + 3 * n_joint + n_workspace, sizeof(double));
    march->capacity = march->samples ? n_samples : 0;
    TRY_ALLOCATED(march->samples);
    double *rest = march->samples;
    for (int i = 0; i < 4; i++) {
        *plain[i] = memory_part(&rest, n);
        *circle[i] = memory_part(&rest, n_circle);
    }
    for (int i = 0; i < 3; i++) {
        *joint[i] = memory_part(&rest, n_joint);
    }
    march->workspace = rest;
done:
    return status;
}

void loop_march_rest(struct loop_march *march)
{
    march->law->family->rest(march->law, march->parameters, origin, march->state);
}

/* Joint axes from displacements, or velocities, along the path. */
static void spread(const struct loop_plane *plane, const double *along, const double *ahead,
                   int count, double *joint)
{
    size_t n_axes = (size_t)plane->n_axes;
    for (size_t i = 0; i < (size_t)count; i++) {
        for (size_t a = 0; a < n_axes; a++) {
            joint[i * n_axes + a] =
                plane->first[a] * along[i] + (ahead ? plane->second[a] * ahead[i] : 0.0);
        }
    }
}

static void project(const struct loop_plane *plane, const double *direction,
                    const double *joint, int count, double *along)
{
    size_t n_axes = (size_t)plane->n_axes;
    for (size_t i = 0; i < (size_t)count; i++) {
        along[i] = 0.0;
        for (size_t a = 0; a < n_axes; a++) {
            along[i] += direction[a] * joint[i * n_axes + a];
        }
    }
}

/* Samples of the march from `first` on; forces along the path go to force and force2. */
static enum masing_status follow(struct loop_march *march, struct masing_path path, int first,
                                 double *state, double *force, double *force2,
                                 double *slip_share)
{
    const struct loop_plane *plane = &march->plane;
    bool is_plain = plane->n_axes == 1;
    struct masing_forces forces = {.f = is_plain ? force : march->joint_f};
    path.n_axes = plane->n_axes;
    path.origin = origin;
    path.x = is_plain ? march->x + first : march->joint_x;
    path.v = is_plain ? march->v + first : march->joint_v;
    if (!is_plain) {
        bool is_circle = plane->is_circle;
        spread(plane, march->x + first, is_circle ? march->x2 + first : NULL, path.n_samples,
               march->joint_x);
        spread(plane, march->v + first, is_circle ? march->v2 + first : NULL, path.n_samples,
               march->joint_v);
    }
    enum masing_status status = march->law->family->march(
        march->law, march->parameters, &path, state, &forces, NULL, march->workspace);
    if (!is_plain) {
        project(plane, plane->first, march->joint_f, path.n_samples, force);
    }
    if (plane->is_circle) {
        project(plane, plane->second, march->joint_f, path.n_samples, force2);
    }
    *slip_share = forces.slip_share;
    return status;
}

enum masing_status loop_march_open(struct loop_march *march, int first, int count,
                                   double time_step, double *slip_share)
{
    const struct masing_path path = {.n_samples = count, .time_step = time_step};
    double *force2 = march->plane.is_circle ? march->f2 + first : NULL;
    return follow(march, path, first, march->state, march->f + first, force2, slip_share);
}

enum masing_status loop_march_step(struct loop_march *march, double from, double x,
                                   double *force)
{
    const struct loop_plane *plane = &march->plane;
    const double still[MASING_MAX_AXES] = {0.0};
    double start[MASING_MAX_AXES], end[MASING_MAX_AXES], f[MASING_MAX_AXES];
    double fx[MASING_MAX_AXES * MASING_MAX_AXES], fv[MASING_MAX_AXES * MASING_MAX_AXES];
    spread(plane, &from, NULL, 1, start);
    spread(plane, &x, NULL, 1, end);
    enum masing_status status =
        march->law->family->step(march->law, march->parameters, start, end, still, march->state,
                                 march->scratch, f, fx, fv);
    project(plane, plane->first, f, 1, force);
    return status;
}

enum masing_status loop_march_periodic(struct loop_march *march, int n_samples,
                                       double time_step, double *guess, double *force,
                                       double *slip_share)
{
    const struct masing_path path = {
        .n_samples = n_samples, .is_periodic = true, .time_step = time_step};
    double *force2 = force == march->f ? march->f2 : march->steady2;
    enum masing_status status = follow(march, path, 0, guess, force, force2, slip_share);
    force[n_samples] = force[0];
    if (march->plane.is_circle) {
        force2[n_samples] = force2[0];
    }
    return status;
}
