/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small models of masses that are integrated in time, for tests. */
#ifndef MASING_TESTS_INTEGRATED_H
#define MASING_TESTS_INTEGRATED_H

#include <stdio.h>

#include "masing/integrate.h"

#include "specimen.h"
#include "tap.h"

/* n unconnected masses, each an output */
static inline void integrated_begin(struct masing_spec *spec, int n, const double *masses)
{
    specimen_init(spec, n);
    spec->n_outputs = n;
    spec->outputs = specimen_array((size_t)n, sizeof *spec->outputs);
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "m%d", i + 1);
        specimen_mass(spec, i, masses[i]);
        spec->outputs[i].name = specimen_text(name);
        spec->outputs[i].combination = specimen_axis(MASING_GROUND, i);
    }
}

/* Seal; prints why it failed. */
static inline struct masing_model *integrated_seal(struct masing_spec *spec)
{
    struct masing_error error = {0};
    struct masing_model *model = NULL;
    if (masing_model_create(spec, &model, &error) != MASING_OK) {
        printf("# model: %s\n", error.message);
    }
    return model;
}

/* Integrate a model that is destroyed here; a failure is printed and counted. */
static inline struct masing_integrate_summary integrated_run(struct masing_spec *spec,
                                                             double frequency_hz)
{
    struct masing_error error = {0};
    struct masing_integrate_summary summary = {0};
    struct masing_model *model = integrated_seal(spec);
    CHECK(model != NULL);
    if (model) {
        enum masing_status status =
            masing_integrate(model, frequency_hz, NULL, NULL, &summary, &error);
        if (!CHECK(status == MASING_OK)) {
            printf("# integrate: %s\n", error.message);
        }
    }
    masing_model_destroy(model);
    return summary;
}

#endif
