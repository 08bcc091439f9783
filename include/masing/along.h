/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * The response at one frequency while a number of the model varies, followed by arc length
 * through folds, with the laws' exact derivatives by that number.
 */
#ifndef MASING_ALONG_H
#define MASING_ALONG_H

#include <stddef.h>

#include "masing/model.h"
#include "masing/response.h"

#ifdef __cplusplus
extern "C" {
#endif

struct masing_along_request {
    size_t size; /**< sizeof this struct, see masing/status.h */
    const struct masing_document *document;
    const struct masing_override *overrides; /**< fixed ones */
    int n_overrides;
    const char *parameter; /**< path of a number of joints or loads; names the first column */
    double from, to;       /**< its range, in the direction in which it is followed */
    double frequency_hz;
    int n_at;
    const double *at; /**< rows exactly at these values of the parameter, each time they are
                           passed; within its range */
};

/** Numbers for the summary of such a curve; NAN where something does not apply. */
struct masing_along_summary {
    size_t size;            /**< sizeof this struct, see masing/status.h */
    double least, least_at; /**< smallest of the peak's output and measure, and where */
    double most, most_at;   /**< largest */
    int n_folds;            /**< all that were met; the first MASING_MAX_JUMPS are listed */
    double fold_at[MASING_MAX_JUMPS];
    int points;
    double seconds;         /**< processor time */
    double energy_mismatch; /**< as masing_response_summary has it */
    double residual;
    struct masing_stability_summary stability;
    struct masing_places branch_points;  /**< values of the parameter */
    int n_branches;                      /**< that were followed beside the curve itself */
    bool is_complete;                    /**< the whole range was covered */
    int strategies[MASING_N_STRATEGIES]; /**< points that needed each */
    const char *start;                   /**< "zero", "static" or "previous" */
    char reason[MASING_MESSAGE_LENGTH];  /**< why it ended early, else "" */
    char missing[MASING_MESSAGE_LENGTH]; /**< which of the values wanted have no row, else "" */
    long krylov_solves, krylov_iterations; /**< as masing_response_summary has them */
};

/**
 * @param rows as masing_study: the parameter's value first, then the columns of a response
 * @return MASING_OK; MASING_STOPPED when it ended early (reason in summary and error);
 * MASING_UNSUPPORTED where the number is not one of joints or loads alone
 */
MASING_API enum masing_status masing_along(const struct masing_along_request *request,
                                           const struct masing_response_options *options,
                                           const struct masing_sink *rows,
                                           struct masing_along_summary *summary,
                                           struct masing_error *error);

#ifdef __cplusplus
}
#endif
#endif
