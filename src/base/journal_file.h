/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of a log share: journal.c, journal_checkpoint.c, journal_parts.c. */
#ifndef MASING_BASE_JOURNAL_FILE_H
#define MASING_BASE_JOURNAL_FILE_H

#include <pthread.h>
#include <sys/types.h>

#include "base/journal.h"

enum { CHECK_DIGITS = 16, CHECKPOINT_SECONDS = 10 };

/* A part of the text that was there. */
struct journal_piece {
    const char *text;
    size_t length;
};

struct masing_journal {
    char *file;
    int descriptor;
    pthread_mutex_t lock; /* of all that is written */
    off_t n_written;      /* bytes of whole lines */
    int failure;          /* errno of the first line that could not be written; 0: none */
    char *line;           /* that is put together */
    size_t line_capacity;
    /* what was there when it was opened */
    char *text;
    size_t length;
    struct journal_piece *tasks; /* [n_places] bytes by the task's index; NULL: none */
    size_t n_places, places_capacity;
    int n_tasks;
    char *other_kernels, *finished;
    char *header, *kernels; /* of a log that is only read */
    unsigned long long run; /* tells checkpoints of another run apart */
    double checkpoint_seconds;
    bool is_resumed;
    struct masing_journal **parts; /* [n_parts] that it is made of, owned */
    int n_parts;
    struct masing_team *team; /* that shares the tasks; or NULL */
};

/* Bytes as they stand in a line, at most two characters each; the place behind them. */
char *journal_write_bytes(const struct packing *entry, char *at);
enum masing_status journal_read_bytes(const struct journal_piece *piece, struct packing *entry,
                                      struct masing_error *error);

/* The next line of the text at *at, without its checksum; whether it is whole. False, at the
 * end: *at stays. */
bool journal_next_line(const struct masing_journal *journal, size_t *at,
                       struct journal_piece *line, bool *is_good);
/* What stands behind the word that a line begins with. */
bool journal_line_begins(const struct journal_piece *line, const char *word,
                         struct journal_piece *rest);

enum masing_status journal_create(const char *file, struct masing_journal **journal,
                                  struct masing_error *error);
enum masing_status journal_read_all(struct masing_journal *journal, struct masing_error *error);
/* Lines up to the kernels, as in a request; *at: behind them. *header NULL: without the kernels
 * there is no log yet. */
enum masing_status journal_read_header(struct masing_journal *journal, char **header,
                                       size_t *at, struct masing_error *error);
/* The others: tasks, other kernels, the end. */
enum masing_status journal_read_lines(struct masing_journal *journal, const char *kernels,
                                      size_t at, struct masing_error *error);
/* The bytes of a task, of which the last ones count. */
enum masing_status journal_put_task(struct masing_journal *journal, long index,
                                    struct journal_piece piece, struct masing_error *error);

#endif
