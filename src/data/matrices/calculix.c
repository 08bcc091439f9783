/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/matrices/calculix.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/matrices/matrix_format.h"
#include "linalg/sparse.h"

enum { MOST_NODES = 2000000000 };

/* Words are cut at a point. */
static enum masing_status read_dof(struct text_lines *lines, struct node_dof *dof)
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

static enum masing_status read_dofs(const char *file, int *n, struct node_dof **dofs,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct text_lines lines;
    char *text = NULL;
    size_t capacity = 0, length;
    TRY(matrix_text_begin(&lines, file, '#', &text, &length, error));
    while (text_lines_next_data(&lines)) {
        TRY_ALLOCATED(memory_grow((void **)dofs, (size_t)*n + 1, &capacity, sizeof **dofs));
        TRY(read_dof(&lines, &(*dofs)[*n]));
        ++*n;
    }
done:
    free(text);
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

/* The last column of a file whose text has been checked, 0 where its last line is no entry. */
static int last_column(const char *text, size_t length)
{
    struct text_lines lines;
    struct text_word word;
    struct masing_error ignored = {0};
    size_t begin = length, position = 0;
    int column = 0;
    while (begin > 0 && strchr("\n\r \t", text[begin - 1])) {
        begin--;
    }
    while (begin > 0 && text[begin - 1] != '\n') {
        begin--;
    }
    text_lines_begin(&lines, "", text + begin, length - begin, '#', &ignored);
    bool is_entry = text_lines_next(&lines) && text_lines_word(&lines, &position, &word) &&
                    text_lines_word(&lines, &position, &word) &&
                    text_lines_integer(&lines, &word, "", 1, MOST_NODES, &column) == MASING_OK;
    return is_entry ? column : 0;
}

static enum masing_status refuse_sector(const char *file, const char *text, size_t length,
                                        int n, const char *dof_file, struct masing_error *error)
{
    int last = last_column(text, length);
    if (last == 2 * (long long)n) {
        return masing_error_set(error, MASING_INVALID,
                                "%.400s: has %d rows, twice as many as '%.300s' has DOFs: a "
                                "sector of a cyclic structure; write it without *CYCLIC "
                                "SYMMETRY MODEL",
                                file, last, dof_file);
    }
    return MASING_OK;
}

static enum masing_status check_end(const struct text_lines *lines, int last, int n,
                                    const char *dof_file)
{
    return last == n ? MASING_OK
                     : text_lines_fail(
                           lines, 1,
                           "the file ends with column %d of %d, which '%.200s' has: it is "
                           "cut short, or the files are not of one job",
                           last, n, dof_file);
}

static enum masing_status read_matrix(const char *file, int n, const char *dof_file,
                                      struct masing_sparse *matrix, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct text_lines lines;
    struct sparse_entry *entries = NULL;
    char *text = NULL;
    size_t count = 0, capacity = 0, length;
    TRY(matrix_text_begin(&lines, file, '#', &text, &length, error));
    TRY(refuse_sector(file, text, length, n, dof_file, error));
    while (text_lines_next_data(&lines)) {
        TRY_ALLOCATED(memory_grow((void **)&entries, count + 1, &capacity, sizeof *entries));
        TRY(read_entry(&lines, n, dof_file, count ? &entries[count - 1] : NULL,
                       &entries[count]));
        count++;
    }
    TRY(check_end(&lines, count ? entries[count - 1].column + 1 : 0, n, dof_file));
    free(text);
    text = NULL;
    TRY(sparse_create(n, count, entries, matrix, error));
done:
    free(text);
    free(entries);
    return status;
}

enum masing_status calculix_read(const char *dof_file, const char *stiffness_file,
                                 const char *mass_file, struct node_matrices *matrices,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    *matrices = (struct node_matrices){0};
    TRY(read_dofs(dof_file, &matrices->n, &matrices->dofs, error));
    TRY(read_matrix(stiffness_file, matrices->n, dof_file, &matrices->stiffness, error));
    TRY(read_matrix(mass_file, matrices->n, dof_file, &matrices->mass, error));
    TRY(node_matrices_check(matrices, stiffness_file, mass_file, error));
done:
    if (status != MASING_OK) {
        node_matrices_clear(matrices);
    }
    return status;
}
