/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log of an analysis, lines "KIND REST CHECKSUM":
 *
 *     masing-log 1             the format
 *     header WHAT: VALUE       ... one for each line of the header
 *     kernels NAMES            and once more where a process with others goes on
 *     task INDEX BYTES         ... one for each task, in the order in which they ended
 *     done TEXT                all results are in place
 *
 * Bytes stand as two hexadecimal digits, from 1 to 20 zeros in a row as a letter from g to z.
 */
#include "base/journal_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/result_file.h"

static const char FORMAT[] = "masing-log 1";

/* ---- bytes and checksums ---- */

unsigned long long masing_checksum(const void *bytes, size_t size, unsigned long long before)
{
    /* as FNV-1a, of eight bytes at a time */
    const unsigned char *at = bytes;
    unsigned long long sum = before ^ 0xcbf29ce484222325U, word;
    for (; size >= sizeof word; size -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15U;
        sum ^= sum >> 29;
    }
    for (size_t i = 0; i < size; i++) {
        sum = (sum ^ at[i]) * 0x100000001b3U;
    }
    return sum ^ sum >> 32;
}

enum masing_status masing_file_checksum(const char *file, unsigned long long *checksum,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    FILE *stream = NULL;
    char bytes[1 << 14];
    size_t n;
    error = entry_begin(error, &own);
    TRY(entry_need(file, "file", error));
    TRY(entry_need(checksum, "checksum", error));
    *checksum = 0;
    stream = fopen(file, "rb");
    while (stream && (n = fread(bytes, 1, sizeof bytes, stream)) > 0) {
        *checksum = masing_checksum(bytes, n, *checksum);
    }
    if (!stream || ferror(stream)) {
        TRY(masing_error_set(error, MASING_IO, "%s: cannot be read: %s", file,
                             strerror(errno)));
    }
done:
    if (stream) {
        fclose(stream);
    }
    return status;
}

