/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Velocities from noisy displacements: differences between neighbours multiply the noise by the
 * number of samples. A steady motion is a Fourier series; how many harmonics are motion and
 * what is noise is decided by generalized cross-validation. Other motions are left as they are.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/identify/measured_path.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"

enum { MOST_HARMONICS = 64, SAMPLES_PER_HARMONIC = 8 };

/* Samples that are this unevenly spaced are no samples of a series over the period. */
static const double largest_unevenness = 0.05;

bool measured_path_is_even(const struct measured_path *path)
{
    double step = (path->t[path->n_points - 1] - path->t[0]) / (path->n_points - 1);
    for (int i = 1; i < path->n_points; i++) {
        if (fabs(path->t[i] - path->t[i - 1] - step) > largest_unevenness * step) {
            return false;
        }
    }
    return true;
}

/* Take harmonic h out of the rest and, where asked for, put it into the series. */
static double move_harmonic(int n, int h, double *rest, double *series)
{
    double a = 0.0, b = 0.0, sum = 0.0;
    for (int i = 0; i < n; i++) {
        a += rest[i] * cos(TWO_PI * h * i / n);
        b += rest[i] * sin(TWO_PI * h * i / n);
    }
    a *= (h > 0 ? 2.0 : 1.0) / n;
    b *= 2.0 / n;
    for (int i = 0; i < n; i++) {
        double value = a * cos(TWO_PI * h * i / n) + b * sin(TWO_PI * h * i / n);
        rest[i] -= value;
        sum += rest[i] * rest[i];
        if (series) {
            series[i] += value;
        }
    }
    return sum;
}

static int choose_harmonics(int n, double *rest)
{
    int most =
        n / SAMPLES_PER_HARMONIC < MOST_HARMONICS ? n / SAMPLES_PER_HARMONIC : MOST_HARMONICS;
    int best = most;
    double least = INFINITY;
    for (int h = 0; h <= most; h++) {
        double value = move_harmonic(n, h, rest, NULL) / pow(n - 2 * h - 1, 2);
        if (h > 0 && value < least) {
            least = value;
            best = h;
        }
    }
    return best;
}

/* Root of the mean square of third differences, which a smooth motion has hardly any of. */
static double noise_of_differences(const struct measured_path *path)
{
    double sum = 0.0;
    int n = path->n_points - 3;
    for (int i = 0; i < n; i++) {
        const double *x = path->x + i;
        sum += pow(x[3] - 3 * x[2] + 3 * x[1] - x[0], 2) / n;
    }
    return sqrt(sum / 20);
}

enum masing_status measured_path_smooth(struct measured_path *path, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = path->n;
    double *rest = NULL, *series = NULL;
    if (!path->is_steady || !measured_path_is_even(path)) {
        double mean_step = 0.0;
        for (int i = 1; i < path->n_points; i++) {
            mean_step += fabs(path->x[i] - path->x[i - 1]) / (path->n_points - 1);
        }
        path->velocity_noise = noise_of_differences(path) / mean_step;
        goto done;
    }
    rest = memory_copy(path->x, (size_t)n, sizeof *rest);
    series = memory_array((size_t)n, sizeof *series);
    TRY_ALLOCATED(rest && series);
    int harmonics = choose_harmonics(n, rest);
    memcpy(rest, path->x, (size_t)n * sizeof *rest);
    for (int h = 0; h <= harmonics; h++) {
        move_harmonic(n, h, rest, series);
    }
    memcpy(path->x, series, (size_t)n * sizeof *series);
    path->x[n] = series[0];
done:
    free(rest);
    free(series);
    return status;
}
