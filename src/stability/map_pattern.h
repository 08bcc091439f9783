/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small motions of a structure whose joints are linear, pattern by pattern of what they do
 * (stuck or slipping, open or closed):
 *   q'' + D q' + diag(omega^2) q = -A^T f,   u = A q - F f,   f = K u - L s + C u',
 * with s the places of the sliders, which rest. The real eigenbasis of a pattern is found when
 * it is met first, and the transfer from one basis into another likewise; both are kept.
 */
#ifndef MASING_STABILITY_MAP_PATTERN_H
#define MASING_STABILITY_MAP_PATTERN_H

#include "base/arena.h"
#include "model/model.h"

/* n = 2 n_modes coordinates y of a pattern: pairs of a complex eigenvalue side by side,
 * y' = [a b; -b a] y. */
struct map_pattern {
    double *key;              /* [n_axes][n_axes] K, [n_axes][n_joints] L */
    double *real, *imaginary; /* [n] eigenvalues */
    double *vectors;          /* [n * n] (omega q, q') of y, column-major */
    double *inverse;          /* [n * n] */
    double *rest;             /* [n_joints][n] y that stands still per displaced slider */
    double *seen;             /* [n_axes][n] u of y, and */
    double *seen_sliders;     /* [n_axes][n_joints] of s */
};

struct map_patterns {
    const struct masing_model *model;
    int n_modes, n, n_axes, n_joints;
    double *axes;        /* [n_axes][n_modes] A */
    double *flexibility; /* [n_axes][n_axes] F, symmetric */
    double *damping;     /* [n_axes] C */
    int n_patterns, most_patterns;
    struct map_pattern *list; /* [most_patterns] */
    int n_transfers, most_transfers;
    double *transfers; /* [most_transfers][n * n] */
    int *transfer;     /* [most_patterns][most_patterns] index + 1 of these; 0: none */
    int n_emptied;     /* so often there was no room */
    struct eigen_general *eigen; /* with vectors */
    double *matrix;              /* [n * n] scratch, as all that follows */
    double *growth, *turn;       /* [n] */
    double *inverse, *coupling;  /* [n_axes * n_axes], [n_axes][n_axes + n_joints] */
    int *pivots;                 /* [n + n_axes] */
};

/* With the first n_modes modes; damping [n_axes], only with all modes. */
enum masing_status map_patterns_create(const struct masing_model *model, int n_modes,
                                       const double *damping, struct arena *arena,
                                       struct map_patterns **patterns,
                                       struct masing_error *error);
void map_patterns_destroy(struct map_patterns *patterns);

/* Length of a key. */
size_t map_patterns_key_size(const struct map_patterns *patterns);

/* The index of a pattern that lasts until another is sought. MASING_UNSUPPORTED: it has no
 * eigenbasis to be calculated with, or there is no room until map_patterns_empty. */
enum masing_status map_patterns_find(struct map_patterns *patterns, const double *key,
                                     int *index);

/* Forget all patterns; false: that happens too often to be of use. */
bool map_patterns_empty(struct map_patterns *patterns);

/* [n * n] column-major, y of one pattern from that of another, lent until the next call. */
const double *map_patterns_transfer(struct map_patterns *patterns, int from, int to);

/* y [n_columns][n] a time on, s [n_columns][n_joints] of sliders that rest. */
void map_patterns_advance(struct map_patterns *patterns, int index, double time, int n_columns,
                          double *y, const double *s);

/* Displacement of an axis in one column. */
double map_pattern_seen(const struct map_patterns *patterns, int index, int axis,
                        const double *y, const double *s);

#endif
