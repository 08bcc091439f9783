/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The balance of a damped nonlinear mode, by the extended periodic motion concept (M. Krack,
 * Computers and Structures 154, 2015, 59-71): an artificial damping in proportion to the mass
 * makes good what the mode loses, so that its motion is periodic,
 *   M x'' + (C - 2 zeta omega M) x' + K x + g(x, x') = static force.
 *
 * Unknowns are the Fourier coefficients of the modal coordinates p of the structure with its
 * joints stuck, [c * n_modes + k], in units of their scale: the mode's amplitude a, and for the
 * mean hypot(a, what the static loads do). The first harmonic of the mode's own coordinate is
 * given, a cos theta: in the place of its two coefficients stand omega / omega_stuck and zeta.
 * So neither amplitude nor phase needs an equation of its own, and no coordinate that is given
 * can vanish. The parameter is log10 a.
 *
 * Rows are divided by the scale times (omega_k^2 + h^2 omega_stuck^2).
 */
#ifndef MASING_HARMONIC_BALANCE_MODAL_BALANCE_H
#define MASING_HARMONIC_BALANCE_MODAL_BALANCE_H

#include <stdbool.h>

#include "base/arena.h"
#include "harmonic/basis/basis.h"
#include "harmonic/joints/joint_scratch.h"
#include "model/model.h"

struct modal_balance {
    struct arena arena; /* of all arrays */
    const struct masing_model *model;
    struct basis *basis;
    struct joint_shared *shared;
    struct joint_response **joints;
    struct joint_scratch *scratch;
    int n_joints, n_axes, n_modes, n_coefficients, n_unknowns;
    int target;                  /* the mode, an index of the stuck modes */
    int target_position;         /* in y: omega / omega_stuck here, zeta behind it */
    double omega_stuck;          /* of the mode, rad/s */
    double *omega_squared;       /* [n_modes] of all stuck modes, ascending */
    double *shapes;              /* [n_dofs * n_modes] of the stuck modes, mass-normalised */
    double *axes;                /* [n_modes * n_axes] the joints' axes in modal coordinates */
    double *stiffness, *damping; /* [n_modes * n_modes] of the structure without joints */
    double *mean_stiffness;      /* [n_modes * n_modes] likewise, rigid-body modes held */
    double *static_force;        /* [n_modes] */
    double static_size;          /* of the modal displacements that it makes */
    double *origin;              /* [n_axes] where sliders start */
    double *row_factor;          /* [n_harmonics * n_modes] of rows, without the scale */
    /* at the last evaluation */
    double *p, *p_slope; /* [n_coefficients * n_modes], and by a */
    double omega, zeta, amplitude;
    double *last_y, last_lambda;
    bool has_last, has_last_derivative;
    double largest_zeta; /* so far, over all modal_balance_weights */
    double *joint_size;  /* [n_joints] of the motion along the first axis, likewise */
    /* scratch */
    double *product;        /* [n_coefficients * n_modes] */
    double *change, *reply; /* [max axes of a joint * n_coefficients] */
    double *block;          /* of one joint's derivative */
    double *left;           /* [n_modes * n_axes of a joint] */
};

/* number: from 1, rigid-body modes not counted. MASING_INVALID, MASING_UNSUPPORTED. */
enum masing_status modal_balance_create(const struct masing_model *model, int number,
                                        struct modal_balance **balance,
                                        struct masing_error *error);
void modal_balance_destroy(struct modal_balance *balance);

/* Residual [n], Jacobian [n*n] column-major and derivative by lambda [n] (both or neither). */
enum masing_status modal_balance_evaluate(struct modal_balance *balance, const double *y,
                                          double lambda, double *residual, double *jacobian,
                                          double *residual_lambda);

/* Evaluate the joints at a solution unless that is what was done last. */
enum masing_status modal_balance_settle(struct modal_balance *balance, const double *y,
                                        double lambda);

/* Weights for the arc length; renews the sizes of the joints' motion. */
void modal_balance_weights(struct modal_balance *balance, const double *y, double lambda,
                           double *weights);

/* Round the transitions of the laws off over a part `level` of their joint's motion (along its
 * first axis) at the last modal_balance_weights; 0: the laws themselves. */
void modal_balance_smooth(struct modal_balance *balance, double level);

/* The linear mode with the joints stuck, y [n]. */
void modal_balance_linear_mode(const struct modal_balance *balance, double lambda, double *y);

/* Carry the sliders along (`start: previous`). */
void modal_balance_carry_sliders(struct modal_balance *balance);

/* Loss per cycle at the last evaluation, J: of the structure's damping, of each joint
 * [n_joints]; what the artificial damping puts in, for each unit of zeta. */
double modal_balance_structure_loss(struct modal_balance *balance);
void modal_balance_joint_losses(const struct modal_balance *balance, double *losses);
double modal_balance_energy_scale(const struct modal_balance *balance);

#endif
