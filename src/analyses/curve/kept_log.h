/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A progress whose log is kept as well, for a curve that is saved on its way: a run that goes
 * on from there tells the lines once more. */
#ifndef MASING_ANALYSES_CURVE_KEPT_LOG_H
#define MASING_ANALYSES_CURVE_KEPT_LOG_H

#include "base/packing.h"
#include "masing/response.h"

/* Zero-initialised is none. */
struct kept_log {
    const struct masing_progress *given; /* lent */
    struct masing_progress progress;
    char **lines; /* [n] */
    int n;
    size_t capacity;
};

/* The progress to be handed on; NULL: none was given. */
const struct masing_progress *kept_log_begin(struct kept_log *log,
                                             const struct masing_progress *given);
/* Put, or taken and told. */
void kept_log_pack(struct kept_log *log, struct packing *packing);
void kept_log_clear(struct kept_log *log);

#endif
