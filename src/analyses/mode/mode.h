/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A nonlinear mode on its way, and its rows. */
#ifndef MASING_ANALYSES_MODE_MODE_H
#define MASING_ANALYSES_MODE_MODE_H

#include "analyses/curve/driver.h"
#include "analyses/curve/energy_limits.h"
#include "analyses/curve/row_table.h"
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
    double *amplitudes;               /* [n_outputs * n_harmonics] of the last point */
    double *losses;                   /* [n_joints] of the last point, J per cycle */
    double structure_loss, energy_in; /* likewise */
    double last_harmonic_at;          /* amplitude where its share was largest */
    struct energy_limits *energy_limits;
    struct row_sink table;
    struct masing_mode_summary *summary;
    struct warning_list warnings; /* of the summary */
};

/* masing_mode with a callback at every point. */
enum masing_status mode_follow(const struct masing_model *model,
                               const struct masing_mode_options *options,
                               const struct masing_sink *rows,
                               const struct mode_observer *observer,
                               struct masing_mode_summary *summary, struct masing_error *error);

#endif
