/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * Fields: the motion of every DOF of the structure at a point of a curve, and what the joints
 * do there.
 */
#ifndef MASING_MOTION_FIELD_H
#define MASING_MOTION_FIELD_H

#include "masing/event.h"
#include "masing/model.h"
#include "masing/status.h"
#include "masing/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a joint does over a period. */
struct masing_joint_state {
    double slip, open;   /**< shares of the period; NAN where the law has no such state */
    double loss;         /**< J per period */
    double normal_force; /**< mean force of the first axis, N, pressing positive; NAN where the
                              law cannot open */
};

/**
 * DOFs are those of the structure as it was given, whatever it was condensed to, relative to a
 * base that moves. A motion is a_0 + sum_h (a_h cos h theta + b_h sin h theta), its
 * coefficients in the order of the harmonics: a_0, then a_h, b_h of each.
 */
struct masing_motion_field {
    enum masing_event event; /**< MASING_EVENT_PEAK or MASING_EVENT_AT */
    double frequency_hz;
    double amplitude; /**< of a mode; 0 of a response */
    int n_harmonics;
    const int *harmonics; /**< [n_harmonics] ascending; 0 is the mean */
    int n_coefficients;
    /** of one sector of a disk: sector s moves as this one does delay s / n_sectors of a period
     * later, along axes that are turned with it; n_sectors 0: of the whole structure */
    int n_sectors, delay;
    int n_dofs;
    char *const *dof_names;     /**< [n_dofs], or NULL: 1, 2, ... */
    const double *coefficients; /**< [n_dofs][n_coefficients] m or rad */
    int n_joints;
    const struct masing_joint_state *joints; /**< [n_joints] of the model */
};

/** Who takes fields; what they point to lasts as long as the call. */
struct masing_motion_field_sink {
    void *context;
    enum masing_status (*take)(void *context, const struct masing_motion_field *field,
                               struct masing_error *error);
};

/**
 * Writes fields as files over the nodes of the model's mesh, with the name of @p file and what
 * the field is of before its ending: NAME_peak.vtkhdf, NAME_24.5hz.vtkhdf, of a mode
 * NAME_0.001.vtkhdf (its amplitude), _2 and so on where a curve passes there again. `.vtkhdf`
 * (VTKHDF 1.0): point data u_mean, u_h1_real, u_h1_imag, ..., m, where u(t) = Re(u e^(i h Omega
 * t)); beside it NAME_peak_pairs.vtkhdf, where contacts are pairs of nodes: status (0 sticks, 1
 * slips, 2 opens, 3 is open), slip and open (shares of the period), loss (J per period),
 * pressure (Pa, mean). `.pvd`: instants of the period as `.vtu`. Nodes that are held are at
 * rest; NaN where the matrices do not say how a node moves.
 */
struct masing_motion_field_files;

/**
 * @param spec     of a model, which has a mesh; as long as the files are written
 * @param file     ending in .vtkhdf or .pvd
 * @param n_frames of a period, for .pvd
 * @return MASING_UNSUPPORTED without a mesh, or where nodes have axes of their own;
 *         MASING_INVALID for another ending
 */
MASING_API enum masing_status
masing_motion_field_files_create(const struct masing_spec *spec, const char *file, int n_frames,
                                 struct masing_motion_field_files **files,
                                 struct masing_error *error);
MASING_API void masing_motion_field_files_destroy(struct masing_motion_field_files *files);

/** Each field is on disk when `take` returns. */
MASING_API struct masing_motion_field_sink
masing_motion_field_files_sink(struct masing_motion_field_files *files);

/** Names of the files that were written, in their order; NULL behind the last. */
MASING_API const char *
masing_motion_field_files_name(const struct masing_motion_field_files *files, int index);

/**
 * The mesh of a model in its static state: node sets as point data, 1 at their nodes, and
 * u_static, m, unless nothing moves; beside it NAME_pairs.vtkhdf, where contacts are pairs of
 * nodes: area (m^2; NAN: not known) and normal, number of the joint from 1, status (masing/
 * check.h), normal_force and tangential_force (N), pressure (Pa), approach (m).
 * @param file ending in .vtkhdf
 * @return as masing_motion_field_files_create; MASING_IO
 */
MASING_API enum masing_status masing_mesh_write(const struct masing_model *model,
                                                const char *file, struct masing_error *error);

/** Rows `joint, node, role, x, y, z, normal_x, normal_y, normal_z, pressure, status` of the
 * contacts that are pairs of nodes of the model's mesh: a row of role `from` (with the normal,
 * the static pressure in Pa and `sticks`, `slips` or `open`) and behind it one `to` for each
 * node that it meets; one `unmatched` for each that found none. `sink` is opened, filled and
 * finished; it has no rows where no contact is of surfaces. */
MASING_API enum masing_status masing_mesh_pairs(const struct masing_model *model,
                                                const struct masing_sink *sink,
                                                struct masing_error *error);

#ifdef __cplusplus
}
#endif
#endif
