/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where tasks under way stand: files "FILE-TASK" of one line, "state RUN BYTES CHECKSUM". */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "base/journal_file.h"
#include "base/memory.h"
#include "base/result_file.h"
#include "base/team.h"

/* Another process than the first one of several has it sent. */
static bool is_elsewhere(const struct masing_journal *journal)
{
    return journal->team && !team_is_first(journal->team);
}

static char *checkpoint_name(const struct masing_journal *journal, int task)
{
    return memory_format("%s-%d", journal->file, task);
}

void journal_drop_checkpoint(const struct masing_journal *journal, int task)
{
    char *name = checkpoint_name(journal, task);
    if (name) {
        unlink(name);
    }
    free(name);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

bool journal_is_checkpoint_due(struct masing_journal *journal, double *written)
{
    double time = now();
    bool is_due = *written > 0.0 && time - *written >= journal->checkpoint_seconds;
    *written = is_due || !(*written > 0.0) ? time : *written;
    return is_due && (journal->descriptor >= 0 || is_elsewhere(journal));
}

void journal_put_checkpoint(struct masing_journal *journal, int task,
                            const struct packing *state)
{
    if (is_elsewhere(journal)) {
        team_put_state(journal->team, task, state);
        return;
    }
    if (journal->descriptor < 0) {
        return;
    }
    struct result_file file = {0};
    size_t room = 64 + 2 * state->n;
    char *name = checkpoint_name(journal, task);
    char *line = state->status == MASING_OK ? memory_array(room, 1) : NULL;
    if (name && line && result_file_open(name, &file, NULL) == MASING_OK) {
        int n = sprintf(line, "state %016llx ", journal->run);
        size_t length = (size_t)(journal_write_bytes(state, line + n) - line);
        length +=
            (size_t)sprintf(line + length, " %016llx\n", masing_checksum(line, length, 0));
        if (fwrite(line, 1, length, file.stream) == length && fflush(file.stream) == 0) {
            result_file_keep(name, &file, NULL);
        }
    }
    result_file_drop(&file);
    free(line);
    free(name);
}

enum masing_status journal_find_checkpoint(const struct masing_journal *journal, int task,
                                           struct packing *state, bool *is_found,
                                           struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_journal file = {.descriptor = -1};
    struct journal_piece line, rest;
    char run[CHECK_DIGITS + 1];
    size_t at = 0;
    bool is_good = false;
    *state = (struct packing){0};
    *is_found = false;
    if (is_elsewhere(journal)) {
        team_find_state(journal->team, task, state, is_found);
        return MASING_OK;
    }
    if (!journal->is_resumed) {
        return MASING_OK;
    }
    TRY_ALLOCATED(file.file = checkpoint_name(journal, task));
    file.descriptor = open(file.file, O_RDONLY | O_CLOEXEC);
    if (file.descriptor >= 0) {
        TRY(journal_read_all(&file, error));
    }
    snprintf(run, sizeof run, "%016llx", journal->run);
    *is_found = file.text && journal_next_line(&file, &at, &line, &is_good) && is_good &&
                journal_line_begins(&line, "state", &rest) && rest.length > CHECK_DIGITS &&
                memcmp(rest.text, run, CHECK_DIGITS) == 0;
    if (*is_found) {
        rest = (struct journal_piece){rest.text + CHECK_DIGITS + 1,
                                      rest.length - CHECK_DIGITS - 1};
        TRY(journal_read_bytes(&rest, state, error));
    }
done:
    if (file.descriptor >= 0) {
        close(file.descriptor);
    }
    free(file.text);
    free(file.file);
    return status;
}
