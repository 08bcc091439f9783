/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contacts of surfaces of a mesh, as `check` tells of them and writes them. */
#ifndef MASING_CLI_PAIRS_H
#define MASING_CLI_PAIRS_H

#include "cli/single_run.h"

/* How many there are, and the nodes that nothing is opposite to. */
void pairs_print(const struct masing_joint_group *entry, int width);

/* The file of `--pairs` is that of the only joint with surfaces; of several each has one with
 * its name, FILE.NAME.csv. They become the run's other files; refused where there are none. */
enum masing_status pairs_note_files(struct single_run *single, const char *file,
                                    struct masing_error *error);

/* Whether a joint has them. */
bool pairs_are_there(const struct masing_spec *spec);

/* In the form of `pairs:`. */
enum masing_status pairs_write(const struct single_run *single, struct masing_error *error);

#endif
