/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The harmonic balance as a residual: n equations in n unknowns and the frequency.
 *
 * Condensed exactly to the joints' relative coordinates:
 *   R(W, Omega) = W - W_lin(Omega) + H(Omega) G(W),
 * with W the coefficients of the joints' displacements, G those of their forces and H the
 * compliance of the linear structure. Beside W the vector of unknowns holds
 *   - the observed output's coefficients at the loaded harmonics, so that a resonance that the
 *     joints do not feel is followed too,
 *   - modal coordinates that are kept uncondensed: rigid-body modes at harmonic 0 and hardly
 *     damped poles inside the frequency range.
 *
 * y = [W: c * n_axes + a][observed][modal]; rows are scaled by compliance and load, so that a
 * residual of 1 is as large as the load. One balance belongs to one thread, which may have a
 * pool for the joints: the same bits for any number of threads.
 */
#ifndef MASING_HARMONIC_BALANCE_BALANCE_H
#define MASING_HARMONIC_BALANCE_BALANCE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/progress.h"
#include "base/thread_pool.h"
#include "harmonic/basis/basis.h"
#include "harmonic/compliance/compliance.h"
#include "harmonic/joints/joint_scratch.h"
#include "model/model.h"

/* What stands in for the joints' laws. */
enum balance_joints { BALANCE_LAWS, BALANCE_STUCK, BALANCE_FREE };

/* A mode that is an unknown of its own at one harmonic. */
struct balance_mode {
    int harmonic_index, mode;
    int position;                      /* of its first unknown in y */
    double scale;                      /* of its equation, N times participation */
    const struct structure *structure; /* whose mode it is: that of its harmonic */
    int copies;                        /* see compliance_push_modes */
    double largest;                    /* of its shape */
    double *participation;             /* [n_in + n_out] of the ports */
    double *turned; /* [n_in + n_out] or NULL; in a travelling wave the imaginary part of
                       inputs', of outputs what gives their size */
    double reach;   /* m/N times mass^(1/2); see balance->reach */
    bool is_idle;   /* nothing drives it at this harmonic: it stays at zero, even where
                       its stiffness vanishes */
};

struct balance_operator;
struct balance_speed;

struct balance {
    struct arena arena; /* of all arrays */
    const struct masing_model *model;
    const struct structure *structure;
    struct basis *basis;
    struct joint_shared *shared;
    struct balance_speed *speed; /* see balance_speed.h */
    struct joint_response **joints;
    int n_joints, n_axes, n_coefficients;
    int n_active; /* first harmonics of the list in which joints act on the structure; all */
    const struct masing_progress *progress; /* asked at each evaluation; lent, may be NULL */
    struct thread_pool *pool;               /* that evaluates them, NULL: one thread */
    int n_scratch;
    struct joint_scratch **scratch;   /* [n_scratch] one for each thread */
    enum masing_status *joint_status; /* [n_joints] of the last evaluation */
    double evaluation_cost[2];        /* us, roughly: without, with derivative */
    bool are_divided; /* joints with parts are evaluated one by one, each by all threads */
    int n_observed, *observed; /* harmonic indices of the observed coefficients */
    int observed_position, n_observed_unknowns;
    int n_modes;
    struct balance_mode *modes;
    int n_rigid;         /* of them, at harmonic 0; the first ones */
    double *hold;        /* [n_rigid][n_rigid] 1/s^2, springs of their means */
    double *directions;  /* [n_rigid + 1][n_rigid] orthonormal, of the means that are felt */
    int n_held, n_slack; /* the first ones; the next ones, which only friction feels */
    double
        *reach; /* [n_axes] m/N, of the means that only friction feels, held by these alone */
    int n_unknowns;
    /* ports: in = axes, load columns, static force; out = axes, observed output */
    int n_in, n_out;
    struct compliance_ports in_ports, out_ports; /* [n_in], [n_out] */
    struct compliance *compliance;               /* between the ports */
    struct balance_operator *linear; /* see balance_operator.h; NULL where it is not asked for
                                      */
    int *load_column; /* [n_loads] its real column; the imaginary one follows where there is one
                       */
    double *motion;   /* [2][n_harmonics][n_out][2] of the ports, and by Omega */
    double *force, *d_force; /* [n_harmonics][n_in][2] into the ports, and by Omega */
    double *origin;          /* [n_axes] where sliders start */
    int *row;                /* [n_harmonics][n_out] position of a_h in y, -1: no unknown */
    double *row_scale;       /* [n_harmonics][n_out] compliance, m/N */
    double *row_factor;      /* [n_harmonics][n_out] 1 / (row_scale force_scale) */
    double force_scale;      /* N */
    bool is_static;          /* the last input column is the static force */
    /* the last evaluation */
    double *last_y, last_omega;
    bool has_last;
    double *size;    /* [n_axes] of each axis' motion at the last balance_weights */
    double *largest; /* [n_axes + 1 + n_modes] largest size so far of each group of unknowns */
};

struct balance_settings {
    int n_threads;       /* at most, for the joints: fewer where they are quickly evaluated */
    bool is_matrix_free; /* a compliance without matrices: no Jacobian but balance_operator.h's
                          */
    const struct masing_progress *progress; /* lent; where it is cancelled, no evaluation
                                               succeeds any more: MASING_NOT_CONVERGED */
};

