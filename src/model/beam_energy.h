/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Natural frequencies from the energies of beam elements. phi^T K phi of a low mode of n
 * elements is a sum of terms n^4 times as large, and loses as many digits; the shapes keep
 * theirs.
 */
#ifndef MASING_MODEL_BEAM_ENERGY_H
#define MASING_MODEL_BEAM_ENERGY_H

#include "model/structure.h"

/* Better omega of the elastic modes of a structure with beam elements; stiffness [n_dofs *
 * n_dofs] contains them. */
enum masing_status beam_energy_frequencies(const struct masing_structure_spec *spec,
                                           const double *stiffness, struct structure *structure,
                                           struct masing_error *error);

#endif
