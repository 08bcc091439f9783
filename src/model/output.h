/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an output is beside a weighted sum of displacements: a time derivative of it, with the
 * motion of the base where it is absolute, and a factor.
 */
#ifndef MASING_MODEL_OUTPUT_H
#define MASING_MODEL_OUTPUT_H

#include "model/model.h"

/* Time derivatives: 0, 1 or 2. */
int output_order(const struct masing_output_spec *output);

/* Factor of all of it: over the base's amplitude for a transmissibility, else 1. */
double output_scale(const struct masing_model *model, int output);

/*
 * Displacement of an output with the base that a load moves, at rest beside it: motion[0] cos +
 * motion[1] sin of the load's harmonic, proportional to Omega^-2. false: there is none, since
 * the load moves no base or the output is relative to it.
 */
bool output_base_motion(const struct masing_model *model, int output, int load, double omega,
                        double motion[2]);

/* The same of all loads at an angle Omega t, in the derivative of the order, 0 to 3. */
double output_base_value(const struct masing_model *model, int output, double omega,
                         double angle, int order);

#endif