static int digit_value(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* At most two characters a byte; the place behind them. */
char *journal_write_bytes(const struct packing *entry, char *at)
{
    static const char digits[] = "0123456789abcdef";
    enum { MOST_ZEROS = 'z' - 'g' + 1 };
    for (size_t i = 0, n_zeros; i<entry->n; i += n_zeros> 0 ? n_zeros : 1) {
        unsigned char byte = (unsigned char)entry->bytes[i];
        n_zeros = 0;
        while (n_zeros < MOST_ZEROS && i + n_zeros < entry->n &&
               entry->bytes[i + n_zeros] == 0) {
            n_zeros++;
        }
        if (n_zeros > 0) {
            *at++ = (char)('g' + (int)n_zeros - 1);
        } else {
            *at++ = digits[byte >> 4];
            *at++ = digits[byte & 15];
        }
    }
    return at;
}

enum masing_status journal_read_bytes(const struct journal_piece *piece, struct packing *entry,
                                      struct masing_error *error)
{
    const char *c = piece->text, *end = piece->text + piece->length;
    while (c < end) {
        size_t n = *c >= 'g' && *c <= 'z' ? (size_t)(*c - 'g') + 1 : 0;
        char zeros[32] = {0}, byte = 0;
        if (n == 0 && end - c < 2) {
            break;
        }
        if (n == 0) {
            byte = (char)(16 * digit_value(c[0]) + digit_value(c[1]));
        }
        packing_bytes(entry, n > 0 ? zeros : &byte, n > 0 ? n : 1);
        c += n > 0 ? 1 : 2;
    }
    NEED(packing_end(entry, error));
    entry->is_taking = true;
    return MASING_OK;
}

/* ---- lines ---- */

/* A line that ends before the checksum: "KIND REST". */
static bool is_whole(const char *line, size_t length, struct journal_piece *rest)
{
    char check[CHECK_DIGITS + 1];
    if (length < CHECK_DIGITS + 1 || line[length - CHECK_DIGITS - 1] != ' ') {
        return false;
    }
    *rest = (struct journal_piece){line, length - CHECK_DIGITS - 1};
    snprintf(check, sizeof check, "%016llx", masing_checksum(line, rest->length, 0));
    return memcmp(check, line + length - CHECK_DIGITS, CHECK_DIGITS) == 0;
}

/* What stands behind the word that a line begins with. */
bool journal_line_begins(const struct journal_piece *line, const char *word,
                         struct journal_piece *rest)
{
    size_t n = strlen(word);
    bool does = line->length > n && memcmp(line->text, word, n) == 0 && line->text[n] == ' ';
    *rest = does ? (struct journal_piece){line->text + n + 1, line->length - n - 1}
                 : (struct journal_piece){0};
    return does;
}

static bool equals(const struct journal_piece *piece, const char *text, size_t length)
{
    return piece->length == length && memcmp(piece->text, text, length) == 0;
}

/* The next line of the text at *at; whether it is whole. False, at the end: *at stays. */
bool journal_next_line(const struct masing_journal *journal, size_t *at,
                       struct journal_piece *line, bool *is_good)
{
    const char *text = journal->text + *at;
    const char *end = memchr(text, '\n', journal->length - *at);
    if (!end) {
        return false;
    }
    *is_good = is_whole(text, (size_t)(end - text), line);
    *at += (size_t)(end - text) + 1;
    return true;
}

/* ---- writing ---- */

/* Called under the lock, or before there are threads. So many bytes in journal->line. */
static void send_line(struct masing_journal *journal, size_t length)
{
    size_t n = 0;
    char *line = journal->line;
    length += (size_t)snprintf(line + length, CHECK_DIGITS + 3, " %016llx\n",
                               masing_checksum(line, length, 0));
    while (journal->failure == 0 && n < length) {
        ssize_t sent = write(journal->descriptor, line + n, length - n);
        if (sent < 0 && errno != EINTR) {
            journal->failure = errno;
        }
        n += sent > 0 ? (size_t)sent : 0;
    }
    if (journal->failure == 0) {
        journal->n_written += (off_t)length;
    } else {
        (void)!ftruncate(journal->descriptor, journal->n_written);
    }
}

/* Room for a line; false, and a failure, where there is no memory. */
static bool make_room(struct masing_journal *journal, size_t length)
{
    if (journal->failure == 0 &&
        !memory_grow((void **)&journal->line, length + CHECK_DIGITS + 3,
                     &journal->line_capacity, 1)) {
        journal->failure = ENOMEM;
    }
    return journal->failure == 0;
}

static void put_line(struct masing_journal *journal, const char *kind, const char *rest,
                     size_t length)
{
    size_t n = strlen(kind);
    if (make_room(journal, n + 1 + length)) {
        memcpy(journal->line, kind, n);
        journal->line[n] = ' ';
        memcpy(journal->line + n + 1, rest, length);
        send_line(journal, n + 1 + length);
    }
}

void journal_add(struct masing_journal *journal, int task, const struct packing *entry)
{
    pthread_mutex_lock(&journal->lock);
    if (entry->status == MASING_OK && journal->descriptor >= 0 &&
        make_room(journal, 32 + 2 * entry->n)) {
        int n = sprintf(journal->line, "task %d ", task);
        journal->n_tasks++;
        send_line(journal,
                  (size_t)(journal_write_bytes(entry, journal->line + n) - journal->line));
        journal_drop_checkpoint(journal, task);
    }
    pthread_mutex_unlock(&journal->lock);
}

enum masing_status masing_journal_finish(struct masing_journal *journal, const char *text,
                                         struct masing_error *error)
{
    struct masing_error own;
    error = entry_begin(error, &own);
    NEED(entry_need(journal, "journal", error));
    pthread_mutex_lock(&journal->lock);
    if (text) {
        put_line(journal, "done", text, strlen(text));
    }
    pthread_mutex_unlock(&journal->lock);
    if (!text && journal->descriptor < 0) {
        return MASING_OK;
    }
    if (!text) {
        return unlink(journal->file) == 0 ? MASING_OK : result_file_fail(journal->file, error);
    }
    return masing_journal_check(journal, error);
}

/* ---- what was there ---- */

enum masing_status journal_read_all(struct masing_journal *journal, struct masing_error *error)
{
    struct stat state;
    if (fstat(journal->descriptor, &state) != 0) {
        return result_file_fail(journal->file, error);
    }
    NEED_ALLOCATED(journal->text = memory_array((size_t)state.st_size + 1, 1));
    while (journal->length < (size_t)state.st_size) {
        ssize_t n = read(journal->descriptor, journal->text + journal->length,
                         (size_t)state.st_size - journal->length);
        if (n < 0 && errno != EINTR) {
            return masing_error_set(error, MASING_IO, "%s: cannot be read: %s", journal->file,
                                    strerror(errno));
        }
        if (n == 0) {
            break;
        }
        journal->length += n > 0 ? (size_t)n : 0;
    }
    return MASING_OK;
}

/* A file of something else is not written over; one whose first line was cut is a log. */
static enum masing_status check_kind(const struct masing_journal *journal,
                                     struct masing_error *error)
{
    size_t n = sizeof FORMAT - 1;
    n = n < journal->length ? n : journal->length;
    return memcmp(journal->text, FORMAT, n) == 0
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID,
                                  "%s: this file is no log of masing; it would be written over",
                                  journal->file);
}

