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
#include <stddef.h>

#include "masing/model.h"
#include "masing/response.h"
#include "masing/status.h"
#include "masing/table.h"

#ifdef __cplusplus
extern "C" {
#endif

struct masing_compare_options {
    size_t size;                  /**< sizeof this struct, see masing/status.h */
    int n_frequencies;            /**< 0: points are picked along the curve */
    const double *frequencies_hz; /**< each within the model's frequency range */
    int n_points;                 /**< how many are picked else; 0: ten */
    bool is_cold; /**< integrate from rest, too, not only from the balance solution */
    const struct masing_progress *progress; /**< may be NULL */
    /** 0: nothing is judged; else a point passes where all differences are within it: of
     * largest values and means (moved back where sliders that stick stand elsewhere), of each
     * harmonic and of the joints' loss. */
    double tolerance;
    /** Find the errors of both methods, and integrate once more with as many steps as make the
     * integration as accurate as the balance. */
    bool has_errors;
    /** Rows `point, frequency_hz, joint, method, displacement, force, is_dot, shown` of the
     * loops of each joint that is a group by itself, over a period, by both methods; `shown`
     * names the joint again in rows that a picture shows, which are those of the point with the
     * largest response. Opened, filled and finished like the others; NULL: none. */
    const struct masing_sink *loops;
    /** Rows `method, frequency_hz, <out>_max, is_dot` of the whole curve and of the
     * integrations on it, for a picture; NULL: none. */
    const struct masing_sink *curve;
};

/** Numbers for the summary; NAN where something was not computed. */
struct masing_compare_summary {
    size_t size;    /**< sizeof this struct, see masing/status.h */
    int n_points;   /**< rows */
    int n_steady;   /**< rows whose integration became periodic */
    int n_stuck;    /**< rows compared by their largest harmonics */
    int n_multiple; /**< rows whose integration repeats only after several periods */
    int n_steady_cold, n_multiple_cold; /**< likewise, integrated from rest */
    int n_left; /**< rows whose integration left for another solution of the curve */
    int n_passed, n_failed;  /**< within the tolerance or not; neither: see n_left */
    double worst_difference; /**< largest relative difference of the first output, n_left not
                                  counted */
    double worst_hz;
    double worst_difference_cold; /**< likewise, integrated from rest */
    double seconds_hb;            /**< processor time per point of the curve */
    double seconds_ti;            /**< mean processor time of an integration */
    double largest_difference;    /**< of all that a tolerance judges */
    double largest_hz;
    char largest_name[MASING_COLUMN_NAME]; /**< e.g. `m2_h3` */
    double error_hb, error_ti; /**< largest errors of the first output's largest harmonic */
    int n_equal;               /**< rows integrated with the balance's accuracy, */
    double seconds_equal;      /**< and the mean processor time of that */
    bool is_complete;          /**< all points were compared, whether they passed or not */
    char reason[MASING_MESSAGE_LENGTH]; /**< why it is not complete or failed, else "" */
    int n_warnings;
    char **warnings;
};

MASING_API void masing_compare_summary_clear(struct masing_compare_summary *summary);

/**
 * Follow the frequency response, then integrate in time from the balance solution at each
 * point until the motion is periodic (the model's `integration` settings apply).
 *
 * Where a joint sticks all the time, means depend on its past. By how much follows from the
 * mean force that it holds otherwise: means and largest values are compared without that, and
 * without the rigid motion by which joints stand elsewhere that slip while nothing brings them
 * back. The first
 * output's relative_difference is that of its largest harmonic where such a joint moves it
 * (column `measure`), else that of its largest value.
 * @param options may be NULL
 * @param rows    `frequency_hz, <out>_max_hb, <out>_max_ti, relative_difference, seconds_hb,
 *                seconds_ti, measure, cycles, <out>_h1_hb, <out>_h1_ti`, with is_cold
 *                `<out>_max_cold, <out>_h1_cold, relative_difference_cold, seconds_cold`, then
 *                `<out>_max_hb, <out>_max_ti, <out>_h1_hb, <out>_h1_ti` of the other outputs,
 *                `point` (its number on the curve), `settled_on` (`same`; `offset`: a slider
 * that sticks, or that nothing brings back, stands elsewhere; `point`: another solution of the
 * curve; `sub-harmonic`; `other`), `settled_point` (number of that solution), `period_multiple`
 * (with is_cold the same with `_cold`), `passed` (1, 0 or empty), `joint_loss_hb,
 * joint_loss_ti, joint_loss_difference`, of each output
 *                `<out>_mean_hb, <out>_mean_ti, <out>_max_difference, <out>_mean_difference,
 *                <out>_h<n>_difference` of each harmonic, with has_errors `error_hb, error_ti,
 *                steps_equal, seconds_equal`;
 *                opened, filled and finished here; may be NULL. Fields of an integration that
 *                did not become periodic are empty.
 * @param summary filled also when the analysis stops early; clear it afterwards
 * @return MASING_OK; MASING_STOPPED where the curve ended early or an integration did not
 * become periodic or points failed the tolerance (reason in the summary and in @p error)
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
