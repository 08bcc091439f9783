/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/sparse.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

static int lower_row(const struct sparse_entry *entry)
{
    return entry->row > entry->column ? entry->row : entry->column;
}

static int lower_column(const struct sparse_entry *entry)
{
    return entry->row > entry->column ? entry->column : entry->row;
}

/* Order [n_entries] of the entries by one of their numbers, those of the same one as they were;
 * start [n + 1]: how many have a smaller one. */
static void sort_by(int (*number)(const struct sparse_entry *), int n, size_t n_entries,
                    const struct sparse_entry *entries, const int64_t *before, int64_t *start,
                    int64_t *order)
{
    memset(start, 0, ((size_t)n + 1) * sizeof *start);
    for (size_t e = 0; e < n_entries; e++) {
        start[number(&entries[e]) + 1]++;
    }
    for (int i = 0; i < n; i++) {
        start[i + 1] += start[i];
    }
    for (size_t e = 0; e < n_entries; e++) {
        int64_t entry = before ? before[e] : (int64_t)e;
        order[start[number(&entries[entry])]++] = entry;
    }
    memmove(start + 1, start, (size_t)n * sizeof *start); /* each ran on to the next */
    start[0] = 0;
}

/* Entries of the sorted columns, equal places added up. */
static void gather(const struct sparse_entry *entries, const int64_t *order,
                   struct masing_sparse *sparse)
{
    int64_t count = 0;
    for (int j = 0; j < sparse->n; j++) {
        int64_t from = sparse->start[j], first = count;
        for (int64_t e = from; e < sparse->start[j + 1]; e++) {
            const struct sparse_entry *entry = &entries[order[e]];
            int row = lower_row(entry);
            if (count > first && sparse->rows[count - 1] == row) {
                sparse->values[count - 1] += entry->value;
                continue;
            }
            sparse->rows[count] = row;
            sparse->values[count++] = entry->value;
        }
        sparse->start[j] = first;
    }
    sparse->start[sparse->n] = count;
}

enum masing_status sparse_create(int n, size_t n_entries, const struct sparse_entry *entries,
                                 struct masing_sparse *sparse, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int64_t *by_row = memory_array(n_entries, sizeof *by_row);
    int64_t *order = memory_array(n_entries, sizeof *order);
    *sparse = (struct masing_sparse){.n = n};
    sparse->start = memory_array((size_t)n + 1, sizeof *sparse->start);
    sparse->rows = memory_array(n_entries, sizeof *sparse->rows);
    sparse->values = memory_array(n_entries, sizeof *sparse->values);
    TRY_ALLOCATED(by_row && order && sparse->start && sparse->rows && sparse->values);
    sort_by(lower_row, n, n_entries, entries, NULL, sparse->start, by_row);
    sort_by(lower_column, n, n_entries, entries, by_row, sparse->start, order);
    gather(entries, order, sparse);
done:
    free(by_row);
    free(order);
    if (status != MASING_OK) {
        sparse_clear(sparse);
    }
    return status;
}

enum masing_status sparse_from_dense(int n, const double *a, struct masing_sparse *sparse,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t rows = (size_t)n, count = 0;
    for (size_t j = 0; j < rows; j++) {
        for (size_t i = j; i < rows; i++) {
            count += a[i + j * rows] != 0.0;
        }
    }
    *sparse = (struct masing_sparse){.n = n};
    sparse->start = memory_array(rows + 1, sizeof *sparse->start);
    sparse->rows = memory_array(count, sizeof *sparse->rows);
    sparse->values = memory_array(count, sizeof *sparse->values);
    TRY_ALLOCATED(sparse->start && sparse->rows && sparse->values);
    count = 0;
    for (size_t j = 0; j < rows; j++) {
        for (size_t i = j; i < rows; i++) {
            if (a[i + j * rows] != 0.0) {
                sparse->rows[count] = (int)i;
                sparse->values[count++] = a[i + j * rows];
            }
        }
        sparse->start[j + 1] = (int64_t)count;
    }
done:
    if (status != MASING_OK) {
        sparse_clear(sparse);
    }
    return status;
}

struct owners {
    atomic_size_t n;
};

void sparse_clear(struct masing_sparse *sparse)
{
    struct owners *owners = sparse->owners;
    if (!owners || atomic_fetch_sub(&owners->n, 1) == 1) {
        free(sparse->start);
        free(sparse->rows);
        free(sparse->values);
        free(owners);
    }
    *sparse = (struct masing_sparse){0};
}

bool sparse_share(struct masing_sparse *sparse, struct masing_sparse *other)
{
    struct owners *owners = sparse->owners;
    if (!owners) {
        sparse->owners = owners = memory_array(1, sizeof *owners);
        if (!owners) {
            return false;
        }
        atomic_init(&owners->n, 1);
    }
    atomic_fetch_add(&owners->n, 1);
    *other = *sparse;
    return true;
}

