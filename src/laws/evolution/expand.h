/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the effects of the steps to derivatives of the forces at the samples. */
#ifndef MASING_LAWS_EVOLUTION_EXPAND_H
#define MASING_LAWS_EVOLUTION_EXPAND_H

#include "laws/evolution/sequence.h"

/*
 * Along the path's directions and parameters: df [n_samples][n_directions], dfp
 * [n_samples][n_parameters]. A periodic state closes: dz_0 = dz_N. `rates` [n_samples] are the
 * force's derivatives at each sample; dz [max(n_directions, n_parameters)] is scratch.
 */
void expand_directions(const struct sequence *sequence, const struct masing_rate *rates,
                       double *dz, double *df);
void expand_parameters(const struct sequence *sequence, const struct masing_rate *rates,
                       double *dz, double *dfp);

/* 1 - the factor by which a change of the state is left after one period, without loss. */
double expand_decay(const struct sequence *sequence);

#endif
