/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joints whose law can create energy, or is known over a range only: did a solution go there?
 */
#ifndef MASING_ANALYSES_CURVE_ENERGY_LIMITS_H
#define MASING_ANALYSES_CURVE_ENERGY_LIMITS_H

#include "model/message.h"
#include "model/model.h"

/* One joint with a law that may create energy, or is not known everywhere. */
struct energy_limit {
    int joint;
    bool may_gain;               /* it may create energy that is not meant */
    double limit;                /* m, INFINITY where none is known */
    double first_at, first_size; /* where it was first passed, and how large |x| was there */
    double worst_at, worst_size; /* the largest |x| beyond it; NAN: never beyond */
    double from, to;             /* where the law is known, m; infinite: everywhere */
    double outside_at, outside_x, outside; /* farthest displacement beyond, by how much; 0 */
    double gain_at, gain; /* the largest energy created per cycle, J; 0: none */
};

struct energy_limits {
    const struct masing_model *model; /* lent */
    int n;
    struct energy_limit *entries; /* [n] */
};

/* Largest |x| of a motion that cannot create energy, m; INFINITY where any motion cannot, or
 * where no limit is known: then only what a motion shows counts. */
double energy_limit_of(const struct masing_law *law, const void *parameters);

enum masing_status energy_limits_create(const struct masing_model *model,
                                        struct energy_limits **limits,
                                        struct masing_error *error);
void energy_limits_destroy(struct energy_limits *limits);

/*
 * A solution, at a place that means something to the caller (a frequency, a time):
 * @param size largest |x| from the slider's origin, m
 * @param loss of the joint over the cycle, J; NAN where it is not known
 * @param scale of that loss, J: what is far below it is rounding
 */
void energy_limit_note(struct energy_limit *limit, double at, double size, double loss,
                       double scale);

/* The same solution: smallest and largest displacement. */
void energy_limit_note_range(struct energy_limit *limit, double at, double low, double high);

/* In time, at one instant: displacements of all axes of the model. */
void energy_limits_note_instant(struct energy_limits *limits, double at, const double *x);

/* One warning for each joint that went beyond and for each that created energy, for many of one
 * law one alone; one for all that went where their law is not known; unit: of the places, e.g.
 * "Hz". */
enum masing_status energy_limits_warn(const struct energy_limits *limits, const char *unit,
                                      const struct warning_list *list,
                                      struct masing_error *error);

#endif
