/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loops as if measured: any law along given motions, with noise. */
#ifndef MASING_TESTS_MEASURED_H
#define MASING_TESTS_MEASURED_H

#include <stdlib.h>

#include "law_paths.h"
#include "masing/identify.h"
#include "tap.h"

/* Sum of twelve uniform numbers: nearly normal, variance one. */
static inline double measured_noise(uint64_t *seed)
{
    double sum = -6.0;
    for (int i = 0; i < 12; i++) {
        sum += test_uniform(seed, 0.0, 1.0);
    }
    return sum;
}

static inline void measured_create(int n, struct masing_measurement *measurement)
{
    measurement->name = malloc(32);
    strcpy(measurement->name, "measured.csv");
    measurement->n_samples = n;
    measurement->displacement = calloc((size_t)n, sizeof(double));
    measurement->force = calloc((size_t)n, sizeof(double));
    measurement->time = NULL;
}

/* Steady: one cycle; open: n_cycles of a motion that starts at rest in the middle. */
static inline void measured_sine(struct masing_measurement *m, double amplitude,
                                 double n_cycles, double phase)
{
    for (int i = 0; i < m->n_samples; i++) {
        double angle = TEST_TWO_PI * n_cycles * i / m->n_samples + phase;
        m->displacement[i] = amplitude * sin(angle);
    }
}

/* Forces of a law with checked parameters along the displacements. */
static inline void measured_forces(const struct masing_law *law, const void *parameters,
                                   bool is_steady, struct masing_measurement *m)
{
    const double origin = 0.0;
    size_t size = law->family->workspace_size(law, m->n_samples, 0, 0);
    double *workspace = calloc(size + 1, sizeof(double));
    double *state = calloc(masing_law_state_size(law, parameters) + 1, sizeof(double));
    double *v = calloc((size_t)m->n_samples, sizeof(double));
    double step = m->time ? m->time[1] - m->time[0] : 0.0;
    int n = m->n_samples;
    for (int i = 0; step > 0 && i < n; i++) {
        v[i] = (m->displacement[(i + 1) % n] - m->displacement[(i + n - 1) % n]) / (2 * step);
    }
    struct masing_path path = {.n_samples = n,
                               .n_axes = 1,
                               .is_periodic = is_steady,
                               .time_step = step,
                               .x = m->displacement,
                               .v = v,
                               .origin = &origin};
    struct masing_forces forces = {.f = m->force};
    masing_law_rest(law, parameters, &origin, state);
    CHECK(masing_law_march(law, parameters, &path, is_steady ? NULL : state, &forces, NULL,
                           workspace) == MASING_OK);
    free(workspace);
    free(state);
    free(v);
}

static inline void measured_disturb(struct masing_measurement *m, double sigma, uint64_t *seed)
{
    for (int i = 0; i < m->n_samples; i++) {
        m->force[i] += sigma * measured_noise(seed);
    }
}

/* The number called @p name; NULL where there is none. */
static inline const struct masing_estimate *
measured_find(const struct masing_identification *result, const char *name)
{
    for (int i = 0; i < result->n_estimates; i++) {
        if (strcmp(result->estimates[i].name, name) == 0) {
            return &result->estimates[i];
        }
    }
    return NULL;
}

static inline bool measured_warns(const struct masing_identification *result, const char *text)
{
    for (int i = 0; i < result->n_warnings; i++) {
        if (strstr(result->warnings[i], text)) {
            return true;
        }
    }
    return false;
}

#endif
