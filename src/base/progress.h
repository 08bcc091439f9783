/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the user wants an analysis to end; asked wherever something may take long. */
#ifndef MASING_BASE_PROGRESS_H
#define MASING_BASE_PROGRESS_H

#include "masing/response.h"

/* The progress may be NULL. */
static inline bool progress_is_cancelled(const struct masing_progress *progress)
{
    return progress && progress->is_cancelled && progress->is_cancelled(progress->context);
}

/* MASING_STOPPED where it is cancelled. */
static inline enum masing_status progress_check(const struct masing_progress *progress,
                                                struct masing_error *error)
{
    return progress_is_cancelled(progress)
               ? masing_error_set(error, MASING_STOPPED, "interrupted")
               : MASING_OK;
}

#endif
