/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * Reduction of a large linear structure to the DOFs that joints, loads and outputs need and a
 * few modes: Craig and Bampton (1968) with the kept DOFs held, or MacNeal (1971) and Rubin
 * (1975) with them free.
 */
#ifndef MASING_REDUCE_H
#define MASING_REDUCE_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/model.h"
#include "masing/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum masing_reduction_basis {
    MASING_BASIS_FIXED, /**< static displacements of the kept DOFs, modes with these held */
    MASING_BASIS_FREE,  /**< modes of the whole, residual flexibility of the kept DOFs */
};

struct masing_reduce_options {
    size_t size; /**< sizeof this struct, see masing/status.h */
    enum masing_reduction_basis basis;
    int n_modes;     /**< 0: as up_to_hz says */
    double up_to_hz; /**< modes up to here; 0: three times the highest harmonic of the range,
                        and 60 modes at least */
    int n_keep;      /**< of keep */
    /** DOFs to keep beside those that joints, loads and outputs need, each the name of a DOF
     * ("17.z"), of a node ("17": all its DOFs) or a range of numbered nodes ("17-20", or
     * "17-20.z") */
    const char *const *keep;
};

/** What became of the structure, and how close its natural frequencies are. */
struct masing_reduction_summary {
    int n_dofs;        /**< of the structure */
    int n_coordinates; /**< that are left: n_kept + n_modes + n_residual */
    int n_kept, n_modes;
    int n_residual;    /**< displacements under what acts over many DOFs */
    double highest_hz; /**< of the modes; 0 where there are none */
    int n_compared;    /**< modes; the first n_rigid are motions of a rigid body, joints free */
    int n_rigid;
    double *full_hz[2];    /**< [n_compared] joints free, stuck; NULL: they were not found */
    double *reduced_hz[2]; /**< [n_compared] likewise */
    double difference;     /**< largest relative one of those up to limit_hz */
    double limit_hz;       /**< the highest harmonic, else the highest that is compared */
    int worst_mode;        /**< from 1, where it is; 0: there is none */
    bool worst_is_stuck;   /**< with the joints stuck, else free */
    int n_warnings;
    char **warnings;
};

/** A reduced structure. */
struct masing_reduction;

/**
 * Reduce the structure of a document's model.
 * Errors: MASING_INVALID with a place, MASING_NOT_CONVERGED, MASING_NO_MEMORY.
 */
MASING_API enum masing_status
masing_reduce(const struct masing_document *document, const struct masing_override *overrides,
              int n_overrides, const struct masing_reduce_options *options,
              struct masing_reduction **reduction, struct masing_error *error);
/** NULL is fine. */
MASING_API void masing_reduction_destroy(struct masing_reduction *reduction);

/** It belongs to the reduction. NULL for NULL. */
MASING_API const struct masing_reduction_summary *
masing_reduction_summary(const struct masing_reduction *reduction);

/**
 * Write it to FILE.h5, which `structure: {reduced: FILE.h5}` reads; FILE.mtx stands for
 * FILE_mass.mtx, FILE_stiffness.mtx, FILE_dofs.txt and, where the structure has a matrix of
 * damping, FILE_damping.mtx.
 * @param command how it was made, kept in the file; may be NULL
 * Errors: MASING_IO, MASING_UNSUPPORTED where the ending is another one or HDF5 is not
 * installed.
 */
MASING_API enum masing_status masing_reduction_write(const struct masing_reduction *reduction,
                                                     const char *file, const char *command,
                                                     struct masing_error *error);

#ifdef __cplusplus
}
#endif
#endif
