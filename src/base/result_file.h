/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file of results. It is written under a name of its own in the same folder and takes the
 * place of an earlier file only when it is whole: until then the earlier one stays as it was,
 * whatever happens to this process.
 */
#ifndef MASING_BASE_RESULT_FILE_H
#define MASING_BASE_RESULT_FILE_H

#include <stdio.h>

#include "masing/status.h"

/* All zero at first, and after its end. */
struct result_file {
    FILE *stream; /* NULL: it is not open */
    char *target; /* the file itself, behind symbolic links */
    char *
        temporary; /* "TARGET.unfinished-..."; NULL: written where it belongs (a device, say) */
};

/* Errors: MASING_IO "FILE: cannot write: REASON", also where the folder is missing or the file
 * must not be changed. */
enum masing_status result_file_open(const char *file, struct result_file *result,
                                    struct masing_error *error);

/* Close it and put it in place; the same errors. What is not open is left alone. */
enum masing_status result_file_keep(const char *file, struct result_file *result,
                                    struct masing_error *error);

/* Close it and take it away; the earlier file stays. */
void result_file_drop(struct result_file *result);

/* "FILE: cannot write: REASON" of errno. */
enum masing_status result_file_fail(const char *file, struct masing_error *error);

#endif