/* "WHAT NAME" of a line of the header, up to the last colon. */
static size_t label_length(const struct journal_piece *line)
{
    size_t n = line->length;
    while (n > 0 && line->text[n - 1] != ':') {
        n--;
    }
    return n > 0 ? n - 1 : line->length;
}

static enum masing_status refuse_header(const char *name, const struct journal_piece *then,
                                        const struct journal_piece *now,
                                        struct masing_error *error)
{
    enum { MOST = 300 };
    int n_then = then->length < MOST ? (int)then->length : MOST;
    int n_now = now->length < MOST ? (int)now->length : MOST;
    size_t label = then->text ? label_length(then) : 0;
    static const char of_file[] = "file ";
    if (then->text && now->text && label == label_length(now) &&
        memcmp(then->text, now->text, label) == 0 &&
        memcmp(then->text, of_file, sizeof of_file - 1) == 0) {
        return masing_error_set(error, MASING_INVALID, "%.*s has changed since %s was written",
                                (int)(label - sizeof of_file) + 1,
                                then->text + sizeof of_file - 1, name);
    }
    return masing_error_set(error, MASING_INVALID, "%s is of another run: then %.*s, now %.*s",
                            name, then->text ? n_then : 7, then->text ? then->text : "nothing",
                            now->text ? n_now : 7, now->text ? now->text : "nothing");
}

/* The next line of a header; no text at its end. */
static struct journal_piece next_of_header(const char **header)
{
    size_t length = strcspn(*header, "\n");
    struct journal_piece piece = {length > 0 ? *header : NULL, length};
    *header += length + ((*header)[length] == '\n');
    return piece;
}

static bool has_line(const char *header, const struct journal_piece *line)
{
    for (struct journal_piece other = next_of_header(&header); other.text;
         other = next_of_header(&header)) {
        if (equals(&other, line->text, line->length)) {
            return true;
        }
    }
    return false;
}

enum masing_status masing_journal_compare(const char *name, const char *then, const char *now,
                                          struct masing_error *error)
{
    struct masing_error own;
    struct journal_piece a, b;
    error = entry_begin(error, &own);
    NEED(entry_need(name, "name", error));
    NEED(entry_need(then, "then", error));
    NEED(entry_need(now, "now", error));
    do {
        a = next_of_header(&then);
        b = next_of_header(&now);
    } while (a.text && b.text && equals(&a, b.text, b.length));
    if (!a.text && !b.text) {
        return MASING_OK;
    }
    if (a.text && b.text && has_line(now, &a)) { /* b is new */
        a = (struct journal_piece){0};
    } else if (a.text && b.text && has_line(then, &b)) {
        b = (struct journal_piece){0};
    }
    return refuse_header(name, &a, &b, error);
}

/* Without a header: a run that ended at once has no tasks either. */
static enum masing_status refuse_tasks(struct masing_journal *journal,
                                       struct masing_error *error)
{
    struct journal_piece line, rest;
    bool is_good;
    for (size_t next = 0; journal_next_line(journal, &next, &line, &is_good);) {
        if (is_good && journal_line_begins(&line, "task", &rest)) {
            return masing_error_set(error, MASING_INVALID,
                                    "%s: the lines that say what it belongs to are damaged, "
                                    "those of finished tasks are not: remove it to begin "
                                    "anew",
                                    journal->file);
        }
    }
    return MASING_OK;
}

/* Lines up to the kernels, as in a request; *at: behind them. *header NULL: without the kernels
 * there is no log yet. */
