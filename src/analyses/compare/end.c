/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a whole comparison amounts to, and why it is not whole. */
#include <math.h>
#include <stdio.h>

#include "analyses/compare/comparison.h"

void comparison_note_end(struct comparison *comparison, double hz,
                         const struct integrated *integrated, bool is_cold)
{
    char *failure = comparison->failures[is_cold];
    if (!integrated->is_steady && !*failure) {
        snprintf(failure, sizeof comparison->failures[is_cold], "first at %.6g Hz: %s", hz,
                 comparison->failure);
    }
    if (integrated->order > 1 && comparison->multiple == 0) {
        comparison->multiple = integrated->order;
        comparison->multiple_hz = hz;
    }
}

/* The first reason that applies. */
enum masing_status comparison_explain_end(struct comparison *comparison,
                                          enum masing_status ended, struct masing_error *error)
{
    struct masing_compare_summary *summary = comparison->summary;
    if (comparison->is_cancelled) {
        return masing_error_set(error, MASING_STOPPED, "interrupted");
    }
    if (error->status != MASING_OK) {
        return MASING_STOPPED;
    }
    if (ended != MASING_OK) {
        return masing_error_set(error, MASING_STOPPED, "the curve ended early");
    }
    if (summary->n_points == 0) {
        return masing_error_set(error, MASING_STOPPED,
                                "the curve has no point at the frequencies that were given");
    }
    if (summary->n_steady < summary->n_points) {
        return masing_error_set(error, MASING_STOPPED, "%d of %d points, %s",
                                summary->n_points - summary->n_steady, summary->n_points,
                                comparison->failures[0]);
    }
    if (comparison->options->is_cold && summary->n_steady_cold < summary->n_points) {
        return masing_error_set(error, MASING_STOPPED, "%d of %d integrations from rest, %s",
                                summary->n_points - summary->n_steady_cold, summary->n_points,
                                comparison->failures[1]);
    }
    summary->is_complete = true;
    if (summary->n_failed > 0 &&
        !(summary->largest_difference > comparison->options->tolerance)) {
        return masing_error_set(error, MASING_STOPPED,
                                "%d of %d points are not confirmed, first at %.7g Hz, where "
                                "the integration repeats only after %d periods of the load",
                                summary->n_failed, summary->n_points, comparison->multiple_hz,
                                comparison->multiple);
    }
    if (summary->n_failed > 0) {
        return masing_error_set(error, MASING_STOPPED,
                                "%d of %d points differ by more than the tolerance of %g: most "
                                "at %.7g Hz, where %s differs by %.3g",
                                summary->n_failed, summary->n_points,
                                comparison->options->tolerance, summary->largest_hz,
                                summary->largest_name, summary->largest_difference);
    }
    return MASING_OK;
}

void comparison_finish(struct comparison *comparison)
{
    struct masing_compare_summary *summary = comparison->summary;
    bool has_points = summary->n_points > 0;
    summary->seconds_ti = has_points ? summary->seconds_ti / summary->n_points : NAN;
    summary->seconds_equal =
        summary->n_equal > 0 ? summary->seconds_equal / summary->n_equal : NAN;
}
