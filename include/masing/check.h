/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * What a model was understood to be, before anything is computed with it: natural frequencies
 * with the joints free and stuck, how much each joint takes part in each mode, static state.
 */
#ifndef MASING_CHECK_H
#define MASING_CHECK_H

#include <stddef.h>

#include "masing/model.h"
#include "masing/status.h"
#include "masing/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a contact does in the static state; numbers as in the files of fields. */
enum masing_contact_status {
    MASING_CONTACT_NONE = -1, /**< no contact: its law cannot open */
    MASING_CONTACT_STICKS = 0,
    MASING_CONTACT_SLIPS = 1, /**< at its limit of friction; of a patch, any element */
    MASING_CONTACT_OPEN = 3
};

struct masing_static_contact {
    enum masing_contact_status status;
    double normal_force;     /**< N, pressing positive, preload included */
    double tangential_force; /**< N, size of the friction force; NAN where it is not one */
    double approach;         /**< m, negative: a gap; NAN of patches */
};

/**
 * Axes are those of the joints, in the order of the model; a joint of several axes has them
 * side by side. Free: joints at their tangent in full slip; stuck: in the static state.
 */
struct masing_check_result {
    size_t size; /**< sizeof this struct, see masing/status.h */
    int n_dofs, n_modes, n_rigid, n_axes;
    double *
        free_hz; /**< [n_modes] ascending (in a nodal diameter); 0: a rigid body, or unstable */
    double *stuck_hz; /**< [n_modes] */
    /** [n_modes][n_axes] relative displacement over the mode's largest DOF, joints free */
    double *free_motion;
    double *stuck_motion; /**< [n_modes][n_axes] likewise, joints stuck */
    /** [n_modes][n_axes] share of the mode's strain energy in the joint, joints stuck */
    double *stuck_energy;
    double *static_displacement; /**< [n_axes] under static loads, m */
    double *static_force;        /**< [n_axes] N; zero with `start: static` */
    /** [n_modes][n_dofs] of unit modal mass, the DOF that moves most positive, joints free */
    double *free_shapes;
    double *stuck_shapes; /**< [n_modes][n_dofs] likewise, joints stuck */
    int n_given;          /**< DOFs of the structure before it was condensed to n_dofs */
    int n_joints;
    struct masing_static_contact *contacts; /**< [n_joints] under static loads */
    int n_sectors;                          /**< of a cyclic structure; 0: it is none */
    /** [n_modes] of a cyclic structure: its modes are those of all nodal diameters, 0 to half
     * the sectors, one after the other; else NULL */
    int *nodal_diameters;
};

MASING_API void masing_check_clear(struct masing_check_result *result);

/**
 * @param rows columns `mode, free_hz, stuck_hz` and, of each output (of each DOF where there
 * are none), `OUT_free, OUT_stuck`: its displacement in the shapes; of a cyclic structure
 * `nodal_diameter` stands before them, modes are counted within each, and shapes are those of
 * waves when the DOF that moves most is at its largest; opened, filled and finished here;
 * NULL: none
 * @param result clear it afterwards, also after a failure
 */
MASING_API enum masing_status masing_check(const struct masing_model *model,
                                           const struct masing_sink *rows,
                                           struct masing_check_result *result,
                                           struct masing_error *error);

enum masing_lines {
    MASING_LINES_NONE,
    MASING_LINES_OVER_DIAMETERS, /**< of a disk, at the shaft's speeds that the range ends with
                                  */
    MASING_LINES_OVER_SPEED      /**< of the shaft, where the frequency is that, in Hz */
};

/** Over what the natural frequencies of a model can be drawn as lines. */
MASING_API enum masing_lines masing_check_lines_of(const struct masing_model *model);

/**
 * Natural frequencies as lines with those of the engine orders.
 * @param rows columns `family, line, label, x, frequency_hz`, points of a line one after the
 * other; families are `range` (the corners of a picture), `free` and `stuck` (modes), `speed`
 * (engine orders at a speed, over nodal diameters; one order over the speed), `excited` (what
 * the loads sweep over), `meets` (where an order meets a mode); opened, filled and finished
 * here
 */
MASING_API enum masing_status masing_check_lines(const struct masing_model *model,
                                                 const struct masing_sink *rows,
                                                 struct masing_error *error);

#ifdef __cplusplus
}
#endif
#endif
