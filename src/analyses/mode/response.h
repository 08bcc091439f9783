/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The response of a mode beside the full one. */
#ifndef MASING_ANALYSES_MODE_RESPONSE_H
#define MASING_ANALYSES_MODE_RESPONSE_H

#include "analyses/mode/estimate.h"
#include "analyses/curve/warning_list.h"

struct mode_response {
    const struct masing_model *model;
    const struct masing_mode_response_options *options;
    const struct masing_sink *rows; /* may be NULL */
    struct masing_mode_response_summary *summary;
    struct warning_list warnings;
    struct mode_estimate *estimate;
    /* the full response as it comes */
    int *sources; /* [1 + n_outputs] its columns of the frequency and of the outputs */
    int n_full;
    size_t capacity;
    double *full;         /* [n_full][1 + n_outputs]: Hz, amplitudes */
    double peak_hz, peak; /* refined, between two rows */
    struct masing_progress progress;
    double progress_from, progress_share;
};

/* Row of the full response, [1 + n_outputs]. */
const double *mode_response_full(const struct mode_response *run, int i);

/* Fills the summary's peak of the full response and the differences. */
void mode_response_compare(struct mode_response *run);

/* What hinders the comparison, or that the two are far from each other. */
enum masing_status mode_response_warn(struct mode_response *run, struct masing_error *error);

#endif
