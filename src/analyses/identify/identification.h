/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Common to the identifications: a call from its request to its result; measured loops prepared
 * for a fit. */
#ifndef MASING_ANALYSES_IDENTIFY_IDENTIFICATION_H
#define MASING_ANALYSES_IDENTIFY_IDENTIFICATION_H

#include <stdbool.h>

#include "analyses/identify/fit_parameters.h"
#include "base/arena.h"
#include "masing/identify.h"
#include "model/message.h"

/* Where the warnings of a result stand. */
static inline struct warning_list identification_warnings(struct masing_identification *result)
{
    return (struct warning_list){&result->warnings, &result->n_warnings, NULL};
}

/* Check a request and identify; the result is empty before. */
typedef enum masing_status identify_request(const void *request,
                                            struct masing_identification *result,
                                            struct masing_error *error);

/* What public functions share: the caller's request is read into `asked`, which has so many
 * bytes, and what was found is handed over. */
enum masing_status identification_run(identify_request *identify, const void *request,
                                      void *asked, size_t size,
                                      struct masing_identification *result,
                                      struct masing_error *error);

/* Refuse what is missing. */
enum masing_status identification_check(const struct masing_measurements *data,
                                        struct masing_error *error);

/* ---- whether a loop is steady, times of the samples, turns ---- */

struct measured_path {
    const struct masing_measurement *source;
    int n; /* samples, without a last one that repeats the first of a steady motion */
    bool is_steady;
    bool has_time;
    int first;         /* steady: sample at which the displacement is largest, else 0 */
    int n_points;      /* steady: n + 1, else n */
    double *x, *f, *t; /* [n_points] from `first` on, the first sample once more at the end of a
                          steady motion; t counts samples where there is no time */
    double largest_force, travel; /* largest |F|; largest minus smallest x */
    double velocity_noise; /* share of the velocity, where it could not be smoothed away */
};

/* Displacement of a sample in the order of the file, whatever turn of a steady motion. */
static inline double measured_path_x(const struct measured_path *path, int i)
{
    return path->x[(i - path->first + 2 * path->n) % path->n];
}

/* Whether an open motion begins at a loaded joint, whose past is unknown. */
bool measured_path_has_past(const struct measured_path *path);

/*
 * Take noise out of the displacements, for those who need velocities: a steady motion becomes
 * the Fourier series that cross-validation finds; of others velocity_noise is estimated.
 */
enum masing_status measured_path_smooth(struct measured_path *path, struct masing_error *error);

/* Samples are evenly spaced in time, up to what rounding leaves. */
bool measured_path_is_even(const struct measured_path *path);

/* Clear it also after a failure. */
enum masing_status measured_path_create(const struct masing_measurements *data, int index,
                                        struct measured_path *path, struct masing_error *error);
void measured_path_clear(struct measured_path *path);

/* ---- forces of a law along measured motions, and their derivatives by the parameters ---- */

struct loop_fit {
    const struct masing_law *law;
    const struct fit_parameters *varied;
    const struct measured_path *paths;
    int n_loops, n_data;             /* samples of all loops */
    double force_scale;              /* N; residuals are in parts of it */
    void *given;                     /* parameters as given, before check */
    void *parameters;                /* checked ones of the last evaluation */
    void **tangents;                 /* [varied->n] of them */
    double *displacement, *velocity; /* [n_data] loop after loop in the order of the file;
                                        velocity: NULL where the law needs none */
    double *force, *changes;         /* [longest], [longest][varied->n] */
    double *state, *workspace;       /* state: NULL where there is none */
    struct arena arena;              /* of all these */
};

/*
 * Clear it also after a failure. `given` is lent. needs_velocity: times matter, and are
 * checked; a law that could depend on velocity need not with these parameters.
 */
enum masing_status loop_fit_create(const struct masing_law *law, bool needs_velocity,
                                   const struct fit_parameters *varied,
                                   const struct measured_path *paths, int n_loops, void *given,
                                   struct loop_fit *fit, struct masing_error *error);
void loop_fit_clear(struct loop_fit *fit);

/* Fitted forces of all samples [n_loops][n_samples] from residuals. */
void loop_fit_write(const struct loop_fit *fit, const double *residuals, double **fitted);

/* The `evaluate` of a least_squares_problem: context is the struct loop_fit. */
enum masing_status loop_fit_evaluate(void *context, const double *unknowns, double *residuals,
                                     double *jacobian);

/* ---- a call ---- */

/* Prepare all loops and allocate parameters and fitted points of the result. */
enum masing_status identification_begin(const struct masing_measurements *data,
                                        const struct masing_law *law,
                                        struct measured_path **paths,
                                        struct masing_identification *result,
                                        struct masing_error *error);

/* Smooth all displacements; warn where that cannot be done and velocities are needed. */
enum masing_status identification_smooth(struct measured_path *paths, bool needs_velocity,
                                         struct masing_identification *result,
                                         struct masing_error *error);

void measured_paths_free(struct measured_path *paths, int n_loops);

#endif
