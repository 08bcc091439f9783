/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * Damped nonlinear modes by the extended periodic motion concept: frequency, damping ratio and
 * harmonics of one mode against its amplitude.
 */
#ifndef MASING_MODE_H
#define MASING_MODE_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/model.h"
#include "masing/motion_field.h"
#include "masing/response.h"
#include "masing/status.h"
#include "masing/table.h"

#ifdef __cplusplus
extern "C" {
#endif

struct masing_mode_options {
    size_t size; /**< sizeof this struct, see masing/status.h */
    int n_at;
    const double *at; /**< rows exactly at these amplitudes, each time they are passed */
    /** MASING_COLUMNS_ENERGY: loss per cycle by origin; MASING_COLUMNS_HARMONICS: phases;
     * MASING_COLUMNS_JOINTS as in responses */
    unsigned columns;
    const struct masing_progress *progress; /**< may be NULL */
    /** Where other modes branch off, follow them too, at most so many, each a branch of its
     * own; 0: none. Not where sliders carry over (start: previous). */
    int max_branches;
    /** Takes the motion of all DOFs at each of at, in masing_mode; NULL: not wanted. */
    const struct masing_motion_field_sink *fields;
    /** Where a long curve stands is saved there, see masing_response_options. NULL: nowhere. */
    struct masing_journal *journal;
};

/** One point of a mode. */
struct masing_mode_point {
    double amplitude, frequency_hz, damping_ratio;
};

/** Numbers for the summary; NAN where something was not computed. */
struct masing_mode_summary {
    size_t size;                          /**< sizeof this struct, see masing/status.h */
    double stuck_hz;                      /**< of the linear mode with the joints stuck */
    double stuck_damping;                 /**< its damping ratio */
    struct masing_mode_point first, last; /**< points of the curve */
    struct masing_mode_point most_damped; /**< with the largest damping ratio */
    struct masing_mode_point first_event; /**< where a joint changes its state first */
    char event[MASING_MESSAGE_LENGTH];    /**< its name, "" where there is none */
    int points;
    int n_folds; /**< turning points of the amplitude */
    /** Worst |put in - lost| over the points, in parts of what is put in or, where that is
     * more, of what a damping ratio of 1e-3 loses. */
    double energy_mismatch;
    double residual;      /**< worst of an accepted point */
    double last_harmonic; /**< largest size of the highest harmonic, in parts of the first */
    double seconds;       /**< processor time */
    struct masing_places branch_points;  /**< amplitudes */
    int n_branches;                      /**< that were followed beside the curve itself */
    int strategies[MASING_N_STRATEGIES]; /**< points that needed each */
    bool is_complete;                    /**< the whole range of amplitudes was covered */
    char reason[MASING_MESSAGE_LENGTH];  /**< why it ended early, else "" */
    int n_warnings;
    char **warnings;
};

MASING_API void masing_mode_summary_clear(struct masing_mode_summary *summary);

/**
 * Follow the mode that the model's `mode` settings name from the first amplitude to the last.
 * Harmonic loads do not matter; static loads do.
 * @param options may be NULL
 * @param rows    columns `point, amplitude, frequency_hz, damping_ratio, <out>_h1, ...` (the
 *                amplitude of every harmonic of every output), `event`; with max_branches a
 *                column `branch` behind the first; opened, filled and finished here; may be
 *                NULL
 * @param summary filled also when the analysis stops early; clear it afterwards
 * @return MASING_OK; MASING_STOPPED when it ended early (reason in the summary and in error);
 *         MASING_INVALID; MASING_UNSUPPORTED for structures with massless DOFs
 */
MASING_API enum masing_status masing_mode(const struct masing_model *model,
                                          const struct masing_mode_options *options,
                                          const struct masing_sink *rows,
                                          struct masing_mode_summary *summary,
                                          struct masing_error *error);

struct masing_mode_response_options {
    size_t size;                            /**< sizeof this struct, see masing/status.h */
    double tolerance;                       /**< warn beyond; 0: 0.05 */
    int n_threads;                          /**< as masing_response_options */
    const struct masing_progress *progress; /**< may be NULL */
};

/** The response that a mode alone gives, and how far it is from the full one. Differences are
 * relative to the full one; NAN where something was not computed. */
struct masing_mode_response_summary {
    size_t size;                   /**< sizeof this struct, see masing/status.h */
    struct masing_mode_point mode; /**< at the peak of the estimate */
    double stuck_hz;               /**< of the linear mode with the joints stuck */
    /** Largest amplitude (first harmonic) of the model's peak output. */
    double estimate_hz, estimate_peak;
    double full_hz, full_peak; /**< of the full response between from_hz and to_hz */
    double from_hz, to_hz;     /**< where the two are compared: the resonance of the estimate */
    double frequency_difference, amplitude_difference; /**< of the peaks */
    /** Largest distance of a point of the full response to the estimate, in the plane of
     * frequency (in parts of its own) and amplitude (in parts of the peak). */
    double distance, distance_hz;
    int n_estimate, n_full; /**< rows of each */
    /* reasons for the difference, at the peak */
    double next_mode_hz; /**< nearest other mode with the joints stuck */
    double overtones;    /**< size of all harmonics but the first, in parts of the first */
    double shape_change; /**< 1 - MAC of the first harmonic with that at the first amplitude */
    double seconds;      /**< processor time */
    double seconds_full; /**< of the full response in it */
    bool is_far;         /**< a difference exceeds the tolerance */
    int n_warnings;
    char **warnings;
};

MASING_API void
masing_mode_response_summary_clear(struct masing_mode_response_summary *summary);

/**
 * The frequency response of the model's loads by its nonlinear mode alone, compared with the
 * full one. At each amplitude a of the mode the frequency Omega obeys
 *   |omega^2 - Omega^2 + 2 i l zeta omega Omega| a m = |phi^H f|
 * (omega, zeta and the first harmonic's shape phi depend on a; m = phi^H M phi; l, the sum of
 * h^2 m_h / m over all harmonics, makes the loads replace all that the mode loses).
 * @param rows   `curve, branch, point, amplitude, frequency_hz, <out>_h1, ...`: those of the
 *               curve `full` without an amplitude, then those of the curve `estimate`
 * @param summary filled also when the analysis stops early; clear it afterwards
 * @return as masing_mode and masing_frf
 */
MASING_API enum masing_status
masing_mode_response(const struct masing_model *model,
                     const struct masing_mode_response_options *options,
                     const struct masing_sink *rows,
                     struct masing_mode_response_summary *summary, struct masing_error *error);

#ifdef __cplusplus
}
#endif

#endif
