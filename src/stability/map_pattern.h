/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small motions of a structure whose joints are linear, pattern by pattern of what they do
 * (stuck or slipping, open or closed):
 *   q'' + D q' + diag(omega^2) q = -A^T f,   u = A q - F f,   f = K u - L s + C u',
 * with s the places of the sliders, which rest. Motions go on in the basis of their pattern,
 * y being the p and p' of its oscillators (transient/pattern/pattern_basis.h); transfers from
 * one basis into another are kept as the bases are.
 */
#ifndef MASING_STABILITY_MAP_PATTERN_H
#define MASING_STABILITY_MAP_PATTERN_H

#include "transient/pattern/pattern_table.h"

/* What sliders do and what axes see, in the n = 2 n_modes coordinates y. */
struct map_pattern {
    double *rest;         /* [n_joints][n] y that stands still per displaced slider */
    double *seen;         /* [n_axes][n] u of y, and */
    double *seen_sliders; /* [n_axes][n_joints] of s */
};

struct map_patterns {
    int n_modes, n, n_axes, n_joints;
    double slowest;             /* rad/s: slower oscillators have no place of rest */
    struct modal_state *modal;  /* the structure and its axes A */
    double *flexibility;        /* [n_axes][n_axes] F, symmetric */
    double *damping;            /* [n_axes] C */
    struct pattern_table table; /* keys: [n_axes][n_axes] K, [n_axes][n_joints] L */
    struct map_pattern *list;   /* [table.n_kept] */
    long since;                 /* patterns that were used since then keep their places */
    int n_transfers, most_transfers;
    double *transfers;          /* [most_transfers][n * n] */
    int *transfer;              /* [table.n_kept][table.n_kept] index + 1 of these; 0: none */
    double *inverse, *coupling; /* [n_axes * n_axes], [n_axes * (n_axes + n_joints)] scratch */
    int *pivots;                /* [n_axes] */
    double *row, *before;       /* [n] */
    double *factors, *scratch;  /* [2 n], [3 n] */
};

/* With the first n_modes modes; damping [n_axes], only with all modes. Destroy them also
 * after a failure. */
enum masing_status map_patterns_create(const struct masing_model *model, int n_modes,
                                       const double *damping, struct arena *arena,
                                       struct map_patterns **patterns,
                                       struct masing_error *error);
void map_patterns_destroy(struct map_patterns *patterns);

/* Patterns are sought that are to last together. */
void map_patterns_begin(struct map_patterns *patterns);

/* The index of a pattern, until patterns that are to last with others are sought.
 * MASING_UNSUPPORTED: it has no basis to be calculated with, or there is no room. */
enum masing_status map_patterns_find(struct map_patterns *patterns, const double *key,
                                     int *index);

/* [n * n] column-major, y of one pattern from that of another, lent until the next call. */
const double *map_patterns_transfer(struct map_patterns *patterns, int from, int to);

/* y [n_columns][n] a time on, s [n_columns][n_joints] of sliders that rest. */
void map_patterns_advance(struct map_patterns *patterns, int index, double time, int n_columns,
                          double *y, const double *s);

/* Displacement of an axis in one column. */
double map_pattern_seen(const struct map_patterns *patterns, int index, int axis,
                        const double *y, const double *s);

#endif
