/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far the response depends on where the sliders stood before the motion. */
#ifndef MASING_ANALYSES_RESPONSE_START_RANGE_H
#define MASING_ANALYSES_RESPONSE_START_RANGE_H

#include "analyses/response/curve.h"

/* Solve the peak of a curve from other states, if that is wanted: the summary's `starts`. */
enum masing_status start_range_run(struct response_curve *curve, struct masing_error *error);

#endif
