/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/calculix.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/text_file.h"
#include "linalg/sparse.h"

static const size_t LARGEST_FILE = (size_t)16 << 30;
enum { MOST_NODES = 2000000000 };

/* Words are cut at a point. */
static enum masing_status read_dof(struct text_lines *lines, struct calculix_dof *dof)
{
    struct text_word word = {0}, part;
    size_t position = 0;
    text_lines_word(lines, &position, &word);
    const char *point = word.length ? memchr(word.text, '.', word.length) : NULL;
    if (!point) {
        return text_lines_fail(lines, 1, "expected NODE.DIRECTION, found '%.*s'",
                               text_word_shown(&word), word.text);
    }
    size_t length = (size_t)(point - word.text);
    part = (struct text_word){word.text, length, word.column};
    NEED(text_lines_integer(lines, &part, "node", 1, MOST_NODES, &dof->node));
    part =
        (struct text_word){point + 1, word.length - length - 1, word.column + (int)length + 1};
    return text_lines_integer(lines, &part, "direction", 1, 3, &dof->direction);
}

/* The text of a file, checked; lines begin. */
static enum masing_status begin(struct text_lines *lines, const char *file, char **text,
                                struct masing_error *error)
{
    size_t length;
    NEED(text_file_read(file, LARGEST_FILE, text, &length, error));
    NEED(text_check(*text, length, false, file, error));
    text_lines_begin(lines, file, *text, length, '#', error);
    return (*text)[length - 1] == '\n'
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID,
                                  "%.400s: the last line has no end: the file is cut short",
                                  file);
}

enum masing_status calculix_read_dofs(const char *file, int *n, struct calculix_dof **dofs,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct text_lines lines;
    char *text = NULL;
    size_t capacity = 0;
    *n = 0;
    *dofs = NULL;
    TRY(begin(&lines, file, &text, error));
    while (text_lines_next_data(&lines)) {
        TRY_ALLOCATED(memory_grow((void **)dofs, (size_t)*n + 1, &capacity, sizeof **dofs));
        TRY(read_dof(&lines, &(*dofs)[*n]));
        ++*n;
    }
done:
    free(text);
    if (status != MASING_OK) {
        free(*dofs);
        *dofs = NULL;
    }
    return status;
}

static enum masing_status read_entry(struct text_lines *lines, int n, const char *dof_file,
                                     const struct sparse_entry *before,
                                     struct sparse_entry *entry)
{
    struct text_word words[3], more;
    size_t position = 0;
    int place[2];
    for (int i = 0; i < 3; i++) {
        if (!text_lines_word(lines, &position, &words[i])) {
            return text_lines_fail(lines, (int)lines->length + 1,
                                   "expected 'row column value'; the line ends after %d", i);
        }
    }
    if (text_lines_word(lines, &position, &more)) {
        return text_lines_fail(lines, more.column, "expected nothing more, found '%.*s'",
                               text_word_shown(&more), more.text);
    }
    for (int i = 0; i < 2; i++) {
        NEED(text_lines_integer(lines, &words[i], i ? "column" : "row", 1, MOST_NODES,
                                &place[i]));
        if (place[i] > n) {
            return text_lines_fail(lines, words[i].column,
                                   "%s %d, but '%.200s' has %d DOFs: the files are not of one "
                                   "job",
                                   i ? "column" : "row", place[i], dof_file, n);
        }
    }
    NEED(text_lines_number(lines, &words[2], "value", &entry->value));
    entry->row = place[0] - 1;
    entry->column = place[1] - 1;
    bool is_after = !before || entry->column > before->column ||
                    (entry->column == before->column && entry->row > before->row);
    return is_after && entry->row <= entry->column
               ? MASING_OK
               : text_lines_fail(lines, words[0].column,
                                 "entry (%d, %d) is out of order: expected the upper triangle, "
                                 "column by column",
                                 place[0], place[1]);
}

enum masing_status calculix_read_matrix(const char *file, int n, const char *dof_file,
                                        struct masing_sparse *matrix,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct text_lines lines;
    struct sparse_entry *entries = NULL;
    char *text = NULL;
    size_t count = 0, capacity = 0;
    *matrix = (struct masing_sparse){0};
    TRY(begin(&lines, file, &text, error));
    while (text_lines_next_data(&lines)) {
        TRY_ALLOCATED(memory_grow((void **)&entries, count + 1, &capacity, sizeof *entries));
        TRY(read_entry(&lines, n, dof_file, count ? &entries[count - 1] : NULL,
                       &entries[count]));
        count++;
    }
    if (count == 0 || entries[count - 1].column != n - 1) {
        TRY(text_lines_fail(&lines, 1,
                            "the file ends with column %d of %d, which '%.200s' has: it is cut "
                            "short, or the files are not of one job",
                            count ? entries[count - 1].column + 1 : 0, n, dof_file));
    }
    free(text);
    text = NULL;
    TRY(sparse_create(n, count, entries, matrix, error));
done:
    free(text);
    free(entries);
    return status;
}
