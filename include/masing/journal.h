/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * The log of a long analysis beside its result: what each finished task has found, so that a
 * run that was interrupted or killed goes on where it ended. Lines are only ever appended, each
 * with a checksum: one that is not whole counts as not written.
 */
#ifndef MASING_JOURNAL_H
#define MASING_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct masing_journal;

struct masing_journal_request {
    size_t size;      /**< sizeof this struct, see masing/status.h */
    const char *file; /**< name of the log */
    /** Lines "WHAT: VALUE", each with a line feed: all that results depend on. A log of other
     * lines is not gone on with. */
    const char *header;
    /** What may differ in the last digits: names of numerical kernels, in one line. NULL: none.
     */
    const char *kernels;
    bool is_resumed; /**< go on with what is there; else begin anew */
    /** Where a task that takes longer stands is written so often, s, to FILE-TASK; 0: 10. */
    double checkpoint_seconds;
};

/**
 * Open a log, for one process at a time. Without `is_resumed` what is there is lost, unless it
 * is no log: such a file is refused.
 * Errors: MASING_INVALID, nothing being touched, where the log that is to be resumed is of
 * something else (the message says what differs), where the file is no log, or another process
 * writes it (one that is resumed is waited for, a second at most: what was killed may not be
 * gone yet); MASING_IO where it cannot be written.
 */
MASING_API enum masing_status masing_journal_open(const struct masing_journal_request *request,
                                                  struct masing_journal **journal,
                                                  struct masing_error *error);

/** Tasks that the log holds. */
MASING_API int masing_journal_tasks(const struct masing_journal *journal);

/** The kernels that wrote entries before, where they are others than those of the request;
 * else NULL. */
MASING_API const char *masing_journal_other_kernels(const struct masing_journal *journal);

/** All results are in place. With a line @p text that says where they are the log stays and
 * ends with it; NULL: the log is not needed any more, and taken away. */
MASING_API enum masing_status masing_journal_finish(struct masing_journal *journal,
                                                    const char *text,
                                                    struct masing_error *error);

/** What a log that ended with masing_journal_finish has, to be read only.
 * Errors: MASING_IO where it cannot be read, MASING_INVALID where it is no whole log. */
MASING_API enum masing_status masing_journal_read(const char *file,
                                                  struct masing_journal **journal,
                                                  struct masing_error *error);

/** The header and the kernels of a log that was opened by masing_journal_read. */
MASING_API const char *masing_journal_header(const struct masing_journal *journal);
MASING_API const char *masing_journal_kernels(const struct masing_journal *journal);

/**
 * The log of a run whose tasks were dealt out to @p n others, one after another: task i of
 * parts[k] is its task i n + k. Nothing is written to it. It takes the parts over, also where
 * it fails.
 */
MASING_API enum masing_status masing_journal_join(struct masing_journal **parts, int n,
                                                  struct masing_journal **journal,
                                                  struct masing_error *error);

/** Refuses a header that differs from that of an earlier run, both as in
 * masing_journal_request, with what differs; @p name is what the earlier one is of. */
MASING_API enum masing_status masing_journal_compare(const char *name, const char *then,
                                                     const char *now,
                                                     struct masing_error *error);

/** The text of masing_journal_finish where the log ended with it when it was opened; or NULL.
 */
MASING_API const char *masing_journal_finished(const struct masing_journal *journal);

/** MASING_IO where something could not be written, as on a full disk; what was written before
 * is whole. */
MASING_API enum masing_status masing_journal_check(const struct masing_journal *journal,
                                                   struct masing_error *error);

/** The file stays. NULL is fine. */
MASING_API void masing_journal_close(struct masing_journal *journal);

/** A number that tells contents of files apart: of @p size bytes behind others that gave
 * @p before (0: none). */
MASING_API unsigned long long masing_checksum(const void *bytes, size_t size,
                                              unsigned long long before);

/** The same of a whole file. */
MASING_API enum masing_status masing_file_checksum(const char *file,
                                                   unsigned long long *checksum,
                                                   struct masing_error *error);

/** What last digits depend on beside the program: the kernels that OpenBLAS and FFTW have for
 * this processor, and its vectors. In @p text, cut to its @p size; returns @p text. */
MASING_API const char *masing_kernels(char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
