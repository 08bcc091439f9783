/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * Free decay: instantaneous frequency and damping of each mode against its amplitude, after
 * Lacayo, Deaner and Allen (2017), section 2.2; from a time integration or a measured record.
 */
#ifndef MASING_RINGDOWN_H
#define MASING_RINGDOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/model.h"
#include "masing/response.h"
#include "masing/status.h"
#include "masing/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a mode's decay is compared with: a model of this mode alone, one DOF. */
struct masing_modal_model {
    int mode;
    const struct masing_model *model; /**< with `mode:`, whose amplitudes are covered */
};

struct masing_ringdown_options {
    size_t size; /**< sizeof this struct, see masing/status.h */
    int n_amplitudes;
    const double *amplitudes; /**< of the impulse, a decay for each; none: as in the model */
    bool keeps_period_error;  /**< show frequencies and rates as the time steps have them */
    int n_modal_models;
    const struct masing_modal_model *modal_models;
    /** Rows `time, <out>, ...` at all steps of the first decay; NULL: none. */
    const struct masing_sink *history;
    const struct masing_progress *progress; /**< may be NULL */
};

/** What was found of one mode, over all decays. */
struct masing_ringdown_mode {
    int number;
    double stuck_hz, free_hz, stuck_damping; /**< linear modes; NAN where there is no model */
    int n_rows;
    int n_overshadowed; /**< segments where another motion dominates, which give no row */
    int n_bent;         /**< likewise segments in which damping changes too much */
    int n_silent;       /**< in which nothing is left */
    int n_noisy;        /**< that scatter as noise does; at a record's end also hum */
    int n_short;        /**< with fewer than three periods of the frequency that was found */
    int n_crowded;      /**< in which a mode too near to be parted in this time takes part */
    int n_growing;      /**< rows with a damping ratio that is not above zero */
    int crowded_by;     /**< number of the mode that is so near, 0: none */
    double crowding;    /**< how far damping ratios of rows may be off by it, relative; or 0 */
    double parted_by;   /**< s, record that would part the two; NAN: this one does;
                             INFINITY: none, as their frequencies overlap */
    double noise_from;  /**< s, from then on only noise, hum or another motion; NAN: never */
    double amplitude_from, amplitude_to; /**< smallest, largest; NAN without rows */
    double frequency_from, frequency_to; /**< Hz, at these amplitudes */
    double damping_from, damping_to;
    double damping_most, damping_most_at; /**< largest ratio, and at which amplitude */
    /** Of the modal model against the decays; NAN where there is none. */
    double worst_frequency, worst_damping, mean_damping; /**< relative, model less decay */
    double worst_damping_at;                             /**< amplitude */
    int n_compared;
    /** Of a measured record: the one exponential that fits it best, with half the widths of the
     * 95 % intervals; where damping changes an average, by the amplitude's square. NAN: none.
     */
    double record_frequency, record_damping;
    double record_frequency_interval, record_damping_interval;
};

struct masing_ringdown_summary {
    size_t size; /**< sizeof this struct, see masing/status.h */
    int n_modes;
    struct masing_ringdown_mode *modes; /**< [n_modes] */
    double step;                        /**< s, of the integration or the record */
    long steps;                         /**< of all decays, or samples of the record */
    double duration;                    /**< s, of the (last) record that was analysed */
    int segments;
    double seconds; /**< processor time */
    bool is_complete;
    char reason[MASING_MESSAGE_LENGTH]; /**< why it ended early, else "" */
    int n_warnings;
    char **warnings;
};

MASING_API void masing_ringdown_summary_clear(struct masing_ringdown_summary *summary);

/**
 * Let the structure decay as the model's `ringdown` settings say, by average-acceleration
 * Newmark with the joints' own laws, or by the methods without errors of steps where the
 * model's `integration` asks for one, and take frequency and damping of the modes from it.
 * Loads are left out, static loads are not.
 *
 * The modal velocity (of the modes with the joints stuck) becomes an analytic signal, limited
 * to the mode's band: halfway to the neighbouring modes. Continuous piecewise linear functions
 * are fitted to the logarithm of its amplitude and to its phase; the first and the last segment
 * are dropped, every one where what lies outside of the band is more than what lies inside,
 * where the logarithm of the amplitude bends by more than 3 %, where it scatters, and where
 * fewer than three periods pass; where all joints have a concave backbone also those whose
 * frequency does not lie between free and stuck, such as a harmonic of another mode. Modes that
 * the time does not suffice to part by bands are parted by the coordinates alone; a segment is
 * dropped where what the near mode has in the coordinate may change damping by 2 % or more.
 * Values hold at the segments' middle. What the time steps do to frequencies and rates is
 * undone, the amplitude at which they hold is that of the steps.
 * @param options may be NULL
 * @param rows    columns `mode, time, amplitude, frequency_hz, damping_ratio`, then, where
 *                amplitudes were given, `impulse`, and with modal models `model_frequency_hz,
 *                model_damping_ratio`; may be NULL
 * @param summary filled also when the analysis stops early; clear it afterwards
 * @return MASING_OK; MASING_STOPPED (reason in the summary and in error); MASING_INVALID;
 *         MASING_UNSUPPORTED for what cannot be integrated and for massless DOFs
 */
