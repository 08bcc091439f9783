/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What sliders that never slip do to the means of a motion: where they stand is a matter of the
 * past, and so is the mean of the force that they hold, within its limit. By equilibrium of the
 * means, whatever the joints' laws, a difference df of these forces moves the mean of an output
 * by -C df, C being the static compliance of the structure without its joints (rigid motions
 * have no mean).
 */
#ifndef MASING_ANALYSES_COMPARE_SLIDER_OFFSETS_H
#define MASING_ANALYSES_COMPARE_SLIDER_OFFSETS_H

#include "analyses/compare/compared_motion.h"
#include "masing/integrate.h"

/* Sliders that slip while nothing brings them back stand anywhere: so does what moves with them
 * as a rigid body. */
struct slider_offsets;

enum masing_status slider_offsets_create(const struct masing_model *model,
                                         struct slider_offsets **offsets,
                                         struct masing_error *error);
void slider_offsets_destroy(struct slider_offsets *offsets);

/* Whether a joint that can slip but does not, at the solution settled last, moves an output. */
bool slider_offsets_reach(const struct slider_offsets *offsets, const struct balance *balance,
                          int output);

/* How much further the means of outputs are than in the balance by what such joints hold
 * otherwise, and by where those stand of which the integration found [n_joints] that nothing
 * brings them back; shift [n_outputs]. */
void slider_offsets_shift(const struct slider_offsets *offsets, const struct balance *balance,
                          const struct compared_motion *own,
                          const struct compared_motion *integrated,
                          const enum masing_offset *found, double *shift);

#endif
