/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files with a vertex at each pair of nodes that is a contact. */
#ifndef MASING_ANALYSES_FIELD_PAIR_FILE_H
#define MASING_ANALYSES_FIELD_PAIR_FILE_H

#include "data/vtk/vtk.h"
#include "masing/model.h"

/* Of all groups of joints. */
size_t pair_file_count(const struct masing_spec *spec);

/* VTKHDF with these arrays over the pairs, in the order of the groups; of a sector those of all
 * sectors, vectors turned with them. */
enum masing_status pair_file_write(const struct masing_spec *spec, const char *file,
                                   int n_arrays, const struct vtk_array *arrays,
                                   struct masing_error *error);

#endif
