/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the elements of a patch lie, found from their places. */
#include <math.h>

#include "plot/contact_map.h"

static double place(const struct contact_map_element *element, int axis)
{
    return axis == 0 ? element->y : element->z;
}

/* Smallest distance of two elements along an axis that counts as one; 0: all stand alike. */
static double pitch(const struct contact_map_view *view, int axis, double low, double high)
{
    const double alike = 1e-6;
    double smallest = INFINITY, at = place(contact_map_element(view, 0), axis);
    for (int i = 1; i < view->n_elements; i++) {
        double distance = fabs(place(contact_map_element(view, i), axis) - at);
        if (distance > alike * (high - low)) {
            smallest = fmin(smallest, distance);
        }
    }
    return isfinite(smallest) ? smallest : 0.0;
}

struct contact_map_grid contact_map_find_grid(const struct contact_map_view *view)
{
    struct contact_map_grid grid = {.low = {INFINITY, INFINITY},
                                    .high = {-INFINITY, -INFINITY}};
    for (int i = 0; i < view->n_elements; i++) {
        for (int axis = 0; axis < 2; axis++) {
            double at = place(contact_map_element(view, i), axis);
            if (!isfinite(at)) {
                return grid;
            }
            grid.low[axis] = fmin(grid.low[axis], at);
            grid.high[axis] = fmax(grid.high[axis], at);
        }
    }
    if (view->n_panels > 1 || view->n_elements < 2) {
        return grid;
    }
    double area = contact_map_element(view, 0)->area;
    for (int axis = 0; axis < 2; axis++) {
        grid.size[axis] = pitch(view, axis, grid.low[axis], grid.high[axis]);
    }
    for (int axis = 0; axis < 2; axis++) {
        double other = grid.size[1 - axis];
        if (grid.size[axis] == 0.0) { /* one row: its width is what the area leaves */
            grid.size[axis] = area > 0.0 ? area / other : other;
        }
    }
    for (int axis = 0; axis < 2; axis++) {
        grid.low[axis] -= 0.5 * grid.size[axis];
        grid.high[axis] += 0.5 * grid.size[axis];
        grid.is_map = grid.size[0] > 0.0 && grid.size[1] > 0.0;
    }
    return grid;
}
