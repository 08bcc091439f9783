/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Latin hypercube has one draw in each of n equal strata of each number (M. McKay, R.
 * Beckman, W. Conover, Technometrics 21 (1979) 239). Correlated numbers are mapped from
 * independent normal variables by Cholesky's factor: their joint distribution is exact, and
 * the first number alone keeps its strata exactly.
 */
#include "analyses/sample/design.h"

#include <gsl/gsl_cdf.h>
#include <stdlib.h>

#include "analyses/sample/distribution.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/philox.h"

/* Last words of the counters: streams that have nothing in common. */
enum stream { OF_POINT, OF_STRATA, OF_SET_A, OF_SET_B };

static struct philox counter(int index, int number, int replicate, enum stream stream)
{
    return (struct philox){
        {(uint32_t)index, (uint32_t)number, (uint32_t)replicate, (uint32_t)stream}};
}

int design_replicate(const struct design *design, int index)
{
    return design->n_replicates > 0 ? index % design->n_replicates : 0;
}

static double *unit_of(struct design *design, int index, int number)
{
    return design->unit + (size_t)index * (size_t)design->n_numbers + number;
}

/* Draws r, r + n_replicates, ... of one number: a stratum each, in random order. */
static void stratify(struct design *design, int replicate, int number, int *order)
{
    int step = design->n_replicates, n = (design->n - replicate + step - 1) / step;
    for (int i = 0; i < n; i++) {
        uint32_t j = philox_below(design->seed, counter(i, number, replicate, OF_STRATA),
                                  (uint32_t)i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < n; i++) {
        double *unit = unit_of(design, replicate + i * step, number);
        *unit = (order[i] + *unit) / n;
    }
}

enum masing_status design_create(struct design *design, enum masing_sample_design kind, int n,
                                 int n_numbers, uint64_t seed, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    bool is_replicated = n >= DESIGN_LEAST_REPLICATED;
    int *order = memory_array((size_t)n, sizeof *order);
    *design = (struct design){.seed = seed, .n = n, .n_numbers = n_numbers};
    TRY_ALLOCATED(order);
    TRY_ALLOCATED(design->unit =
                      memory_array((size_t)n * (size_t)n_numbers, sizeof *design->unit));
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n_numbers; k++) {
            *unit_of(design, i, k) = philox_uniform(seed, counter(i, k, 0, OF_POINT));
        }
    }
    if (kind == MASING_SAMPLE_HYPERCUBE) {
        design->n_replicates = is_replicated ? DESIGN_N_REPLICATES : 1;
    }
    for (int r = 0; r < design->n_replicates; r++) {
        for (int k = 0; k < n_numbers; k++) {
            stratify(design, r, k, order);
        }
    }
done:
    free(order);
    return status;
}

void design_clear(struct design *design)
{
    free(design->unit);
    *design = (struct design){0};
}

void design_set_point(uint64_t seed, int n_numbers, int set, int which, double *unit)
{
    for (int k = 0; k < n_numbers; k++) {
        bool is_of_b = which == 1 || which == 2 + k;
        unit[k] = philox_uniform(seed, counter(set, k, 0, is_of_b ? OF_SET_B : OF_SET_A));
    }
}

void design_numbers(const struct masing_uncertainty *uncertain, const double *factor,
                    const double *unit, double *scratch, double *numbers)
{
    int n = uncertain->n;
    for (int k = 0; factor && k < n; k++) {
        scratch[k] = gsl_cdf_ugaussian_Pinv(unit[k]);
    }
    for (int k = 0; k < n; k++) {
        double z = 0.0, p = unit[k];
        for (int j = 0; factor && j <= k; j++) {
            z += factor[k + j * n] * scratch[j];
        }
        p = factor && k > 0 ? gsl_cdf_ugaussian_P(z) : p;
        numbers[k] = distribution_quantile(&uncertain->numbers[k], p);
    }
}