int64_t sparse_find(const struct masing_sparse *sparse, int row, int column)
{
    int64_t lower = row > column ? row : column, j = row > column ? column : row;
    int64_t low = sparse->start[j], high = sparse->start[j + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (sparse->rows[middle] < lower) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < sparse->start[j + 1] && sparse->rows[low] == lower ? low : -1;
}

/* Columns that are multiplied side by side: each entry of the matrix is fetched once for all of
 * them. */
enum { SIDE_BY_SIDE = 8 };

/* y [n][width] += A x [n][width] */
static inline void multiply_rows(const struct masing_sparse *sparse, int width,
                                 const double *restrict x, double *restrict y)
{
    for (int64_t j = 0; j < sparse->n; j++) {
        double sum[SIDE_BY_SIDE] = {0.0};
        const double *own = x + j * width;
        int64_t e = sparse->start[j], end = sparse->start[j + 1];
        if (e < end && sparse->rows[e] == j) {
            for (int c = 0; c < width; c++) {
                sum[c] = sparse->values[e] * own[c];
            }
            e++;
        }
        for (; e < end; e++) {
            const double *other = x + sparse->rows[e] * width;
            double *to = y + sparse->rows[e] * width, value = sparse->values[e];
            for (int c = 0; c < width; c++) {
                sum[c] += value * other[c];
                to[c] += value * own[c];
            }
        }
        for (int c = 0; c < width; c++) {
            y[j * width + c] += sum[c];
        }
    }
}

void sparse_multiply(const struct masing_sparse *sparse, int n_columns, const double *x,
                     double *y)
{
    size_t n = (size_t)sparse->n;
    memset(y, 0, n * (size_t)n_columns * sizeof *y);
    for (int c = 0; c < n_columns; c++) {
        multiply_rows(sparse, 1, x + (size_t)c * n, y + (size_t)c * n);
    }
}

void sparse_multiply_many(const struct masing_sparse *sparse, int n_columns, const double *x,
                          double *y, double *scratch)
{
    size_t n = (size_t)sparse->n, width = SIDE_BY_SIDE;
    double *from = scratch, *to = scratch + n * width;
    for (size_t first = 0; first < (size_t)n_columns; first += width) {
        size_t left = (size_t)n_columns - first, some = left < width ? left : width;
        memset(scratch, 0, 2 * n * width * sizeof *scratch);
        for (size_t c = 0; c < some; c++) {
            for (size_t i = 0; i < n; i++) {
                from[i * width + c] = x[(first + c) * n + i];
            }
        }
        multiply_rows(sparse, SIDE_BY_SIDE, from, to);
        for (size_t c = 0; c < some; c++) {
            for (size_t i = 0; i < n; i++) {
                y[(first + c) * n + i] = to[i * width + c];
            }
        }
    }
}

double sparse_gross(const struct masing_sparse *sparse, const double *x)
{
    double sum = 0.0;
    for (int64_t j = 0; j < sparse->n; j++) {
        for (int64_t e = sparse->start[j]; e < sparse->start[j + 1]; e++) {
            double part = fabs(x[sparse->rows[e]] * sparse->values[e] * x[j]);
            sum += sparse->rows[e] == j ? part : 2.0 * part;
        }
    }
    return sum;
}

double sparse_spread(const struct masing_sparse *sparse, const double *x)
{
    double sum = 0.0;
    for (int64_t j = 0; j < sparse->n; j++) {
        for (int64_t e = sparse->start[j]; e < sparse->start[j + 1]; e++) {
            double part = x[sparse->rows[e]] * sparse->values[e] * x[j];
            sum += (sparse->rows[e] == j ? 1.0 : 4.0) * part * part;
        }
    }
    return sqrt(sum);
}

enum masing_status sparse_forms(const struct masing_sparse *sparse, int n_columns,
                                const double *x, double *forms, struct masing_error *error)
{
    size_t n = (size_t)sparse->n, n_c = (size_t)n_columns;
    long double *y = memory_array(n, sizeof *y);
    NEED_ALLOCATED(y);
    for (size_t c = 0; c < n_c; c++) {
        const double *own = x + c * n;
        memset(y, 0, n * sizeof *y);
        for (size_t j = 0; j < n; j++) {
            for (int64_t e = sparse->start[j]; e < sparse->start[j + 1]; e++) {
                size_t i = (size_t)sparse->rows[e];
                long double value = sparse->values[e];
                y[j] += value * own[i];
                y[i] += i != j ? value * own[j] : 0.0L;
            }
        }
        for (size_t b = 0; b < n_c; b++) {
            long double sum = 0.0L;
            for (size_t i = 0; i < n; i++) {
                sum += x[b * n + i] * y[i];
            }
            forms[b + c * n_c] = (double)sum;
        }
    }
    free(y);
    return MASING_OK;
}

void sparse_expand(const struct masing_sparse *sparse, double *a)
{
    size_t n = (size_t)sparse->n;
    memset(a, 0, n * n * sizeof *a);
    for (size_t j = 0; j < n; j++) {
        for (int64_t e = sparse->start[j]; e < sparse->start[j + 1]; e++) {
            size_t i = (size_t)sparse->rows[e];
            a[i + j * n] = a[j + i * n] = sparse->values[e];
        }
    }
}
