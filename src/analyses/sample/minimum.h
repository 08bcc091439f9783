/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The value of a number at which the peaks of all draws have the lowest 95 % quantile. */
#ifndef MASING_ANALYSES_SAMPLE_MINIMUM_H
#define MASING_ANALYSES_SAMPLE_MINIMUM_H

#include "masing/sample.h"

/* masing_sample of a request that names the number. */
enum masing_status sample_minimize(const struct masing_sample_request *request,
                                   const struct masing_response_options *options,
                                   const struct masing_sink *rows,
                                   struct masing_sample_summary *summary,
                                   struct masing_error *error);

#endif
