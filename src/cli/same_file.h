/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MASING_CLI_SAME_FILE_H
#define MASING_CLI_SAME_FILE_H

#include <stdbool.h>

/* Whether two names mean one file, whatever the way to it; it need not be there yet. */
bool same_file(const char *a, const char *b);

#endif
