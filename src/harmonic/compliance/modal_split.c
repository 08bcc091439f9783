/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/compliance/modal_split.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "harmonic/compliance/modal_ports.h"

/* Truncation, relative to the mode's own static compliance; its loss is needed less exactly. */
static const double NEGLIGIBLE = 1e-17;
static const double NEGLIGIBLE_LOSS = 1e-14;
/* Products for one near mode and for one power of s, value and derivative. */
enum { COST_NEAR = 4, COST_TERM = 2 };
/* A series has converged where so many terms in a row are negligible. */
enum { LAST_TERMS = 4 };

void modal_split_series(const struct structure *structure, int mode, double top, double *a)
{
    double square = structure->omega[mode] * structure->omega[mode];
    double rate = structure->modal_damping[mode] * top / square, ratio = top * top / square;
    a[0] = 1 / square;
    a[1] = -rate * a[0];
    for (int j = 2; j < SPLIT_MAX_TERMS; j++) {
        a[j] = -(rate * a[j - 1] + ratio * a[j - 2]);
    }
}

void modal_split_loss_series(const struct structure *structure, int mode, double top, double *b)
{
    double square = structure->omega[mode] * structure->omega[mode];
    double c = structure->modal_damping[mode], eta = structure->loss_factor;
    double constant = square * square * (1 + eta * eta);
    double linear = (c * c - 2 * square) * top * top / constant;
    double quadratic = top * top * top * top / constant;
    b[0] = 1 / constant;
    b[1] = -linear * b[0];
    for (int j = 2; j < SPLIT_LOSS_TERMS; j++) {
        b[j] = -(linear * b[j - 1] + quadratic * b[j - 2]);
    }
}

/* Number of leading terms after which |a_j| x^j stays below limit |a_0|; -1: too many */
static int terms_needed(const double *a, int n, double x, double limit)
{
    int needed = n;
    while (needed > 0 && fabs(a[needed - 1]) * pow(x, needed - 1) < limit * fabs(a[0])) {
        needed--;
    }
    return needed <= n - LAST_TERMS ? needed : -1;
}

/* Powers of s that a mode needs as a far one; -1 where it cannot be one */
static int mode_needs(const struct structure *structure, int mode, double top)
{
    double a[SPLIT_MAX_TERMS], b[SPLIT_LOSS_TERMS];
    bool is_mixed = structure->loss_factor != 0 && structure->modal_damping[mode] != 0;
    if (structure->omega[mode] <= top || is_mixed) {
        return -1;
    }
    modal_split_loss_series(structure, mode, top, b);
    if (terms_needed(b, SPLIT_LOSS_TERMS, 1, NEGLIGIBLE_LOSS) < 0) {
        return -1;
    }
    modal_split_series(structure, mode, top, a);
    return terms_needed(a, SPLIT_MAX_TERMS, 1, NEGLIGIBLE);
}

/* Length of the series at which near modes and powers together cost least */
static int cheapest(int n_modes, const int *needs, const bool *is_forced)
{
    int best = 0, best_cost = 0;
    for (int length = 0; length < SPLIT_MAX_TERMS; length++) {
        int cost = COST_TERM * length;
        for (int k = 0; k < n_modes; k++) {
            cost += is_forced[k] || needs[k] < 0 || needs[k] > length ? COST_NEAR : 0;
        }
        if (length == 0 || cost < best_cost) {
            best = length;
            best_cost = cost;
        }
    }
    return best;
}

/* worst [SPLIT_MAX_TERMS]: largest |a_j / a_0| of all far modes */
static void worst_series(const struct structure *structure, const struct modal_split *split,
                         double *worst)
{
    double a[SPLIT_MAX_TERMS];
    for (int k = 0; k < structure->n_modes; k++) {
        if (split->is_near[k]) {
            continue;
        }
        modal_split_series(structure, k, split->top, a);
        for (int j = 0; j < SPLIT_MAX_TERMS; j++) {
            worst[j] = fmax(worst[j], fabs(a[j] / a[0]));
        }
    }
}

static void count_powers(const struct structure *structure,
                         const struct compliance_settings *settings, struct modal_split *split)
{
    double worst[SPLIT_MAX_TERMS] = {0};
    double highest = settings->harmonics[settings->n_harmonics - 1];
    worst_series(structure, split, worst);
    for (int i = 0; worst[0] > 0 && i < settings->n_harmonics; i++) {
        double x = highest > 0 ? settings->harmonics[i] / highest : 0;
        split->needed[i] = terms_needed(worst, SPLIT_MAX_TERMS, x, NEGLIGIBLE);
        split->n_terms = split->needed[i] > split->n_terms ? split->needed[i] : split->n_terms;
    }
}

enum masing_status modal_split_create(const struct structure *structure,
                                      const struct compliance_settings *settings,
                                      struct modal_split *split, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)structure->n_modes;
    int *needs = memory_array(n, sizeof *needs);
    *split = (struct modal_split){0};
    split->is_near = memory_array(n, sizeof *split->is_near);
    split->needed = memory_array((size_t)settings->n_harmonics, sizeof *split->needed);
    TRY_ALLOCATED(needs);
    TRY_ALLOCATED(split->is_near);
    TRY_ALLOCATED(split->needed);
    split->top = modal_ports_top(settings);
    for (size_t k = 0; k < n; k++) {
        needs[k] = mode_needs(structure, (int)k, split->top);
    }
    for (int e = 0; e < settings->n_exclusions; e++) {
        split->is_near[settings->exclusions[e].mode] = true;
    }
    int length = cheapest((int)n, needs, split->is_near);
    for (size_t k = 0; k < n; k++) {
        split->is_near[k] = split->is_near[k] || needs[k] < 0 || needs[k] > length;
        split->n_near += split->is_near[k];
    }
    count_powers(structure, settings, split);
done:
    free(needs);
    return status;
}

void modal_split_clear(struct modal_split *split)
{
    free(split->is_near);
    free(split->needed);
    *split = (struct modal_split){0};
}
