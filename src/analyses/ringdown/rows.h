/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows and summary of a free decay, whether integrated or measured. */
#ifndef MASING_ANALYSES_RINGDOWN_ROWS_H
#define MASING_ANALYSES_RINGDOWN_ROWS_H

#include "analyses/curve/row_table.h"
#include "model/message.h"
#include "analyses/ringdown/decay_fit.h"
#include "analyses/ringdown/modal_curve.h"
#include "masing/ringdown.h"

struct ringdown_rows {
    const struct masing_sink *sink; /* lent; NULL: rows are not wanted */
    bool is_open, has_impulse, is_record;
    double rule_step;              /* s, of the rule whose error is undone; 0: none */
    enum masing_quantity quantity; /* of the signals */
    struct modal_curve **curves;   /* [summary->n_modes] NULL where there is none; lent */
    bool has_curves;
    struct row_table table;
    struct masing_ringdown_summary *summary;
    struct warning_list warnings;
};

/* Empty modes with these numbers. */
enum masing_status ringdown_summary_reset(struct masing_ringdown_summary *summary,
                                          const int *numbers, int n_modes,
                                          struct masing_error *error);

enum masing_status ringdown_rows_open(struct ringdown_rows *rows, struct masing_error *error);

/* What was found in one mode's signal. */
struct decay_found {
    int n_segments;
    const struct decay_segment *segments; /* [n_segments - 2] */
    const struct decay_choice *choice;
    double start;        /* s, of the first sample */
    double impulse;      /* or NAN */
    const double *range; /* [2] Hz between which the mode's frequency lies, else another motion
                            dominates; NULL: not known */
};

/* A row for each segment that fits. */
enum masing_status ringdown_rows_put(struct ringdown_rows *rows, int mode,
                                     const struct decay_found *found,
                                     struct masing_error *error);

/* Finish the sink where what was written is to be kept, else abandon it; the first failure. */
enum masing_status ringdown_rows_close(struct ringdown_rows *rows, enum masing_status status,
                                       struct masing_error *error);

/* Warn of modes without rows, and of segments that gave none. */
enum masing_status ringdown_rows_warn(const struct ringdown_rows *rows,
                                      struct masing_error *error);

#endif
