/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a joint of several axes is moved: along a line in the tangential plane of a contact, or
 * round a circle in it. All other axes stay where they are, the normal one at the preload. A
 * joint of one axis is moved along that.
 */
#ifndef MASING_ANALYSES_LOOP_PLANE_H
#define MASING_ANALYSES_LOOP_PLANE_H

#include "masing/loop.h"

struct loop_plane {
    int n_axes;
    bool is_circle;
    /* Unit vectors over the axes that are there: of the displacement, and of the second one of
     * a circle, which is a quarter of a period ahead. */
    double first[MASING_MAX_AXES], second[MASING_MAX_AXES];
};

/* Errors: MASING_INVALID for a path that the joint cannot take, MASING_UNSUPPORTED for a law of
 * several axes that is no contact. */
enum masing_status loop_plane_choose(const struct masing_law *law, const void *parameters,
                                     const struct masing_loop_path *path,
                                     struct loop_plane *plane, struct masing_error *error);

#endif
