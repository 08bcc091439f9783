/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Warnings of a summary: texts that grow in number. */
#ifndef MASING_ANALYSES_WARNING_LIST_H
#define MASING_ANALYSES_WARNING_LIST_H

#include "masing/status.h"

/* Add one more text to an owned array of owned texts. */
enum masing_status warning_add(char ***warnings, int *n_warnings, struct masing_error *error,
                               const char *format, ...) MASING_PRINTF(4, 5);

void warnings_free(char **warnings, int n_warnings);

#endif
