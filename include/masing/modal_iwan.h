/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * Modal Iwan models: a mode of a structure with friction joints as an oscillator of its own,
 * tuned to its frequency and damping over the amplitude (Lacayo, Deaner and Allen 2017).
 */
#ifndef MASING_MODAL_IWAN_H
#define MASING_MODAL_IWAN_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/model.h"
#include "masing/response.h"
#include "masing/status.h"
#include "masing/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Frequency and damping of a mode at an amplitude. */
struct masing_modal_point {
    double amplitude, frequency_hz, damping_ratio;
};

/**
 * Read the columns `amplitude, frequency_hz, damping_ratio` of a CSV file, as `masing mode` and
 * `masing ringdown` write it; other columns are passed over. Where there is a column `mode`,
 * rows of another one are passed over, too. Rows without a positive damping ratio as well.
 * @param points appended to, owned by the caller; [*n_points], also after a failure
 * @param n_undamped may be NULL; the number of rows of the mode without a positive damping
 *        ratio is added to it
 */
MASING_API enum masing_status masing_modal_points_read(const char *file, int mode,
                                                       struct masing_modal_point **points,
                                                       int *n_points, int *n_undamped,
                                                       struct masing_error *error);

/** The linear modes between which a nonlinear one moves. */
struct masing_modal_ends {
    double stuck_hz, free_hz; /**< of the mode, joints stuck and without them */
    double damping_ratio;     /**< of the structure alone, joints stuck; NAN: to be found */
};

/** Those of a mode of a model, numbered as in `masing mode`. */
MASING_API enum masing_status masing_modal_ends_of(const struct masing_model *model, int mode,
                                                   struct masing_modal_ends *ends,
                                                   struct masing_error *error);

struct masing_modal_iwan_request {
    size_t size; /**< sizeof this struct, see masing/status.h */
    int n_points;
    const struct masing_modal_point *points;
    struct masing_modal_ends ends;
    /** Amplitudes between which points are left out, around the onset of slip of the whole
     * joint, where a structure goes over more smoothly than one element can; NAN: chosen. */
    double left_out_from, left_out_to;
    bool is_printed; /**< loss of macroslip as the paper prints it, 4 F_S a */
    const struct masing_progress
        *progress; /**< may be NULL; where it is cancelled: MASING_STOPPED */
};

struct masing_modal_iwan {
    double spring;                  /**< K_inf = omega_inf^2, 1/s^2 */
    double damping_ratio, stuck_hz; /**< dashpot 2 zeta omega */
    double stiffness;               /**< K_T = omega_0^2 - omega_inf^2 */
    double slip_force, chi, beta;
    double phi_max; /**< amplitude from which the element slips as a whole */
    /** Half the widths of the 95 % intervals, which hold if the mode is one Iwan element;
     * INFINITY: not determined by the data, other values fit as well; zero: was given. */
    double slip_force_interval, chi_interval, beta_interval, damping_interval;
    /** A parameter that the data do not determine has its usual value, chi = -0.5, beta = 1. */
    bool chi_is_assumed, beta_is_assumed;
    bool is_printed;
    bool has_microslip, has_macroslip; /**< among the points that were used */
    double left_out_from, left_out_to;
    int n_used, n_left_out;
    double rms;                /**< of the logarithms of the damping ratios that were used */
    double misfit_correlation; /**< correlation of neighbouring misfits: near one, they are no
                                  noise */
    double worst_microslip, worst_microslip_at; /**< relative error, amplitude; 0: none */
};

/**
 * Least squares of ln zeta for F_S, chi, beta, and the damping ratio of the structure where
 * that is not given; the frequencies determine the stiffnesses.
 * @return MASING_OK; MASING_INVALID; MASING_NOT_CONVERGED, also where no such model comes near
 *         the data
 */
MASING_API enum masing_status
masing_identify_modal_iwan(const struct masing_modal_iwan_request *request,
                           struct masing_modal_iwan *result, struct masing_error *error);

/** What the model makes of an amplitude. */
MASING_API enum masing_status masing_modal_iwan_at(const struct masing_modal_iwan *modal,
                                                   double amplitude,
                                                   struct masing_modal_point *point,
                                                   struct masing_error *error);

/**
 * A model file of one DOF `q`, ready for every analysis; *text is owned by the caller.
 * @param mode number for the title
 */
MASING_API enum masing_status masing_modal_iwan_text(const struct masing_modal_iwan *modal,
                                                     int mode, double amplitude_from,
                                                     double amplitude_to, char **text,
                                                     struct masing_error *error);

/**
 * Points and what the model makes of them.
 * @param rows `amplitude, frequency_hz, damping_ratio, frequency_fitted_hz,
 *        damping_ratio_fitted, used`
 */
MASING_API enum masing_status
masing_modal_iwan_rows(const struct masing_modal_iwan_request *request,
                       const struct masing_modal_iwan *modal, const struct masing_sink *rows,
                       struct masing_error *error);

#ifdef __cplusplus
}
#endif

#endif
