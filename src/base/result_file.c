/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _XOPEN_SOURCE 700 /* realpath */
#include "base/result_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

/* Longest part of a file's name that the temporary one begins with, bytes. */
enum { MOST_OF_NAME = 200, MOST_ATTEMPTS = 100 };

static const mode_t NEW_FILE = 0666; /* less the process's mask */

enum masing_status result_file_fail(const char *file, struct masing_error *error)
{
    int number = errno;
    return number == ENOMEM ? masing_error_set(error, MASING_NO_MEMORY, "out of memory")
                            : masing_error_set(error, MASING_IO, "%s: cannot write: %s", file,
                                               strerror(number));
}

static void clear(struct result_file *result)
{
    free(result->target);
    free(result->temporary);
    *result = (struct result_file){0};
}

/* A name that no file has yet; the descriptor of the new, empty file or -1. */
static int create_temporary(struct result_file *result)
{
    const char *slash = strrchr(result->target, '/');
    int folder = slash ? (int)(slash - result->target) + 1 : 0, file = -1;
    for (int i = 0; file < 0 && i < MOST_ATTEMPTS; i++) {
        free(result->temporary);
        result->temporary =
            memory_format("%.*s%.*s.unfinished-%ld-%d", folder, result->target, MOST_OF_NAME,
                          result->target + folder, (long)getpid(), i);
        errno = result->temporary ? 0 : ENOMEM;
        if (!result->temporary) {
            return -1;
        }
        file = open(result->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, NEW_FILE);
        if (file < 0 && errno != EEXIST) {
            return -1;
        }
    }
    return file;
}

/* A file that is replaced keeps its permissions, and is not replaced against them. */
static int open_temporary(struct result_file *result, const struct stat *earlier)
{
    if (earlier && access(result->target, W_OK) != 0) {
        return -1;
    }
    int file = create_temporary(result);
    if (file >= 0 && earlier) {
        (void)!fchmod(file, earlier->st_mode & 07777);
    }
    return file;
}

/* Where the folder takes no new file, what is there may still be written over. */
static bool is_closed_folder(const struct stat *earlier)
{
    return earlier && (errno == EACCES || errno == EPERM || errno == EROFS);
}

/* What is no regular file (a device, a pipe, a link that leads nowhere) is written directly. */
static enum masing_status open_stream(const char *file, struct result_file *result,
                                      struct masing_error *error)
{
    struct stat status_of_file;
    bool is_there = stat(file, &status_of_file) == 0;
    const struct stat *earlier = is_there ? &status_of_file : NULL;
    bool is_direct =
        is_there ? !S_ISREG(status_of_file.st_mode) : lstat(file, &status_of_file) == 0;
    char *real = is_there && !is_direct ? realpath(file, NULL) : NULL;
    result->target = memory_text(real ? real : file);
    free(real);
    if (!result->target) {
        errno = ENOMEM;
        return result_file_fail(file, error);
    }
    int descriptor = is_direct ? -1 : open_temporary(result, earlier);
    if (descriptor < 0 && (is_direct || is_closed_folder(earlier))) {
        free(result->temporary);
        result->temporary = NULL;
        result->stream = fopen(file, "wb");
    } else if (descriptor >= 0) {
        result->stream = fdopen(descriptor, "wb");
    }
    if (!result->stream && descriptor >= 0) {
        close(descriptor);
        unlink(result->temporary);
        errno = ENOMEM;
    }
    return result->stream ? MASING_OK : result_file_fail(file, error);
}

enum masing_status result_file_open(const char *file, struct result_file *result,
                                    struct masing_error *error)
{
    *result = (struct result_file){0};
    enum masing_status status = open_stream(file, result, error);
    if (status != MASING_OK) {
        clear(result);
    }
    return status;
}

enum masing_status result_file_keep(const char *file, struct result_file *result,
                                    struct masing_error *error)
{
    if (!result->stream) {
        return MASING_OK;
    }
    bool is_good = fclose(result->stream) == 0;
    if (is_good && result->temporary) {
        is_good = rename(result->temporary, result->target) == 0;
    }
    enum masing_status status = is_good ? MASING_OK : result_file_fail(file, error);
    if (!is_good && result->temporary) {
        unlink(result->temporary);
    }
    clear(result);
    return status;
}

void result_file_drop(struct result_file *result)
{
    if (result->stream) {
        fclose(result->stream);
        if (result->temporary) {
            unlink(result->temporary);
        }
    }
    clear(result);
}
