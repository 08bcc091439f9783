/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `uncertain`: numbers of the model by their paths, each with a distribution. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/cholesky.h"
#include "model_file/reader.h"

enum { MAX_UNCERTAIN = 1000 };

/* --- a distribution ----------------------------------------------------------------------- */

struct distribution_form {
    const char *name;
    int n;
    const char *numbers; /* what they are */
};

static const struct distribution_form forms[] = {
    [MASING_NORMAL] = {"normal", 2, "[mean, deviation]"},
    [MASING_UNIFORM] = {"uniform", 2, "[low, high]"},
    [MASING_LOGNORMAL] = {"lognormal", 2, "[median, deviation of the logarithm]"},
    [MASING_TRIANGULAR] = {"triangular", 3, "[low, mode, high]"},
};

enum { N_FORMS = sizeof forms / sizeof *forms };

static const char *const distribution_keys[] = {"normal",     "uniform", "lognormal",
                                                "triangular", "bounds",  NULL};

static enum masing_status read_list(struct reader *reader, struct tree_node *node, int n,
                                    const char *what, double *numbers)
{
    if (node->kind != TREE_SEQUENCE || node->count != n) {
        return reader_fail(reader, node, "%s: expected %s", node->key, what);
    }
    for (struct tree_node *child = node->first; child; child = child->next) {
        NEED(reader_number(reader, child, node->key, numbers++));
    }
    return MASING_OK;
}

static enum masing_status check_numbers(struct reader *reader, const struct tree_node *node,
                                        const struct masing_uncertain_number *number)
{
    const double *n = number->numbers;
    switch (number->distribution) {
    case MASING_LOGNORMAL:
        NEED(reader_refuse(reader, !(n[0] > 0.0), node->first,
                           "lognormal: the median is %g, expected a number above 0", n[0]));
        /* fall through */
    case MASING_NORMAL:
        return reader_refuse(reader, !(n[1] > 0.0), node->last,
                             "%s: the deviation is %g, expected a number above 0", node->key,
                             n[1]);
    case MASING_UNIFORM:
        return reader_refuse(reader, !(n[0] < n[1]), node,
                             "uniform: from %g to %g, expected the smaller one first", n[0],
                             n[1]);
    case MASING_TRIANGULAR:
        break;
    }
    return reader_refuse(reader, !(n[0] <= n[1] && n[1] <= n[2] && n[0] < n[2]), node,
                         "triangular: %g, %g, %g, expected low, mode and high in this order",
                         n[0], n[1], n[2]);
}

static enum masing_status read_bounds(struct reader *reader, struct tree_node *node,
                                      struct masing_uncertain_number *number)
{
    NEED(read_list(reader, node, 2, "[low, high]", number->bounds));
    number->has_bounds = true;
    return reader_refuse(reader, !(number->bounds[0] < number->bounds[1]), node,
                         "bounds: from %g to %g, expected the smaller one first",
                         number->bounds[0], number->bounds[1]);
}

static enum masing_status read_number(struct reader *reader, struct tree_node *map,
                                      struct masing_uncertain_number *number)
{
    struct masing_error *error = reader->error;
    struct tree_node *found = NULL, *bounds;
    NEED(reader_mapping(reader, map));
    NEED_ALLOCATED(number->path = memory_text(map->key));
    number->place = map->key_place;
    NEED(reader_keys(reader, map, distribution_keys, NULL));
    for (int f = 0; f < N_FORMS; f++) {
        struct tree_node *node = tree_find(map, forms[f].name);
        NEED(reader_refuse(reader, node && found, node,
                           "%s: it has two distributions, %s and %s", map->key,
                           found ? found->key : "", forms[f].name));
        if (node) {
            found = node;
            number->distribution = (enum masing_distribution)f;
        }
    }
    NEED(reader_refuse(reader, !found, map,
                       "%s: a distribution is missing: normal, uniform, lognormal or "
                       "triangular",
                       map->key));
    const struct distribution_form *form = &forms[number->distribution];
    NEED(read_list(reader, found, form->n, form->numbers, number->numbers));
    NEED(check_numbers(reader, found, number));
    bounds = tree_find(map, "bounds");
    return bounds ? read_bounds(reader, bounds, number) : MASING_OK;
}

/* --- numbers of all sectors --------------------------------------------------------------- */

static const char mistuning[] = "mistuning.";

/* How many numbers an entry stands for: `mistuning.PATH` is one for each sector of a disk. */
static enum masing_status count_sectors(struct reader *reader, const struct tree_node *entry,
                                        int *n)
{
    const struct tree_node *structure = tree_find(reader->tree->root, "structure");
    struct tree_node *sectors = tree_find(tree_find(structure, "cyclic"), "sectors");
    *n = 1;
    if (strncmp(entry->key, mistuning, sizeof mistuning - 1) != 0) {
        return MASING_OK;
    }
    return sectors ? reader_integer(reader, sectors, "sectors", 1, MAX_UNCERTAIN, n)
                   : reader_fail_key(reader, entry,
                                     "%s: expected a structure with 'cyclic', whose sectors "
                                     "differ by it",
                                     entry->key);
}

