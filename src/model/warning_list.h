/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Warnings of a summary: texts that grow in number. */
#ifndef MASING_MODEL_WARNING_LIST_H
#define MASING_MODEL_WARNING_LIST_H

#include "masing/model.h"
#include "masing/status.h"

/* Where a summary keeps its warnings: an owned array of owned texts, and their number. */
struct warning_list {
    char ***texts;
    int *count;
};

/* Add one more text. */
enum masing_status warning_add(const struct warning_list *list, struct masing_error *error,
                               const char *format, ...) MASING_PRINTF(3, 4);

/* Add what was found while the model was sealed. */
enum masing_status warnings_add_model(const struct warning_list *list,
                                      const struct masing_model *model,
                                      struct masing_error *error);

/* Free the texts and empty the list. */
void warnings_clear(const struct warning_list *list);

#endif
