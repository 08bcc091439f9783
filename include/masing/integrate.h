/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * Direct time integration to the steady state at one frequency, through the same joint laws
 * as the harmonic balance: average-acceleration Newmark in modal coordinates, joints solved
 * implicitly at each step.
 */
#ifndef MASING_INTEGRATE_H
#define MASING_INTEGRATE_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/model.h"
#include "masing/response.h"
#include "masing/status.h"
#include "masing/table.h"

#ifdef __cplusplus
extern "C" {
#endif

struct masing_integrate_options {
    size_t size;      /**< sizeof this struct, see masing/status.h */
    bool all_history; /**< rows of the whole history, not of the last period only; by marching,
                           that is: refused where the model asks for shooting */
    const struct masing_progress *progress; /**< may be NULL; points are cycles */
    unsigned columns; /**< MASING_COLUMNS_ENERGY: the work that each joint has taken */
};

/** One output over the last period, or those after which the motion repeats. */
struct masing_output_measures {
    double max;      /**< largest absolute value, refined between steps */
    double amp;      /**< half peak to peak */
    double mean;     /**< mean value */
    double h1;       /**< amplitude of the first harmonic */
    double h1_phase; /**< rad, leading, of the cosine */
};

enum { MASING_MAX_UPDATES = 32 };

/** A largest multiplier that is 1 within this tells neither of stability nor of instability. */
#define MASING_NEUTRAL_MULTIPLIER 1e-4

/** What decides where the slider of a joint stands in a steady motion, and so about means and
 * largest values. */
enum masing_offset {
    MASING_OFFSET_DECIDED, /**< the motion itself, or the joint has no slider */
    MASING_OFFSET_STUCK,   /**< how the motion began: it never slips as a whole */
    MASING_OFFSET_NEUTRAL  /**< how the motion began: it slips and nothing brings it back */
};

/** Numbers for the summary; NAN where something was not computed. */
struct masing_integrate_summary {
    size_t size; /**< sizeof this struct, see masing/status.h */
    bool is_steady;
    int cycles;      /**< periods until the steady state, the recorded ones included */
    long steps;      /**< time steps of all of them */
    double distance; /**< estimated relative distance from the periodic motion */
    int order;       /**< periods of the load after which the steady motion repeats; 0: none */
    int n_updates;   /**< Newton steps of shooting; the first are listed */
    double updates[MASING_MAX_UPDATES]; /**< their relative sizes */
    double largest_multiplier; /**< modulus, of the motion found by shooting; above 1 by more
                                    than MASING_NEUTRAL_MULTIPLIER: it is unstable */
    int n_structure_modes;     /**< of the model */
    int n_modes;               /**< of which so many took part as they are */
    int n_residual_modes;      /**< and so many for the others, see integration.modes */
    double modes_error;        /**< how much joints and outputs respond differently, relative */
    int n_outputs;
    struct masing_output_measures *outputs; /**< [n_outputs] */
    int n_joints;
    enum masing_offset *offsets;        /**< [n_joints] */
    double energy_in;                   /**< work of the loads over the last period, J */
    double energy_lost;                 /**< in joints and damping over the last period, J */
    double energy_joints;               /**< of which in the joints, J */
    double seconds;                     /**< processor time */
    char reason[MASING_MESSAGE_LENGTH]; /**< why it ended early, else "" */
    int n_warnings;
    char **warnings;
};

MASING_API void masing_integrate_summary_clear(struct masing_integrate_summary *summary);

/**
 * Integrate from rest in the static state until the motion is periodic; the model's
 * `integration` settings apply.
 * @param options may be NULL: the last period only
 * @param rows    columns `time, <out>, ..., force_<joint>, ..., displacement_<joint>, ...`, one
 *                row per step of the last period (its end, which is its beginning again, is not
 *                repeated) or of the whole history; opened, filled and finished here; may be
 * NULL
 * @param summary filled also when the analysis stops early; clear it afterwards
 * @return MASING_OK; MASING_STOPPED where no steady state was reached within the cycles or the
 *         motion left the finite numbers (reason in the summary and in @p error; rows hold what
 *         was computed last); MASING_INVALID, MASING_UNSUPPORTED
 */
MASING_API enum masing_status
masing_integrate(const struct masing_model *model, double frequency_hz,
                 const struct masing_integrate_options *options, const struct masing_sink *rows,
                 struct masing_integrate_summary *summary, struct masing_error *error);

#ifdef __cplusplus
}
#endif
#endif
