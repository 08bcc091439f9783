/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All sectors of a disk as one ordinary structure. DOFs, joints and loads stand sector by
 * sector, those of sector 0 first: displacements of it and of the following one have the
 * indices that they had.
 */
#ifndef MASING_MODEL_UNROLL_H
#define MASING_MODEL_UNROLL_H

#include "masing/model.h"

/* The disk of sectors [n], which differ in their numbers alone; what is not of a sector, as
 * outputs and settings, is that of @p tuned. Specifications that are not sealed, of which
 * nothing becomes part of *whole; that is to be cleared after a failure as well. */
enum masing_status unroll_sectors(const struct masing_spec *tuned,
                                  const struct masing_spec *const *sectors, int n,
                                  struct masing_spec *whole, struct masing_error *error);

/* The disk of the sector that a sealed model is of, sealed as well: names of sector 0 are those
 * of the sector. */
enum masing_status unroll_model(const struct masing_model *model, struct masing_model **whole,
                                struct masing_error *error);

#endif
