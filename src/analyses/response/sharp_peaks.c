/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a response may rise and fall between two points of its curve: at the natural
 * frequencies of the structure with its joints stuck and free, and at those over the order of a
 * harmonic that loads or joints excite. Each resonance is as wide as its damping makes it.
 */
#include "analyses/response/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "model/cyclic.h"

/* Nearer to each other than this part of their frequency two are the same but for rounding. */
static const double SAME_PEAK = 1e-12;

/* Without damping what a higher harmonic of the joints excites is bounded by nothing but the
 * joints, and so narrow that no arithmetic follows it. */
static const double UNDAMPED = 1e-9;

/* Joints may damp more than the structure does, but never count on it. */
static double least_damping_ratio(const struct structure *structure)
{
    double least = INFINITY;
    for (int j = structure->n_rigid; j < structure->n_modes; j++) {
        least = fmin(least, 0.5 * structure->modal_damping[j] / structure->omega[j]);
    }
    return isfinite(least) ? fmax(0.0, least) + 0.5 * structure->loss_factor : 0.0;
}

static bool is_loaded(const struct balance *balance, int harmonic)
{
    bool is_loaded = false;
    for (int l = 0; l < balance->model->spec.n_loads; l++) {
        is_loaded = is_loaded || balance->model->loads[l].harmonic == harmonic;
    }
    return is_loaded;
}

/* A linear structure vibrates with the harmonics of its loads alone. */
static bool is_linear(const struct balance *balance)
{
    bool is_linear = true;
    for (int j = 0; j < balance->n_joints; j++) {
        is_linear = is_linear && strcmp(balance->joints[j]->joint->law->name, "linear") == 0;
    }
    return is_linear;
}

static int compare_peaks(const void *a, const void *b)
{
    double first = ((const struct continuation_peak *)a)->lambda;
    double second = ((const struct continuation_peak *)b)->lambda;
    return (first > second) - (first < second);
}

static int leave_one_of_each(struct continuation_peak *peaks, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        double lambda = peaks[i].lambda, before = count > 0 ? peaks[count - 1].lambda : 0.0;
        if (lambda - before > fmax(0.5 * peaks[i].width, SAME_PEAK * lambda)) {
            peaks[count++] = peaks[i];
        }
    }
    return count;
}

enum masing_status response_list_peaks(const struct balance *balance, struct arena *arena,
                                       struct continuation_peak **peaks, int *n,
                                       struct masing_error *error)
{
    const struct masing_spec *spec = &balance->model->spec;
    double low = fmin(spec->omega_from, spec->omega_to);
    double high = fmax(spec->omega_from, spec->omega_to);
    int n_harmonics = balance->basis->n_harmonics, count = 0;
    size_t room = 0;
    for (int k = 0; k < n_harmonics; k++) {
        int h = balance->basis->harmonics[k];
        room += 2 * (size_t)model_structure_at(balance->model, h)->n_modes;
    }
    NEED_ALLOCATED(*peaks = arena_array(arena, room, sizeof **peaks));
    for (int k = 0; k < n_harmonics; k++) {
        int h = balance->basis->harmonics[k];
        const struct structure *structure = model_structure_at(balance->model, h);
        const double *lists[] = {structure_natural(structure, true),
                                 structure_natural(structure, false)};
        double ratio = least_damping_ratio(structure);
        int n_modes = structure->n_modes;
        bool is_driven = is_loaded(balance, h), is_excited = is_driven || !is_linear(balance);
        for (int i = 0; h > 0 && is_excited && i < 2 * n_modes; i++) {
            double omega = lists[i / n_modes][i % n_modes] / h;
            if (omega > low && omega < high) {
                (*peaks)[count++] =
                    (struct continuation_peak){.lambda = omega,
                                               .width = 2.0 * ratio * omega,
                                               .is_skipped = !is_driven && ratio < UNDAMPED};
            }
        }
    }
    qsort(*peaks, (size_t)count, sizeof **peaks, compare_peaks);
    *n = leave_one_of_each(*peaks, count);
    return MASING_OK;
}