enum masing_status journal_read_header(struct masing_journal *journal, char **header,
                                       size_t *at, struct masing_error *error)
{
    struct journal_piece line, rest;
    size_t n = 0, capacity = 0;
    bool is_good, is_end = false;
    char *text = NULL;
    for (size_t next = 0;
         !is_end && journal_next_line(journal, &next, &line, &is_good) && is_good;) {
        is_end = journal_line_begins(&line, "kernels", &rest);
        *at = is_end ? *at : next;
        if (journal_line_begins(&line, "header", &rest)) {
            if (!memory_grow((void **)&text, n + rest.length + 2, &capacity, 1)) {
                free(text);
                return masing_error_set(error, MASING_NO_MEMORY, "out of memory");
            }
            memcpy(text + n, rest.text, rest.length);
            n += rest.length + 1;
            text[n - 1] = '\n';
            text[n] = '\0';
        }
    }
    if (!is_end) {
        free(text);
        text = NULL;
        NEED(refuse_tasks(journal, error));
    }
    *header = text;
    return MASING_OK;
}

/* The bytes of a task, of which the last ones count. */
enum masing_status journal_put_task(struct masing_journal *journal, long index,
                                    struct journal_piece piece, struct masing_error *error)
{
    enum { MOST_TASKS = 100000000 };
    if (index < 0 || index > MOST_TASKS) {
        return MASING_OK;
    }
    if ((size_t)index >= journal->n_places) {
        size_t n = (size_t)index + 1;
        NEED_ALLOCATED(memory_grow((void **)&journal->tasks, n, &journal->places_capacity,
                                   sizeof *journal->tasks));
        memset(journal->tasks + journal->n_places, 0,
               (n - journal->n_places) * sizeof *journal->tasks);
        journal->n_places = n;
    }
    journal->n_tasks += !journal->tasks[index].text;
    journal->tasks[index] = piece;
    return MASING_OK;
}

static enum masing_status note_task(struct masing_journal *journal,
                                    const struct journal_piece *rest,
                                    struct masing_error *error)
{
    char *end;
    long index = strtol(rest->text, &end, 10);
    size_t used = (size_t)(end - rest->text) + 1;
    return used <= rest->length
               ? journal_put_task(
                     journal, index,
                     (struct journal_piece){rest->text + used, rest->length - used}, error)
               : MASING_OK;
}

static enum masing_status keep_text(char **kept, const struct journal_piece *piece,
                                    struct masing_error *error)
{
    free(*kept);
    NEED_ALLOCATED(*kept = memory_format("%.*s", (int)piece->length, piece->text));
    return MASING_OK;
}

/* Damaged lines count as not written; the last one is taken away where it has no end. */
enum masing_status journal_read_lines(struct masing_journal *journal, const char *kernels,
                                      size_t at, struct masing_error *error)
{
    struct journal_piece line, rest;
    bool is_good;
    while (journal_next_line(journal, &at, &line, &is_good)) {
        if (is_good && journal_line_begins(&line, "task", &rest)) {
            NEED(note_task(journal, &rest, error));
        } else if (is_good && journal_line_begins(&line, "kernels", &rest) &&
                   !equals(&rest, kernels, strlen(kernels))) {
            NEED(keep_text(&journal->other_kernels, &rest, error));
        }
        free(journal->finished);
        journal->finished = NULL;
        if (is_good && journal_line_begins(&line, "done", &rest)) {
            NEED(keep_text(&journal->finished, &rest, error));
        }
    }
    journal->n_written = (off_t)at;
    return MASING_OK;
}

enum masing_status journal_find(const struct masing_journal *journal, int task,
                                struct packing *entry, bool *is_found,
                                struct masing_error *error)
{
    *entry = (struct packing){0};
    *is_found = task >= 0 && (size_t)task < journal->n_places && journal->tasks[task].text;
    return *is_found ? journal_read_bytes(&journal->tasks[task], entry, error) : MASING_OK;
}

int masing_journal_tasks(const struct masing_journal *journal)
{
    return journal->n_tasks;
}

const char *masing_journal_other_kernels(const struct masing_journal *journal)
{
    return journal->other_kernels;
}

const char *masing_journal_finished(const struct masing_journal *journal)
{
    return journal->finished;
}

enum masing_status masing_journal_check(const struct masing_journal *journal,
                                        struct masing_error *error)
{
    struct masing_error own;
    error = entry_begin(error, &own);
    NEED(entry_need(journal, "journal", error));
    errno = journal->failure;
    return journal->failure == 0 ? MASING_OK : result_file_fail(journal->file, error);
}

/* ---- open and close ---- */

