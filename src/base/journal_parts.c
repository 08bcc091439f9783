/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Logs that are only read: parts of a run, and the log of the whole that they make. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/entry.h"
#include "base/journal_file.h"
#include "base/memory.h"

static enum masing_status read_part(struct masing_journal *journal, struct masing_error *error)
{
    size_t at = 0;
    journal->descriptor = open(journal->file, O_RDONLY | O_CLOEXEC);
    if (journal->descriptor < 0) {
        return masing_error_set(error, MASING_IO, "%s: cannot be read: %s", journal->file,
                                strerror(errno));
    }
    NEED(journal_read_all(journal, error));
    NEED(journal_read_header(journal, &journal->header, &at, error));
    if (!journal->header) {
        return masing_error_set(error, MASING_INVALID, "%s: this file is no log of masing",
                                journal->file);
    }
    NEED(journal_read_lines(journal, "", at, error)); /* none are called so */
    close(journal->descriptor);
    journal->descriptor = -1;
    journal->kernels = journal->other_kernels;
    journal->other_kernels = NULL;
    return MASING_OK;
}

enum masing_status masing_journal_read(const char *file, struct masing_journal **journal,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_journal *made = NULL;
    error = entry_begin(error, &own);
    TRY(entry_need(file, "file", error));
    TRY(entry_need(journal, "journal", error));
    TRY(journal_create(file, &made, error));
    TRY(read_part(made, error));
    *journal = made;
    made = NULL;
done:
    masing_journal_close(made);
    return status;
}

const char *masing_journal_header(const struct masing_journal *journal)
{
    return journal->header;
}

const char *masing_journal_kernels(const struct masing_journal *journal)
{
    return journal->kernels;
}

static enum masing_status join(struct masing_journal *journal, struct masing_error *error)
{
    for (int k = 0; k < journal->n_parts; k++) {
        const struct masing_journal *part = journal->parts[k];
        for (size_t i = 0; i < part->n_places; i++) {
            long index = (long)i * journal->n_parts + k;
            NEED(part->tasks[i].text ? journal_put_task(journal, index, part->tasks[i], error)
                                     : MASING_OK);
        }
    }
    return MASING_OK;
}

enum masing_status masing_journal_join(struct masing_journal **parts, int n,
                                       struct masing_journal **journal,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_journal *made = NULL;
    error = entry_begin(error, &own);
    TRY(entry_need_array(n, parts, "parts", error));
    TRY(entry_need(journal, "journal", error));
    TRY(journal_create("the parts", &made, error));
    TRY_ALLOCATED(made->parts = memory_copy(parts, (size_t)n, sizeof(struct masing_journal *)));
    made->n_parts = n;
    TRY(join(made, error));
    *journal = made;
    made = NULL;
done:
    for (int k = 0; status != MASING_OK && parts && (!made || !made->parts) && k < n; k++) {
        masing_journal_close(parts[k]);
    }
    masing_journal_close(made);
    return status;
}
