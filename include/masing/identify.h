/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * Joint parameters from measured or simulated loops: linear least squares for the generalized
 * Valanis model (Jalali et al. 2022, section 2.3), a bounded nonlinear fit for every other law.
 */
#ifndef MASING_IDENTIFY_H
#define MASING_IDENTIFY_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/law.h"
#include "masing/model.h"
#include "masing/response.h"
#include "masing/status.h"
#include "masing/table.h"

#ifdef __cplusplus
extern "C" {
#endif

enum masing_measured_motion {
    MASING_MEASURED_DETECT, /**< steady where the loop closes */
    MASING_MEASURED_OPEN,   /**< from the unloaded joint on */
    MASING_MEASURED_STEADY, /**< whole cycles of a steady motion */
};

/** Measured motion and force of one joint. */
struct masing_measurement {
    char *name; /**< of the file */
    enum masing_measured_motion motion;
    int n_samples;
    double *displacement; /**< [n_samples] m */
    double *force;        /**< [n_samples] N */
    double *time;         /**< [n_samples] ascending, s; NULL: not measured */
};

/**
 * Read loops from a CSV file with the columns `displacement, force` and, where the rate
 * matters, `time`. Laboratories' files are read, too: columns parted by semicolons, tabulators
 * or blanks, decimal commas there, names such as `x` or `F`, units as in `x [mm]` and `Force
 * (kN)`, or in a row below the header. What `masing loop` writes is read, too: one loop per
 * amplitude, its steady cycle where there is one. Refused: fewer than 8 rows, no motion, no
 * force, time that does not increase.
 * @param loops appended to, owned by the caller; [*n_loops], also after a failure
 */
MASING_API enum masing_status masing_measurements_read(const char *file,
                                                       struct masing_measurement **loops,
                                                       int *n_loops,
                                                       struct masing_error *error);
/**
 * Likewise from columns that are named as "x=2,f=3" or "x=Weg,f=Kraft,t=1": displacement (x),
 * force (f) and time (t) by the number of a column, from 1, or by its name, with a unit where
 * the header has none ("x=2[mm]"). Other columns are ignored, and a header is not needed.
 * @param choice NULL: by the names in the header
 */
MASING_API enum masing_status
masing_measurements_read_columns(const char *file, const char *choice,
                                 struct masing_measurement **loops, int *n_loops,
                                 struct masing_error *error);
MASING_API void masing_measurement_clear(struct masing_measurement *measurement);
/** Clear all and free the array. */
MASING_API void masing_measurements_free(struct masing_measurement *loops, int n_loops);

/** What all identifications need. */
struct masing_measurements {
    int n_loops;
    const struct masing_measurement *loops;
    enum masing_measured_motion motion; /**< DETECT: the motion of each loop */
    double frequency_hz; /**< of steady cycles without time, else 0; a loop is one cycle */
};

/** One parameter that was identified. */
struct masing_estimate {
    char name[64];
    char unit[24];
    double value;
    double interval;  /**< half the width of the 95 % confidence interval; INFINITY: open */
    bool is_at_limit; /**< at an end of its range */
};

/** A law beside the first, with its part of the force. */
struct masing_fitted_law {
    const struct masing_law *law;
    void *parameters; /**< of the law, checked; [law->parameters_size] */
};

struct masing_identification {
    size_t size; /**< sizeof this struct, see masing/status.h */
    const struct masing_law *law;
    void *parameters; /**< of the law, checked; [law->parameters_size] */
    int n_estimates;
    struct masing_estimate *estimates; /**< [n_estimates] */
    int n_data;                        /**< samples that took part */
    double rms;                        /**< misfit of the force, N; NAN for responses */
    double relative_rms;               /**< of the largest force, or amplitude per response */
    double condition;                  /**< of the least squares, columns of equal length */
    double condition_unscaled;         /**< the same in SI units, linear least squares only */
    double tikhonov;                   /**< damping that was used, 0: none */
    int n_starts, n_agreeing; /**< starts of the nonlinear fit; those with the same end */
    int n_loops;
    bool *is_steady; /**< [n_loops] */
    double **fitted; /**< [n_loops][n_samples] force, NAN where a sample took no part; of a
                          response its amplitude */
    double **fitted_phase_deg; /**< [n_loops][n_samples] of a response; else NULL */
    int n_warnings;
    char **warnings;
    int n_added;
    struct masing_fitted_law *added; /**< [n_added] beside `law`, in the order of the request */
    double offset; /**< constant force beside the laws, N; 0 where the data show none */
};

MASING_API void masing_identification_clear(struct masing_identification *result);

enum masing_valanis_velocity {
    MASING_TERM_NONE,
    MASING_TERM_LINEAR,
    MASING_TERM_ABS,
    MASING_TERM_SIGN,
    MASING_TERM_SQUARE,
    MASING_TERM_CUBE,
};

/** coefficient x^power e^(rate x) times nothing, v, |v|, sgn v, v^2 or v^3. */
struct masing_valanis_term {
    int power;
    enum masing_valanis_velocity velocity;
    double rate; /**< 1/m */
};

enum { MASING_MOST_TERMS = 16 };

/**
 * Terms as text, parted by commas, each a product of `1`, `x`, `x^N`, `v`, `abs(v)`, `sgn(v)`,
 * `v^2`, `v^3`, `exp(A*x)`, e.g. "x, x^2*sgn(v), exp(1*x)*v".
 * @param terms [MASING_MOST_TERMS]
 */
MASING_API enum masing_status masing_valanis_terms_parse(const char *text,
                                                         struct masing_valanis_term *terms,
                                                         int *n_terms,
                                                         struct masing_error *error);

enum masing_branches {
    MASING_BRANCHES_BOTH,     /**< one set of constants for both */
    MASING_BRANCHES_SEPARATE, /**< constants of their own */
    MASING_BRANCHES_LOADING,  /**< constants of both from the loading branch alone */
    MASING_BRANCHES_UNLOADING,
};

struct masing_valanis_request {
    size_t size; /**< sizeof this struct, see masing/status.h */
    struct masing_measurements data;
    int n_terms;
    const struct masing_valanis_term *terms;
    enum masing_branches branches;
    double end_share; /**< of each branch's travel, left out at both of its ends */
    double tikhonov;  /**< relative to the largest singular value; 0: none; NAN: found by
                           generalized cross-validation */
};

/**
 * Linear least squares for `generalized_valanis`. The equation dF/dx = E1 + s (P(x, v) - E2 F)
 * is integrated along the samples of each branch, so that no measured force is differentiated.
 * @param result clear it afterwards, also after a failure
 */
MASING_API enum masing_status
masing_identify_valanis(const struct masing_valanis_request *request,
                        struct masing_identification *result, struct masing_error *error);

struct masing_fit_request {
    size_t size; /**< sizeof this struct, see masing/status.h */
    struct masing_measurements data;
    const struct masing_law *law;
    int n_fixed;
    const struct masing_override *fixed; /**< parameters by name, held at these values */
    int n_starts;
    const struct masing_override *starts; /**< vary from these values */
    int n_varied;
    const char *const *varied; /**< names of what varies; 0: what the law requires */
    int n_trials;              /**< starts; 0: a default */
    int n_added;
    const struct masing_law *const *added; /**< [n_added] laws in parallel with `law` */
    const struct masing_progress
        *progress; /**< may be NULL; where it is cancelled: MASING_STOPPED */
};

/**
 * Bounded nonlinear fit of any law with exact derivatives, from several starts. With laws in
 * parallel their forces add up, and parameters are called "jenkins.stiffness",
 * "linear.stiffness", those of a law's second appearance "jenkins2.stiffness". A constant
 * force, called "offset", varies too where without it a constant is left that is worth a number
 * (twice its 95 % interval and a tenth of the misfit), or where it is started or varied by
 * name.
 * @param result clear it afterwards, also after a failure
 * @return MASING_OK; MASING_INVALID; MASING_NOT_CONVERGED where no start came to an end
 */
MASING_API enum masing_status masing_identify_law(const struct masing_fit_request *request,
                                                  struct masing_identification *result,
                                                  struct masing_error *error);

/** A measured frequency response at one level of the loads. */
struct masing_measured_response {
    char *name;         /**< of the file */
    double load_factor; /**< of the model's loads; NAN: as in the model */
    int n_points;
    double *frequency_hz, *amplitude; /**< [n_points] */
    double *phase_deg;                /**< [n_points]; NULL: not measured */
};

/**
 * Read `frequency_hz, amplitude[, phase_deg]` from a CSV file.
 * @param response clear it afterwards, also after a failure
 */
MASING_API enum masing_status
masing_measured_response_read(const char *file, double load_factor,
                              struct masing_measured_response *response,
                              struct masing_error *error);
MASING_API void masing_measured_response_clear(struct masing_measured_response *response);

struct masing_response_fit_request {
    size_t size; /**< sizeof this struct, see masing/status.h */
    const struct masing_document *document;
    const struct masing_override *overrides;
    int n_overrides;
    const char
        *joint; /**< whose parameters vary, from those of the model on; NULL: the only one */
    int n_responses;
    const struct masing_measured_response *responses; /**< of the model's peak output */
    enum masing_measure measure;                      /**< what was measured */
    int n_fixed;
    const struct masing_override *fixed;
    int n_starts;
    const struct masing_override *starts;
    int n_varied;
    const char *const *varied; /**< 0: what the law requires and the model gives */
    int n_trials;              /**< starts; 0: one, that of the model */
    const struct masing_progress
        *progress; /**< may be NULL; where it is cancelled: MASING_STOPPED */
};

/**
 * Fit a joint of a model to measured responses at several levels of the loads, through the
 * harmonic balance with its exact derivatives. Where several motions are possible at a measured
 * frequency, the one nearest to the measurement counts. Amplitudes alone, or with a phase the
 * complex first harmonic.
 * @param result fitted amplitudes (and phases) in place of forces; clear it afterwards
 * @return MASING_OK; MASING_INVALID; MASING_NOT_CONVERGED
 */
MASING_API enum masing_status
masing_identify_response(const struct masing_response_fit_request *request,
                         struct masing_identification *result, struct masing_error *error);

/**
 * Measured and fitted points.
 * @param rows `response, load_factor, frequency_hz, amplitude, amplitude_fitted, phase_deg,
 *        phase_fitted_deg`
 */
MASING_API enum masing_status
masing_response_fit_rows(const struct masing_response_fit_request *request,
                         const struct masing_identification *result,
                         const struct masing_sink *rows, struct masing_error *error);

/** What stands in the `joints:` entry besides the law's own parameters. */
struct masing_joint_place {
    const char *name, *from, *to;
    const char *axis; /**< "{m1: -1, m2: 2}" in place of from and to; or NULL */
};

/** The entry of `joints:` as YAML, ready for a model file; *text is owned by the caller. */
MASING_API enum masing_status masing_joint_entry(const struct masing_law *law,
                                                 const void *parameters,
                                                 const struct masing_joint_place *place,
                                                 char **text, struct masing_error *error);

/**
 * Measured and fitted points.
 * @param rows `loop, sample, time, displacement, force, force_fitted, residual`
 */
MASING_API enum masing_status
masing_identification_rows(const struct masing_measurements *data,
                           const struct masing_identification *result,
                           const struct masing_sink *rows, struct masing_error *error);

#ifdef __cplusplus
}
#endif
#endif
