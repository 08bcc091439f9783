/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joints whose preload goes with the square of the shaft's speed, which is the frequency: their
 * parameters at the frequency of an evaluation, of the balance's own, and the derivative.
 */
#ifndef MASING_HARMONIC_BALANCE_BALANCE_SPEED_H
#define MASING_HARMONIC_BALANCE_BALANCE_SPEED_H

#include "harmonic/balance/balance.h"

/* Before the joints' responses: balance->speed, NULL where no joint depends on the speed. */
enum masing_status balance_speed_create(struct balance *balance, struct masing_error *error);

/* A joint as the balance evaluates it: its own, or the model's. */
const struct joint *balance_speed_joint(const struct balance *balance, int joint);

/* The parameters at a frequency, and as the model has them by now. MASING_NOT_FINITE where a
 * law refuses them. */
enum masing_status balance_speed_set(struct balance *balance, double omega);

/* Tangent of a joint's parameters by Omega at the frequency set last; NULL: it does not depend
 * on it. */
const void *balance_speed_tangent(const struct balance *balance, int joint);

/* Tangent of the model's parameters of a joint as one of the balance's at the frequency set
 * last. */
const void *balance_speed_turn(const struct balance *balance, int joint, const void *tangent);

#endif
