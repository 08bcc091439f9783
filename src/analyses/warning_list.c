/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/warning_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"

enum masing_status warning_add(char ***warnings, int *n_warnings, struct masing_error *error,
                               const char *format, ...)
{
    enum masing_status status = MASING_OK;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char **longer = realloc(*warnings, sizeof *longer * ((size_t)*n_warnings + 1));
    TRY_ALLOCATED(longer);
    *warnings = longer;
    longer[*n_warnings] = memory_text(text);
    TRY_ALLOCATED(longer[*n_warnings]);
    ++*n_warnings;
done:
    return status;
}

void warnings_free(char **warnings, int n_warnings)
{
    for (int i = 0; i < n_warnings; i++) {
        free(warnings[i]);
    }
    free(warnings);
}
