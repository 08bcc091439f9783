/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/loop/plane.h"

#include <math.h>

/* Axes of a contact, see masing_contact. */
enum { AXIS_NORMAL, AXIS_Y, AXIS_Z };

static const double HALF_TURN = 180.0, RADIANS = 0.017453292519943295769236907685;

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

/* Place among the axes that are there, -1: it is fixed. */
static int place_of(unsigned axes, int axis)
{
    int place = 0;
    for (int a = 0; a < axis; a++) {
        place += (axes >> a & 1u) != 0;
    }
    return axes >> axis & 1u ? place : -1;
}

static enum masing_status choose_plane(const struct masing_law *law, unsigned axes,
                                       const struct masing_loop_path *path,
                                       struct loop_plane *plane, struct masing_error *error)
{
    int y = place_of(axes, AXIS_Y), z = place_of(axes, AXIS_Z);
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

enum masing_status loop_plane_choose(const struct masing_law *law, const void *parameters,
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
