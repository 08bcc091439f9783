/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The joints of a balance, evaluated in parallel where there are many. */
#ifndef MASING_HARMONIC_BALANCE_BALANCE_JOINTS_H
#define MASING_HARMONIC_BALANCE_BALANCE_JOINTS_H

#include "harmonic/balance/balance.h"

/* Joints, their scratch and as many of @p n_threads as pay. */
enum masing_status balance_joints_create(struct balance *balance, int n_threads,
                                         struct masing_error *error);
void balance_joints_destroy(struct balance *balance);

/*
 * Every joint's forces at y, into balance->force; with_derivative: their derivative, and that
 * by Omega at fixed displacements into balance->d_force. Where joints fail, all others are
 * evaluated nevertheless, and the status is that of the first: nothing depends on the number of
 * threads.
 */
enum masing_status balance_joints_evaluate(struct balance *balance, enum balance_joints joints,
                                           const double *y, double omega, bool with_derivative);

/* x [n_axes][n_c] of one joint from y, or a change of it from that of y. */
void balance_joints_gather(const struct balance *balance, const struct joint *joint,
                           const double *y, double *x);

/* Force coefficients [n_axes][n_c] of one joint, or their change, into the ports: force
 * [n_harmonics][n_in][2], with a minus sign since joints resist, nothing above the active
 * harmonics; is_added: to what is there. */
void balance_joints_put(const struct balance *balance, const struct joint *joint,
                        const double *coefficients, bool is_added, double *force);

/* Do @p task for each joint, in the threads where all together cost enough (us, roughly);
 * @p scratch is that of the thread. */
typedef void balance_joint_task(void *context, int joint, struct joint_scratch *scratch);
void balance_joints_share(struct balance *balance, double cost, balance_joint_task *task,
                          void *context);

#endif
