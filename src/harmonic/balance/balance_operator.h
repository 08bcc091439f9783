/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Jacobian of a balance as an operator, for interfaces whose Jacobian is too large to be
 * written down: J = I + H D, with the compliance H applied (compliance.h) and D the derivatives
 * of the joints, one block each.
 *
 * The preconditioner is the same Jacobian with the joints as springs, P = I + H K, all stuck at
 * first: their stiffness K is the same in all harmonics but the mean, so that P falls apart
 * into harmonics and is inverted by one real factorisation, or two, and a few equations of
 * modes for each.
 *   P^-1 J = I + H_s (D - K),  H_s = (I + H K)^-1 H,
 * is what referring the structure to those springs would lead to: the same Krylov spaces, and
 * the identity where all joints stick. Where contacts slip for most of the period, K may become
 * their mean stiffness.
 */
#ifndef MASING_HARMONIC_BALANCE_BALANCE_OPERATOR_H
#define MASING_HARMONIC_BALANCE_BALANCE_OPERATOR_H

#include "harmonic/balance/balance.h"

/* What the functions below need, owned by the balance; nothing where it is there already. */
enum masing_status balance_operator_create(struct balance *balance, struct masing_error *error);
void balance_operator_destroy(struct balance_operator *linear);

/* residual [n] and its derivative by Omega [n] at a point, whose Jacobian is that of the
 * functions below from now on, whatever is evaluated meanwhile. No allocation. */
enum masing_status balance_linearize(struct balance *balance, enum balance_joints joints,
                                     const double *y, double omega, double *residual,
                                     double *residual_omega);

/* How often that was done. */
long balance_linearisations(const struct balance *balance);

/* product [n] = J x. No allocation. */
enum masing_status balance_apply(struct balance *balance, const double *x, double *product);

/* product [n] = J x to a few thousandths, by most of the compliance, where that takes less
 * time. No allocation. */
bool balance_has_near(const struct balance *balance);
enum masing_status balance_apply_near(struct balance *balance, const double *x,
                                      double *product);

/*
 * x [n] becomes P^-1 x. No allocation. Exact where the structure has modes alone, or massless
 * DOFs and no structural damping; modes that are not there, or far above the range where there
 * are many, count as static. Modes without damping have some here, so that P has an inverse at
 * their resonances, too.
 */
enum masing_status balance_precondition(struct balance *balance, double *x);

/* K above becomes that of all joints stuck, as after creation, or free; what is linearised
 * stays as it is. Whoever asks for free joints puts stuck ones back. No allocation. Positive
 * where there is no factor; then nothing can be preconditioned. */
enum masing_status balance_refer(struct balance *balance, enum balance_joints joints);

/* K above becomes, for each axis of the joints, what its force changes with its displacement
 * where it was linearised last, in the mean and on average in the other harmonics: P is near to
 * J then also where all contacts slip. is_first: stuck joints again. No allocation. */
enum masing_status balance_renew(struct balance *balance, bool is_first);

/* What that costs, in iterations (one apply and one precondition). */
double balance_renewal_cost(const struct balance *balance);

/* y [n]: the solution with all joints as K has them; change [n] is scratch. What is linearised
 * stays as it is. MASING_SINGULAR on an undamped resonance; MASING_NOT_CONVERGED where what P
 * leaves out decides, y being as near as it came. */
enum masing_status balance_linear_response(struct balance *balance, double omega, double *y,
                                           double *change);

#endif
