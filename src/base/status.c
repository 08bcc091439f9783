/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/status.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
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

/* More of a text whose length so far is *n. */
static void put(char *text, size_t size, size_t *n, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int more = *n < size ? vsnprintf(text + *n, size - *n, format, arguments) : 0;
    *n += more > 0 ? (size_t)more : 0;
    va_end(arguments);
}

const char *masing_warning_text(const struct masing_warning *const *alike, int n, char *text,
                                size_t size)
{
    size_t length = 0;
    int k = 0;
    put(text, size, &length, "%s", "");
    for (const char *c = alike[0]->pattern; *c;) {
        char conversion[16], least[64], most[64];
        size_t step = *c != '%' ? strcspn(c, "%") : c[1] == '%' ? 2 : strcspn(c, "gef") + 1;
        double low = alike[0]->values[k], high = low;
        if (*c != '%' || c[1] == '%') {
            put(text, size, &length, "%.*s", *c == '%' ? 1 : (int)step, c);
            c += step;
            continue;
        }
        for (int i = 1; i < n; i++) {
            low = fmin(low, alike[i]->values[k]);
            high = fmax(high, alike[i]->values[k]);
        }
        snprintf(conversion, sizeof conversion, "%.*s", (int)step, c);
        snprintf(least, sizeof least, conversion, low);
        snprintf(most, sizeof most, conversion, high);
        bool is_range = strcmp(least, most) != 0;
        put(text, size, &length, "%s%s%s", least, is_range ? " to " : "", is_range ? most : "");
        c += step;
        k += k + 1 < MASING_WARNING_VALUES;
    }
    return text;
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
