/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An input as a file, for readers that take nothing else: one for all runs, removed at the end.
 */
#ifndef MASING_TESTS_ROBUST_FUZZ_FILE_H
#define MASING_TESTS_ROBUST_FUZZ_FILE_H

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "robust/fuzz.h"
#include "scratch.h"

static char fuzz_scratch[SCRATCH_PATH], fuzz_path[SCRATCH_PATH + 32];

static inline void fuzz_file_remove(void)
{
    remove(fuzz_path);
    rmdir(fuzz_scratch);
}

/* It stays open: closing a file that was cut to nothing waits for the disk. */
static inline const char *fuzz_file_write(const char *name, const uint8_t *data, size_t size)
{
    static int descriptor = -1;
    if (descriptor < 0) {
        scratch_make(fuzz_scratch);
        snprintf(fuzz_path, sizeof fuzz_path, "%s/%s", fuzz_scratch, name);
        atexit(fuzz_file_remove);
        descriptor = open(fuzz_path, O_CREAT | O_WRONLY, 0600);
    }
    FUZZ_DEMAND(descriptor >= 0 && pwrite(descriptor, data, size, 0) == (ssize_t)size &&
                ftruncate(descriptor, (off_t)size) == 0);
    return fuzz_path;
}

#endif