MASING_API enum masing_status masing_ringdown(const struct masing_model *model,
                                              const struct masing_ringdown_options *options,
                                              const struct masing_sink *rows,
                                              struct masing_ringdown_summary *summary,
                                              struct masing_error *error);

/** A measured decay: equally spaced samples of one or more channels. */
struct masing_record {
    int n_samples, n_channels;
    double start, step; /**< s */
    char **names;       /**< [n_channels] */
    double *samples;    /**< [n_channels][n_samples] */
};

/**
 * Read a CSV file with the column `time` and one or more others. Refused: fewer than 64 rows,
 * time that is not equally spaced, what is no finite number.
 * @param record clear it afterwards, also after a failure
 */
MASING_API enum masing_status masing_record_read(const char *file, struct masing_record *record,
                                                 struct masing_error *error);
MASING_API void masing_record_clear(struct masing_record *record);

/** Shapes of modes at the channels of a record. */
struct masing_record_shapes {
    int n_channels, n_modes;
    char **names;         /**< [n_channels] */
    double *shapes;       /**< [n_modes][n_channels], mass-normalised */
    double *frequency_hz; /**< [n_modes] where the mode is looked for; NAN: where it is largest
                               in the record */
    double *other_hz;     /**< [n_modes] where else it may go, as without friction; or NULL */
};

/**
 * Read a CSV file with the column `channel` and one column per mode, `mode1`, `mode2`, ...; a
 * row whose channel is `frequency_hz` tells where the modes are.
 * @param shapes clear them afterwards, also after a failure
 */
MASING_API enum masing_status masing_record_shapes_read(const char *file,
                                                        struct masing_record_shapes *shapes,
                                                        struct masing_error *error);
/** The shapes of a model's modes, joints stuck, at its outputs and DOFs that a record has. */
MASING_API enum masing_status masing_record_shapes_of(const struct masing_model *model,
                                                      const struct masing_record *record,
                                                      struct masing_record_shapes *shapes,
                                                      struct masing_error *error);
MASING_API void masing_record_shapes_clear(struct masing_record_shapes *shapes);

struct masing_record_options {
    size_t size;                   /**< sizeof this struct, see masing/status.h */
    enum masing_quantity quantity; /**< of all channels */
    bool has_from, has_to;         /**< false: from the record's beginning, to its end */
    double from, to;               /**< s, the part that is used */
    int segments;                  /**< 0: 20 */
    int n_modes;
    const int *modes; /**< [n_modes] numbers; none: all of which there are shapes */
    const struct masing_progress *progress; /**< may be NULL */
};

/**
 * As masing_ringdown, from a measured record: nothing is integrated, no period error is undone.
 * Modal coordinates are those that fit the channels best in least squares, all modes together;
 * with more modes than channels each by itself, the bands alone separating them, so that other
 * motions may be a hundred times larger before a segment is dropped. The end, where the
 * amplitude has come down to the level of noise or hum, gives no rows. Warned of: channels that
 * have no shapes. Shapes are believed: with as many channels as modes what is too near for a
 * band is parted by them, and only where the record shows another mode beside one are its
 * segments dropped or noted. Rows have half the widths of their 95 % intervals for white noise
 * in the band, `frequency_interval_hz, damping_interval`; the summary has the one exponential
 * that fits best.
 * @param shapes  NULL: each channel is a mode of its own
 * @param options may be NULL
 */
MASING_API enum masing_status masing_ringdown_record(
    const struct masing_record *record, const struct masing_record_shapes *shapes,
    const struct masing_record_options *options, const struct masing_sink *rows,
    struct masing_ringdown_summary *summary, struct masing_error *error);

#ifdef __cplusplus
}
#endif

#endif
