/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/loaded_library.h"

#include <dlfcn.h>
#include <string.h>

enum masing_status loaded_library_open(struct loaded_library *library, const char *const *names,
                                       struct masing_error *error)
{
    for (int i = 0; !library->handle && names[i]; i++) {
        library->handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    return library->handle
               ? MASING_OK
               : masing_error_set(error, MASING_UNSUPPORTED, "%s need the %s library: %s",
                                  library->purpose, library->name, dlerror());
}

enum masing_status loaded_library_find(const struct loaded_library *library, const char *symbol,
                                       void *pointer, size_t size, struct masing_error *error)
{
    void *found = dlsym(library->handle, symbol);
    if (!found) {
        return masing_error_set(error, MASING_UNSUPPORTED, "%s: %s lacks %s", library->purpose,
                                library->name, symbol);
    }
    /* POSIX lets data and function pointers be converted, ISO C has no cast for it. */
    memcpy(pointer, &found, size);
    return MASING_OK;
}
