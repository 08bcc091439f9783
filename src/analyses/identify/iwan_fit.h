/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Least squares of ln zeta for the parameters of a modal Iwan model. All unknowns are bounded
 * by what the amplitudes of the data span, so that whatever is found is a model.
 */
#ifndef MASING_ANALYSES_IDENTIFY_IWAN_FIT_H
#define MASING_ANALYSES_IDENTIFY_IWAN_FIT_H

#include <stdbool.h>

#include "analyses/identify/iwan_mode.h"
#include "masing/modal_iwan.h"

/* ln F_S, chi, ln beta, ln zeta_0 */
enum { IWAN_STRUCTURE = N_IWAN_PARAMETERS, N_IWAN_UNKNOWNS };

/* The regime that a point takes part in. */
enum { IWAN_LEFT_OUT, IWAN_MICROSLIP, IWAN_MACROSLIP };

/* Largest share of the structure in the smallest damping: with noise it may seem more than all.
 */
static const double iwan_largest_share = 1.3;

struct iwan_point {
    double amplitude, omega; /* rad/s */
    double damping_ratio;
    int part;
};

struct iwan_fit {
    struct iwan_mode *mode; /* with spring, stiffness and is_printed */
    double omega_stuck;
    double least_damping;      /* of the points, as if of the stuck joints' frequency */
    struct iwan_point *points; /* [n] by amplitude */
    int n;
    double macroslip_from; /* in phi_max: points are macroslip from here on */
    bool chooses_points;   /* left out as phi_max moves; else from..to is given */
    double from, to;       /* that are left out */
    double unknowns[N_IWAN_UNKNOWNS];
    double lower[N_IWAN_UNKNOWNS], upper[N_IWAN_UNKNOWNS];
    bool is_held[N_IWAN_UNKNOWNS];  /* at the value in `unknowns` */
    int n_used, n_microslip;        /* points that take part, those of microslip among them */
    double sum;                     /* of the squared residuals */
    double widths[N_IWAN_UNKNOWNS]; /* iwan_fit_widths */
    double misfit_correlation;      /* correlation of neighbouring misfits */
};

/* The range of each unknown, from the points. */
void iwan_fit_bounds(struct iwan_fit *fit);

/* Set parameters and dashpot of the mode from the unknowns. */
enum masing_status iwan_fit_apply(struct iwan_fit *fit, struct masing_error *error);

/* Divide the points anew around the mode's phi_max; whether any part has changed. */
bool iwan_fit_divide(struct iwan_fit *fit);

/* ln(zeta / zeta_i), and its derivatives by the unknowns [N_IWAN_UNKNOWNS] or NULL */
double iwan_fit_residual(const struct iwan_fit *fit, const struct iwan_point *point,
                         double *derivatives);

/* The best of what a grid over the bounds suggests; held unknowns stay. */
enum masing_status iwan_fit_search(struct iwan_fit *fit, struct masing_error *error);

/*
 * Half the width of the 95 % interval of each unknown, INFINITY where the data do not determine
 * it, zero where it is held. Correlated neighbouring misfits count as fewer data.
 */
enum masing_status iwan_fit_widths(struct iwan_fit *fit, struct masing_error *error);

#endif
