/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plot/cairo_library.h"

#include <dlfcn.h>
#include <string.h>

#define CAIRO_SAME_TYPE(result, name, arguments)                                               \
    _Static_assert(_Generic(&cairo_##name, result(*) arguments : 1, default : 0),              \
                   "cairo_" #name " has another type");
CAIRO_FUNCTIONS(CAIRO_SAME_TYPE)

static enum masing_status find(void *handle, const char *name, void *pointer, size_t size,
                               struct masing_error *error)
{
    void *symbol = dlsym(handle, name);
    if (!symbol) {
        return masing_error_set(error, MASING_UNSUPPORTED, "PNG pictures: cairo lacks %s",
                                name);
    }
    /* POSIX lets data and function pointers be converted, ISO C has no cast for it. */
    memcpy(pointer, &symbol, size);
    return MASING_OK;
}

enum masing_status cairo_library_load(struct cairo_library *library, struct masing_error *error)
{
    /* Never unloaded: cairo and its font libraries keep caches for the life of a process. */
    void *handle = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        return masing_error_set(error, MASING_UNSUPPORTED,
                                "PNG pictures need the cairo library: %s", dlerror());
    }
    enum masing_status status = MASING_OK;
#define CAIRO_FIND(result, name, arguments)                                                    \
    if (status == MASING_OK) {                                                                 \
        status = find(handle, "cairo_" #name, &library->name, sizeof library->name, error);    \
    }
    CAIRO_FUNCTIONS(CAIRO_FIND)
#undef CAIRO_FIND
    return status;
}
