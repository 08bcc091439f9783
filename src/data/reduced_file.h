/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of reduced structures: HDF5, or Matrix Market files beside each other.
 *
 * An HDF5 file begins with a user block of 512 bytes in which the number of the file's bytes
 * and a sum over them stand: a file that is cut short or damaged, or that another program
 * wrote, is known before HDF5 looks at it, which what is wrong in such a file can make crash.
 */
#ifndef MASING_DATA_REDUCED_FILE_H
#define MASING_DATA_REDUCED_FILE_H

#include "masing/model.h"

/* How it was made, for attributes of the file. */
struct reduced_file_text {
    const char *command, *source, *basis;
};

/* `structure` has names of DOFs, matrices, and `reduced`. Errors: MASING_IO,
 * MASING_UNSUPPORTED, MASING_NO_MEMORY. */
enum masing_status reduced_file_write(const char *file,
                                      const struct masing_structure_spec *structure,
                                      const struct reduced_file_text *text,
                                      struct masing_error *error);

/* STEM.mtx stands for STEM_mass.mtx, STEM_stiffness.mtx, STEM_damping.mtx where there is such a
 * matrix, and STEM_dofs.txt. */
enum masing_status reduced_file_write_matrices(const char *file,
                                               const struct masing_structure_spec *structure,
                                               struct masing_error *error);

/*
 * Fills n_dofs, dof_names, matrices and `reduced`, which are owned by the caller, after a
 * failure as well. Errors: MASING_IO, MASING_INVALID "FILE: ...", MASING_UNSUPPORTED,
 * MASING_NO_MEMORY.
 */
enum masing_status reduced_file_read(const char *file, struct masing_structure_spec *structure,
                                     struct masing_error *error);

/* The user block of a file whose bytes from 512 on are whole: the same text for the same bytes.
 * block [512] */
enum { REDUCED_FILE_BLOCK = 512 };
enum masing_status reduced_file_seal(const char *file, char block[REDUCED_FILE_BLOCK],
                                     struct masing_error *error);

#endif
