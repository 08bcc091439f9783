/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workspaces of a joint's evaluation: one set for each thread, as large as the largest joint
 * needs it, so that a thousand joints own little more than their
 * coefficients.
 */
#ifndef MASING_HARMONIC_JOINTS_JOINT_SCRATCH_H
#define MASING_HARMONIC_JOINTS_JOINT_SCRATCH_H

#include "harmonic/joints/joint_response.h"
#include "harmonic/joints/joint_shared.h"

struct joint_scratch {
    const struct joint_shared *shared; /* lent */
    struct basis *basis;
    struct trigonometric_grid *grid;
    double *block;  /* [largest n_axes n_c ^ 2] a joint's derivative as a matrix */
    double *change; /* [2][largest n_axes n_c] */
    /* JOINT_PHASES */
    struct masing_phase *phases;
    int max_phases;
    double *integrals; /* [n_spectrum][2] */
    /* JOINT_TANGENTS */
    struct masing_tangents tangents;
    double *memory; /* [max_turnings][2][n_c] */
    /* JOINT_TANGENTS, JOINT_DIRECTIONS */
    double *x, *v, *f; /* [n_samples][n_axes] */
    double *column;    /* [n_samples] */
    double *workspace; /* of the law */
    /* JOINT_DIRECTIONS, [n_samples][n_axes][n_directions] */
    double *dv, *df;
    const struct joint_seeds *dv_seeds; /* what dv was filled from last, and for which Omega */
    double dv_omega;
};

/* For any of these joints. */
enum masing_status joint_scratch_create(const struct joint_shared *shared,
                                        struct joint_response *const *joints, int n_joints,
                                        struct joint_scratch **scratch,
                                        struct masing_error *error);
void joint_scratch_destroy(struct joint_scratch *scratch);

/* Samples x and, where the law needs it, v of a joint's last displacement. */
void joint_scratch_sample(struct joint_scratch *scratch, const struct joint_response *response);

/* Column `column` of an interleaved array [n_samples][n_columns], as coefficients. */
void joint_scratch_analyse(struct joint_scratch *scratch, const double *values, int n_columns,
                           int column, double *coefficients);

#endif
