/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/kept_log.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/progress.h"
#include "model/message.h"

static void report(void *context, double fraction, int points)
{
    const struct masing_progress *given = ((struct kept_log *)context)->given;
    given->report(given->context, fraction, points);
}

static bool is_cancelled(void *context)
{
    return progress_is_cancelled(((struct kept_log *)context)->given);
}

/* A line that there is no memory for is lost to a later run alone. */
static void log_line(void *context, const char *line)
{
    struct kept_log *log = context;
    char *copy = memory_text(line);
    log->given->log(log->given->context, line);
    if (copy && memory_grow((void **)&log->lines, (size_t)log->n + 1, &log->capacity,
                            sizeof *log->lines)) {
        log->lines[log->n++] = copy;
    } else {
        free(copy);
    }
}

const struct masing_progress *kept_log_begin(struct kept_log *log,
                                             const struct masing_progress *given)
{
    log->given = given;
    if (!given) {
        return NULL;
    }
    log->progress =
        (struct masing_progress){.context = log,
                                 .report = given->report ? report : NULL,
                                 .log = given->log ? log_line : NULL,
                                 .is_cancelled = given->is_cancelled ? is_cancelled : NULL};
    return &log->progress;
}

void kept_log_pack(struct kept_log *log, struct packing *packing)
{
    const struct masing_progress *given = log->given;
    if (packing->is_taking) {
        memory_free_texts(log->lines, log->n);
        log->lines = NULL;
        log->n = 0;
    }
    warnings_pack(packing, &(struct warning_list){&log->lines, &log->n, NULL});
    log->capacity = packing->is_taking ? (size_t)log->n : log->capacity;
    bool is_told = packing->is_taking && packing->status == MASING_OK && given && given->log;
    for (int i = 0; is_told && i < log->n; i++) {
        given->log(given->context, log->lines[i]);
    }
}

void kept_log_clear(struct kept_log *log)
{
    memory_free_texts(log->lines, log->n);
    *log = (struct kept_log){0};
}