/* What was killed a moment ago may have it yet. */
static bool lock(const struct masing_journal *journal)
{
    enum { MOST_TRIALS = 10 };
    const struct timespec pause = {.tv_nsec = 100000000};
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    bool is_held = true;
    for (int i = 0; i < MOST_TRIALS && is_held; i++) {
        is_held = fcntl(journal->descriptor, F_SETLK, &whole) != 0 &&
                  (errno == EAGAIN || errno == EACCES); /* else: no locks there */
        if (is_held && journal->is_resumed) {
            nanosleep(&pause, NULL);
        }
    }
    return !is_held;
}

static enum masing_status open_file(struct masing_journal *journal, struct masing_error *error)
{
    const mode_t new_file = 0666; /* less the process's mask */
    journal->descriptor =
        open(journal->file, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, new_file);
    if (journal->descriptor < 0) {
        return result_file_fail(journal->file, error);
    }
    return lock(journal)
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID, "%s: another run is writing this log",
                                  journal->file);
}

static void begin_anew(struct masing_journal *journal, const char *header, const char *kernels)
{
    journal->n_written = 0;
    put_line(journal, "masing-log", FORMAT + sizeof "masing-log", 1);
    for (struct journal_piece line = next_of_header(&header); line.text;
         line = next_of_header(&header)) {
        put_line(journal, "header", line.text, line.length);
    }
    put_line(journal, "kernels", kernels, strlen(kernels));
}

/* Nothing is changed before it is clear that it may be. */
static enum masing_status begin(struct masing_journal *journal,
                                const struct masing_journal_request *request,
                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const char *kernels = request->kernels ? request->kernels : "unknown";
    char *header = NULL;
    size_t at = 0;
    TRY(open_file(journal, error));
    TRY(journal_read_all(journal, error));
    TRY(check_kind(journal, error));
    if (request->is_resumed) {
        TRY(journal_read_header(journal, &header, &at, error));
    }
    if (header) {
        TRY(masing_journal_compare(journal->file, header, request->header, error));
        TRY(journal_read_lines(journal, kernels, at, error));
    }
    if (journal->n_written != (off_t)journal->length &&
        ftruncate(journal->descriptor, journal->n_written) != 0) {
        TRY(result_file_fail(journal->file, error));
    }
    if (!header) {
        begin_anew(journal, request->header, kernels);
    } else if (journal->other_kernels && !journal->finished) {
        put_line(journal, "kernels", kernels, strlen(kernels));
    }
    status = masing_journal_check(journal, error);
done:
    free(header);
    return status;
}

enum masing_status journal_create(const char *file, struct masing_journal **journal,
                                  struct masing_error *error)
{
    struct masing_journal *made = memory_array(1, sizeof *made);
    NEED_ALLOCATED(made);
    made->descriptor = -1;
    pthread_mutex_init(&made->lock, NULL);
    *journal = made;
    NEED_ALLOCATED(made->file = memory_text(file));
    return MASING_OK;
}

enum masing_status masing_journal_open(const struct masing_journal_request *request,
                                       struct masing_journal **journal,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_journal_request asked = {0};
    struct masing_journal *made = NULL;
    error = entry_begin(error, &own);
    TRY(entry_need(request, "request", error));
    TRY(entry_need(journal, "journal", error));
    TRY(entry_read(request, "request", &asked, sizeof asked, error));
    TRY(entry_need(asked.file, "request.file", error));
    TRY(entry_need(asked.header, "request.header", error));
    TRY(journal_create(asked.file, &made, error));
    made->run = masing_checksum(asked.header, strlen(asked.header), 0);
    made->checkpoint_seconds =
        asked.checkpoint_seconds > 0.0 ? asked.checkpoint_seconds : CHECKPOINT_SECONDS;
    made->is_resumed = asked.is_resumed;
    TRY(begin(made, &asked, error));
    *journal = made;
    made = NULL;
done:
    masing_journal_close(made);
    return status;
}

void masing_journal_close(struct masing_journal *journal)
{
    if (!journal) {
        return;
    }
    for (int k = 0; k < journal->n_parts; k++) {
        masing_journal_close(journal->parts[k]);
    }
    free(journal->parts);
    free(journal->header);
    free(journal->kernels);
    if (journal->descriptor >= 0) {
        close(journal->descriptor);
    }
    pthread_mutex_destroy(&journal->lock);
    free(journal->other_kernels);
    free(journal->finished);
    free(journal->tasks);
    free(journal->text);
    free(journal->line);
    free(journal->file);
    free(journal);
}
