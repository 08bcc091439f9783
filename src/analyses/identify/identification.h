/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Common to the identifications from loops: paths, room for the result. */
#ifndef MASING_ANALYSES_IDENTIFY_IDENTIFICATION_H
#define MASING_ANALYSES_IDENTIFY_IDENTIFICATION_H

#include "analyses/identify/measured_path.h"
#include "masing/identify.h"

/* Prepare all loops and allocate parameters and fitted points of the result. */
enum masing_status identification_begin(const struct masing_measurements *data,
                                        const struct masing_law *law,
                                        struct measured_path **paths,
                                        struct masing_identification *result,
                                        struct masing_error *error);

/* Smooth all displacements for velocities; warn where that cannot be done. */
enum masing_status identification_smooth(struct measured_path *paths,
                                         struct masing_identification *result,
                                         struct masing_error *error);

void measured_paths_free(struct measured_path *paths, int n_loops);

/* Refuse what is missing. */
enum masing_status identification_check(const struct masing_measurements *data,
                                        const struct masing_identification *result,
                                        struct masing_error *error);

#endif
