/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/matrices/entries.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"

/* How far two entries across the diagonal may differ, in parts of what their rows' diagonals
 * suggest: more than the rounding of a program that writes a symmetric matrix. */
static const double ASYMMETRY = 1e-10;

const char *node_dof_text(struct node_dof dof, char text[NODE_DOF_TEXT])
{
    static const char *const directions[] = {"", ".x", ".y", ".z", ".rx", ".ry", ".rz"};
    snprintf(text, NODE_DOF_TEXT, "%s%u%s", dof.node < 0 ? "internal" : "",
             dof.node < 0 ? 0U - (unsigned)dof.node : (unsigned)dof.node,
             directions[dof.direction]);
    return text;
}

enum masing_status entry_list_add(struct entry_list *list, int row, int column, double value,
                                  int line, struct masing_error *error)
{
    if (list->n >= INT_MAX - 1) {
        return masing_error_set(error, MASING_INVALID, "%.400s: has more than %d entries",
                                list->file, INT_MAX - 1);
    }
    NEED_ALLOCATED(memory_grow((void **)&list->entries, list->n + 1, &list->capacity,
                               sizeof *list->entries));
    NEED_ALLOCATED(memory_grow((void **)&list->lines, list->n + 1, &list->line_capacity,
                               sizeof *list->lines));
    list->lines[list->n] = line;
    list->entries[list->n++] = (struct sparse_entry){row, column, value};
    return MASING_OK;
}

void entry_list_clear(struct entry_list *list)
{
    free(list->entries);
    free(list->lines);
    *list = (struct entry_list){0};
}

struct folding {
    const struct entry_list *list;
    const struct node_dof *dofs;
    const struct masing_sparse *sparse;
    double *diagonal; /* [n] */
    int *seen; /* [2][entries of the matrix]: which of the list, from 1, is in which triangle */
    bool has_both;
    struct masing_error *error;
};

static enum masing_status fail_entry(const struct folding *folding, size_t entry,
                                     const char *what)
{
    const struct entry_list *list = folding->list;
    const struct sparse_entry *e = &list->entries[entry];
    char row[NODE_DOF_TEXT], column[NODE_DOF_TEXT], line[24] = "";
    struct node_dof i = {e->row + 1, 0}, j = {e->column + 1, 0};
    if (list->lines) {
        snprintf(line, sizeof line, "%d:1: ", list->lines[entry]);
    }
    return masing_error_set(
        folding->error, MASING_INVALID, "%.400s:%s%sentry (%s, %s) %s", list->file, line,
        list->lines ? "" : " ", node_dof_text(folding->dofs ? folding->dofs[e->row] : i, row),
        node_dof_text(folding->dofs ? folding->dofs[e->column] : j, column), what);
}

static enum masing_status fail_twice(const struct folding *folding, size_t entry, int first)
{
    const int *lines = folding->list->lines;
    char what[120] = "is given twice";
    if (lines) {
        snprintf(what, sizeof what, "is given twice (first in line %d)", lines[first]);
    }
    return fail_entry(folding, entry, what);
}

/* Where an entry of the list is noted, and its mirror image. */
static int *seen_at(const struct folding *folding, size_t entry, bool is_image)
{
    const struct sparse_entry *e = &folding->list->entries[entry];
    const struct masing_sparse *sparse = folding->sparse;
    bool is_upper = e->row < e->column;
    int64_t at = sparse_find(sparse, e->row, e->column);
    return &folding->seen[at + (is_upper != is_image ? sparse->start[sparse->n] : 0)];
}

static enum masing_status note_entries(struct folding *folding)
{
    const struct entry_list *list = folding->list;
    for (size_t e = 0; e < list->n; e++) {
        const struct sparse_entry *entry = &list->entries[e];
        int *own = seen_at(folding, e, false);
        if (*own) {
            return fail_twice(folding, e, *own - 1);
        }
        *own = (int)e + 1;
        if (entry->row == entry->column) {
            folding->diagonal[entry->row] = entry->value;
            continue;
        }
        int other = *seen_at(folding, e, true);
        folding->has_both = folding->has_both || other;
        if (other && list->triangles == ENTRIES_ONE_TRIANGLE) {
            return fail_twice(folding, e, other - 1);
        }
    }
    return MASING_OK;
}

/* What the mirror images added to the sums is taken out. */
static enum masing_status compare_images(const struct folding *folding)
{
    const struct entry_list *list = folding->list;
    for (size_t e = 0; e < list->n; e++) {
        const struct sparse_entry *entry = &list->entries[e];
        if (entry->row == entry->column) {
            continue;
        }
        int other = *seen_at(folding, e, true) - 1;
        double image = other >= 0 ? list->entries[other].value : 0.0;
        double scale = sqrt(fabs(folding->diagonal[entry->row])) *
                       sqrt(fabs(folding->diagonal[entry->column]));
        scale = fmax(scale, fmax(fabs(entry->value), fabs(image)));
        if (fabs(entry->value - image) > ASYMMETRY * scale) {
            return fail_entry(
                folding, e,
                !list->lines ? "differs from its mirror image: expected a symmetric matrix"
                : list->triangles == ENTRIES_BOTH
                    ? "differs from its mirror image: a file that holds one triangle must be "
                      "declared symmetric"
                    : "differs from its mirror image, or has none where others have: expected "
                      "one triangle, or a symmetric matrix");
        }
        folding->sparse->values[sparse_find(folding->sparse, entry->row, entry->column)] =
            0.5 * (entry->value + image);
    }
    return MASING_OK;
}

enum masing_status entry_list_fold(const struct entry_list *list, int n,
                                   const struct node_dof *dofs, struct masing_sparse *sparse,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct folding folding = {.list = list, .dofs = dofs, .sparse = sparse, .error = error};
    TRY(sparse_create(n, list->n, list->entries, sparse, error));
    folding.seen = memory_array(2 * (size_t)sparse->start[n], sizeof *folding.seen);
    folding.diagonal = memory_array((size_t)n, sizeof *folding.diagonal);
    TRY_ALLOCATED(folding.seen && folding.diagonal);
    TRY(note_entries(&folding));
    bool is_full = list->triangles == ENTRIES_BOTH ||
                   (list->triangles == ENTRIES_EITHER && folding.has_both);
    TRY(is_full ? compare_images(&folding) : MASING_OK);
done:
    free(folding.seen);
    free(folding.diagonal);
    if (status != MASING_OK) {
        sparse_clear(sparse);
    }
    return status;
}
