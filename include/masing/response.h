/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * Frequency responses by harmonic balance, one (`masing_frf`) or one per parameter value
 * (`masing_study`). Rows go to sinks; what an engineer reads first goes to the summary.
 */
#ifndef MASING_RESPONSE_H
#define MASING_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/model.h"
#include "masing/motion_field.h"
#include "masing/stability.h"
#include "masing/status.h"
#include "masing/strategy.h"
#include "masing/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Told now and then how far a long analysis is; called from one thread at a time. */
struct masing_progress {
    void *context;
    /** @param fraction of the frequency range done, over all curves, 0..1 */
    void (*report)(void *context, double fraction, int points);
    /** A line of the log: which strategy was tried, and where. May be NULL. */
    void (*log)(void *context, const char *line);
    /**
     * Asked between points, from any thread; true ends the analysis with MASING_STOPPED and
     * the reason "interrupted", what was computed being kept. May be NULL.
     */
    bool (*is_cancelled)(void *context);
};

/**
 * An is_cancelled for programs in languages whose own functions should not be called by many
 * threads at once: the analysis ends when another thread, or a signal handler, sets the flag.
 * @param flag a `volatile sig_atomic_t` (an `int` where <signal.h> has it so), the context;
 *             NULL: never
 */
MASING_API bool masing_cancelled_by_flag(void *flag);

enum masing_extra_columns {
    MASING_COLUMNS_HARMONICS = 1, /**< amplitude and phase of every harmonic of every output */
    MASING_COLUMNS_ENERGY = 2, /**< loss per group of joints and in the structure's damping */
    MASING_COLUMNS_JOINTS = 4, /**< displacement and force amplitude of every axis of every
                                    joint that is a group by itself */
    MASING_COLUMNS_SLOPES = 8, /**< derivative of the peak's measure by the frequency (per Hz)
                                    coming in and going out; they differ at corners */
    MASING_COLUMNS_STABILITY = 16, /**< of the largest Floquet multiplier: modulus, angle (deg)
                                        and estimated error of the modulus */
    MASING_COLUMNS_FORCES = 32, /**< mean, amplitude and phase of every harmonic of the force of
                                     every axis of every joint that is a group by itself */
    /** With MASING_COLUMNS_COEFFICIENTS: they are of all DOFs of the structure as it was given,
     * m or rad, relative to a base that moves, not of the outputs. */
    MASING_COLUMNS_DOFS = 64,
    /** Behind all other columns the Fourier coefficients of each output, in its own quantity: a
     * list MASING_COLUMN_ORDERS of the harmonics, 0 being the mean, then of each output or DOF
     * a complex column MASING_COLUMN_COEFFICIENTS "NAME" with as many numbers c_h, where x(t) =
     * Re sum_h c_h exp(i h Omega t). */
    MASING_COLUMNS_COEFFICIENTS = 128,
};

#define MASING_COLUMN_ORDERS "coefficients/"
#define MASING_COLUMN_COEFFICIENTS "coefficients/"

struct masing_response_options {
    size_t size; /**< sizeof this struct, see masing/status.h */
    int n_at;
    const double *at_hz; /**< rows exactly at these frequencies, each time they are passed */
    unsigned columns;    /**< MASING_COLUMNS_* */
    /** At most so many at the same time: curves of a study, followed peaks; the joints of a
     * single curve, where there are enough. 0: as many as there are processors. The same bits
     * for any number. */
    int n_threads;
    const struct masing_progress *progress; /**< may be NULL */
    /** Rows `frequency_hz, event, joint, element, y, z, area, open, stick, slip, loss` of every
     * contact element, at the peak (event `peak`) and at each of at_hz (event `at`): shares of
     * the period, loss in J per period; with the parameter's value first in a study and in
     * masing_along, where there are rows at its values `at` alone. A group of many joints
     * counts its contacts as elements. Opened, filled and finished like the other tables; NULL:
     * none. */
    const struct masing_sink *contacts;
    /** 0: none; else the peak and a sample of points are solved again with more and more
     * harmonics and samples until no output's measure changes by more than this part; see
     * masing_harmonics_check. */
    double check_tolerance;
    /** Rows `frequency_hz, event, refined_hz, harmonics, samples, <out>_<measure>,
     * <out>_<measure>_refined, <out>_<measure>_error, ...` of the points checked, the peak
     * first (event `peak`); with the parameter's value first in a study. NULL: none. */
    const struct masing_sink *check;
    /** 0: none; else the response at the peak's frequency is solved for this many states of
     * the sliders that the motion could have been started from; see masing_starts. */
    int n_starts;
    /** How the points' stability is found, where rows are wanted. What cannot be had leaves the
     * column empty, with a warning if it was asked for by name. */
    enum masing_stability_method stability;
    /** Where curves cross the one that is followed, follow them too, at most so many, each a
     * branch of its own; 0: none. Not where sliders carry over (start: previous). */
    int max_branches;
    /** Takes the motion of all DOFs at the peak and at each of at_hz, in masing_frf; NULL: not
     * wanted. */
    const struct masing_motion_field_sink *fields;
    /** Logs what each finished curve of a study, or line of a map of peaks, has found, and
     * gives what an earlier run has found: results are the same bytes. NULL: none. */
    struct masing_journal *journal;
    /** 0: a few random starts at both ends of the range, where joints have no memory and the
     * model may have several motions; -1: none; else so many, spread over the range: each
     * motion found that is on no curve so far is followed, a branch of its own. See
     * masing_search. */
    int n_search;
    unsigned long long seed; /**< of the random starts */
};

