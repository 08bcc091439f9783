/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A structure given by its modes instead of matrices. */
#ifndef MASING_MODEL_MODAL_DATA_H
#define MASING_MODEL_MODAL_DATA_H

#include "model/structure.h"

/* Fills modes and, where the shapes determine it, the mass. shift: for modes_create later on.
 */
enum masing_status modal_data_take(const struct masing_spec *spec, struct structure *structure,
                                   double *shift, struct masing_error *error);

#endif
