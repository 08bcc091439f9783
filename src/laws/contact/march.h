/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A joint of contact elements along a whole path: march of the family. */
#ifndef MASING_LAWS_CONTACT_MARCH_H
#define MASING_LAWS_CONTACT_MARCH_H

#include "masing/law.h"

size_t contact_workspace_size(const struct masing_law *law, int n_samples, int n_directions,
                              int n_parameters);

enum masing_status contact_march(const struct masing_law *law, const void *parameters,
                                 const struct masing_path *path, double *state,
                                 struct masing_forces *forces, struct masing_tangents *tangents,
                                 double *workspace);

#endif
