/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The joints of a balance as springs, to which its preconditioner refers the structure: see
 * balance_operator.c, whose letters these are.
 */
#ifndef MASING_HARMONIC_BALANCE_BALANCE_SPRINGS_H
#define MASING_HARMONIC_BALANCE_BALANCE_SPRINGS_H

#include <complex.h>
#include <stdbool.h>

#include "base/arena.h"
#include "harmonic/balance/balance_operator.h"
#include "harmonic/balance/balance_rows.h"
#include "linalg/tiled_cholesky.h"

/* The joints as springs K = B B^T, and the structure with them. */
struct springs {
    double (*roots)[MASING_MAX_AXES * MASING_MAX_AXES]; /* [n_joints] B, column-major */
    struct tiled_cholesky flexibility;                  /* N and its factor */
    double *shapes, *reach;                             /* [n_axes * n_modes] Psi, U */
    double *sum;                                        /* [n_modes * n_modes] S */
    double *observed; /* [n_axes] B^T M to the observed output */
};

/* Of the mean and of what oscillates about it, where the joints are as their laws: a joint that
 * slips all the time resists the second a little and the first not at all. */
enum { MOST_SPRINGS = 2 };

struct balance_operator {
    struct arena arena; /* of all arrays */
    double omega;       /* where it was linearised last */
    long count;         /* how often */
    double **blocks;    /* [n_joints] of [(n_axes n_c)^2], the joints' derivatives */
    double *force;      /* [n_harmonics][n_in][2] change of the ports' forces */
    /* the joints as springs */
    enum balance_joints joints; /* stuck, free, or as stiff as their laws in the mean */
    bool has_reference;         /* to those: all below is theirs */
    int n_modes;                /* the first ones; others are static */
    int n_springs, n_used;      /* there is room for; the first ones */
    struct springs springs[MOST_SPRINGS];
    bool has_flexibility;      /* false: N is the identity */
    double *still;             /* [n_axes * static modes] scratch, as the next two */
    double *joint_columns;     /* [n_axes * n_axes of a joint] */
    double *port_reach;        /* [n_dofs] */
    double complex *stiffness; /* [n_harmonics][n_modes * n_modes] Z + S, factored */
    int *pivots;               /* [n_harmonics][n_modes] */
    double factored;           /* omega of that; 0: none */
    bool is_exact;             /* without LEAST_LOSS */
    double complex *column;    /* [n_modes] */
    double *motion, *modal;    /* [n_axes * n_c], [n_modes * n_c] */
    char *solving;             /* scratch of solves with n_c columns */
    size_t column_bytes;       /* of one of them */
};

/* Of a harmonic index: that of the mean has springs of its own where there are two. */
static inline const struct springs *springs_of(const struct balance *balance, int k)
{
    const struct balance_operator *linear = balance->linear;
    return &linear->springs[k > 0 ? linear->n_used - 1 : 0];
}

/* values [n_axes] of all joints' axes become B^T values, or B^-T values. */
void springs_scale_axes(const struct balance *balance, const struct springs *springs,
                        double *values);
void springs_unscale_axes(const struct balance *balance, const struct springs *springs,
                          double *values);

/* columns [n_axes * n] become N^-1 columns; they are a panel that begins at this column of
 * motion's, so that threads do not meet. */
void springs_solve(const struct balance *balance, const struct springs *springs, int first,
                   double *columns, int n);

/* Room for them, and how many there are. */
enum masing_status springs_allocate(const struct balance *balance, struct masing_error *error);

#endif
