/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * The resonance peak of a model some numbers of which are uncertain (`uncertain:` in the model
 * file): one response per draw, what its peaks are spread over, and which numbers do it.
 */
#ifndef MASING_SAMPLE_H
#define MASING_SAMPLE_H

#include "masing/response.h"

#ifdef __cplusplus
extern "C" {
#endif

enum masing_sample_design {
    MASING_SAMPLE_HYPERCUBE, /**< Latin hypercubes, ten of them from twenty draws on */
    MASING_SAMPLE_RANDOM,    /**< independent draws */
};

/** Draws are functions of seed and index: the same for any number of threads. */
struct masing_sample_request {
    size_t size; /**< sizeof this struct, see masing/status.h */
    const struct masing_document *document;
    const struct masing_override *overrides; /**< fixed ones */
    int n_overrides;
    int n_samples;
    unsigned long long seed;
    enum masing_sample_design design;
    /** Sobol's indices from n_samples further sets of responses, as many in each as there are
     * uncertain numbers and two more. Not with correlated numbers. */
    bool is_sobol;
    /** Of n_parts parts the one of this number, from 0: every n_parts-th response. There are no
     * statistics of a part. n_parts 0: all. */
    int part, n_parts;
    /** The value of this number, between `from` and `to`, is sought whose 95 % quantile of the
     * peak is lowest: the same draws for all values. An uncertain number is scaled so that its
     * mean (median, middle, most likely value) is the value. Neither parts nor Sobol's indices.
     * NULL: nothing is sought. */
    const char *minimized;
    double from, to; /**< either may be the larger one */
    bool is_log;     /**< values are spread by ratios; both ends are above 0 */
    /** Frequencies, evenly over the range and both ends among them, at which all responses are
     * looked at for the band of them; 0: none, else two at least. Not with `minimized`. */
    int n_band;
};

/** With a 95 % interval; NAN: there is none, the draws are too few. */
struct masing_sample_estimate {
    double value, low, high;
};

/** How one uncertain number does what the peak does. */
struct masing_sample_influence {
    double rank_correlation;   /**< Spearman's; NAN where the peak does not change */
    double first, first_error; /**< Sobol's index of first order, standard error */
    double total, total_error; /**< of all that the number takes part in */
};

/** What was found at a value of the number that is sought. */
struct masing_sample_value {
    double value;
    int n_without;  /**< draws without a peak, each counted as higher than all others */
    int n_at_limit; /**< peaks at an end of the frequency range */
    struct masing_sample_estimate quantile; /**< of 95 % */
};

enum { MASING_SAMPLE_N_QUANTILES = 3 }; /* 5, 50 and 95 % */

struct masing_sample_summary {
    size_t size;      /**< sizeof this struct, see masing/status.h */
    int n_draws;      /**< responses computed, those for Sobol's indices left out */
    int n_peaks;      /**< of them with a peak, of which all below is said */
    int n_incomplete; /**< curves that ended early: their peaks are not known */
    int n_refused;    /**< there is no such model */
    int n_at_limit;   /**< peaks at an end of the frequency range */
    int n_warned;     /**< responses with warnings of their own */
    int n_sets;       /**< for Sobol's indices, whose responses all have a peak; 0: none */
    int n_sets_left;  /**< that were left out, as one has none */
    int points;
    double seconds; /**< processor time of all responses */
    double lowest, highest;
    struct masing_sample_estimate mean, deviation;
    struct masing_sample_estimate quantiles[MASING_SAMPLE_N_QUANTILES];
    int n_numbers;
    struct masing_sample_influence *influences; /**< [n_numbers] as in the model; owned */
    char reason[MASING_MESSAGE_LENGTH]; /**< why the first one has no peak that has none */
    /** Where a value was sought, all above but points, seconds and n_warned is of the draws at
     * the best one, and there are no influences. */
    int n_values;                       /**< that were tried; 0: none was sought */
    struct masing_sample_value *values; /**< [n_values] in ascending order; owned */
    int best;       /**< index of the one with the lowest quantile, -1: there is none */
    bool is_at_end; /**< ... at an end of the range */
};

MASING_API void masing_sample_summary_clear(struct masing_sample_summary *summary);

/**
 * Whether the numbers of `uncertain` are numbers of the model, each by one path, and whether it
 * takes their medians; masing_sample begins with that.
 * Errors: MASING_INVALID with the place of the first that is wrong.
 */
MASING_API enum masing_status masing_sample_check(const struct masing_document *document,
                                                  const struct masing_override *overrides,
                                                  int n_overrides, struct masing_error *error);

/**
 * @param rows one per draw, in their order: sample (from 1), the numbers under their paths, the
 *             peak as in masing_study, empty where the curve is incomplete. Where a value is
 *             sought, one per value that was tried, in ascending order, once all are: the value
 *             under the number's path, draws without a peak, peaks at an end of the frequency
 *             range, mean, median and 95 % quantile of the peak, the latter with its interval,
 *             event: minimum. NULL: none
 * @param distribution rows peak, share, once all is computed: the part of the draws whose peak
 *             is at most so large; none where a value is sought; NULL: none
 * @param band rows quantile, frequency_hz, and the response in the measure of the peak, once
 *             all is computed: the 5, 50 and 95 % quantiles over the frequencies of the draws
 *             that have a peak, of each the largest where it has several; NULL: none
 * @param summary clear it afterwards
 * @return MASING_OK, also where single curves are incomplete; MASING_STOPPED when interrupted
 */
MASING_API enum masing_status
masing_sample(const struct masing_sample_request *request,
              const struct masing_response_options *options, const struct masing_sink *rows,
              const struct masing_sink *distribution, const struct masing_sink *band,
              struct masing_sample_summary *summary, struct masing_error *error);

#ifdef __cplusplus
}
#endif
#endif
