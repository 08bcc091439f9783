/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One joint under periodic motion: Fourier coefficients of its displacements in, those of its
 * forces out, with the exact derivative. Three methods behind one interface: phases in closed
 * form, samples with the structured derivative, samples with seed directions for any law.
 *
 * Arrays per joint are [n_axes][n_coefficients].
 */
#ifndef MASING_HARMONIC_JOINTS_JOINT_RESPONSE_H
#define MASING_HARMONIC_JOINTS_JOINT_RESPONSE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/packing.h"
#include "harmonic/basis/basis.h"
#include "harmonic/basis/trigonometric_path.h"
#include "model/model.h"

/* The derivative of a single-axis law: multiplication by a tangent, by a velocity tangent, and
 * one dyad per memory of a turning point. */
struct structured_derivative {
    double *cosine, *sine;                   /* [n_spectrum] tangent */
    double *velocity_cosine, *velocity_sine; /* [n_spectrum] or unused */
    int n_dyads, max_dyads;
    double *left, *right; /* [max_dyads][n_coefficients]: d f = ... + left (right . d x) */
};

enum joint_method { JOINT_PHASES, JOINT_TANGENTS, JOINT_DIRECTIONS };

struct joint_seeds;
struct joint_shared;
struct joint_scratch;

/* What lasts of a joint; all else is scratch. */
struct joint_response {
    const struct joint *joint;
    const struct basis *basis; /* lent */
    enum joint_method method;
    int n_axes;
    struct arena arena; /* of all arrays */
    double *x;          /* [n_axes][n_coefficients] last displacement */
    double *f;          /* [n_axes][n_coefficients] its force */
    double omega;
    bool has_derivative; /* of the last evaluation; phases always bring it */
    double smoothing;    /* m, masing_path.smoothing; 0: the law itself */
    double slip_share;
    double slip_distance;       /* m per cycle; NAN where there is no slider */
    double open_share;          /* NAN where the law cannot open */
    struct masing_range *range; /* [n_axes] of the last displacement */
    struct trigonometric_path *path;
    /* JOINT_PHASES, JOINT_TANGENTS */
    struct structured_derivative derivative;
    double *change; /* [2][n_coefficients] scratch of the derivative by velocity */
    /* JOINT_DIRECTIONS */
    const struct joint_seeds *seeds; /* lent */
    double *state; /* steady state of the last evaluation, the guess of the next */
    size_t n_state;
    double *carried; /* [n_state] contacts whose sliders are carried along: where they stand */
    bool is_carried;
    int n_parts;   /* into which the elements are divided, whatever the number of threads */
    double *block; /* [(n_axes n_c)^2] column-major, and then */
    double *omega_derivative; /* [n_axes][n_coefficients] */
};

/* basis and constants are those of @p shared. */
enum masing_status joint_response_create(const struct joint *joint, struct joint_shared *shared,
                                         enum masing_forces_choice choice,
                                         struct joint_response **response,
                                         struct masing_error *error);
void joint_response_destroy(struct joint_response *response);

/* Forces at response->x (filled by the caller) and, with_derivative, the derivative.
 * origin [n_axes]: where the sliders start. */
enum masing_status joint_response_evaluate(struct joint_response *response,
                                           struct joint_scratch *scratch, double omega,
                                           const double *origin, bool with_derivative);

/* What an evaluation costs, us, roughly (see benchmarks): whether threads are worth waking. */
double joint_response_cost(const struct joint_response *response, bool with_derivative);

/* Largest and smallest displacement of an axis at response->x. Done by evaluate where the law
 * has events or phases. */
void joint_response_range(struct joint_response *response, int axis);

/* Largest distance of an axis from where its slider starts, origin [n_axes], at response->x. */
double joint_response_reach(struct joint_response *response, const double *origin);

/* The derivative as a dense matrix [(n_axes n_c)^2], column-major; needs with_derivative. */
void joint_response_matrix(const struct joint_response *response, double *block);

/* df = derivative along dx [n_axes][n_c] and d_omega; needs with_derivative. */
void joint_response_apply(const struct joint_response *response, const double *dx,
                          double d_omega, double *df);

/*
 * change [n_axes][n_c] of the forces with a parameter of the law, at the motion that was
 * evaluated last. tangent: of the parameter struct (masing_law_tangent); origin as there.
 */
enum masing_status joint_response_parameter(struct joint_response *response,
                                            struct joint_scratch *scratch, const double *origin,
                                            const void *tangent, double *change);

/* Whether its path is ever sampled. */
static inline bool joint_response_has_samples(const struct joint_response *response)
{
    return response->method != JOINT_PHASES || response->joint->law->can_smooth;
}

/* Sliders start from now on where the last evaluation ended: those of a contact inside, others
 * at origin [n_axes], which becomes that. */
void joint_response_carry(struct joint_response *response, double *origin);
/* Where its sliders stand then, which is put, or taken by a response that is new. */
void joint_response_pack(struct joint_response *response, struct packing *packing);

/* Private to the three methods. */
enum masing_status joint_phases_evaluate(struct joint_response *response,
                                         struct joint_scratch *scratch);
enum masing_status joint_phases_parameter(struct joint_response *response,
                                          struct joint_scratch *scratch, const void *tangent,
                                          double *change);
enum masing_status joint_tangents_evaluate(struct joint_response *response,
                                           struct joint_scratch *scratch, const double *origin,
                                           bool with_derivative);
enum masing_status joint_directions_evaluate(struct joint_response *response,
                                             struct joint_scratch *scratch,
                                             const double *origin, bool with_derivative);
enum masing_status joint_directions_create(struct joint_response *response,
                                           struct joint_shared *shared,
                                           struct masing_error *error);

#endif
