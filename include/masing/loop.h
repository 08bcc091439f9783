/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * Hysteresis loops of one joint under prescribed motion, and what an equivalent spring and
 * damper would be. No structure is needed: a law and its checked parameters are.
 */
#ifndef MASING_LOOP_H
#define MASING_LOOP_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/law.h"
#include "masing/response.h"
#include "masing/status.h"
#include "masing/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Share of a harmonic in a motion: amplitude (sine sin(h t) + cosine cos(h t)). */
struct masing_motion_term {
    int harmonic; /**< >= 0; of 0 the cosine alone counts, a constant offset */
    double sine, cosine;
};

enum { MASING_MOTION_HARMONIC = 100 /**< the highest of a motion */ };

/** A path given point by point. Owned arrays. */
struct masing_loop_points {
    int n_points;
    double *displacement; /**< m */
    double *time;         /**< s, ascending; NULL where there is none */
};

/**
 * A CSV file with the columns `displacement` and, if the rate matters, `time`; a column `force`
 * may be there and is not used.
 * Errors: MASING_INVALID "FILE:LINE:COLUMN: ...", MASING_IO.
 */
MASING_API enum masing_status masing_loop_points_read(const char *file,
                                                      struct masing_loop_points *points,
                                                      struct masing_error *error);
/** Free the arrays and zero it. NULL is fine. */
MASING_API void masing_loop_points_clear(struct masing_loop_points *points);

/** Motion of a contact in its tangential plane; the normal displacement stays zero, so that the
 * normal force is the preload. */
struct masing_loop_path {
    /** amplitude (sin, cos) along the tangential axes, in place of amplitude sin along a line
     */
    bool is_circle;
    double degrees; /**< of a line, from the first tangential axis towards the second */
};

struct masing_loop_options {
    size_t size; /**< sizeof this struct, see masing/status.h */
    int n_amplitudes;
    const double *amplitudes; /**< m, > 0 */
    int n_terms;              /**< 0: amplitude sin */
    const struct masing_motion_term *terms;
    const struct masing_loop_points *points; /**< in place of amplitudes and terms, or NULL */
    /** Contacts only; NULL: a line along the first tangential axis. */
    const struct masing_loop_path *path;
    double frequency_hz; /**< 0: 1 Hz; matters where the rate does */
    int n_cycles;        /**< marched from the virgin state, no more and no
                              less; 0: as many as it takes to be steady */
    int n_rows;          /**< per cycle, a multiple of 4; 0: 512. The last row of a cycle is the
                              first of the next */
    double tolerance; /**< largest distance of forces, over the largest force, at which a cycle
                           counts as steady; 0: 1e-6 */
    /** For law rough_interface under a sine: one more column of rows, the force of the Bouc-Wen
     * element that restates its steady loop (Jamshidi and Koochakinejad 2021, eqs 44-48). */
    bool has_equivalent_bouc_wen;
    const struct masing_progress *progress; /**< may be NULL; points are cycles */
};

/**
 * One loop. Displacement and force along a line are those along it; of a circle, largest force
 * and displacement are lengths of vectors, the stiffnesses those along the displacement. All
 * but `cycles` and `distance` belong to the steady cycle, which is solved for as the periodic
 * solution that it is, not marched to; for a path of points they belong to all of it. NAN where
 * something does not apply.
 */
struct masing_loop_measures {
    double amplitude;        /**< m */
    double max_force;        /**< N, largest absolute value */
    double secant_stiffness; /**< N/m, force over displacement at the largest displacement */
    double energy_lost;      /**< J per cycle */
    double first_harmonic_stiffness; /**< N/m, of the force in phase with the displacement */
    /** N/m, of the force in phase with the velocity: c omega of the equivalent damper */
    double first_harmonic_damping;
    double loss_factor;          /**< first_harmonic_damping / first_harmonic_stiffness */
    double slip_share;           /**< share of the period in slip, 0..1 */
    double work;                 /**< J, along a path of points, stored energy included */
    double largest_displacement; /**< m, of the motion */
    int cycles;                  /**< written */
    /** Of the last marched cycle from the steady one, over the largest force */
    double distance;
};

struct masing_loop_summary {
    size_t size; /**< sizeof this struct, see masing/status.h */
    int n_loops; /**< that were completed */
    struct masing_loop_measures *loops;
    double seconds;                     /**< processor time */
    char reason[MASING_MESSAGE_LENGTH]; /**< why it ended early, else "" */
    int n_warnings;
    char **warnings;
};

MASING_API void masing_loop_summary_clear(struct masing_loop_summary *summary);

/**
 * Follow a joint from its virgin state (sliders at zero displacement) to its steady cycle, for
 * one amplitude after the other, each from the beginning; or once along a path of points.
 * @param parameters checked ones
 * @param rows    `amplitude, cycle, displacement, force, steady` (and `equivalent_bouc_wen`, or
 * for a circle `displacement_2, force_2` along the second tangential axis), last `angle_deg`
 * or, for points with times, `time`; the last cycle is the steady one (steady = 1) unless
 * n_cycles is given and did not lead there; for points amplitude and steady are empty, one row
 * per point; may be NULL
 * @param measures `amplitude, max_force, secant_stiffness, energy_lost,
 *                first_harmonic_stiffness, first_harmonic_damping, loss_factor, slip_share,
 *                cycles, distance`, for points `work` as well, one row per loop; may be NULL.
 *                Both are opened, filled and finished here.
 * @param summary filled also when the analysis stops early; clear it afterwards
 * @return MASING_OK; MASING_STOPPED where a steady cycle was not found (reason in the summary
 *         and in @p error; the loops before it are complete); MASING_INVALID,
 *         MASING_UNSUPPORTED for a law of several axes that is no contact
 */
MASING_API enum masing_status masing_loop(const struct masing_law *law, const void *parameters,
                                          const struct masing_loop_options *options,
                                          const struct masing_sink *rows,
                                          const struct masing_sink *measures,
                                          struct masing_loop_summary *summary,
                                          struct masing_error *error);

#ifdef __cplusplus
}
#endif
#endif
