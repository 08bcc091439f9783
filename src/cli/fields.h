/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of -o that hold the motion of all nodes: .vtkhdf and .pvd. */
#ifndef MASING_CLI_FIELDS_H
#define MASING_CLI_FIELDS_H

#include "cli/single_run.h"
#include "masing/motion_field.h"

/* All zero at first. */
struct field_outputs {
    struct output_list *outputs; /* where failures of single files are noted */
    int count;
    struct masing_motion_field_files **files; /* [count] */
    int *n_noted; /* [count] of their names, in the list of outputs */
    struct masing_motion_field_sink sink;
};

/* Of the files of -o that the run has; n_frames 0: not given. */
enum masing_status fields_begin(struct single_run *single, int n_frames,
                                struct field_outputs *fields, struct masing_error *error);
/* For the library: NULL where there is no file. */
const struct masing_motion_field_sink *fields_sink(const struct field_outputs *fields);
/* A line for each file that was written. */
void fields_print(const struct field_outputs *fields);
void fields_end(struct field_outputs *fields);

#endif
