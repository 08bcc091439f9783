/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/ringdown/record_filter.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/svd.h"

/* Shapes that differ by less than this at the channels cannot be told apart. */
static const double MOST_CONDITION = 1e8;

static int find_channel(const struct masing_record *record, const char *name)
{
    for (int i = 0; i < record->n_channels; i++) {
        if (strcmp(record->names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

static enum masing_status choose_channels(struct record_filter *filter,
                                          const struct masing_record_shapes *shapes,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_record *record = filter->record;
    filter->n_channels = shapes ? shapes->n_channels : record->n_channels;
    filter->n_modes = shapes ? shapes->n_modes : record->n_channels;
    size_t n = (size_t)filter->n_modes, n_channels = (size_t)filter->n_channels;
    filter->channels = memory_array(n_channels, sizeof *filter->channels);
    filter->weights = memory_array(n * n_channels, sizeof *filter->weights);
    TRY_ALLOCATED(filter->channels);
    TRY_ALLOCATED(filter->weights);
    for (int i = 0; i < filter->n_channels; i++) {
        filter->channels[i] = shapes ? find_channel(record, shapes->names[i]) : i;
        if (filter->channels[i] < 0) {
            TRY(masing_error_set(error, MASING_INVALID,
                                 "the record has no channel '%.80s', of which there are shapes",
                                 shapes->names[i]));
        }
    }
done:
    return status;
}

static bool takes_part(const struct record_filter *filter, int channel)
{
    for (int i = 0; i < filter->n_channels; i++) {
        if (filter->channels[i] == channel) {
            return true;
        }
    }
    return false;
}

enum masing_status record_filter_warn(const struct record_filter *filter,
                                      const struct warning_list *warnings,
                                      struct masing_error *error)
{
    char names[200] = "";
    int n_unused = 0;
    for (int i = 0; i < filter->record->n_channels; i++) {
        size_t length = strlen(names);
        if (!takes_part(filter, i)) {
            snprintf(names + length, sizeof names - length, "%s%s", n_unused > 0 ? ", " : "",
                     filter->record->names[i]);
            n_unused++;
        }
    }
    return n_unused == 0
               ? MASING_OK
               : warning_add(warnings, error,
                             "%d of the record's channels take no part, as there are "
                             "no shapes of them (of a model: no output or DOF of that "
                             "name): %s",
                             n_unused, names);
}

/* Modes that are looked for must be seen; with enough channels all are looked for together. */
static enum masing_status check_shapes(const struct record_filter *filter,
                                       const struct masing_record_shapes *shapes, int n_wanted,
                                       const int *wanted, struct masing_error *error)
{
    bool are_all = filter->n_modes <= filter->n_channels;
    int n = are_all ? filter->n_modes : n_wanted;
    for (int i = 0; i < n; i++) {
        int mode = are_all ? i : wanted[i] - 1;
        const double *shape = shapes->shapes + (size_t)mode * (size_t)filter->n_channels;
        bool is_seen = false;
        for (int j = 0; j < filter->n_channels; j++) {
            is_seen = is_seen || shape[j] != 0.0;
        }
        if (!is_seen) {
            return masing_error_set(error, MASING_INVALID,
                                    "mode %d does not move at any channel", mode + 1);
        }
    }
    return MASING_OK;
}

/* q = shape . u / shape . shape: there are too few channels to tell modes apart by their
 * shapes, which is left to their bands. */
static void project_shapes(struct record_filter *filter,
                           const struct masing_record_shapes *shapes)
{
    int n = filter->n_channels;
    for (int k = 0; k < filter->n_modes; k++) {
        const double *shape = shapes->shapes + (size_t)k * (size_t)n;
        double square = 0.0;
        for (int i = 0; i < n; i++) {
            square += shape[i] * shape[i];
        }
        for (int i = 0; square > 0.0 && i < n; i++) {
            filter->weights[k * n + i] = shape[i] / square;
        }
    }
}

/* filter = pseudo-inverse of the shapes [n_channels * n_modes] */
static enum masing_status invert_shapes(struct record_filter *filter,
                                        const struct masing_record_shapes *shapes,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct svd svd = {0};
    int n = filter->n_modes, n_channels = filter->n_channels;
    double *unit = memory_array((size_t)n_channels, sizeof *unit);
    double *column = memory_array((size_t)n, sizeof *column);
    TRY_ALLOCATED(unit);
    TRY_ALLOCATED(column);
    TRY(svd_create(n_channels, n, &svd, error));
    memcpy(svd.matrix, shapes->shapes, (size_t)n * (size_t)n_channels * sizeof *svd.matrix);
    status = svd_factor(n, &svd);
    if (status != MASING_OK || !(svd_condition(&svd) < MOST_CONDITION)) {
        TRY(masing_error_set(error, MASING_INVALID,
                             "the shapes of the %d modes cannot be told apart at the %d "
                             "channels",
                             n, n_channels));
    }
    for (int i = 0; i < n_channels; i++) {
        unit[i] = 1.0;
        svd_solve(&svd, unit, 0.0, 0.0, column);
        unit[i] = 0.0;
        for (int k = 0; k < n; k++) {
            filter->weights[k * n_channels + i] = column[k];
        }
    }
done:
    svd_clear(&svd);
    free(unit);
    free(column);
    return status;
}

static enum masing_status fill(struct record_filter *filter,
                               const struct masing_record_shapes *shapes, int n_wanted,
                               const int *wanted, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    if (!shapes) {
        for (int k = 0; k < filter->n_modes; k++) {
            filter->weights[k * filter->n_channels + k] = 1.0;
        }
        return MASING_OK;
    }
    TRY(check_shapes(filter, shapes, n_wanted, wanted, error));
    if (filter->n_modes <= filter->n_channels) {
        TRY(invert_shapes(filter, shapes, error));
    } else {
        project_shapes(filter, shapes);
    }
done:
    return status;
}

enum masing_status record_filter_create(const struct masing_record *record,
                                        const struct masing_record_shapes *shapes, int n_wanted,
                                        const int *wanted, struct record_filter **created,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct record_filter *filter = memory_array(1, sizeof *filter);
    TRY_ALLOCATED(filter);
    filter->record = record;
    TRY(choose_channels(filter, shapes, error));
    TRY(fill(filter, shapes, n_wanted, wanted, error));
done:
    if (status != MASING_OK) {
        record_filter_destroy(filter);
        filter = NULL;
    }
    *created = filter;
    return status;
}

void record_filter_destroy(struct record_filter *filter)
{
    if (filter) {
        free(filter->channels);
        free(filter->weights);
        free(filter);
    }
}

void record_filter_apply(const struct record_filter *filter, int mode, int first, int n_samples,
                         double *signal)
{
    const struct masing_record *record = filter->record;
    memset(signal, 0, (size_t)n_samples * sizeof *signal);
    for (int i = 0; i < filter->n_channels; i++) {
        double weight = filter->weights[mode * filter->n_channels + i];
        const double *samples = record->samples +
                                (size_t)filter->channels[i] * (size_t)record->n_samples +
                                (size_t)first;
        for (int j = 0; weight != 0.0 && j < n_samples; j++) {
            signal[j] += weight * samples[j];
        }
    }
}