struct masing_journal; /* masing/journal.h */

enum { MASING_MAX_JUMPS = 8 };

/** The refined peak of the output and measure that the model names. */
struct masing_peak {
    double frequency_hz;
    double max, amp, h1; /**< all measures of the peak's output there */
    bool is_at_limit;    /**< the largest value lies at an end of the frequency range */
    bool is_extremum; /**< solved for as a maximum of the curve, not merely its largest point */
};

/** What more harmonics and samples change; errors are relative, NAN where not known. */
struct masing_harmonics_check {
    double tolerance; /**< 0: not checked */
    int n_points;
    int n_unsolved;         /**< points without a solution close by */
    int n_unsettled;        /**< points that the most harmonics still changed */
    int harmonics, samples; /**< the most that a point took */
    double peak_error;      /**< of the peak's measure, each at its own peak */
    double peak_hz;         /**< where the peak is with more harmonics */
    double worst_error, worst_hz;
    int worst_output;
    int n_outputs;
    double *errors; /**< [n_outputs] the largest over the points; NAN: none solved; owned */
};

/** How far the response at the peak's frequency depends on where sliders stood before. */
struct masing_starts {
    int n;                  /**< states tried; 0: none, no joint remembers, or not wanted */
    int n_solved;           /**< of them with a solution */
    double lowest, highest; /**< of the peak's measure, the curve's own peak included */
};

/** What the search for motions beside the curve has found. That it found none proves nothing.
 */
struct masing_search {
    int n_starts; /**< random starts that were tried; 0: no search */
    int n_solved; /**< of them, that led to a motion, known or not */
    int n_new;    /**< of them, that led to a motion on no curve so far */
    /** curves beside the first one, each followed: from these starts, or where the loads grow
     * from nothing at the ends of the range */
    int n_found;
    int n_apart; /**< of them, without a branch point, as far as is known, that connects them */
    int n_broken; /**< of them, that could not be followed to their ends */
};

enum { MASING_MAX_OTHER_PEAKS = 3 };

/** A maximum of the peak's measure along the curve that is not its largest value. */
struct masing_other_peak {
    double frequency_hz, size; /**< size: the measure */
};

/** From one point of a curve to the next: in how many joints of groups with more than
 * solver.landed_contacts, whose events have no points of their own, slip begins in a part of
 * the period, or ceases altogether; likewise opening. */
struct masing_contact_changes {
    int slip, stick, open, close;
};

/** The largest values along the curve of the peak's measure in all sectors of a mistuned disk;
 * sectors count from 0. */
struct masing_blades {
    int n;                               /**< sectors; 0: the disk is not mistuned */
    int largest_sector, smallest_sector; /**< whose blade moves most, and least */
    double largest, largest_hz;          /**< of the one */
    double smallest, smallest_hz;        /**< of the other */
    double tuned, tuned_hz; /**< peak of the tuned disk; NAN: its loads are no wave */
    double amplification;   /**< largest / tuned */
};

