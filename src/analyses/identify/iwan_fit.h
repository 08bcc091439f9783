/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One mode as an oscillator of unit mass with a spring, a dashpot and an Iwan element (Lacayo,
 * Deaner and Allen 2017, section 2.1), and least squares of ln zeta for its parameters. All
 * unknowns are bounded by what the amplitudes of the data span, so that whatever is found is a
 * model.
 */
#ifndef MASING_ANALYSES_IDENTIFY_IWAN_FIT_H
#define MASING_ANALYSES_IDENTIFY_IWAN_FIT_H

#include <stdbool.h>

#include "masing/law.h"
#include "masing/modal_iwan.h"

/* The parameters of the element that a fit varies. */
enum { IWAN_SLIP_FORCE, IWAN_CHI, IWAN_BETA, N_IWAN_PARAMETERS };

struct iwan_mode {
    double spring;   /* K_inf, 1/s^2 */
    double dashpot;  /* 2 zeta_0 omega_0, 1/s */
    bool is_printed; /* equations (8) and (9) as the paper prints them, see iwan_fit.c */
    const struct masing_law *law;                     /* iwan4 */
    void *parameters, *tangent;                       /* [law->parameters_size] */
    double *parameter[N_IWAN_PARAMETERS], *stiffness; /* places in parameters */
    double reach, density, mean_reach;                /* phi_max, R, phi bar */
    double change_of_reach[N_IWAN_PARAMETERS];        /* by each parameter */
    double change_of_density[N_IWAN_PARAMETERS];
    double change_of_mean[N_IWAN_PARAMETERS];
};

/* Clear it also after a failure. */
enum masing_status iwan_mode_create(struct iwan_mode *mode, struct masing_error *error);
void iwan_mode_clear(struct iwan_mode *mode);

/* Derive constants and their changes from the parameters and the stiffness that were set. */
enum masing_status iwan_mode_derive(struct iwan_mode *mode, struct masing_error *error);

/* Frequency, rad/s, and damping ratio at an amplitude. */
void iwan_mode_at(const struct iwan_mode *mode, double amplitude, double *omega,
                  double *damping_ratio);

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
    struct iwan_mode mode; /* with spring, stiffness and is_printed */
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
