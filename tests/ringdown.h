/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A free decay and its rows. */
#ifndef MASING_TESTS_RINGDOWN_H
#define MASING_TESTS_RINGDOWN_H

#include "example.h"
#include "masing/ringdown.h"

struct decay {
    struct table rows;
    struct masing_ringdown_summary summary;
    struct masing_error error;
    enum masing_status status;
};

static inline void decay_check(struct decay *decay)
{
    if (!CHECK(decay->status == MASING_OK && decay->summary.is_complete)) {
        printf("# %s: %s\n", masing_status_name(decay->status), decay->error.message);
    }
}

/* Let an example decay; decay_clear afterwards. */
static inline void decay_example(struct decay *decay, const char *name,
                                 const struct masing_override *overrides, int n_overrides,
                                 const struct masing_ringdown_options *options)
{
    struct masing_model *model = example_open(name, overrides, n_overrides);
    *decay = (struct decay){0};
    struct masing_sink sink = table_sink(&decay->rows);
    decay->status = masing_ringdown(model, options, &sink, &decay->summary, &decay->error);
    decay_check(decay);
    masing_model_destroy(model);
}

static inline void decay_clear(struct decay *decay)
{
    table_clear(&decay->rows);
    masing_ringdown_summary_clear(&decay->summary);
}

/* A column at an amplitude of the only decay of one mode, whose amplitudes fall from row to
 * row: by the cubic through the logarithms of four rows; NAN outside. */
static inline double decay_at(const struct decay *decay, const char *column, double amplitude)
{
    int n = decay->rows.n_rows, k = 0;
    double sum = 0.0, x = log(amplitude);
    while (k < n && table_get(&decay->rows, k, "amplitude") > amplitude) {
        k++;
    }
    if (n < 4 || k == 0 || k == n) {
        return NAN;
    }
    k = k < 2 ? 0 : k - 2 > n - 4 ? n - 4 : k - 2;
    for (int i = k; i < k + 4; i++) {
        double term = log(table_get(&decay->rows, i, column));
        double here = log(table_get(&decay->rows, i, "amplitude"));
        for (int j = k; j < k + 4; j++) {
            double other = log(table_get(&decay->rows, j, "amplitude"));
            term *= j == i ? 1.0 : (x - other) / (here - other);
        }
        sum += term;
    }
    return exp(sum);
}

#endif
