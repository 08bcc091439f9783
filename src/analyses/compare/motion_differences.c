/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyses/compare/compared_motion.h"
#include "base/check.h"
#include "base/memory.h"

/* Motions below this part of the largest one, and losses below that part of the loads' work,
 * are not what relative differences are of. */
static const double SMALL_MOTION = 1e-9, SMALL_LOSS = 1e-3;

enum masing_status motion_differences_create(const struct compared_motion *motion,
                                             struct motion_differences **created,
                                             struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct motion_differences *differences = memory_array(1, sizeof *differences);
    TRY_ALLOCATED(differences);
    size_t n = (size_t)motion->n_outputs;
    differences->n_outputs = motion->n_outputs;
    differences->n_waves = compared_motion_waves(motion->basis);
    differences->max = memory_array(n, sizeof(double));
    differences->mean = memory_array(n, sizeof(double));
    differences->waves = memory_array(n * (size_t)differences->n_waves, sizeof(double));
    TRY_ALLOCATED(differences->max && differences->mean && differences->waves);
done:
    if (status != MASING_OK) {
        motion_differences_destroy(differences);
        differences = NULL;
    }
    *created = differences;
    return status;
}

void motion_differences_destroy(struct motion_differences *differences)
{
    if (differences) {
        free(differences->max);
        free(differences->mean);
        free(differences->waves);
        free(differences);
    }
}

/* Of two zeros there is none. */
static double relative(double difference, double size)
{
    return difference == 0.0 ? 0.0 : fabs(difference) / size;
}

/* Of an output, moved back. */
static double largest_value(const struct compared_motion *integrated, int output, double offset)
{
    return offset == 0.0 ? integrated->max[output]
                         : fmax(fabs(integrated->low[output] - offset),
                                fabs(integrated->high[output] - offset));
}

void motion_differences_take(struct motion_differences *differences,
                             const struct compared_motion *balance,
                             const struct compared_motion *integrated, const double *shift,
                             double energy_in)
{
    const struct basis *basis = balance->basis;
    int skipped = basis->n_harmonics - differences->n_waves;
    double largest = 0.0;
    for (int i = 0; i < balance->n_outputs; i++) {
        largest = fmax(largest, fmax(integrated->size[i], balance->size[i]));
    }
    for (int i = 0; i < balance->n_outputs; i++) {
        size_t row = (size_t)i * (size_t)basis->n_coefficients;
        const double *a = balance->coefficients + row, *b = integrated->coefficients + row;
        double size = fmax(integrated->size[i], SMALL_MOTION * largest);
        size = size > 0.0 ? size : integrated->max[i];
        double offset = shift ? shift[i] : 0.0;
        double max = largest_value(integrated, i, offset);
        differences->max[i] =
            relative(balance->max[i] - max, fmax(max, SMALL_MOTION * largest));
        differences->mean[i] =
            relative(balance->mean[i] - (integrated->mean[i] - offset), size);
        for (int k = 0; k < differences->n_waves; k++) {
            int at = basis->position[k + skipped];
            double distance = hypot(a[at] - b[at], a[at + 1] - b[at + 1]);
            differences->waves[i * differences->n_waves + k] = relative(distance, size);
        }
    }
    double loss = fmax(fabs(integrated->joint_loss), SMALL_LOSS * fabs(energy_in));
    bool is_none = fabs(balance->joint_loss) <= integrated->unknown_loss &&
                   fabs(integrated->joint_loss) <= integrated->unknown_loss;
    differences->joint_loss =
        is_none ? 0.0 : relative(balance->joint_loss - integrated->joint_loss, loss);
}

double motion_differences_shape(const struct motion_differences *differences)
{
    double largest = 0.0;
    for (int i = 0; i < differences->n_outputs * differences->n_waves; i++) {
        largest = fmax(largest, differences->waves[i]);
    }
    return largest;
}

double motion_differences_worst(const struct motion_differences *differences,
                                const struct masing_spec *spec, const struct basis *basis,
                                char *name, size_t size)
{
    double worst = differences->joint_loss;
    int skipped = basis->n_harmonics - differences->n_waves;
    snprintf(name, size, "joint_loss");
    for (int i = 0; i < differences->n_outputs; i++) {
        const char *output = spec->outputs[i].name;
        const double *waves = differences->waves + (size_t)i * (size_t)differences->n_waves;
        if (differences->max[i] > worst) {
            worst = differences->max[i];
            snprintf(name, size, "%.80s_max", output);
        }
        if (differences->mean[i] > worst) {
            worst = differences->mean[i];
            snprintf(name, size, "%.80s_mean", output);
        }
        for (int k = 0; k < differences->n_waves; k++) {
            if (waves[k] > worst) {
                worst = waves[k];
                snprintf(name, size, "%.80s_h%d", output, basis->harmonics[k + skipped]);
            }
        }
    }
    return worst;
}
