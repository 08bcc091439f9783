/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The balance of a damped nonlinear mode, by the extended periodic motion concept (M. Krack,
 * Computers and Structures 154, 2015, 59-71): an artificial damping in proportion to the mass
 * makes good what the mode loses, so that its motion is periodic,
 *   M x'' + (C - 2 zeta omega M) x' + K x + g(x, x') = static force.
 *
 * The structure is linear in its modal coordinates p without joints:
 *   D_h(omega, zeta) p_h = s_h - A g_h,   x_h = A^T p_h,
 * with A the joints' axes, x their displacements, g their forces, s the static force. Modes
 * that a harmonic cannot come near are eliminated, exactly, so that the equations are about as
 * many as the joints have axes, however many modes there are. For each harmonic the unknowns
 * are
 *   - x, unless the modes are fewer than the axes,
 *   - p of the kept modes: those near the harmonic, rigid-body modes at harmonic 0,
 * in units of their scale: the mode's amplitude a, and for the mean hypot(a, what the static
 * loads do). Then follow omega / omega_stuck and zeta; in return the coordinate of the mode
 * with its joints stuck is given in harmonic 1, a cos theta. The parameter is log10 a.
 */
#ifndef MASING_HARMONIC_BALANCE_MODAL_BALANCE_H
#define MASING_HARMONIC_BALANCE_MODAL_BALANCE_H

#include <complex.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/progress.h"
#include "harmonic/basis/basis.h"
#include "harmonic/joints/joint_scratch.h"
#include "model/model.h"

/* The equations of one harmonic. A complex number a - i b stands for a cos + b sin; matrices
 * are real, column-major, sides * n_rows rows: cosines first. */
struct modal_harmonic {
    int harmonic;
    int first, first_row;   /* of its unknowns in y, of its rows in the residual */
    int n_kept, n, n_rows;  /* unknowns and rows for each of its sides */
    int *kept;              /* [n_kept] modes */
    double *unit;           /* [n] of the unknowns, beside the scale */
    double *row_factor;     /* [n_rows] of the rows, without the scale */
    double *linear, *joint; /* at the last evaluation, of the unknowns, [sides * n] columns, and
                               of the joints' forces, [sides * n_axes] columns */
    double *constant;       /* [n_rows] of the static force; harmonic 0 */
};

struct modal_balance {
    struct arena arena; /* of all arrays */
    const struct masing_model *model;
    struct basis *basis;
    struct joint_shared *shared;
    struct joint_response **joints;
    struct joint_scratch *scratch;
    struct modal_harmonic *harmonics;       /* [n_harmonics] */
    const struct masing_progress *progress; /* as in struct balance */
    int n_joints, n_axes, n_modes, n_coefficients, n_unknowns;
    bool has_axes;      /* the joints' displacements are unknowns */
    int target;         /* the mode, an index of the stuck modes */
    int omega_position; /* in y: omega / omega_stuck here, zeta behind it */
    double omega_stuck; /* of the mode, rad/s */
    /* The amplitude is told in a coordinate with springs and stops at zero displacement; else
     * in that of the mode. See unpressed_mode. */
    bool is_pressed;
    double omega_unpressed;
    double *omega_squared; /* [n_modes] of all stuck modes, ascending */
    double *shapes;        /* [n_dofs * n_modes] of the stuck modes, mass-normalised */
    double *stuck;         /* [n_modes * n_modes] the same in modal coordinates p */
    double *ports;        /* [n_modes * (n_axes + 1)] the joints' axes in p, the coordinate that
                             the amplitude is told in */
    double *static_force; /* [n_modes] */
    double *stuck_force;  /* [n_modes] which with the joints stuck leads to the static state */
    double static_size;   /* of the stuck modes' displacements that it makes */
    double restraint;     /* holds the mean of rigid-body modes, 1/s^2 */
    double *origin;       /* [n_axes] where sliders start */
    /* at the last evaluation */
    double *z, *z_slope;        /* [n_unknowns] unknowns in their units, and by a */
    double *force, *d_force;    /* [n_coefficients * n_axes] of the joints; scratch */
    double *motion;             /* [n_coefficients * n_modes] p */
    double *p;                  /* the same in coordinates of the stuck modes */
    double *by_omega, *by_zeta; /* [n_unknowns] columns of the structure */
    double omega, zeta, amplitude;
    double *last_y, last_lambda;
    bool has_last, has_last_derivative;
    double largest_zeta; /* so far, over all modal_balance_weights */
    double *joint_size;  /* [n_joints] of the motion along the first axis, likewise */
    /* scratch */
    double *change, *reply;         /* [max axes of a joint * n_coefficients] */
    double *block;                  /* of one joint's derivative */
    double *columns;                /* [n_unknowns * n_axes n_coefficients], !has_axes */
    double complex *modal, *effect; /* [n_modes] */
    double complex *sides, *reach;  /* [n_modes * (n_axes + 1 + n_kept)] see eliminate */
    double complex *coupled;        /* [n_modes^2] where damping couples modes, else NULL */
    int *pivots;                    /* [n_modes] */
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

/* The linear mode with the joints stuck, y [n]: about the static state, or `unpressed`, as long
 * as springs and stops do what they do at zero displacement. */
void modal_balance_linear_mode(struct modal_balance *balance, double lambda, bool unpressed,
                               double *y);

/* Carry the sliders along (`start: previous`). */
void modal_balance_carry_sliders(struct modal_balance *balance);

/* What later solutions depend on, put, or taken by a balance that is new: as balance_pack. */
void modal_balance_pack(struct modal_balance *balance, struct packing *packing);

/* Loss per cycle at the last evaluation, J: of the structure's damping, of each joint
 * [n_joints]; what the artificial damping puts in, for each unit of zeta. */
double modal_balance_structure_loss(const struct modal_balance *balance);
void modal_balance_joint_losses(const struct modal_balance *balance, double *losses);
double modal_balance_energy_scale(const struct modal_balance *balance);

/* ---- modal_structure.c: the linear structure at each harmonic, the modes that are not kept
 * eliminated ---- */

/* At the balance's omega, zeta, z and joints' forces: matrices and constant of all harmonics,
 * motion and p; with_derivative by_omega and by_zeta, too. MASING_SINGULAR. */
enum masing_status modal_structure_evaluate(struct modal_balance *balance,
                                            bool with_derivative);

/* Loss per cycle in the structure's damping over pi h, J, under cosine or sine coefficients p
 * [n_modes] of harmonic h at the balance's omega. */
double modal_structure_loss(const struct modal_balance *balance, int h, const double *p);

/* The pattern [n_modes] of an axis, or of the target mode: n_axes. */
static inline const double *modal_port(const struct modal_balance *balance, int port)
{
    return balance->ports + (size_t)port * (size_t)balance->n_modes;
}

#endif
