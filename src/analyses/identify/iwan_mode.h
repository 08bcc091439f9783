/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One mode as an oscillator of unit mass with a spring, a dashpot and an Iwan element (Lacayo,
 * Deaner and Allen 2017, section 2.1).
 */
#ifndef MASING_ANALYSES_IDENTIFY_IWAN_MODE_H
#define MASING_ANALYSES_IDENTIFY_IWAN_MODE_H

#include <stdbool.h>

#include "masing/law.h"

/* The parameters of the element that a fit varies. */
enum { IWAN_SLIP_FORCE, IWAN_CHI, IWAN_BETA, N_IWAN_PARAMETERS };

/* What the law derives from them: phi_max, R and phi_bar. */
enum { IWAN_REACH, IWAN_DENSITY, IWAN_MEAN_REACH, N_IWAN_CONSTANTS };

struct iwan_mode {
    double spring;   /* K_inf, 1/s^2 */
    double dashpot;  /* 2 zeta_0 omega_0, 1/s */
    bool is_printed; /* equations (8) and (9) as the paper prints them, see iwan_mode.c */
    const struct masing_law *law;                     /* iwan4 */
    void *parameters, *tangent;                       /* [law->parameters_size] */
    double *parameter[N_IWAN_PARAMETERS], *stiffness; /* places in parameters */
    double constant[N_IWAN_CONSTANTS];
    double change[N_IWAN_CONSTANTS][N_IWAN_PARAMETERS]; /* of the constants */
};

/* Clear it also after a failure. */
enum masing_status iwan_mode_create(struct iwan_mode *mode, struct masing_error *error);
void iwan_mode_clear(struct iwan_mode *mode);

/* Derive constants and their changes from the parameters and the stiffness that were set. */
enum masing_status iwan_mode_derive(struct iwan_mode *mode, struct masing_error *error);

/* Loss of the element per cycle up to phi_max and beyond, and its change by each parameter
 * [N_IWAN_PARAMETERS] or NULL. */
double iwan_mode_microslip(const struct iwan_mode *mode, double amplitude, double *change);
double iwan_mode_macroslip(const struct iwan_mode *mode, double amplitude, double *change);

#endif
