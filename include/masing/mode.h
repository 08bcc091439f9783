/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * Damped nonlinear modes by the extended periodic motion concept: frequency, damping ratio and
 * harmonics of one mode against its amplitude.
 */
#ifndef MASING_MODE_H
#define MASING_MODE_H

#include <stdbool.h>

#include "masing/model.h"
#include "masing/response.h"
#include "masing/status.h"
#include "masing/table.h"

#ifdef __cplusplus
extern "C" {
#endif

struct masing_mode_options {
    int n_at;
    const double *at; /**< rows exactly at these amplitudes, each time they are passed */
    unsigned columns; /**< MASING_COLUMNS_ENERGY: loss per cycle by origin */
    const struct masing_progress *progress; /**< may be NULL */
};

/** One point of a mode. */
struct masing_mode_point {
    double amplitude, frequency_hz, damping_ratio;
};

/** Numbers for the summary; NAN where something was not computed. */
struct masing_mode_summary {
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
    bool is_complete;     /**< the whole range of amplitudes was covered */
    char reason[MASING_MESSAGE_LENGTH]; /**< why it ended early, else "" */
    int n_warnings;
    char **warnings;
};

MASING_API void masing_mode_summary_clear(struct masing_mode_summary *summary);

/**
 * Follow the mode that the model's `mode` settings name from the first amplitude to the last.
 * Loads do not matter; static loads do.
 * @param options may be NULL
 * @param rows    columns `point, amplitude, frequency_hz, damping_ratio, <out>_h1, ...` (the
 *                amplitude of every harmonic of every output), `event`; opened, filled and
 *                finished here; may be NULL
 * @param summary filled also when the analysis stops early; clear it afterwards
 * @return MASING_OK; MASING_STOPPED when it ended early (reason in the summary and in error);
 *         MASING_INVALID; MASING_UNSUPPORTED for structures with massless DOFs
 */
MASING_API enum masing_status masing_mode(const struct masing_model *model,
                                          const struct masing_mode_options *options,
                                          const struct masing_sink *rows,
                                          struct masing_mode_summary *summary,
                                          struct masing_error *error);

#ifdef __cplusplus
}
#endif

#endif
