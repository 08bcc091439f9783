/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What public functions do at their beginning and end. The error record is about this call
 * alone; what may be NULL gets a stand-in, what must not be is refused.
 *
 * Structs that grow begin with their size as the caller was compiled (masing/status.h has the
 * rule). A public function works on a struct of its own, as large as the library knows it, and
 * copies what the caller's has room for. Zero stands for the members of version 0.1: whoever
 * adds members hands their offset over as the size that zero stands for.
 */
#ifndef MASING_BASE_ENTRY_H
#define MASING_BASE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/status.h"

/* The record to write to, cleared: the caller's, or @p own where there is none. */
struct masing_error *entry_begin(struct masing_error *error, struct masing_error *own);

/* Refuse NULL: "%s is NULL". */
enum masing_status entry_need(const void *pointer, const char *what,
                              struct masing_error *error);
/* Refuse a negative number of members, and NULL where there should be some. */
enum masing_status entry_need_array(int n, const void *pointer, const char *what,
                                    struct masing_error *error);

/* Copy a caller's options to @p known; zeros where they are NULL. Refused: a size that cannot
 * be, members set that the library does not know. */
enum masing_status entry_read(const void *given, const char *what, void *known, size_t size,
                              struct masing_error *error);

/* Refuse a caller's summary whose size cannot be. NULL is fine. */
enum masing_status entry_check(const void *given, const char *what, struct masing_error *error);
/* Bytes of a caller's struct that begins with its size. */
size_t entry_size(const void *given, size_t size);
/* Hand a summary over; false where the caller has no place for it. */
bool entry_write(void *given, const void *known, size_t size);
/* Zero a caller's struct and keep its size. */
void entry_zero(void *given, size_t size);

#endif
