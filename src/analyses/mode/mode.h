/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A nonlinear mode on its way, its rows, and its frequency response by itself. */
#ifndef MASING_ANALYSES_MODE_MODE_H
#define MASING_ANALYSES_MODE_MODE_H

#include <stdbool.h>

#include "analyses/curve/coefficient_columns.h"
#include "analyses/curve/driver.h"
#include "analyses/curve/energy_limits.h"
#include "analyses/curve/kept_log.h"
#include "analyses/curve/row_table.h"
#include "analyses/curve/tasks.h"
#include "base/arena.h"
#include "model/message.h"
#include "harmonic/balance/modal_balance.h"
#include "masing/mode.h"

struct mode_curve;

/* A callback for each point of a mode, after its row, and how close it needs them. */
struct mode_observer {
    void *context;
    enum masing_status (*point)(void *context, const struct mode_curve *curve,
                                const struct masing_mode_point *point, bool is_corner,
                                struct masing_error *error);
    double longest_step; /* in decades of the amplitude */
};

struct mode_curve {
    struct arena arena; /* of the arrays */
    const struct masing_model *model;
    const struct mode_observer *observer; /* may be NULL */
    const struct masing_mode_options *options;
    struct modal_balance *balance;
    struct curve_driver *driver;
    double *outputs;                  /* [n_outputs * n_modes] in modal coordinates */
    double *amplitudes, *phases;      /* [n_outputs * n_harmonics] of the last point; rad */
    double *losses;                   /* [n_joints] of the last point, J per cycle */
    double structure_loss, energy_in; /* likewise */
    double last_harmonic_at;          /* amplitude where its share was largest */
    struct energy_limits *energy_limits;
    struct row_sink table;
    struct coefficient_columns coefficients; /* of the last point */
    struct masing_mode_summary *summary;
    struct warning_list warnings; /* of the summary */
    struct kept_log log;          /* for the journal of the options, where there is one */
    struct task_rows rows;        /* likewise */
    double saved_at;              /* when, s */
};

/* masing_mode with a callback at every point. */
enum masing_status mode_follow(const struct masing_model *model,
                               const struct masing_mode_options *options,
                               const struct masing_sink *rows,
                               const struct mode_observer *observer,
                               struct masing_mode_summary *summary, struct masing_error *error);

/* All that solves the balance, once more: nothing of what it has kept is left. */
enum masing_status mode_curve_renew(struct mode_curve *curve, struct masing_error *error);

/* checkpoint.c: as response_checkpoint_restore and response_checkpoint_pause. */
enum masing_status mode_checkpoint_restore(struct mode_curve *curve, bool *is_found,
                                           struct masing_error *error);
enum masing_status mode_checkpoint_pause(struct mode_curve *curve, struct masing_error *error);

/* motion_field.c: the motion of all DOFs at a point of which the balance is settled. */
enum masing_status mode_field_write(const struct mode_curve *curve,
                                    const struct masing_mode_point *at,
                                    struct masing_error *error);

/* --- its response to the loads by itself --- */

/* What a sample holds; ESTIMATE_LOSS: zeta with what it loses in the other harmonics too. Then,
 * for the modal force of each load and for each output: real and imaginary part in parts of the
 * amplitude. */
enum {
    ESTIMATE_LOG_AMPLITUDE,
    ESTIMATE_OMEGA,
    ESTIMATE_ZETA,
    ESTIMATE_LOSS,
    ESTIMATE_MASS,
    ESTIMATE_OVERTONES,
    ESTIMATE_SHAPE_CHANGE,
    ESTIMATE_IS_CORNER,
    ESTIMATE_FIRST_COMPLEX
};

/* One point of the response. */
struct mode_estimate_point {
    int branch;
    struct masing_mode_point mode; /* at this amplitude */
    double omega;                  /* of the loads, rad/s */
    double *outputs;               /* [n_outputs] amplitude of the first harmonic */
};

/*
 * Points of the mode are gathered with all that the response needs; each is a row of numbers
 * that interpolate smoothly over the logarithm of the amplitude.
 */
struct mode_estimate {
    struct arena arena; /* of what has no capacity */
    const struct masing_model *model;
    int n_numbers;
    int n_samples;
    size_t capacity;
    double *samples; /* [n_samples][n_numbers] */
    int n_points;
    size_t points_capacity;
    struct mode_estimate_point *points;
    double *numbers; /* [n_numbers] scratch */
    double next_mode_hz, stuck_hz;
    bool is_cut; /* the loads drive the mode beyond the last amplitude */
};

/* Clear it also after a failure. */
enum masing_status mode_estimate_create(const struct masing_model *model,
                                        struct mode_estimate *estimate,
                                        struct masing_error *error);
void mode_estimate_clear(struct mode_estimate *estimate);

/* Gather a point of the mode; at a corner the numbers may bend. */
enum masing_status mode_estimate_gather(void *context, const struct mode_curve *curve,
                                        const struct masing_mode_point *point, bool is_corner,
                                        struct masing_error *error);

/* Make the points of the response: for each range of amplitudes that the loads can hold a
 * branch from the lower frequencies over the peak to the higher ones. */
enum masing_status mode_estimate_respond(struct mode_estimate *estimate,
                                         struct masing_error *error);

/* At an amplitude: harmonics above the first, change of the shape since the first sample. */
void mode_estimate_describe(struct mode_estimate *estimate, double amplitude, double *overtones,
                            double *shape_change);

#endif
