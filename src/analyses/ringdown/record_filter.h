/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Modal coordinates from the channels of a measured record. */
#ifndef MASING_ANALYSES_RINGDOWN_RECORD_FILTER_H
#define MASING_ANALYSES_RINGDOWN_RECORD_FILTER_H

#include "analyses/curve/warning_list.h"
#include "masing/ringdown.h"

struct record_filter {
    const struct masing_record *record; /* lent */
    int n_modes;                        /* of which there are shapes; else of channels */
    int n_channels;                     /* that take part */
    int *channels;                      /* [n_channels] of the record */
    double *weights;                    /* [n_modes][n_channels] */
};

/*
 * Least squares of all modes together; with more modes than channels each by itself. Without
 * shapes each channel is a mode. wanted [n_wanted]: numbers of those that must be seen.
 */
enum masing_status record_filter_create(const struct masing_record *record,
                                        const struct masing_record_shapes *shapes, int n_wanted,
                                        const int *wanted, struct record_filter **filter,
                                        struct masing_error *error);
void record_filter_destroy(struct record_filter *filter);

/* Warn of channels that take no part. */
enum masing_status record_filter_warn(const struct record_filter *filter,
                                      const struct warning_list *warnings,
                                      struct masing_error *error);

/* The coordinate of a mode (index) at the samples from `first` on: signal [n_samples]. */
void record_filter_apply(const struct record_filter *filter, int mode, int first, int n_samples,
                         double *signal);

#endif