enum masing_status balance_create(const struct masing_model *model,
                                  const struct balance_settings *settings,
                                  struct balance **balance, struct masing_error *error);
void balance_destroy(struct balance *balance);

/* Compliance from the balance's ports to other displacements; the ports are lent. */
enum masing_status balance_compliance(const struct balance *balance,
                                      const struct compliance_ports *out, int n_out,
                                      bool is_matrix_free, struct compliance **compliance,
                                      struct masing_error *error);

/* Residual [n], Jacobian [n*n] column-major and derivative by Omega [n], which are NULL where
 * they are not asked for: no Jacobian without the derivative by Omega. MASING_INTERNAL for a
 * Jacobian without compliance->has_matrices. A residual alone differs
 * from one with a Jacobian by rounding where compliance->is_applied beside matrices. */
enum masing_status balance_evaluate(struct balance *balance, enum balance_joints joints,
                                    const double *y, double omega, double *residual,
                                    double *jacobian, double *residual_omega);

/* Evaluate the joints at a solution unless that is what was done last; then joints, force and
 * d_force describe it. */
enum masing_status balance_settle(struct balance *balance, const double *y, double omega,
                                  bool with_derivative);

/*
 * First guesses of a solution, in the order of how often they succeed: joints stuck, free
 * (only where the compliance has matrices), at rest. *guesses [n_guesses][n_unknowns] is owned
 * by the caller (free). Allocates.
 */
enum masing_status balance_guess(struct balance *balance, double omega, double **guesses,
                                 int *n_guesses, struct masing_error *error);

/* spread [n_unknowns of the whole disk]: a motion y of one sector in its wave (wave.c), without
 * modes that are unknowns of their own and observed outputs, which are 0. */
void balance_spread_wave(const struct balance *sector, const double *y,
                         const struct balance *whole, double *spread);

/* Weights for the arc length: sizes of each joint's motion, renewed as the curve goes on. */
void balance_weights(struct balance *balance, const double *y, double *weights);

/* Round the transitions of the laws off over a part `level` of their joint's motion (along its
 * first axis, the normal one of contacts) at the last balance_weights; 0, as at first: the
 * laws themselves. */
void balance_smooth(struct balance *balance, double level);

/* Give the observed output the coefficients that go with the joints and modes of y;
 * residual [n] is scratch. */
enum masing_status balance_observe(struct balance *balance, double *y, double omega,
                                   double *residual);

/*
 * Force of the springs that hold the means of rigid-body motions at a solution, in parts of the
 * loads, but for those that only friction feels. It should vanish: where it does not, no
 * equilibrium exists and the structure drifts.
 */
double balance_drift(const struct balance *balance, const double *y);

/* Of the stiffness against the means that only friction feels, at a solution: the largest share
 * of the springs that hold them. Next to 1 where all contacts slip: then the springs alone
 * decide where the mean comes to rest. */
enum masing_status balance_wandering(struct balance *balance, const double *y, double omega,
                                     double *share, struct masing_error *error);

/* Joints act in the harmonics up to the highest alone: the balance of fewer harmonics, where
 * the others are zero. Not for Jacobians. */
void balance_limit_harmonics(struct balance *balance, int highest);

/* shifted [n]: the motion of y [n] later by an angle of the first harmonic, rad. */
void balance_shift(const struct balance *balance, double angle, const double *y,
                   double *shifted);

/* Carry the sliders along (`start: previous`). */
void balance_carry_sliders(struct balance *balance);

/* What later solutions depend on: sizes of the motion, and where sliders that are carried along
 * stand; put, or taken by a balance that is new. */
void balance_pack(struct balance *balance, struct packing *packing);

/* Columns by which the loads enter the ports: fills the load part of force and d_force. */
void balance_load_forces(const struct balance *balance, double omega, double *force,
                         double *d_force);

/* The amplitude of a load at harmonic index k into force [n_harmonics][n_in][2]. */
void balance_put_load(const struct balance *balance, int load, int k, const double value[2],
                      double *force);

/* What a mode that is an unknown does at a port, in parts of its coordinate. */
double balance_mode_share(const struct balance *balance, const struct balance_mode *mode,
                          const struct compliance_ports *ports, int port);

/* Dynamic stiffness of an uncondensed mode and its derivative by Omega, complex; of an idle one
 * any that holds it; not at harmonic 0. */
void balance_mode_stiffness(const struct balance *balance, const struct balance_mode *mode,
                            double omega, double value[2], double slope[2]);

/* ---- frequencies at which a response is unbounded, and how its two sides go
 * together ---- */

struct balance_pole {
    double omega; /* rad/s */
    double phase; /* of the load there at harmonic 1, rad */
};

/* Whether a solution y [n] is on the flank of a pole close by where the structure is undamped
 * and no joint can hold it, however large the motion. Evaluates the joints elsewhere. */
bool balance_find_pole(struct balance *balance, const double *y, double omega,
                       struct balance_pole *pole);

/* mirrored [n]: a guess on the other side of a pole, at the same distance. What is in phase
 * with the load changes its sign and what is a quarter of a period behind does not, as damping
 * has it: x(t) -> -x(-t) about an instant at which the load is largest. */
void balance_mirror(const struct balance *balance, const struct balance_pole *pole,
                    const double *y, double *mirrored);

#endif