/* The number of the first sector, with the place of the entry, becomes that of all of them. */
static enum masing_status add_sectors(struct reader *reader, int n,
                                      struct masing_uncertainty *uncertain)
{
    struct masing_error *error = reader->error;
    const struct masing_uncertain_number first = uncertain->numbers[--uncertain->n];
    enum masing_status status = MASING_OK;
    for (int s = 0; s < n && !status; s++) {
        struct masing_uncertain_number *number = &uncertain->numbers[uncertain->n++];
        *number = first;
        number->path = memory_format("%s.%d", first.path, s);
        status = number->path ? MASING_OK
                              : masing_error_set(error, MASING_NO_MEMORY, "out of memory");
    }
    free(first.path);
    return status;
}

static enum masing_status read_entry(struct reader *reader, struct tree_node *node,
                                     struct masing_uncertainty *uncertain)
{
    int n = 1;
    NEED(read_number(reader, node, &uncertain->numbers[uncertain->n++]));
    NEED(count_sectors(reader, node, &n));
    bool is_of_sectors = strncmp(node->key, mistuning, sizeof mistuning - 1) == 0;
    return is_of_sectors ? add_sectors(reader, n, uncertain) : MASING_OK;
}

/* --- correlation -------------------------------------------------------------------------- */

static enum masing_status read_rows(struct reader *reader, struct tree_node *node, int n,
                                    double *matrix)
{
    int i = 0;
    NEED(reader_refuse(reader, node->kind != TREE_SEQUENCE || node->count != n, node,
                       "correlation: expected %d rows, one for each uncertain number", n));
    for (struct tree_node *row = node->first; row; row = row->next, i++) {
        int j = 0;
        NEED(reader_refuse(reader, row->kind != TREE_SEQUENCE || row->count != n, row,
                           "correlation: expected a row of %d numbers", n));
        for (struct tree_node *child = row->first; child; child = child->next, j++) {
            double *at = &matrix[i + j * n];
            NEED(reader_number(reader, child, "correlation", at));
            NEED(reader_refuse(reader, i == j && *at != 1.0, child,
                               "correlation: %g on the diagonal, expected 1", *at));
            NEED(reader_refuse(reader, j < i && *at != matrix[j + i * n], child,
                               "correlation: %g in row %d, column %d, but %g in row %d, "
                               "column %d: expected a symmetric matrix",
                               *at, i + 1, j + 1, matrix[j + i * n], j + 1, i + 1));
        }
    }
    return MASING_OK;
}

static enum masing_status read_correlation(struct reader *reader, struct tree_node *node,
                                           struct masing_uncertainty *uncertain)
{
    static const double TOLERANCE = 1e-10;
    enum masing_status status = MASING_OK;
    struct masing_error *error = reader->error;
    int n = uncertain->n;
    size_t size = (size_t)n * (size_t)n;
    double *factor = NULL, *diagonal = memory_array((size_t)n, sizeof *diagonal);
    TRY_ALLOCATED(diagonal);
    TRY_ALLOCATED(uncertain->correlation = memory_array(size, sizeof *factor));
    TRY(read_rows(reader, node, n, uncertain->correlation));
    TRY_ALLOCATED(factor = memory_copy(uncertain->correlation, size, sizeof *factor));
    int weak = cholesky_weak_row(n, factor, TOLERANCE, diagonal);
    TRY(reader_refuse(reader, weak >= 0, node,
                      "correlation: the matrix is not positive definite (row %d): there are no "
                      "such variables",
                      weak + 1));
done:
    free(factor);
    free(diagonal);
    return status;
}

/* --- the section -------------------------------------------------------------------------- */

enum masing_status read_uncertain(struct reader *reader, struct tree_node *section,
                                  void *object)
{
    struct masing_uncertainty *uncertain = &((struct masing_spec *)object)->uncertain;
    struct masing_error *error = reader->error;
    struct tree_node *correlation;
    NEED(reader_open_mapping(reader, section));
    correlation = tree_find(section, "correlation");
    int n = section->count - (correlation != NULL);
    uncertain->place = section->place;
    NEED(reader_refuse(reader, n < 1 || n > MAX_UNCERTAIN, section,
                       "uncertain: expected 1 to %d numbers by their paths, as "
                       "damper.preload: {normal: [30, 3]}",
                       MAX_UNCERTAIN));
    int n_all = 0;
    for (struct tree_node *node = section->first; node; node = node->next) {
        int of_entry = 0;
        NEED(node == correlation ? MASING_OK : count_sectors(reader, node, &of_entry));
        n_all += of_entry;
    }
    NEED(reader_refuse(reader, n_all > MAX_UNCERTAIN, section,
                       "uncertain: %d numbers of all sectors, expected at most %d", n_all,
                       MAX_UNCERTAIN));
    NEED(reader_refuse(reader, correlation && n_all > n, correlation,
                       "correlation: not with 'mistuning.', which draws a number for each "
                       "sector independently"));
    NEED_ALLOCATED(uncertain->numbers =
                       memory_array((size_t)n_all, sizeof *uncertain->numbers));
    for (struct tree_node *node = section->first; node; node = node->next) {
        NEED(node == correlation ? MASING_OK : read_entry(reader, node, uncertain));
    }
    return correlation ? read_correlation(reader, correlation, uncertain) : MASING_OK;
}
