/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/summary_stability.h"

#include <math.h>
#include <stdio.h>

static void print_places(const char *what, const struct masing_places *places, const char *unit)
{
    for (int i = 0; i < places->n && i < MASING_MAX_PLACES; i++) {
        if (i == 0) {
            fprintf(stderr, "  %-24s", what);
        }
        fprintf(stderr, "%s %.6g", i == 0 ? "" : ",", places->at[i]);
    }
    if (places->n > 0) {
        fprintf(stderr, "%s%s\n", places->n > MASING_MAX_PLACES ? ", ..." : "", unit);
    }
}

static void print_ranges(const struct masing_stability_summary *stability, const char *unit)
{
    for (int i = 0; i < stability->n_ranges && i < MASING_MAX_PLACES; i++) {
        fprintf(stderr, "%s %.6g to %.6g", i == 0 ? ":" : ",", stability->from[i],
                stability->to[i]);
    }
    if (stability->n_ranges > 0) {
        fprintf(stderr, "%s%s", stability->n_ranges > MASING_MAX_PLACES ? ", ..." : "", unit);
    }
}

void summary_print_stability(const struct masing_stability_summary *stability, const char *unit)
{
    if (stability->n_points == 0 && *stability->reason) {
        fprintf(stderr, "  %-24s not determined: %s\n", "stability", stability->reason);
    }
    if (stability->n_points == 0) {
        return;
    }
    fprintf(stderr, "  %-24s %d of %d points", "unstable", stability->n_unstable,
            stability->n_points);
    print_ranges(stability, unit);
    if (stability->n_undecided > 0) {
        fprintf(stderr, "; %d undecided, folds and the like among them",
                stability->n_undecided);
    }
    fprintf(stderr, "\n  %-24s modulus %.6g at %.6g%s", "largest multiplier",
            stability->largest, stability->largest_at, unit);
    if (isfinite(stability->error)) {
        fprintf(stderr, "; errors where decided up to %.1g", stability->error);
    }
    fputc('\n', stderr);
    print_places("period doubling at", &stability->period_doublings, unit);
    print_places("Neimark-Sacker at", &stability->neimark_sackers, unit);
}

void summary_print_branches(const struct masing_places *branch_points, int n_branches,
                            const char *unit)
{
    print_places("branch points at", branch_points, unit);
    if (n_branches > 0) {
        fprintf(stderr, "  %-24s %d\n", "branches followed", n_branches);
    } else if (branch_points->n > 0) {
        fprintf(stderr, "  %-24s none; --branches follows them\n", "branches followed");
    }
}

void summary_print_study_stability(const struct variation *variation,
                                   const struct masing_response_summary *summaries)
{
    int n_unstable = 0, n_branching = 0;
    double first = NAN, last = NAN;
    for (int i = 0; i < variation->values.count; i++) {
        n_branching += summaries[i].branch_points.n > 0;
        if (summaries[i].stability.n_unstable > 0) {
            last = variation->values.values[i];
            first = n_unstable == 0 ? last : first;
            n_unstable++;
        }
    }
    if (n_unstable > 0) {
        fprintf(stderr,
                "unstable in part: %d of %d curves, the first at %s = %.10g, the last "
                "at %.10g\n",
                n_unstable, variation->values.count, variation->name, first, last);
    }
    if (n_branching > 0) {
        fprintf(stderr, "branch points: on %d of %d curves\n", n_branching,
                variation->values.count);
    }
}
