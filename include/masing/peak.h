/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * The resonance peak followed while a number of the model varies: the largest value over the
 * frequency, of the output and measure that the model's `peak` names, and the value of the
 * number at which it is lowest.
 */
#ifndef MASING_PEAK_H
#define MASING_PEAK_H

#include <stddef.h>

#include "masing/model.h"
#include "masing/response.h"

#ifdef __cplusplus
extern "C" {
#endif

struct masing_peak_request {
    size_t size; /**< sizeof this struct, see masing/status.h */
    const struct masing_document *document;
    const struct masing_override *overrides; /**< fixed ones */
    int n_overrides;
    const char *parameter; /**< path of the number that varies */
    double from, to;       /**< its range, in the direction in which it is followed */
    int n_values;          /**< rows exactly at these values and at no others but events and the
                                optimum, for which the curve is followed in steps in between; */
    const double *values;  /**< monotonic, from..to; 0: steps are chosen */
    bool is_linear; /**< steps of the number itself; else of its logarithm where both ends are
                         above zero and far apart */
    const char *other; /**< a second number, or NULL: the curve is followed for each of its */
    int n_others;      /**< values, and rows have it beside the first */
    const double *others;
    const enum masing_measure *measure; /**< in place of the model's; may be NULL */
    /** Whole responses that guard the curve are computed at both ends and wherever so large a
     * part of the range has been covered since the last one: 1 / n_guards; 0: a third. Maxima
     * that appear and vanish in between are seen by none. */
    int n_guards;
    bool is_minimized; /**< solve for the value with the lowest peak */
    /** 0: the largest peak. Else only the peaks with these numbers, counted from 1 by their
     * frequencies at the beginning, each as a curve of its own. */
    int n_numbers;
    const int *numbers;
};

/** d ln(peak) / d ln(number) of a number of a joint (of all joints of a group together). */
struct masing_peak_sensitivity {
    char *joint, *number; /**< owned */
    const char *unit;     /**< lent, of the law's field */
    double value;
    double sensitivity;
};

/** The lowest peak; NAN where something does not apply. */
struct masing_peak_optimum {
    bool is_found;
    bool is_at_end; /**< of the range: no optimum */
    bool is_kink;   /**< two maxima cross there */
    bool is_jump;   /**< the lowest lies beside a value at which the largest peak jumps */
    double value;   /**< of the number */
    double other;   /**< of the second number */
    double peak;    /**< the measure there */
    double frequency_hz;
    double other_hz;     /**< kinks: of the second maximum */
    double slope_before; /**< kinks: d ln(peak) / d ln(number), below and above the value */
    double slope_after;
    /** Range of the number in which the peak is within 1 % and 5 % of the lowest; an end that
     * is open lies beyond the range that was followed, of which it is the end; NAN: not solved
     * for, as a warning says. */
    double low[2], high[2];
    bool is_low_open[2], is_high_open[2];
    bool is_damping_held; /**< sensitivities leave the structure's damping alone, which is that
                             of the modes with the joints stuck and would move with them */
    int n_sensitivities;
    struct masing_peak_sensitivity *sensitivities; /**< owned */
};

struct masing_peak_summary {
    size_t size;                 /**< sizeof this struct, see masing/status.h */
    enum masing_measure measure; /**< the one that counts */
    double lowest, lowest_at;    /**< of the rows with a peak in the range; NAN: none */
    double lowest_other;         /**< value of the second number there */
    double highest, highest_at;
    int n_crossings;      /**< values at which two maxima are equally large */
    int n_jumps;          /**< values at which the largest peak vanishes */
    int n_folds;          /**< values at which a peak turns back along the number */
    int n_sweeps;         /**< whole responses that were computed */
    int n_swept;          /**< rows that a whole response had to give */
    bool has_derivatives; /**< joints and loads alone depend on the number */
    bool is_log;          /**< steps of the number's logarithm */
    int points;
    double seconds;                   /**< processor time */
    double energy_mismatch, residual; /**< worst of the whole responses */
    bool is_complete;
    char reason[MASING_MESSAGE_LENGTH]; /**< why it ended early, else "" */
    struct masing_peak_optimum optimum;
    int n_warnings;
    char **warnings;
};

MASING_API void masing_peak_summary_clear(struct masing_peak_summary *summary);

/**
 * @param rows `point, <parameter>, [<other>,] frequency_hz, <out>_max, <out>_amp, <out>_h1,
 *             ..., slip_<group>, at_limit, number, event, iterations`, in the order of the
 *             number; opened, filled and finished here; NULL: none
 * @param summary filled also when it stops early; clear it afterwards
 * @return MASING_OK; MASING_STOPPED when it ended early (reason in summary and error)
 */
MASING_API enum masing_status masing_peak_follow(const struct masing_peak_request *request,
                                                 const struct masing_response_options *options,
                                                 const struct masing_sink *rows,
                                                 struct masing_peak_summary *summary,
                                                 struct masing_error *error);

#ifdef __cplusplus
}
#endif
#endif
