/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows and summary of a free decay, whether integrated or measured. */
#ifndef MASING_ANALYSES_RINGDOWN_ROWS_H
#define MASING_ANALYSES_RINGDOWN_ROWS_H

#include "analyses/curve/row_table.h"
#include "model/message.h"
#include "analyses/ringdown/decay_fit.h"
#include "analyses/ringdown/decay_noise.h"
#include "masing/ringdown.h"

/* Frequency and damping of a one-DOF model of a mode against its amplitude. */
struct modal_curve {
    int n;
    struct modal_curve_point {
        double x;        /* ln amplitude */
        double value[2]; /* frequency, Hz; damping ratio */
    } * points;          /* [n] in the order of their amplitudes */
};

/* Follow the nonlinear mode that the model names. Clear the curve also after a failure. */
enum masing_status modal_curve_create(const struct masing_model *model,
                                      const struct masing_progress *progress,
                                      struct modal_curve *curve, struct masing_error *error);
void modal_curve_clear(struct modal_curve *curve);

struct ringdown_rows {
    struct row_sink table;
    bool has_impulse, is_record, has_curves;
    double rule_step;              /* s, of the rule whose error is undone; 0: none */
    enum masing_quantity quantity; /* of the signals */
    struct modal_curve *curves;    /* [summary->n_modes] with has_curves; lent */
    struct masing_ringdown_summary *summary;
    struct warning_list warnings;
    double began; /* processor time, s */
};

/* At the beginning of a call: the clock, and where what is found is put. */
void ringdown_rows_begin(struct ringdown_rows *rows, struct masing_ringdown_summary *summary);

/* At its end: how it ended, and the summary to the caller, who may have none. Returns status.
 */
enum masing_status ringdown_rows_end(const struct ringdown_rows *rows,
                                     enum masing_status status,
                                     struct masing_ringdown_summary *summary,
                                     const struct masing_error *error);

/* Empty modes with these numbers. */
enum masing_status ringdown_summary_reset(struct masing_ringdown_summary *summary,
                                          const int *numbers, int n_modes,
                                          struct masing_error *error);

/* sink: NULL where rows are not wanted. End the table also after a failure. */
enum masing_status ringdown_rows_open(struct ringdown_rows *rows,
                                      const struct masing_sink *sink,
                                      struct masing_error *error);

/* What was found in one mode's signal. */
struct decay_found {
    const struct decay_fit *fit;
    double start;        /* s, of the first sample */
    double impulse;      /* or NAN */
    const double *range; /* [2] Hz between which the mode's frequency lies, else another motion
                            dominates; NULL: not known */
    const struct decay_line *line; /* of a measured record, else NULL */
};

/* A row for each segment that fits. */
enum masing_status ringdown_rows_put(struct ringdown_rows *rows, int mode,
                                     const struct decay_found *found,
                                     struct masing_error *error);

/* Warn of modes without rows, and of segments that gave none. */
enum masing_status ringdown_rows_warn(const struct ringdown_rows *rows,
                                      struct masing_error *error);

#endif
