/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distributions of uncertain numbers by their quantile functions. */
#ifndef MASING_ANALYSES_SAMPLE_DISTRIBUTION_H
#define MASING_ANALYSES_SAMPLE_DISTRIBUTION_H

#include "masing/model.h"

/* The value below which the number lies with this probability, 0 < p < 1, within its bounds. */
double distribution_quantile(const struct masing_uncertain_number *number, double p);

/* What `--minimize` moves: mean, median, middle, most likely value. */
double distribution_location(const struct masing_uncertain_number *number);

/* Probability that the number without its bounds would lie within them; 1 without bounds. */
double distribution_within_bounds(const struct masing_uncertain_number *number);

#endif
