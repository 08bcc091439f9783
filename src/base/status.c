/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"

static const struct {
    enum masing_status status;
    const char *name;
} names[] = {
    {MASING_OK, "ok"},
    {MASING_NOT_CONVERGED, "not converged"},
    {MASING_NOT_FINITE, "not finite"},
    {MASING_SINGULAR, "singular"},
    {MASING_STOPPED, "stopped early"},
    {MASING_INVALID, "invalid input"},
    {MASING_NO_MEMORY, "out of memory"},
    {MASING_IO, "input or output failed"},
    {MASING_UNSUPPORTED, "not supported yet"},
    {MASING_INTERNAL, "internal error"},
};

void masing_error_clear(struct masing_error *error)
{
    if (error) {
        error->status = MASING_OK;
        error->message[0] = error->part[0] = '\0';
    }
}

/* The first writer wins. */
static void record(struct masing_error *error, enum masing_status status, const char *part,
                   const char *format, va_list arguments)
{
    if (error && error->status == MASING_OK) {
        error->status = status;
        char raw[sizeof error->message]; /* with names as users chose them */
        vsnprintf(raw, sizeof raw, format, arguments);
        printable_put(raw, strlen(raw), error->message, sizeof error->message);
        snprintf(error->part, sizeof error->part, "%s", part);
    }
}

enum masing_status masing_error_set(struct masing_error *error, enum masing_status status,
                                    const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(error, status, "", format, arguments);
    va_end(arguments);
    return status;
}

enum masing_status masing_error_refuse(struct masing_error *error, const char *part,
                                       const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(error, MASING_INVALID, part, format, arguments);
    va_end(arguments);
    return MASING_INVALID;
}

const char *masing_status_name(enum masing_status status)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].status == status) {
            return names[i].name;
        }
    }
    return "unknown status";
}

const char *masing_version(void)
{
    return MASING_VERSION;
}
