/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Libraries that are loaded when something needs them. */
#ifndef MASING_BASE_LOADED_LIBRARY_H
#define MASING_BASE_LOADED_LIBRARY_H

#include <stddef.h>

#include "masing/status.h"

struct loaded_library {
    const char *purpose, *name; /* for messages: "HDF5 files", "HDF5" */
    void *handle;
};

/* The first of the names (the last is NULL) that is there. Never unloaded: the library ends
 * what it has to when the process ends. MASING_UNSUPPORTED, with the reason, as below. */
enum masing_status loaded_library_open(struct loaded_library *library, const char *const *names,
                                       struct masing_error *error);

/* The address of a symbol into *pointer, a pointer of that size to a function or to data. */
enum masing_status loaded_library_find(const struct loaded_library *library, const char *symbol,
                                       void *pointer, size_t size, struct masing_error *error);

#endif
