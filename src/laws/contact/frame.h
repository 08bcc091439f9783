/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How an element follows from the motion of its joint: u = x + z ry - y rz, v = y - z rx,
 * w = z + y rx, its forces acting back by the transpose (Voldrich 2009, eqs 7, 8).
 */
#ifndef MASING_LAWS_CONTACT_FRAME_H
#define MASING_LAWS_CONTACT_FRAME_H

#include "laws/contact/motion.h"

enum { CONTACT_X, CONTACT_Y, CONTACT_Z, CONTACT_RX, CONTACT_RY, CONTACT_RZ };

/* Joints of the family as differential equations, flow.c. */
extern const struct masing_flow flow_contact;

struct contact_frame {
    int n_axes;                 /* of the joint */
    int place[MASING_MAX_AXES]; /* of x .. rz among its axes, -1: fixed */
    bool has_rotations;         /* else the element's axes are the joint's own */
    int n_tangential;
    int direction[2]; /* CONTACT_Y or CONTACT_Z of each */
};

struct contact_frame contact_frame_of(unsigned axes);

/* Rows of the map to u, v, w [3][n_axes] for lever arms, and what a change of the arms makes of
 * it. */
void contact_frame_map(const struct contact_frame *frame, double y, double z, double map[3][6]);
void contact_frame_map_change(const struct contact_frame *frame, double dy, double dz,
                              double map[3][6]);

/* Path of an element: on the joint's own arrays where there are no rotations, else on element
 * arrays with axes u, v, w. */
struct contact_path contact_frame_path(const struct contact_frame *frame, int n_samples,
                                       const double *x, const double *v);

/* out [n][3][n_columns] = map in [n][n_axes][n_columns] */
void contact_frame_apply(const struct contact_frame *frame, double map[3][6], size_t n,
                         size_t n_columns, const double *in, double *out);

/* out [n][n_axes][n_columns] += map^T in [n][3][n_columns] */
void contact_frame_add(const struct contact_frame *frame, double map[3][6], size_t n,
                       size_t n_columns, const double *in, double *out);

#endif
