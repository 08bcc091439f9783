/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/sparse_factor.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>

#include "base/check.h"
#include "base/memory.h"

_Static_assert(sizeof(SuiteSparse_long) == sizeof(int64_t), "CHOLMOD's long integers");

struct sparse_factor {
    cholmod_common common;
    cholmod_factor *factor;
    cholmod_dense *solution, *y, *e; /* kept from solve to solve */
};

/* A matrix as CHOLMOD takes it, its arrays lent. */
static cholmod_sparse lend(const struct masing_sparse *sparse)
{
    return (cholmod_sparse){.nrow = (size_t)sparse->n,
                            .ncol = (size_t)sparse->n,
                            .nzmax = (size_t)sparse->start[sparse->n],
                            .p = sparse->start,
                            .i = sparse->rows,
                            .x = sparse->values,
                            .stype = -1,
                            .itype = CHOLMOD_LONG,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
}

static enum masing_status report(const struct sparse_factor *made, struct masing_error *error)
{
    return made->common.status == CHOLMOD_OUT_OF_MEMORY ||
                   made->common.status == CHOLMOD_TOO_LARGE
               ? masing_error_set(error, MASING_NO_MEMORY, "out of memory")
           : made->common.status < CHOLMOD_OK
               ? masing_error_set(error, MASING_INTERNAL, "CHOLMOD failed with status %d",
                                  made->common.status)
               : MASING_OK;
}

/* Pivots below this part of their diagonal are what rounding leaves of zero. */
static const double WEAK_PIVOT = 1e-12;

/* The diagonal of a factor's column, with its row in the matrix. */
static double pivot(const cholmod_factor *factor, SuiteSparse_long column)
{
    const double *x = factor->x;
    if (!factor->is_super) {
        const SuiteSparse_long *p = factor->p;
        return x[p[column]];
    }
    const SuiteSparse_long *super = factor->super, *pi = factor->pi, *px = factor->px;
    SuiteSparse_long low = 0, high = (SuiteSparse_long)factor->nsuper;
    while (high - low > 1) {
        SuiteSparse_long middle = (low + high) / 2;
        *(super[middle] <= column ? &low : &high) = middle;
    }
    SuiteSparse_long place = column - super[low], rows = pi[low + 1] - pi[low];
    return x[px[low] + place * (rows + 1)];
}

/* The row of the first weak pivot, -1 where there is none. */
static int find_weak(const cholmod_factor *factor, const cholmod_sparse *matrix)
{
    const SuiteSparse_long *order = factor->Perm, *start = matrix->p, *rows = matrix->i;
    const double *values = matrix->x;
    if (factor->minor < factor->n) {
        return (int)order[factor->minor];
    }
    for (SuiteSparse_long k = 0; k < (SuiteSparse_long)factor->n; k++) {
        SuiteSparse_long j = order[k];
        double diagonal =
            start[j] < start[j + 1] && rows[start[j]] == j ? values[start[j]] : 0.0;
        double own = pivot(factor, k);
        if (!(own * own > WEAK_PIVOT * diagonal)) {
            return (int)j;
        }
    }
    return -1;
}

/* CHOLMOD starts threads of its own for small loops, which cost more than they bring. */
static void factorise_alone(cholmod_sparse *matrix, struct sparse_factor *made)
{
    int levels = omp_get_max_active_levels();
    omp_set_max_active_levels(0);
    cholmod_l_factorize(matrix, made->factor, &made->common);
    omp_set_max_active_levels(levels);
}

static enum masing_status factorise(struct sparse_factor *made, cholmod_sparse *matrix,
                                    int *weak, struct masing_error *error)
{
    made->factor = cholmod_l_analyze(matrix, &made->common);
    NEED(report(made, error));
    factorise_alone(matrix, made);
    NEED(report(made, error));
    *weak = find_weak(made->factor, matrix);
    return *weak >= 0 ? MASING_SINGULAR : MASING_OK;
}

enum masing_status sparse_factor_create(const struct masing_sparse *stiffness,
                                        const struct masing_sparse *mass, double shift,
                                        struct sparse_factor **factor, int *weak,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct sparse_factor *made = memory_array(1, sizeof *made);
    cholmod_sparse *sum = NULL;
    double one[2] = {1.0, 0.0}, factors[2] = {shift, 0.0};
    *weak = -1;
    *factor = NULL;
    NEED_ALLOCATED(made);
    cholmod_l_start(&made->common);
    made->common.print = 0;
    made->common.try_catch = 1;
    made->common.final_ll = 1; /* squares of pivots are compared with diagonals */
    cholmod_sparse k = lend(stiffness);
    if (mass) {
        cholmod_sparse m = lend(mass);
        sum = cholmod_l_add(&k, &m, one, factors, 1, 1, &made->common);
        TRY(report(made, error));
    }
    TRY(factorise(made, sum ? sum : &k, weak, error));
    *factor = made;
    made = NULL;
done:
    if (sum) {
        cholmod_l_free_sparse(&sum, made ? &made->common : &(*factor)->common);
    }
    sparse_factor_destroy(made);
    return status;
}

void sparse_factor_destroy(struct sparse_factor *factor)
{
    if (factor) {
        cholmod_l_free_factor(&factor->factor, &factor->common);
        cholmod_l_free_dense(&factor->solution, &factor->common);
        cholmod_l_free_dense(&factor->y, &factor->common);
        cholmod_l_free_dense(&factor->e, &factor->common);
        cholmod_l_finish(&factor->common);
        free(factor);
    }
}

enum masing_status sparse_factor_solve(struct sparse_factor *factor, int n_columns,
                                       double *columns, struct masing_error *error)
{
    size_t n = factor->factor->n;
    cholmod_dense right = {.nrow = n,
                           .ncol = (size_t)n_columns,
                           .nzmax = n * (size_t)n_columns,
                           .d = n,
                           .x = columns,
                           .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE};
    cholmod_l_solve2(CHOLMOD_A, factor->factor, &right, NULL, &factor->solution, NULL,
                     &factor->y, &factor->e, &factor->common);
    NEED(report(factor, error));
    memcpy(columns, factor->solution->x, n * (size_t)n_columns * sizeof *columns);
    return MASING_OK;
}

double sparse_factor_entries(const struct sparse_factor *factor)
{
    return factor->common.lnz;
}
