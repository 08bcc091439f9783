/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The force of an evolution law at a state; without a function of its own it is the state. */
#ifndef MASING_LAWS_EVOLUTION_FORCE_H
#define MASING_LAWS_EVOLUTION_FORCE_H

#include "laws/evolution/sequence.h"

void force_of_state(const struct masing_law *law, const void *parameters, double x, double v,
                    double z, struct masing_rate *force);

/* At sample i of a sequence, and its change along a tangent of the parameters. */
void force_at(const struct sequence *sequence, int i, struct masing_rate *force);
double force_change_at(const struct sequence *sequence, int i, const void *tangent);

#endif
