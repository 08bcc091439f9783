/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All damping of a specification in modal coordinates. */
#ifndef MASING_MODEL_DAMPING_H
#define MASING_MODEL_DAMPING_H

#include "model/structure.h"

/*
 * Fills modal_damping, damping_matrix and loss_factor of a structure whose modes are known.
 * shift as for modes_create.
 */
enum masing_status damping_create(const struct masing_spec *spec, double shift,
                                  struct structure *structure, struct masing_error *error);

#endif
