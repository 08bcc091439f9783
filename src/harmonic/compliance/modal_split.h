/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which modes are near, and how many powers of s the others need.
 *
 * With x = q / top, top being the highest frequency that occurs, a far mode without structural
 * damping expands as 1 / (omega^2 + c s + s^2) = sum_j a_j (i x)^j,
 *   a_0 = 1 / omega^2,  a_j = -(c top a_(j-1) + top^2 a_(j-2)) / omega^2.
 * With structural damping (and c = 0) the powers are those of x^2 / (1 + i eta), which adds the
 * factor 1 / (1 + i eta).
 */
#ifndef MASING_HARMONIC_COMPLIANCE_MODAL_SPLIT_H
#define MASING_HARMONIC_COMPLIANCE_MODAL_SPLIT_H

#include "harmonic/compliance/compliance.h"

enum { SPLIT_MAX_TERMS = 64, SPLIT_LOSS_TERMS = 64 };

struct modal_split {
    double top;    /* highest harmonic times highest Omega, rad/s */
    bool *is_near; /* [n_modes] */
    int n_near;
    int n_terms; /* powers of (i x) that far modes need at the highest harmonic */
    int *needed; /* [n_harmonics] powers that suffice at each harmonic */
};

enum masing_status modal_split_create(const struct structure *structure,
                                      const struct compliance_settings *settings,
                                      struct modal_split *split, struct masing_error *error);
void modal_split_clear(struct modal_split *split);

/* a [SPLIT_MAX_TERMS] of one mode; odd terms are zero with structural damping */
void modal_split_series(const struct structure *structure, int mode, double top, double *a);

/* b [SPLIT_LOSS_TERMS]: 1 / |omega^2 (1 + i eta) + c s + s^2|^2 = sum_j b_j x^(2 j) */
void modal_split_loss_series(const struct structure *structure, int mode, double top,
                             double *b);

#endif
