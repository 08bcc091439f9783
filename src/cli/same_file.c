/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/same_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Of the folder that a file is in; false where there is none, or its name is too long. */
static bool look_at_folder(const char *file, struct stat *folder)
{
    char path[4096];
    const char *slash = strrchr(file, '/');
    int length = slash ? (int)(slash - file) + 1 : 0;
    int n = snprintf(path, sizeof path, "%.*s.", length, file);
    return n > 0 && (size_t)n < sizeof path && stat(path, folder) == 0;
}

static const char *name_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

bool same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    if (strcmp(a, b) == 0) {
        return true;
    }
    if (stat(a, &of_a) == 0 && stat(b, &of_b) == 0) {
        return is_same(&of_a, &of_b) && S_ISREG(of_a.st_mode);
    }
    return strcmp(name_of(a), name_of(b)) == 0 && look_at_folder(a, &of_a) &&
           look_at_folder(b, &of_b) && is_same(&of_a, &of_b);
}
