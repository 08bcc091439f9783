/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * Harmonic balance against direct time integration, point by point. Both use the same laws and
 * nothing else of each other: where they agree, truncation, sampling and continuation are
 * right.
 */
#ifndef MASING_COMPARE_H
#define MASING_COMPARE_H

#include <stdbool.h>

#include "masing/model.h"
#include "masing/response.h"
#include "masing/status.h"
#include "masing/table.h"

#ifdef __cplusplus
extern "C" {
#endif

struct masing_compare_options {
    int n_frequencies;            /**< 0: points are picked along the curve */
    const double *frequencies_hz; /**< each within the model's frequency range */
    int n_points;                 /**< how many are picked; 0: ten */
    bool is_cold; /**< integrate from rest, too, not only from the balance solution */
    const struct masing_progress *progress; /**< may be NULL */
};

/** Numbers for the summary; NAN where something was not computed. */
struct masing_compare_summary {
    int n_points;            /**< rows */
    int n_steady;            /**< rows whose integration became periodic */
    int n_stuck;             /**< rows compared by first harmonics */
    double worst_difference; /**< largest relative difference of the first output */
    double worst_hz;
    double worst_difference_cold;       /**< likewise, integrated from rest */
    double seconds_hb;                  /**< processor time per point of the curve */
    double seconds_ti;                  /**< mean processor time of an integration */
    char reason[MASING_MESSAGE_LENGTH]; /**< why it is not complete, else "" */
    int n_warnings;
    char **warnings;
};

MASING_API void masing_compare_summary_clear(struct masing_compare_summary *summary);

/**
 * Follow the frequency response, then integrate in time from the balance solution at each
 * point until the motion is periodic (the model's `integration` settings apply).
 *
 * Where a joint sticks all the time, the mean of a steady state depends on its past: first
 * harmonics are compared there (column `measure`), else largest values.
 * @param options may be NULL
 * @param rows    `frequency_hz, <out>_max_hb, <out>_max_ti, relative_difference, seconds_hb,
 *                seconds_ti, measure, cycles, <out>_h1_hb, <out>_h1_ti`, with is_cold
 *                `<out>_max_cold, <out>_h1_cold, relative_difference_cold, seconds_cold`, then
 *                `<out>_max_hb, <out>_max_ti, <out>_h1_hb, <out>_h1_ti` of the other outputs;
 *                opened, filled and finished here; may be NULL. Fields of an integration that
 *                did not become periodic are empty.
 * @param summary filled also when the analysis stops early; clear it afterwards
 * @return MASING_OK; MASING_STOPPED where the curve ended early or an integration did not
 * become periodic (reason in the summary and in @p error)
 */
MASING_API enum masing_status masing_compare(const struct masing_model *model,
                                             const struct masing_compare_options *options,
                                             const struct masing_sink *rows,
                                             struct masing_compare_summary *summary,
                                             struct masing_error *error);

#ifdef __cplusplus
}
#endif
#endif