/** Numbers for the summary of one curve; NAN where something does not apply. */
struct masing_response_summary {
    size_t size; /**< sizeof this struct, see masing/status.h */
    struct masing_peak peak;
    /** Linear peak, joints stuck, of the mode that the peak belongs to; where has_stuck_peak
     * says that there is none within the range, the largest linear response in it. */
    double stuck_peak_hz, stuck_peak;
    double free_peak_hz, free_peak;  /**< likewise with the joints in full slip */
    double equivalent_damping_ratio; /**< loss / (4 pi kinetic energy scale) at the peak */
    double slip_share;     /**< largest share of slip over the groups of joints at the peak */
    double open_share;     /**< likewise the share of the period in which contacts are open */
    double third_to_first; /**< |X3| / |X1| of the peak's output at the peak */
    int n_jumps_up, n_jumps_down; /**< folds met by a sweep upwards and downwards */
    double jump_up_hz[MASING_MAX_JUMPS], jump_down_hz[MASING_MAX_JUMPS];
    int points;
    double seconds;         /**< processor time of the thread that follows the curve */
    double energy_mismatch; /**< worst |in - lost| / (pi sum h |F_h| |X_h|) */
    double residual;        /**< worst residual of an accepted point, relative to the load */
    long residuals, jacobians, factorisations; /**< spent on following the curve */
    long event_residuals;                      /**< spent on events, peaks and exact landings */
    int strategies[MASING_N_STRATEGIES];       /**< points that needed each */
    bool is_complete;                          /**< the whole frequency range was covered */
    const char *start;                         /**< "zero", "static" or "previous" */
    const char *forces;                        /**< "exact", "sampled" or "exact and sampled" */
    char reason[MASING_MESSAGE_LENGTH];        /**< why it ended early, else "" */
    /** `harmonics: auto`: the lowest and highest harmonic that a point went up to; else 0. */
    int harmonics_low, harmonics_high;
    struct masing_harmonics_check check;
    struct masing_starts starts;
    struct masing_stability_summary stability;
    struct masing_places branch_points; /**< in Hz */
    int n_branches;                     /**< that were followed beside the curve itself */
    int n_warnings;
    char **warnings;
    bool has_stuck_peak, has_free_peak; /**< see stuck_peak */
    /** Where the peak's measure is 1/sqrt(2) of the peak on both sides of it, nothing turning
     * round in between: quality factor Q = peak / (to - from), damping ratio 1 / (2 Q). NAN
     * where it does not fall that far within the range. */
    double half_power_from_hz, half_power_to_hz;
    struct masing_warning *numbered; /**< [n_warnings] the warnings with their numbers; owned */
    /** Further maxima, the largest ones in the order of their size. */
    int n_other_peaks;
    struct masing_other_peak other_peaks[MASING_MAX_OTHER_PEAKS];
    /** Where linear systems are solved by iteration (solver.linear): systems and iterations,
     * all in all; else 0. Branch points are not looked for then. */
    long krylov_solves, krylov_iterations;
    struct masing_contact_changes contact_changes;
    struct masing_blades blades;
    struct masing_search search;
};

MASING_API void masing_response_summary_clear(struct masing_response_summary *summary);

/**
 * Frequency response of one model.
 * @param rows    one row per accepted point; opened, filled and finished here; NULL: none
 * @param loops   rows `joint, displacement, force, angle_deg, frequency_hz, event` of each
 * joint
 *                (`joint_axis` for each axis of several; groups of many joints are left out)
 *                over one period, at options.at_hz and at the peak; NULL: none
 * @param summary filled also when the analysis stops early; clear it afterwards
 * @return MASING_OK; MASING_STOPPED when it ended early (reason in the summary and in error)
 */
MASING_API enum masing_status
masing_frf(const struct masing_model *model, const struct masing_response_options *options,
           const struct masing_sink *rows, const struct masing_sink *loops,
           struct masing_response_summary *summary, struct masing_error *error);

/** One frequency response per value of a number of the model file. */
struct masing_study_request {
    size_t size; /**< sizeof this struct, see masing/status.h */
    const struct masing_document *document;
    const struct masing_override *overrides; /**< fixed ones */
    int n_overrides;
    const char *parameter; /**< path of the number that varies; names the first column */
    int n_values;
    const double *values;
    /** [n_values] words in place of the numbers, as `forces` or a joint's `law` have them; the
     * first column is a text then. NULL: numbers. */
    const char *const *words;
};

/**
 * Curves are computed in parallel; rows come in the order of the values, and the same bits for
 * any number of threads.
 * @param rows  as masing_frf, with the parameter's value as the first column
 * @param peaks one row per value: parameter, frequency_hz, <out>_max, _amp, _h1, ..., at_limit,
 *              points, seconds; of other_peaks peak2_frequency_hz, peak2_<out>_<measure>, ...
 * @param loops as masing_frf, with the parameter's value first
 * @param summaries [n_values], clear each afterwards
 * @return MASING_OK; MASING_STOPPED when a curve ended early (the others are complete)
 */
MASING_API enum masing_status
masing_study(const struct masing_study_request *request,
             const struct masing_response_options *options, const struct masing_sink *rows,
             const struct masing_sink *peaks, const struct masing_sink *loops,
             struct masing_response_summary *summaries, struct masing_error *error);

#ifdef __cplusplus
}
#endif
#endif
