/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/warning_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"

enum masing_status warning_add(const struct warning_list *list, struct masing_error *error,
                               const char *format, ...)
{
    enum masing_status status = MASING_OK;
    char text[MASING_MESSAGE_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char **longer = realloc(*list->texts, sizeof *longer * ((size_t)*list->count + 1));
    TRY_ALLOCATED(longer);
    *list->texts = longer;
    longer[*list->count] = memory_text(text);
    TRY_ALLOCATED(longer[*list->count]);
    ++*list->count;
done:
    return status;
}

enum masing_status warnings_add_model(const struct warning_list *list,
                                      const struct masing_model *model,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    for (int w = 0; w < masing_model_n_warnings(model); w++) {
        TRY(warning_add(list, error, "%s", masing_model_warning(model, w)));
    }
done:
    return status;
}

void warnings_clear(const struct warning_list *list)
{
    for (int i = 0; i < *list->count; i++) {
        free((*list->texts)[i]);
    }
    free(*list->texts);
    *list->texts = NULL;
    *list->count = 0;
}
