/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/contact/frame.h"

#include <string.h>

struct contact_frame contact_frame_of(unsigned axes)
{
    struct contact_frame frame = {0};
    for (int a = 0; a < MASING_MAX_AXES; a++) {
        frame.place[a] = axes & (1u << a) ? frame.n_axes++ : -1;
    }
    const int *place = frame.place;
    frame.has_rotations =
        place[CONTACT_RX] >= 0 || place[CONTACT_RY] >= 0 || place[CONTACT_RZ] >= 0;
    for (int a = CONTACT_Y; a <= CONTACT_Z; a++) {
        if (place[a] >= 0 || place[CONTACT_RX] >= 0) {
            frame.direction[frame.n_tangential++] = a;
        }
    }
    return frame;
}

static void put(const struct contact_frame *frame, int axis, double value, double *row)
{
    if (frame->place[axis] >= 0) {
        row[frame->place[axis]] = value;
    }
}

void contact_frame_map_change(const struct contact_frame *frame, double dy, double dz,
                              double map[3][6])
{
    memset(map, 0, sizeof(double) * 18);
    put(frame, CONTACT_RY, dz, map[0]);
    put(frame, CONTACT_RZ, -dy, map[0]);
    put(frame, CONTACT_RX, -dz, map[1]);
    put(frame, CONTACT_RX, dy, map[2]);
}

void contact_frame_map(const struct contact_frame *frame, double y, double z, double map[3][6])
{
    contact_frame_map_change(frame, y, z, map);
    put(frame, CONTACT_X, 1.0, map[0]);
    put(frame, CONTACT_Y, 1.0, map[1]);
    put(frame, CONTACT_Z, 1.0, map[2]);
}

struct contact_path contact_frame_path(const struct contact_frame *frame, int n_samples,
                                       const double *x, const double *v)
{
    struct contact_path path = {.n_samples = n_samples,
                                .n_axes = frame->has_rotations ? 3 : frame->n_axes,
                                .normal = frame->has_rotations ? 0 : frame->place[CONTACT_X],
                                .n_tangential = frame->n_tangential,
                                .x = x,
                                .v = v};
    for (int a = 0; a < frame->n_tangential; a++) {
        path.tangential[a] =
            frame->has_rotations ? frame->direction[a] : frame->place[frame->direction[a]];
    }
    return path;
}

static void add_scaled(size_t n, double factor, const double *in, double *out)
{
    for (size_t k = 0; k < n; k++) {
        out[k] += factor * in[k];
    }
}

/* Rows of the joint's axes, mapped to those of the element, or back by the transpose. */
static void add_mapped(const struct contact_frame *frame, double map[3][6], bool is_transposed,
                       size_t n, size_t n_columns, const double *in, double *out)
{
    size_t n_axes = (size_t)frame->n_axes;
    for (size_t i = 0; i < n; i++) {
        for (size_t e = 0; e < 3; e++) {
            for (size_t a = 0; a < n_axes; a++) {
                size_t joint = (i * n_axes + a) * n_columns, element = (i * 3 + e) * n_columns;
                if (map[e][a] != 0.0) {
                    add_scaled(n_columns, map[e][a], in + (is_transposed ? element : joint),
                               out + (is_transposed ? joint : element));
                }
            }
        }
    }
}

void contact_frame_apply(const struct contact_frame *frame, double map[3][6], size_t n,
                         size_t n_columns, const double *in, double *out)
{
    memset(out, 0, sizeof *out * n * 3 * n_columns);
    add_mapped(frame, map, false, n, n_columns, in, out);
}

void contact_frame_add(const struct contact_frame *frame, double map[3][6], size_t n,
                       size_t n_columns, const double *in, double *out)
{
    add_mapped(frame, map, true, n, n_columns, in, out);
}
